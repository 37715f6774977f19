"""Highlights code as HTML when a page is generated: keys, strings, numbers, comments.

A line is escaped, and one regular expression for its language marks the tokens in it.
Each takes linear time for any text, and equal lines are highlighted once: examples
repeat most of theirs. The tags are the shortest that HTML has, since pages have
thousands of tokens: ``b`` for keys and keywords, ``u`` for strings, ``em`` for numbers
and constants, ``i`` for comments (``site.css`` gives them their colours).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache, partial

from markupsafe import Markup

from kubestencil.text.html import escape_text

# A string ends with its line at the latest, so that an open one is not tried again from
# each quote in it.
_DOUBLE = r'"(?:[^"\\]|\\.)*"?'
_SINGLE = r"'(?:[^'\\]|\\.)*'?"
_NUMBER = r"(?P<em>(?<![\w.])\d[\d_]*(?:\.\d+)?\b)"
_WORD = r"\b[A-Za-z_]\w*\b"
_YAML_VALUE = r"(?:^|(?<=: ))"
_SHELL = re.compile(
    rf"(?P<u>{_DOUBLE}|'[^']*'?)|(?P<b>^[a-z]+(?= )|(?<!\S)--?[A-Za-z][A-Za-z-]*)"
)
_PATTERNS: Mapping[str, re.Pattern[str]] = {
    "yaml": re.compile(
        rf"(?P<i>(?:^| )\#.*)|(?P<b>^(?:{_DOUBLE}|'(?:[^']|'')*'?|"
        r"[^\s\"'#{\[](?:[^\s:]|:(?=\S))*)(?=:(?:\s|$)))"
        rf"|(?P<u>{_YAML_VALUE}(?:{_DOUBLE}|'(?:[^']|'')*'?))"
        rf"|(?P<em>{_YAML_VALUE}(?:true|false|null|-?\d+(?:\.\d+)?)$)"
    ),
    "python": re.compile(
        rf"(?P<i>\#.*)|(?P<u>{_DOUBLE}|{_SINGLE})|{_NUMBER}"
        r"|(?P<b>\b(?:from|import|for|in|True|False|None)\b"
        rf"|{_WORD}(?==(?!=)))"
    ),
    "jsonnet": re.compile(
        rf"(?P<i>//.*)|(?P<u>{_DOUBLE}|{_SINGLE})|{_NUMBER}"
        rf"|(?P<b>\b(?:local|import|true|false|null)\b|{_WORD}(?=::?:? ))"
    ),
    "rust": re.compile(
        rf"(?P<i>//.*)|(?P<u>{_DOUBLE})|{_NUMBER}"
        r"|(?P<b>\b(?:use|as|pub|fn|let|async|await|true|false|None)\b"
        rf"|{_WORD}(?=:(?!:)))"
    ),
    "typescript": re.compile(
        rf"(?P<b>^(?:{_WORD}|{_DOUBLE})(?=:)"
        r"|\b(?:import|type|from|export|const|true|false|null)\b)"
        rf"|(?P<i>//.*)|(?P<u>{_DOUBLE})|{_NUMBER}"
    ),
    "kubectl": _SHELL,
    "curl": _SHELL,
}
# More than the lines of seven releases of Kubernetes, which share most of them.
_CACHED_LINES = 20_000
_BLOCK = re.compile(r"(?:^|: )[|>][-+\d]*$")


def highlight(language: str, code: str) -> Markup:
    """``code`` as HTML whose text is the code.

    A language without a pattern is escaped only.
    """
    if language not in _PATTERNS:
        return Markup(escape_text(code))
    lines = code.split("\n")
    if language == "yaml":
        return Markup("\n".join(_yaml_lines(lines)))
    return Markup("\n".join(map(partial(_indented, language), lines)))


def _indented(language: str, line: str) -> str:
    text = line.lstrip(" ")
    return line[: len(line) - len(text)] + _highlighted(language, text)


def _yaml_lines(lines: list[str]) -> Iterator[str]:
    """Lines of YAML; those of a block scalar are a string, whatever they look like."""
    block_column = -1
    for line in lines:
        text = line.lstrip(" -")
        lead = line[: len(line) - len(text)]
        if block_column >= 0:
            if not text or len(line) - len(line.lstrip(" ")) > block_column:
                yield f"<u>{escape_text(line)}</u>" if text else line
                continue
            block_column = -1
        if _BLOCK.search(text):
            block_column = len(lead) if text[0] not in "|>" else lead.rfind("-")
        yield lead + _highlighted("yaml", text)


@lru_cache(_CACHED_LINES)
def _highlighted(language: str, line: str) -> str:
    return _PATTERNS[language].sub(_mark, escape_text(line))


def _mark(match: re.Match[str]) -> str:
    return f"<{match.lastgroup}>{match[0]}</{match.lastgroup}>"
