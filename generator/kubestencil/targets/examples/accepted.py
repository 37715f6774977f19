"""What the API server accepts of the fields of built-in types: their values, and which of
them it needs, and accepts beside each other."""

from __future__ import annotations

import copy
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from kubestencil.schema import Definition, Schema
from kubestencil.schema.knowledge.conditions import (
    Combination,
    combinations,
)
from kubestencil.schema.knowledge.fields import server_values
from kubestencil.schema.knowledge.places import facts_in_kind
from kubestencil.schema.knowledge.values import FORMATS, FieldFacts
from kubestencil.schema.types import GroupVersionKind, schema_of
from kubestencil.schema.well_known import OBJECT_META
from kubestencil.targets.examples.objects import Object, values_at
from kubestencil.targets.examples.strings import CONVERTED_FORMATS, PLACEHOLDER

# The labels of pods, which the selector of their owner matches, and the group of what is
# scaled.
_NEEDED = {
    (OBJECT_META, "labels"),
    ("io.k8s.api.autoscaling.v2.CrossVersionObjectReference", "apiVersion"),
}
# What other parts of an object ask for: node ports, and the name of the resource.
_AT_PLACES: Mapping[tuple[str, str], Mapping[str, str]] = {
    ("autoscaling", "HorizontalPodAutoscaler"): {
        "spec.scaleTargetRef.apiVersion": "apps/v1"
    },
    ("", "Service"): {"spec.type": "NodePort"},
    ("apiextensions.k8s.io", "CustomResourceDefinition"): {
        "metadata.name": f"{PLACEHOLDER}.{PLACEHOLDER}"
    },
}


class AcceptedFields:
    """What the API server of a release accepts, by the names of definitions."""

    def __init__(self, release: str) -> None:
        self._release = release
        self._combinations = combinations(release)

    def conditions(self, definition: Definition) -> Mapping[str, Sequence[Schema]]:
        """The values that are allowed of fields, the default first."""
        found: dict[str, Sequence[Schema]] = {}
        for field in definition.fields:
            facts = server_values(self._release, definition.name, field.name)
            if conditions := conditions_of(facts, field.schema):
                found[field.name] = conditions
        return found

    def is_needed(self, definition: Definition, field: str) -> bool:
        """Whether an object always needs a field, though the document may not say so."""
        name = definition.name
        return (
            bool(server_values(self._release, name, field).required)
            or (name, field) in _NEEDED
        )

    def may_need(self, definition: Definition, field: str) -> bool:
        """Whether an object may need a field."""
        return self.is_needed(definition, field) or any(
            field in rule.fields
            for rule in self._rules(definition)
            if rule.rule == "needs" or rule.needs_one
        )

    def with_needed(
        self, definition: Definition, chosen: Object, values: Object
    ) -> Object:
        """The ``chosen`` fields, and those of ``values`` that they need beside them."""
        rules = self._rules(definition)
        if not rules:
            return chosen
        found = dict(chosen)
        for rule in rules:
            if _applies(rule, found):
                for name in _needed(rule, found, values):
                    found[name] = values[name]
        ordered = {name: values[name] for name in values if name in found}
        return self.compatible(definition, ordered)

    def compatible(self, definition: Definition, values: Object) -> Object:
        """The fields that are accepted beside each other: of those that exclude each
        other, the first."""
        chosen = dict(values)
        rules = [rule for rule in self._rules(definition) if _applies(rule, chosen)]
        required = {field.name for field in definition.fields if field.required}
        for rule in rules:
            _remove(_excluded(rule, chosen), chosen, required)
            if rule.rule in ("at-least", "at-most"):
                _make_equal(rule, chosen)
            elif rule.rule == "format":
                _give_format(rule, chosen)
        for rule in rules:
            if rule.rule == "needs" and not chosen.keys() >= set(rule.fields):
                set_terms = (
                    term.field for term in rule.terms if term.operator == "set"
                )
                _remove(set_terms, chosen, required)
        return chosen

    def at_places(self, kind: GroupVersionKind, obj: Object) -> Object:
        """An object of a kind with what is accepted at single places of this kind."""
        own = _AT_PLACES.get((kind.group, kind.kind), {})
        result = copy.deepcopy(obj)
        put_at_places(result, facts_in_kind(self._release, kind))
        put_at_places(
            result, {path: FieldFacts(enum=(value,)) for path, value in own.items()}
        )
        return result

    def _rules(self, definition: Definition) -> Sequence[Combination]:
        return self._combinations.get(definition.name, ())


def conditions_of(facts: FieldFacts, schema: Schema) -> Sequence[Schema]:
    """What facts say about the values of a field, as conditions."""
    keywords = _keywords(facts, schema)
    return (schema_of(keywords),) if keywords else ()


def _keywords(facts: FieldFacts, schema: Schema) -> Mapping[str, Any]:
    """The conditions of a field: those of the items of a list or map are in it."""
    if inner := schema.content:
        keywords = _keywords(facts, inner)
        name = "items" if schema.items else "additionalProperties"
        return {name: keywords} if keywords else {}
    text = _text(facts)
    if facts.enum:
        return {"enum": _default_first(facts)}
    if text and schema.type == "string" and schema.format not in CONVERTED_FORMATS:
        return {"enum": [text]}
    limits = {"minimum": facts.minimum, "maximum": facts.maximum}
    return {name: limit for name, limit in limits.items() if limit}


def _default_first(facts: FieldFacts) -> list[str]:
    """The allowed values of a field, beginning with its default."""
    default = facts.default.value if facts.default else None
    return sorted(facts.enum, key=lambda value: value != default)


def _text(facts: FieldFacts) -> str:
    """The text of a field that has a format or an enum; empty for any other one."""
    if facts.enum:
        return _default_first(facts)[0]
    return FORMATS[facts.format].example if facts.format else ""


def _applies(rule: Combination, values: Object) -> bool:
    names = {term.field for term in rule.terms} & values.keys()
    return rule.applies({name: values[name] for name in names})


def _needed(
    rule: Combination, present: Collection[str], available: Collection[str]
) -> Sequence[str]:
    """The fields of a rule that an object lacks."""
    missing = [name for name in rule.fields if name in available]
    if rule.rule == "needs":
        return missing
    is_there = any(name in present for name in rule.fields)
    return missing[:1] if rule.needs_one and not is_there else ()


def _excluded(rule: Combination, present: Collection[str]) -> Sequence[str]:
    if rule.rule == "forbids":
        return rule.fields
    if rule.takes_one:
        return [name for name in rule.fields if name in present][1:]
    return ()


def _remove(names: Iterable[str], values: Object, required: Collection[str]) -> None:
    for name in names:
        if name not in required:
            values.pop(name, None)


def _make_equal(rule: Combination, values: Object) -> None:
    """Give the first field the number of the second one."""
    first, second = rule.fields
    if type(values.get(first)) is int and type(values.get(second)) is int:
        values[first] = values[second]


def _give_format(rule: Combination, values: Object) -> None:
    """Give the texts of the first field the format that it names second."""
    path, name = rule.fields
    field = path.partition(".")[0]
    if field in values:
        # Examples share what is in them.
        values[field] = copy.deepcopy(values[field])
        put_at_places(values, {path: FieldFacts(format=name)})


def put_at_places(obj: Object, places: Mapping[str, FieldFacts]) -> None:
    """Change an object to have accepted values at some paths, in all items of the lists on
    the way and at their ends."""
    for path, facts in places.items():
        *outer, name = path.split(".")
        for holder in values_at(obj, outer):
            if not isinstance(holder, dict):
                continue
            if name in holder:
                holder[name] = _accepted(holder[name], facts)
            elif facts.required and (text := _text(facts)):
                holder[name] = text


def _accepted(value: Any, facts: FieldFacts) -> Any:
    """The value at a place, or where it is not accepted, one that the facts name."""
    if isinstance(value, list):
        return [_accepted(item, facts) for item in value]
    is_wrong = isinstance(value, str) and not _accepts(facts, value)
    return _text(facts) if is_wrong else value


def _accepts(facts: FieldFacts, text: str) -> bool:
    if facts.enum:
        return text in facts.enum
    return facts.format is None or FORMATS[facts.format].accepts(text)
