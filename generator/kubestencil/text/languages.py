"""How programming languages and data formats spell comments, string literals and
identifiers: a row of ``LANGUAGES`` has what is known of one."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import partial
from keyword import kwlist
from typing import NamedTuple, TypeVar

from kubestencil.text import yaml
from kubestencil.text.comments import (
    STYLES,
    CommentStyle,
    docstring,
    go_comment,
    graphql_description,
    javadoc,
    python_escape,
)
from kubestencil.text.yaml import double_quoted, four_or_eight_digits

_Fact = TypeVar("_Fact")
# What a literal in double quotes cannot hold as it is, and what cannot be seen.
_SPECIAL = re.compile(r'[\\"]|[^\x20-\x7e]')
# Spaces at the end of a line are removed there, and so is what looks like one.
_JAVA_SPECIAL = re.compile(r'[\\"]|[^\n\x20-\x7e]| (?=\n|\Z)')
_KOTLIN_SPECIAL = re.compile(r'"{3,}|\$|[^\n\x20-\x7e]')
_XML_SPECIAL = re.compile(r'[<>&"]|[^\x20-\x7e]')
# XML 1.0, 2.2
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def comment(text: str, style: str, width: int | None = None) -> str:
    """``text`` as a comment, without a line break at its end; empty for blank text.

    ``style`` is one of ``COMMENTS``. With ``width``, lines are broken so that the
    comment's lines have up to that many characters. Raises ValueError for an unknown
    style.
    """
    return _of(COMMENTS, "style", style)(text, width)


def quote(text: str, language: str) -> str:
    """``text`` as a string literal, on one line, that means exactly ``text``.

    Raises ValueError for a language that is not in ``QUOTES``.
    """
    return _of(QUOTES, "language", language)(text)


def text_block(text: str, language: str) -> str:
    """``text`` as a literal of several lines that means exactly ``text``, wherever the
    lines behind the first are indented to. Java's has its indentation removed by the
    compiler, Kotlin's by a function.

    Raises ValueError for a language that is not in ``TEXT_BLOCKS``.
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
    on one line and on several, and its reserved words; none where it has no such
    thing."""

    comment: CommentStyle | None = None
    quote: Callable[[str], str] | None = None
    reserved: frozenset[str] | None = None
    text_block: Callable[[str], str] | None = None


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: The languages by name.
LANGUAGES: Mapping[str, Language] = {
    "c": Language(
        comment=STYLES["/** */"],
        quote=partial(double_quoted, escape=_utf8),
        # ISO/IEC 9899:2024, 6.4.1
        reserved=_words("""
            alignas alignof auto bool break case char const constexpr continue
            default do double else enum extern false float for goto if inline int
            long nullptr register restrict return short signed sizeof static
            static_assert struct switch thread_local true typedef typeof
            typeof_unqual union unsigned void volatile while
            """),
    ),
    "cue": Language(
        comment=STYLES["//"],
        quote=partial(double_quoted, escape=four_or_eight_digits),
        # https://cuelang.org/docs/reference/spec/#keywords and the predeclared types
        reserved=_words("""
            _ bool bytes error false float for if import in int let null number
            package rune string true uint
            """),
    ),
    "go": Language(
        comment=go_comment,
        quote=partial(double_quoted, escape=four_or_eight_digits),
        # https://go.dev/ref/spec#Keywords and the predeclared types
        reserved=_words("""
            any bool break byte case chan const continue default defer else error
            fallthrough false float32 float64 for func go goto if import int int32
            int64 interface iota map nil package range return select string struct
            switch true type var
            """),
    ),
    "graphql": Language(
        comment=graphql_description,
        quote=partial(double_quoted, escape=_utf16),
        # https://spec.graphql.org/October2021/#EnumValue
        reserved=_words("false null true"),
    ),
    "html": Language(
        comment=STYLES["<!-- -->"],
    ),
    "java": Language(
        comment=javadoc,
        quote=partial(double_quoted, escape=_utf16),
        # https://docs.oracle.com/javase/specs/jls/se21/html/jls-3.html#jls-3.9, and the
        # names that a component of a record cannot have (8.10.1)
        reserved=_words("""
            _ abstract assert boolean break byte case catch char class clone const
            continue default do double else enum extends false final finalize
            finally float for getClass goto hashCode if implements import instanceof
            int interface long native new notify notifyAll null package permits
            private protected public record return sealed short static strictfp
            super switch synchronized this throw throws toString transient true try
            var void volatile wait when while with yield
            """),
        text_block=_java_text_block,
    ),
    "json": Language(
        quote=lambda text: json.dumps(text, ensure_ascii=False),
    ),
    "jsonnet": Language(
        comment=STYLES["//"],
        quote=partial(double_quoted, escape=_utf16),
        # https://jsonnet.org/ref/spec.html#lexing
        reserved=_words("""
            assert else error false for function if import importbin importstr in
            local null self super tailstrict then true
            """),
    ),
    "kcl": Language(
        comment=docstring,
        # A dollar sign and a brace begin an expression.
        quote=lambda text: double_quoted(text, four_or_eight_digits).replace(
            "${", "$\\u007b"
        ),
        # https://kcl-lang.io/docs/reference/lang/spec/lexical, Keywords, and the names of
        # types
        reserved=_words("""
            False None True Undefined all and any as assert bool check elif else
            filter float for if import in int is lambda map mixin not or protocol
            rule schema str type
            """),
    ),
    "kotlin": Language(
        comment=STYLES["/** */"],
        quote=_kotlin_string,
        # https://kotlinlang.org/docs/keyword-reference.html#hard-keywords
        reserved=_words("""
            as break class continue do else false for fun if in interface is null
            object package return super this throw true try typealias typeof val var
            when while
            """),
        text_block=_kotlin_text_block,
    ),
    "pkl": Language(
        comment=STYLES["///"],
        quote=partial(double_quoted, escape=_braces),
        # https://pkl-lang.org/main/current/language-reference/index.html, Keywords,
        # with those that are reserved for later
        reserved=_words("""
            _ abstract amends as case class const delete else extends external false
            fixed for function hidden if import in is let local module new nothing
            null open out outer override protected read record super switch this
            throw trace true typealias unknown vararg when
            """),
    ),
    "python": Language(
        comment=docstring,
        quote=partial(double_quoted, escape=four_or_eight_digits),
        reserved=frozenset(kwlist),
    ),
    "rust": Language(
        comment=STYLES["///"],
        quote=partial(double_quoted, escape=_braces),
        # https://doc.rust-lang.org/reference/keywords.html
        reserved=_words("""
            Self abstract as async await become box break const continue crate do
            dyn else enum extern false final fn for gen if impl in let loop macro
            match mod move mut override priv pub ref return self static struct super
            trait true try type typeof unsafe unsized use virtual where while yield
            """),
    ),
    "toml": Language(
        comment=STYLES["#"],
        quote=partial(double_quoted, escape=four_or_eight_digits),
    ),
    "typescript": Language(
        comment=STYLES["/** */"],
        quote=partial(double_quoted, escape=_utf16),
        # https://github.com/microsoft/TypeScript, src/compiler/types.ts, SyntaxKind, and
        # the names of types that cannot be declared
        reserved=_words("""
            any arguments await bigint boolean break case catch class const continue
            debugger default delete do else enum eval export extends false finally
            for function if implements import in instanceof interface let never new
            null number object package private protected public return static string
            super switch symbol this throw true try type typeof undefined unknown
            var void while with yield
            """),
    ),
    "xml": Language(
        comment=STYLES["<!-- -->"],
        quote=_xml_attribute,
    ),
    "yaml": Language(
        comment=STYLES["#"],
        quote=yaml.string,
    ),
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
RESERVED = {name: row.reserved for name, row in LANGUAGES.items() if row.reserved}
#: The functions that make a literal of several lines, by language.
TEXT_BLOCKS = {
    name: row.text_block for name, row in LANGUAGES.items() if row.text_block
}
