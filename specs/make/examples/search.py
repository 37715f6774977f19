"""Looks for what a refused example of a field lacks: first in objects that are accepted,
then by repairing it."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from kubestencil.checking.judgement import kind_of
from kubestencil.schema.field_paths import fields_along
from kubestencil.schema.kinds import definitions_of_kinds
from kubestencil.schema.types import Release
from kubestencil.targets.examples.objects import values_at
from kubestencil.targets.field_examples.changes import difference
from kubestencil.validator.process import Validator
from specs.make.asking.objects import (
    Path,
    all_steps,
    find,
    positions,
    removed,
    replaced,
    value_at,
)
from specs.make.asking.repairs import TEXTS, Repairs
from specs.make.examples.questions import Question, kept

# What people can read is tried before what only has the form.
_READABLE = (
    "string", "example.com", "example.com/string", "https://example.com", "192.0.2.1",
    "192.0.2.0/24", "10.0.0.1", "/string", "limits.cpu", "metadata.name",
    "example.com:80", "iqn.2001-04.com.example:storage", "Always", "Never", "true",
    "object.metadata.name == 'string'", "device.driver == 'string'", "'string'",
    "has(self.spec)", ".spec.string", ".metadata.name", "1.2.3", "0-1", "NoExecute",
    "Deny",
)  # fmt: skip
# Values of a field that are tried in an object, and values that are remembered.
_TRIED = 8
_REMEMBERED = 60


class Pool:
    """The values of fields in accepted objects, by definition and field, short ones
    first."""

    def __init__(self, release: Release, objects: Mapping[str, Iterable[Any]]) -> None:
        found: dict[tuple[str, str], dict[str, Any]] = defaultdict(dict)
        for name, values in objects.items():
            for value in values:
                for position in positions(release, name, value):
                    if not position.is_item:
                        part = value_at(value, position.path)
                        text = json.dumps(part, sort_keys=True)
                        found[position.definition, position.field][text] = part
        self._values = {
            field: [values[text] for text in sorted(values, key=_shortness)]
            for field, values in found.items()
        }

    def values(self, definition: str, field: str, rest: Sequence[str]) -> list[Any]:
        """Some values of a field that have another one inside of them."""
        known = self._values.get((definition, field), ())[:_REMEMBERED]
        return [v for v in known if not rest or values_at(v, rest)][:_TRIED]


def _shortness(text: str) -> tuple[int, str]:
    return len(text), text


class Level(NamedTuple):
    """An object on the way to a field: its path and definition, and the field in it that
    is next, with the path from there on."""

    path: Path
    definition: str
    field: str
    rest: str


class Needed(NamedTuple):
    """A change of the objects of a definition with a field at a path (the table
    ``examples``)."""

    definition: str
    path: str
    change: Any


class Search:
    """The search in one release."""

    def __init__(self, release: Release, validator: Validator, pool: Pool) -> None:
        self._release = release
        self._validator = validator
        self._pool = pool

    def find(self, question: Question, refused: Any) -> Iterator[list[Needed]]:
        """What would make a refused object one that is kept: several proposals, which
        hold for as many fields as possible, the most general one first."""
        levels = self._levels(question, refused)
        if levels is None:
            return
        own = (*levels[-1].path, levels[-1].field)
        better = self._transplanted(question, refused, levels)
        if better is None:
            better = self._repaired(question, refused, own)
        if better is not None:
            better = self._smallest(question, refused, better)
            yield from self._proposals(refused, better, levels, own)

    def _levels(self, question: Question, value: Any) -> list[Level] | None:
        definition = self._release.definitions[question.definition]
        levels: list[Level] = []
        path: Path = ()
        for _, field, owner in fields_along(definition, self._release, question.path):
            part = find(value, path)
            while (
                isinstance(part, list | dict)
                and part
                and (isinstance(part, list) or (levels and self._is_map(part, owner)))
            ):
                step = 0 if isinstance(part, list) else next(iter(part))
                path, part = (*path, step), part[step]
            start = len(".".join(level.field for level in levels))
            rest = question.path[start + bool(levels) :]
            levels.append(Level(path, owner, field.name, rest))
            path = (*path, field.name)
        if not levels or find(value, path) is None:
            return None
        return levels

    def _is_map(self, part: Mapping[str, Any], owner: str) -> bool:
        names = self._release.definitions[owner].schema.field_names
        return not part.keys() <= names

    def _transplanted(
        self, question: Question, refused: Any, levels: Sequence[Level]
    ) -> Any:
        """The object with a value of other objects, as near to the field as possible."""
        for level in reversed(levels):
            rest = level.rest[len(level.field) + 1 :]
            steps = rest.split(".") if rest else []
            candidates = [
                replaced(refused, (*level.path, level.field), value)
                for value in self._pool.values(level.definition, level.field, steps)
            ]
            better = self._first_kept(question, candidates)
            if better is not None:
                return better
        return None

    def _first_kept(self, question: Question, candidates: Sequence[Any]) -> Any:
        answers = kept(
            self._release, self._validator, [(question, value) for value in candidates]
        )
        good = (v for v, is_kept in zip(candidates, answers, strict=True) if is_kept)
        return next(good, None)

    def _repaired(self, question: Question, refused: Any, own: Path) -> Any:
        repairs = Repairs(
            self._release,
            question.definition,
            self._validator,
            (*_READABLE, *TEXTS),
            question.switches,
        )
        better = repairs.repaired(refused, own)
        if better is not None and self._first_kept(question, [better]) is not None:
            return better
        return None

    def _smallest(self, question: Question, refused: Any, better: Any) -> Any:
        """``better`` with as little changed as possible, and texts that can be read."""
        before = None
        while before != better:
            before = better
            for path in sorted(_changed(refused, better), key=len):
                old = find(refused, path)
                now = find(better, path)
                if now == old:
                    continue
                undone = (
                    removed(better, path)
                    if old is None
                    else replaced(better, path, old)
                )
                if self._first_kept(question, [undone]) is not None:
                    better = undone
        for path in _changed(refused, better):
            text = find(better, path)
            if isinstance(text, str) and len(text) < 8 and text not in _READABLE:
                readable = [replaced(better, path, t) for t in _READABLE[:8]]
                better = self._first_kept(question, readable) or better
        return better

    def _proposals(
        self, refused: Any, better: Any, levels: Sequence[Level], own: Path
    ) -> Iterator[list[Needed]]:
        changed = _changed(refused, better)
        if not changed:
            return
        leaves = [self._leaf(better, path) for path in changed]
        if all(path[: len(own)] == own for path in changed) and None not in leaves:
            yield [leaf for leaf in leaves if leaf is not None]
        for level in reversed(levels):
            if all(path[: len(level.path)] == level.path for path in changed):
                change = difference(find(refused, level.path), find(better, level.path))
                yield [Needed(level.definition, level.rest, change)]

    def _leaf(self, value: Any, path: Path) -> Needed | None:
        """A value of a field wherever that is; None for what is no field of a definition,
        and for what is removed."""
        *outer, name = path
        while outer and not isinstance(name, str):
            name = outer.pop()
        part = find(value, (*outer, name))
        if part is None or not isinstance(name, str):
            return None
        root = definitions_of_kinds(self._release)[kind_of(value)]
        for position in positions(self._release, root, value, all_steps):
            if position.path == (*outer, name) and not position.is_item:
                return Needed(position.definition, position.field, {name: part})
        return None


def _changed(before: Any, after: Any, path: Path = ()) -> list[Path]:
    """The paths at which two objects differ, as deep as both have objects."""
    if isinstance(before, dict) and isinstance(after, dict):
        names = [*before, *(name for name in after if name not in before)]
        return [
            each
            for name in names
            for each in _changed(before.get(name), after.get(name), (*path, name))
        ]
    is_list = isinstance(before, list) and isinstance(after, list)
    if (
        is_list
        and len(before) == len(after)
        and any(isinstance(v, dict) for v in before)
    ):
        return [
            each
            for index, (old, new) in enumerate(zip(before, after, strict=True))
            for each in _changed(old, new, (*path, index))
        ]
    return [] if before == after else [path]
