"""Comments in manifests that ignore findings: ``# kubestencil: ignore RULE reason``.

Behind a value, a comment ignores the findings of its line. On a line of its own, it
ignores those of the next line that is not a comment; before the first value of a
document, those of the whole document.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

from kubestencil.checking.findings import Finding, Problem, Subject
from kubestencil.checking.rules import RULES
from kubestencil.errors import nearest
from kubestencil.source.decoding import decode_characters
from kubestencil.source.yaml import YamlError, split_documents, split_lines

#: What a text has that has such a comment, to be looked for first.
MARK = "kubestencil:"
_ENCODED_MARKS = tuple(
    MARK.encode(name) for name in ("utf-8", "utf-16-le", "utf-16-be")
)

_COMMENT = re.compile(
    r"(?:\A|(?<=\s))#[ \t]*kubestencil:[ \t]*ignore\b(?P<arguments>[^\r\n]*)"
)


class Ignore(NamedTuple):
    """A comment that ignores the findings of a rule: on one line, or in a whole document,
    where ``ignored_line`` is 0.

    ``line`` and ``column`` are those of the comment, from 1, and ``document`` is the
    index of its document.
    """

    rule: str
    ignored_line: int
    document: int
    line: int
    column: int


def apply_ignores(
    file: str, data: bytes, findings: Sequence[Finding], releases: tuple[str, ...]
) -> tuple[list[Finding], int]:
    """The findings of a file without those that its comments ignore, whose number comes
    with them, and with one for each comment that ignores none."""
    ignores = list(read_ignores(_text(data)))
    if not ignores:
        return list(findings), 0
    scopes = {ignore[:3] for ignore in ignores}
    used: set[tuple[str, int, int]] = set()
    kept: list[Finding] = []
    for finding in findings:
        rule, document = finding.rule_id, finding.subject.document
        covering = {(rule, line, document) for line in (0, finding.line)} & scopes
        used |= covering
        if not covering:
            kept.append(finding)
    dropped = len(findings) - len(kept)
    kept += [
        _unused(ignore, file, releases) for ignore in ignores if ignore[:3] not in used
    ]
    return kept, dropped


def read_ignores(text: str) -> Iterator[Ignore]:
    """The comments of a file that ignore findings."""
    with suppress(YamlError):
        for document, (line, part) in enumerate(split_documents(text, "")):
            yield from _of_document(split_lines(part), line, document)


def _of_document(lines: Sequence[str], first: int, document: int) -> Iterator[Ignore]:
    """The same of a document, whose first line is ``first``."""
    comments = list(map(_COMMENT.search, lines))
    values = [
        index
        for index, (line, comment) in enumerate(zip(lines, comments, strict=True))
        if _is_value(line if comment is None else line[: comment.start()])
    ]
    for index, comment in enumerate(comments):
        if comment is None:
            continue
        rule = comment["arguments"].strip().partition(" ")[0]
        is_head = not values or index < values[0]
        at = bisect_left(values, index)
        following = values[at] if at < len(values) else index
        ignored_line = 0 if is_head else first + following
        yield Ignore(rule, ignored_line, document, first + index, comment.start() + 1)


def _is_value(line: str) -> bool:
    return line.strip() not in ("", "---") and not line.lstrip().startswith("#")


def _text(data: bytes) -> str:
    """The text of a file; empty where no comment can be in it."""
    if not any(mark in data for mark in _ENCODED_MARKS):
        return ""
    try:
        return decode_characters(data)
    except UnicodeDecodeError:
        return ""


def _unused(ignore: Ignore, file: str, releases: tuple[str, ...]) -> Finding:
    rule = ignore.rule
    if not rule:
        message, hint = "names no rule", "write: # kubestencil: ignore RULE reason"
    elif rule not in RULES:
        message = f"names the unknown rule {rule}"
        hint = nearest(rule, RULES) or f"rules: {', '.join(RULES)}"
    else:
        message, hint = f"ignores no finding of {rule}", "remove the comment"
    problem = Problem("unused-ignore", (), f"the comment {message}", hint)
    at = ignore.line, ignore.column
    return Finding.of(problem, file, at, Subject(ignore.document), releases)
