"""The HTML report in a real browser: Chromium, headless, from the disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from kubestencil.diff import compare, history, timeline
from tests.browser import DESK, PHONE, Browser
from tests.conftest import FULL_RELEASES as RELEASES
from tests.diff_specs import document, pod, release
from tests.reports import comparison_report, history_report, timeline_report

TYPING = 150  # milliseconds: longer than the filter waits for another key
REMOVED = "io.k8s.api.core.v1.PodResourceClaim:source:field-removed"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The largest report, a history, the timeline, and a report with hostile text."""
    folder = tmp_path_factory.mktemp("pages")
    releases = [release(name) for name in RELEASES]
    evil = "<script>document.title='pwned'</script><img src=x onerror=document.title=1>"
    sides = [document(pod(**{text: {"description": text}})) for text in ("a", evil)]
    pages = {
        "report": comparison_report(compare(releases[0], releases[-1]), "html"),
        "history": history_report(history(releases, "ResourceClaimStatus"), "html"),
        "timeline": timeline_report(timeline(releases), "html"),
        "evil": comparison_report(compare(*sides), "html"),
    }
    for name, text in pages.items():
        (folder / f"{name}.html").write_text(text, "utf-8")
    return folder


def show(
    browser: Browser,
    page: Path,
    anchor: str = "",
    size: tuple[int, int] = DESK,
    scheme: str = "light",
) -> None:
    browser.screen(size, scheme)
    browser.open(page.as_uri() + (f"#{anchor}" if anchor else ""))


def visible_changes(browser: Browser) -> list[dict[str, str]]:
    changes: list[dict[str, str]] = browser.run(
        "return [...document.querySelectorAll('.group.kind li[data-severity]')]"
        ".filter((item) => !item.closest('[hidden]'))"
        ".map((item) => ({id: item.id, ...item.dataset, text: item.textContent}))"
    )
    return changes


def search(browser: Browser, text: str) -> None:
    browser.run(
        "const box = document.getElementById('text'); box.value = arguments[0];"
        "box.dispatchEvent(new Event('input'))",
        text,
    )
    browser.settle(TYPING)


@pytest.mark.parametrize("name", ["report", "history", "timeline", "evil"])
@pytest.mark.parametrize("size", [DESK, PHONE])
def test_a_page_is_self_contained(
    browser: Browser, folder: Path, name: str, size: tuple[int, int]
) -> None:
    """It logs no error or policy violation, requests nothing from the network, and is
    not wider than the screen."""
    show(browser, folder / f"{name}.html", size=size)
    assert browser.logged() == []
    assert all(url.startswith(("file:", "about:")) for url in browser.requests())
    width = browser.run("return document.documentElement.scrollWidth")
    assert width <= size[0]


def test_text_of_a_document_is_not_executed(browser: Browser, folder: Path) -> None:
    show(browser, folder / "evil.html")
    assert browser.driver.title == "made-up → made-up"
    assert any("<script>" in change["text"] for change in visible_changes(browser))


def test_search_and_filters(browser: Browser, folder: Path) -> None:
    show(browser, folder / "report.html")
    all_changes = visible_changes(browser)
    shown = "return document.getElementById('shown').textContent"
    count = sum(int(change["count"]) for change in all_changes)
    assert browser.run(shown) == f"{count} shown"

    search(browser, "supplementalGroupsPolicy")
    matches = visible_changes(browser)
    assert 0 < len(matches) < len(all_changes)
    search(browser, "no such word anywhere")
    assert visible_changes(browser) == []
    assert browser.run("return !document.getElementById('no-matches').hidden")
    browser.run("document.getElementById('show-all').click()")
    browser.settle(TYPING)
    assert len(visible_changes(browser)) == len(all_changes)

    for value in ("safe", "docs", "warning"):
        browser.run(f"document.querySelector('input[value={value}]').click()")
    assert {change["severity"] for change in visible_changes(browser)} == {"breaking"}
    browser.run("document.querySelector('input[value=stable]').click()")
    assert {change["stability"] for change in visible_changes(browser)} <= {"beta"}
    browser.run("document.getElementById('show-all').click()")
    browser.settle(TYPING)

    number = browser.run(
        "const kind = document.getElementById('kind');"
        "kind.value = 'batch/v1/CronJob';"
        "kind.dispatchEvent(new Event('change', {bubbles: true})); return String(kind.selectedIndex - 1)"
    )
    matches = visible_changes(browser)
    assert 0 < len(matches) < len(all_changes)
    assert all(number in match["kinds"].split() for match in matches)


def test_filters_are_part_of_the_address(browser: Browser, folder: Path) -> None:
    """A link with them shows what its sender sees, what is folded at first included."""
    show(browser, folder / "report.html")
    everything = len(visible_changes(browser))
    search(browser, "dynamicresourceallocation")
    browser.run("document.querySelector('input[value=breaking]').click()")
    browser.run(
        "const box = document.getElementById('audience'); box.value = 'compile';"
        "box.dispatchEvent(new Event('change', {bubbles: true}))"
    )
    matches = visible_changes(browser)
    assert 0 < len(matches) < everything
    address = browser.run("return location.href")
    assert "q=dynamicresourceallocation" in address
    assert "severity=warning%2Csafe%2Cdocs" in address
    assert "audience=compile" in address

    browser.open(address)
    assert [match["id"] for match in visible_changes(browser)] == [
        match["id"] for match in matches
    ]
    folded = "return [...document.querySelectorAll('.changes > li')].filter((item) =>"
    folded += (
        " !item.closest('[hidden]') && !item.getBoundingClientRect().height).length"
    )
    assert browser.run(folded) == 0
    browser.run("document.getElementById('show-all').click()")
    browser.settle(TYPING)
    assert browser.run("return location.search") == ""
    assert len(visible_changes(browser)) == everything


def test_badges_show_the_severity_for_the_chosen_audience(
    browser: Browser, folder: Path
) -> None:
    show(browser, folder / "report.html")
    script = """
    const [audience] = arguments;
    const box = document.getElementById('audience');
    box.value = audience; box.dispatchEvent(new Event('change', {bubbles: true}));
    return [...document.querySelectorAll('.changes > li')].every((item) => {
      const pairs = new Map(item.dataset.audiences.trim().split(' ').map((p) => p.split(':')));
      const expected = pairs.get(audience) || item.dataset.severity;
      return item.querySelector('.badge').textContent === expected;
    });
    """
    for audience in ("apply", "compile", "controller", ""):
        assert browser.run(script, audience)


def test_what_to_know_before_an_upgrade_leads_to_the_changes(
    browser: Browser, folder: Path
) -> None:
    show(browser, folder / "report.html")
    links = browser.run(
        "return [...document.querySelectorAll('.step dd a')]"
        ".map((link) => document.getElementById(decodeURIComponent(link.hash.slice(1)))"
        "?.querySelector('code').textContent === link.textContent)"
    )
    assert links
    assert all(links)


def test_filters_apply_to_what_to_know_before_an_upgrade(
    browser: Browser, folder: Path
) -> None:
    show(browser, folder / "report.html")
    visible = (
        "return [...document.querySelectorAll('.upgrade .topic li')]"
        ".filter((item) => item.checkVisibility()).map((item) => item.innerText)"
    )
    everything = browser.run(visible)
    search(browser, "dns")
    found = browser.run(visible)
    assert 0 < len(found) < len(everything)
    assert all("dns" in text.lower() for text in found)
    # Names that were folded at first.
    assert not {*found} <= {*everything}
    empty = "return [...document.querySelectorAll('.topic')].filter((topic) =>"
    empty += " topic.checkVisibility() && !/dns/i.test(topic.textContent))"
    assert browser.run(empty) == []
    search(browser, "no such word anywhere")
    assert not browser.run(
        "return document.querySelector('section.upgrade').checkVisibility()"
    )


def test_the_heading_of_a_long_table_sticks(browser: Browser, folder: Path) -> None:
    show(browser, folder / "timeline.html")
    top = browser.run(
        "const box = document.querySelector('.scroll.long'); box.scrollTop = 2000;"
        "box.scrollIntoView();"
        "return [box.scrollTop, box.querySelector('thead').getBoundingClientRect().top"
        " - box.getBoundingClientRect().top]"
    )
    assert top[0] > 1000
    assert 0 <= top[1] < 3


def test_nothing_overlaps_or_is_cut_off_on_paper(
    browser: Browser, folder: Path
) -> None:
    """With the style for print, nothing sticks, scrolls, or is wider than the page."""
    for name in ("report", "timeline", "history"):
        show(browser, folder / f"{name}.html", size=(794, 1123))
        browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        browser.settle()
        positions = browser.run(
            "return [...document.querySelectorAll('body *')].filter((element) =>"
            " ['sticky', 'fixed'].includes(getComputedStyle(element).position))"
            ".map((element) => element.tagName)"
        )
        assert positions == []
        assert browser.run("return document.documentElement.scrollWidth") <= 794
        overlaps = browser.run(
            "return [...document.querySelectorAll('.changes li > .badge')]"
            ".filter((badge) => badge.scrollWidth > badge.clientWidth).length"
        )
        assert overlaps == 0
        folded = "return [...document.querySelectorAll('details li')].filter((item) =>"
        folded += " !item.getBoundingClientRect().height).length"
        assert browser.run(folded) == 0
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


@pytest.mark.parametrize("size", [DESK, PHONE])
def test_a_link_to_a_change_shows_it(
    browser: Browser, folder: Path, size: tuple[int, int]
) -> None:
    """When the page is opened with it, and when the change is hidden by a filter or in
    a closed group."""
    on_screen = (
        "const box = document.getElementById(arguments[0]).getBoundingClientRect();"
        "return box.height > 0 && box.top >= 0 && box.bottom <= innerHeight"
    )
    show(browser, folder / "report.html", REMOVED, size)
    assert browser.run(on_screen, REMOVED)

    show(browser, folder / "report.html", size=size)
    search(browser, "ResourceSlice")
    browser.run(
        "for (const group of document.querySelectorAll('details')) group.open = false;"
        "location.hash = arguments[0]",
        REMOVED,
    )
    browser.settle(TYPING)
    assert browser.run(on_screen, REMOVED)


def test_all_functions_have_keys(browser: Browser, folder: Path) -> None:
    from selenium.webdriver.common.keys import Keys

    show(browser, folder / "report.html")
    focused = "return document.activeElement.id"
    browser.press("/")
    browser.settle(TYPING)
    assert browser.run(focused) == "text"
    browser.press("supplementalGroupsPolicy")
    browser.settle(TYPING)
    matches = visible_changes(browser)
    assert matches
    assert all("supplementalGroupsPolicy" in match["text"] for match in matches)
    inner = "return document.querySelectorAll('.changes > li:not([hidden])')[{}].id"
    for key, number in ((Keys.ENTER, 0), ("j", 1), ("j", 2), ("k", 1)):
        browser.press(key)
        browser.settle(TYPING)
        expected = browser.run(inner.format(number))
        assert browser.run(focused) == expected
    browser.press(Keys.ESCAPE)
    browser.settle(TYPING)
    assert len(visible_changes(browser)) > len(matches)


def test_contrast_is_sufficient_in_light_and_dark(
    browser: Browser, folder: Path
) -> None:
    """WCAG 2.1 requires a contrast of 4.5 between text and background."""
    script = """
    const parse = (text) => text.match(/[\\d.]+/g).map(Number);
    const luminance = (rgb) => {
      const [r, g, b] = rgb.slice(0, 3).map((v) => (v /= 255) <= 0.03928
        ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const background = (element) => {
      for (let node = element; node; node = node.parentElement) {
        const colour = parse(getComputedStyle(node).backgroundColor);
        if (colour.length < 4 || colour[3] > 0) return colour;
      }
      return [255, 255, 255];
    };
    const contrasts = {};
    for (const name of ['.badge.breaking', '.badge.warning', '.badge.safe', '.badge.docs',
                        '.level.alpha', '.level.beta', '.note', 'del', 'ins', 'h3',
                        '.words', '.count.docs', 'footer', '.rules a', '.type', '.about',
                        '.step h2', '.step .to', '.items dt', '.topic h3']) {
      const element = document.querySelector(name);
      const [a, b] = [parse(getComputedStyle(element).color), background(element)].map(luminance);
      contrasts[name] = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    }
    return [contrasts, luminance(background(document.body))];
    """
    backgrounds = {}
    for scheme in ("light", "dark"):
        show(browser, folder / "report.html", scheme=scheme)
        contrasts, backgrounds[scheme] = browser.run(script)
        assert {name: c for name, c in contrasts.items() if c < 4.5} == {}
    assert backgrounds["light"] > 0.8
    assert backgrounds["dark"] < 0.05
