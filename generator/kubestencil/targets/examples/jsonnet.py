"""Writes examples in Jsonnet that use the generated library.

A field of a type is set by the builder of the library. Where there is none, it is set
by a patch: ``+ { spec+: { status: … } }``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from kubestencil.engine.manifest import Target
from kubestencil.schema import Release
from kubestencil.targets.examples.nodes import (
    Entry,
    ListNode,
    MapNode,
    Node,
    Object,
    Scalar,
    object_node,
    to_json,
)
from kubestencil.targets.languages.jsonnet import spelling as jsonnet
from kubestencil.targets.languages.jsonnet.library import make_library
from kubestencil.targets.languages.jsonnet.members import (
    Constructor,
    Function,
    LibraryType,
    Member,
    Members,
    NestedObject,
)
from kubestencil.targets.languages.jsonnet.overlay import read_overlay

_INDENT = "  "
_TYPE_FIELDS = ("apiVersion", "kind")


class JsonnetWriter:
    """Writes Jsonnet.

    Raises SpecError where the library cannot be generated.
    """

    def __init__(self, release: Release, target: Target) -> None:
        library = make_library(release, target)
        self._types = {type_.definition: type_ for type_ in library.types}
        overlay = read_overlay(target, library.object_tree())
        self._extended_types = overlay.extended_types
        self._setters: dict[Members, Mapping[str, Function | NestedObject]] = {}

    def write(self, example: Object) -> str:
        """A file whose value is the object; empty where the library lacks its type."""
        assert example.definition
        if example.definition.name not in self._types:
            return ""
        expression = self._expression(example, "")
        return f"local k = import 'main.libsonnet';\n\n{expression}\n"

    def _expression(self, node: Node, indent: str) -> str:
        """An expression for a value, in a line that begins with ``indent``."""
        inner_indent = indent + _INDENT
        if isinstance(node, Scalar):
            return jsonnet.json_literal(node.value)
        if isinstance(node, ListNode | MapNode) and _is_on_one_line(node):
            return jsonnet.json_literal(to_json(node))
        if isinstance(node, ListNode):
            items = [self._expression(item, inner_indent) for item in node.items]
            return _on_lines("[", items, "]", indent)
        if isinstance(node, MapNode):
            return self._object(node.items, indent)
        if not node.entries:
            return "{}"
        type_ = self._types.get(node.definition.name) if node.definition else None
        if type_ is not None:
            return f"\n{indent}+ ".join(self._terms(node, type_, indent))
        return self._object(node.items, indent)

    def _object(self, members: Iterable[tuple[str, Node]], indent: str) -> str:
        fields = (
            f"{jsonnet.field_name(name)}: {self._expression(node, indent + _INDENT)}"
            for name, node in members
        )
        return _on_lines("{", fields, "}", indent)

    def _terms(self, node: Object, type_: LibraryType, indent: str) -> Iterator[str]:
        """The expressions whose sum is an object of a type in the library."""
        type_access = "k" + "".join(map(jsonnet.field_access, type_.path))
        entries: Iterable[Entry] = node.entries
        type_fields = {
            entry.field.name: entry.node.value
            for entry in node.entries
            if entry.field.name in _TYPE_FIELDS and isinstance(entry.node, Scalar)
        }
        if len(type_fields) == len(_TYPE_FIELDS):
            entries = [
                entry for entry in entries if entry.field.name not in type_fields
            ]
            name = self._constructor_argument(
                node, type_, tuple(type_fields[field] for field in _TYPE_FIELDS)
            )
            if name:
                entries = filter(None, map(_without_name, entries))
                yield f"{type_access}.new({jsonnet.json_literal(name)})"
            else:
                fields = (
                    f"{field}: {jsonnet.json_literal(type_fields[field])}"
                    for field in _TYPE_FIELDS
                )
                yield f"{{ {', '.join(fields)} }}"
        yield from self._field_terms(entries, type_.members, type_access, (), indent)

    def _field_terms(
        self,
        entries: Iterable[Entry],
        members: Members,
        access: str,
        path: tuple[str, ...],
        indent: str,
    ) -> Iterator[str]:
        """The expressions that set the fields inside the field at ``path``, with
        ``members``, which are read with ``access``."""
        setters = self._setters_by_field(members)
        for entry in entries:
            name = entry.field.name
            setter = setters.get(name)
            inner_access = access + jsonnet.field_access(setter.name) if setter else ""
            if isinstance(setter, Function):
                yield f"{inner_access}({self._expression(entry.node, indent)})"
            elif setter and isinstance(entry.node, Object) and entry.node.entries:
                yield from self._field_terms(
                    entry.node.entries,
                    setter.members,
                    inner_access,
                    (*path, name),
                    indent,
                )
            else:
                opening, closing = jsonnet.patch_braces(path)
                value = self._expression(entry.node, indent)
                yield f"{opening}{jsonnet.field_name(name)}: {value}{closing}"

    def _setters_by_field(
        self, members: Members
    ) -> Mapping[str, Function | NestedObject]:
        """The members that set fields, by the fields' JSON names."""
        setters = self._setters.get(members)
        if setters is None:
            setters = {
                path[0]: member
                for member in members.entries
                if not isinstance(member, Constructor)
                and len(path := _field_path(member)) == 1
            }
            self._setters[members] = setters
        return setters

    def _constructor_argument(
        self, node: Object, type_: LibraryType, type_fields: tuple[object, ...]
    ) -> str | None:
        """The name that ``new`` is called with; None where ``new`` cannot be used.
        ``type_fields`` are the object's apiVersion and kind."""
        new = self._generated_constructor(type_)
        if new is None or (new.kind.api_version, new.kind.kind) != type_fields:
            return None
        metadata = self._setters_by_field(type_.members).get("metadata")
        if not isinstance(metadata, NestedObject):
            return None
        if "name" not in self._setters_by_field(metadata.members):
            return None
        for entry in node.entries:
            if entry.field.name == "metadata":
                name = to_json(entry.node).get("name")
                return name if isinstance(name, str) else None
        return None

    def _generated_constructor(self, type_: LibraryType) -> Constructor | None:
        """The ``new`` of a type, if it takes a name and no overlay replaces it, perhaps
        by one with other parameters."""
        if self._extended_types is None or type_.path in self._extended_types:
            return None
        for member in type_.members.entries:
            if isinstance(member, Constructor) and member.parameter:
                return member
        return None


def _field_path(member: Member) -> tuple[str, ...]:
    """The path to the field that a member sets; empty for one that sets none."""
    if isinstance(member, Function):
        return () if member.appends else member.field
    if isinstance(member, NestedObject):
        return member.path or ()
    return ()


def _on_lines(opening: str, items: Iterable[str], closing: str, indent: str) -> str:
    lines = "".join(f"{indent}{_INDENT}{item},\n" for item in items)
    return f"{opening}\n{lines}{indent}{closing}"


def _is_on_one_line(node: ListNode | MapNode) -> bool:
    if isinstance(node, ListNode):
        return all(isinstance(item, Scalar) for item in node.items)
    return all(isinstance(value, Scalar) for _, value in node.items)


def _without_name(entry: Entry) -> Entry | None:
    """An entry without ``metadata.name``; None if that is all it has."""
    if entry.field.name != "metadata" or not isinstance(entry.node, Object):
        return entry
    entries = [inner for inner in entry.node.entries if inner.field.name != "name"]
    return Entry(entry.field, object_node(None, entries)) if entries else None
