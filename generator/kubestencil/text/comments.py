"""Text as a comment of a programming language. Nothing in the text can end it."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Mapping
from functools import partial

from kubestencil.text.go_comments import go_comment
from kubestencil.text.wrapping import wrap

# A character that a compiler could read as the end of a line, or that an editor would
# hide or use to reverse the text around it (CVE-2021-42574).
_UNPRINTABLE = re.compile(r"[^\n\t\x20-\x7e]")
_TAB = 4
# Also an opening one: in Rust, Swift and Kotlin, block comments nest.
_BLOCK_DELIMITER = re.compile(r"\*(?=/)|/(?=\*)")


def comment(text: str, style: str, width: int | None = None) -> str:
    """``text`` as a comment, without a line break at its end; empty for blank text.

    ``style`` is one of ``STYLES``, or of ``LANGUAGES`` for what documents a declaration
    in that language. With ``width``, lines are broken so that the
    comment's lines have up to that many characters. Raises ValueError for an unknown
    style.
    """
    function = STYLES.get(style) or LANGUAGES.get(style)
    if function is None:
        available = ", ".join([*STYLES, *LANGUAGES])
        raise ValueError(f"unknown style {style!r}, available: {available}")
    lines = _lines(text)
    return function(lines, width) if lines else ""


def _lines(text: str) -> list[str]:
    if text.isprintable():
        text = text.strip(" ")
        return [text] if text else []
    text = "\n".join(text.expandtabs(_TAB).splitlines()).strip("\n ")
    text = _UNPRINTABLE.sub(_printable, text)
    return [line.rstrip() for line in text.split("\n")] if text else []


def _printable(match: re.Match[str]) -> str:
    character = match[0]
    if character.isprintable():
        return character
    return " " if character.isspace() else "\N{REPLACEMENT CHARACTER}"


def _wrapped(lines: list[str], width: int | None, margin: int) -> list[str]:
    if width is None:
        return lines
    return wrap("\n".join(lines), max(width - margin, 1)).split("\n")


def _without_unicode_escapes(line: str) -> str:
    """Java reads ``\\u000a`` as the end of a line wherever it is."""
    return line.replace("\\u", "\\ u")


def _line_comment(marker: str, lines: list[str], width: int | None) -> str:
    # C continues a comment after a line that ends with a backslash.
    safe = [
        _without_unicode_escapes(line).rstrip("\\ ")
        for line in _wrapped(lines, width, len(marker) + 1)
    ]
    return "\n".join(f"{marker} {line}".rstrip() for line in safe)


def _block_comment(
    opening: str, prefix: str, lines: list[str], width: int | None
) -> str:
    safe = [
        _without_unicode_escapes(_BLOCK_DELIMITER.sub(r"\g<0> ", line))
        for line in _wrapped(lines, width, len(prefix))
    ]
    one_line = f"{opening} {safe[0]} */"
    if len(safe) == 1 and (width is None or len(one_line) <= width):
        return one_line
    body = (f"{prefix}{line}".rstrip() for line in safe)
    return "\n".join([opening, *body, " */"])


def _docstring(lines: list[str], width: int | None) -> str:
    quotes = '"""'
    escaped = [line.replace("\\", "\\\\").replace('"""', '\\"\\"\\"') for line in lines]
    wrapped = _wrapped(escaped, width, len(quotes))
    space = " " if wrapped[0].startswith('"') else ""
    if len(wrapped) > 1:
        return "\n".join([f"{quotes}{space}{wrapped[0]}", *wrapped[1:], quotes])
    end = " " if wrapped[0].endswith('"') else ""
    one_line = f"{quotes}{space}{wrapped[0]}{end}{quotes}"
    if width is None or len(one_line) <= width:
        return one_line
    return f"{quotes}{space}{wrapped[0]}\n{quotes}"


def _xml_comment(lines: list[str], width: int | None) -> str:
    # XML 1.0, 2.5: no "--" within a comment.
    safe = [line.replace("--", "- -").replace("--", "- -") for line in lines]
    wrapped = _wrapped(safe, width, 0)
    if len(wrapped) == 1:
        return f"<!-- {wrapped[0]} -->"
    return "\n".join(["<!--", *wrapped, "-->"])


def _go_comment(lines: list[str], width: int | None) -> str:
    return go_comment(lines, lambda line: _wrapped([line], width, 3))


def _javadoc(lines: list[str], width: int | None) -> str:
    """Javadoc is HTML with tags that begin with @."""
    escaped = [html.escape(line, quote=False).replace("@", "&#64;") for line in lines]
    return _block_comment("/**", " * ", escaped, width)


def _graphql_description(lines: list[str], width: int | None) -> str:
    """A block string, whose only escape is that of its delimiter."""
    quotes = '"""'
    wrapped = _wrapped(
        [line.replace(quotes, f"\\{quotes}") for line in lines], width, 0
    )
    return "\n".join([quotes, *wrapped, quotes])


#: The styles of comments by name: how one begins in the language.
STYLES: Mapping[str, Callable[[list[str], int | None], str]] = {
    **{
        marker: partial(_line_comment, marker)
        for marker in ("//", "///", "//!", "#", "--", ";")
    },
    "/* */": partial(_block_comment, "/*", " * "),
    "/** */": partial(_block_comment, "/**", " * "),
    '"""': _docstring,
    "<!-- -->": _xml_comment,
}

#: What documents a declaration, by language.
LANGUAGES: Mapping[str, Callable[[list[str], int | None], str]] = {
    "c": STYLES["/** */"],
    "cue": STYLES["//"],
    "go": _go_comment,
    "graphql": _graphql_description,
    "html": STYLES["<!-- -->"],
    "java": _javadoc,
    "jsonnet": STYLES["//"],
    "kotlin": STYLES["/** */"],
    "python": STYLES['"""'],
    "rust": STYLES["///"],
    "toml": STYLES["#"],
    "typescript": STYLES["/** */"],
    "yaml": STYLES["#"],
}
