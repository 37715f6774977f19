"""Writes schemas as JSON text, each reference replaced by what it refers to.

A type is part of hundreds of schemas. Its text is written once for each way in which
it may be null, and indented where it is put in.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import cache
from json import dumps
from json.encoder import encode_basestring, encode_basestring_ascii
from typing import Any, NamedTuple

from kubestencil.schema.keywords import REFERENCE_PREFIX
from kubestencil.schema.types import JsonObject
from kubestencil.targets.jsonschema.definitions import (
    INT_OR_STRING_SCHEMA,
    Definitions,
    referenced,
)

#: Schemas with more characters are refused: a small document can have huge ones.
MAX_LENGTH = 64 * 1024 * 1024


class TooLargeError(Exception):
    """A schema has more than ``MAX_LENGTH`` characters."""


class DefinitionSchema(NamedTuple):
    """A file: its name without ``.json``, the definition that it is of, its bytes."""

    name: str
    definition: str
    data: bytes


class _Fragment(NamedTuple):
    """The text of a definition, by what decides about null in it.

    ``required`` says whether the value must be there, ``required_keys`` has the keys
    of the definition whose values count as required. ``siblings`` is the JSON of what
    stands beside the reference, empty where that is dropped.
    """

    name: str
    required: bool
    required_keys: frozenset[str]
    siblings: str


class _JsonPlace(NamedTuple):
    """Where a value stands whose parts are null where they are optional.

    It has ``key`` in ``parent``, an object or a list. So ``grand_parent`` is the object that
    lists required fields where ``parent`` are properties. Elsewhere it is any value around
    it, and the rule has no meaning.
    """

    parent: Any
    grand_parent: Any
    key: str


class SchemaWriter:
    """Writes values of one set of definitions.

    ``definitions`` are those that references are replaced by; ``local`` has the names
    of those that are referred to as ``#/definitions/NAME``, since they contain
    themselves. References that stay begin with ``prefix``.
    """

    def __init__(
        self,
        definitions: Definitions,
        *,
        local: Collection[str] = frozenset(),
        prefix: str = "",
        ascii_only: bool = True,
        keeps_siblings: bool = False,
    ) -> None:
        self._definitions = definitions
        self._local = local
        self._prefix = prefix
        self._keeps_siblings = keeps_siblings
        self._string: Callable[[str], str] = (
            encode_basestring_ascii if ascii_only else encode_basestring
        )
        self._fragments: dict[_Fragment, str] = {}
        self._plain_definition = cache(self._plain_fragment)

    def members(self, texts: Mapping[str, str], margin: str = "") -> str:
        """The text of an object whose values are texts with the margin of a member."""
        lines = [f"{self._string(key)}: {texts[key]}" for key in texts]
        return _block("{}", lines, margin)

    def plain(self, value: Any, margin: str = "") -> str:
        """The text of a value as it is, but for its references."""
        return self._text(value, None, margin)

    def properties(self, properties: JsonObject, parent: JsonObject | None) -> str:
        """The text of the properties of a schema, which are members of it.

        Fields are null where they are optional: those that ``parent``, the schema,
        does not require. Without ``parent`` that is all of them.
        """
        return self._object(properties, _JsonPlace(parent, None, "properties"), "  ")

    def definition(self, name: str) -> str:
        """The text of a definition that is referred to, and is not null."""
        return self._definition_text(_Fragment(name, True, frozenset(), ""), {})

    def _text(self, value: Any, place: _JsonPlace | None, margin: str) -> str:
        """The text of a value, whose parts are null only where it has a place."""
        if isinstance(value, str):
            return self._string(value)
        if isinstance(value, dict):
            name = referenced(value, self._definitions)
            if name is None:
                return self._object(value, place, margin)
            text = (
                self._fragment(name, value, place)
                if place
                else self._plain_definition(name)
            )
            return _indented(text, margin)
        if isinstance(value, list):
            inner = place._replace(parent=value) if place else None
            lines = [
                self._text(
                    item, inner if isinstance(item, dict) else None, f"{margin}  "
                )
                for item in value
            ]
            return _block("[]", lines, margin)
        return dumps(value)

    def _object(self, value: JsonObject, place: _JsonPlace | None, margin: str) -> str:
        """The text of an object that is no reference. In a place its ``type`` is null, too,
        unless the value is required there."""
        texts: dict[str, str] = {}
        for key, member in value.items():
            inner = place and _JsonPlace(value, place.parent, key)
            if isinstance(member, str):
                if key == "$ref":
                    member = f"{self._prefix}{member}"
                elif key == "type" and member != "null" and self._is_optional(place):
                    member = [member, "null"]
            elif place and isinstance(member, dict) and self._is_int_or_string(member):
                member = INT_OR_STRING_SCHEMA
            texts[key] = self._text(member, inner, f"{margin}  ")
        return self.members(texts, margin)

    def _is_optional(self, place: _JsonPlace | None) -> bool:
        return place is not None and not self._requires(place.grand_parent, place.key)

    def _fragment(self, name: str, value: JsonObject, place: _JsonPlace) -> str:
        """The text of a definition in a place where ``value`` refers to it."""
        siblings = (
            {key: value[key] for key in value if key != "$ref"}
            if self._keeps_siblings
            else {}
        )
        fragment = _Fragment(
            name,
            self._requires(place.grand_parent, place.key),
            frozenset(
                key
                for key, member in self._definitions[name].items()
                if isinstance(member, dict | list) and self._requires(place.parent, key)
            ),
            dumps(siblings) if siblings else "",
        )
        text = self._fragments.get(fragment)
        if text is None:
            text = self._reference_text(fragment, siblings)
            self._fragments[fragment] = text
        return text

    def _plain_fragment(self, name: str) -> str:
        if name in self._local:
            return self._local_reference(name)
        return self.plain(self._definitions[name])

    def _reference_text(self, fragment: _Fragment, siblings: JsonObject) -> str:
        if fragment.name in self._local:
            reference = self._local_reference(fragment.name)
            if fragment.required:
                return reference
            texts = [_indented(reference, "    "), self.plain({"type": "null"}, "    ")]
            return self.members({"anyOf": _block("[]", texts, "  ")})
        return self._definition_text(fragment, siblings)

    def _definition_text(self, fragment: _Fragment, siblings: JsonObject) -> str:
        key = "value"
        place = _JsonPlace(
            {"required": fragment.required_keys},
            {"required": (key,) if fragment.required else ()},
            key,
        )
        definition = self._definitions[fragment.name]
        return self._object({**definition, **siblings}, place, "")

    def _local_reference(self, name: str) -> str:
        return self.members({"$ref": self._string(f"{REFERENCE_PREFIX}{name}")})

    def _requires(self, value: Any, key: str) -> bool:
        """Whether ``value`` has ``key`` in its member ``required``.

        That is a list of fields, or, in properties, the schema of a field that is
        called so.
        """
        if not isinstance(value, dict):
            return False
        required = value.get("required")
        if isinstance(required, dict):
            if self._is_int_or_string(required):
                return key in INT_OR_STRING_SCHEMA
            return key in self._resolved(required)
        return isinstance(required, Collection) and key in required

    def _is_int_or_string(self, value: JsonObject) -> bool:
        return self._resolved(value).get("format") == "int-or-string"

    def _resolved(self, value: JsonObject) -> JsonObject:
        """The definition that ``value`` refers to; ``value`` where it does not."""
        name = referenced(value, self._definitions)
        return value if name is None else self._definitions[name]


def _block(brackets: str, lines: list[str], margin: str) -> str:
    """The text of an object or a list with these members."""
    if not lines:
        return brackets
    if sum(map(len, lines)) > MAX_LENGTH:
        raise TooLargeError
    inner = f"\n{margin}  "
    return f"{brackets[0]}{inner}{f',{inner}'.join(lines)}\n{margin}{brackets[1]}"


def _indented(text: str, margin: str) -> str:
    return text.replace("\n", f"\n{margin}") if margin else text
