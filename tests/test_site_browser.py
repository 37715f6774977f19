"""The docs site in a real browser: Chromium, headless, from a web server and a disk.

With ``KUBESTENCIL_SITE=DIR`` a site that was printed already is opened instead.
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
from tests.conftest import ROOT, command, document

POD = "1.35/core/v1/Pod/"
DEPLOYMENT = "1.35/apps/v1/Deployment/"
RECURSIVE = "1.35/apiextensions.k8s.io/v1/JSONSchemaProps/"
PAGES = (
    *("", "1.35/", "1.35/apps/", "1.35/apps/v1/", POD, f"{POD}all/", RECURSIVE),
    *("1.34/scheduling.k8s.io/v1alpha1/Workload/", "diff/index.html"),
    *("diff/1.34-1.35.html", "diff/history.html", "404.html", "pages/guide/"),
)
TO = ("-o", "printed", "--set", "site.url=http://localhost/site/")
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
DEEP = "spec.containers.livenessProbe.httpGet.port"
ASSETS = ROOT / "templates" / "site" / "assets"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two releases and a page of one's own, below a folder that is not the server's."""
    if "KUBESTENCIL_SITE" in os.environ:
        return Path(os.environ["KUBESTENCIL_SITE"]).resolve()
    folder = tmp_path_factory.mktemp("site")
    (folder / "docs").mkdir()
    (folder / "docs" / "guide.md").write_text(GUIDE)
    own = "--set=site.pages=docs"
    done = command(folder)("render", "1.34", "1.35", "-t", "site", *TO, own)
    assert done.returncode == 0, done.stderr
    return folder / "printed" / "site"


@pytest.fixture(scope="module")
def base(site: Path) -> Iterator[str]:
    """The site under a base path of a web server."""
    with served(site.parent) as address:
        yield f"{address}{site.name}/"


def on_disk(site: Path, page: str) -> str:
    file = site / page
    return (file / "index.html" if file.is_dir() else file).as_uri()


def shown(browser: Browser) -> list[str]:
    """The ids of the fields that are not folded away."""
    ids: list[str] = browser.run(
        "return [...document.querySelectorAll('main ul.tree > li')]"
        ".filter((each) => !each.closest('[hidden]')).map((each) => each.id)"
    )
    return ids


def click(browser: Browser, selector: str) -> None:
    browser.run("document.querySelector(arguments[0]).click()", selector)
    browser.settle()


IS_READ = "document.querySelector('#found[aria-busy=false]')"
FOCUSED = "return document.activeElement.getAttribute('aria-label')"


# ------------------------------------------------------------------ every kind of page


@pytest.mark.parametrize("page", PAGES)
def test_a_page_asks_only_its_own_site(
    browser: Browser, base: str, site: Path, page: str
) -> None:
    """And logs nothing, which the fixture sees to: served, and from a disk, on which
    no page can be missing."""
    places = {base: base + page}
    if page != "404.html":
        places[site.as_uri()] = on_disk(site, page)
    for own, address in places.items():
        browser.requests()
        browser.open(address)
        browser.run("document.getElementById('find')?.click()")
        browser.settle()
        urls = browser.requests()
        assert urls
        assert {url for url in urls if not url.startswith((own, "about:"))} == set()


@pytest.mark.parametrize("page", PAGES)
def test_a_page_fits_a_phone(browser: Browser, base: str, page: str) -> None:
    """With everything unfolded, too."""
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
def test_everyone_can_use_a_page(
    browser: Browser, base: str, axe: str, page: str
) -> None:
    """axe-core finds nothing, in light and in dark."""
    browser.open(base + page)
    browser.run("document.querySelector('ul.tree .fold')?.click()")
    for scheme in ("light", "dark"):
        browser.screen(DESK, scheme)
        assert violations(browser, axe) == {}


def test_everyone_can_use_the_search(browser: Browser, base: str, axe: str) -> None:
    browser.open(base + POD)
    for query in ("", "containers", "xyzzy"):
        find(browser, query)
        assert violations(browser, axe) == {}


def violations(browser: Browser, axe: str) -> dict[str, Any]:
    """The rules of axe-core that are broken, and where."""
    if not browser.run("return 'axe' in window"):
        browser.run(axe)
    found: dict[str, Any] = browser.driver.execute_async_script(
        "const done = arguments[0]; axe.run().then(({violations}) =>"
        "done(Object.fromEntries(violations.map((each) =>"
        "[each.id, each.nodes.map((node) => node.html.slice(0, 200))]))))"
    )
    return found


# ------------------------------------------------------------------------- the tree


def test_a_field_unfolds_and_folds(browser: Browser, base: str) -> None:
    """Under full paths, and the button says what it did."""
    browser.open(base + POD)
    top = shown(browser)
    click(browser, "#spec .fold")
    inner = [each for each in shown(browser) if each not in top]
    assert "spec.containers" in inner
    assert all(each.startswith("spec.") for each in inner)
    button = (
        "const it = document.querySelector('#spec .fold');"
        "return [it.ariaExpanded, it.ariaLabel, it.getAttribute('aria-controls')]"
    )
    expanded, label, controls = browser.run(button)
    assert (expanded, label) == ("true", "Fold spec")
    assert browser.run("return document.getElementById(arguments[0]).tagName", controls)
    hrefs = browser.run(
        "return [...document.querySelectorAll('#spec ul.tree > li')].every((each) => each"
        ".querySelector('a.name').getAttribute('href') === `#${each.id}`)"
    )
    assert hrefs
    click(browser, "#spec .fold")
    assert browser.run(button)[:2] == ["false", "Unfold spec"]
    assert shown(browser) == top


@pytest.mark.parametrize("way", ["load", "disk", "hashchange"])
def test_a_link_to_a_field_leads_there(
    browser: Browser, base: str, site: Path, way: str
) -> None:
    """Unfolded as far as it is deep, marked, in view and focused."""
    if way == "hashchange":
        browser.open(base + POD)
        browser.run("location.hash = arguments[0]", DEEP)
        browser.settle()
    else:
        page = base + POD if way == "load" else on_disk(site, POD)
        browser.open(f"{page}#{DEEP}")
    browser.settle(200)
    assert browser.run(
        "return [...document.querySelectorAll('.here')].map((e) => e.id)"
    ) == [DEEP]
    top, bottom, header = browser.run(
        "const box = document.querySelector('.here .line').getBoundingClientRect();"
        "const header = document.querySelector('header').getBoundingClientRect();"
        "return [box.top, innerHeight - box.bottom, header.bottom]"
    )
    assert top >= max(header, 0) - 1
    assert bottom > 0
    assert browser.run("return document.activeElement.hash") == f"#{DEEP}"


def test_a_link_to_no_field_does_nothing(browser: Browser, base: str) -> None:
    browser.open(base + POD)
    top = shown(browser)
    for bad in ("spec.containers.nothing", "spec.", "%E0%A4%A", "<b>"):
        browser.run("location.hash = arguments[0]", bad)
        browser.settle()
        assert shown(browser) == top
        assert browser.run("return document.querySelector('.here')") is None


def test_all_is_unfolded_and_folded(browser: Browser, base: str) -> None:
    """Every field of a Pod has one id, the deepest included."""
    browser.open(base + POD)
    top = shown(browser)
    click(browser, "#unfold-all")
    everything = shown(browser)
    assert len(everything) > 1000
    assert len(set(everything)) == len(everything)
    assert {*top, DEEP} < set(everything)
    assert not browser.run(
        "return document.querySelector('main [aria-expanded=false]')"
    )
    click(browser, "#fold-all")
    assert shown(browser) == top


def test_no_type_is_unfolded_inside_of_itself(browser: Browser, base: str) -> None:
    """Not the page's own either; by hand it can be."""
    browser.open(base + RECURSIVE)
    click(browser, "#unfold-all")
    assert not [each for each in shown(browser) if each.startswith("not.")]
    browser.run("location.hash = 'not.not.%24ref'")
    browser.settle()
    assert browser.run("return document.querySelector('.here').id") == "not.not.$ref"


def test_the_tree_by_keyboard(browser: Browser, base: str) -> None:
    from selenium.webdriver.common.keys import Keys

    browser.open(base + POD)
    browser.run("document.querySelector('#spec .fold').focus()")
    browser.press(Keys.ENTER)
    assert browser.run(FOCUSED) == "Fold spec"
    browser.press(Keys.SPACE)
    assert browser.run(FOCUSED) == "Unfold spec"
    browser.press(Keys.ARROW_RIGHT)
    assert browser.run(FOCUSED) == "Fold spec"
    browser.press(Keys.ARROW_RIGHT)
    assert browser.run(FOCUSED) == "Unfold affinity"
    browser.press(Keys.ARROW_DOWN)
    assert browser.run(FOCUSED) == "Unfold containers"
    browser.press(Keys.ARROW_UP, Keys.ARROW_UP)
    assert browser.run(FOCUSED) == "Fold spec"
    browser.press(Keys.ARROW_DOWN, Keys.ARROW_LEFT)
    assert browser.run(FOCUSED) == "Fold spec"
    browser.press(Keys.ARROW_LEFT)
    assert browser.run(FOCUSED) == "Unfold spec"


def test_tab_leads_to_all_of_the_top(browser: Browser, base: str) -> None:
    """Skip link first, then search and colours, then the tree."""
    from selenium.webdriver.common.keys import Keys

    browser.open(base + POD)
    seen = []
    for _ in range(80):
        browser.press(Keys.TAB)
        seen.append(
            browser.run(
                "const e = document.activeElement;"
                "return e.id || e.className || e.getAttribute('href')"
            )
        )
        if seen[-1] == "fold":
            break
    assert seen[0] == "skip"
    assert {"find", "scheme", "unfold-all", "fold-all", "fold"} <= set(seen)


@pytest.mark.parametrize("page", [POD, "diff/1.34-1.35.html", "diff/history.html"])
def test_links_open_from_a_disk(browser: Browser, site: Path, page: str) -> None:
    """A disk has no index pages: every link names its file, clones included."""
    browser.open(on_disk(site, page))
    if page == POD:
        click(browser, "#unfold-all")
        assert len(shown(browser)) > 1000
    assert browser.run("return document.links.length") > 50
    folders = browser.run(
        "return [...document.links].filter((each) => each.protocol === 'file:'"
        " && each.pathname.endsWith('/')).map((each) => each.href)"
    )
    assert folders == []


@pytest.mark.parametrize("where", ["served", "disk"])
def test_a_report_leads_to_a_field(
    browser: Browser, base: str, site: Path, where: str
) -> None:
    report = "diff/1.34-1.35.html"
    browser.open(base + report if where == "served" else on_disk(site, report))
    click(
        browser,
        "a.field[href$='NodeStatus/#declaredFeatures'],"
        "a.field[href$='NodeStatus/index.html#declaredFeatures']",
    )
    browser.settle(200)
    assert (
        browser.run("return document.querySelector('.here').id") == "declaredFeatures"
    )


# --------------------------------------------------------- copying, languages, colours


def test_an_example_is_copied(browser: Browser, base: str) -> None:
    """To the clipboard, and said on the button and to a screen reader."""
    browser.driver.execute_cdp_cmd(
        "Browser.grantPermissions",
        {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]},
    )
    browser.open(base + POD)
    text = browser.run("return document.querySelector('.example code').textContent")
    click(browser, ".example .copy")
    assert browser.wait("document.getElementById('said').textContent") == "Copied."
    assert browser.run("return document.querySelector('.copy').textContent") == "Copied"
    read = (
        "navigator.clipboard.readText().then(arguments[0], (e) => arguments[0](`${e}`))"
    )
    assert browser.driver.execute_async_script(read) == text


def test_an_example_is_copied_without_a_clipboard(browser: Browser, base: str) -> None:
    """Browsers give one to secure pages only."""
    browser.open(base + POD)
    browser.run(
        "Object.defineProperty(navigator, 'clipboard', {value: undefined});"
        "document.addEventListener('copy', () => window.copied = `${getSelection()}`)"
    )
    browser.driver.find_element("css selector", ".example .copy").click()
    text = browser.run("return document.querySelector('.example code').textContent")
    assert browser.run("return window.copied").strip() == text.strip()


def test_the_language_is_remembered(browser: Browser, base: str) -> None:
    """For all groups of a page, and on the next page."""
    chosen = (
        "return [...new Set([...document.querySelectorAll("
        "'input[name^=language]:checked')].map((each) => each.value))]"
    )
    browser.open(base + POD)
    assert browser.run(chosen) == ["yaml"]
    click(browser, "input[name^=language][value=python]")
    assert browser.run(chosen) == ["python"]
    browser.open(base + DEPLOYMENT)
    assert browser.run(chosen) == ["python"]


def test_light_and_dark_can_be_chosen(browser: Browser, base: str) -> None:
    """The button goes round, says what is chosen, and the next page has it, too."""
    state = (
        "return [document.documentElement.dataset.scheme ?? 'system',"
        "document.getElementById('scheme').ariaLabel]"
    )
    back = "return getComputedStyle(document.documentElement).colorScheme"
    browser.open(base + POD)
    for scheme in ("light", "dark"):
        click(browser, "#scheme")
        assert browser.run(state) == [scheme, f"Colours: {scheme}"]
        browser.open(base + DEPLOYMENT)
        assert browser.run(state) == [scheme, f"Colours: {scheme}"]
        assert browser.run(back) == scheme
    click(browser, "#scheme")
    assert browser.run(state) == ["system", "Colours: system"]


def test_a_theme_is_that_of_the_reports_too(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "ours.css").write_text(":root { --link: #070; --font: monospace }")
    done = command(tmp_path)(
        *("render", "1.34", "1.35", "-t", "site", "-o", "out"),
        "--set=site.theme=ours.css",
    )
    assert done.returncode == 0, done.stderr
    for page, link in ((POD, ".crumbs a"), ("diff/index.html", "main th a")):
        browser.open(on_disk(tmp_path / "out" / "site", page))
        assert browser.run(
            "const link = getComputedStyle(document.querySelector(arguments[0]));"
            "return [link.color, getComputedStyle(document.body).fontFamily]",
            link,
        ) == ["rgb(0, 119, 0)", "monospace"]


def test_a_page_works_where_nothing_is_stored(browser: Browser, base: str) -> None:
    """A browser may refuse: then there is nothing to remember, and no error."""
    refuse = browser.driver.execute_cdp_cmd(
        "Page.addScriptToEvaluateOnNewDocument",
        {
            "source": "Object.defineProperty(window, 'localStorage',"
            "{get() { throw new Error('refused') }})"
        },
    )
    try:
        browser.open(base + POD)
        click(browser, "#scheme")
        click(browser, "input[name^=language][value=python]")
        assert browser.run("return document.documentElement.dataset.scheme") == "light"
    finally:
        browser.driver.execute_cdp_cmd(
            "Page.removeScriptToEvaluateOnNewDocument", refuse
        )


def test_another_release_has_the_same_field(browser: Browser, base: str) -> None:
    browser.open(f"{base}{POD}#{DEEP}")
    browser.run("location.hash = 'spec.volumes'")
    browser.settle()
    browser.run(
        "[...document.querySelectorAll('a[data-switch]')]"
        ".find((each) => each.pathname.includes('/1.34/')).click()"
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
    """The addresses that the search offers, the whole index being read."""
    browser.run(
        "document.getElementById('search').open || "
        "document.getElementById('find').click()"
    )
    browser.wait(IS_READ)
    browser.run(
        "const box = document.querySelector('#search input'); box.value = arguments[0];"
        "box.dispatchEvent(new Event('input'))",
        query,
    )
    browser.settle()
    hrefs: list[str] = browser.run(
        "return [...document.querySelectorAll('#search [role=option]')]"
        ".map((each) => each.href)"
    )
    return hrefs


@pytest.fixture(scope="module")
def searched(driver: Any, base: str) -> Browser:
    """A page whose search is open, for all that is looked up in it."""
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
def test_what_is_meant_comes_first(
    searched: Browser, base: str, query: str, expected: list[str]
) -> None:
    found = find(searched, query)
    assert found[: len(expected) or 1] == [f"{base}1.35/{each}" for each in expected]


def test_descriptions_are_searched(searched: Browser, base: str) -> None:
    """By all words, behind what names have."""
    found = find(searched, "taint forever evict")
    assert found[0] == f"{base}1.35/core/v1/Toleration/#tolerationSeconds"
    assert find(searched, "grace period")[0].endswith("#gracePeriodSeconds")


def test_what_is_gone_is_found_behind(searched: Browser, base: str) -> None:
    """What the release lacks leads to the newest one that has it, and says so."""
    found = find(searched, "podcertificaterequest")
    gone = f"{base}1.34/certificates.k8s.io/v1alpha1/PodCertificateRequest/"
    assert found[0] == f"{base}1.35/certificates.k8s.io/v1beta1/PodCertificateRequest/"
    assert gone in found
    own = [each.startswith(f"{base}1.35/") for each in found]
    assert own == sorted(own, reverse=True)
    release = searched.run(
        "return [...document.querySelectorAll('#search [role=option]')]"
        ".find((each) => each.href === arguments[0])"
        ".querySelector('[data-fill=release]').textContent",
        gone,
    )
    assert release == "1.34"


def test_the_search_by_keyboard(browser: Browser, base: str) -> None:
    """Opened by a slash, typed into, chosen from, and left."""
    from selenium.webdriver.common.keys import Keys

    chosen = (
        "return document.getElementById(document.querySelector('#search input')"
        ".getAttribute('aria-activedescendant'))?.hash"
    )
    is_open = "return document.getElementById('search').open"
    browser.open(base + DEPLOYMENT)
    browser.press("/")
    assert browser.run(is_open)
    browser.press(Keys.ESCAPE)
    assert not browser.run(is_open)
    browser.press("/")
    browser.wait(IS_READ)
    browser.press("replicas/")
    assert browser.run("return document.querySelector('#search input').value")
    browser.press(Keys.BACKSPACE)
    assert browser.run(chosen) == "#replicas"
    count = browser.run(
        "return document.querySelector('#search [role=status]').innerText"
    )
    assert re.search(r"\d+ results", count)
    options = (
        "return [...document.querySelectorAll('#search [aria-selected=true]')].length"
    )
    for key in (Keys.ARROW_DOWN, Keys.END, Keys.ARROW_DOWN, Keys.ARROW_UP, Keys.HOME):
        browser.press(key)
        assert browser.run(options) == 1
    browser.press(Keys.ENTER)
    browser.wait("document.querySelector('.here')")
    assert browser.run("return location.href") == (
        f"{base}1.35/apps/v1/DeploymentSpec/#replicas"
    )


def test_the_search_is_left_by_a_click_outside(browser: Browser, base: str) -> None:
    from selenium.webdriver.common.action_chains import ActionChains

    browser.open(base + POD)
    click(browser, "#find")
    pointer = ActionChains(browser.driver).w3c_actions
    pointer.pointer_action.move_to_location(5, 5).click()
    pointer.perform()
    assert not browser.run("return document.getElementById('search').open")


def test_a_found_field_opens_from_a_disk(browser: Browser, site: Path) -> None:
    browser.open(on_disk(site, POD))
    found = find(browser, "containers")
    assert found[0] == on_disk(site, "1.35/core/v1/PodSpec/") + "#containers"
    click(browser, "#search [role=option]")
    browser.wait("document.querySelector('.here')?.id === 'containers'")


def test_hostile_text_of_an_index_stays_text(browser: Browser, base: str) -> None:
    """What an index brings is never read as HTML."""
    browser.open(base + POD)
    find(browser, "")
    browser.run(
        "kubestencilIndex({release: '', types: [[arguments[0], 'a/v1/A/', 1, 1,"
        " arguments[0], '1.34']], fields: [[0, arguments[0], arguments[0],"
        " arguments[0], '1.34']]})",
        EVIL,
    )
    browser.settle()
    assert find(browser, "onerror img")
    assert browser.run("return document.querySelector('#search img')") is None
    assert EVIL in browser.run("return document.getElementById('found').textContent")


# ------------------------------------------------------------------- what specs can say

EVIL = "<img src=x onerror=document.title=1><script>document.title=1</script>"


@pytest.fixture(scope="module")
def made_up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A site of a spec like a cluster's: objects without names, and hostile texts."""
    leaf = {"type": "string", "description": EVIL, "default": EVIL, "enum": [EVIL]}
    part = {"properties": {"deep": {"type": "object", "properties": {"end": leaf}}}}
    inner = {"type": "object", "properties": {"leaf": leaf, EVIL: leaf}}
    spec = {
        "type": "object",
        "properties": {
            "inner": inner,
            "other": {"$ref": "#/definitions/com.example.v1.Part"},
        },
    }
    kind = {
        "description": f"{EVIL} [here](javascript:document.title=1)",
        "properties": {"spec": spec},
        "x-kubernetes-group-version-kind": [
            {"group": "example.com", "version": "v1", "kind": "Thing"}
        ],
    }
    definitions = {"com.example.v1.Thing": kind, "com.example.v1.Part": part}
    folder = tmp_path_factory.mktemp("made-up")
    (folder / "it.json").write_text(json.dumps(document(definitions)))
    done = command(folder)("render", "it", "--spec", "it.json", "-t", "site", *TO)
    assert done.returncode == 0, done.stderr
    with served(folder / "printed") as address:
        yield f"{address}site/it/example.com/v1/"


@pytest.mark.parametrize("page", ["", "Thing/", "Part/"])
def test_hostile_text_does_not_run(browser: Browser, made_up: str, page: str) -> None:
    browser.open(made_up + page)
    browser.run("document.getElementById('unfold-all')?.click()")
    find(browser, "onerror")
    assert browser.run("return document.title") != "1"
    assert browser.run("return document.querySelector('[onerror], [src=x]')") is None
    assert not browser.run(
        "return [...document.links].some((each) => each.protocol === 'javascript:')"
    )


def test_objects_without_a_name_unfold(browser: Browser, made_up: str) -> None:
    """As those with one do, also inside of one."""
    browser.open(f"{made_up}Thing/")
    assert shown(browser) == ["spec"]
    click(browser, "#spec .fold")
    assert shown(browser) == ["spec", "spec.inner", "spec.other"]
    for path in ("spec.other.deep.end", f"spec.inner.{EVIL}"):
        browser.run("location.hash = encodeURIComponent(arguments[0])", path)
        browser.settle()
        assert path in shown(browser)
        assert browser.run("return document.querySelector('.here').id") == path
    click(browser, "#fold-all")
    assert shown(browser) == ["spec"]


# ----------------------------------------------------------------------- what is theirs


def test_the_search_library_is_what_its_authors_publish(tmp_path: Path) -> None:
    """Byte for byte, with its licence, in the version that stands beside it."""
    note = (ASSETS / "minisearch.LICENSE").read_text("utf-8")
    version = re.search(r"minisearch (\d+\.\d+\.\d+)", note)
    assert version
    archive = npm_pack(f"minisearch@{version[1]}", tmp_path)
    theirs = member(archive, "package/dist/umd/index.js")
    ours = (ASSETS / "minisearch.js").read_bytes()
    assert hashlib.sha256(ours).digest() == hashlib.sha256(theirs).digest()
    assert note.endswith(member(archive, "package/LICENSE.txt").decode())


def npm_pack(package: str, folder: Path) -> Path:
    """The archive of a published npm package; skips where it cannot be had."""
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
        pytest.skip(f"npm could not get {package}")
    return next(folder.glob("*.tgz"))


def member(archive: Path, name: str) -> bytes:
    with tarfile.open(fileobj=io.BytesIO(archive.read_bytes())) as opened:
        file = opened.extractfile(name)
        assert file is not None
        return file.read()
