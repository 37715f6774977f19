"""The tree of fields in headless Chromium: expanding, links to fields, and the keyboard."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser import (
    NESTED_FIELD,
    POD,
    Browser,
    click,
    file_url,
    visible_fields,
)

FOCUSED_LABEL = (
    "const { ariaLabel, ariaExpanded } = document.activeElement;"
    "return `${ariaLabel}: ${ariaExpanded}`"
)


def test_a_field_expands_and_collapses(browser: Browser, base_url: str) -> None:
    """Nested fields have full paths; the button has the state and a label."""
    browser.open(base_url + POD)
    click(browser, "#spec .fold")
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
    assert (expanded, label) == ("true", "Fields of spec")
    assert browser.run("return document.getElementById(arguments[0]).tagName", controls)
    hrefs = browser.run(
        "return [...document.querySelectorAll('#spec ul.tree > li')].every((item) => item"
        ".querySelector('a').getAttribute('href') === `#${item.id}`)"
    )
    assert hrefs
    click(browser, "#spec .fold")
    assert browser.run(button)[:2] == ["false", "Fields of spec"]
    assert visible_fields(browser) == collapsed


def test_the_columns_of_rows_are_at_the_same_places(
    browser: Browser, base_url: str
) -> None:
    """Also in the row below one whose values at the right take two lines."""
    browser.open(f"{base_url}{POD}#spec.containers")
    browser.settle(200)
    columns = browser.run(
        "return [...document.querySelectorAll('#spec p:first-child > span, #spec .s')]"
        ".filter((element) => element.checkVisibility())"
        ".map((element) => Math.round(element.getBoundingClientRect().right))"
    )
    assert len(columns) > 20
    assert len({*columns}) == 1


@pytest.mark.parametrize("method", ["load", "file", "hashchange"])
def test_a_link_opens_a_nested_field(
    browser: Browser, base_url: str, site_folder: Path, method: str
) -> None:
    """Its ancestors are expanded; it is highlighted, in view and focused."""
    if method == "hashchange":
        browser.open(base_url + POD)
        browser.run("location.hash = arguments[0]", NESTED_FIELD)
        browser.settle()
    else:
        page = base_url + POD if method == "load" else file_url(site_folder, POD)
        browser.open(f"{page}#{NESTED_FIELD}")
    browser.settle(200)
    assert browser.run(
        "return [...document.querySelectorAll('.here')].map((item) => item.id)"
    ) == [NESTED_FIELD]
    top, bottom, header = browser.run(
        "const box = document.querySelector('.here > p').getBoundingClientRect();"
        "const header = document.querySelector('header').getBoundingClientRect();"
        "return [box.top, innerHeight - box.bottom, header.bottom]"
    )
    assert top >= max(header, 0) - 1
    assert bottom > 0
    assert browser.run("return document.activeElement.hash") == f"#{NESTED_FIELD}"


def test_a_link_to_an_unknown_field_does_nothing(
    browser: Browser, base_url: str
) -> None:
    browser.open(base_url + POD)
    collapsed = visible_fields(browser)
    for path in ("spec.containers.nothing", "spec.", "%E0%A4%A", "<b>"):
        browser.run("location.hash = arguments[0]", path)
        browser.settle()
        assert visible_fields(browser) == collapsed
        assert browser.run("return document.querySelector('.here')") is None


def test_all_fields_expand_and_collapse(browser: Browser, base_url: str) -> None:
    """The fields of a Pod have unique ids at all depths."""
    browser.open(base_url + POD)
    assert visible_fields(browser)[:2] == ["spec", "spec.activeDeadlineSeconds"]
    collapsed = ["spec", "status", "metadata", "apiVersion", "kind"]
    click(browser, "#open-all")
    expanded = visible_fields(browser)
    assert len(expanded) > 1000
    assert len(set(expanded)) == len(expanded)
    assert {*collapsed, NESTED_FIELD} < set(expanded)
    assert not browser.run(
        "return document.querySelector('main [aria-expanded=false]')"
    )
    click(browser, "#open-all")
    assert visible_fields(browser) == collapsed


def test_recursive_types_expand_only_on_request(
    browser: Browser, base_url: str
) -> None:
    """Expanding all fields does not expand a type inside of itself; a link does."""
    browser.open(f"{base_url}1.35/apiextensions.k8s.io/v1/CustomResourceDefinition/")
    schema = "spec.versions.schema.openAPIV3Schema"
    click(browser, "#open-all")
    shown = visible_fields(browser)
    assert f"{schema}.not" in shown
    assert not [path for path in shown if path.startswith(f"{schema}.not.")]
    browser.run("location.hash = arguments[0]", f"{schema}.not.not.%24ref")
    browser.settle()
    here = "return document.querySelector('.here').id"
    assert browser.run(here) == f"{schema}.not.not.$ref"


def test_the_tree_can_be_used_by_keyboard(browser: Browser, base_url: str) -> None:
    from selenium.webdriver.common.keys import Keys

    browser.open(base_url + POD)
    browser.run("document.querySelector('#spec .fold').focus()")
    assert browser.run(FOCUSED_LABEL) == "Fields of spec: true"
    browser.press(Keys.ENTER)
    assert browser.run(FOCUSED_LABEL) == "Fields of spec: false"
    browser.press(Keys.SPACE)
    assert browser.run(FOCUSED_LABEL) == "Fields of spec: true"
    browser.press(Keys.SPACE)
    assert browser.run(FOCUSED_LABEL) == "Fields of spec: false"
    browser.press(Keys.ARROW_RIGHT)
    assert browser.run(FOCUSED_LABEL) == "Fields of spec: true"
    browser.press(Keys.ARROW_RIGHT)
    assert browser.run(FOCUSED_LABEL) == "Fields of affinity: false"
    browser.press(Keys.ARROW_DOWN)
    assert browser.run(FOCUSED_LABEL) == "Fields of containers: false"
    browser.press(Keys.ARROW_UP, Keys.ARROW_UP)
    assert browser.run(FOCUSED_LABEL) == "Fields of spec: true"
    browser.press(Keys.ARROW_DOWN, Keys.ARROW_LEFT)
    assert browser.run(FOCUSED_LABEL) == "Fields of spec: true"
    browser.press(Keys.ARROW_LEFT)
    assert browser.run(FOCUSED_LABEL) == "Fields of spec: false"


def test_tab_reaches_all_controls(browser: Browser, base_url: str) -> None:
    """First the skip link, then the search and the colour scheme, then the tree."""
    from selenium.webdriver.common.keys import Keys

    browser.open(base_url + POD)
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
    assert {"find", "colour-scheme", "field-show", "open-all", "fold"} <= set(focused)


@pytest.mark.parametrize("page", [POD, "diff/1.34-1.35.html", "diff/history.html"])
def test_links_of_local_files_name_files(
    browser: Browser, site_folder: Path, page: str
) -> None:
    """Only a server finds the index page of a folder. Includes links of expanded
    fields."""
    browser.open(file_url(site_folder, page))
    if page == POD:
        click(browser, "#open-all")
        assert len(visible_fields(browser)) > 1000
    assert browser.run("return document.links.length") > 50
    folders = browser.run(
        "return [...document.links].filter((link) => link.protocol === 'file:'"
        " && link.pathname.endsWith('/')).map((link) => link.href)"
    )
    assert folders == []


@pytest.mark.nightly
@pytest.mark.parametrize("method", ["server", "file"])
def test_a_report_links_to_a_field(
    browser: Browser, base_url: str, site_folder: Path, method: str
) -> None:
    report = "diff/1.34-1.35.html"
    browser.open(
        base_url + report if method == "server" else file_url(site_folder, report)
    )
    click(
        browser,
        "a.field[href$='NodeStatus/#declaredFeatures'],"
        "a.field[href$='NodeStatus/index.html#declaredFeatures']",
    )
    browser.settle(200)
    assert (
        browser.run("return document.querySelector('.here').id") == "declaredFeatures"
    )


def test_a_release_link_keeps_the_field(browser: Browser, base_url: str) -> None:
    browser.open(f"{base_url}{POD}#{NESTED_FIELD}")
    browser.run("location.hash = 'spec.volumes'")
    browser.settle()
    browser.run(
        "[...document.querySelectorAll('[data-switch] a')]"
        ".find((link) => link.pathname.includes('/1.34/')).click()"
    )
    browser.wait(
        "location.pathname.includes('/1.34/') && document.querySelector('.here')"
    )
    assert browser.run("return location.href") == (
        f"{base_url}{POD.replace('1.35', '1.34')}#spec.volumes"
    )
    assert browser.run("return document.querySelector('.here').id") == "spec.volumes"
