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


class SchemaWriter:
    """Writes values of one set of definitions.

    ``definitions`` are those that references are replaced by; ``local`` has the names
    of those that are referred to as ``#/definitions/NAME``, since they contain
    themselves.
    """

    def __init__(
        self,
        definitions: Definitions,
        *,
        local: Collection[str] = frozenset(),
        ascii_only: bool = True,
        keeps_siblings: bool = False,
    ) -> None:
        self._definitions = definitions
        self._local = local
        self._keeps_siblings = keeps_siblings
        self._string: Callable[[str], str] = (
            encode_basestring_ascii if ascii_only else encode_basestring
        )
        self._fragments: dict[_Fragment, str] = {}
        self._plain_definition = cache(self._plain_fragment)

    def members(self, texts: Mapping[str, str], margin: str = "") -> str:
        """The text of an object whose values are texts with the margin of a member."""
        if not texts:
            return "{}"
        if sum(map(len, texts.values())) > MAX_LENGTH:
            raise TooLargeError
        inner = f"{margin}  "
        lines = [f"{inner}{self._string(key)}: {texts[key]}" for key in texts]
        return "{\n" + ",\n".join(lines) + f"\n{margin}}}"

    def plain(self, value: Any, margin: str = "") -> str:
        """The text of a value as it is, but for its references."""
        if isinstance(value, str):
            return self._string(value)
        if isinstance(value, dict):
            name = referenced(value, self._definitions)
            if name is not None:
                return _indented(self._plain_definition(name), margin)
            inner = f"{margin}  "
            texts = {key: self.plain(value[key], inner) for key in value}
            return self.members(texts, margin)
        if isinstance(value, list):
            inner = f"{margin}  "
            return self._list([self.plain(item, inner) for item in value], margin)
        return dumps(value)

    def properties(self, properties: JsonObject, parent: JsonObject | None) -> str:
        """The text of the properties of a schema, which are members of it.

        Fields are null where they are optional: those that ``parent``, the schema,
        does not require. Without ``parent`` that is all of them.
        """
        return self._nullable(properties, parent, None, "properties", "  ")

    def definition(self, name: str) -> str:
        """The text of a definition that is referred to, and is not null."""
        return self._definition_text(_Fragment(name, True, frozenset(), ""), {})

    def _plain_fragment(self, name: str) -> str:
        if name in self._local:
            return self._local_reference(name)
        return self.plain(self._definitions[name])

    def _nullable(
        self,
        value: JsonObject,
        parent: Any,
        grand_parent: Any,
        key: str,
        margin: str,
    ) -> str:
        """The text of an object; its ``type`` is null, too, unless ``grand_parent``
        requires ``key``.

        ``key`` is that of ``value`` in ``parent``. So ``grand_parent`` is the object
        that lists required fields where ``parent`` are properties. Elsewhere it is any
        value around ``parent``, and the rule has no meaning.
        """
        inner = f"{margin}  "
        texts: dict[str, str] = {}
        for name, member in value.items():
            if isinstance(member, dict):
                if self._is_int_or_string(member):
                    member = INT_OR_STRING_SCHEMA
                text = self._replaced(member, value, parent, name, inner)
            elif isinstance(member, list):
                text = self._list_member(member, parent, name, inner)
            elif (
                name == "type"
                and isinstance(member, str)
                and member != "null"
                and not self._requires(grand_parent, key)
            ):
                text = self.plain([member, "null"], inner)
            else:
                text = self.plain(member, inner)
            texts[name] = text
        return self.members(texts, margin)

    def _list_member(
        self, values: list[Any], grand_parent: Any, key: str, margin: str
    ) -> str:
        inner = f"{margin}  "
        texts = [
            (
                self._replaced(value, values, grand_parent, key, inner)
                if isinstance(value, dict)
                else self.plain(value, inner)
            )
            for value in values
        ]
        return self._list(texts, margin)

    def _replaced(
        self, value: JsonObject, parent: Any, grand_parent: Any, key: str, margin: str
    ) -> str:
        """The text of an object; of the definition for a reference to it."""
        name = referenced(value, self._definitions)
        if name is None:
            return self._nullable(value, parent, grand_parent, key, margin)
        siblings = (
            {inner: value[inner] for inner in value if inner != "$ref"}
            if self._keeps_siblings
            else {}
        )
        fragment = _Fragment(
            name,
            self._requires(grand_parent, key),
            frozenset(
                inner
                for inner, member in self._definitions[name].items()
                if isinstance(member, dict | list) and self._requires(parent, inner)
            ),
            dumps(siblings) if siblings else "",
        )
        text = self._fragments.get(fragment)
        if text is None:
            text = self._reference_text(fragment, siblings)
            self._fragments[fragment] = text
        return _indented(text, margin)

    def _reference_text(self, fragment: _Fragment, siblings: JsonObject) -> str:
        if fragment.name in self._local:
            reference = self._local_reference(fragment.name)
            if fragment.required:
                return reference
            texts = [_indented(reference, "    "), self.plain({"type": "null"}, "    ")]
            return self.members({"anyOf": self._list(texts, "  ")})
        return self._definition_text(fragment, siblings)

    def _definition_text(self, fragment: _Fragment, siblings: JsonObject) -> str:
        key = "value"
        return self._nullable(
            {**self._definitions[fragment.name], **siblings},
            {"required": fragment.required_keys},
            {"required": (key,) if fragment.required else ()},
            key,
            "",
        )

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

    def _list(self, texts: list[str], margin: str) -> str:
        if not texts:
            return "[]"
        if sum(map(len, texts)) > MAX_LENGTH:
            raise TooLargeError
        inner = f"{margin}  "
        lines = [f"{inner}{text}" for text in texts]
        return "[\n" + ",\n".join(lines) + f"\n{margin}]"


def _indented(text: str, margin: str) -> str:
    return text.replace("\n", f"\n{margin}") if margin else text
