"""The docs site for everybody: what axe-core finds, and what can be done without a mouse."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser import DESK, PAGES_OF_EACH_RUN, PHONE, POD, Browser, find, served
from tests.conftest import make_command, rest_nightly
from tests.test_crd_site import crd

CUSTOM_PAGES = (
    *("", "crds/", "crds/example.com/", "crds/example.com/v1/"),
    "crds/example.com/v1/Widget/",
    *("crds/example.com/v1/Widget/all/", "crds/example.com/v1/Widget/operations/"),
)
# Pages of kinds have hundreds of fields, each with links.
MAX_STOPS = 40
SCREENS = ((DESK, "light"), (DESK, "dark"), (PHONE, "dark"), (PHONE, "light"))
# The element that has the focus: its description, whether its outline is visible, and
# what is on the screen in its place; null for the page itself. Radio buttons are shown by
# their labels.
FOCUS = """
const focused = document.activeElement;
if (!focused || focused === document.body) return null;
const shown = focused.matches(".tabs > input") ? focused.nextElementSibling : focused;
const { outlineStyle, outlineWidth } = getComputedStyle(shown);
// A link that is broken has several boxes.
const isOnTop = [...shown.getClientRects()].some((box) => {
  const x = box.left + Math.min(box.width / 2, 8);
  const top = document.elementFromPoint(x, box.top + box.height / 2);
  return top && (shown.contains(top) || top.contains(shown) && !top.matches(".top"));
});
window.focusOrder ??= new Map();
if (!window.focusOrder.has(focused)) window.focusOrder.set(focused, window.focusOrder.size);
return {
  number: window.focusOrder.get(focused),
  name: `${focused.localName}#${focused.id} ${focused.textContent.slice(0, 30)}`,
  isVisible: outlineStyle !== "none" && parseFloat(outlineWidth) >= 2 && isOnTop,
};
"""


# ------------------------------------------------------------------------------ axe-core


@pytest.fixture(scope="module")
def axe(request: pytest.FixtureRequest) -> str:
    """The script of axe-core, kept in pytest's cache."""
    assert request.config.cache is not None
    folder = request.config.cache.mkdir("axe-core")
    if not [*folder.glob("*.tgz")]:
        npm_pack("axe-core", folder)
    return member(next(folder.glob("*.tgz")), "package/axe.min.js").decode()


@pytest.fixture(scope="module")
def custom_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a site of a custom resource."""
    folder = tmp_path_factory.mktemp("custom")
    (folder / "crds.yaml").write_text(json.dumps(crd()))
    arguments = ("render", "--crds", "crds.yaml", "-t", "site", "-o", "out")
    done = make_command(folder)(*arguments)
    assert done.returncode == 0, done.stderr
    with served(folder / "out" / "site") as address:
        yield address


@pytest.mark.parametrize("page", PAGES_OF_EACH_RUN)
def test_a_page_is_accessible(
    browser: Browser, base_url: str, axe: str, page: str
) -> None:
    check_with_axe(browser, base_url + page, axe)


@pytest.mark.nightly
@pytest.mark.parametrize("page", CUSTOM_PAGES)
def test_a_page_of_a_custom_resource_is_accessible(
    browser: Browser, custom_url: str, axe: str, page: str
) -> None:
    check_with_axe(browser, custom_url + page, axe)


def check_with_axe(browser: Browser, url: str, axe: str) -> None:
    """Check that axe-core finds no violation, in the light and the dark colour scheme,
    on a desk and on a phone."""
    browser.open(url)
    browser.run(
        "document.querySelector('ul.tree .fold')?.click();"
        # What is not laid out yet overlaps what follows, for axe-core.
        "for (const section of document.querySelectorAll('.api-group'))"
        "section.style.contentVisibility = 'visible'"
    )
    for size, scheme in SCREENS:
        browser.screen(size, scheme)
        browser.settle()
        assert violations(browser, axe) == {}, (size, scheme)


def test_the_search_is_accessible(browser: Browser, base_url: str, axe: str) -> None:
    browser.open(base_url + POD)
    for query in ("", "containers", "xyzzy"):
        find(browser, query)
        assert violations(browser, axe) == {}


def violations(browser: Browser, axe: str) -> dict[str, Any]:
    """The rules of axe-core that the page violates, each with the elements."""
    if not browser.run("return 'axe' in window"):
        browser.run(axe)
    elements: dict[str, Any] = browser.driver.execute_async_script(
        "const done = arguments[0];"
        "axe.run({rules: {'target-size': {enabled: true}}}).then(({violations}) =>"
        "done(Object.fromEntries(violations.map((rule) =>"
        "[rule.id, rule.nodes.map((node) => node.html.slice(0, 200))]))))"
    )
    return elements


# ------------------------------------------------------------------------------ keyboard


@pytest.mark.parametrize(
    ("page", "size"),
    rest_nightly(
        [
            ("compare/", PHONE),
            (POD, DESK),
            ("", DESK),
            ("1.35/core/v1/ConfigMap/", PHONE),
            ("1.35/meta/v1/LabelSelector/", DESK),
            ("diff/1.34-1.35.html", DESK),
        ],
        2,
    ),
)
def test_tab_leads_through_a_page(
    browser: Browser, base_url: str, page: str, size: tuple[int, int]
) -> None:
    """Forward and back: what has the focus is visible, and nothing keeps it."""
    browser.screen(size)
    browser.open(base_url + page)
    forward = walk(browser)
    assert len(forward) > 10
    assert forward == [*range(len(forward))]
    has_left = len(forward) < MAX_STOPS
    stops = forward[::-1] if has_left else forward[-2::-1]
    back = walk(browser, len(stops), is_back=True)
    assert [number for number in back if number in forward][: len(stops)] == stops


def walk(browser: Browser, limit: int = MAX_STOPS, is_back: bool = False) -> list[int]:
    """Press Tab until the focus leaves the page, at most ``limit`` times. Returns the
    numbers of the elements that got it, in the order of their first focus."""
    numbers = []
    for _ in range(limit):
        press_tab(browser, is_back)
        focus = browser.run(FOCUS)
        if focus is None:
            break
        assert focus["isVisible"], focus["name"]
        numbers.append(focus["number"])
    return numbers


def press_tab(browser: Browser, is_back: bool) -> None:
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys

    actions = ActionChains(browser.driver)
    if is_back:
        actions.key_down(Keys.SHIFT).send_keys(Keys.TAB).key_up(Keys.SHIFT)
    else:
        actions.send_keys(Keys.TAB)
    actions.perform()
    browser.settle()


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
