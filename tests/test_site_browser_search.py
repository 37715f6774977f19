"""The search of the docs site in headless Chromium: its results, and the keyboard."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.browser import (
    DEPLOYMENT,
    INDEX_IS_LOADED,
    POD,
    Browser,
    click,
    file_url,
    find,
)

POD_PATH = "core/v1/Pod/"


@pytest.fixture(scope="module")
def searched(driver: Any, base_url: str) -> Browser:
    """A page with an open search, which many tests share."""
    browser = Browser(driver)
    browser.forget()
    browser.open(base_url + POD)
    find(browser, "")
    return browser


@pytest.mark.parametrize(
    "query, expected",
    [
        ("sts", "apps/v1/StatefulSet/"),
        ("containers", "core/v1/Pod/#spec.containers"),
        ("pod.spec.containers", "core/v1/Pod/#spec.containers"),
        ("apps/v1", "apps/v1/"),
        ("deploymnet", "apps/v1/Deployment/"),
        (
            "$ref",
            "apiextensions.k8s.io/v1/CustomResourceDefinition/"
            "#spec.versions.schema.openAPIV3Schema.%24ref",
        ),
    ],
)
def test_the_best_result_comes_first(
    searched: Browser, base_url: str, query: str, expected: str
) -> None:
    """tests/test_site_search.py has more queries."""
    assert find(searched, query)[0] == f"{base_url}1.35/{expected}"
    href = searched.run(
        "return document.querySelector('#search-dialog [role=option]').href"
    )
    assert href == f"{base_url}1.35/{expected}"


def test_descriptions_are_searched(searched: Browser, base_url: str) -> None:
    """For all words; results by name come before them."""
    results = find(searched, "taint forever evict")
    assert results[0] == f"{base_url}1.35/{POD_PATH}#spec.tolerations.tolerationSeconds"
    text = "return document.querySelector('[role=option] .text').textContent"
    assert "taint" in searched.run(text)


def test_a_result_says_what_is_known_of_it(searched: Browser, base_url: str) -> None:
    answer = "return document.querySelector('[role=option] .facts').textContent"
    results = find(searched, "SidecarContainers")
    assert results[0] == f"{base_url}1.35/{POD_PATH}#spec.containers.restartPolicy"
    text = searched.run(answer)
    assert text.startswith(
        "feature gate SidecarContainers, GA · Always, Never or OnFailure"
    )
    find(searched, "imagePullPolicy")
    assert "Always, IfNotPresent or Never" in searched.run(answer)


def test_the_answer_is_beside_the_results(searched: Browser, base_url: str) -> None:
    """Of the selected one: facts, the first manifest with the field in it, other kinds."""
    find(searched, "container resources limits")
    answer = "return document.getElementById('search-answer').innerText"
    text = searched.run(answer)
    assert "kind: Pod" in text
    assert "Also in Deployment" in text
    marked = searched.run(
        "return document.querySelector('#search-answer .on').textContent.trim()"
    )
    assert marked == "limits:"
    # Words that ask for nothing are marked nowhere.
    find(searched, "how do I set the image of a container")
    marks = "return [...document.querySelectorAll('#found mark')].map((m) => m.innerText.toLowerCase())"
    assert set(searched.run(marks)) <= {"image", "container"}


def test_removed_types_are_found_last(searched: Browser, base_url: str) -> None:
    """The result links to the newest release that has the type, and names it."""
    results = find(searched, "podcertificaterequest")
    removed = f"{base_url}1.34/certificates.k8s.io/v1alpha1/PodCertificateRequest/"
    current = f"{base_url}1.35/certificates.k8s.io/v1beta1/PodCertificateRequest/"
    assert results[0] == current
    assert removed in results
    is_current = [url.startswith(f"{base_url}1.35/") for url in results]
    assert is_current == sorted(is_current, reverse=True)
    release = searched.run(
        "return [...document.querySelectorAll('#search-dialog [role=option]')]"
        ".find((option) => option.href === arguments[0])"
        ".querySelector('.notes').textContent",
        removed,
    )
    assert release.endswith("1.34")


def test_the_search_can_be_used_by_keyboard(browser: Browser, base_url: str) -> None:
    """To open it, type, select a result, and close it."""
    from selenium.webdriver.common.keys import Keys

    selected = (
        "return document.getElementById(document.querySelector('#search-dialog input')"
        ".getAttribute('aria-activedescendant'))?.hash"
    )
    is_open = "return document.getElementById('search-dialog').open"
    browser.open(base_url + DEPLOYMENT)
    browser.press("/")
    assert browser.run(is_open)
    browser.press(Keys.ESCAPE)
    assert not browser.run(is_open)
    browser.press("/")
    browser.wait(INDEX_IS_LOADED)
    browser.press("replicas/")
    assert browser.run("return document.querySelector('#search-dialog input').value")
    browser.press(Keys.BACKSPACE)
    assert browser.run(selected) == "#spec.replicas"
    assert browser.run("return location.search") == "?q=replicas"
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
        f"{base_url}{DEPLOYMENT}#spec.replicas"
    )


def test_a_click_outside_closes_the_search(browser: Browser, base_url: str) -> None:
    from selenium.webdriver.common.action_chains import ActionChains

    browser.open(base_url + POD)
    click(browser, "#find")
    corner: Any = ActionChains(browser.driver).w3c_actions
    corner.pointer_action.move_to_location(5, 5).click()
    corner.perform()
    assert not browser.run("return document.getElementById('search-dialog').open")


def test_a_result_opens_a_field_in_local_files(
    browser: Browser, site_folder: Path
) -> None:
    browser.open(file_url(site_folder, POD))
    results = find(browser, "containers")
    assert results[0] == file_url(site_folder, POD) + "#spec.containers"
    click(browser, "#search-dialog [role=option]")
    browser.wait("document.querySelector('.here')?.id === 'spec.containers'")


def test_a_search_that_lacks_fields_says_so(browser: Browser, base_url: str) -> None:
    browser.open(base_url + POD)
    find(browser, "xyzzy")
    count = "return document.getElementById('search-count').textContent"
    assert browser.run(count) == "No results"
    browser.run(
        "kubestencilIndex({release: '', apiVersions: [], types: [], isPartial: true});"
        "kubestencilTexts({release: '', texts: [], positions: []})"
    )
    find(browser, "xyzzy")
    assert browser.run(count) == (
        "No results; fields deep inside of resources are not searched"
    )


def test_the_address_of_a_search_can_be_shared(browser: Browser, base_url: str) -> None:
    """It opens the search with its results; closing the search removes the query."""
    first = "document.querySelector('#search-dialog[open] [role=option]')?.href"
    browser.open(f"{base_url}{POD}?q=pod.spec.volumes")
    assert browser.wait(first) == f"{base_url}{POD}#spec.volumes"
    browser.press("/")  # part of the query
    click(browser, "#search-close")
    assert browser.run("return location.href") == f"{base_url}{POD}"
    find(browser, "c++ & x")
    assert browser.run("return location.search") == "?q=c%2B%2B+%26+x"


def test_the_first_result_is_selected_however_the_index_comes(
    browser: Browser, base_url: str
) -> None:
    """Descriptions come after names, and can move another result to the first place."""
    browser.open(f"{base_url}{POD}?q=statefulset name length")
    browser.wait(INDEX_IS_LOADED)
    first = "return document.querySelector('#found > :first-child')"
    assert browser.run(f"{first}.ariaSelected") == "true"
    assert browser.run(f"{first}.hash") == "#metadata.name"


def test_a_result_on_the_same_page_does_not_load_it_again(
    browser: Browser, base_url: str
) -> None:
    browser.open(base_url + POD)
    browser.run("window.isTheSamePage = true")
    find(browser, "pod.spec.volumes")
    click(browser, "#search-dialog [role=option]")
    browser.wait("document.querySelector('.here')?.id === 'spec.volumes'")
    assert browser.run("return window.isTheSamePage")
    assert browser.run("return location.search") == ""


def test_an_index_that_cannot_be_loaded_is_reported(
    browser: Browser, base_url: str
) -> None:
    browser.driver.execute_cdp_cmd("Network.enable", {})
    browser.driver.execute_cdp_cmd("Network.setBlockedURLs", {"urls": ["*/search*.js"]})
    try:
        browser.open(f"{base_url}{POD}?q=xyzzy")
        text = "document.getElementById('search-count').textContent"
        assert browser.wait(f"{text} === 'The search index could not be loaded.'")
        browser.wait(INDEX_IS_LOADED)
    finally:
        browser.driver.execute_cdp_cmd("Network.setBlockedURLs", {"urls": []})
    browser.logged()
