"""Names the objects inside of definitions as openapi-generator does: InlineModelResolver.

A definition in ``components`` of OpenAPI is a model with a page. So openapi-generator
makes one of every object with fields that it finds inside of another: named after the
model and the field, or after its ``title``, with a number where that is taken. Objects
with the same schema are one model, whatever they are part of. The rules changed: those
of 4.3 and 5.4 are ``flattened``, those of 7.26 ``gathered``.

Schemas are JSON values of OpenAPI 2.0; a reference leads to the name of a model.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from kubestencil.schema.keywords import REFERENCE_PREFIX
from kubestencil.schema.types import JsonObject

#: How inline objects get names: by openapi-generator 4.3, 5.4 or 7.26.
Naming = Literal["flatten-4", "flatten", "gather"]

_NOT_IN_NAME = re.compile(r"[^A-Za-z0-9]")
# What 4.3 keeps of an object: all else does not tell two objects apart.
_KEPT_BY_4 = ("description", "required", "properties")


def name_inline_models(
    models: Mapping[str, JsonObject], names: Iterable[str], naming: Naming
) -> dict[str, JsonObject]:
    """``models`` with a model for every object inside of those called ``names``."""
    resolver = _Gatherer(models) if naming == "gather" else _Flattener(models, naming)
    for name in names:
        resolver.resolve(name)
    return resolver.result()


class _Resolver:
    """The models by name, and the signatures of those that were inline."""

    def __init__(self, models: Mapping[str, JsonObject]) -> None:
        self.models = dict(models)
        self.names_by_signature: dict[str, str] = {}

    def model_name(self, schema: JsonObject, path: str) -> str:
        """A name that is free, for the object at ``path``: model and fields."""
        name = _sanitized(schema.get("title") or path)
        candidate, number = name, 0
        while candidate in self.models:
            number += 1
            candidate = f"{name}_{number}"
        return candidate


class _Flattener(_Resolver):
    """The rules of openapi-generator 4.3 and 5.4."""

    def __init__(self, models: Mapping[str, JsonObject], naming: Naming) -> None:
        super().__init__(models)
        self.kept = _KEPT_BY_4 if naming == "flatten-4" else None

    def resolve(self, name: str) -> None:
        model = self.models[name]
        if "properties" in model:
            properties = self.flatten(model["properties"], name)
            self.models[name] = {**model, "properties": properties}

    def result(self) -> dict[str, JsonObject]:
        return self.models

    def flatten(self, properties: JsonObject, path: str) -> JsonObject:
        """Fields whose objects are references.

        An object in a list or map is flattened twice, first for the fields in it
        under the name of what it is part of.
        """
        flat: dict[str, Any] = {}
        for key, schema in properties.items():
            if _is_object(schema):
                flat[key] = self.reference(schema, f"{path}_{key}")
                continue
            keyword = "items" if schema.get("type") == "array" else _MAP
            inner = schema.get(keyword)
            if isinstance(inner, Mapping) and _is_object(inner):
                inner = {**inner, "properties": self.flatten(inner["properties"], path)}
                schema = {**schema, keyword: self.reference(inner, f"{path}_{key}")}
            flat[key] = schema
        return flat

    def reference(self, schema: JsonObject, path: str) -> JsonObject:
        """A reference to the model of an object."""
        name = self.model_name(schema, path)
        model = {**schema, "properties": self.flatten(schema["properties"], name)}
        kept = (
            model
            if self.kept is None
            else {k: model[k] for k in self.kept if k in model}
        )
        signature = _signature(kept)
        existing = self.names_by_signature.get(signature)
        if existing is None:
            existing = self.names_by_signature[signature] = name
            self.models[name] = model
        return _reference(existing)


class _Gatherer(_Resolver):
    """The rules of openapi-generator 7.26."""

    def __init__(self, models: Mapping[str, JsonObject]) -> None:
        super().__init__(models)
        for name, model in models.items():
            if "title" in model:
                self.names_by_signature[_signature(model)] = name

    def resolve(self, name: str) -> None:
        self.models[name] = self.gather(self.models[name], name)

    def gather(self, schema: JsonObject, path: str) -> JsonObject:
        """A schema whose objects are references."""
        if "$ref" in schema:
            return schema
        result = dict(schema)
        if schema.get("type", "object") == "object":
            if "properties" in schema:
                result["properties"] = {
                    key: self.inner(value, f"{path}_{key}")
                    for key, value in schema["properties"].items()
                }
            if isinstance(schema.get(_MAP), Mapping):
                result[_MAP] = self.inner(schema[_MAP], f"{path}_value")
        elif schema["type"] == "array" and "items" in schema:
            result["items"] = self.inner(schema["items"], f"{path}_inner")
        return result

    def inner(self, schema: JsonObject, path: str) -> JsonObject:
        """The schema of a field, item or value: a reference for an object."""
        name = self.model_name(schema, path)
        gathered = self.gather(schema, name)
        if not (schema.get("type", "object") == "object" and schema.get("properties")):
            return gathered
        signature = _signature(gathered)
        existing = self.names_by_signature.get(signature)
        if existing is None:
            existing = self.names_by_signature[signature] = name
            self.models[name] = gathered
        return _reference(existing)

    def result(self) -> dict[str, JsonObject]:
        return self.models


_MAP = "additionalProperties"


def _is_object(schema: JsonObject) -> bool:
    return schema.get("type") == "object" and bool(schema.get("properties"))


def _reference(name: str) -> JsonObject:
    return {"$ref": f"{REFERENCE_PREFIX}{name}"}


def _signature(schema: JsonObject) -> str:
    """A text that schemas share that openapi-generator does not tell apart."""
    return json.dumps(_comparable(schema))


def _comparable(schema: Any) -> Any:
    # A reference has no siblings in the signatures of openapi-generator. The order of
    # fields counts, that of keywords does not.
    if not isinstance(schema, Mapping):
        return schema
    if "$ref" in schema:
        return schema["$ref"]
    return [
        (
            keyword,
            (
                [(name, _comparable(field)) for name, field in value.items()]
                if keyword == "properties"
                else _comparable(value) if keyword in ("items", _MAP) else value
            ),
        )
        for keyword, value in sorted(schema.items())
    ]


def _sanitized(name: str) -> str:
    return _NOT_IN_NAME.sub("_", re.sub(r"\A(?=[0-9])", "_", name))
