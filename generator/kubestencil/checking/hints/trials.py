"""Tries a fix: whether an object has fewer errors with it, and no others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from kubestencil.checking.findings import Fix, Move, Problem
from kubestencil.checking.hints.edits import EditError, applied
from kubestencil.checking.paths import Path, all_values, moved_path, value_at
from kubestencil.checking.release import CheckedRelease
from kubestencil.checking.rules import RULES
from kubestencil.checking.values.places import refusals
from kubestencil.schema.types import GroupVersionKind

_Error = tuple[str, Path]
# A value that has these inside of it does not belong where it is.
_OF_SHAPE = ("unknown-field", "dropped-field", "missing-field")


@dataclass(frozen=True)
class Trial:
    """An object of a kind in a release, to try fixes on."""

    value: Mapping[str, Any]
    kind: GroupVersionKind
    release: CheckedRelease

    def errors_after(self, problem: Problem, fix: Fix) -> int | None:
        """How many errors an object has with a fix; None where the problem is still
        there, where the fix does not fit, and where it brings other errors.

        What is wrong with values inside of the one that is fixed was there before:
        nothing was known of them. An item of a list whose ``- `` is missing may have some
        unknown fields.
        """
        try:
            value = applied(self.value, fix)
        except EditError:
            return None
        moves = [(edit.path, edit.target) for edit in fix if isinstance(edit, Move)]
        before = {
            (rule, moved_path(path, moves))
            for rule, path in self._errors
            if (rule, path) != (problem.rule, problem.path)
        }
        after = set(self._errors_of(value))
        moved = moved_path(problem.path, moves)
        new = after - before
        if problem.rule == "wrong-type":
            unknown = {("unknown-field", path) for _, path in new if path[:-1] == moved}
            item = value_at(value, moved)
            if isinstance(item, dict) and 2 * len(new & unknown) < len(item):
                new -= unknown
        is_worse = any(
            rule in _OF_SHAPE or path == moved or path[: len(moved)] != moved
            for rule, path in new
        )
        return None if is_worse else len(after)

    @cached_property
    def size(self) -> int:
        """The number of values in the object."""
        return sum(1 for _ in all_values(self.value))

    @cached_property
    def _errors(self) -> frozenset[_Error]:
        return frozenset(self._errors_of(self.value))

    def _errors_of(self, value: Mapping[str, Any]) -> Iterator[_Error]:
        results = self.release.examine(value, self.kind)
        if results is None:
            return
        for problem in results.problems:
            if (
                RULES[problem.rule].severity == "error"
                or problem.rule == "dropped-field"
            ):
                yield problem.rule, problem.path
        for problem in refusals(results.values, self.kind, self.release.name):
            yield problem.rule, problem.path
