"""Highlighted code: its text is the code, whatever that is, and what is marked.

tests/test_text_growth.py measures the time."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubestencil.targets.site.examples.highlight import _PATTERNS, highlight

LANGUAGES = sorted(_PATTERNS)
PIECES = (
    "<b>", "</u>", "&lt;", "&", '"', "'", "\\", "#", "//", ": ", "- ", "|\n", "\n", "  ",
    "key", "=", "12", "1.5", "true", "import", "::", "--flag", "`", "}", "\t", "é",
)  # fmt: skip


class Text(HTMLParser):
    """The text of HTML, and its tags, which must be balanced and without attributes."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.text, self.open = "", list[str]()
        self.feed(str(html))
        self.close()

    def handle_starttag(self, tag: str, attributes: object) -> None:
        assert tag in ("b", "u", "em", "i") and not attributes and not self.open
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.nightly
@given(
    st.sampled_from([*LANGUAGES, "other"]),
    st.lists(st.sampled_from(PIECES) | st.text(max_size=5), max_size=30).map("".join),
)
def test_the_text_of_the_html_is_the_code(language: str, code: str) -> None:
    code = re.sub(r"[\r\0\x0c]", "", code)
    parsed = Text(highlight(language, code))
    assert parsed.text == code and not parsed.open


@pytest.mark.parametrize(
    ("language", "code", "html"),
    [
        ("yaml", "- name: web", "- <b>name</b>: web"),
        ("yaml", "a.b/c: true", "<b>a.b/c</b>: <em>true</em>"),
        ("yaml", "image: nginx:1.29", "<b>image</b>: nginx:1.29"),
        ("yaml", 'port: "80" # text', '<b>port</b>: <u>"80"</u><i> # text</i>'),
        ("yaml", "- 80", "- <em>80</em>"),
        ("yaml", "a: |\n  b: 1\n\n  c\nd: 2", "<b>a</b>: |\n<u>  b: 1</u>\n\n<u>  c</u>\n<b>d</b>: <em>2</em>"),
        ("yaml", "- a: |-\n    x: 1\n  b: 2", "- <b>a</b>: |-\n<u>    x: 1</u>\n  <b>b</b>: <em>2</em>"),
        ("python", 'f(name="a", n=1)', 'f(<b>name</b>=<u>"a"</u>, <b>n</b>=<em>1</em>)'),
        ("python", "a == 1  # x", "a == <em>1</em>  <i># x</i>"),
        ("jsonnet", "+ k.f({app: 'a//b'})", "+ k.f({<b>app</b>: <u>'a//b'</u>})"),
        ("rust", 'name: Some("a".into()),', '<b>name</b>: Some(<u>"a"</u>.into()),'),
        ("rust", "core_v1::Pod {", "core_v1::Pod {"),
        ("typescript", 'kind: "Pod",', '<b>kind</b>: <u>"Pod"</u>,'),
        ("typescript", '"a.b": 1,', '<b>"a.b"</b>: <em>1</em>,'),
        ("typescript", "export const", "<b>export</b> <b>const</b>"),
        ("kubectl", "kubectl get -l a=b", "<b>kubectl</b> get <b>-l</b> a=b"),
    ],
)  # fmt: skip
def test_tokens_are_marked(language: str, code: str, html: str) -> None:
    assert highlight(language, code) == html
