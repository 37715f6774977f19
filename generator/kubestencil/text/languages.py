"""How programming languages and data formats spell comments, string literals and
identifiers: a row of ``LANGUAGES``, and of ``reserved_words.toml``."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Container, Mapping
from functools import partial
from keyword import kwlist
from pathlib import Path
from typing import NamedTuple, TypeVar

from kubestencil.text import casing, yaml
from kubestencil.text.comments import (
    STYLES,
    CommentStyle,
    docstring,
    go_comment,
    graphql_description,
    javadoc,
    python_escape,
)
from kubestencil.text.comments.directives import disarm
from kubestencil.text.yaml import double_quoted, four_or_eight_digits

_Fact = TypeVar("_Fact")
_WORDS = tomllib.loads(
    Path(__file__).with_name("reserved_words.toml").read_text("utf-8")
)
# What a literal in double quotes cannot hold as it is, and what cannot be seen.
_SPECIAL = re.compile(r"[^ !#-\[\]-~]")
# Spaces at the end of a line are removed there, and so is what looks like one.
_JAVA_SPECIAL = re.compile(r'[\\"]|[^\n\x20-\x7e]| (?=\n|\Z)')
_KOTLIN_SPECIAL = re.compile(r'"{3,}|\$|[^\n\x20-\x7e]')
_XML_SPECIAL = re.compile(r'[<>&"]|[^\x20-\x7e]')
# XML 1.0, 2.2
_NOT_XML = re.compile(r"[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def comment(
    text: str,
    style: str = "//",
    width: int | None = None,
    tags: Mapping[str, str | None] | None = None,
) -> str:
    """A comment that the text cannot end, and with no directive of a tool that the text
    has (``>>>``, ``@ts-ignore``, ``+genclient``). ``style`` is a language, for what
    documents a declaration (c, cue, go, graphql, html, java, jsonnet, kcl, kotlin, pkl,
    python, rust, toml, typescript, xml, yaml), or how comments begin: ``//``, ``///``,
    ``//!``, ``#``, ``--``, ``;``, ``/* */``, ``/** */``, ``\"\"\"`` or ``<!-- -->``;
    ``width`` breaks long lines. ``tags`` are paragraphs at the end: of
    ``{"default": "1", "deprecated": ""}``, ``@default 1`` and ``@deprecated``; None leaves
    a tag out. Empty for blank text without tags.

    There is no line break at its end. Raises ValueError for an unknown style.
    """
    make = _of(COMMENTS, "style", style)
    paragraphs = [disarm(text, style)] if text.strip() else []
    for name, value in (tags or {}).items():
        if value is not None:
            paragraphs.append(f"@{name} {disarm(value, style)}")
    return make("\n\n".join(paragraphs), width)


def quote(text: str, language: str = "json") -> str:
    """A string literal of ``language``: c, cue, go, graphql, java, json, jsonnet, kcl,
    kotlin, pkl, python, rust, toml, typescript, xml (an attribute) or yaml.

    It is on one line, and means exactly ``text``. Raises ValueError for a language that
    is not in ``QUOTES``.
    """
    return _of(QUOTES, "language", language)(text)


def key(name: str, language: str, own: Container[str] = ()) -> str:
    """The name of a field of an object in cue, jsonnet, kcl or pkl: as it is, or quoted where
    it is no identifier, begins with ``_``, which hides a field, or is one of ``own``, the
    names that generated code uses itself."""
    reserved = reserved_words(language)
    if name != casing.identifier(name, reserved) or name[:1] == "_" or name in own:
        return f"`{name}`" if language == "pkl" else quote(name, language)
    return name


def text_block(text: str, language: str) -> str:
    """A string literal of several lines, for java or kotlin, which ``indent`` may move to
    the right.

    It means exactly ``text``: Java's has its indentation removed by the compiler, Kotlin's
    by a function. Raises ValueError for a language that is not in ``TEXT_BLOCKS``.
    """
    return _of(TEXT_BLOCKS, "language", language)(text)


def reserved_words(language: str) -> frozenset[str]:
    """The words that cannot be identifiers.

    Raises ValueError for a language that is not in ``RESERVED``.
    """
    return _of(RESERVED, "language", language)


def _of(table: Mapping[str, _Fact], noun: str, name: str) -> _Fact:
    if name not in table:
        raise ValueError(f"unknown {noun} {name!r}, available: {', '.join(table)}")
    return table[name]


def python_literal(text: str) -> str:
    """``text`` as a Python string literal that black leaves unchanged."""
    return f'"{_SPECIAL.sub(python_escape, text)}"'


def _braces(code: int) -> str:
    return f"\\u{{{code:x}}}"


def _utf16(code: int) -> str:
    if code <= 0xFFFF:
        return f"\\u{code:04x}"
    high, low = divmod(code - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"


def _utf8(code: int) -> str:
    return "".join(f"\\{byte:03o}" for byte in chr(code).encode(errors="surrogatepass"))


def _java_text_block(text: str) -> str:
    def escaped(match: re.Match[str]) -> str:
        character = match[0]
        code = ord(character)
        if character in '\\"':
            return f"\\{character}"
        return f"\\{code:03o}" if code <= 0xFF else _utf16(code)

    lines = _JAVA_SPECIAL.sub(escaped, text).split("\n")
    # Nothing is behind the last line, and the delimiter has the indentation.
    return "\n".join(['"""', *lines]) + '\\\n"""'


def _kotlin_string(text: str) -> str:
    return double_quoted(text, _utf16).replace("$", "\\$")


def _kotlin_text_block(text: str) -> str:
    if "\r" in text:
        return _kotlin_string(text)  # trimMargin makes a line break of it

    def escaped(match: re.Match[str]) -> str:
        return (
            f"${{{double_quoted(match[0], _utf16)}}}" if match[0] != "$" else "${'$'}"
        )

    lines = _KOTLIN_SPECIAL.sub(escaped, text).split("\n")
    return "\n".join(['"""', *(f"|{line}" for line in lines), '""".trimMargin()'])


def _xml_attribute(text: str) -> str:
    allowed = _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)
    return f'"{_XML_SPECIAL.sub(lambda match: f"&#{ord(match[0])};", allowed)}"'


class Language(NamedTuple):
    """What is known of a language: how it documents a declaration, how it quotes a text,
    on one line and on several; None where it has no such thing."""

    comment: CommentStyle | None = None
    quote: Callable[[str], str] | None = None
    text_block: Callable[[str], str] | None = None


_quote_8_digits = partial(double_quoted, escape=four_or_eight_digits)
_quote_braces = partial(double_quoted, escape=_braces)
_quote_utf16 = partial(double_quoted, escape=_utf16)

#: The languages by name.
LANGUAGES: Mapping[str, Language] = {
    "c": Language(STYLES["/** */"], partial(double_quoted, escape=_utf8)),
    "cue": Language(STYLES["//"], _quote_8_digits),
    "go": Language(go_comment, _quote_8_digits),
    "graphql": Language(graphql_description, _quote_utf16),
    "html": Language(STYLES["<!-- -->"]),
    "java": Language(javadoc, _quote_utf16, _java_text_block),
    "json": Language(quote=lambda text: json.dumps(text, ensure_ascii=False)),
    "jsonnet": Language(STYLES["//"], _quote_utf16),
    # A dollar sign and a brace begin an expression.
    "kcl": Language(
        docstring, lambda text: _quote_8_digits(text).replace("${", "$\\u007b")
    ),
    "kotlin": Language(STYLES["/** */"], _kotlin_string, _kotlin_text_block),
    "pkl": Language(STYLES["///"], _quote_braces),
    "python": Language(docstring, _quote_8_digits),
    "rust": Language(STYLES["///"], _quote_braces),
    "toml": Language(STYLES["#"], _quote_8_digits),
    "typescript": Language(STYLES["/** */"], _quote_utf16),
    "xml": Language(STYLES["<!-- -->"], _xml_attribute),
    "yaml": Language(STYLES["#"], yaml.string),
}


#: The functions that make a comment: by its style, or by the language that it documents a
#: declaration in.
COMMENTS: Mapping[str, CommentStyle] = {
    **STYLES,
    **{name: row.comment for name, row in LANGUAGES.items() if row.comment},
}
#: The functions that quote a text, by language.
QUOTES = {name: row.quote for name, row in LANGUAGES.items() if row.quote}
#: The reserved words of each language.
RESERVED = {
    **{name: frozenset(words.split()) for name, words in _WORDS.items()},
    "python": frozenset(kwlist),
}
#: The functions that make a literal of several lines, by language.
TEXT_BLOCKS = {
    name: row.text_block for name, row in LANGUAGES.items() if row.text_block
}
