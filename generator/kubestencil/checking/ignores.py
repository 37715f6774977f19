"""Comments in manifests that ignore findings: ``# kubestencil: ignore RULE reason``.

Behind a value, a comment ignores the findings of its line. On a line of its own, it
ignores those of the next line that is not a comment; before the first value of a
document, those of the whole document.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kubestencil.checking.findings import Finding, Problem, Subject
from kubestencil.checking.rules import RULES
from kubestencil.errors import nearest
from kubestencil.source.decoding import decode_characters
from kubestencil.source.yaml import split_lines

#: What a text has that has such a comment, to be looked for first.
MARK = "kubestencil:"
_ENCODED_MARKS = tuple(
    MARK.encode(name) for name in ("utf-8", "utf-16-le", "utf-16-be")
)

_COMMENT = re.compile(
    r"(?:\A|(?<=\s))#[ \t]*kubestencil:[ \t]*ignore\b(?P<arguments>[^\r\n]*)"
)
_SEPARATOR = re.compile(r"---(?:\s|\Z)")


# A rule, and the first and the last line that a comment for it ignores.
_Scope = tuple[str, int, int]


class Ignore(NamedTuple):
    """A comment that ignores the findings of a rule.

    ``scope`` has the rule, and the first and the last line whose findings it ignores.
    ``line`` and ``column`` are those of the comment, from 1, and ``document`` is the
    index of its document.
    """

    scope: _Scope
    line: int
    column: int
    document: int


class Ignored(NamedTuple):
    """The findings of a file that are left, and how many comments have ignored."""

    findings: tuple[Finding, ...]
    ignored: int


def apply_ignores(
    file: str, data: bytes, findings: Sequence[Finding], releases: tuple[str, ...]
) -> Ignored:
    """Drop the findings that comments of the file ignore, and add one for each comment
    that ignores none."""
    ignores = list(read_ignores(_text(data)))
    if not ignores:
        return Ignored(tuple(findings), 0)
    scopes = _Scopes(ignores)
    used: set[_Scope] = set()
    kept: list[Finding] = []
    for finding in findings:
        covering = scopes.covering(finding)
        used.update(covering)
        if not covering:
            kept.append(finding)
    dropped = len(findings) - len(kept)
    kept += [
        _unused(ignore, file, releases)
        for ignore in ignores
        if ignore.scope not in used
    ]
    return Ignored(
        tuple(sorted(kept, key=lambda item: (item.line, item.column))), dropped
    )


class _Scopes:
    """The scopes of the comments of a file: lines, and documents, which do not overlap."""

    def __init__(self, ignores: Sequence[Ignore]) -> None:
        self.scopes = {ignore.scope for ignore in ignores}
        # Only a scope that is a whole document has more than a line.
        lines = {(first, last) for _, first, last in self.scopes if first < last}
        self.documents = sorted(lines)

    def covering(self, finding: Finding) -> list[_Scope]:
        """The scopes that a finding is in."""
        line, rule = finding.line, finding.rule_id
        candidates: list[_Scope] = [(rule, line, line)]
        index = bisect_right(self.documents, line, key=lambda document: document[0])
        if index and line <= self.documents[index - 1][1]:
            candidates.append((rule, *self.documents[index - 1]))
        return [scope for scope in candidates if scope in self.scopes]


def read_ignores(text: str) -> Iterator[Ignore]:
    """The comments of a file that ignore findings."""
    lines = split_lines(text)
    next_values, document_ends = _next_values(lines), _document_ends(lines)
    document = start = 0
    in_document = False
    for index, line in enumerate(lines):
        if _SEPARATOR.match(line):
            document, start, in_document = document + in_document, index, False
        match = _COMMENT.search(line)
        content = (line if match is None else line[: match.start()]).strip()
        is_value = bool(content) and content != "---" and not content.startswith("#")
        if match:
            rule = match["arguments"].strip().partition(" ")[0]
            if is_value:
                first = last = index
            elif in_document:
                first = last = next_values[index]
            else:
                first, last = start, document_ends[index]
            scope = rule, first + 1, last + 1
            yield Ignore(scope, index + 1, match.start() + 1, document)
        in_document = in_document or is_value


def _text(data: bytes) -> str:
    """The text of a file; empty where no comment can be in it."""
    if not any(mark in data for mark in _ENCODED_MARKS):
        return ""
    try:
        return decode_characters(data)
    except UnicodeDecodeError:
        return ""


def _next_values(lines: Sequence[str]) -> list[int]:
    """For each line, the index of the next one that is neither blank nor a comment; its
    own where none follows."""
    indexes = list(range(len(lines)))
    following: int | None = None
    for index in reversed(indexes):
        if following is not None:
            indexes[index] = following
        content = lines[index].strip()
        if content and not content.startswith("#"):
            following = index
    return indexes


def _document_ends(lines: Sequence[str]) -> list[int]:
    """For each line, the index of the last line of its document."""
    indexes = list(range(len(lines)))
    end = len(lines) - 1
    for index in reversed(indexes):
        indexes[index] = end
        if _SEPARATOR.match(lines[index]):
            end = index - 1
    return indexes


def _unused(ignore: Ignore, file: str, releases: tuple[str, ...]) -> Finding:
    rule = ignore.scope[0]
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
