"""Text from a document is escaped in reports and histories of every format."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from kubestencil.diff import Comparison, compare, history
from kubestencil.text import controls, markdown, terminal
from tests.diff_specs import document, pod
from tests.report_pages import Page, check_page
from tests.reports import comparison_report, history_report

HOSTILE = (
    "<script>alert(1)</script>",
    "![x](http://127.0.0.1/x.png)",
    "[x](javascript:alert(1))",
    "a | b",
    "`code` ``` ~~~ **bold** _it_ $x$",
    "</del></ins></span><img src=x onerror=alert(1)>",
    "\x1b[31mred\x1b[0m \x1b]0;title\x07",
    "first\n\n# heading\n- item\n1. item\n> quote\n<!-- c",
    "{{ 7 * 7 }} {% raw %}",
    "\u202eright to left",
    "&lt;b&gt; &amp;",
    "' onmouseover='x' \" x",
)


def compare_texts(before: str, after: str) -> Comparison:
    """A comparison of documents with these texts wherever a document has text."""

    def side(text: str) -> Any:
        field = {"description": text, "default": text, "enum": [text], "title": text}
        fields = {
            "same": field,
            f"name {text}": {"type": "string", "description": text},
        }
        definitions = pod(**fields)
        definitions["io.k8s.api.core.v1.Pod"]["required"] = [f"name {text}"]
        definitions["io.k8s.api.core.v1.Pod"][f"x-{text}"] = text
        definitions["io.k8s.api.core.v1.Pod"]["description"] = text
        gvk = definitions["io.k8s.api.core.v1.Pod"]["x-kubernetes-group-version-kind"]
        gvk[0]["kind"] = text
        return document(definitions)

    return compare(side(before), side(after))


@pytest.mark.parametrize("text", HOSTILE)
def test_text_of_a_document_is_escaped_in_html(text: str) -> None:
    page = check_page(comparison_report(compare_texts("plain", text), "html"))
    for address in (value for name, value in page.attributes if name == "href"):
        assert address is not None
        assert address.startswith(("#", "https://"))
    shown = "".join(page.text)
    assert controls.one_line(text)[:20] in shown


@pytest.mark.parametrize("text", HOSTILE)
def test_text_of_a_document_is_escaped_in_markdown(text: str) -> None:
    generated = comparison_report(compare_texts("plain", text), "markdown")
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(generated)
    inline = [child for token in tokens for child in token.children or ()]
    assert not {"html_block", "fence"} & {token.type for token in tokens}
    assert {token.type for token in inline} <= {
        *("text", "softbreak", "strong_open", "strong_close", "html_inline"),
        *("link_open", "link_close"),
    }
    tags = {token.content for token in inline if token.type == "html_inline"}
    assert tags <= {"<del>", "</del>", "<ins>", "</ins>"}
    hrefs = {token.attrs["href"] for token in inline if token.type == "link_open"}
    assert all(str(href).startswith("https://") for href in hrefs)


@settings(max_examples=300, deadline=None)
@given(st.text(st.characters(codec="utf-8"), max_size=12))
@example("   ")
def test_literal_markdown_is_displayed_unchanged(text: str) -> None:
    """In a paragraph, a list item, a table, and next to other markup."""
    expected = " ".join(markdown.line(text).split())
    for template in (
        "{}",
        "- {}",
        "x | y\n--- | ---\n{} | z",
        "a **{}** <ins>{}</ins>",
    ):
        page = MarkdownIt("commonmark").enable("table")
        rendered = page.render(template.format(*[markdown.literal(text)] * 2))
        parsed = Page(rendered)
        assert set(parsed.tags) <= {
            *("p", "ul", "li", "strong", "ins"),
            *("table", "thead", "tbody", "tr", "th", "td"),
        }
        assert expected in " ".join("".join(parsed.text).split())


@pytest.mark.parametrize("text", HOSTILE)
def test_text_of_a_document_has_no_control_sequences(text: str) -> None:
    generated = comparison_report(
        compare_texts("plain", text), "text", paint=terminal.colored
    )
    uncoloured = re.sub(r"\x1b\[[0-9;]+m", "", generated)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", uncoloured)
    # All remaining sequences are colours.
    assert "\x1b]" not in generated
    assert generated.count("\x1b") == len(re.findall(r"\x1b\[[0-9;]+m", generated))


@pytest.mark.parametrize("format_name", ["csv", "github", "release-note", "markdown"])
@pytest.mark.parametrize("text", HOSTILE)
def test_text_of_a_document_begins_no_line(text: str, format_name: str) -> None:
    """No text from a document has control characters or line breaks in any format."""
    plain = comparison_report(compare_texts("plain", "other"), format_name)
    generated = comparison_report(compare_texts("plain", text), format_name)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", generated)
    if format_name == "github":
        assert all(line.startswith("::") for line in generated.splitlines())
    if format_name == "csv":
        assert generated.count("\n") == plain.count("\n")


def test_plain_text_has_no_controls() -> None:
    assert controls.one_line("a\tb\r\nc\x1b[2Jd\u202e") == "a b c\ufffd[2Jd\ufffd"


def test_text_of_a_document_is_escaped_in_histories() -> None:
    for text in HOSTILE:
        releases = [
            document(pod(**{f"x{value}": {"description": value, "default": value}}))
            for value in ("plain", text)
        ]
        histories = history(releases, "Pod")
        check_page(history_report(histories, "html"))
        assert "<script" not in history_report(histories, "markdown")
