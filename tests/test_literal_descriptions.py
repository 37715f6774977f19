"""The fixup ``literal-descriptions``: descriptions of custom resources are text on pages
of Markdown, whatever they say."""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from markdown_it import MarkdownIt

from kubestencil.engine import Target, load_targets
from kubestencil.schema import Release
from kubestencil.targets import generate_files
from kubestencil.targets.website import text as website_text
from kubestencil.text import markdown
from tests.conftest import make_release
from tests.strategies import HOSTILE_TEXTS

TARGETS = ("website", "markdown", "markdown-v4", "markdown-v5")
#: What Markdown, HTML or Hugo would make something of.
HOSTILE = [
    "[x](javascript:alert(1))", "[x](vbscript:x)", "[d](data:text/html,<script>)",
    "[x](http://evil.example)", "[r][q]\n\n[q]: javascript:alert(2)", "[q]\n\n[q]: x",
    "![t](https://evil.example/track.png)", "![t][q]\n\n[q]: https://evil.example",
    "<https://evil.example>", "<a@evil.example>", "# Heading", "a\n\n# H {#x}",
    "Setext\n===", "Setext\n---", "a\n\n---\n\nb", "```\nopen fence", "~~~\nopen fence",
    "a\n\n``` go {.x}\nb", "    code", "a\n\n\tcode", "> quote", "- item\n- item",
    "1. item\n2) item", "* item", "+ item", "*em* __strong__ ~~no~~ `code`",
    "<b onclick=alert(1)>x</b>", "<details open ontoggle=alert(1)>", "<script>x",
    "<!-- comment", "<![CDATA[ x", "<?php x", "</td></tr></table>", "<group> <b>",
    "a|b|c", "a | b\n--|--\nc | d", "| a |\n| - |", "a\n:-", "[^1]\n\n[^1]: note",
    "&#34; &lt;b&gt; &amp; &quot;", "ends with \\", "ends with spaces  \nnext", "\0",
    "{{< ref x >}} {{% x %}} {{ .Site }} {% raw %} {x}", "a\n{.class onclick=x}",
    "line\r\rline", "line\r\n\r\n# H", "a\u2028b\x0b\x0c# c", ":smile: a:b: http://x.y",
    "term\n: definition", "$$x$$ \\(x\\)", "'\"", "\\<b> \\[x](y) \\|", "=\n\n===",
    "https://x.y/a_b#c?d=1&e=2, https://x.y/|`*{{< z >}}<b> https:x https://",
    "@octocat #12 &copy; a@b.c javascript://x//https://y",
    "Possible enum values:\n - `\"A\"` [x](javascript:x)\n - `<B>` | y",
]  # fmt: skip

RENDERER = """package main
import (
	"bytes"; "io"; "os"
	"github.com/yuin/goldmark"; "github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"; "github.com/yuin/goldmark/renderer/html"
)
func main() {
	pages, _ := io.ReadAll(os.Stdin)
	markdown := goldmark.New(
		goldmark.WithExtensions(extension.GFM, extension.Footnote,
			extension.DefinitionList, extension.Typographer),
		goldmark.WithParserOptions(parser.WithAttribute()),
		goldmark.WithRendererOptions(html.WithUnsafe()))
	for index, page := range bytes.Split(pages, []byte{0x1f}) {
		if index > 0 { os.Stdout.Write([]byte{0x1f}) }
		if err := markdown.Convert(page, os.Stdout); err != nil { panic(err) }
	}
}
"""


class _Outline(HTMLParser):
    """The elements of a page with their attributes, and its text."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: list[tuple[str, str]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        # Paragraphs and lines of a description are its own, and addresses are links.
        if tag not in ("p", "br") and "('href', 'https://" not in str(attrs):
            self.elements.append((tag, str(attrs)))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        self.elements.append(("!--", data))

    def unknown_decl(self, data: str) -> None:
        self.elements.append(("![", data))

    def handle_pi(self, data: str) -> None:
        self.elements.append(("?", data))


@cache
def target(name: str) -> Target:
    return load_targets(None)[name]


def release(text: str, name: str = "com.example.v1.Foo") -> Release:
    field: dict[str, Any] = {"type": "string", "description": text}
    return make_release(
        {
            name: {
                "description": text,
                "properties": {
                    "a": field,
                    "b": {"type": "string", "default": text},
                    "c": {"type": "array", "items": {"type": "string"}},
                },
            }
        }
    )


def bodies(described: Release, of: Target) -> dict[str, str]:
    """The pages of a target without front matter, with the addresses that Hugo puts in
    the place of its own shortcodes."""
    pages = {}
    for file in generate_files(described, of):
        page = file.data.decode()
        if page.startswith("---\n"):
            page = page.partition("\n---\n")[2]
        page = re.sub(r'\{\{< ref "([^"]*)" >\}\}', r"\1", page)
        assert "{{" not in page and "{%" not in page
        pages[file.path] = page
    return pages


def outline_of(html: str) -> _Outline:
    outline = _Outline()
    outline.feed(html)
    outline.close()
    return outline


def outlines(described: Release, of: Target) -> dict[str, _Outline]:
    """What a renderer of CommonMark with tables makes of the pages of a target."""
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    pages = bodies(described, of).items()
    return {path: outline_of(parser.render(page)) for path, page in pages}


@pytest.mark.parametrize("name", TARGETS)
def test_no_description_makes_an_element(name: str) -> None:
    plain = outlines(release("plain"), target(name))
    for text in HOSTILE:
        for path, outline in outlines(release(text), target(name)).items():
            assert outline.elements == plain[path].elements, (text, path)


@pytest.mark.peer("go")
def test_no_description_makes_an_element_in_hugo(tmp_path: Path) -> None:
    """Hugo's renderer with everything that it can enable."""
    (tmp_path / "main.go").write_text(RENDERER)
    for command in (
        ["go", "mod", "init", "renderer"],
        ["go", "get", "github.com/yuin/goldmark@v1.7.8"],
        ["go", "build", "-o", "renderer", "."],
    ):
        if subprocess.run(command, cwd=tmp_path, capture_output=True).returncode:
            pytest.skip(f"{' '.join(command)} failed")

    def elements(name: str, text: str) -> list[list[tuple[str, str]]]:
        pages = "\x1f".join(bodies(release(text), target(name)).values())
        done = subprocess.run(
            [tmp_path / "renderer"], input=pages.encode(), capture_output=True
        )
        assert done.returncode == 0, done.stderr
        return [
            outline_of(page).elements for page in done.stdout.decode().split("\x1f")
        ]

    for name in ("website", "markdown"):
        plain = elements(name, "plain")
        for text in [*HOSTILE, "www.evil.example ftp://x.y mailto:a@b.c a@b.c"]:
            assert elements(name, text) == plain, text


@pytest.mark.parametrize("name", TARGETS)
def test_a_reader_sees_every_character(name: str) -> None:
    text = "^(a|b)$ <group> \"'\\|&quot; &#34; `x` *y* [z](http://u) {v} a:b # 1. \\"
    pages = outlines(release(text), target(name)).values()
    assert sum(page.text.count(text) for page in pages) >= 2


@given(HOSTILE_TEXTS)
@settings(max_examples=300, deadline=None)
def test_any_text_is_one_paragraph_and_one_cell(text: str) -> None:
    parser = MarkdownIt("commonmark", {"html": True}).enable("table")
    tokens = [
        inner.type
        for paragraph in website_text.LITERAL.body(text).split("\n\n")
        for token in parser.parse(f"{paragraph}\n\n")
        for inner in (token, *(token.children or ()))
    ]
    lines = {"paragraph_open", "inline", "paragraph_close", "text", "softbreak"}
    links = {"link_open", "link_close"}
    assert set(tokens) <= {*lines, *links, "text_special", "html_inline"}
    cell = markdown.page_text(text)
    row = parser.render(f"a | b | c\n--|--|--\nx | {cell} | z\n")
    assert row.count("<td>") == 3
    assert "<td>z</td>" in row
    for html in (website_text.LITERAL.html_cell(text), cell):
        assert not re.search(r"<(?!br/>|https://)|\{\{|[\r\n\0]", html)


@pytest.mark.parametrize("name", TARGETS)
def test_published_pages_are_literal_where_an_option_says_so(name: str) -> None:
    described = release("<group> [x](javascript:x) a|b", "io.k8s.api.core.v1.Foo")
    literal = target(name).with_options({"literal_descriptions": "true"})
    (page,) = (
        page for path, page in outlines(described, literal).items() if "oo" in path
    )
    assert page.text.count("<group> [x](javascript:x) a|b") >= 2
    # Without the fixup, the option says nothing.
    published = {file.data for file in generate_files(described, target(name))}
    dropped = replace(literal, fixups={})
    assert {file.data for file in generate_files(described, dropped)} == published


def test_the_title_of_a_document_is_text() -> None:
    info = {"title": "<script>x</script>\n# [a](javascript:x)", "version": "v1"}
    described = make_release({"com.example.v1.Foo": {}}, info=info)
    plain = make_release({"com.example.v1.Foo": {}}, info={**info, "title": "x"})
    website = target("website")
    elements = outlines(described, website)["_index.md"].elements
    assert elements == outlines(plain, website)["_index.md"].elements
