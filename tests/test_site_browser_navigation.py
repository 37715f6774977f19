"""Finding one's way on the docs site in headless Chromium: groups and kinds, the path on
the screen, the filter of fields, releases, comparing, and pages without scripts.

Lighthouse is not run in CI. With npm and Chromium, in an empty folder, where ``serve`` shows
the site (``kubestencil serve 1.34 1.35``)::

    npm install lighthouse
    CHROME_PATH=$(command -v chromium) npx lighthouse \
        http://localhost:8000/1.35/core/v1/Pod/ --chrome-flags="--headless --no-sandbox" \
        --only-categories=performance,accessibility,seo --output=json --output-path=pod.json
"""

from __future__ import annotations

import base64
import re
from pathlib import Path
from typing import Any

import pytest

from tests.browser import (
    DEPLOYMENT,
    DESK,
    NESTED_FIELD,
    PHONE,
    POD,
    Browser,
    click,
    file_url,
    visible_fields,
)

CURRENT_LINKS = (
    "return [...document.querySelectorAll('#browse [aria-current=page]')]"
    ".map((link) => link.textContent)"
)
TREE = "document.querySelector('.groups-tree')"
FOUND_FIELDS = (
    "return [...document.querySelectorAll('main .match')].filter((item) => "
    "item.checkVisibility()).map((item) => item.id)"
)


@pytest.mark.parametrize("is_local", [False, True])
def test_the_tree_marks_the_page_and_leads_to_others(
    browser: Browser, base_url: str, site_folder: Path, is_local: bool
) -> None:
    browser.screen(DESK)
    browser.open(file_url(site_folder, POD) if is_local else base_url + POD)
    browser.wait(TREE)
    assert browser.run(CURRENT_LINKS) == ["Pod"]
    click(browser, "#browse [aria-current=page]")
    browser.run(
        "[...document.querySelectorAll('#browse summary')]"
        ".find((summary) => summary.textContent === 'apps').click()"
    )
    browser.settle()
    browser.run(
        "[...document.querySelectorAll('#browse a')]"
        ".find((link) => link.textContent === 'Deployment').click()"
    )
    browser.wait("document.title.startsWith('Deployment, apps/v1')")
    browser.wait(TREE)
    assert browser.run(CURRENT_LINKS) == ["Deployment"]


def test_a_supporting_type_is_in_the_tree_of_its_version(
    browser: Browser, base_url: str
) -> None:
    browser.screen(DESK)
    browser.open(f"{base_url}1.35/resource.k8s.io/v1beta1/DeviceClaim/")
    browser.wait(TREE)
    assert browser.run(CURRENT_LINKS) == ["DeviceClaim"]
    assert browser.run(
        "return document.querySelector('#browse [aria-current]').checkVisibility()"
    )


def test_the_tree_is_loaded_when_it_is_shown(browser: Browser, base_url: str) -> None:
    """On a phone it is behind a button; the keyboard opens, walks and closes it."""
    browser.screen(PHONE)
    browser.open(base_url + POD)
    browser.requests()
    assert not browser.run("return document.getElementById('browse').checkVisibility()")
    browser.run("document.getElementById('browse-button').focus()")
    browser.press("\ue007")
    browser.wait(TREE)
    assert any(url.endswith("/1.35/navigation.js") for url in browser.requests())
    assert browser.run("return document.activeElement.id") == "browse"
    width = "const tree = document.getElementById('browse'); return tree.{}Width"
    assert browser.run(width.format("scroll")) == browser.run(width.format("client"))
    # Behind the user's page and "All groups".
    browser.press("\ue004", "\ue004", "\ue004")
    first = "return document.activeElement.textContent"
    assert browser.run(first) == "core"
    browser.press("\ue007", "\ue004")
    assert browser.run(first) == "apps"
    browser.press("\ue007", "\ue004", "\ue004")
    assert browser.run(first) == "ControllerRevision"
    browser.press("\ue00c")
    assert not browser.run("return document.getElementById('browse').checkVisibility()")
    assert browser.run("return document.activeElement.id") == "browse-button"


def test_the_path_of_a_field_is_copied(browser: Browser, base_url: str) -> None:
    browser.driver.execute_cdp_cmd(
        "Browser.grantPermissions",
        {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]},
    )
    field = "spec.containers.livenessProbe.httpGet"
    browser.open(f"{base_url}{POD}#{field}")
    browser.wait("document.querySelector('.here .acts')")
    read = "navigator.clipboard.readText().then(arguments[0], (error) => arguments[0](`${error}`))"
    for number, text in enumerate((field, f"{base_url}{POD}#{field}"), 1):
        click(browser, f".here > .acts button:nth-child({number})")
        browser.wait("document.getElementById('said').textContent === 'Copied.'")
        assert browser.driver.execute_async_script(read) == text


def test_the_fields_that_one_is_in_stay_on_the_screen(
    browser: Browser, base_url: str
) -> None:
    browser.screen(DESK)
    browser.open(f"{base_url}{POD}#spec.containers.livenessProbe.timeoutSeconds")
    browser.wait("document.querySelector('.here')")
    browser.settle(300)
    tops = browser.run(
        "return ['spec', 'spec.containers', 'spec.containers.livenessProbe'].map((id) =>"
        "document.getElementById(id).firstElementChild.getBoundingClientRect().top)"
    )
    assert tops == sorted(tops)
    assert 0 < tops[0] < tops[-1] < 300


@pytest.mark.parametrize(
    ("size", "most"), [((390, 844), 200), ((1024, 900), 240), (DESK, 240)]
)
def test_fields_come_first_and_stay_where_they_are(
    browser: Browser, base_url: str, size: tuple[int, int], most: int
) -> None:
    """Also where the address names one, which is opened before anything is shown."""
    browser.screen(size)
    shifts = (
        "return new Promise((done) => new PerformanceObserver((list) => done(list"
        ".getEntries().reduce((sum, {value}) => sum + value, 0)))"
        ".observe({type: 'layout-shift', buffered: true}) || setTimeout(done, 500, 0))"
    )
    for address in (POD, f"{POD}#{NESTED_FIELD}"):
        browser.open(base_url + address)
        browser.settle(500)
        top = browser.run(
            "return scrollY + document.getElementById('spec').getBoundingClientRect().top"
        )
        assert top <= most
        assert browser.run(shifts) <= 0.1


def type_filter(browser: Browser, query: str) -> None:
    browser.run(
        "const input = document.getElementById('field-filter'); input.focus();"
        "input.value = arguments[0]; input.dispatchEvent(new Event('input'))",
        query,
    )
    browser.settle(250)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("hostNetwork", {"spec.hostNetwork"}),
        ("pod.spec.containers", {"spec.containers"}),
        (
            "livenessProbe.httpGet.port",
            {
                f"spec.{name}.livenessProbe.httpGet.port"
                for name in ("containers", "initContainers", "ephemeralContainers")
            },
        ),
        ("xyzzy", set()),
    ],
)
def test_the_filter_shows_what_matches_with_its_ancestors(
    browser: Browser, base_url: str, query: str, expected: set[str]
) -> None:
    browser.open(base_url + POD)
    before = visible_fields(browser)
    browser.press("f")
    browser.wait("document.activeElement.id === 'field-filter'")
    type_filter(browser, query)
    browser.wait("document.getElementById('field-count').textContent")
    assert set(browser.run(FOUND_FIELDS)) == expected
    ancestors = {
        ".".join(path.split(".")[:count])
        for path in expected
        for count in range(1, path.count(".") + 1)
    }
    shown = browser.run(
        "return [...document.querySelectorAll('main ul.tree li[id]')]"
        ".filter((item) => item.checkVisibility()).map((item) => item.id)"
    )
    assert set(shown) == expected | ancestors
    count = browser.run("return document.getElementById('field-count').textContent")
    assert count == f"{len(expected)} field{'s' * (len(expected) != 1)}"
    browser.press("\ue00c")
    assert visible_fields(browser) == before
    assert browser.run("return document.getElementById('field-filter').value") == ""


def test_the_first_match_of_the_filter_gets_the_focus(
    browser: Browser, base_url: str
) -> None:
    browser.open(base_url + POD)
    type_filter(browser, "terminationGracePeriodSeconds")
    browser.wait("document.getElementById('field-count').textContent")
    browser.press("\ue007")
    focused = "document.activeElement.closest('li')?.id"
    assert browser.wait(focused) == "spec.terminationGracePeriodSeconds"


def test_the_filter_of_a_recursive_type_ends(browser: Browser, base_url: str) -> None:
    browser.open(f"{base_url}1.35/apiextensions.k8s.io/v1/JSONSchemaProps/")
    type_filter(browser, "pattern")
    browser.wait("document.getElementById('field-count').textContent")
    found = browser.run(FOUND_FIELDS)
    assert "pattern" in found
    assert len(found) < 300


def test_a_page_says_since_when_it_has_the_field(
    browser: Browser, base_url: str
) -> None:
    """A switch of the release cannot always keep the field."""
    browser.open(f"{base_url}1.35/core/v1/Pod/#spec.workloadRef.name")
    browser.settle(200)
    assert browser.run("return document.getElementById('missing-field').hidden")
    browser.run("document.querySelector('.switch [href*=\"/1.34/\"]').click()")
    browser.wait("document.documentElement.dataset.release === '1.34'")
    text = "document.getElementById('missing-field')?.textContent"
    assert browser.wait(text) == "spec.workloadRef was added in 1.35. This is 1.34."
    browser.run("document.querySelector('.banner a').click()")
    browser.wait("document.documentElement.dataset.release === '1.35'")
    assert browser.run("return location.hash") == "#spec.workloadRef.name"


@pytest.mark.parametrize("is_local", [False, True])
def test_latest_addresses_keep_the_field(
    browser: Browser, base_url: str, site_folder: Path, is_local: bool
) -> None:
    page = "latest/core/v1/Pod/"
    url = file_url(site_folder, page) if is_local else base_url + page
    browser.open(f"{url}#spec.containers")
    browser.wait("document.documentElement.dataset.release === '1.35'")
    assert browser.run("return location.hash") == "#spec.containers"


@pytest.mark.parametrize("is_local", [False, True])
def test_two_releases_are_compared(
    browser: Browser, base_url: str, site_folder: Path, is_local: bool
) -> None:
    page = file_url(site_folder, "compare/") if is_local else f"{base_url}compare/"
    browser.open(page)
    browser.wait("document.querySelector('.compared')")
    text = browser.run("return document.getElementById('compare-results').textContent")
    assert "Workload" in text
    assert "workloadRef" in text
    browser.open(f"{page}#1.34..1.35/PodSpec")
    browser.wait("document.querySelector('.compared')")
    assert (
        browser.run("return document.getElementById('compare-filter').value")
        == "PodSpec"
    )
    assert browser.run(
        "return [...document.querySelectorAll('.compared a')].map((link) => link.textContent)"
    ) == ["PodSpec"]
    summary = browser.run(
        "return document.getElementById('compare-summary').textContent"
    )
    assert re.fullmatch(
        r"1\.34 to 1\.35, types: 0 added, 0 removed, 1 changed \(\d+ changes\)\.",
        summary,
    )
    browser.run(
        "const from = document.getElementById('compare-from'); from.value = '1.35';"
        "from.dispatchEvent(new Event('input'))"
    )
    assert not browser.run("return document.querySelector('.compared')")


@pytest.mark.parametrize("is_local", [False, True])
def test_comparing_a_kind_shows_what_its_page_does(
    browser: Browser, base_url: str, site_folder: Path, is_local: bool
) -> None:
    """All changes inside of the kind by their path, and nothing of other kinds."""

    def url(page: str) -> str:
        return file_url(site_folder, page) if is_local else f"{base_url}{page}"

    browser.open(url("1.35/core/v1/Pod/"))
    changes = (
        "return [...document.querySelectorAll('%s')]"
        ".map((item) => item.querySelector('a, code').textContent).sort()"
    )
    shown = browser.run(changes % '[data-changes="1.35"] li')
    assert "spec.workloadRef" in shown
    click(browser, ".bar:has(#history) a")
    browser.wait("document.querySelector('.compared')")
    assert browser.run(changes % ".compared .changes li") == shown
    browser.open(f"{url('compare/')}#1.34..1.35/pod")
    browser.wait("document.querySelector('.compared')")
    assert browser.run(changes % ".compared .changes li") == shown
    browser.open(f"{url('compare/')}#1.34..1.35/Pod.spec.workloadRef")
    browser.wait("document.querySelector('.compared')")
    assert browser.run(changes % ".compared .changes li") == ["spec.workloadRef"]


def test_comparing_names_api_versions(browser: Browser, base_url: str) -> None:
    browser.open(f"{base_url}compare/#1.34..1.35/scheduling")
    browser.wait("document.querySelector('.compared')")
    section = browser.run("return document.querySelector('.compared').textContent")
    assert section == "API versionsscheduling.k8s.io/v1alpha1 added"


# ------------------------------------------------- without scripts, in print, Ctrl-F


def test_a_page_without_scripts_has_all_fields(browser: Browser, base_url: str) -> None:
    browser.driver.execute_cdp_cmd(
        "Emulation.setScriptExecutionDisabled", {"value": True}
    )
    try:
        browser.driver.get(base_url + POD)
        text = browser.driver.find_element("tag name", "main").text
        for name in ("terminationGracePeriodSeconds", "httpHeaders", "topologyKey"):
            assert name in text
        links = browser.driver.find_element("id", "browse").text
        assert "ConfigMap" in links
        assert "Filter" not in text
    finally:
        browser.driver.execute_cdp_cmd(
            "Emulation.setScriptExecutionDisabled", {"value": False}
        )


def test_a_page_is_printed_without_what_is_folded(
    browser: Browser, base_url: str
) -> None:
    browser.open(base_url + DEPLOYMENT)
    pdf: dict[str, Any] = browser.driver.execute_cdp_cmd("Page.printToPDF", {})
    assert len(re.findall(rb"/Type\s*/Page\b", base64.b64decode(pdf["data"]))) < 10


def test_the_search_of_the_browser_expands_what_it_finds(
    browser: Browser, base_url: str
) -> None:
    """Ctrl-F adds the fields that are not expanded; the browser announces a match."""
    browser.open(base_url + POD)
    field = "spec.containers.livenessProbe.httpGet.httpHeaders"
    assert not browser.run("return document.getElementById(arguments[0])", field)
    browser.run(
        "dispatchEvent(new KeyboardEvent('keydown', {key: 'f', ctrlKey: true}))"
    )
    hidden = (
        "let list = document.getElementById(arguments[0]).parentElement; const states = [];"
        "for (; list.matches('.tree .tree'); list = list.parentElement.closest('ul.tree'))"
        "states.push(list.getAttribute('hidden')); return states"
    )
    assert browser.run(hidden, field) == [*["until-found"] * 3, None]
    browser.run(
        "let list = document.getElementById(arguments[0]).parentElement;"
        "for (; list.hidden; list = list.parentElement.closest('ul.tree'))"
        "list.dispatchEvent(new Event('beforematch', {bubbles: true}))",
        field,
    )
    assert browser.run(hidden, field) == [None] * 4
    assert field in visible_fields(browser)
