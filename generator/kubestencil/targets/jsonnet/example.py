"""Examples for the generated Jsonnet library, as its users write it.

What is in an object is set by the builders of the kind, what is in a list by those
of the item's type. Where the library has no builder, a field is set as a patch.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from kubestencil.engine.manifest import Target
from kubestencil.schema import Release
from kubestencil.targets.examples.nodes import (
    Entry,
    FragmentCache,
    ListNode,
    MapNode,
    Node,
    Object,
    Scalar,
    object_node,
    to_json,
)
from kubestencil.targets.jsonnet import overlay
from kubestencil.targets.jsonnet import spelling as jsonnet
from kubestencil.targets.jsonnet.view import (
    Constructor,
    Function,
    Library,
    Member,
    Members,
    Nested,
    Type,
)

_STEP = "  "
_HEADER = ("apiVersion", "kind")


class Writer:
    """Writes Jsonnet; remembers what several examples have in common.

    Raises SpecError where the library cannot be printed.
    """

    def __init__(self, release: Release, target: Target) -> None:
        library = Library(release, target)
        self.types = {each.definition: each for each in library.types}
        # An overlay may have other arguments for the ``new`` of such a type.
        self.added_to = overlay.added_to(target, library.skeleton())
        self.builders: dict[Members, Mapping[str, Function | Nested]] = {}
        self._fragments = FragmentCache[str]()

    def write(self, example: Object) -> str:
        """A file that gives the object, empty where the library has no such type."""
        assert example.definition
        if example.definition.name not in self.types:
            return ""
        text = self.value(example, "")
        return f"local k = import 'main.libsonnet';\n\n{text}\n"

    def value(self, node: Node, pad: str) -> str:
        """A value in a line that begins with ``pad``."""
        deeper = pad + _STEP
        if isinstance(node, Scalar):
            return jsonnet.value(node.value)
        if isinstance(node, ListNode | MapNode) and _is_short(node):
            return jsonnet.value(to_json(node))
        if isinstance(node, ListNode):
            return f"[\n{deeper}{self.value(node.item, deeper)},\n{pad}]"
        if isinstance(node, MapNode):
            inside = self.value(node.value, deeper)
            return f"{{\n{deeper}{jsonnet.key(node.key)}: {inside},\n{pad}}}"
        if not node.entries:
            return "{}"
        found = self.types.get(node.definition.name) if node.definition else None
        if found is not None:
            return f"\n{pad}+ ".join(self.built(node, found, pad))
        lines = (
            f"{deeper}{jsonnet.key(each.field.name)}: {self.argument(each, deeper)},\n"
            for each in node.entries
        )
        return f"{{\n{''.join(lines)}{pad}}}"

    def argument(self, entry: Entry, pad: str) -> str:
        """The value of a field, in a line that begins with ``pad``."""
        return self._fragments.get(entry, pad, lambda: self.value(entry.node, pad))

    def built(self, node: Object, type_: Type, pad: str) -> Iterator[str]:
        """The objects that add up to an object of a type with builders."""
        at = "k" + "".join(
            map(jsonnet.member, (type_.group, type_.version, type_.name))
        )
        entries: Iterable[Entry] = node.entries
        header = {
            each.field.name: each.node.value
            for each in node.entries
            if each.field.name in _HEADER and isinstance(each.node, Scalar)
        }
        if len(header) == len(_HEADER):
            entries = (each for each in entries if each.field.name not in header)
            name = self.new_name(node, type_, tuple(header.values()))
            if name:
                entries = filter(None, map(_unnamed, entries))
                yield f"{at}.new({jsonnet.value(name)})"
            else:
                inside = (f"{key}: {jsonnet.value(header[key])}" for key in _HEADER)
                yield f"{{ {', '.join(inside)} }}"
        yield from self.parts(entries, type_.members, at, (), pad)

    def parts(
        self,
        entries: Iterable[Entry],
        members: Members,
        at: str,
        path: tuple[str, ...],
        pad: str,
    ) -> Iterator[str]:
        """The same for what is at ``path`` in it, and its builders at ``at``."""
        builders = self.by_field(members)
        for each in entries:
            name = each.field.name
            builder = builders.get(name)
            place = f"{at}{jsonnet.member(builder.name)}" if builder else ""
            if isinstance(builder, Function):
                yield f"{place}({self.argument(each, pad)})"
            elif builder and isinstance(each.node, Object) and each.node.entries:
                below = (*path, name)
                yield from self.parts(
                    each.node.entries, builder.members, place, below, pad
                )
            else:
                opening, closing = jsonnet.patch(path)
                value = self.argument(each, pad)
                yield f"{opening}{jsonnet.key(name)}: {value}{closing}"

    def by_field(self, members: Members) -> Mapping[str, Function | Nested]:
        """The builders that set fields, by the fields' JSON names."""
        known = self.builders.get(members)
        if known is None:
            known = self.builders[members] = {
                path[0]: each
                for each in members.entries
                for path in (_sets(each),)
                if len(path) == 1 and not isinstance(each, Constructor)
            }
        return known

    def new_name(
        self, node: Object, type_: Type, header: tuple[object, ...]
    ) -> str | None:
        """The name that ``new`` is called with, None where it does not do here."""
        new = self.constructor(type_)
        if new is None or (new.kind.api_version, new.kind.kind) != header:
            return None
        metadata = self.by_field(type_.members).get("metadata")
        if not isinstance(metadata, Nested):
            return None
        if "name" not in self.by_field(metadata.members):
            return None
        for each in node.entries:
            if each.field.name == "metadata":
                found = to_json(each.node).get("name")
                return found if isinstance(found, str) else None
        return None

    def constructor(self, type_: Type) -> Constructor | None:
        """The generated ``new`` of a type that takes a name, and is not replaced."""
        place = (type_.group, type_.version, type_.name)
        if self.added_to is None or place in self.added_to:
            return None
        for each in type_.members.entries:
            if isinstance(each, Constructor) and each.argument:
                return each
        return None


def _sets(member: Member) -> tuple[str, ...]:
    """The field that a builder sets, as a path; empty for one that does not."""
    if isinstance(member, Function):
        return () if member.appends else member.field
    return (member.path or ()) if isinstance(member, Nested) else ()


def _is_short(node: ListNode | MapNode) -> bool:
    return isinstance(node.item if isinstance(node, ListNode) else node.value, Scalar)


def _unnamed(entry: Entry) -> Entry | None:
    """An entry without the name that ``new`` gives, None if it is only that."""
    if entry.field.name != "metadata" or not isinstance(entry.node, Object):
        return entry
    others = [each for each in entry.node.entries if each.field.name != "name"]
    return Entry(entry.field, object_node(None, others), False) if others else None
