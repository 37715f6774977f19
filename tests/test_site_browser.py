"""The docs site in headless Chromium, from a web server and as local files.

``KUBESTENCIL_SITE=DIR`` tests a site that was generated before.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser import (
    DEPLOYMENT,
    PAGES_OF_EACH_RUN,
    PHONE,
    POD,
    Browser,
    click,
    file_url,
)
from tests.conftest import make_command

# The words in the elements that a selector matches of which two letters are on different
# lines: words of several capitalized parts are several words.
BROKEN_WORDS = """
const broken = [];
const topOf = (node, index) => {
  const range = new Range();
  range.setStart(node, index);
  range.setEnd(node, index + 1);
  return range.getClientRects()[0]?.top;
};
for (const element of document.querySelectorAll(arguments[0])) {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    for (const { 0: word, index } of node.data.matchAll(/[A-Z]*[a-z0-9]+|[A-Z]+/g)) {
      if (Math.abs(topOf(node, index) - topOf(node, index + word.length - 1)) > 4) {
        broken.push(node.data);
      }
    }
  }
}
return [...new Set(broken)];
"""


# ------------------------------------------------------------------ every kind of page


@pytest.mark.parametrize("page", PAGES_OF_EACH_RUN)
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


@pytest.mark.parametrize("page", PAGES_OF_EACH_RUN)
def test_a_page_fits_a_phone(browser: Browser, base_url: str, page: str) -> None:
    """Even with all fields expanded."""
    browser.screen(PHONE)
    browser.open(base_url + page)
    browser.run("document.getElementById('open-all')?.click()")
    browser.settle()
    assert browser.run("return document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize(
    ("page", "selector"),
    [
        ("", ".cols a, .project a, .grid th a, .grid td a"),
        ("1.35/flowcontrol.apiserver.k8s.io/", "h1, h2, .crumbs li"),
        (f"{DEPLOYMENT}operations/", ".paths code, .parameters code"),
        ("1.35/meta/v1/LabelSelector/", ".uses code, .uses span"),
        (DEPLOYMENT, ".changes code, .changes a"),
        ("diff/1.34-1.35.html", ".step b, .step .to, .upgrade .text, .api-group h3 a"),
        ("diff/history.html", "thead th, tbody a"),
        ("diff/", "th, td"),
        ("compare/", "h3"),
    ],
)
def test_names_are_broken_between_words_only(
    browser: Browser, base_url: str, page: str, selector: str
) -> None:
    """On a phone no line ends inside of a word."""
    browser.screen(PHONE)
    browser.open(base_url + page)
    browser.wait("document.querySelector(arguments[0])", selector)
    assert browser.run(BROKEN_WORDS, selector) == []


# --------------------------------------------------------- copying, languages, colour scheme


def test_an_example_is_copied(browser: Browser, base_url: str) -> None:
    """To the clipboard; the button and a screen reader confirm it."""
    browser.driver.execute_cdp_cmd(
        "Browser.grantPermissions",
        {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]},
    )
    browser.open(base_url + POD)
    text = browser.run("return document.querySelector('.example pre code').textContent")
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
    text = browser.run("return document.querySelector('.example pre code').textContent")
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


@pytest.mark.nightly
def test_a_theme_applies_to_reports_too(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "ours.css").write_text(":root { --link: #070; --font: monospace }")
    done = make_command(tmp_path)(
        *("render", "1.34", "1.35", "-t", "site", "-o", "out"),
        "--set=site.theme=ours.css",
    )
    assert done.returncode == 0, done.stderr
    for page, link in ((POD, ".jump a"), ("diff/index.html", "main th a")):
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
