"""Shares types: an object inside of a custom resource that equals a built-in type gets
that type.

A CustomResourceDefinition with the fields of a Pod describes some hundred types that
Kubernetes has. Two types are equal if the same JSON values are read and written as
either: they have the same fields, of equal types, of which the same are required, and
the same constraints. Aside from that are

- descriptions, and defaults, which the API server fills in,
- the keys of strategic merge patches, which custom resources do not have, and unions,
  which no server checks.

Equal fields do not make the same type: an object with a name and a value can be anything.
The CustomResourceDefinition also has to describe one of the fields in the words of the
built-in type, from whose Go type it was made.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from kubestencil.schema import well_known
from kubestencil.schema.documents.inline import own_schema, rename_references
from kubestencil.schema.equality import DOCUMENTATION, json_equal
from kubestencil.schema.graph import reachable, reference_graph
from kubestencil.schema.keyword_values import json_object
from kubestencil.schema.keywords import INT_OR_STRING, REFERENCE_PREFIX
from kubestencil.schema.types import Definition, JsonObject, Release, Schema

# What is compared in another way, and what makes no difference.
_ASIDE = DOCUMENTATION | {
    "$ref", "properties", "required", "items", "additionalProperties", "default",
    "x-kubernetes-patch-merge-key", "x-kubernetes-patch-strategy", "x-kubernetes-unions",
}  # fmt: skip
_ANY_FIELDS = ("additionalProperties", True)
# How lists and objects without the keyword are merged (Kubernetes documentation of
# server-side apply, "Merge strategy").
_MERGED_BY_DEFAULT = (
    ("x-kubernetes-list-type", "atomic"),
    ("x-kubernetes-map-type", "granular"),
)
# What controller-gen writes for the scalars that may be numbers, which have a definition
# (controller-tools, pkg/crd/known_types.go).
_EITHER = {
    "anyOf": [{"type": "integer"}, {"type": "string"}],
    INT_OR_STRING: True,
}
_SCALARS: Mapping[str, JsonObject] = {
    well_known.INT_OR_STRING: _EITHER,
    well_known.QUANTITY: {
        **_EITHER,
        "pattern": r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))"
        r"(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$",
    },
}


def share_types(release: Release) -> Release:
    """``release`` with built-in types in place of those inside of custom resources that
    equal them."""
    comparison = _TypeComparison(release)
    shared = {
        name: built_in
        for name in release.inline_definitions
        if (built_in := comparison.built_in(name)) is not None
    }
    new_refs = {
        f"{REFERENCE_PREFIX}{name}": f"{REFERENCE_PREFIX}{built_in}"
        for name, built_in in shared.items()
    }
    graph = reference_graph(comparison.definitions)
    definitions = {
        name: (
            definition
            if shared.keys().isdisjoint(graph[name])
            else replace(
                definition, schema=rename_references(definition.schema, new_refs)
            )
        )
        for name, definition in comparison.definitions.items()
    }
    reached = reachable(
        reference_graph(definitions),
        release.definitions.keys() - release.inline_definitions,
    )
    return release.with_definitions(
        {name: value for name, value in definitions.items() if name in reached}
    )


class _TypeComparison:
    """Compares the types inside of custom resources with built-in ones.

    ``definitions`` are those of a release, or those that it was limited to some of.
    """

    def __init__(self, release: Release) -> None:
        self.definitions = release.unlimited or release.definitions
        self._inline = release.inline_definitions
        self._built_in: dict[frozenset[str], list[Definition]] = {}
        for definition in self.definitions.values():
            if well_known.is_built_in(definition.name) and not definition.kinds:
                key = frozenset(definition.schema.field_names)
                self._built_in.setdefault(key, []).append(definition)

    def built_in(self, name: str) -> str | None:
        """The built-in type that equals one inside of a custom resource, and has most of
        its descriptions; None where there is none with any."""
        definition = self.definitions[name]
        equal = [
            (_same_descriptions(definition, built_in), built_in.name)
            for built_in in self._built_in.get(
                frozenset(definition.schema.field_names), ()
            )
            if self._are_equal(definition, built_in)
        ]
        count, best = max(equal, key=lambda pair: pair[0], default=(0, ""))
        return best if count else None

    def _are_equal(self, custom: Definition, built_in: Definition) -> bool:
        others = {field.name: field for field in built_in.fields}
        return (
            custom.name in self._inline
            and others.keys() == custom.schema.field_names
            and json_equal(
                _constraints(own_schema(custom)), _constraints(built_in.schema)
            )
            and all(
                # A required field with a default may be absent.
                (field.required and not field.schema.has_default)
                is others[field.name].required
                and self._are_equal_values(field.schema, others[field.name].schema)
                for field in custom.fields
            )
        )

    def _are_equal_values(self, custom: Schema, built_in: Schema) -> bool:
        if built_in.ref is not None and built_in.ref in _SCALARS:
            return json_equal(_constraints(custom), _SCALARS[built_in.ref])
        if not json_equal(_constraints(custom), _constraints(built_in)):
            return False
        if custom.ref is None or built_in.ref is None:
            return (
                custom.ref is built_in.ref
                and self._are_equal_parts(custom.items, built_in.items)
                and self._are_equal_parts(custom.values, built_in.values)
            )
        return custom.ref == built_in.ref or self._are_equal(
            self.definitions[custom.ref], self.definitions[built_in.ref]
        )

    def _are_equal_parts(self, custom: Schema | None, built_in: Schema | None) -> bool:
        if custom is None or built_in is None:
            return custom is built_in
        return self._are_equal_values(custom, built_in)


def _constraints(schema: Schema) -> JsonObject:
    """The keywords of a schema that decide which values it has, without those inside of
    it."""
    return {
        keyword: value
        for keyword, value in json_object(schema).items()
        if (keyword not in _ASIDE or (keyword, value) == _ANY_FIELDS)
        and (keyword, value) not in _MERGED_BY_DEFAULT
    }


def _same_descriptions(custom: Definition, built_in: Definition) -> int:
    """How many fields have the same description in both, but for spaces."""
    texts = {field.name: field.schema.description.split() for field in built_in.fields}
    return sum(
        texts[field.name] == field.schema.description.split() != []
        for field in custom.fields
    )
