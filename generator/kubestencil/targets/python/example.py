"""Examples for the generated Python package, as black formats them.

What has fields is on several lines, with a comma after the last one, which black
leaves alone; a list or a map is on one line where that is short enough.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from kubestencil.engine.manifest import Target
from kubestencil.schema import Definition, Release, Schema
from kubestencil.targets.examples.nodes import (
    Entry,
    FragmentCache,
    ListNode,
    MapNode,
    Node,
    Object,
)
from kubestencil.targets.python.names import WIDTH, literal
from kubestencil.targets.python.view import Package

_STEP = "    "
_NOTHING: frozenset[str] = frozenset()
_DATETIME = frozenset(["datetime"])


class _Code(NamedTuple):
    """An expression, and the names that it needs imported."""

    text: str
    names: frozenset[str]


class Writer:
    """Writes Python; remembers what several examples have in common.

    Raises SpecError where the package cannot be printed.
    """

    def __init__(self, release: Release, target: Target) -> None:
        self.package = Package(release, target)
        self.package.check()
        self.name = str(target.options["package"])
        self._fragments = FragmentCache[_Code]()
        self.attributes: dict[str, Mapping[str, str]] = {}
        self.definitions = release.definitions

    def write(self, example: Object) -> str:
        """A module that makes the object."""
        code = self.value(example, None, "", len("example = "))
        imports = _imports(self.name, sorted(code.names - _DATETIME))
        if "datetime" in code.names:
            imports = f"from datetime import datetime, timezone\n\n{imports}"
        return f"{imports}\nexample = {code.text}\n"

    def value(self, node: Node, schema: Schema | None, pad: str, column: int) -> _Code:
        """A value that begins in ``column`` of a line that begins with ``pad``."""
        if isinstance(node, Object):
            return self.object(node, pad)
        if isinstance(node, ListNode | MapNode):
            return self.container(node, schema, pad, column)
        spelled = self.package.type(schema) if schema else None
        if spelled is not None and spelled.exact and isinstance(node.value, str):
            return _time(node.value, pad, column)
        return _Code(_json(node.value), _NOTHING)

    def object(self, node: Object, pad: str) -> _Code:
        if node.definition is None:
            opening, closing, names = "{", "}", _NOTHING
            entries = [self.item(each, pad + _STEP) for each in node.entries]
        else:
            spelled = self.package.classes[node.definition.name]
            opening, closing, names = f"{spelled}(", ")", frozenset([spelled])
            entries = [
                self.argument(node.definition, each, pad + _STEP)
                for each in node.entries
            ]
        if not entries:
            return _Code(f"{opening}{closing}", names)
        inside = "".join(each.text for each in entries)
        used = names.union(*(each.names for each in entries))
        return _Code(f"{opening}\n{inside}{pad}{closing}", used)

    def argument(self, owner: Definition, entry: Entry, pad: str) -> _Code:
        """A line, or more, for a field of a class."""
        return self._fragments.get(
            entry,
            pad,
            lambda: self.line(f"{pad}{self.attribute(owner, entry)}=", entry, pad),
        )

    def attribute(self, owner: Definition, entry: Entry) -> str:
        if owner.name not in self.attributes:
            self.attributes[owner.name] = self.package.attributes(owner)
        return self.attributes[owner.name][entry.field.name]

    def item(self, entry: Entry, pad: str) -> _Code:
        """A line, or more, for a field of an object that is a dict."""
        return self.line(f"{pad}{literal(entry.field.name)}: ", entry, pad)

    def line(self, opening: str, entry: Entry, pad: str) -> _Code:
        code = self.value(entry.node, entry.field.schema, pad, len(opening))
        return _Code(f"{opening}{code.text},\n", code.names)

    def container(
        self, node: ListNode | MapNode, schema: Schema | None, pad: str, column: int
    ) -> _Code:
        flat = self.flat(node, schema)
        if flat is not None and column + len(flat.text) < WIDTH:
            return flat
        opening, inside, closing = _parts(node)
        deeper = pad + _STEP
        key = opening[1:]
        code = self.value(inside, self.inside(schema), deeper, len(deeper) + len(key))
        text = f"{opening[0]}\n{deeper}{key}{code.text},\n{pad}{closing}"
        return _Code(text, code.names)

    def flat(self, node: Node, schema: Schema | None) -> _Code | None:
        """A value on one line, None for what never is."""
        if isinstance(node, ListNode | MapNode):
            opening, inside, closing = _parts(node)
            code = self.flat(inside, self.inside(schema))
            if code is None:
                return None
            return _Code(f"{opening}{code.text}{closing}", code.names)
        code = self.value(node, schema, "", 0)
        return None if "\n" in code.text else code

    def inside(self, schema: Schema | None) -> Schema | None:
        """What is in a list or a map."""
        while schema is not None and schema.ref is not None:
            schema = self.definitions[schema.ref].schema
        if schema is None:
            return None
        return schema.values or schema.items


def _parts(node: ListNode | MapNode) -> tuple[str, Node, str]:
    if isinstance(node, ListNode):
        return "[", node.item, "]"
    return f"{{{literal(node.key)}: ", node.value, "}"


def _time(text: str, pad: str, column: int) -> _Code:
    time = datetime.fromisoformat(text)
    numbers = (time.year, time.month, time.day, time.hour, time.minute, time.second)
    arguments = [*map(str, numbers), "tzinfo=timezone.utc"]
    line = f"datetime({', '.join(arguments)})"
    if column + len(line) < WIDTH:
        return _Code(line, _DATETIME)
    inside = "".join(f"{pad}{_STEP}{each},\n" for each in arguments)
    return _Code(f"datetime(\n{inside}{pad})", _DATETIME)


def _json(value: Any) -> str:
    return literal(value) if isinstance(value, str) else repr(value)


def _imports(package: str, names: Sequence[str]) -> str:
    line = f"from {package} import {', '.join(names)}\n"
    if len(line) <= WIDTH + 1:
        return line
    inside = "".join(f"{_STEP}{name},\n" for name in names)
    return f"from {package} import (\n{inside})\n"
