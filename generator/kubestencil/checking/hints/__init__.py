"""Hints what to do about problems, and the same as edits.

``schemas`` finds what a kind has at a path, ``fields`` where a field belongs, ``renames``
where later versions have it, ``shapes`` what a value of a wrong type was meant to be.
Only what a place takes is a hint.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from kubestencil.checking.edits import (
    EditError,
    Fix,
    Move,
    Put,
    existing_value,
    new_value,
)
from kubestencil.checking.files.placeholders import has_placeholder
from kubestencil.checking.findings import Problem
from kubestencil.checking.hints.fields import belongs_to
from kubestencil.checking.hints.renames import renaming
from kubestencil.checking.hints.schemas import KindSchemas
from kubestencil.checking.hints.shapes import encoded_text, nearest_text, suggestions
from kubestencil.checking.paths import (
    Path,
    all_values,
    field_path,
    keys_of,
    parts_of,
    value_at,
)
from kubestencil.checking.release import CheckedRelease
from kubestencil.checking.rules import RULES
from kubestencil.schema.knowledge.fields import (
    changed_field,
    renamed_field,
    renamed_inside,
)
from kubestencil.schema.types import GroupVersionKind
from kubestencil.source.releases import has_reached, version_in

# A search reads the whole object, so that those of one object are limited: the problems
# that are searched for, and the values that are read for them.
_MAX_SEARCHES = 20
_MAX_VALUES = 100_000
_MAX_FIELDS = 8
# A value that has these inside of it does not belong where it is.
_OF_SHAPE = ("unknown-field", "dropped-field", "missing-field")


@dataclass
class Advice:
    """Gives hints about the problems of one object, of a kind in a release."""

    value: Mapping[str, Any]
    kind: GroupVersionKind
    release: CheckedRelease
    _searches: int = 0

    @cached_property
    def _schemas(self) -> KindSchemas | None:
        release = self.release
        definition = release.kinds.get(self.kind)
        return KindSchemas(release.release, definition) if definition else None

    def explained(self, problem: Problem) -> Problem:
        """The problem with a hint, where it has none and there is one to give."""
        suggests = RULES[problem.rule].suggests_field or problem.rule == "wrong-type"
        if self._schemas is None or not problem.path:
            return problem
        if problem.rule in ("invalid-enum", "invalid-base64"):
            return self._of_text(problem, self._schemas)
        if problem.hint or not suggests:
            return problem
        self._searches += 1
        try:
            if problem.rule == "wrong-type":
                return self._of_type(problem, self._schemas)
            return self._of_field(problem, self._schemas)
        except EditError:
            return problem

    @property
    def _is_exhausted(self) -> bool:
        """Whether enough was tried."""
        others = self._searches - 1
        return others >= _MAX_SEARCHES or others * self._size > _MAX_VALUES

    @cached_property
    def _size(self) -> int:
        return sum(1 for _ in all_values(self.value))

    def _errors_with(self, schemas: KindSchemas, edit: Move | Put) -> int | None:
        """How many more errors there are with an edit; None where its value does not
        belong where it is brought.

        What is wrong with values inside of it was there before: nothing was known of
        them. An item of a list whose ``- `` is missing may have some unknown fields.
        """
        try:
            place, value = new_value(self.value, edit)
        except EditError:
            return None
        above, step = place[:-1], place[-1]
        schema = schemas.unresolved_at(above)
        if schema is None:
            return None
        holder = dict(parts_of(existing_value(self.value, above)))
        without = {key: part for key, part in holder.items() if key != step}
        before, after = (
            self.release.errors_in(
                parts if isinstance(step, str) else list(parts.values()), above, schema
            )
            for parts in (without, {**holder, step: value})
        )
        at = edit.target if isinstance(edit, Move) else place
        new = after - before
        if edit.path[: len(place)] == place:
            item = value_at(value, at[len(place) :])
            unknown = {("unknown-field", (*at, name)) for name, _ in parts_of(item)}
            if 2 * len(new & unknown) < len(unknown):
                new -= unknown
        is_worse = any(
            rule in _OF_SHAPE or path == at or path[: len(at)] != at
            for rule, path in new
        )
        return None if is_worse else len(after) - len(before)

    def _of_field(self, problem: Problem, schemas: KindSchemas) -> Problem:
        path = problem.path
        renamed = renamed_field(self.kind, keys_of(path))
        places = [renamed.path] if renamed else []
        places += renamed_inside(self.kind, keys_of(path))
        if places:
            hint = f"{self.kind.api_version} has {', '.join(places)} instead"
            fix = renaming(self.value, self.kind, path)
            return problem._replace(hint=hint, fixes=(fix,) if fix else ())
        name, holder = str(path[-1]), schemas.type_at(path[:-1])
        released = _release_hint(name, holder, self.release)
        if released:
            return problem._replace(hint=released)
        placed = self._placed(problem, schemas)
        if placed is not None:
            return placed
        for version in self.release.versions(self.kind.group, self.kind.kind):
            other = self.kind._replace(version=version)
            definition = self.release.kinds[other]
            if other != self.kind and KindSchemas(schemas.release, definition).at(path):
                hint = f"it is a field of {other.api_version}"
                return problem._replace(hint=hint)
        return problem._replace(hint=self._without_place(path, schemas))

    def _of_type(self, problem: Problem, schemas: KindSchemas) -> Problem:
        path = problem.path
        holder = schemas.at(path[:-1])
        if holder is not None and path[-1] not in holder.field_names and holder.values:
            # A field among the labels: obeying "quote it" would make a label of it.
            placed = self._placed(problem, schemas)
            if placed is not None:
                return placed
        if not self._is_exhausted:
            value = existing_value(self.value, path)
            for hint, edit in suggestions(value, path, schemas):
                if self._errors_with(schemas, edit) is not None:
                    return problem._replace(hint=hint, fixes=((edit,),))
        return problem

    def _of_text(self, problem: Problem, schemas: KindSchemas) -> Problem:
        path = problem.path
        try:
            value = existing_value(self.value, path)
        except EditError:
            return problem
        if not isinstance(value, str) or has_placeholder(value):
            return problem
        is_enum = problem.rule == "invalid-enum"
        allowed = schemas.allowed_texts(path, self.kind) if is_enum else ()
        meant = nearest_text(value, allowed) if is_enum else encoded_text(value)
        if meant is None:
            return problem
        hint = problem.hint or f"use {meant}"
        if is_enum:
            is_misspelt = meant.lower() != value.lower()
            hint = f"did you mean {meant}?" if is_misspelt else f"use {meant}"
        return problem._replace(hint=hint, fixes=((Put(path, meant),),))

    def _placed(self, problem: Problem, schemas: KindSchemas) -> Problem | None:
        """The problem with the places that its value belongs to; None without any."""
        if self._is_exhausted:
            return None
        path = problem.path
        targets = belongs_to(
            path, self.value, schemas, partial(self._errors_with, schemas)
        )
        if not targets:
            return None
        fixes: tuple[Fix, ...] = tuple((Move(path, target),) for target in targets)
        if all(target[:-1] == path[:-1] for target in targets):
            names = " or ".join(str(target[-1]) for target in targets)
            return problem._replace(hint=f"did you mean {names}?", fixes=fixes)
        places = " or ".join(_place(target, path, self.kind.kind) for target in targets)
        return problem._replace(hint=f"it belongs into {places}", fixes=fixes)

    def _without_place(self, path: Path, schemas: KindSchemas) -> str:
        """What to do about a field for which there is no place: where the rest of the
        object would be empty, its absence may mean everything."""
        is_alone = len(existing_value(self.value, path[:-1])) == 1
        holder = schemas.at(path[:-1])
        names = list(holder.field_names) if holder else []
        if is_alone or self._is_exhausted or schemas.has_field(str(path[-1])):
            listed = ", ".join(names[:_MAX_FIELDS])
            more = ", …" if len(names) > _MAX_FIELDS else ""
            what = field_path(path[:-1]) or self.kind.kind
            return f"{what} has the fields {listed}{more}" if names else ""
        return "remove it"


def _place(target: Path, path: Path, kind: str) -> str:
    """An object in words, with the name of the field where that differs."""
    if target[-1] != path[-1]:
        return field_path(target)
    return field_path(target[:-1]) or kind


def _release_hint(name: str, definition: str, release: CheckedRelease) -> str:
    """A hint about a field that other releases have."""
    changed = changed_field(definition, name)
    version = version_in(release.name)
    if changed is None or version is None:
        return ""
    if changed.removed and has_reached(version, changed.removed):
        return f"{name} was removed in {changed.removed}: remove it"
    if changed.added and not has_reached(version, changed.added):
        return f"{name} was added in {changed.added}: remove it for {release.name}"
    return ""
