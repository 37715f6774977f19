"""What the API server accepts of the fields of built-in types: their values, and which of
them it needs, and accepts beside each other."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
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
from kubestencil.targets.examples.fields import example_fields
from kubestencil.targets.examples.nodes import (
    Entry,
    ListNode,
    Node,
    Object,
    Scalar,
    list_node,
    object_node,
    to_json,
)
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
        self,
        definition: Definition,
        chosen: Collection[Entry],
        entries: Iterable[Entry],
    ) -> Collection[Entry]:
        """The ``chosen`` fields, and those of ``entries`` that they need beside them."""
        rules = self._rules(definition)
        if not rules:
            return chosen
        available = {entry.field.name: entry for entry in entries}
        names = {entry.field.name: entry for entry in chosen}
        for rule in rules:
            if _applies(rule, names):
                for name in _needed(rule, names.keys(), available.keys()):
                    names[name] = available[name]
        ordered = [available[name] for name in available if name in names]
        return self.compatible(definition, ordered)

    def compatible(
        self, definition: Definition, entries: Iterable[Entry]
    ) -> Collection[Entry]:
        """The fields that are accepted beside each other: of those that exclude each
        other, the first."""
        chosen = {entry.field.name: entry for entry in entries}
        rules = [rule for rule in self._rules(definition) if _applies(rule, chosen)]
        for rule in rules:
            for name in _excluded(rule, chosen.keys()):
                _remove(name, chosen)
            if rule.rule in ("at-least", "at-most"):
                _make_equal(rule, chosen)
            elif rule.rule == "format":
                _give_format(rule, chosen)
        for rule in rules:
            if rule.rule == "needs" and not chosen.keys() >= set(rule.fields):
                for term in rule.terms:
                    if term.operator == "set":
                        _remove(term.field, chosen)
        return chosen.values()

    def at_places(self, root: Object) -> Object:
        """An object of a kind with what is accepted at single places of this kind."""
        kind = root.definition and root.definition.served_kind
        node: Node = root
        for path, facts in self._places(kind) if kind else ():
            node = _at_place(node, path.split("."), facts)
        assert isinstance(node, Object)
        return node

    def _places(self, kind: GroupVersionKind) -> Iterator[tuple[str, FieldFacts]]:
        yield from facts_in_kind(self._release, kind).items()
        for path, value in _AT_PLACES.get((kind.group, kind.kind), {}).items():
            yield path, FieldFacts(enum=(value,))

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


def _applies(rule: Combination, entries: Mapping[str, Entry]) -> bool:
    names = {term.field for term in rule.terms} & entries.keys()
    return rule.applies({name: to_json(entries[name].node) for name in names})


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


def _remove(name: str, entries: dict[str, Entry]) -> None:
    if name in entries and not entries[name].field.required:
        del entries[name]


def _make_equal(rule: Combination, entries: dict[str, Entry]) -> None:
    """Give the first field the number of the second one."""
    first, second = (entries.get(name) for name in rule.fields)
    if first and second and _is_number(first.node) and _is_number(second.node):
        entries[first.field.name] = Entry(first.field, second.node)


def _give_format(rule: Combination, entries: dict[str, Entry]) -> None:
    """Give the texts of the first field the format that it names second."""
    path, name = rule.fields
    first, *steps = path.split(".")
    if entry := entries.get(first):
        entries[first] = Entry(
            entry.field, _at_place(entry.node, steps, FieldFacts(format=name))
        )


def _is_number(node: Node) -> bool:
    return isinstance(node, Scalar) and type(node.value) is int


def _at_place(node: Node, steps: Sequence[str], facts: FieldFacts) -> Node:
    """``node`` with an accepted value at a path, in all items of lists on the way and at
    its end."""
    if isinstance(node, ListNode):
        items = [_at_place(item, steps, facts) for item in node.items]
        return list_node(items)
    if not steps:
        return _accepted(node, facts)
    if not isinstance(node, Object) or node.definition is None:
        return node
    name, *inner_steps = steps
    entries = {entry.field.name: entry for entry in node.entries}
    entry = entries.get(name)
    if entry:
        value = _at_place(entry.node, inner_steps, facts)
    elif facts.required and not inner_steps and (text := _text(facts)):
        value = Scalar(text)
    else:
        return node
    changed = (
        Entry(field, value) if field.name == name else entries[field.name]
        for field in example_fields(node.definition)
        if field.name == name or field.name in entries
    )
    return object_node(node.definition, changed)


def _accepted(node: Node, facts: FieldFacts) -> Node:
    """The value at a place, or where it is not accepted, one that the facts name."""
    is_text = isinstance(node, Scalar) and isinstance(node.value, str)
    if not is_text or _accepts(facts, to_json(node)):
        return node
    return Scalar(_text(facts))


def _accepts(facts: FieldFacts, text: str) -> bool:
    if facts.enum:
        return text in facts.enum
    return facts.format is None or FORMATS[facts.format].accepts(text)
