"""The rules about the fields of one object (``schema.knowledge.conditions``): an object is
changed until it follows them."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, Self

from kubestencil.schema.knowledge.conditions import (
    Combination,
    Term,
    is_set,
)
from kubestencil.schema.knowledge.values import FieldFacts
from kubestencil.targets.examples.objects import Object, values_at
from kubestencil.targets.examples.places import put_at_places

# Rules ask for what other rules are about.
_ROUNDS = 3


class Siblings(NamedTuple):
    """The other fields of an object: ``add`` puts a value of one, or at a path of it, into
    the object, ``values`` are those that a field may have."""

    add: Callable[[Object, str], None]
    values: Callable[[str], Sequence[str]]

    @classmethod
    def of(cls, fields: Object) -> Self:
        """Those of which each has one value, if any."""

        def add(obj: Object, name: str) -> None:
            if name in fields:
                obj[name] = copy.deepcopy(fields[name])

        return cls(add, lambda _: ())


def follow(
    obj: Object, rules: Sequence[Combination], kept: str | None, siblings: Siblings
) -> None:
    """Change an object until it follows its rules; the field ``kept`` stays in it."""
    _choose_union(obj, rules, kept)
    for _ in range(_ROUNDS):
        for rule in rules:
            if rule.applies(obj):
                _obey(obj, rule, rules, kept, siblings)


def _choose_union(obj: Object, rules: Iterable[Combination], kept: str | None) -> None:
    """Where ``type=Pods`` needs pods, the field pods asks for this type, and excludes those
    of the others."""
    members = [
        (rule, term)
        for rule in rules
        if rule.rule == "needs" and len(rule.condition) == 1
        for term in rule.terms
        if term.operator == "="
    ]
    mine = [(rule, term) for rule, term in members if kept in rule.fields]
    if len(members) < 2 or len(mine) != 1:
        return
    ((own, term),) = mine
    for rule, other in members:
        if rule is not own and other.field == term.field:
            for name in rule.fields:
                obj.pop(name, None)
    obj[term.field] = term.value


def _obey(
    obj: Object,
    rule: Combination,
    rules: Sequence[Combination],
    kept: str | None,
    siblings: Siblings,
) -> None:
    present = [name for name in rule.fields if is_set(obj.get(name))]
    if rule.rule == "forbids":
        if kept in rule.fields:
            _make_untrue(obj, rule.terms, rules, kept, siblings)
        else:
            for name in present:
                del obj[name]
    elif rule.rule == "needs":
        for name in rule.fields:
            if not is_set(obj.get(name)):
                siblings.add(obj, name)
            if name not in obj and not values_at(obj, name.split(".")):
                _make_unset(obj, rule.terms, kept)
    elif rule.rule in ("at-most", "at-least"):
        _order(obj, rule, kept)
    elif rule.rule == "format":
        path, name = rule.fields
        put_at_places(obj, {path: FieldFacts(format=name)})
    if rule.takes_one and len(present) > 1:
        stays = kept if kept in present else present[0]
        for name in present:
            if name != stays:
                del obj[name]
    if rule.needs_one and not present:
        inner = (name.split(".") for name in rule.fields if "." in name)
        if not any(values_at(obj, steps) for steps in inner):
            siblings.add(obj, rule.fields[0])


def _make_unset(obj: Object, terms: Iterable[Term], kept: str | None) -> None:
    """Remove the fields that need one which has no value."""
    for term in terms:
        if term.operator == "set" and term.field != kept:
            obj.pop(term.field, None)


def _make_untrue(
    obj: Object,
    terms: Sequence[Term],
    rules: Iterable[Combination],
    kept: str | None,
    siblings: Siblings,
) -> None:
    """Change what a rule that forbids the kept field depends on."""
    for term in terms:
        if term.field in (kept, "") or "." in term.field:
            continue
        if term.operator == "absent":
            siblings.add(obj, term.field)
        elif term.operator == "!=":
            obj[term.field] = term.value
        else:
            refused = {
                other.value
                for rule in rules
                if rule.rule == "forbids" and kept in rule.fields
                for other in rule.terms
                if other.field == term.field
            }
            better = (v for v in siblings.values(term.field) if v not in refused)
            if value := next(better, None):
                obj[term.field] = value
            else:
                obj.pop(term.field, None)
        return


def _order(obj: Object, rule: Combination, kept: str | None) -> None:
    """Make the first field at most, or at least, the second one, or a number."""
    first, second = rule.fields
    parent, _, leaf = first.rpartition(".")
    holder = obj.get(parent) if parent else obj
    limit = int(second) if second.lstrip("-").isdigit() else obj.get(second)
    value = holder.get(leaf) if isinstance(holder, dict) else None
    if isinstance(value, dict) and isinstance(limit, dict):
        for key in value.keys() & limit.keys():
            chosen = value[key] if kept == first else limit[key]
            value[key] = limit[key] = chosen
        return
    if type(value) is not int or type(limit) is not int or value == limit:
        return
    if (value > limit) == (rule.rule == "at-most") and isinstance(holder, dict):
        if kept == first and second in obj:
            obj[second] = value
        else:
            holder[leaf] = limit
