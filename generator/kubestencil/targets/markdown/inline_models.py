"""Names the objects inside of definitions as openapi-generator does: InlineModelResolver.

Each definition is a model with a page. openapi-generator makes a model of every object
with fields that is inside of another, too. It is called after the model and the field,
or after its ``title``, with a number where that is taken. Objects with the same schema
are one model, whatever they are part of. The rules differ between versions: 4.3 and 5.4
flatten the fields of a model, 7.26 gathers its inline models.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from itertools import chain, count
from typing import Any, Literal, get_args

from kubestencil.schema import Schema
from kubestencil.schema.types import reference_to
from kubestencil.text.unique_names import shortened_name

#: The versions of openapi-generator whose rules are here.
Version = Literal["4.3", "5.4", "7.26"]

VERSIONS: tuple[Version, ...] = get_args(Version)

#: The keyword with the schema of a map's values.
_VALUES = "additionalProperties"
_NOT_IN_NAME = re.compile(r"[^A-Za-z0-9]")
_NUMBERED = re.compile(r"_\d+\Z")
_MAX_LENGTH = 180
# What tells two objects apart in 4.3.
_KEPT_BY_4 = frozenset(["description", "example", "required", "properties"])
# What does not in 7.26, if they have a title.
_VOLATILE = ("description", "type", "example")


def name_inline_models(
    definitions: Mapping[str, Schema],
    short_names: Mapping[str, str],
    names: Iterable[str],
    version: Version,
) -> Mapping[str, Mapping[str, Schema]]:
    """The models of the definitions ``names``: each definition without inline objects,
    and those objects, by name.

    ``short_names`` has what openapi-generator knows each definition as. The order of
    ``names`` decides which of two objects keeps its name.
    """
    resolver: _Resolver = (
        _Gatherer(definitions, short_names)
        if version == "7.26"
        else _Flattener(definitions, short_names, version)
    )
    models = {name: resolver.models_of(name) for name in names}
    return resolver.without_duplicates(models)


class _Resolver(ABC):
    """The names of models and the signatures of those that were inline.

    ``added`` has the inline models of the definition that is being read.
    """

    def __init__(
        self, definitions: Mapping[str, Schema], short_names: Mapping[str, str]
    ) -> None:
        self.definitions = definitions
        self.short_names = short_names
        self.taken = set(short_names.values())
        self.names: dict[Signature, str] = {}
        self.added: dict[str, Schema] = {}

    def models_of(self, name: str) -> dict[str, Schema]:
        """A definition without inline objects, and those, by name."""
        self.added = {}
        model = self.resolved(self.definitions[name], self.short_names[name])
        return {name: model, **self.added}

    @abstractmethod
    def resolved(self, model: Schema, path: str) -> Schema:
        """A definition whose inline objects are references."""

    def without_duplicates(
        self, models: Mapping[str, dict[str, Schema]]
    ) -> Mapping[str, Mapping[str, Schema]]:
        """The models without those that openapi-generator removes in the end."""
        return models

    def model_name(self, schema: Schema, path: str) -> str:
        """A name that is free, for the object at ``path``: model and fields."""
        name = _NOT_IN_NAME.sub("_", re.sub(r"\A(?=[0-9])", "_", schema.title or path))
        # openapi-generator fails to write a page with a longer name.
        name = shortened_name(name, _MAX_LENGTH)
        numbered = (f"{name}_{number}" for number in count(1))
        return next(
            other for other in chain([name], numbered) if other not in self.taken
        )

    def add(self, name: str, model: Schema, *signatures: Signature) -> Schema:
        """A reference to the model with one of ``signatures``; if there is none, it is
        ``model``, which is called ``name``."""
        existing = next(filter(None, map(self.names.get, signatures)), None)
        if existing is not None:
            return reference_to(existing)
        self.names.update(dict.fromkeys(signatures, name))
        self.taken.add(name)
        self.added[name] = model
        return reference_to(name)


class _Flattener(_Resolver):
    """The rules of openapi-generator 4.3 and 5.4."""

    def __init__(
        self,
        definitions: Mapping[str, Schema],
        short_names: Mapping[str, str],
        version: Version,
    ) -> None:
        super().__init__(definitions, short_names)
        self.kept = _KEPT_BY_4 if version == "4.3" else None

    def resolved(self, model: Schema, path: str) -> Schema:
        return self.flattened(_map_schemas(model, _without_boolean_map), path)

    def flattened(self, model: Schema, path: str) -> Schema:
        """A model in which objects are references: those that are the value of a field,
        an item of a list or a value of a map. Lists of lists are left as they are."""
        flat: dict[str, Schema] = {}
        for key, schema, _ in model.fields:
            flat[key] = schema
            is_list = schema.type == "array"
            inner = schema.items if is_list else schema.values
            if _is_object(schema):
                flat[key] = self.reference(schema, f"{path}_{key}")
            elif inner is not None and _is_object(inner):
                # The fields of this object are flattened before it gets a name.
                inner = self.reference(self.flattened(inner, path), f"{path}_{key}")
                parts = (inner, None) if is_list else (None, inner)
                flat[key] = schema.with_parts(_fields(schema), *parts)
        return model.with_parts(flat)

    def reference(self, schema: Schema, path: str) -> Schema:
        """A reference to the model of an object."""
        name = self.model_name(schema, path)
        model = compared = self.flattened(schema, name)
        if self.kept is not None:
            compared = model.without(*model.keywords - self.kept)
        return self.add(name, model, signature(compared))


class _Gatherer(_Resolver):
    """The rules of openapi-generator 7.26."""

    def __init__(
        self, definitions: Mapping[str, Schema], short_names: Mapping[str, str]
    ) -> None:
        super().__init__(definitions, short_names)
        for name, model in definitions.items():
            self.names.update(dict.fromkeys(_titled_signatures(model), name))

    def resolved(self, model: Schema, path: str) -> Schema:
        """A schema whose inline objects are references."""
        if model.ref is not None:
            return model
        fields, items, values = _fields(model), None, None
        if model.type in ("object", None):
            fields = {
                key: self.inner(value, f"{path}_{key}") for key, value in fields.items()
            }
            values = model.values and self.inner(model.values, f"{path}_value")
        else:
            items = model.items and self.inner(model.items, f"{path}_inner")
        return model.with_parts(fields, items, values)

    def inner(self, schema: Schema, path: str) -> Schema:
        """The schema of a field, item or value; a reference for an object."""
        if schema.keywords.isdisjoint(("properties", "items", _VALUES)):
            return schema
        name = self.model_name(schema, path)
        model = self.resolved(schema, name)
        if not _is_object(schema):
            return model
        signatures = _titled_signatures(model) or (signature(model),)
        return self.add(name, model, *signatures)

    def without_duplicates(
        self, models: Mapping[str, dict[str, Schema]]
    ) -> Mapping[str, Mapping[str, Schema]]:
        """One model for those with the same title and fields: that without a number,
        and the first by name."""
        titled = {
            name: _titled_signatures(model)[1:]
            for inner in models.values()
            for name, model in inner.items()
            if model.title
        }
        kept: dict[tuple[Signature, ...], str] = {}
        replaced: dict[str, str] = {}
        for name in sorted(
            titled, key=lambda name: (bool(_NUMBERED.search(name)), name)
        ):
            first = kept.setdefault(titled[name], name)
            if first != name:
                replaced[name] = first
        if not replaced:
            return models

        def replace_reference(schema: Schema) -> Schema:
            name = schema.ref or ""
            return reference_to(replaced[name]) if name in replaced else schema

        return {
            definition: {
                name: _map_schemas(model, replace_reference)
                for name, model in inner.items()
                if name not in replaced
            }
            for definition, inner in models.items()
        }


def _titled_signatures(model: Schema) -> tuple[Signature, ...]:
    """The signatures of a model with a title, the second without what is volatile;
    empty for others."""
    if not model.title:
        return ()
    return signature(model), signature(model, ignored=_VOLATILE)


def _map_schemas(schema: Schema, function: Callable[[Schema], Schema]) -> Schema:
    """A schema with the results of ``function`` for it and all schemas inside."""
    return function(schema).map_parts(lambda part: _map_schemas(part, function))


def _without_boolean_map(schema: Schema) -> Schema:
    # 4.3 and 5.4 have no maps of any value.
    is_boolean = schema.values is None and _VALUES in schema.keywords
    return schema.without(_VALUES) if is_boolean else schema


def _fields(schema: Schema) -> Mapping[str, Schema]:
    return {field.name: field.schema for field in schema.fields}


def _is_object(schema: Schema) -> bool:
    return schema.type in ("object", None) and bool(schema.fields)


Signature = Hashable

_LIMITS_OF_OBJECTS = frozenset(["minProperties", "maxProperties"])
_DROPPED_OF_OBJECTS = frozenset(["default", "enum", "format", "nullable"])
_DROPPED_OF_TYPE: Mapping[str, frozenset[str]] = {
    "array": frozenset(["enum", "format"]),
    "boolean": frozenset(["enum"]),
    "integer": frozenset(["enum", "default"]),
    "number": frozenset(["enum", "default"]),
    "string": frozenset(),
}
_KEPT_WITHOUT_TYPE = frozenset(["description", "format", "title"])


def signature(schema: Schema, ignored: Collection[str] = ()) -> Signature:
    """A value that is equal for schemas that openapi-generator does not tell apart.

    It compares them as JSON, after its parser (swagger-parser) has read them as OpenAPI
    2.0 and dropped what it has no place for in a schema of that type. Which keywords
    these are was found by experiment: two objects that differ in one keyword only are
    one model, or two.

    The order of fields counts, that of keywords does not. ``ignored`` keywords do not
    count at any level.
    """
    if schema.ref is not None:
        return schema.ref
    type_ = schema.type or ("object" if schema.is_object else None)
    return (
        None if "type" in ignored else type_,
        *(
            (keyword, _value(schema, keyword, ignored))
            for keyword in sorted(schema.keywords)
            if keyword not in ignored and _is_kept(schema, type_, keyword)
        ),
    )


def _is_kept(schema: Schema, type_: str | None, keyword: str) -> bool:
    if keyword.startswith("x-"):
        return True
    if keyword == "type":
        return False
    if type_ is None:
        return keyword in _KEPT_WITHOUT_TYPE
    if type_ != "object":
        return keyword not in _DROPPED_OF_TYPE[type_]
    if keyword in _LIMITS_OF_OBJECTS:
        return schema.values is not None
    if keyword == "required":
        return any(field.required for field in schema.fields)
    return keyword not in _DROPPED_OF_OBJECTS


def _value(schema: Schema, keyword: str, ignored: Collection[str]) -> Hashable:
    inner = schema.content_of(keyword)
    if inner is not None:
        return signature(inner, ignored)
    if keyword == "properties":
        return tuple(
            (name, signature(field, ignored)) for name, field, _ in schema.fields
        )
    if keyword == "required":
        return tuple(field.name for field in schema.fields if field.required)
    return _hashable(schema.value_of(keyword))


def _hashable(value: Any) -> Hashable:
    """A JSON value that can be compared; 1.0 is 1."""
    if isinstance(value, Mapping):
        return tuple((key, _hashable(value[key])) for key in sorted(value))
    if isinstance(value, list):
        return tuple(map(_hashable, value))
    # True is 1, too, for Python.
    return (isinstance(value, bool), value)
