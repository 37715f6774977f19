"""What the API server accepts of the fields of built-in types: their values, and which of
them it needs, and accepts beside each other."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from kubestencil.schema import Definition, Schema
from kubestencil.schema.knowledge.conditions import Combination, combinations
from kubestencil.schema.knowledge.fields import server_values
from kubestencil.schema.knowledge.places import facts_in_kind
from kubestencil.schema.knowledge.values import FieldFacts
from kubestencil.schema.types import GroupVersionKind, schema_of
from kubestencil.schema.well_known import OBJECT_META
from kubestencil.targets.examples.objects import Object
from kubestencil.targets.examples.places import (
    accepted_text,
    default_first,
    put_at_places,
)
from kubestencil.targets.examples.rules import Siblings, follow
from kubestencil.targets.examples.strings import CONVERTED_FORMATS, PLACEHOLDER

# The labels of pods, which the selector of their owner matches, and the group of what is
# scaled.
_NEEDED = {
    (OBJECT_META, "labels"),
    ("io.k8s.api.autoscaling.v2.CrossVersionObjectReference", "apiVersion"),
}
# What other parts of an object ask for: node ports, and the name of the resource.
_AT_PLACES: Mapping[tuple[str, str], Mapping[str, FieldFacts]] = {
    ("", "Service"): {"spec.type": FieldFacts(enum=("NodePort",))},
    ("apiextensions.k8s.io", "CustomResourceDefinition"): {
        "metadata.name": FieldFacts(enum=(f"{PLACEHOLDER}.{PLACEHOLDER}",))
    },
    ("autoscaling", "HorizontalPodAutoscaler"): {
        "spec.scaleTargetRef.apiVersion": FieldFacts(enum=("apps/v1",))
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

    def compatible(
        self, definition: Definition, chosen: Object, values: Object
    ) -> Object:
        """The ``chosen`` fields that are accepted beside each other, of those that exclude
        each other the first, and those of ``values`` that they need."""
        rules = self._rules(definition)
        if not rules:
            return chosen
        # Examples share what is in them.
        obj = copy.deepcopy(chosen)
        others = {name: values[name] for name in values if name not in chosen}
        follow(obj, rules, None, Siblings.of(others))
        return {name: obj[name] for name in values if name in obj}

    def at_places(self, kind: GroupVersionKind, obj: Object) -> Object:
        """An object of a kind with what is accepted at single places of this kind."""
        result = copy.deepcopy(obj)
        put_at_places(result, facts_in_kind(self._release, kind))
        put_at_places(result, _AT_PLACES.get((kind.group, kind.kind), {}))
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
    text = accepted_text(facts)
    if facts.enum:
        return {"enum": default_first(facts)}
    if text and schema.type == "string" and schema.format not in CONVERTED_FORMATS:
        return {"enum": [text]}
    limits = {"minimum": facts.minimum, "maximum": facts.maximum}
    return {name: limit for name, limit in limits.items() if limit}
