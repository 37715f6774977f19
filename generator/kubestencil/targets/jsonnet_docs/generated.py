"""The documentation of generated builders."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from kubestencil.targets.jsonnet import spelling as jsonnet
from kubestencil.targets.jsonnet.library import Library
from kubestencil.targets.jsonnet.members import (
    Function,
    LibraryType,
    Member,
    Members,
    NestedObject,
)
from kubestencil.targets.jsonnet.overlay_evaluation import generated_member
from kubestencil.targets.jsonnet_docs.pages import (
    FieldDocs,
    LibraryPackage,
    ObjectDocs,
    sort_fields,
)
from kubestencil.text import markdown


class GeneratedDocs:
    """The documentation of the builders of a library.

    ``open_tags`` are HTML elements that are not escaped in descriptions.
    """

    def __init__(self, library: Library, open_tags: frozenset[str]) -> None:
        self._types = {type_.path: type_ for type_ in library.types}
        self._open_tags = open_tags

    def page(self, path: Sequence[str]) -> LibraryPackage:
        """The page of the type at a path of group, version and name."""
        type_ = self._type(path)
        help_ = self._help(type_.help)
        return LibraryPackage(
            type_.path, "", help_, (), self._object_docs(type_.members)
        )

    def object_docs(self, path: Sequence[str]) -> ObjectDocs:
        """The documentation of an object at the top of a type: group, version, name of
        the type, name of the object."""
        return self._object_docs(self._nested_members(path))

    def source(self, path: Sequence[str]) -> str:
        """The documentation of a type or of an object at its top in Jsonnet, as the
        library has it: ``#…`` fields (``overlay_evaluation.GeneratedSource``)."""
        if len(path) > 3:
            return json.dumps(self._doc_fields(self._nested_members(path)))
        type_ = self._type(path)
        package = {"name": type_.name, "import": "", "help": self._help(type_.help)}
        members = [f"'#': {json.dumps(package)}"]
        for member in type_.members.entries:
            doc_key = jsonnet.string_literal(f"#{member.name}")
            members.append(f"{doc_key}: {json.dumps(self._doc_value(member))}")
            if isinstance(member, NestedObject):
                inner_path = (*type_.path, member.name)
                members.append(generated_member(member.name, inner_path))
        return f"{{ {', '.join(members)} }}"

    def _type(self, path: Sequence[str]) -> LibraryType:
        return self._types[path[0], path[1], path[2]]

    def _nested_members(self, path: Sequence[str]) -> Members:
        return next(
            member.members
            for member in self._type(path).members.entries
            if isinstance(member, NestedObject) and member.name == path[3]
        )

    def _help(self, text: str) -> str:
        return markdown.inline(text, self._open_tags)

    def _object_docs(self, members: Members) -> ObjectDocs:
        return sort_fields(map(self._field_docs, members.entries))

    def _field_docs(self, member: Member) -> FieldDocs:
        name = jsonnet.printable_name(member.name)
        help_ = self._help(member.help)
        if isinstance(member, NestedObject):
            inner = self._object_docs(member.members)
            return FieldDocs("obj", name, "", help_, "", inner)
        return FieldDocs("fn", name, member.parameter, help_, "", None)

    def _doc_fields(self, members: Members) -> Mapping[str, Any]:
        fields: dict[str, Any] = {}
        for member in members.entries:
            fields[f"#{member.name}"] = self._doc_value(member)
            if isinstance(member, NestedObject):
                fields[member.name] = self._doc_fields(member.members)
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
