"""From JSON values to the model: everything is checked once, here, at the door."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from kubestencil.errors import SpecError, nearest
from kubestencil.schema.graph import walk
from kubestencil.schema.pointer import Pointer, printable_pointer
from kubestencil.schema.types import (
    Definition,
    Field,
    GroupVersionKind,
    Raw,
    Release,
    Schema,
    UnknownKeyword,
)
from kubestencil.source import Source

_REF = "#/definitions/"
# Names become file names, module names and links: what is not in here never
# occurs in a document that an API server publishes.
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_-]|\.(?!\.))*(?<!\.)\Z")
_VERSION = re.compile(r"v\d+(?:(?:alpha|beta)\d+)?\Z")
_MAX_NAME = 200

_MAX_DEPTH = 100

_DEFINITIONS: Pointer = ("definitions", None)

_TYPES = frozenset({"string", "integer", "number", "boolean", "object", "array"})


def _of(*types: type) -> Callable[[Any], bool]:
    def check(value: Any) -> bool:
        if isinstance(value, bool) and bool not in types:
            return False
        return isinstance(value, types)

    return check


def _strings(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _objects(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, dict) for item in value)


_TEXT, _NUMBER, _COUNT, _FLAG = _of(str), _of(int, float), _of(int), _of(bool)
_LIST, _OBJECT = _of(list), _of(dict)


def _anything(_: Any) -> bool:
    return True


#: Every keyword the model knows, and what its value must be. The first part is
#: the schema object of OpenAPI 2.0, the second what Kubernetes adds to it.
_KEYWORDS: Mapping[str, Callable[[Any], bool]] = {
    "$ref": _TEXT,
    "type": lambda value: isinstance(value, str) and value in _TYPES,
    "format": _TEXT,
    "title": _TEXT,
    "description": _TEXT,
    "default": _anything,
    "example": _anything,
    "enum": _LIST,
    "required": _strings,
    "properties": _OBJECT,
    "additionalProperties": _of(dict, bool),
    "items": _OBJECT,
    "allOf": _objects,
    "pattern": _TEXT,
    "multipleOf": _NUMBER,
    "maximum": _NUMBER,
    "minimum": _NUMBER,
    "exclusiveMaximum": _FLAG,
    "exclusiveMinimum": _FLAG,
    "maxLength": _COUNT,
    "minLength": _COUNT,
    "maxItems": _COUNT,
    "minItems": _COUNT,
    "uniqueItems": _FLAG,
    "maxProperties": _COUNT,
    "minProperties": _COUNT,
    "readOnly": _FLAG,
    "externalDocs": _OBJECT,
    "nullable": _FLAG,
    "x-nullable": _FLAG,
    "x-kubernetes-embedded-resource": _FLAG,
    "x-kubernetes-group-version-kind": _objects,
    "x-kubernetes-int-or-string": _FLAG,
    "x-kubernetes-list-map-keys": _strings,
    "x-kubernetes-list-type": _TEXT,
    "x-kubernetes-map-type": _TEXT,
    "x-kubernetes-patch-merge-key": _TEXT,
    "x-kubernetes-patch-strategy": _TEXT,
    "x-kubernetes-preserve-unknown-fields": _FLAG,
    "x-kubernetes-unions": _objects,
    "x-kubernetes-validations": _objects,
}


def parse(source: Source) -> Release:
    """The release that a source holds.

    Raises SpecError, with the pointer as ``<origin>#<JSON pointer>``, where the
    document is not OpenAPI 2.0, a keyword has a value of another type, a
    definition has a name that is no name, a reference leads nowhere, or a type
    has no end.
    """
    document = source.document()
    return _Parser(source.origin).release(source, document)


class _Parser:
    """One pass over one document; remembers the unknown keywords it meets."""

    def __init__(self, origin: str) -> None:
        self.origin = origin
        self.unknown: dict[str, UnknownKeyword] = {}

    def release(self, source: Source, document: Raw) -> Release:
        _check_is_swagger(document, self.origin)
        raw = document.get("definitions")
        if not isinstance(raw, dict) or not raw:
            raise self.error("has no definitions", _DEFINITIONS)
        self.check_names(raw)
        definitions = {name: self.definition(name, raw[name]) for name in raw}
        self.check_references(definitions)
        self.check_ends(definitions)
        return Release(
            name=source.release,
            origin=source.origin,
            sha256=source.sha256,
            definitions=definitions,
            unknown=tuple(self.unknown[key] for key in sorted(self.unknown)),
            document=document,
        )

    def definition(self, name: str, raw: Any) -> Definition:
        pointer = (name, _DEFINITIONS)
        schema = self.schema(raw, pointer, 0)
        kinds = tuple(self.kinds(schema.raw, pointer))
        package, _, kind = name.rpartition(".")
        parts = package.split(".")
        versioned = len(parts) > 1 and _VERSION.match(parts[-1]) is not None
        return Definition(
            name=name,
            group=parts[-2] if versioned else parts[-1],
            version=parts[-1] if versioned else "",
            kind=kind,
            kinds=kinds,
            schema=schema,
        )

    def schema(self, raw: Any, pointer: Pointer, depth: int) -> Schema:
        if not isinstance(raw, dict):
            raise self.error("a schema must be an object", pointer)
        if depth > _MAX_DEPTH:
            raise self.error(f"is nested more than {_MAX_DEPTH} deep", pointer)
        for keyword, value in raw.items():
            check = _KEYWORDS.get(keyword)
            if check is None:
                self.remember(keyword, pointer)
            elif not check(value):
                raise self.error(
                    f"{keyword!r} has a value that it cannot have: {_short(value)}",
                    (keyword, pointer),
                )
        items, values = raw.get("items"), raw.get("additionalProperties")
        inner = depth + 1
        return Schema(
            raw,
            raw.get("type"),
            raw.get("format"),
            raw.get("description", ""),
            self.reference(raw["$ref"], pointer) if "$ref" in raw else None,
            None if items is None else self.schema(items, ("items", pointer), inner),
            (
                self.schema(values, ("additionalProperties", pointer), inner)
                if isinstance(values, dict)
                else None
            ),
            tuple(self.fields(raw, pointer, inner)) if "properties" in raw else (),
        )

    def fields(self, raw: Raw, pointer: Pointer, depth: int) -> Iterator[Field]:
        required = frozenset(raw.get("required", ()))
        properties: Pointer = ("properties", pointer)
        for name, schema in raw["properties"].items():
            parsed = self.schema(schema, (name, properties), depth)
            yield Field(name, parsed, name in required)

    def kinds(self, raw: Raw, pointer: Pointer) -> Iterator[GroupVersionKind]:
        keyword = "x-kubernetes-group-version-kind"
        for number, each in enumerate(raw.get(keyword, ())):
            parts = (each.get("group"), each.get("version"), each.get("kind"))
            if not all(isinstance(part, str) for part in parts):
                raise self.error(
                    "needs the strings group, version and kind",
                    (str(number), (keyword, pointer)),
                )
            yield GroupVersionKind(*(str(part) for part in parts))

    def reference(self, value: str, pointer: Pointer) -> str:
        if not value.startswith(_REF):
            raise self.error(
                f"refers to {value!a}, and only {_REF}... can be followed",
                ("$ref", pointer),
            )
        return value.removeprefix(_REF).replace("~1", "/").replace("~0", "~")

    def check_names(self, names: Mapping[str, Any]) -> None:
        for name in names:
            if len(name) > _MAX_NAME or _NAME.match(name) is None:
                raise self.error(
                    f"{_short(name)} is not a name for a definition: up to {_MAX_NAME} "
                    "letters, digits, '_', '-' and single dots",
                    (name, _DEFINITIONS),
                )

    def check_references(self, definitions: Mapping[str, Definition]) -> None:
        for name, definition in definitions.items():
            for pointer, schema in walk(definition.schema, (name, _DEFINITIONS)):
                if schema.ref is not None and schema.ref not in definitions:
                    kind = schema.ref.rpartition(".")[2]
                    close = [each for each in definitions if each.endswith(f".{kind}")]
                    raise self.error(
                        f"refers to {schema.ref!r}, which the document does not define",
                        ("$ref", pointer),
                        (
                            nearest(schema.ref, close or definitions)
                            if definitions
                            else ""
                        ),
                    )

    def check_ends(self, definitions: Mapping[str, Definition]) -> None:
        """Refuse a type that is a list of itself, with no field in between.

        A definition with fields may refer to itself (JSONSchemaProps does); one
        without is printed in the pointer where it is used, and must come to an end.
        """
        ended: set[str] = set()
        for start in definitions:
            path: list[str] = []
            name: str | None = start
            while name is not None and name not in ended:
                if name in path:
                    circle = " -> ".join([*path[path.index(name) :], name])
                    raise self.error(
                        f"is a type without an end: {circle}", (name, _DEFINITIONS)
                    )
                path.append(name)
                name = _inlined(definitions[name].schema)
            ended.update(path)

    def remember(self, keyword: str, pointer: Pointer) -> None:
        known = self.unknown.get(keyword)
        self.unknown[keyword] = (
            replace(known, count=known.count + 1)
            if known
            else UnknownKeyword(keyword, 1, printable_pointer(pointer))
        )

    def error(self, what: str, pointer: Pointer, hint: str = "") -> SpecError:
        return SpecError(
            what, where=f"{self.origin}#{printable_pointer(pointer)}", hint=hint
        )


def _check_is_swagger(document: Raw, origin: str) -> None:
    version = document.get("swagger")
    if version == "2.0":
        return
    if "openapi" in document:
        raise SpecError(
            f"is OpenAPI {document['openapi']}, and kubestencil reads OpenAPI 2.0",
            where=origin,
            hint="use api/openapi-spec/swagger.json, or a cluster's /openapi/v2",
        )
    raise SpecError(
        "is not an OpenAPI 2.0 document",
        where=f"{origin}#/swagger",
        hint="give the swagger.json of a Kubernetes release, or a cluster's /openapi/v2",
    )


def _inlined(schema: Schema) -> str | None:
    """The definition that ``schema`` cannot be printed without, if there is one."""
    inner: Schema | None = schema
    while inner is not None and not inner.is_object:
        if inner.ref is not None:
            return inner.ref
        inner = inner.items or inner.values
    return None


def _short(value: Any) -> str:
    text = ascii(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
