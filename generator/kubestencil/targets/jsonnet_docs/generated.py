"""The documentation of generated builders."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from kubestencil.targets.jsonnet import spelling as jsonnet
from kubestencil.targets.jsonnet.library import Library
from kubestencil.targets.jsonnet.members import (
    Function,
    Member,
    Members,
    NestedObject,
)
from kubestencil.targets.jsonnet.overlay import (
    DocumentationTree,
    generated_member,
)
from kubestencil.text import markdown


class GeneratedDocs:
    """The documentation of the builders of a library, as ``#…`` fields.

    A path has the names of a group, a version and a type, and may have that of an object
    at the top of the type. ``open_tags`` are HTML elements that are not escaped in
    descriptions.
    """

    def __init__(self, library: Library, open_tags: frozenset[str]) -> None:
        self._types = {type_.path: type_ for type_ in library.types}
        self._open_tags = open_tags
        # Every kind has those of ObjectMeta.
        self._fields: dict[Members, DocumentationTree] = {}

    def fields(self, path: Sequence[str]) -> DocumentationTree:
        """The ``#…`` fields of a type or object, and its objects with those inside."""
        group, version, name, *objects = path
        type_ = self._types[group, version, name]
        if objects:
            return next(
                self._doc_fields(member.members)
                for member in type_.members.entries
                if isinstance(member, NestedObject) and member.name == objects[0]
            )
        package = {"name": name, "import": "", "help": self._help(type_.help)}
        return {"#": package, **self._doc_fields(type_.members)}

    def source(self, path: Sequence[str]) -> str:
        """The same fields in Jsonnet, as the library has them
        (``overlay.GeneratedSource``)."""
        fields = self.fields(path)
        if len(path) > 3:
            return json.dumps(fields)
        members = (
            (
                f"{jsonnet.string_literal(name)}: {json.dumps(value)}"
                if name.startswith("#")
                else generated_member(name, (*path, name))
            )
            for name, value in fields.items()
        )
        return f"{{ {', '.join(members)} }}"

    def _help(self, text: str) -> str:
        return markdown.inline(text, self._open_tags)

    def _doc_fields(self, members: Members) -> DocumentationTree:
        if members in self._fields:
            return self._fields[members]
        fields: dict[str, Any] = {}
        for member in members.entries:
            fields[f"#{member.name}"] = self._doc_value(member)
            if isinstance(member, NestedObject):
                fields[member.name] = self._doc_fields(member.members)
        self._fields[members] = fields
        return fields

    def _doc_value(self, member: Member) -> Mapping[str, Any]:
        """The value of a ``#…`` field, as the functions of doc-util return it."""
        help_ = self._help(member.help)
        if isinstance(member, NestedObject):
            return {"object": {"help": help_, "fields": {}}}
        type_ = member.type if isinstance(member, Function) else "string"
        parameter = {"name": member.parameter, "type": type_, "default": None}
        parameters = [parameter] if member.parameter else []
        return {"function": {"help": help_, "args": parameters}}
