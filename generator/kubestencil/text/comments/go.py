"""Documentation comments of Go, spelled as gofmt leaves them.

gofmt parses such a comment into paragraphs, headings, lists and code, and prints it
again: https://go.dev/doc/comment.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence

_MARKER = re.compile(r"([-*+•]|[0-9]+[.)]) +(?=\S)")
_LINK_DEFINITION = re.compile(r"\]:(?=\s)")
_QUOTES = re.compile(r"``+|''")
_HEADING = re.compile(r"\A# +")
_NOT_IN_HEADING = re.compile(
    r"""[;:!?+*/=\[\]{}_^°&§~%#@<">\\]|'(?!s(?: |\Z))|\.(?: |\Z)"""
)


def go_comment(lines: Sequence[str], wrap: Callable[[str], list[str]]) -> str:
    """The comment of ``lines``, of which neither the first nor the last is blank;
    ``wrap`` breaks a line of a paragraph.

    Indented lines become code, which keeps their shape. All else is a paragraph.
    """
    blocks = [
        lines if is_code else [part for line in lines for part in wrap(_text(line))]
        for is_code, lines in _blocks(lines)
    ]
    printed = []
    for index, block in enumerate(blocks):
        is_between = 0 < index < len(blocks) - 1
        if is_between and not _is_code(blocks[index + 1]) and _is_heading(block):
            # gofmt marks it as what godoc showed it as, before there were marks.
            block = [f"# {block[0]}"]
        printed.append("\n".join(_line(line) for line in block))
    return "\n//\n".join(printed)


def _is_code(block: Sequence[str]) -> bool:
    return block[0].startswith("\t")


def _is_heading(block: Sequence[str]) -> bool:
    """Whether godoc takes a paragraph between others for a heading (isOldHeading in
    go/doc/comment)."""
    line = block[0]
    return (
        len(block) == 1
        and unicodedata.category(line[0]) == "Lu"
        and unicodedata.category(line[-1])[0] in "LN"
        and (line[-1].isalpha() or line[-1].isdecimal())
        and not _NOT_IN_HEADING.search(line)
    )


def _line(line: str) -> str:
    return f"//{line}" if line.startswith("\t") else f"// {line}".rstrip()


def _blocks(lines: Sequence[str]) -> Iterator[tuple[bool, list[str]]]:
    """Paragraphs and code, without the blank lines around them."""
    block: list[str] = []
    was_code = False
    for line in [*lines, ""]:
        is_code = line.startswith(" ")
        if block and (is_code != was_code if line else not was_code):
            yield from _block(block, was_code)
            block = []
        if line or block:
            block.append(line)
            was_code = is_code if line else was_code
    yield from _block(block, was_code)


def _block(lines: list[str], is_code: bool) -> Iterator[tuple[bool, list[str]]]:
    while lines and not lines[-1]:
        lines = lines[:-1]
    if not lines:
        return
    if is_code and _MARKER.match(lines[0].lstrip()):
        # gofmt would read it as a list, whose items it joins.
        yield False, [line.lstrip() for line in lines if line]
    elif is_code:
        margin = min(len(line) - len(line.lstrip()) for line in lines if line)
        yield True, [f"\t{line[margin:]}".rstrip() for line in lines]
    else:
        yield False, lines


def _text(line: str) -> str:
    """A line of a paragraph, without what gofmt would replace or move."""
    line = _QUOTES.sub('"', _LINK_DEFINITION.sub("] :", line))
    return _HEADING.sub("# ", line)
