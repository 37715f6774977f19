"""Fixes manifests in place: edits at positions, so that all other bytes stay.

``text_edits`` changes a text so that it has fixes, ``written`` has the values of a text.
What it has then is read again and compared with the objects that were meant: a fix that a
text cannot have without doubt is left to people.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from typing import Any, NamedTuple

from kubestencil.checking.edits import Edit, EditError, Fix, applied, below
from kubestencil.checking.files.manifests import (
    Item,
    Manifest,
    Mistake,
    read_manifests,
)
from kubestencil.checking.files.placeholders import kept_texts
from kubestencil.checking.findings import Finding, Problem
from kubestencil.checking.fixing.text_edits import TextError, edited
from kubestencil.checking.ignores import MARK, Ignore, read_ignores
from kubestencil.checking.judgement import kind_of
from kubestencil.checking.paths import Path
from kubestencil.checking.rules import GONE, RULES
from kubestencil.checking.upgrade import (
    Upgrade,
    UpgradeDifference,
    joined_by_origin,
)
from kubestencil.source.yaml import YamlError, split_documents

# What is fixed can have mistakes inside, and what is not sure is tried in halves.
_MAX_ROUNDS = 20
_MAX_TRIALS = 200
_OF_KINDS = ("removed-kind", "unknown-kind", "future-kind")


class FixedText(NamedTuple):
    """A text with its fixes: how many, and how many errors are left to people."""

    text: str
    fixes: int
    left: int

    def diff(self, before: str, file: str) -> str:
        """What changed, as a unified diff."""
        old, new = (list(StringIO(text, newline="\n")) for text in (before, self.text))
        return "".join(
            line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
            for line in difflib.unified_diff(old, new, file, file)
        )


class _ObjectFix(NamedTuple):
    """A fix of an object in a text."""

    manifest: Manifest
    fix: Fix


def fixed_text(
    text: str,
    file: str,
    upgrade: Upgrade,
    ignored: Collection[tuple[str, ...]] = frozenset(),
) -> FixedText:
    """A text of manifests in YAML with all fixes that are sure, but for those of findings
    whose keys are ``ignored``."""
    documents = [
        _Document(file, upgrade, ignored).fixed(part) for part in _parts(text, file)
    ]
    new = "".join(document.text for document in documents)
    fixes = sum(document.fixes for document in documents)
    return FixedText(new, fixes, sum(document.left for document in documents))


@dataclass(slots=True)
class _Document:
    """Fixes the objects of one document."""

    file: str
    upgrade: Upgrade
    ignored: Collection[tuple[str, ...]]
    trials: int = 0

    def fixed(self, text: str) -> FixedText:
        """The text of the document with its fixes."""
        count = 0
        for _ in range(_MAX_ROUNDS):
            wanted, left = self._wanted(text)
            sure, text = self._sure(text, text, [], wanted)
            if not sure:
                break
            count += len(sure)
        return FixedText(text, count, left)

    def _wanted(self, text: str) -> tuple[list[_ObjectFix], int]:
        """The fixes of all objects, and how many errors they have."""
        ignores = list(read_ignores(text)) if MARK in text else []
        wanted: list[_ObjectFix] = []
        left = 0
        for item in read_manifests(text.encode(), self.file):
            if not isinstance(item, Manifest):
                continue
            if self.upgrade.reason_to_skip(kind_of(item.value)) is not None:
                continue
            differences = _differences(item.value, self.upgrade)
            errors = list(_errors(joined_by_origin(differences, item.origin)))
            left += len(errors)
            if item.is_encrypted:
                continue
            wrong = [e for e in errors if not self._is_ignored(item, e, ignores)]
            fixes = _fixes(wrong)
            if any(problem.rule in _OF_KINDS for problem in errors):
                is_meant = len(wrong) < len(errors)
                fixes = [] if is_meant else _conversion(item.value, self.upgrade)
            wanted += (_ObjectFix(item, fix) for fix in fixes)
        return wanted, left

    def _is_ignored(
        self, manifest: Manifest, problem: Problem, ignores: Sequence[Ignore]
    ) -> bool:
        """Whether a comment, a configuration or a baseline leaves a problem out."""
        if not (ignores or self.ignored):
            return False
        at = manifest.position(problem.path, of_key=problem.of_key)
        if self.ignored:
            finding = Finding.of(problem, self.file, at, manifest.subject, ())
            if finding.key in self.ignored:
                return True
        scopes = {ignore[:2] for ignore in ignores}
        return not scopes.isdisjoint([(problem.rule, 0), (problem.rule, at.line)])

    def _sure(
        self, text: str, new: str, sure: list[_ObjectFix], others: list[_ObjectFix]
    ) -> tuple[list[_ObjectFix], str]:
        """The fixes that a text can have together, ``sure`` and some of the others, and
        what it is with them: ``new`` with those that are sure."""
        self.trials += 1
        if self.trials > _MAX_TRIALS or not others:
            return sure, new
        both = [*sure, *others]
        if (tried := _with_fixes(text, self.file, both)) is not None:
            return both, tried
        half = len(others) // 2
        for part in (others[:half], others[half:]) if half else ():
            sure, new = self._sure(text, new, sure, part)
        return sure, new


def _differences(value: Any, upgrade: Upgrade) -> Sequence[UpgradeDifference]:
    return upgrade.start(value, kind_of(value), is_patch=False)().differences


def _errors(differences: Iterable[UpgradeDifference]) -> Iterator[Problem]:
    """What is wrong in the release to check against; what means something else there
    counts as an error."""
    for problem, _, change in differences:
        is_error = RULES[problem.rule].severity == "error"
        if change not in GONE and (is_error or problem.rule == "changed-meaning"):
            yield problem


def _fixes(problems: Sequence[Problem]) -> list[Fix]:
    """The fixes that are sure, each once."""
    fixes = {repr(p.fixes): p.fixes[0] for p in problems if len(p.fixes) == 1}
    return list(fixes.values())


def _conversion(value: Any, upgrade: Upgrade) -> list[Fix]:
    """The one fix that makes an object of a kind that is not served one of another kind;
    none where not all that is wrong can be fixed: half of it is worse than nothing."""
    edits: list[Edit] = []
    for _ in range(_MAX_ROUNDS):
        problems = list(_errors(_differences(value, upgrade)))
        if not problems:
            return [tuple(edits)]
        # The kind last, on which hints about the old one depend.
        fixes = _fixes(problems[1:]) or _fixes(problems)
        if not fixes or any(p.rule == "changed-meaning" for p in problems):
            break
        more = tuple(edit for fix in fixes for edit in fix)
        try:
            value = applied(value, more)
        except EditError:
            break
        edits += more
    return []


def text_with_fix(text: str, file: str, manifest: Manifest, fix: Fix) -> str | None:
    """A text with a fix of one of its objects; None where that is not sure."""
    index, parts = manifest.subject.document, _parts(text, file)
    if index >= len(parts):
        return None
    new = _with_fixes(parts[index], file, [_ObjectFix(manifest, fix)])
    return new and "".join([*parts[:index], new, *parts[index + 1 :]])


def _parts(text: str, file: str) -> list[str]:
    """The documents of a text; the whole where it has what Kubernetes does not read."""
    try:
        parts = [part for _, part in split_documents(text, file)]
    except YamlError:
        return [text]
    return parts if "".join(parts) == text else [text]


def _with_fixes(text: str, file: str, fixes: Sequence[_ObjectFix]) -> str | None:
    """The text of a document with fixes of its objects; None where that is not sure."""
    edits: dict[Path, Fix] = {}
    for manifest, fix in fixes:
        edits[manifest.path] = (*edits.get(manifest.path, ()), *fix)
    expected = []
    try:
        for item in read_manifests(text.encode(), file):
            value = _content(item)
            if isinstance(item, Manifest) and item.path in edits:
                value = applied(value, edits[item.path])
            expected.append(value)
        whole = tuple(below(path, edit) for path in edits for edit in edits[path])
        breaks = "\r\n" if text.count("\n") == text.count("\r\n") else "\n"
        new = edited(text.replace(breaks, "\n"), whole).replace("\n", breaks)
    except (TextError, EditError):
        return None
    # No fix may change anything else.
    values = [_content(item) for item in read_manifests(new.encode(), file)]
    is_same = values == expected and kept_texts(new) == kept_texts(text)
    return new if is_same else None


def _content(item: Item) -> Any:
    return item.problem if isinstance(item, Mistake) else item.value
