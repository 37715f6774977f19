"""The docs site in headless Chromium, from a web server and as local files.

``KUBESTENCIL_SITE=DIR`` tests a site that was generated before.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser import DESK, PHONE, Browser, served
from tests.conftest import ROOT, make_command, make_document

POD = "1.35/core/v1/Pod/"
DEPLOYMENT = "1.35/apps/v1/Deployment/"
RECURSIVE = "1.35/apiextensions.k8s.io/v1/JSONSchemaProps/"
PAGES = (
    *("", "1.35/", "1.35/apps/", "1.35/apps/v1/", POD, f"{POD}all/", RECURSIVE),
    *("1.34/scheduling.k8s.io/v1alpha1/Workload/", "diff/index.html"),
    *("diff/1.34-1.35.html", "diff/history.html", "404.html", "pages/guide/"),
)
OUTPUT = ("-o", "printed", "--set", "site.url=http://localhost/site/")
GUIDE = """# A guide

A [link](https://example.com), `code`, and a table that is wider than a phone:

| one of the columns | another of the columns | a third of the columns |
| --- | ---: | --- |
| text | 1 | `a_long_word_that_has_no_place_at_which_it_could_be_broken` |

## Steps

1. First
2. Then

```yaml
kind: Pod
```
"""
NESTED_FIELD = "spec.containers.livenessProbe.httpGet.port"
ASSETS = ROOT / "templates" / "site" / "assets"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two releases and an extra page, generated below the root of a server."""
    if "KUBESTENCIL_SITE" in os.environ:
        return Path(os.environ["KUBESTENCIL_SITE"]).resolve()
    folder = tmp_path_factory.mktemp("site")
    (folder / "docs").mkdir()
    (folder / "docs" / "guide.md").write_text(GUIDE)
    pages = "--set=site.pages=docs"
    done = make_command(folder)("render", "1.34", "1.35", "-t", "site", *OUTPUT, pages)
    assert done.returncode == 0, done.stderr
    return folder / "printed" / "site"


@pytest.fixture(scope="module")
def base(site: Path) -> Iterator[str]:
    """The URL of the site on a web server, with a base path."""
    with served(site.parent) as address:
        yield f"{address}{site.name}/"


def file_url(site: Path, page: str) -> str:
    file = site / page
    return (file / "index.html" if file.is_dir() else file).as_uri()


def visible_fields(browser: Browser) -> list[str]:
    """The ids of the fields that are not in a collapsed list."""
    ids: list[str] = browser.run(
        "return [...document.querySelectorAll('main ul.tree > li')]"
        ".filter((item) => !item.closest('[hidden]')).map((item) => item.id)"
    )
    return ids


def click(browser: Browser, selector: str) -> None:
    browser.run("document.querySelector(arguments[0]).click()", selector)
    browser.settle()


INDEX_IS_LOADED = "document.querySelector('#found[aria-busy=false]')"
FOCUSED_LABEL = "return document.activeElement.getAttribute('aria-label')"


# ------------------------------------------------------------------ every kind of page


@pytest.mark.parametrize("page", PAGES)
def test_a_page_requests_only_files_of_its_site(
    browser: Browser, base: str, site: Path, page: str
) -> None:
    """From a server and as local files. The fixture checks that it logs nothing."""
    urls_by_site = {base: base + page}
    # Its links are absolute paths on a server.
    if page != "404.html":
        urls_by_site[site.as_uri()] = file_url(site, page)
    for site_url, page_url in urls_by_site.items():
        browser.requests()
        browser.open(page_url)
        browser.run("document.getElementById('find')?.click()")
        browser.settle()
        urls = browser.requests()
        assert urls
        assert {
            url for url in urls if not url.startswith((site_url, "about:"))
        } == set()


@pytest.mark.parametrize("page", PAGES)
def test_a_page_fits_a_phone(browser: Browser, base: str, page: str) -> None:
    """Even with all fields expanded."""
    browser.screen(PHONE)
    browser.open(base + page)
    browser.run("document.getElementById('unfold-all')?.click()")
    browser.settle()
    assert browser.run("return document.documentElement.scrollWidth <= innerWidth")


@pytest.fixture(scope="module")
def axe(request: pytest.FixtureRequest) -> str:
    """The script of axe-core, kept in pytest's cache."""
    assert request.config.cache is not None
    folder = request.config.cache.mkdir("axe-core")
    if not [*folder.glob("*.tgz")]:
        npm_pack("axe-core", folder)
    return member(next(folder.glob("*.tgz")), "package/axe.min.js").decode()


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_accessible(browser: Browser, base: str, axe: str, page: str) -> None:
    """axe-core finds no violation, in the light and the dark colour scheme."""
    browser.open(base + page)
    browser.run("document.querySelector('ul.tree .fold')?.click()")
    for scheme in ("light", "dark"):
        browser.screen(DESK, scheme)
        assert violations(browser, axe) == {}


def test_the_search_is_accessible(browser: Browser, base: str, axe: str) -> None:
    browser.open(base + POD)
    for query in ("", "containers", "xyzzy"):
        find(browser, query)
        assert violations(browser, axe) == {}


def violations(browser: Browser, axe: str) -> dict[str, Any]:
    """The rules of axe-core that the page violates, each with the elements."""
    if not browser.run("return 'axe' in window"):
        browser.run(axe)
    elements: dict[str, Any] = browser.driver.execute_async_script(
        "const done = arguments[0]; axe.run().then(({violations}) =>"
        "done(Object.fromEntries(violations.map((rule) =>"
        "[rule.id, rule.nodes.map((node) => node.html.slice(0, 200))]))))"
    )
    return elements


# ------------------------------------------------------------------------- the tree


def test_a_field_expands_and_collapses(browser: Browser, base: str) -> None:
    """Nested fields have full paths; the button has the state and a label."""
    browser.open(base + POD)
    collapsed = visible_fields(browser)
    click(browser, "#spec .fold")
    nested = [path for path in visible_fields(browser) if path not in collapsed]
    assert "spec.containers" in nested
    assert all(path.startswith("spec.") for path in nested)
    button = (
        "const button = document.querySelector('#spec .fold'); return ["
        "button.ariaExpanded, button.ariaLabel, button.getAttribute('aria-controls')]"
    )
    expanded, label, controls = browser.run(button)
    assert (expanded, label) == ("true", "Collapse spec")
    assert browser.run("return document.getElementById(arguments[0]).tagName", controls)
    hrefs = browser.run(
        "return [...document.querySelectorAll('#spec ul.tree > li')].every((item) => item"
        ".querySelector('a.name').getAttribute('href') === `#${item.id}`)"
    )
    assert hrefs
    click(browser, "#spec .fold")
    assert browser.run(button)[:2] == ["false", "Expand spec"]
    assert visible_fields(browser) == collapsed


@pytest.mark.parametrize("method", ["load", "file", "hashchange"])
def test_a_link_opens_a_nested_field(
    browser: Browser, base: str, site: Path, method: str
) -> None:
    """Its ancestors are expanded; it is highlighted, in view and focused."""
    if method == "hashchange":
        browser.open(base + POD)
        browser.run("location.hash = arguments[0]", NESTED_FIELD)
        browser.settle()
    else:
        page = base + POD if method == "load" else file_url(site, POD)
        browser.open(f"{page}#{NESTED_FIELD}")
    browser.settle(200)
    assert browser.run(
        "return [...document.querySelectorAll('.here')].map((item) => item.id)"
    ) == [NESTED_FIELD]
    top, bottom, header = browser.run(
        "const box = document.querySelector('.here .line').getBoundingClientRect();"
        "const header = document.querySelector('header').getBoundingClientRect();"
        "return [box.top, innerHeight - box.bottom, header.bottom]"
    )
    assert top >= max(header, 0) - 1
    assert bottom > 0
    assert browser.run("return document.activeElement.hash") == f"#{NESTED_FIELD}"


def test_a_link_to_an_unknown_field_does_nothing(browser: Browser, base: str) -> None:
    browser.open(base + POD)
    collapsed = visible_fields(browser)
    for path in ("spec.containers.nothing", "spec.", "%E0%A4%A", "<b>"):
        browser.run("location.hash = arguments[0]", path)
        browser.settle()
        assert visible_fields(browser) == collapsed
        assert browser.run("return document.querySelector('.here')") is None


def test_all_fields_expand_and_collapse(browser: Browser, base: str) -> None:
    """The fields of a Pod have unique ids at all depths."""
    browser.open(base + POD)
    collapsed = visible_fields(browser)
    click(browser, "#unfold-all")
    expanded = visible_fields(browser)
    assert len(expanded) > 1000
    assert len(set(expanded)) == len(expanded)
    assert {*collapsed, NESTED_FIELD} < set(expanded)
    assert not browser.run(
        "return document.querySelector('main [aria-expanded=false]')"
    )
    click(browser, "#fold-all")
    assert visible_fields(browser) == collapsed


def test_recursive_types_expand_only_on_request(browser: Browser, base: str) -> None:
    """Expanding all fields does not expand a type inside of itself; a link does."""
    browser.open(base + RECURSIVE)
    click(browser, "#unfold-all")
    assert not [path for path in visible_fields(browser) if path.startswith("not.")]
    browser.run("location.hash = 'not.not.%24ref'")
    browser.settle()
    assert browser.run("return document.querySelector('.here').id") == "not.not.$ref"


def test_the_tree_can_be_used_by_keyboard(browser: Browser, base: str) -> None:
    from selenium.webdriver.common.keys import Keys

    browser.open(base + POD)
    browser.run("document.querySelector('#spec .fold').focus()")
    browser.press(Keys.ENTER)
    assert browser.run(FOCUSED_LABEL) == "Collapse spec"
    browser.press(Keys.SPACE)
    assert browser.run(FOCUSED_LABEL) == "Expand spec"
    browser.press(Keys.ARROW_RIGHT)
    assert browser.run(FOCUSED_LABEL) == "Collapse spec"
    browser.press(Keys.ARROW_RIGHT)
    assert browser.run(FOCUSED_LABEL) == "Expand affinity"
    browser.press(Keys.ARROW_DOWN)
    assert browser.run(FOCUSED_LABEL) == "Expand containers"
    browser.press(Keys.ARROW_UP, Keys.ARROW_UP)
    assert browser.run(FOCUSED_LABEL) == "Collapse spec"
    browser.press(Keys.ARROW_DOWN, Keys.ARROW_LEFT)
    assert browser.run(FOCUSED_LABEL) == "Collapse spec"
    browser.press(Keys.ARROW_LEFT)
    assert browser.run(FOCUSED_LABEL) == "Expand spec"


def test_tab_reaches_all_controls(browser: Browser, base: str) -> None:
    """First the skip link, then the search and the colour scheme, then the tree."""
    from selenium.webdriver.common.keys import Keys

    browser.open(base + POD)
    focused = []
    for _ in range(80):
        browser.press(Keys.TAB)
        focused.append(
            browser.run(
                "const element = document.activeElement;"
                "return element.id || element.className || element.getAttribute('href')"
            )
        )
        if focused[-1] == "fold":
            break
    assert focused[0] == "skip"
    assert {"find", "colour-scheme", "unfold-all", "fold-all", "fold"} <= set(focused)


@pytest.mark.parametrize("page", [POD, "diff/1.34-1.35.html", "diff/history.html"])
def test_links_of_local_files_name_files(
    browser: Browser, site: Path, page: str
) -> None:
    """Only a server finds the index page of a folder. Includes links of expanded
    fields."""
    browser.open(file_url(site, page))
    if page == POD:
        click(browser, "#unfold-all")
        assert len(visible_fields(browser)) > 1000
    assert browser.run("return document.links.length") > 50
    folders = browser.run(
        "return [...document.links].filter((link) => link.protocol === 'file:'"
        " && link.pathname.endsWith('/')).map((link) => link.href)"
    )
    assert folders == []


@pytest.mark.parametrize("method", ["server", "file"])
def test_a_report_links_to_a_field(
    browser: Browser, base: str, site: Path, method: str
) -> None:
    report = "diff/1.34-1.35.html"
    browser.open(base + report if method == "server" else file_url(site, report))
    click(
        browser,
        "a.field[href$='NodeStatus/#declaredFeatures'],"
        "a.field[href$='NodeStatus/index.html#declaredFeatures']",
    )
    browser.settle(200)
    assert (
        browser.run("return document.querySelector('.here').id") == "declaredFeatures"
    )


# --------------------------------------------------------- copying, languages, colour scheme


def test_an_example_is_copied(browser: Browser, base: str) -> None:
    """To the clipboard; the button and a screen reader confirm it."""
    browser.driver.execute_cdp_cmd(
        "Browser.grantPermissions",
        {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]},
    )
    browser.open(base + POD)
    text = browser.run("return document.querySelector('.example code').textContent")
    click(browser, ".example .copy")
    assert browser.wait("document.getElementById('said').textContent") == "Copied."
    assert browser.run("return document.querySelector('.copy').textContent") == "Copied"
    read = "navigator.clipboard.readText().then(arguments[0], (error) => arguments[0](`${error}`))"
    assert browser.driver.execute_async_script(read) == text


def test_an_example_is_copied_without_a_clipboard(browser: Browser, base: str) -> None:
    """Browsers have the clipboard API on secure pages only."""
    browser.open(base + POD)
    browser.run(
        "Object.defineProperty(navigator, 'clipboard', {value: undefined});"
        "document.addEventListener('copy', () => window.copied = `${getSelection()}`)"
    )
    browser.driver.find_element("css selector", ".example .copy").click()
    text = browser.run("return document.querySelector('.example code').textContent")
    assert browser.run("return window.copied").strip() == text.strip()


def test_the_language_is_stored(browser: Browser, base: str) -> None:
    """It is selected on the next page, too."""
    languages = (
        "return [...new Set([...document.querySelectorAll("
        "'input[name^=language]:checked')].map((input) => input.value))]"
    )
    browser.open(base + POD)
    assert browser.run(languages) == ["yaml"]
    click(browser, "input[name^=language][value=python]")
    assert browser.run(languages) == ["python"]
    browser.open(base + DEPLOYMENT)
    assert browser.run(languages) == ["python"]


def test_the_colour_scheme_is_stored(browser: Browser, base: str) -> None:
    """The button cycles through the schemes; the next page has the same one."""
    state = (
        "return [document.documentElement.dataset.scheme ?? 'system',"
        "document.getElementById('colour-scheme').ariaLabel]"
    )
    computed = "return getComputedStyle(document.documentElement).colorScheme"
    browser.open(base + POD)
    for scheme in ("light", "dark"):
        click(browser, "#colour-scheme")
        assert browser.run(state) == [scheme, f"Colour scheme: {scheme}"]
        browser.open(base + DEPLOYMENT)
        assert browser.run(state) == [scheme, f"Colour scheme: {scheme}"]
        assert browser.run(computed) == scheme
    click(browser, "#colour-scheme")
    assert browser.run(state) == ["system", "Colour scheme: system"]


def test_a_theme_applies_to_reports_too(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "ours.css").write_text(":root { --link: #070; --font: monospace }")
    done = make_command(tmp_path)(
        *("render", "1.34", "1.35", "-t", "site", "-o", "out"),
        "--set=site.theme=ours.css",
    )
    assert done.returncode == 0, done.stderr
    for page, link in ((POD, ".crumbs a"), ("diff/index.html", "main th a")):
        browser.open(file_url(tmp_path / "out" / "site", page))
        assert browser.run(
            "const link = getComputedStyle(document.querySelector(arguments[0]));"
            "return [link.color, getComputedStyle(document.body).fontFamily]",
            link,
        ) == ["rgb(0, 119, 0)", "monospace"]


def test_a_page_works_without_storage(browser: Browser, base: str) -> None:
    """Browsers may deny access to it."""
    script = browser.driver.execute_cdp_cmd(
        "Page.addScriptToEvaluateOnNewDocument",
        {
            "source": "Object.defineProperty(window, 'localStorage',"
            "{get() { throw new Error('refused') }})"
        },
    )
    try:
        browser.open(base + POD)
        click(browser, "#colour-scheme")
        click(browser, "input[name^=language][value=python]")
        assert browser.run("return document.documentElement.dataset.scheme") == "light"
    finally:
        browser.driver.execute_cdp_cmd(
            "Page.removeScriptToEvaluateOnNewDocument", script
        )


def test_a_release_link_keeps_the_field(browser: Browser, base: str) -> None:
    browser.open(f"{base}{POD}#{NESTED_FIELD}")
    browser.run("location.hash = 'spec.volumes'")
    browser.settle()
    browser.run(
        "[...document.querySelectorAll('a[data-switch]')]"
        ".find((link) => link.pathname.includes('/1.34/')).click()"
    )
    browser.wait(
        "location.pathname.includes('/1.34/') && document.querySelector('.here')"
    )
    assert browser.run("return location.href") == (
        f"{base}{POD.replace('1.35', '1.34')}#spec.volumes"
    )
    assert browser.run("return document.querySelector('.here').id") == "spec.volumes"


# ------------------------------------------------------------------------ the search


def find(browser: Browser, query: str) -> list[str]:
    """The URLs of the results for a query, after all indexes have been loaded."""
    browser.run(
        "document.getElementById('search-dialog').open || "
        "document.getElementById('find').click()"
    )
    browser.wait(INDEX_IS_LOADED)
    browser.run(
        "const input = document.querySelector('#search-dialog input');"
        "input.value = arguments[0]; input.dispatchEvent(new Event('input'))",
        query,
    )
    browser.settle()
    hrefs: list[str] = browser.run(
        "return [...document.querySelectorAll('#search-dialog [role=option]')]"
        ".map((option) => option.href)"
    )
    return hrefs


@pytest.fixture(scope="module")
def searched(driver: Any, base: str) -> Browser:
    """A page with an open search, which many tests share."""
    browser = Browser(driver)
    browser.forget()
    browser.open(base + POD)
    find(browser, "")
    return browser


@pytest.mark.parametrize(
    "query, expected",
    [
        ("containers", ["core/v1/PodSpec/#containers"]),
        ("spec.containers", ["core/v1/PodSpec/#containers"]),
        ("podspec.containers", ["core/v1/PodSpec/#containers"]),
        ("pod", ["core/v1/Pod/", "core/v1/PodTemplate/"]),
        ("po", ["core/v1/Pod/"]),
        ("p", ["core/v1/Pod/"]),
        ("deployment", ["apps/v1/Deployment/"]),
        ("deploymnet", ["apps/v1/Deployment/"]),
        ("apps/v1 deployment", ["apps/v1/Deployment/"]),
        ("deployment replicas", ["apps/v1/DeploymentSpec/#replicas"]),
        ("replicas", ["apps/v1/DeploymentSpec/#replicas"]),
        ("container image", ["core/v1/Container/#image"]),
        ("liveness probe", ["core/v1/Container/#livenessProbe"]),
        ("livenessProbe", ["core/v1/Container/#livenessProbe"]),
        ("livenessprobe", ["core/v1/Container/#livenessProbe"]),
        ("image pull policy", ["core/v1/Container/#imagePullPolicy"]),
        ("hpa", ["autoscaling/v1/HorizontalPodAutoscaler/"]),
        ("pvc", ["core/v1/PersistentVolumeClaim/"]),
        (
            "resourceclaim",
            [
                "resource.k8s.io/v1/ResourceClaim/",
                "resource.k8s.io/v1beta1/ResourceClaim/",
                "resource.k8s.io/v1beta2/ResourceClaim/",
                "core/v1/ResourceClaim/",
            ],
        ),
        ("$ref", ["apiextensions.k8s.io/v1/JSONSchemaProps/#%24ref"]),
        ("xyzzy", []),
        ("<>", []),
    ],
)
def test_the_best_result_comes_first(
    searched: Browser, base: str, query: str, expected: list[str]
) -> None:
    results = find(searched, query)
    assert results[: len(expected) or 1] == [f"{base}1.35/{path}" for path in expected]


def test_descriptions_are_searched(searched: Browser, base: str) -> None:
    """For all words; results by name come before them."""
    results = find(searched, "taint forever evict")
    assert results[0] == f"{base}1.35/core/v1/Toleration/#tolerationSeconds"
    assert find(searched, "grace period")[0].endswith("#gracePeriodSeconds")


def test_removed_types_are_found_last(searched: Browser, base: str) -> None:
    """The result links to the newest release that has the type, and names it."""
    results = find(searched, "podcertificaterequest")
    removed = f"{base}1.34/certificates.k8s.io/v1alpha1/PodCertificateRequest/"
    current = f"{base}1.35/certificates.k8s.io/v1beta1/PodCertificateRequest/"
    assert results[0] == current
    assert removed in results
    is_current = [url.startswith(f"{base}1.35/") for url in results]
    assert is_current == sorted(is_current, reverse=True)
    release = searched.run(
        "return [...document.querySelectorAll('#search-dialog [role=option]')]"
        ".find((option) => option.href === arguments[0])"
        ".querySelector('[data-fill=release]').textContent",
        removed,
    )
    assert release == "1.34"


def test_the_search_can_be_used_by_keyboard(browser: Browser, base: str) -> None:
    """To open it, type, select a result, and close it."""
    from selenium.webdriver.common.keys import Keys

    selected = (
        "return document.getElementById(document.querySelector('#search-dialog input')"
        ".getAttribute('aria-activedescendant'))?.hash"
    )
    is_open = "return document.getElementById('search-dialog').open"
    browser.open(base + DEPLOYMENT)
    browser.press("/")
    assert browser.run(is_open)
    browser.press(Keys.ESCAPE)
    assert not browser.run(is_open)
    browser.press("/")
    browser.wait(INDEX_IS_LOADED)
    browser.press("replicas/")
    assert browser.run("return document.querySelector('#search-dialog input').value")
    browser.press(Keys.BACKSPACE)
    assert browser.run(selected) == "#replicas"
    count = browser.run(
        "return document.querySelector('#search-dialog [role=status]').innerText"
    )
    assert re.search(r"\d+ results", count)
    selected_count = "return [...document.querySelectorAll('#search-dialog [aria-selected=true]')].length"
    for key in (Keys.ARROW_DOWN, Keys.END, Keys.ARROW_DOWN, Keys.ARROW_UP, Keys.HOME):
        browser.press(key)
        assert browser.run(selected_count) == 1
    browser.press(Keys.ENTER)
    browser.wait("document.querySelector('.here')")
    assert browser.run("return location.href") == (
        f"{base}1.35/apps/v1/DeploymentSpec/#replicas"
    )


def test_a_click_outside_closes_the_search(browser: Browser, base: str) -> None:
    from selenium.webdriver.common.action_chains import ActionChains

    browser.open(base + POD)
    click(browser, "#find")
    pointer = ActionChains(browser.driver).w3c_actions
    pointer.pointer_action.move_to_location(5, 5).click()
    pointer.perform()
    assert not browser.run("return document.getElementById('search-dialog').open")


def test_a_result_opens_a_field_in_local_files(browser: Browser, site: Path) -> None:
    browser.open(file_url(site, POD))
    results = find(browser, "containers")
    assert results[0] == file_url(site, "1.35/core/v1/PodSpec/") + "#containers"
    click(browser, "#search-dialog [role=option]")
    browser.wait("document.querySelector('.here')?.id === 'containers'")


def test_the_text_of_an_index_is_not_html(browser: Browser, base: str) -> None:
    browser.open(base + POD)
    find(browser, "")
    browser.run(
        "kubestencilIndex({release: '', types: [[arguments[0], 'a/v1/A/', 1, 1,"
        " arguments[0], '1.34']], fields: [[0, arguments[0], arguments[0],"
        " arguments[0], '1.34']]})",
        HOSTILE,
    )
    browser.settle()
    assert find(browser, "onerror img")
    assert browser.run("return document.querySelector('#search-dialog img')") is None
    assert HOSTILE in browser.run("return document.getElementById('found').textContent")


# ------------------------------------------------------- hostile and unusual documents

HOSTILE = "<img src=x onerror=document.title=1><script>document.title=1</script>"


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
        "render", "it", "--spec", "it.json", "-t", "site", *OUTPUT
    )
    assert done.returncode == 0, done.stderr
    with served(folder / "printed") as address:
        yield f"{address}site/it/example.com/v1/"


@pytest.mark.parametrize("page", ["", "Thing/", "Part/"])
def test_hostile_text_does_not_run(browser: Browser, custom: str, page: str) -> None:
    browser.open(custom + page)
    browser.run("document.getElementById('unfold-all')?.click()")
    find(browser, "onerror")
    assert browser.run("return document.title") != "1"
    assert browser.run("return document.querySelector('[onerror], [src=x]')") is None
    assert not browser.run(
        "return [...document.links].some((link) => link.protocol === 'javascript:')"
    )


def test_inline_objects_expand(browser: Browser, custom: str) -> None:
    """Also inside of a named type."""
    browser.open(f"{custom}Thing/")
    assert visible_fields(browser) == ["spec"]
    click(browser, "#spec .fold")
    assert visible_fields(browser) == ["spec", "spec.inner", "spec.other"]
    for path in ("spec.other.deep.end", f"spec.inner.{HOSTILE}"):
        browser.run("location.hash = encodeURIComponent(arguments[0])", path)
        browser.settle()
        assert path in visible_fields(browser)
        assert browser.run("return document.querySelector('.here').id") == path
    click(browser, "#fold-all")
    assert visible_fields(browser) == ["spec"]


# ---------------------------------------------------------------- third-party scripts


def test_the_search_library_is_unmodified(tmp_path: Path) -> None:
    """It has the bytes of the published version that the licence file names."""
    licence = (ASSETS / "minisearch.LICENSE").read_text("utf-8")
    version = re.search(r"minisearch (\d+\.\d+\.\d+)", licence)
    assert version
    archive = npm_pack(f"minisearch@{version[1]}", tmp_path)
    published = member(archive, "package/dist/umd/index.js")
    copy = (ASSETS / "minisearch.js").read_bytes()
    assert hashlib.sha256(copy).digest() == hashlib.sha256(published).digest()
    assert licence.endswith(member(archive, "package/LICENSE.txt").decode())


def npm_pack(package: str, folder: Path) -> Path:
    """The archive of a published npm package; skips the test without it."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed")
    done = subprocess.run(
        [npm, "pack", package, "--silent", "--pack-destination", str(folder)],
        cwd=folder,
        capture_output=True,
        timeout=60,
    )
    if done.returncode != 0:
        pytest.skip(f"npm cannot download {package}")
    return next(folder.glob("*.tgz"))


def member(archive: Path, name: str) -> bytes:
    with tarfile.open(fileobj=io.BytesIO(archive.read_bytes())) as opened:
        file = opened.extractfile(name)
        assert file is not None
        return file.read()
