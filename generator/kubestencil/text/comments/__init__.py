"""Text as a comment of a programming language. Nothing in the text can end it.

``go`` spells comments as gofmt leaves them; ``directives`` has what tools obey in comments.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Mapping
from functools import partial

from kubestencil.text.comments import go
from kubestencil.text.wrapping import wrap

# A character that a compiler could read as the end of a line, or that an editor would
# hide or use to reverse the text around it (CVE-2021-42574).
_UNPRINTABLE = re.compile(r"[^\n\t\x20-\x7e]")
# One set of characters, which is searched several times as fast as two.
_SPECIAL_IN_DOCSTRING = re.compile(r"[^\n -\[\]-~]")
_TAB = 4


#: A text as a comment, without a line break at its end, whose lines have up to a number
#: of characters; empty for blank text.
CommentStyle = Callable[[str, int | None], str]


def _of_lines(function: Callable[[list[str], int | None], str]) -> CommentStyle:
    """The style whose comments ``function`` makes of lines without control characters."""

    def comment(text: str, width: int | None) -> str:
        lines = _lines(text)
        return function(lines, width) if lines else ""

    return comment


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


def _block_comment(opening: str, lines: list[str], width: int | None) -> str:
    prefix = " * "
    safe = [
        # Also an opening one: in Rust, Swift and Kotlin, block comments nest.
        _without_unicode_escapes(line).replace("*/", "* /").replace("/*", "/ *")
        for line in _wrapped(lines, width, len(prefix))
    ]
    one_line = f"{opening} {safe[0]} */"
    if len(safe) == 1 and (width is None or len(one_line) <= width):
        return one_line
    body = (f"{prefix}{line}".rstrip() for line in safe)
    return "\n".join([opening, *body, " */"])


def python_escape(match: re.Match[str]) -> str:
    """A character as it is in a Python string literal that black leaves unchanged: it
    would change the delimiters around a quote after a backslash."""
    character = match[0]
    if character == '"':
        return "\\x22"
    if character.isprintable() and character != "\\":
        return character
    return character.encode("unicode_escape").decode()


def docstring(text: str, width: int | None) -> str:
    """A docstring of Python that black leaves unchanged where ``width`` is what its
    indentation leaves of a line."""
    text = text.replace("\r\n", "\n").replace("\t", " " * _TAB).strip()
    if not text:
        return ""
    # A quote next to the delimiter would become a part of it, or black would add a
    # space between them.
    opening = '"""\n' if text[0] == '"' else '"""'
    closing = ' """' if text[-1] == '"' else '"""'
    escaped = _SPECIAL_IN_DOCSTRING.sub(python_escape, text)
    text = opening + escaped.replace('"""', '\\"\\"\\"')
    room = len(text) if width is None else max(width - len(closing), 1)
    lines: list[str] = []
    for line in wrap(text, room).split("\n"):
        lines.append(line.rstrip())
        # Spaces at the end of a line that is too long become an empty line.
        if len(line) > room and line.endswith(" "):
            lines.append("")
    first, *others = lines
    if not others:
        return text + closing
    margin = min((len(line) - len(line.lstrip()) for line in others if line), default=0)
    return "\n".join([first, *(line[margin:] for line in others), '"""'])


def _xml_comment(lines: list[str], width: int | None) -> str:
    # XML 1.0, 2.5: no "--" within a comment.
    safe = [line.replace("--", "- -").replace("--", "- -") for line in lines]
    wrapped = _wrapped(safe, width, 0)
    if len(wrapped) == 1:
        return f"<!-- {wrapped[0]} -->"
    return "\n".join(["<!--", *wrapped, "-->"])


def _go_comment(lines: list[str], width: int | None) -> str:
    return go.go_comment(lines, lambda line: _wrapped([line], width, 3))


def _javadoc(lines: list[str], width: int | None) -> str:
    """Javadoc is HTML with tags that begin with @."""
    escaped = [html.escape(line, quote=False).replace("@", "&#64;") for line in lines]
    return _block_comment("/**", escaped, width)


def _graphql_description(lines: list[str], width: int | None) -> str:
    """A block string, whose only escape is that of its delimiter."""
    quotes = '"""'
    wrapped = _wrapped(
        [line.replace(quotes, f"\\{quotes}") for line in lines], width, 0
    )
    return "\n".join([quotes, *wrapped, quotes])


#: The styles of comments by name: how one begins in the language.
STYLES: Mapping[str, CommentStyle] = {
    **{
        marker: _of_lines(partial(_line_comment, marker))
        for marker in ("//", "///", "//!", "#", "--", ";")
    },
    "/* */": _of_lines(partial(_block_comment, "/*")),
    "/** */": _of_lines(partial(_block_comment, "/**")),
    '"""': docstring,
    "<!-- -->": _of_lines(_xml_comment),
}
go_comment = _of_lines(_go_comment)
graphql_description = _of_lines(_graphql_description)
javadoc = _of_lines(_javadoc)
