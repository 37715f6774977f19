"""Joins what was found of one release to facts of fields, and those of all releases to
rows of tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from kubestencil.source import available
from kubestencil.source.releases import release_order
from specs.make.values.defaults import DefaultFact
from specs.make.values.markers import MarkedEnum
from specs.make.values.questions import Fact
from specs.make.values.reviewed import (
    BY_KIND,
    CONDITIONAL,
    MEANT,
    NO_DEFAULTS,
    NO_ENUMS,
    NO_LIMITS,
)

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
#: A definition, a field, a context, and a condition or a rule.
Key = tuple[str, str, str, str]
#: A value, and how it was found.
Found = tuple[str, str]

_EMPTY = ('""', "null", "{}", "[]")


def enum_facts(asked: Sequence[Fact], marked: Iterable[MarkedEnum]) -> dict[Key, Found]:
    """The enums of a release: those that answers name, else those of Go types."""
    values: dict[tuple[str, str], dict[str, set[str]]] = defaultdict(
        lambda: defaultdict(set)
    )
    here: dict[str, set[str]] = defaultdict(set)
    for fact in asked:
        if fact.rule == "enum":
            values[fact.definition, fact.field][fact.context] |= set(
                fact.value.split("\n")
            )
        elif fact.rule == "enum-here":
            here[fact.context] |= set(fact.value.split("\n"))
    found: dict[Key, Found] = {}
    for definition, field, constants in marked:
        found[definition, field, "", "enum"] = cell_of_values(constants), "marker"
    for (definition, field), by_place in values.items():
        union = set[str]().union(*by_place.values())
        if _name(definition, field) in NO_ENUMS:
            continue
        found[definition, field, "", "enum"] = cell_of_values(union), "asked"
        if _name(definition, field) in BY_KIND:
            for where in by_place:
                if here[where] != union:
                    found[definition, field, where, "enum"] = (
                        cell_of_values(here[where]),
                        "asked",
                    )
    return found


def cell_of_values(values: Iterable[str]) -> str:
    """Values as a cell of a table, sorted."""
    return " ".join(value.replace(" ", "%20") or '""' for value in sorted(values))


def _name(definition: str, field: str) -> tuple[str, str]:
    return definition.rpartition(".")[2], field


def default_rows_of(facts: Iterable[DefaultFact]) -> dict[Key, Found]:
    """The defaults of a release that mean something."""
    found: dict[Key, Found] = {}
    for definition, field, context, condition, value in facts:
        name = _name(definition, field)
        is_empty = value in _EMPTY and name not in MEANT
        selects = value == "{}" and field.endswith("Selector")
        is_left_out = name in NO_DEFAULTS or name[0] == "ObjectMeta"
        if not is_left_out and (not is_empty or selects):
            found[definition, field, context, condition] = value, "asked"
    return found


def limit_facts(asked: Sequence[Fact]) -> dict[Key, Found]:
    """The limits of a release on which all occurrences of a field agree. Names of objects
    depend on the kind."""
    values: dict[Key, set[str]] = defaultdict(set)
    for fact in asked:
        name = _name(fact.definition, fact.field)
        if fact.rule.startswith(("enum", "probe")) or name in NO_LIMITS:
            continue
        if (*name, fact.rule) in CONDITIONAL:
            continue
        where = ""
        if name[0] == "ObjectMeta" and name[1] in ("name", "namespace"):
            if fact.path != f"metadata.{fact.field}":
                continue
            where = fact.context
        if name in BY_KIND and fact.rule == "required":
            where = fact.context
            if fact.value == "?others":
                continue
        values[fact.definition, fact.field, where, fact.rule].add(fact.value)
    return {
        key: (next(iter(found)), "asked")
        for key, found in values.items()
        if len(found) == 1 and not any(value.startswith("?") for value in found)
    }


def _is_among(key: K, value: V, facts: Mapping[K, V]) -> bool:
    return facts.get(key) == value


def _is_said(key: K, value: V, facts: Mapping[K, V]) -> bool:
    """Whether the same is among facts, however it was found."""
    return key in facts and _said(facts[key]) == _said(value)


def _said(value: object) -> object:
    """What a value says, however it was found."""
    return value[0] if isinstance(value, tuple) else value


def joined(
    facts: Mapping[str, Mapping[K, V]],
    table: Callable[[str], Mapping[K, V]],
    holds: Callable[[K, V, Mapping[K, V]], bool] = _is_among,
) -> dict[str, Mapping[K, V]]:
    """The facts of releases that were asked, and of those between. Between two of them, it
    is what holds in both, and what is known at present, unless that was said of one of the
    two, and neither confirms it. ``holds`` is whether a fact holds where others do."""
    found: dict[str, Mapping[K, V]] = {}

    def is_in_one(key: K, value: V, sides: Iterable[Mapping[K, V]]) -> bool:
        return any(
            _is_said(key, value, side) or holds(key, value, side) for side in sides
        )

    before, asked = "", list(facts)
    for name in sorted({*available(None), *facts}, key=release_order):
        if name in facts:
            before = name
            found[name] = facts[name]
            asked.remove(name)
        elif before and asked:
            sides = facts[before], facts[asked[0]]
            both = {
                key: value
                for one, other in (sides, sides[::-1])
                for key, value in one.items()
                if holds(key, value, other)
            }
            said = table(before), table(asked[0])
            kept = {
                key: value
                for key, value in table(name).items()
                if not holds(key, value, both)
                and (is_in_one(key, value, sides) or not is_in_one(key, value, said))
            }
            found[name] = {**kept, **both}
    return found


def cells(facts: Mapping[Key, Found]) -> Iterator[tuple[str, ...]]:
    """The rows of facts with a value, and how that was found."""
    for key, found in facts.items():
        yield *key, *found
