"""Mends manifests in place: edits at positions, so that all other bytes stay.

``text_edits`` changes a text so that it has a fix. What a text has then is read again
and compared with the object that was meant: a fix that a text cannot have without doubt
is left to people.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kubestencil.checking.files.manifests import Manifest, Mistake, read_manifests
from kubestencil.checking.findings import Fix, Problem, Put
from kubestencil.checking.fixing.text_edits import TextError, edited
from kubestencil.checking.hints.edits import EditError, applied, below
from kubestencil.checking.ignores import MARK, Ignore, read_ignores
from kubestencil.checking.problems import value_at
from kubestencil.checking.rules import RULES
from kubestencil.checking.upgrade import Upgrade, kind_of
from kubestencil.source.yaml import YamlError, split_documents

# Each fix reads its file again.
_MAX_FIXES = 200
_OF_KINDS = ("removed-kind", "unknown-kind", "future-kind")


@dataclass(frozen=True, slots=True)
class FixedText:
    """A text with its fixes: how many, and how many errors are left to people."""

    text: str
    fixes: int
    left: int

    def diff(self, before: str, file: str) -> str:
        """What changed, as a unified diff."""
        return "".join(
            difflib.unified_diff(
                before.splitlines(keepends=True),
                self.text.splitlines(keepends=True),
                file,
                file,
            )
        )


def fixed_text(text: str, file: str, upgrade: Upgrade) -> FixedText:
    """A text of manifests in YAML with all fixes that are sure."""
    result = FixedText(text, 0, 0)
    refused: set[tuple[int, int, str]] = set()
    for _ in range(_MAX_FIXES):
        left = 0
        ignores = list(read_ignores(result.text)) if MARK in result.text else []
        for item in read_manifests(result.text.encode(), file):
            if not isinstance(item, Manifest):
                continue
            key = item.subject.document, item.subject.item
            errors = list(_errors(item, upgrade))
            is_old = any(problem.rule in _OF_KINDS for problem in errors)
            if is_old:
                is_meant = any(_is_ignored(item, error, ignores) for error in errors)
                whole = (
                    None if is_meant else _converted(result.text, file, key, upgrade)
                )
                if whole is not None:
                    result = replace(whole, fixes=result.fixes + whole.fixes)
                    break
                left += len(errors)
                continue
            for problem in errors:
                left += 1
                if len(problem.fixes) != 1 or (*key, _identity(problem)) in refused:
                    continue
                if _is_ignored(item, problem, ignores):
                    continue
                new = text_with_fix(result.text, file, item, problem.fixes[0])
                if new is None:
                    refused.add((*key, _identity(problem)))
                    continue
                result = FixedText(new, result.fixes + 1, 0)
                break
            else:
                continue
            break
        else:
            return replace(result, left=left)
    return result


def _identity(problem: Problem) -> str:
    """What identifies the fixes of a problem, whose values may be lists."""
    return repr(problem.fixes)


def _is_ignored(
    manifest: Manifest, problem: Problem, ignores: Sequence[Ignore]
) -> bool:
    """Whether a comment says that a problem is meant to be there."""
    line = manifest.position(problem.path, of_key=problem.of_key).line
    return any(
        rule == problem.rule and first <= line <= last
        for rule, first, last in (ignore.scope for ignore in ignores)
    )


def _errors(manifest: Manifest, upgrade: Upgrade) -> Iterator[Problem]:
    kind = kind_of(manifest.value)
    if upgrade.reason_to_skip(kind) is None:
        yield from _problems(manifest.value, upgrade)


def _problems(value: Any, upgrade: Upgrade) -> Iterator[Problem]:
    """The errors of an object in the release to check against; what means something else
    there counts as one."""
    result = upgrade.start(value, kind_of(value), is_patch=False)()
    for problem, _, change in result.differences:
        is_error = RULES[problem.rule].severity == "error"
        if change != "fixed" and (is_error or problem.rule == "changed-meaning"):
            yield problem


def _converted(
    text: str, file: str, key: tuple[int, int], upgrade: Upgrade
) -> FixedText | None:
    """A text whose object, of a kind that is not served, has all its fixes; None where
    not all that is wrong can be mended: half of a conversion is worse than none."""
    for fixes in range(_MAX_FIXES):
        manifest = next(
            item
            for item in read_manifests(text.encode(), file)
            if isinstance(item, Manifest)
            and (item.subject.document, item.subject.item) == key
        )
        problems = list(_problems(manifest.value, upgrade))
        if not problems:
            return FixedText(text, fixes, 0)
        if any(problem.rule == "changed-meaning" for problem in problems):
            return None
        texts = (
            text_with_fix(text, file, manifest, problem.fixes[0])
            # The kind last, on which hints about the old one depend.
            for problem in (*problems[1:], problems[0])
            if len(problem.fixes) == 1
        )
        new = next(filter(None, texts), None)
        if new is None:
            return None
        text = new
    return None


def text_with_fix(text: str, file: str, manifest: Manifest, fix: Fix) -> str | None:
    """A text with a fix of one of its objects; None where that is not sure."""
    index = manifest.subject.document
    try:
        parts = list(split_documents(text, file))
    except YamlError:
        return None  # Another document, which is no YAML that Kubernetes reads.
    if index >= len(parts):
        return None
    part = parts[index][1]
    start = sum(len(other) for _, other in parts[:index])
    if text[start : start + len(part)] != part:
        return None
    try:
        # What aliases stand for is one value in memory: an edit of it changes one place.
        expected: Any = json.loads(json.dumps(manifest.value))
        for edit in fix:
            if (
                isinstance(edit, Put)
                and isinstance(edit.value, str)
                and isinstance(value_at(expected, edit.path), float)
            ):
                return None  # Its text may be another one than that of the number.
            part = edited(part, below(manifest.path, edit))
            expected = applied(expected, (edit,))
    except (TextError, EditError):
        return None
    new = text[:start] + part + text[start + len(parts[index][1]) :]
    if text.count("\n") == text.count("\r\n"):
        new = new.replace("\r\n", "\n").replace("\n", "\r\n")
    values = _values(new, file)
    before = _values(text, file)
    position = before.index(manifest.value)
    wanted = [*before[:position], expected, *before[position + 1 :]]
    return new if values == wanted else None


def _values(text: str, file: str) -> list[Any]:
    """All that is in a text: no fix may change anything else."""
    return [
        item.problem if isinstance(item, Mistake) else item.value
        for item in read_manifests(text.encode(), file)
    ]
