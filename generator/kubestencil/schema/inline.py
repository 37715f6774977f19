"""Names inline objects: an object inside of a definition becomes one of its own.

The schemas of custom resources describe their objects where they are used. Every
target, the site and the reports deal with named types only, so an inline object gets
the name of its kind and of the fields that lead to it: ``CertificateSpecIssuerRef``
for ``spec.issuerRef`` of Certificate. Lists and maps add nothing to the name. Objects
of different kinds are never merged, however alike they are.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from typing import Any

from kubestencil.schema.keywords import REFERENCE_PREFIX
from kubestencil.schema.types import JsonObject

_WORDS = re.compile(r"[A-Za-z0-9]+")
# File names are made of these names, at worst with an underscore before each letter.
_MAX_LENGTH = 140
# The keywords of a field that stay beside the reference to its type.
_FIELD_KEYWORDS = ("description", "default", "nullable", "title")
_NESTED = ("items", "additionalProperties")


def name_inline_objects(definitions: Mapping[str, JsonObject]) -> dict[str, JsonObject]:
    """``definitions`` with a definition for every inline object that has properties.

    Each comes behind the definition that it is part of, in the order of the document.
    A name that is taken (``hostAliases`` and ``host_aliases``) gets a number.
    """
    return dict(_Namer(definitions).named())


class _Namer:
    """Names the inline objects of all definitions.

    ``extracted`` has those of the definition that is being read.
    """

    def __init__(self, definitions: Mapping[str, JsonObject]) -> None:
        self.definitions = definitions
        self.taken = set(definitions)
        self.extracted: dict[str, JsonObject] = {}

    def named(self) -> Iterator[tuple[str, JsonObject]]:
        for name, schema in self.definitions.items():
            self.extracted = {}
            yield name, self.properties(schema, name)
            yield from self.extracted.items()

    def properties(self, schema: JsonObject, owner: str) -> JsonObject:
        """An object whose inline objects are references."""
        properties = schema.get("properties")
        if not isinstance(properties, Mapping):
            return self.nested(schema, owner)
        named = {
            field: self.value(value, f"{owner}{_pascal(field)}")
            for field, value in properties.items()
        }
        return {**self.nested(schema, owner), "properties": named}

    def nested(self, schema: JsonObject, name: str) -> JsonObject:
        """A list or map whose inline objects are references."""
        inner = {
            keyword: self.value(schema[keyword], name)
            for keyword in _NESTED
            if isinstance(schema.get(keyword), Mapping)
        }
        return {**schema, **inner} if inner else schema

    def value(self, schema: Any, name: str) -> Any:
        """The schema of a field, item or map value; a reference for an object."""
        if not isinstance(schema, Mapping):
            return schema
        if not schema.get("properties"):
            return self.nested(schema, name)
        unique_name = self.unique(name)
        # An object comes before those inside of it.
        self.extracted[unique_name] = {}
        self.extracted[unique_name] = self.properties(schema, unique_name)
        field_keywords = {
            keyword: schema[keyword] for keyword in _FIELD_KEYWORDS if keyword in schema
        }
        return {**field_keywords, "$ref": f"{REFERENCE_PREFIX}{unique_name}"}

    def unique(self, name: str) -> str:
        """``name``, shortened if it is too long, with a number if it is taken."""
        package, dot, kind = name.rpartition(".")
        if len(kind) > _MAX_LENGTH:
            digest = hashlib.sha256(kind.encode()).hexdigest()[:8]
            kind = f"{kind[: _MAX_LENGTH - len(digest)]}{digest}"
        candidate, number = f"{package}{dot}{kind}", 2
        while candidate in self.taken:
            candidate, number = f"{package}{dot}{kind}{number}", number + 1
        self.taken.add(candidate)
        return candidate


def _pascal(field: str) -> str:
    """A field's name as part of a type's: ``issuerRef`` is IssuerRef."""
    words = _WORDS.findall(field)
    return "".join(word[0].upper() + word[1:] for word in words) or "Field"
