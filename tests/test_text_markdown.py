"""Text in Markdown pages: a description stays the paragraph or cell that it is in."""

from __future__ import annotations

import re
from html import unescape

from hypothesis import given
from markdown_it import MarkdownIt

from kubestencil.text import markdown
from tests.strategies import HOSTILE_TEXTS


def tokens(text: str) -> list[object]:
    """What CommonMark and tables make of a page, blocks and what is in them."""
    parsed = MarkdownIt("commonmark").enable("table").parse(text)
    return [inner for token in parsed for inner in (token, *(token.children or ()))]


def is_harmless(page: str) -> bool:
    for token in tokens(page):
        kind = token.type  # type: ignore[attr-defined]
        if kind == "html_block" or kind == "image":
            return False
        if kind == "html_inline" and any(
            sign in token.content  # type: ignore[attr-defined]
            for sign in ("=", "/", "!", "script", "img")
        ):
            return False
        if kind == "link_open":
            target = dict(token.attrs)["href"].lower()  # type: ignore[attr-defined]
            if ":" in target and not target.startswith(("http", "mailto:")):
                return False
    return True


@given(HOSTILE_TEXTS)
def test_a_paragraph_stays_one_paragraph(text: str) -> None:
    page = f"# Title\n\n{markdown.paragraph(text)}\n\n## End\n"
    blocks = [
        token.type  # type: ignore[attr-defined]
        for token in tokens(page)
        if token.type.endswith("_open") and token.block  # type: ignore[attr-defined]
    ]
    inside = [kind for kind in blocks if kind != "heading_open"]
    assert inside in (["paragraph_open"], [])
    assert blocks.count("heading_open") == 2
    assert is_harmless(page)


@given(HOSTILE_TEXTS, HOSTILE_TEXTS)
def test_a_cell_stays_one_cell(first: str, second: str) -> None:
    cells = [markdown.escape_pipes(markdown.cell(each)) for each in (first, second)]
    row = f"**x** | {cells[0]} | {cells[1]} | [optional] "
    page = f"Name | A | B | C\n--- | --- | --- | ---\n{row}\n\nend\n"
    kinds = [token.type for token in tokens(page)]  # type: ignore[attr-defined]
    assert kinds.count("td_open") == 4
    assert kinds.count("tr_open") == 2
    assert kinds.count("paragraph_open") == 1
    assert is_harmless(page)


def test_placeholders_in_descriptions_are_kept_as_published() -> None:
    shown = markdown.paragraph("the key <topologyKey> in pods/<pod name>/x")
    assert shown == "the key <topologyKey> in pods/<pod name>/x"
    assert markdown.paragraph("a <b> and </b>") == "a &lt;b> and &lt;/b>"


def test_addresses_are_links_to_what_the_text_says() -> None:
    page = markdown.page_text("see https://x.y/a_b/c.md#d-e?f=1&g=~2, not http://x.y")
    (link,) = (token for token in tokens(page) if token.type == "link_open")  # type: ignore[attr-defined]
    assert link.attrs["href"] == "https://x.y/a_b/c.md#d-e?f=1&g=~2"  # type: ignore[attr-defined]


def test_no_text_in_a_report_is_a_mention() -> None:
    """GitHub and GitLab look for mentions in the text that a browser would show."""
    text = "@octocat cc @o/team, o/r#1 GH-2 !3 &#64;x &commat;y @"
    html = MarkdownIt("commonmark").render(markdown.literal_words(text))
    assert not re.search(r"@[\w]|[#!]\d|GH-\d", unescape(html))
    assert unescape(html).replace("\u200b", "") == f"<p>{text}</p>\n"
