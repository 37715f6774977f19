"""Names inline objects: an object inside of a definition becomes one of its own.

The schemas of custom resources describe their objects where they are used. Code and
reports have named types only, so an inline object gets the name of its kind and of the
fields that lead to it: ``CertificateSpecIssuerRef`` for ``spec.issuerRef`` of
Certificate. Lists and maps add nothing to the name. Objects of different kinds are never
merged, however alike they are. What shows objects where they are used takes
``with_inline_objects``.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

from kubestencil.schema.keywords import CONTENT, REFERENCE_PREFIX
from kubestencil.schema.pointer import Pointer, SourceMap
from kubestencil.schema.types import (
    Definition,
    JsonObject,
    Release,
    Schema,
    schema_of,
)
from kubestencil.text.unique_names import free_name, shortened_name

# The keywords of a field that stay beside the reference to its type. They belong to
# the field: the definition has copies of them.
_FIELD_KEYWORDS = ("description", "default", "nullable", "title")

_WORDS = re.compile(r"[A-Za-z0-9]+")
# File names are made of these names, at worst with an underscore before each letter.
_MAX_LENGTH = 140
_HAS_NESTED = frozenset(CONTENT)
_HAS_OBJECTS = frozenset(["properties", *CONTENT])


class NamedObjects(NamedTuple):
    """Definitions without inline objects.

    ``definitions`` are the given ones and those of their inline objects. ``pointers``
    has, for each of the latter, where its schema is: a pointer whose first token is
    the name of a given definition. ``numbered`` maps those that have digits to the
    name that was taken.
    """

    definitions: Mapping[str, JsonObject]
    pointers: Mapping[str, Pointer]
    numbered: Mapping[str, str]


def name_inline_objects(definitions: Mapping[str, JsonObject]) -> NamedObjects:
    """``definitions`` with a definition for every inline object that has properties.

    Each comes behind the definition that it is part of, in the order of the document.
    A name that is taken (``hostAliases`` and ``host_aliases``) gets digits, also one
    that differs in case only (``positionDb`` and ``positiondb``).
    """
    return _Namer(definitions).name_all()


def notes_on_numbers(numbered: Mapping[str, str], sources: SourceMap) -> Iterator[str]:
    """Notes for users on the types whose names have a number (``NamedObjects``)."""
    for name, taken in numbered.items():
        kind, taken_kind = name.rpartition(".")[2], taken.rpartition(".")[2]
        yield (
            f"{sources.locate((name, ('definitions', None)))}: the type is called {kind}, since "
            f"{taken_kind} is another one"
        )


def own_schema(definition: Definition) -> Schema:
    """The schema of an inline object without the copies of what belongs to its field."""
    return definition.schema.without(*_FIELD_KEYWORDS)


def with_inline_objects(release: Release) -> Release:
    """The release with inline objects where its document has them, and without the
    definitions that name them."""
    definitions, inline = release.definitions, release.inline_definitions
    if not inline:
        return release
    restored = {
        name: replace(
            definition, schema=restored_schema(definition.schema, definitions, inline)
        )
        for name, definition in definitions.items()
        if name not in inline
    }
    return replace(release, definitions=restored, inline_definitions=frozenset())


def restored_schema(
    schema: Schema, definitions: Mapping[str, Definition], inline: Collection[str]
) -> Schema:
    """``schema`` with the objects in it, instead of references to the definitions
    ``inline``: as it was before they had names. It is ``schema`` itself where it has
    no such references."""
    if schema.ref is not None:
        if schema.ref not in inline:
            return schema
        return restored_schema(definitions[schema.ref].schema, definitions, inline)

    return schema.map_parts(lambda part: restored_schema(part, definitions, inline))


def rename_references(schema: Schema, new_refs: Mapping[str, str]) -> Schema:
    """A schema with references (``#/definitions/…``) replaced as ``new_refs`` says."""
    return schema_of(_renamed(schema.raw, new_refs))


def _renamed(value: Any, new_refs: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {
            key: (
                new_refs.get(inner, inner)
                if key == "$ref" and isinstance(inner, str)
                else _renamed(inner, new_refs)
            )
            for key, inner in value.items()
        }
    if isinstance(value, list):
        return [_renamed(inner, new_refs) for inner in value]
    return value


class _Namer:
    """Names the inline objects of all definitions.

    ``extracted`` has those of the definition that is being read.
    """

    def __init__(self, definitions: Mapping[str, JsonObject]) -> None:
        self.definitions = definitions
        # By name without case: many targets make files of names, and some file systems
        # have one file for both.
        self.taken = {name.casefold(): name for name in definitions}
        self.extracted: dict[str, JsonObject] = {}
        self.pointers: dict[str, Pointer] = {}
        self.numbered: dict[str, str] = {}

    def name_all(self) -> NamedObjects:
        result: dict[str, JsonObject] = {}
        for name, schema in self.definitions.items():
            self.extracted = {}
            # The parser refuses a definition that is no object.
            if isinstance(schema, dict):
                schema = self.properties(schema, name, (name, None))
            result[name] = schema
            result.update(self.extracted)
        return NamedObjects(result, self.pointers, self.numbered)

    def properties(
        self, schema: JsonObject, owner: str, pointer: Pointer
    ) -> JsonObject:
        """An object whose inline objects are references."""
        if "$ref" in schema:
            return _reference(schema)
        properties = schema.get("properties")
        if not isinstance(properties, dict):
            return self.nested(schema, owner, pointer)
        properties_pointer: Pointer = ("properties", pointer)
        named = {
            field: (
                value
                if not isinstance(value, dict) or _HAS_OBJECTS.isdisjoint(value)
                else self.value(
                    value, f"{owner}{_pascal(field)}", (field, properties_pointer)
                )
            )
            for field, value in properties.items()
        }
        return {**self.nested(schema, owner, pointer), "properties": named}

    def nested(self, schema: JsonObject, name: str, pointer: Pointer) -> JsonObject:
        """A list or map whose inline objects are references."""
        if _HAS_NESTED.isdisjoint(schema):
            return schema
        inner = {
            keyword: self.value(schema[keyword], name, (keyword, pointer))
            for keyword in CONTENT
            if isinstance(schema.get(keyword), dict)
        }
        return {**schema, **inner} if inner else schema

    def value(self, schema: Any, name: str, pointer: Pointer) -> Any:
        """The schema of a field, item or map value; a reference for an object."""
        if not isinstance(schema, dict):
            return schema
        if "$ref" in schema:
            return _reference(schema)
        if not schema.get("properties"):
            return self.nested(schema, name, pointer)
        unique_name = self.unique(name, pointer)
        self.pointers[unique_name] = pointer
        # An object comes before those inside of it.
        self.extracted[unique_name] = {}
        self.extracted[unique_name] = self.properties(schema, unique_name, pointer)
        field_keywords = {
            keyword: schema[keyword] for keyword in _FIELD_KEYWORDS if keyword in schema
        }
        return {**field_keywords, "$ref": f"{REFERENCE_PREFIX}{unique_name}"}

    def unique(self, name: str, pointer: Pointer) -> str:
        """``name``, shortened if it is too long, with digits of the path if it is taken."""
        package, dot, kind = name.rpartition(".")
        if len(kind) > _MAX_LENGTH:
            name = f"{package}{dot}{shortened_name(kind, _MAX_LENGTH)}"
        folded = name.casefold()
        if folded not in self.taken:
            self.taken[folded] = name
            return name
        candidate = free_name(name, self.taken, repr(pointer), fold=str.casefold)
        self.taken[candidate.casefold()] = candidate
        self.numbered[candidate] = self.taken[folded]
        return candidate


def _reference(schema: JsonObject) -> JsonObject:
    """A reference without the schemas beside it, which have no meaning (OpenAPI 2.0,
    Reference Object; JSON Reference, section 3)."""
    if _HAS_OBJECTS.isdisjoint(schema):
        return schema
    return {
        keyword: value
        for keyword, value in schema.items()
        if keyword not in _HAS_OBJECTS
    }


@lru_cache(maxsize=4096)
def _pascal(field: str) -> str:
    """A field's name as part of a type's: ``issuerRef`` is IssuerRef."""
    words = _WORDS.findall(field)
    return "".join(word[0].upper() + word[1:] for word in words) or "Field"
