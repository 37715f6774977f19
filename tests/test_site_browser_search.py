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
        # Names that kubectl takes: short ones and plurals.
        ("svc", ["core/v1/Service/"]),
        ("cm", ["core/v1/ConfigMap/"]),
        ("deploy", ["apps/v1/Deployment/"]),
        ("ds", ["apps/v1/DaemonSet/"]),
        ("netpol", ["networking.k8s.io/v1/NetworkPolicy/"]),
        ("pods", ["core/v1/Pod/"]),
        ("networkpolicies", ["networking.k8s.io/v1/NetworkPolicy/"]),
        ("ingresses", ["networking.k8s.io/v1/Ingress/"]),
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
    searched: Browser, base_url: str, query: str, expected: list[str]
) -> None:
    results = find(searched, query)
    assert results[: len(expected) or 1] == [
        f"{base_url}1.35/{path}" for path in expected
    ]


def test_descriptions_are_searched(searched: Browser, base_url: str) -> None:
    """For all words; results by name come before them."""
    results = find(searched, "taint forever evict")
    assert results[0] == f"{base_url}1.35/core/v1/Toleration/#tolerationSeconds"
    assert find(searched, "grace period")[0].endswith("#gracePeriodSeconds")


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
        ".querySelector('[data-fill=release]').textContent",
        removed,
    )
    assert release == "1.34"


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
        f"{base_url}1.35/apps/v1/DeploymentSpec/#replicas"
    )


def test_a_click_outside_closes_the_search(browser: Browser, base_url: str) -> None:
    from selenium.webdriver.common.action_chains import ActionChains

    browser.open(base_url + POD)
    click(browser, "#find")
    pointer = ActionChains(browser.driver).w3c_actions
    pointer.pointer_action.move_to_location(5, 5).click()
    pointer.perform()
    assert not browser.run("return document.getElementById('search-dialog').open")


def test_a_result_opens_a_field_in_local_files(
    browser: Browser, site_folder: Path
) -> None:
    browser.open(file_url(site_folder, POD))
    results = find(browser, "containers")
    assert results[0] == file_url(site_folder, "1.35/core/v1/PodSpec/") + "#containers"
    click(browser, "#search-dialog [role=option]")
    browser.wait("document.querySelector('.here')?.id === 'containers'")


def test_a_search_that_lacks_fields_says_so(browser: Browser, base_url: str) -> None:
    browser.open(base_url + POD)
    find(browser, "xyzzy")
    count = "return document.getElementById('search-count').textContent"
    assert browser.run(count) == "No results"
    browser.run(
        "kubestencilIndex({release: '', types: [], fields: [], isPartial: true})"
    )
    find(browser, "xyzzy")
    assert browser.run(count) == (
        "No results; fields deep inside of resources are not searched"
    )
