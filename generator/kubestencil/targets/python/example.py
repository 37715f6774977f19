"""Writes examples that use the generated Python package, formatted as black does.

Objects are written on several lines, with a comma after the last argument, which black
keeps. A list or a map is on one line where it is short enough.
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
from kubestencil.targets.python.literals import LINE_LENGTH, literal
from kubestencil.targets.python.package import Package

_STEP = "    "
_NO_NAMES: frozenset[str] = frozenset()
_DATETIME = frozenset(["datetime"])


class _Code(NamedTuple):
    """An expression or an argument, and the names that it needs imported."""

    text: str
    names: frozenset[str]


class Writer:
    """Writes examples in Python; code that several examples share is written once.

    ``target`` is the target of the package. Raises SpecError where the package
    cannot be generated.
    """

    def __init__(self, release: Release, target: Target) -> None:
        self._package = Package(release, target)
        self._package.check()
        self._package_name = str(target.options["package"])
        self._release = release
        self._attributes: dict[str, Mapping[str, str]] = {}
        self._fragments = FragmentCache[_Code]()

    def write(self, example: Object) -> str:
        """A Python module that creates the object."""
        code = self._value(example, None, "", len("example = "))
        imports = _import(self._package_name, sorted(code.names - _DATETIME))
        if "datetime" in code.names:
            imports = f"from datetime import datetime, timezone\n\n{imports}"
        return f"{imports}\nexample = {code.text}\n"

    def _value(
        self, node: Node, schema: Schema | None, indent: str, column: int
    ) -> _Code:
        """An expression that begins in ``column`` of a line indented by ``indent``."""
        if isinstance(node, Object):
            return self._object(node, indent)
        if isinstance(node, ListNode | MapNode):
            return self._container(node, schema, indent, column)
        type_ = self._package.type(schema) if schema else None
        if type_ is not None and type_.time_converter and isinstance(node.value, str):
            return _time(node.value, indent, column)
        return _Code(_scalar(node.value), _NO_NAMES)

    def _object(self, node: Object, indent: str) -> _Code:
        if node.definition is None:
            opening, closing, names = "{", "}", _NO_NAMES
            entries = [self._item(entry, indent + _STEP) for entry in node.entries]
        else:
            class_name = self._package.classes[node.definition.name]
            opening, closing, names = f"{class_name}(", ")", frozenset([class_name])
            entries = [
                self._argument(node.definition, entry, indent + _STEP)
                for entry in node.entries
            ]
        if not entries:
            return _Code(f"{opening}{closing}", names)
        text = "".join(entry.text for entry in entries)
        return _Code(
            f"{opening}\n{text}{indent}{closing}",
            names.union(*(entry.names for entry in entries)),
        )

    def _argument(self, owner: Definition, entry: Entry, indent: str) -> _Code:
        """The lines of a keyword argument for a field of ``owner``'s class."""
        return self._fragments.get(
            entry,
            indent,
            lambda: self._lines(
                f"{indent}{self._attribute(owner, entry)}=", entry, indent
            ),
        )

    def _attribute(self, owner: Definition, entry: Entry) -> str:
        if owner.name not in self._attributes:
            self._attributes[owner.name] = self._package.attributes(owner)
        return self._attributes[owner.name][entry.field.name]

    def _item(self, entry: Entry, indent: str) -> _Code:
        """The lines of an item of a dict, for a field of an object without a class."""
        return self._lines(f"{indent}{literal(entry.field.name)}: ", entry, indent)

    def _lines(self, opening: str, entry: Entry, indent: str) -> _Code:
        code = self._value(entry.node, entry.field.schema, indent, len(opening))
        return _Code(f"{opening}{code.text},\n", code.names)

    def _container(
        self,
        node: ListNode | MapNode,
        schema: Schema | None,
        indent: str,
        column: int,
    ) -> _Code:
        one_line = self._one_line(node, schema)
        if one_line is not None and column + len(one_line.text) < LINE_LENGTH:
            return one_line
        brackets, children = _parts(node)
        deeper = indent + _STEP
        child_schema = self._child_schema(schema)
        lines, names = "", _NO_NAMES
        for key, child in children:
            column = len(deeper) + len(key)
            code = self._value(child, child_schema, deeper, column)
            lines += f"{deeper}{key}{code.text},\n"
            names |= code.names
        return _Code(f"{brackets[0]}\n{lines}{indent}{brackets[1]}", names)

    def _one_line(self, node: Node, schema: Schema | None) -> _Code | None:
        """A value on one line, None for a value that always takes several."""
        if isinstance(node, ListNode | MapNode):
            brackets, children = _parts(node)
            child_schema = self._child_schema(schema)
            texts, names = [], _NO_NAMES
            for key, child in children:
                code = self._one_line(child, child_schema)
                if code is None:
                    return None
                texts.append(f"{key}{code.text}")
                names |= code.names
            return _Code(f"{brackets[0]}{', '.join(texts)}{brackets[1]}", names)
        code = self._value(node, schema, "", 0)
        return None if "\n" in code.text else code

    def _child_schema(self, schema: Schema | None) -> Schema | None:
        """The schema of the items of a list or the values of a map."""
        if schema is None:
            return None
        schema = self._release.resolve(schema)
        return schema.values or schema.items


def _parts(node: ListNode | MapNode) -> tuple[str, list[tuple[str, Node]]]:
    """The brackets of a container, and its children, each with what precedes it."""
    if isinstance(node, ListNode):
        return "[]", [("", item) for item in node.items]
    return "{}", [(f"{literal(key)}: ", value) for key, value in node.items]


def _time(text: str, indent: str, column: int) -> _Code:
    time = datetime.fromisoformat(text)
    numbers = (time.year, time.month, time.day, time.hour, time.minute, time.second)
    arguments = [*map(str, numbers), "tzinfo=timezone.utc"]
    line = f"datetime({', '.join(arguments)})"
    if column + len(line) < LINE_LENGTH:
        return _Code(line, _DATETIME)
    lines = "".join(f"{indent}{_STEP}{argument},\n" for argument in arguments)
    return _Code(f"datetime(\n{lines}{indent})", _DATETIME)


def _scalar(value: Any) -> str:
    return literal(value) if isinstance(value, str) else repr(value)


def _import(package: str, names: Sequence[str]) -> str:
    line = f"from {package} import {', '.join(names)}\n"
    if len(line.rstrip()) <= LINE_LENGTH:
        return line
    lines = "".join(f"{_STEP}{name},\n" for name in names)
    return f"from {package} import (\n{lines})\n"
