"""A user's Markdown pages as HTML: headings, links, and no HTML of the user."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubestencil.text.commonmark import render_page


def page_url(path: str) -> str:
    return f"../{path.removesuffix('.md')}/"


def html(text: str) -> str:
    return str(render_page(text, page_url).html)


def test_the_title_is_the_first_heading_in_plain_text() -> None:
    assert render_page(
        "## Two\n\n# *One* `a<b` &amp; [x](y)\n\n# Three", page_url
    ).title == ("One a<b & x")
    assert render_page("Setext\ntitle\n===", page_url).title == "Setext title"
    assert render_page("no heading", page_url).title == ""


def test_every_heading_has_an_id_of_its_own() -> None:
    rendered = html("# A b\n## A b\n## A b 1\n## ?\n## Ä `x_y`!")
    assert re.findall('id="(.*?)"', rendered) == [
        "a-b",
        "a-b-1",
        "a-b-1-1",
        "section",
        "ä-x_y",
    ]


def test_tables_and_strikethrough() -> None:
    rendered = html("| a | b |\n|:--|--:|\n| ~~x~~ | `|` |")
    assert '<th class="align-left">a</th>' in rendered
    assert "<s>x</s>" in rendered
    assert "style=" not in rendered


@pytest.mark.parametrize(
    ("link", "href"),
    [
        ("intro.md", "../intro/"),
        ("../a%20b/c.md#part", "../../a b/c/#part"),
        ("intro.md?x", "intro.md?x"),
        ("/intro.md", "/intro.md"),
        ("https://e.org/intro.md", "https://e.org/intro.md"),
        ("mailto:a@e.org", "mailto:a@e.org"),
        ("/pod.html#spec:x", "/pod.html#spec:x"),
        ("a.png#x", "../a.png/#x"),
        ("k8s:Pod.spec", "../k8s:Pod.spec/"),
        ("#part", "#part"),
        ("?q=a:b", "?q=a:b"),
        # Browsers read a backslash as a slash.
        ("/\\\\e.org", "/%5Ce.org"),
    ],
)
def test_a_link_to_a_markdown_file_leads_to_its_page(link: str, href: str) -> None:
    assert f'<a href="{href}">x</a>' in html(f"[x]({link})")
    assert f'<a href="{href}">x</a>' in html(f"[x]\n\n[x]: {link}")


# fmt: off
HOSTILE_LINKS = [
    "javascript:alert(1)", "JaVaScRiPt:x", "&#106;avascript:x", "javascript&colon;x",
    "data:text/html,x", "data:image/png;base64,AAAA", "vbscript:x", "file:///etc",
    "//evil.example", "blob:x", "ftp://e", "\x01javascript:x", "java&Tab;script:x",
    "java&NewLine;script:x", "http:x", "tel:1", "x.md:y",
]
HOSTILE_PIECES = [
    *HOSTILE_LINKS,
    "[x](", ")", "![", "]: ", "<", ">", "# ", "\n", "\n\n", "| a | b |\n|--|--|\n",
    "<script>", "<img src=x onerror=y>", "<!--", "-->", "<a href='javascript:x'>",
    "`", "```html\n", "~~", "*", "> ", "- ", "1. ", '"', "'", "&lt;", "\\", "x.md",
]
TAGS = {
    "h1", "h2", "h3", "h4", "h5", "h6", "p", "a", "img", "em", "strong", "s", "code",
    "pre", "ul", "ol", "li", "blockquote", "hr", "br",
    "table", "thead", "tbody", "tr", "th", "td",
}
# fmt: on


@pytest.mark.parametrize("link", HOSTILE_LINKS)
def test_links_with_other_schemes_or_hosts_are_dropped(link: str) -> None:
    for text in (f"[x]({link})", f"![x]({link})", f"<{link}>", f"[x]\n\n[x]: {link}"):
        assert not re.search("<a |<img ", html(text))


class StrictParser(HTMLParser):
    """Refuses tags and attributes that Markdown does not make."""

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

    def handle_decl(self, decl: str) -> None:
        self.handle_comment(decl)

    def unknown_decl(self, data: str) -> None:
        self.handle_comment(data)

    handle_pi = unknown_decl


@given(
    st.one_of(
        st.text(),
        st.lists(st.sampled_from(HOSTILE_PIECES), max_size=30).map("".join),
    )
)
def test_the_html_has_only_the_tags_of_markdown(text: str) -> None:
    rendered = html(text)
    parser = StrictParser()
    parser.feed(rendered)
    parser.close()
    ids = re.findall(' id="(.*?)"', rendered)
    assert len(ids) == len(set(ids))
