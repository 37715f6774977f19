"""A user's Markdown as pages: what it may do, and what it may not."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubestencil.text.commonmark import page


def printed(path: str) -> str:
    return f"../{path.removesuffix('.md')}/"


def html(text: str) -> str:
    return str(page(text, printed).html)


def test_the_title_is_the_first_heading_in_plain_text() -> None:
    assert page("## Two\n\n# *One* `a<b` &amp; [x](y)\n\n# Three", printed).title == (
        "One a<b & x"
    )
    assert page("Setext\ntitle\n===", printed).title == "Setext title"
    assert page("no heading", printed).title == ""


def test_headings_can_be_linked_each_by_its_own_id() -> None:
    shown = html("# A b\n## A b\n## A b 1\n## ?\n## Ä `x_y`!")
    assert re.findall('id="(.*?)"', shown) == [
        "a-b",
        "a-b-1",
        "a-b-1-1",
        "section",
        "ä-x_y",
    ]


def test_tables_and_strikethrough() -> None:
    shown = html("| a | b |\n|:--|--:|\n| ~~x~~ | `|` |")
    assert '<th class="align-left">a</th>' in shown
    assert "<s>x</s>" in shown
    assert "style=" not in shown


@pytest.mark.parametrize(
    ("link", "href"),
    [
        ("intro.md", "../intro/"),
        ("../a%20b/c.md#part", "../../a b/c/#part"),
        ("intro.md?x", "intro.md?x"),
        ("/intro.md", "/intro.md"),
        ("https://e.org/intro.md", "https://e.org/intro.md"),
        ("mailto:a@e.org", "mailto:a@e.org"),
        ("pod.html#spec:x", "pod.html#spec:x"),
        ("#part", "#part"),
        ("?q=a:b", "?q=a:b"),
        # A browser would take a backslash for a slash.
        ("/\\\\e.org", "/%5Ce.org"),
    ],
)
def test_links_to_other_pages_lead_to_where_they_are_printed(
    link: str, href: str
) -> None:
    assert f'<a href="{href}">x</a>' in html(f"[x]({link})")
    assert f'<a href="{href}">x</a>' in html(f"[x]\n\n[x]: {link}")


HOSTILE_LINKS = [
    *("javascript:alert(1)", "JaVaScRiPt:x", "&#106;avascript:x", "javascript&colon;x"),
    *("data:text/html,x", "data:image/png;base64,AAAA", "vbscript:x", "file:///etc"),
    *(
        "//evil.example",
        "blob:x",
        "ftp://e",
        "\x01javascript:x",
    ),
    *("java&Tab;script:x", "java&NewLine;script:x", "http:x", "tel:1", "x.md:y"),
]


@pytest.mark.parametrize("link", HOSTILE_LINKS)
def test_no_other_scheme_and_no_other_host(link: str) -> None:
    for text in (f"[x]({link})", f"![x]({link})", f"<{link}>", f"[x]\n\n[x]: {link}"):
        assert not re.search("<a |<img ", html(text))


class Reader(HTMLParser):
    """Refuses what Markdown has no sign for."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in TAGS
        for name, value in attrs:
            assert name in ("href", "src", "alt", "title", "id", "class", "start")
            if name in ("href", "src"):
                assert re.match(
                    r"https?://|mailto:|(?!//)[^:/?#]*($|[/?#])", value or "", re.I
                )

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)

    handle_decl = handle_pi = unknown_decl = handle_comment


TAGS = {
    *("h1", "h2", "h3", "h4", "h5", "h6", "p", "a", "img", "em", "strong", "s", "code"),
    *("pre", "ul", "ol", "li", "blockquote", "hr", "br"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}
PIECES = st.sampled_from(
    [
        *HOSTILE_LINKS,
        *(
            "[x](",
            ")",
            "![",
            "]: ",
            "<",
            ">",
            "# ",
            "\n",
            "\n\n",
            "| a | b |\n|--|--|\n",
        ),
        *(
            "<script>",
            "<img src=x onerror=y>",
            "<!--",
            "-->",
            "<a href='javascript:x'>",
        ),
        *(
            "`",
            "```html\n",
            "~~",
            "*",
            "> ",
            "- ",
            "1. ",
            '"',
            "'",
            "&lt;",
            "\\",
            "x.md",
        ),
    ]
)


@given(st.one_of(st.text(), st.lists(PIECES, max_size=30).map("".join)))
def test_no_html_but_that_of_markdown(text: str) -> None:
    shown = page(text, printed)
    reader = Reader()
    reader.feed(str(shown.html))
    reader.close()
    ids = re.findall(' id="(.*?)"', str(shown.html))
    assert len(ids) == len(set(ids))
