"""The docs site in headless Chromium, from a web server and as local files.

``KUBESTENCIL_SITE=DIR`` tests a site that was generated before.
"""

from __future__ import annotations

import hashlib
import io
import re
import shutil
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import pytest

from tests.browser import (
    DEPLOYMENT,
    DESK,
    PHONE,
    POD,
    RECURSIVE,
    Browser,
    click,
    file_url,
    find,
)
from tests.conftest import ROOT, make_command

PAGES = (
    *("", "1.35/", "1.35/apps/", "1.35/apps/v1/", POD, f"{POD}all/", RECURSIVE),
    *("1.34/scheduling.k8s.io/v1alpha1/Workload/", "diff/index.html"),
    *("diff/1.34-1.35.html", "diff/history.html", "404.html", "pages/guide/"),
)
ASSETS = ROOT / "templates" / "site" / "assets"


# ------------------------------------------------------------------ every kind of page


@pytest.mark.parametrize("page", PAGES)
def test_a_page_requests_only_files_of_its_site(
    browser: Browser, base_url: str, site_folder: Path, page: str
) -> None:
    """From a server and as local files. The fixture checks that it logs nothing."""
    urls_by_site = {base_url: base_url + page}
    # Its links are absolute paths on a server.
    if page != "404.html":
        urls_by_site[site_folder.as_uri()] = file_url(site_folder, page)
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
def test_a_page_fits_a_phone(browser: Browser, base_url: str, page: str) -> None:
    """Even with all fields expanded."""
    browser.screen(PHONE)
    browser.open(base_url + page)
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
def test_a_page_is_accessible(
    browser: Browser, base_url: str, axe: str, page: str
) -> None:
    """axe-core finds no violation, in the light and the dark colour scheme."""
    browser.open(base_url + page)
    browser.run("document.querySelector('ul.tree .fold')?.click()")
    for scheme in ("light", "dark"):
        browser.screen(DESK, scheme)
        assert violations(browser, axe) == {}


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
        "const done = arguments[0]; axe.run().then(({violations}) =>"
        "done(Object.fromEntries(violations.map((rule) =>"
        "[rule.id, rule.nodes.map((node) => node.html.slice(0, 200))]))))"
    )
    return elements


# --------------------------------------------------------- copying, languages, colour scheme


def test_an_example_is_copied(browser: Browser, base_url: str) -> None:
    """To the clipboard; the button and a screen reader confirm it."""
    browser.driver.execute_cdp_cmd(
        "Browser.grantPermissions",
        {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]},
    )
    browser.open(base_url + POD)
    text = browser.run("return document.querySelector('.example code').textContent")
    click(browser, ".example .copy")
    assert browser.wait("document.getElementById('said').textContent") == "Copied."
    assert browser.run("return document.querySelector('.copy').textContent") == "Copied"
    read = "navigator.clipboard.readText().then(arguments[0], (error) => arguments[0](`${error}`))"
    assert browser.driver.execute_async_script(read) == text


def test_an_example_is_copied_without_a_clipboard(
    browser: Browser, base_url: str
) -> None:
    """Browsers have the clipboard API on secure pages only."""
    browser.open(base_url + POD)
    browser.run(
        "Object.defineProperty(navigator, 'clipboard', {value: undefined});"
        "document.addEventListener('copy', () => window.copied = `${getSelection()}`)"
    )
    browser.driver.find_element("css selector", ".example .copy").click()
    text = browser.run("return document.querySelector('.example code').textContent")
    assert browser.run("return window.copied").strip() == text.strip()


def test_the_language_is_stored(browser: Browser, base_url: str) -> None:
    """It is selected on the next page, too."""
    languages = (
        "return [...new Set([...document.querySelectorAll("
        "'input[name^=language]:checked')].map((input) => input.value))]"
    )
    browser.open(base_url + POD)
    assert browser.run(languages) == ["yaml"]
    click(browser, "input[name^=language][value=python]")
    assert browser.run(languages) == ["python"]
    browser.open(base_url + DEPLOYMENT)
    assert browser.run(languages) == ["python"]


def test_the_colour_scheme_is_stored(browser: Browser, base_url: str) -> None:
    """The button cycles through the schemes; the next page has the same one."""
    state = (
        "return [document.documentElement.dataset.scheme ?? 'system',"
        "document.getElementById('colour-scheme').ariaLabel]"
    )
    computed = "return getComputedStyle(document.documentElement).colorScheme"
    browser.open(base_url + POD)
    for scheme in ("light", "dark"):
        click(browser, "#colour-scheme")
        assert browser.run(state) == [scheme, f"Colour scheme: {scheme}"]
        browser.open(base_url + DEPLOYMENT)
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


def test_a_page_works_without_storage(browser: Browser, base_url: str) -> None:
    """Browsers may deny access to it."""
    script = browser.driver.execute_cdp_cmd(
        "Page.addScriptToEvaluateOnNewDocument",
        {
            "source": "Object.defineProperty(window, 'localStorage',"
            "{get() { throw new Error('refused') }})"
        },
    )
    try:
        browser.open(base_url + POD)
        click(browser, "#colour-scheme")
        click(browser, "input[name^=language][value=python]")
        assert browser.run("return document.documentElement.dataset.scheme") == "light"
    finally:
        browser.driver.execute_cdp_cmd(
            "Page.removeScriptToEvaluateOnNewDocument", script
        )


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
