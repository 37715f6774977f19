"""Descriptions as HTML: that they read as meant, and that nothing in them is markup."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.language.html import prose, summary

ALLOWED = {
    **dict.fromkeys(("p", "ul", "li", "pre", "code", "br", "strong", "em"), set()),
    "ol": {"start"},
    "a": {"href", "rel"},
}
EMPTY = {"br"}


class Reader(HTMLParser):
    """Reads the HTML as strictly as a browser is lenient, and says what it shows.

    ``shown`` has what the markup stands for, too: the numbers of items and the
    targets of links that differ from their text.
    """

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.numbers: list[int] = []
        self.target: str | None = None
        self.links: list[str] = []
        self.shown = ""
        self.text = ""
        self.feed(str(html))
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        assert set(values) <= ALLOWED[tag]
        self.shown += " "
        if tag in ("ul", "ol"):
            assert not self.open or self.open[-1] == "li"
            self.numbers.append(int(values.get("start") or 1) if tag == "ol" else -1)
        if tag == "li":
            assert self.open[-1] in ("ul", "ol")
            if self.open[-1] == "ol":
                self.shown += f"{self.numbers[-1]} "
                self.numbers[-1] += 1
        if tag in ("p", "pre"):
            assert self.open in ([], *([self.open] if self.open[-1:] == ["li"] else []))
        if tag == "a":
            self.target = values["href"] or ""
            assert re.match(r"https?://[A-Za-z0-9]", self.target)
            assert values["rel"] == "nofollow noreferrer"
            self.links.append(self.target)
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
        if tag in ("ul", "ol"):
            self.numbers.pop()
        if tag == "a":
            self.target = None
        self.shown += " " if tag in ("p", "li", "pre") else ""

    def handle_data(self, data: str) -> None:
        self.text += data
        self.shown += data
        if self.target not in (None, data):
            self.shown += f" {self.target} "

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")

    handle_decl = handle_pi = unknown_decl = handle_comment


def letters(text: str) -> str:
    """The letters and digits of ``text``: what no markup takes away or adds."""
    return "".join(filter(str.isalnum, text))


PIECES = st.sampled_from(
    [
        *("word", "Word.", "key: ", "a b", "7", "e.g. ", ":", "\n", "\n\n", "\n    "),
        *("\n  ", "\t", " ", "   ", "- ", " - ", "* ", " * ", "+ ", "1. ", " 2. ", "3) "),
        *("```", "```\n", "``` x", "`", "`x`", "'x' - ", "{\n  ", "\n}\n", "[", "(", ")"),
        *("| a | b |", " | c | d |", "<a> ::= ", "# ", "## ", "**", "*", "_", "__", "> "),
        *("https://", "https://example.com/a(b)", "http://x.y.", "://", "[t](", "]("),
        *("[t](https://e.org/)", "[t](javascript:x)", "[t](data:x)", "javascript:x"),
        *("<b>", "</p>", "<!--", "-->", "<![CDATA[", "<?x", "&amp;", "&#60;", "&", '"'),
        *("<script>", "'", "\\", "\0", "\r", "\u202e", "\u2028", "\x1b[1m", "\ufeff"),
    ]
)
HOSTILE = st.one_of(st.text(), st.lists(PIECES, max_size=40).map("".join))


@given(HOSTILE)
def test_nothing_but_our_tags_and_every_word_in_its_place(text: str) -> None:
    reader = Reader(prose(text))
    assert letters(reader.shown) == letters(text)


@given(HOSTILE)
def test_controls_and_marks_of_direction_are_only_seen(text: str) -> None:
    hidden = r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]"
    assert not re.search(hidden, prose(text))
    assert not re.search(hidden + r"|[\n\t]", summary(text))


@given(HOSTILE, st.integers(2, 60))
def test_a_summary_is_words_of_the_text_and_no_longer_than_asked(
    text: str, limit: int
) -> None:
    short = summary(text, limit)
    assert len(short) <= limit
    assert "`" not in short
