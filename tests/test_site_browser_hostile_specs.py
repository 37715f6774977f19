"""The docs site of a hostile document in headless Chromium: no text of it is run, and
inline objects expand."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.browser import (
    POD,
    SITE_OPTIONS,
    Browser,
    click,
    find,
    served,
    visible_fields,
)
from tests.conftest import make_command, make_document

HOSTILE = "<img src=x onerror=document.title=1><script>document.title=1</script>"


def test_the_text_of_an_index_is_not_html(browser: Browser, base_url: str) -> None:
    browser.open(base_url + POD)
    find(browser, "")
    browser.run(
        "const text = arguments[0];"
        " kubestencilIndex({release: '', apiVersions: [`a/${text}`], strings: [text], types:"
        " [[text, 0, 1, 0, 1, text, [[0, 0]], '1.34']]});"
        " kubestencilTexts({release: '', texts: [text], positions: [1, 1]})",
        HOSTILE,
    )
    browser.settle()
    assert find(browser, "onerror img")
    assert browser.run("return document.querySelector('#search-dialog img')") is None
    assert HOSTILE in browser.run("return document.getElementById('found').textContent")


@pytest.fixture(scope="module")
def custom(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A site of a custom resource with inline objects and hostile texts; the URL of
    the pages of its API version."""
    leaf = {
        "type": "string",
        "description": HOSTILE,
        "default": HOSTILE,
        "enum": [HOSTILE],
    }
    part = {"properties": {"deep": {"type": "object", "properties": {"end": leaf}}}}
    inner = {"type": "object", "properties": {"leaf": leaf, HOSTILE: leaf}}
    spec = {
        "type": "object",
        "properties": {
            "inner": inner,
            "other": {"$ref": "#/definitions/com.example.v1.Part"},
        },
    }
    kind = {
        "description": f"{HOSTILE} [here](javascript:document.title=1)",
        "properties": {"spec": spec},
        "x-kubernetes-group-version-kind": [
            {"group": "example.com", "version": "v1", "kind": "Thing"}
        ],
    }
    definitions = {"com.example.v1.Thing": kind, "com.example.v1.Part": part}
    folder = tmp_path_factory.mktemp("custom")
    (folder / "it.json").write_text(json.dumps(make_document(definitions)))
    done = make_command(folder)(
        "render", "it", "--spec", "it.json", "-t", "site", *SITE_OPTIONS
    )
    assert done.returncode == 0, done.stderr
    with served(folder / "printed") as address:
        yield f"{address}site/it/example.com/v1/"


@pytest.mark.parametrize("page", ["", "Thing/", "Part/"])
def test_hostile_text_does_not_run(browser: Browser, custom: str, page: str) -> None:
    browser.open(custom + page)
    browser.run("document.getElementById('open-all')?.click()")
    find(browser, "onerror")
    assert browser.run("return document.title") != "1"
    assert browser.run("return document.querySelector('[onerror], [src=x]')") is None
    assert not browser.run(
        "return [...document.links].some((link) => link.protocol === 'javascript:')"
    )


def test_inline_objects_expand(browser: Browser, custom: str) -> None:
    """Also inside of a named type."""
    browser.open(f"{custom}Thing/")
    assert visible_fields(browser) == ["spec", "spec.inner", "spec.other"]
    for path in ("spec.other.deep.end", f"spec.inner.{HOSTILE}"):
        browser.run("location.hash = encodeURIComponent(arguments[0])", path)
        browser.settle()
        assert path in visible_fields(browser)
        assert browser.run("return document.querySelector('.here').id") == path
    click(browser, "#open-all")
    click(browser, "#open-all")
    assert visible_fields(browser) == ["spec"]
