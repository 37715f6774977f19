"""Reads OpenAPI 2.0 documents: JSON values in, checked definitions out.

Everything that other modules rely on is checked here, once, so that they need not
check it again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from kubestencil.errors import SpecError, nearest
from kubestencil.schema.frozen import FrozenObject, frozen
from kubestencil.schema.graph import cyclic_edges, walk
from kubestencil.schema.keyword_values import json_object
from kubestencil.schema.keywords import (
    KEYWORDS,
    KINDS_KEYWORD,
    LOGIC,
    REFERENCE_PREFIX,
)
from kubestencil.schema.kinds import read_kind
from kubestencil.schema.pointer import Pointer, SourceMap
from kubestencil.schema.types import (
    Definition,
    Field,
    GroupVersionKind,
    JsonObject,
    Schema,
    UnknownKeyword,
)

# Names become file names, module names and links. No document of an API server has
# names with other characters.
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_-]|\.(?!\.))*(?<!\.)\Z")
_VERSION = re.compile(r"v\d+(?:(?:alpha|beta)\d+)?\Z")
_MAX_NAME_LENGTH = 200
_MAX_DEPTH = 100

_DEFINITIONS: Pointer = ("definitions", None)
_LOGIC = frozenset(LOGIC)
# The keywords with schemas in them, or a reference to one.
_HAS_SCHEMAS = _LOGIC | {"$ref", "items", "additionalProperties", "properties"}
# The most frequent keywords that may have any string.
_ANY_STRING = frozenset(["$ref", "description", "format"])


class ParsedDefinitions(NamedTuple):
    """Definitions by full name, and the unknown keywords in them."""

    definitions: Mapping[str, Definition]
    unknown_keywords: tuple[UnknownKeyword, ...]


def parse_definitions(
    raw: Mapping[str, Any], others: Mapping[str, Definition], sources: SourceMap
) -> ParsedDefinitions:
    """Parse definitions by full name, which may refer to ``others``.

    Raises SpecError, with the position that ``sources`` has for it, where a keyword has a
    value of a wrong type, a definition has an invalid name, a reference has no target, or
    definitions without fields refer to each other in a cycle.
    """
    return _DefinitionReader(sources).read_definitions(frozen(raw), others)


def _version_packages(raw: Mapping[str, Any]) -> Iterator[str]:
    """The packages with a kind whose version is the last part of the package."""
    for name, schema in raw.items():
        package, _, _ = name.rpartition(".")
        kinds = schema.get(KINDS_KEYWORD) if isinstance(schema, dict) else None
        for kind in map(read_kind, kinds if isinstance(kinds, list) else ()):
            if kind is not None and package.endswith(f".{kind.version}"):
                yield package


class _DefinitionReader:
    """Reads the definitions of a document and collects the unknown keywords in them."""

    def __init__(self, sources: SourceMap) -> None:
        self.locate = sources.locate
        self.unknown_keywords: dict[str, UnknownKeyword] = {}
        # Packages whose last part is the version of a kind: of a custom resource it may
        # be any label.
        self.version_packages: frozenset[str] = frozenset()
        # The definitions that are referred to.
        self.references: set[str] = set()
        # Those without others in them, by the identity of their JSON objects.
        self.leaves: dict[int, Schema] = {}

    def read_definitions(
        self, raw: Mapping[str, Any], others: Mapping[str, Definition]
    ) -> ParsedDefinitions:
        self.check_names(raw)
        self.version_packages = frozenset(_version_packages(raw))
        definitions = {name: self.read_definition(name, raw[name]) for name in raw}
        self.check_references(definitions, others)
        self.check_alias_cycles(definitions)
        keywords = self.unknown_keywords
        return ParsedDefinitions(
            FrozenObject(definitions),
            tuple(keywords[name] for name in sorted(keywords)),
        )

    def read_definition(self, name: str, raw: Any) -> Definition:
        pointer = (name, _DEFINITIONS)
        schema = self.read_schema(raw, pointer, depth=0)
        kinds = tuple(self.read_kinds(json_object(schema), pointer))
        package, _, kind = name.rpartition(".")
        segments = package.split(".")
        versioned = len(segments) > 1 and (
            _VERSION.match(segments[-1]) is not None or package in self.version_packages
        )
        return Definition(
            name=name,
            group_label=segments[-2] if versioned else segments[-1],
            version=segments[-1] if versioned else "",
            kind=kind,
            kinds=kinds,
            schema=schema,
        )

    def read_schema(self, raw: Any, pointer: Pointer, depth: int) -> Schema:
        if not isinstance(raw, dict):
            raise self.error("must be a schema, which is an object", pointer)
        if depth > _MAX_DEPTH:
            raise self.error(f"is nested more than {_MAX_DEPTH} deep", pointer)
        self.check_keywords(raw, pointer)
        if _HAS_SCHEMAS.isdisjoint(raw):
            leaf = self.leaves.get(id(raw))
            if leaf is None:
                own = raw.get("type"), raw.get("format"), raw.get("description", "")
                leaf = self.leaves[id(raw)] = Schema(raw, *own, None, None, None, ())
            return leaf
        items, values = raw.get("items"), raw.get("additionalProperties")
        nested = depth + 1
        if not _LOGIC.isdisjoint(raw):
            self.check_branches(raw, pointer, nested)
        return Schema(
            raw,
            raw.get("type"),
            raw.get("format"),
            raw.get("description", ""),
            self.read_ref(raw["$ref"], pointer) if "$ref" in raw else None,
            (
                None
                if items is None
                else self.read_schema(items, ("items", pointer), nested)
            ),
            (
                self.read_schema(values, ("additionalProperties", pointer), nested)
                if isinstance(values, dict)
                else None
            ),
            self.read_fields(raw, pointer, nested) if "properties" in raw else (),
        )

    def check_branches(self, raw: JsonObject, pointer: Pointer, depth: int) -> None:
        """Check the schemas that a schema combines, which stay as they are."""
        for keyword in LOGIC:
            if keyword == "not" and keyword in raw:
                self.read_schema(raw[keyword], (keyword, pointer), depth)
            else:
                for index, branch in enumerate(raw.get(keyword, ())):
                    branch_pointer = (str(index), (keyword, pointer))
                    self.read_schema(branch, branch_pointer, depth)

    def read_fields(
        self, raw: JsonObject, pointer: Pointer, depth: int
    ) -> tuple[Field, ...]:
        required = frozenset(raw.get("required", ()))
        properties: Pointer = ("properties", pointer)
        read = self.read_schema
        return tuple(
            [
                Field(name, read(value, (name, properties), depth), name in required)
                for name, value in raw["properties"].items()
            ]
        )

    def read_kinds(
        self, raw: JsonObject, pointer: Pointer
    ) -> Iterator[GroupVersionKind]:
        for index, value in enumerate(raw.get(KINDS_KEYWORD, ())):
            kind = read_kind(value)
            if kind is None:
                raise self.error(
                    "needs the strings group, version and kind",
                    (str(index), (KINDS_KEYWORD, pointer)),
                )
            yield kind

    def read_ref(self, value: str, pointer: Pointer) -> str:
        """The name of the definition that a ``$ref`` refers to."""
        if not value.startswith(REFERENCE_PREFIX):
            raise self.error(
                f"refers to {value!a}; only references to {REFERENCE_PREFIX}... are supported",
                ("$ref", pointer),
            )
        name = value.removeprefix(REFERENCE_PREFIX)
        name = name.replace("~1", "/").replace("~0", "~")
        self.references.add(name)
        return name

    def check_keywords(self, raw: JsonObject, pointer: Pointer) -> None:
        """Raise SpecError for an invalid value."""
        for keyword, value in raw.items():
            if keyword in _ANY_STRING and type(value) is str:
                continue
            check = KEYWORDS.get(keyword)
            if check is None:
                self.count_unknown(keyword, pointer)
            elif not check(value):
                raise self.error(
                    f"{keyword!r} has an invalid value: {_abbreviated(value)}",
                    (keyword, pointer),
                )

    def count_unknown(self, keyword: str, pointer: Pointer) -> None:
        counted = self.unknown_keywords.get(keyword)
        self.unknown_keywords[keyword] = (
            replace(counted, count=counted.count + 1)
            if counted
            else UnknownKeyword(keyword, 1, self.locate(pointer))
        )

    def check_names(self, names: Mapping[str, Any]) -> None:
        for name in names:
            if len(name) > _MAX_NAME_LENGTH or _NAME.match(name) is None:
                raise self.error(
                    f"{_abbreviated(name)} is not a name for a definition: up to "
                    f"{_MAX_NAME_LENGTH} letters, digits, '_', '-' and single dots",
                    (name, _DEFINITIONS),
                )

    def check_references(
        self, definitions: Mapping[str, Definition], others: Mapping[str, Definition]
    ) -> None:
        if self.references <= definitions.keys() | others.keys():
            return
        for name, definition in definitions.items():
            for pointer, schema in walk(definition.schema, (name, _DEFINITIONS)):
                if (
                    schema.ref is not None
                    and schema.ref not in definitions
                    and schema.ref not in others
                ):
                    kind = schema.ref.rpartition(".")[2]
                    same_kind = [
                        full_name
                        for full_name in definitions
                        if full_name.endswith(f".{kind}")
                    ]
                    raise self.error(
                        f"refers to {schema.ref!r}, which the spec does not define",
                        ("$ref", pointer),
                        nearest(schema.ref, same_kind or definitions),
                    )

    def check_alias_cycles(self, definitions: Mapping[str, Definition]) -> None:
        """Refuse definitions that refer to each other in a cycle without fields.

        A definition with fields may refer to itself (JSONSchemaProps does). One
        without is an alias: it is replaced by what it refers to, which never ends if
        that is a list of the definition itself.
        """
        aliases = {
            name: target
            for name, definition in definitions.items()
            if (target := _alias_target(definition.schema)) is not None
        }
        cyclic = cyclic_edges({name: (target,) for name, target in aliases.items()})
        if cyclic:
            start = next(iter(cyclic))
            cycle = [start]
            while len(cycle) == 1 or cycle[-1] != start:
                cycle.append(aliases[cycle[-1]])
            raise self.error(
                f"is an alias of itself, with no field in between: {' -> '.join(cycle)}",
                (start, _DEFINITIONS),
            )

    def error(self, what: str, pointer: Pointer, hint: str = "") -> SpecError:
        return SpecError(what, where=self.locate(pointer), hint=hint)


def _alias_target(schema: Schema) -> str | None:
    """The definition that a schema is an alias, list or map of; None for objects with
    fields and for scalars."""
    nested: Schema | None = schema
    while nested is not None:
        if nested.ref is not None:
            return nested.ref
        nested = None if nested.is_object else nested.content
    return None


def _abbreviated(value: object) -> str:
    """A value for an error message: one line of at most 60 characters."""
    text = ascii(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
