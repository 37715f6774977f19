"""Descriptions as HTML: that they read as meant, and that nothing in them is markup."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubestencil.text.html import prose, summary
from tests.conftest import RELEASES, full_specs, load

PLAIN = ("p", "ul", "li", "pre", "code", "br", "strong", "em")
ALLOWED = {**{tag: set() for tag in PLAIN}, "ol": {"start"}, "a": {"href", "rel"}}
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
        *(
            "\n  ",
            "\t",
            " ",
            "   ",
            "- ",
            " - ",
            "* ",
            " * ",
            "+ ",
            "1. ",
            " 2. ",
            "3) ",
        ),
        *(
            "```",
            "```\n",
            "``` x",
            "`",
            "`x`",
            "'x' - ",
            "{\n  ",
            "\n}\n",
            "[",
            "(",
            ")",
        ),
        *(
            "| a | b |",
            " | c | d |",
            "<a> ::= ",
            "# ",
            "## ",
            "**",
            "*",
            "_",
            "__",
            "> ",
        ),
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
    hidden = (
        r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]"
    )
    assert not re.search(hidden, prose(text))
    assert not re.search(hidden + r"|[\n\t]", summary(text))


@given(HOSTILE, st.integers(2, 60))
def test_a_summary_is_words_of_the_text_and_no_longer_than_asked(
    text: str, limit: int
) -> None:
    short = summary(text, limit)
    assert len(short) <= limit
    assert "`" not in short


def test_the_descriptions_of_a_release_are_complete() -> None:
    """On a document that people wrote: no description loses a word, in a list, in
    code or anywhere, nor gets one."""
    definitions = load(RELEASES[-1], full_specs()).definitions.values()
    texts = {
        text
        for definition in definitions
        for text in (
            definition.description,
            *(field.schema.description for field in definition.fields),
        )
    }
    assert len(texts) > 2000
    lost = [
        text for text in texts if letters(Reader(prose(text)).shown) != letters(text)
    ]
    assert lost == []


def flat(html: str) -> str:
    """HTML without what every link has, to be read in a test."""
    return str(html).replace(' rel="nofollow noreferrer"', "")


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("", ""),
        ("Plain words.", "<p>Plain words.</p>"),
        ("One.\n\nTwo\ngoes on.", "<p>One.</p><p>Two goes on.</p>"),
        ("One\r\ntwo\r\n\r\nthree", "<p>One two</p><p>three</p>"),
        ("## Title\nText", "<p><strong>Title</strong></p><p>Text</p>"),
        (
            "a <b>x</b> & <ip>:<port>",
            "<p>a &lt;b&gt;x&lt;/b&gt; &amp; &lt;ip&gt;:&lt;port&gt;</p>",
        ),
        ("the `spec.x` of `a b`", "<p>the <code>spec.x</code> of <code>a b</code></p>"),
        ("an odd ` and `` two", "<p>an odd ` and `` two</p>"),
        (
            "it is *not* _so_, **ever**",
            "<p>it is <em>not</em> <em>so</em>, <strong>ever</strong></p>",
        ),
        ("`*` is all, *s too, /a* b*", "<p><code>*</code> is all, *s too, /a* b*</p>"),
        ("snake_case_name __x__ 2 * 3 * 4", "<p>snake_case_name __x__ 2 * 3 * 4</p>"),
    ],
)
def test_paragraphs_and_what_is_in_them(text: str, html: str) -> None:
    assert flat(prose(text)) == html


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("see https://e.org/a.", "https://e.org/a"),
        ("(see http://e.org/a_(b)), then", "http://e.org/a_(b)"),
        ("(http://e.org/).", "http://e.org/"),
        ('"https://e.org/a?b=c&d#e-f-"', "https://e.org/a?b=c&d#e-f-"),
        ("[e](https://e.org/a(b)c)", "https://e.org/a(b)c"),
        ("https://e.org/\u2014dash", "https://e.org/"),
    ],
)
def test_a_link_ends_where_its_sentence_does(text: str, target: str) -> None:
    assert Reader(prose(text)).links == [target]


@pytest.mark.parametrize(
    "text",
    [
        *(
            "[x](javascript:alert)",
            "[x](data:text/html,y)",
            "[x](/pkg/a.go)",
            "[x](//e)",
        ),
        *("http://<host>/<path>", "https://", "javascript:http", "[x](mailto:a@b)"),
        *("[x](java\tscript:y)", "ftp://e.org", "[x]: y", "<https>", "[x](vbscript:y)"),
    ],
)
def test_what_leads_to_no_page_stays_text(text: str) -> None:
    reader = Reader(prose(text))
    assert reader.links == []
    assert reader.text == text.expandtabs(4)


@pytest.mark.parametrize(
    ("text", "html"),
    [
        (
            "One of:\n - A: first\n   and more\n - B: last\nAfter.",
            "<p>One of:</p><ul><li>A: first and more</li><li>B: last</li></ul><p>After.</p>",
        ),
        (
            "Steps:\n 1. Go\n 2. Choose:\n    - left\n    - right\n 3. Stop",
            "<p>Steps:</p><ol><li>Go</li><li>Choose:<ul><li>left</li><li>right</li></ul>"
            "</li><li>Stop</li></ol>",
        ),
        (
            "x:\n\t* a\n\t\t- b\n\t* c",
            "<p>x:</p><ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>",
        ),
        ("- a\n\n  more\n\n- b", "<ul><li>a<p>more</p></li><li>b</li></ul>"),
        ("1) `x`:\n     Its text.", "<ol><li><code>x</code>:<br>Its text.</li></ol>"),
        (" - Waiting\n   Nothing yet", "<ul><li>Waiting<br>Nothing yet</li></ul>"),
        (
            "3. c\n4. d\n7. g",
            '<ol start="3"><li>c</li><li>d</li></ol><ol start="7"><li>g</li></ol>',
        ),
        ("in the year\n2020. It was", "<p>in the year 2020. It was</p>"),
        ("Valid are:\n  A - one\n  B - two", "<p>Valid are:<br>A - one<br>B - two</p>"),
        ("a long\n   line goes on", "<p>a long line goes on</p>"),
    ],
)
def test_lists_as_they_were_written(text: str, html: str) -> None:
    assert flat(prose(text)) == html


@pytest.mark.parametrize(
    ("text", "items"),
    [
        (
            "Values are: - On: it is. - Off: it is not.",
            ["On: it is.", "Off: it is not."],
        ),
        ("Unset: - spec.a - spec.b - spec.c", ["spec.a", "spec.b", "spec.c"]),
        (
            "- x: a sign - y: another - z: a third",
            ["x: a sign", "y: another", "z: a third"],
        ),
        ("- No loss is made - The sum is kept", ["No loss is made", "The sum is kept"]),
        ("- 'a' - The one. - 'b' - The other.", ["'a' - The one.", "'b' - The other."]),
        ("If set, * it shows an a * it hides a b", ["it shows an a", "it hides a b"]),
        ("When on: 1. Do a. 2. Do b.", ["Do a.", "Do b."]),
        (
            "When on: 1. Do a,\n  then\n2. Do b. 3. Do c.",
            ["Do a, then", "Do b.", "Do c."],
        ),
        (
            "- Count: the usual way - the\n  counter grows",
            ["Count: the usual way - the counter grows"],
        ),
        ("a thing - whatever it is - is a thing", []),
        ("from 0 to (n - 1), a * b, or * for all, part 1. Not 2. at all", []),
        ("the Range: -1 to 1, RFC 3986: 2. nothing", []),
    ],
)
def test_lists_that_were_joined_to_one_line(text: str, items: list[str]) -> None:
    """Kubernetes' generator joins them; what only looks like one has to stay."""
    shown = flat(prose(text))
    assert re.findall("<li>(.*?)</li>", shown.replace("&#39;", "'")) == items
    assert items or shown.count("<p>") == 1


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Like:\n\n\ta: 1\n\n\t  b: 2\n\nAfter", "a: 1\n\n  b: 2"),
        ("Like:\n\ta: 1\n\tb: 2\nAfter", "a: 1\nb: 2"),
        ("Like:\n\n    - a\n    - b", "- a\n- b"),
        ("```yaml\na: 1\n  b: `2`\n```\nAfter", "a: 1\n  b: `2`"),
        ("- a\n\n  ```\n  <x>\n  ```\n- b", "<x>"),
        ("``` <a> ::= x | y <bc> ::= z ```", "<a> ::= x | y\n<bc> ::= z"),
        (
            'Set it: "a": {\n  "b": [\n    1\n  ]\n}\nAfter',
            '"a": {\n  "b": [\n    1\n  ]\n}',
        ),
        ("So: | z1 | z2 | |  P |  Q | Then", "| z1 | z2 |\n|  P |  Q |"),
    ],
)
def test_code_keeps_its_lines(text: str, code: str) -> None:
    html = flat(prose(text))
    (shown,) = re.findall("<pre><code>(.*?)</code></pre>", html, re.DOTALL)
    assert Reader(shown).text == code


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("One thing. Another.", "One thing."),
        (
            "A thing, e.g. v1.2 of it, etc. and more. Then",
            "A thing, e.g. v1.2 of it, etc. and more.",
        ),
        ("`spec` of [it](https://e.org/x.y) <b>\n\nAnd", "spec of it <b>"),
        ("# A title", "A title"),
        ("- one\n- two", "one - two"),
        ("", ""),
    ],
)
def test_the_first_sentence(text: str, short: str) -> None:
    assert summary(text) == short


def test_a_long_sentence_ends_with_a_whole_word() -> None:
    assert summary("words and more, words", 16) == "words and more…"
    assert summary("x" * 50, 10) == f"{'x' * 9}…"


@pytest.mark.parametrize(
    "piece",
    [
        *(
            "`",
            "`a ",
            "[",
            "[a](https://",
            "https://a.)",
            "https://a(",
            "*a ",
            "_a",
            "- ",
        ),
        *(
            ": - ",
            " * ",
            ": 1. ",
            "\n- ",
            "\n  ",
            "\n\n",
            "```\n",
            "{\n ",
            '"a": ',
            " |",
        ),
        *("| |", "<a> ::= ", " <a", "# ", ".", " ", "\t", "\0", "a: ", "' - ", "\n }"),
    ],
)
def test_no_text_takes_more_than_its_length_in_time(piece: str) -> None:
    """What takes the square of it does not come to an end here."""
    text = piece * (200_000 // len(piece))
    Reader(prose.__wrapped__(f"x: {text}x"))
    summary.__wrapped__(text)


def test_lists_in_lists_have_an_end() -> None:
    text = "".join(f"{' ' * depth * 2}- x\n" for depth in range(300))
    assert prose(text).count("<ul>") == 6
