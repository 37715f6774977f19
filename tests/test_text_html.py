"""Descriptions as HTML: their structure is kept, and no text of theirs is markup."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup, escape

from kubestencil.text.html import breakable, prose, summary
from tests.conftest import FULL_RELEASES, full_specs, load

#: The allowed attributes of each tag.
TAGS: dict[str, set[str]] = {
    **{tag: set() for tag in ("p", "ul", "li", "pre", "code", "br", "strong", "em")},
    "ol": {"start"},
    "a": {"href", "rel"},
}
VOID_TAGS = {"br"}


class StrictParser(HTMLParser):
    """Refuses HTML that is not balanced or has other tags, and collects its text.

    ``source_text`` has also what became markup: the numbers of items, and the URLs of
    links that differ from their text.
    """

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open_tags: list[str] = []
        self.numbers: list[int] = []
        self.url: str | None = None
        self.links: list[str] = []
        self.source_text = ""
        self.text = ""
        self.feed(str(html))
        self.close()
        assert self.open_tags == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        assert set(values) <= TAGS[tag]
        self.source_text += " "
        if tag in ("ul", "ol"):
            assert not self.open_tags or self.open_tags[-1] == "li"
            self.numbers.append(int(values.get("start") or 1) if tag == "ol" else -1)
        if tag == "li":
            assert self.open_tags[-1] in ("ul", "ol")
            if self.open_tags[-1] == "ol":
                self.source_text += f"{self.numbers[-1]} "
                self.numbers[-1] += 1
        if tag in ("p", "pre"):
            assert not self.open_tags or self.open_tags[-1] == "li"
        if tag == "a":
            self.url = values["href"] or ""
            assert re.match(r"https?://[A-Za-z0-9]", self.url)
            assert values["rel"] == "nofollow"
            self.links.append(self.url)
        if tag not in VOID_TAGS:
            self.open_tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open_tags.pop() == tag
        if tag in ("ul", "ol"):
            self.numbers.pop()
        if tag == "a":
            self.url = None
        self.source_text += " " if tag in ("p", "li", "pre") else ""

    def handle_data(self, data: str) -> None:
        self.text += data
        self.source_text += data
        if self.url not in (None, data):
            self.source_text += f" {self.url} "

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")

    def handle_decl(self, decl: str) -> None:
        self.handle_comment(decl)

    def unknown_decl(self, data: str) -> None:
        self.handle_comment(data)

    handle_pi = unknown_decl


def letters(text: str) -> str:
    """The letters and digits of ``text``, which are the same with markup and without."""
    return "".join(filter(str.isalnum, text))


# fmt: off
HOSTILE_PIECES = [
    "word", "Word.", "key: ", "a b", "7", "e.g. ", ":", "\n", "\n\n", "\n    ",
    "\n  ", "\t", " ", "   ", "- ", " - ", "* ", " * ", "+ ", "1. ", " 2. ", "3) ",
    "```", "```\n", "``` x", "`", "`x`", "'x' - ", "{\n  ", "\n}\n", "[", "(", ")",
    "| a | b |", " | c | d |", "<a> ::= ", "# ", "## ", "**", "*", "_", "__", "> ",
    "https://", "https://example.com/a(b)", "http://x.y.", "://", "[t](", "](",
    "[t](https://e.org/)", "[t](javascript:x)", "[t](data:x)", "javascript:x",
    "<b>", "</p>", "<!--", "-->", "<![CDATA[", "<?x", "&amp;", "&#60;", "&", '"',
    "<script>", "'", "\\", "\0", "\r", "\u202e", "\u2028", "\x1b[1m", "\ufeff",
]
OTHER_LINKS = [
    "[x](javascript:alert)", "[x](data:text/html,y)", "[x](/pkg/a.go)", "[x](//e)",
    "http://<host>/<path>", "https://", "javascript:http", "[x](mailto:a@b)",
    "[x](java\tscript:y)", "ftp://e.org", "[x]: y", "<https>", "[x](vbscript:y)",
]
# fmt: on
HOSTILE = st.one_of(
    st.text(), st.lists(st.sampled_from(HOSTILE_PIECES), max_size=40).map("".join)
)


@given(HOSTILE)
def test_html_is_balanced_and_keeps_all_words_in_order(text: str) -> None:
    assert letters(StrictParser(prose(text)).source_text) == letters(text)


@given(HOSTILE)
def test_control_characters_are_replaced(text: str) -> None:
    controls = (
        r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]"
    )
    assert not re.search(controls, prose(text))
    assert not re.search(controls + r"|[\n\t]", summary(text))


@given(HOSTILE, st.integers(2, 60))
def test_a_summary_is_no_longer_than_its_limit(text: str, limit: int) -> None:
    result = summary(text, limit)
    assert len(result) <= limit
    assert "`" not in result


def test_the_descriptions_of_a_release_keep_all_words() -> None:
    definitions = load(FULL_RELEASES[-1], full_specs()).definitions.values()
    texts = {
        text
        for definition in definitions
        for text in (
            definition.description,
            *(field.schema.description for field in definition.fields),
        )
    }
    assert len(texts) > 2000
    changed = [
        text
        for text in texts
        if letters(StrictParser(prose(text)).source_text) != letters(text)
    ]
    assert changed == []


def without_rel(html: str) -> str:
    """HTML without the ``rel`` of its links, which are all the same."""
    return str(html).replace(" rel=nofollow", "")


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
def test_paragraphs_with_inline_markup(text: str, html: str) -> None:
    assert without_rel(prose(text)) == html


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("see https://e.org/a.", "https://e.org/a"),
        ("(see http://e.org/a_(b)), then", "http://e.org/a_(b)"),
        ("(http://e.org/).", "http://e.org/"),
        ('"https://e.org/a?b=c&d#e-f-"', "https://e.org/a?b=c&d#e-f-"),
        ("[e](https://e.org/a(b)c)", "https://e.org/a(b)c"),
        ("https://e.org/\u2014dash", "https://e.org/"),
    ],
)
def test_punctuation_after_a_url_is_not_part_of_it(text: str, url: str) -> None:
    assert StrictParser(prose(text)).links == [url]


@pytest.mark.parametrize("text", OTHER_LINKS)
def test_links_with_other_schemes_stay_text(text: str) -> None:
    parser = StrictParser(prose(text))
    assert parser.links == []
    assert parser.text == text.expandtabs(4)


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
def test_lists_with_one_item_a_line(text: str, html: str) -> None:
    assert without_rel(prose(text)) == html


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("Values are: - On: it is. - Off: it is not.", ["On: it is.", "Off: it is not."]),
        ("Unset: - spec.a - spec.b - spec.c", ["spec.a", "spec.b", "spec.c"]),
        ("- x: a sign - y: another - z: a third", ["x: a sign", "y: another", "z: a third"]),
        ("- No loss is made - The sum is kept", ["No loss is made", "The sum is kept"]),
        ("- 'a' - The one. - 'b' - The other.", ["'a' - The one.", "'b' - The other."]),
        ("If set, * it shows an a * it hides a b", ["it shows an a", "it hides a b"]),
        ("When on: 1. Do a. 2. Do b.", ["Do a.", "Do b."]),
        ("When on: 1. Do a,\n  then\n2. Do b. 3. Do c.", ["Do a, then", "Do b.", "Do c."]),
        ("- Count: the usual way - the\n  counter grows", ["Count: the usual way - the counter grows"]),
        ("a thing - whatever it is - is a thing", []),
        ("from 0 to (n - 1), a * b, or * for all, part 1. Not 2. at all", []),
        ("the Range: -1 to 1, RFC 3986: 2. nothing", []),
    ],
)  # fmt: skip
def test_lists_that_were_joined_to_one_line(text: str, items: list[str]) -> None:
    """Kubernetes' generator joins lists; text that only looks like one is no list."""
    html = str(prose(text))
    assert re.findall("<li>(.*?)</li>", html.replace("&#39;", "'")) == items
    assert items or html.count("<p>") == 1


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
    (block,) = re.findall("<pre><code>(.*?)</code></pre>", prose(text), re.DOTALL)
    assert StrictParser(block).text == code


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "A vendor- or admin-provided class. More.",
            "A vendor- or admin-provided class.",
        ),
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
def test_a_summary_is_the_first_sentence(text: str, sentence: str) -> None:
    assert summary(text) == sentence


def test_a_long_sentence_is_cut_after_a_word() -> None:
    assert summary("words and more, words", 16) == "words and more…"
    assert summary("x" * 50, 10) == f"{'x' * 9}…"


def test_the_depth_of_lists_is_limited() -> None:
    text = "".join(f"{' ' * depth * 2}- x\n" for depth in range(300))
    assert prose(text).count("<ul>") == 6


@pytest.mark.parametrize(
    ("name", "html"),
    [
        ("flowcontrol.apiserver.k8s.io/v1", "flowcontrol.|apiserver.|k8s.|io/|v1"),
        ("/apis/apps/v1/{name}", "/|apis/|apps/|v1/|{name}"),
        ("deprecated in 1.35; use v1/Pod", "deprecated in 1.35; use v1/|Pod"),
        ("CustomResourceDefinitionCondition", "Custom|Resource|Definition|Condition"),
        ("initContainers", "initContainers"),
    ],
)
def test_long_names_are_broken_between_their_parts(name: str, html: str) -> None:
    assert breakable(name) == html.replace("|", "<wbr>")


@given(st.text())
def test_a_name_that_can_be_broken_is_no_markup(name: str) -> None:
    assert breakable(name).replace("<wbr>", "") == escape(name)


def test_a_name_is_escaped_whatever_was_rendered_before() -> None:
    assert breakable(Markup("<i>a</i>")) == breakable("<i>a</i>")
    assert "<i>" not in breakable("<i>a</i>")
