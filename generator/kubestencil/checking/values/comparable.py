"""Whether tables of two releases can be compared about a value: a fact that only those of
one have may be due to what was asked, and the server of the other may refuse it, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kubestencil.checking.findings import Problem
from kubestencil.checking.paths import keys_of
from kubestencil.checking.rules import RuleId
from kubestencil.schema.knowledge.conditions import combinations
from kubestencil.schema.knowledge.fields import KnownField
from kubestencil.schema.knowledge.places import known_place
from kubestencil.schema.types import GroupVersionKind, Release

# The facts (attributes of FieldFacts) that a value breaks.
_FACTS: Mapping[RuleId, tuple[str, ...]] = {
    "invalid-enum": ("enum",),
    "invalid-name": ("format", "key_format"),
    "out-of-range": ("minimum", "maximum"),
    "invalid-value": ("max_length", "max_items"),
    "missing-field": ("required", "min_length"),
    "duplicate-item": ("unique",),
}
# What tables say about several fields (``combinations``).
_OF_FIELDS: frozenset[RuleId] = frozenset(
    {"missing-field", "forbidden-field", "out-of-range"}
)


def has_facts(
    problem: Problem, kind: GroupVersionKind, definition: str, release: Release
) -> bool:
    """Whether tables of a release have facts like the one that a value breaks in another
    release: other ones, or that all is accepted. ``definition`` is that of the kind."""
    steps = keys_of(problem.path).split(".")
    places = [
        known_place(release, definition, kind, steps[:end])
        for end in range(1, len(steps) + 1)
    ]
    # The end may be a key of a map, or tell items of a list apart.
    known = [place for place in places if place is not None][-2:]
    if not known:
        return True
    names = _FACTS.get(problem.rule, ())
    facts = (getattr(one.server.enforced, name) for one in known for name in names)
    return (
        any(fact not in (None, ()) for fact in facts)
        or (problem.rule in _OF_FIELDS and _is_combined(known[-1], release))
        or (problem.rule == "invalid-name" and _has_format(places, steps, release))
    )


def _has_format(
    places: Sequence[KnownField | None], steps: Sequence[str], release: Release
) -> bool:
    """Whether tables say which format a value has beside others: of what it is in, too."""
    rules = combinations(release.name)
    return any(
        row.rule == "format" and row.fields[0].split(".") == steps[index:]
        for index, place in enumerate(places)
        if place is not None
        for row in rules.get(place.definition, ())
    )


def _is_combined(known: KnownField, release: Release) -> bool:
    """Whether tables say what a field, or those inside of it, can be beside others."""
    rules = combinations(release.name)
    fields = (name for row in rules.get(known.definition, ()) for name in row.fields)
    inner = known.schema.innermost().ref
    return inner in rules or known.name in (name.partition(".")[0] for name in fields)
