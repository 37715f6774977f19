"""Writes examples that use the generated Python package, formatted as black does.

Objects are written on several lines, with a comma after the last argument, which black
keeps. A list or a map is on one line where it is short enough.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from itertools import groupby
from typing import NamedTuple

from kubestencil.engine.manifest import Target
from kubestencil.schema import Definition, Release, Schema
from kubestencil.targets.examples.nodes import (
    Entry,
    ListNode,
    MapNode,
    Node,
    Object,
    list_node,
    map_node,
    object_node,
)
from kubestencil.targets.languages.python.annotations import LINE_LENGTH
from kubestencil.targets.languages.python.modules import MODELS
from kubestencil.targets.languages.python.package import PythonPackage
from kubestencil.text.languages import python_literal

_STEP = "    "


class _Import(NamedTuple):
    """What follows ``from`` and ``import``."""

    module: str
    name: str


_DATETIME = frozenset(
    [_Import("datetime", "datetime"), _Import("datetime", "timezone")]
)


class PythonWriter:
    """Writes examples in Python.

    ``target`` is the target of the package. Raises SpecError where the package cannot
    be generated. ``module`` has the classes of Kubernetes' own types, and there are no
    others; without it, it is the package.
    """

    def __init__(self, release: Release, target: Target, module: str = "") -> None:
        self._package = PythonPackage(release, target)
        self._package.check()
        self._release = release
        self._module = module
        self._models = {
            location.name
            for location in self._package.classes.values()
            if location.package == MODELS
        }
        # What the example that is being written imports.
        self._names: set[_Import] = set()

    def write(self, example: Object) -> str:
        """A Python module that creates the object; empty where it has no class."""
        definition = example.definition
        if self._module and definition and definition.name in self._package.custom:
            return ""
        self._names = set()
        text = self._value(example, None, "", len("example = "))
        imports = _imports(self._names - _DATETIME)
        if self._names >= _DATETIME:
            imports = f"{_imports(_DATETIME)}\n{imports}"
        return f"{imports}\nexample = {text}\n"

    def _value(
        self, node: Node, schema: Schema | None, indent: str, column: int
    ) -> str:
        """An expression that begins in ``column`` of a line indented by ``indent``."""
        if isinstance(node, Object):
            return self._object(node, indent)
        if isinstance(node, ListNode | MapNode):
            return self._container(node, schema, indent, column)
        value = node.value
        if schema is not None and isinstance(value, str):
            is_time = self._release.resolve(schema).format == "date-time"
            if is_time and (time := _parse_time(value)) is not None:
                self._names |= _DATETIME
                return _time(time, indent, column)
        return python_literal(value) if isinstance(value, str) else repr(value)

    def _object(self, node: Object, indent: str) -> str:
        definition = node.definition
        if definition is None:
            return self._dict(node.entries, indent)
        class_ = self._class(definition)
        if class_ is None:
            return self._value(_without_classes(node), None, indent, 0)
        self._names.add(class_)
        attributes = self._package.attributes(definition)
        deeper = indent + _STEP
        arguments = [
            self._lines(f"{deeper}{attributes[entry.field.name]}=", entry, deeper)
            for entry in node.entries
            if entry.field.name in attributes
        ]
        others = [entry for entry in node.entries if entry.field.name not in attributes]
        if others:
            extra = self._dict(others, deeper)
            arguments.append(f"{deeper}unknown_fields={extra},\n")
        return _bracketed(f"{class_.name.rpartition(' ')[2]}(", arguments, f"{indent})")

    def _dict(self, entries: Iterable[Entry], indent: str) -> str:
        deeper = indent + _STEP
        items = [
            self._lines(f"{deeper}{python_literal(entry.field.name)}: ", entry, deeper)
            for entry in entries
        ]
        return _bracketed("{", items, f"{indent}}}")

    def _class(self, definition: Definition) -> _Import | None:
        """The class of a definition, None where it has none.

        A custom class has an alias where a class of the package has the same name.
        """
        location = self._package.classes.get(definition.name)
        if location is None:
            return None
        package, name = self._package.options.package, location.name
        if location.package == MODELS:
            return _Import(self._module or package, name)
        if name in self._models:
            name = f"{name} as Custom{name}"
        return _Import(f"{package}.{location.package}", name)

    def _lines(self, opening: str, entry: Entry, indent: str) -> str:
        value = self._value(entry.node, entry.field.schema, indent, len(opening))
        return f"{opening}{value},\n"

    def _container(
        self,
        node: ListNode | MapNode,
        schema: Schema | None,
        indent: str,
        column: int,
    ) -> str:
        one_line = self._one_line(node, schema)
        if one_line is not None and column + len(one_line) < LINE_LENGTH:
            return one_line
        brackets, children = _parts(node)
        deeper = indent + _STEP
        child_schema = self._child_schema(schema)
        lines = ""
        for key, child in children:
            value = self._value(child, child_schema, deeper, len(deeper) + len(key))
            lines += f"{deeper}{key}{value},\n"
        return f"{brackets[0]}\n{lines}{indent}{brackets[1]}"

    def _one_line(self, node: Node, schema: Schema | None) -> str | None:
        """A value on one line, None for a value that always takes several."""
        if isinstance(node, ListNode | MapNode):
            brackets, children = _parts(node)
            child_schema = self._child_schema(schema)
            texts = []
            for key, child in children:
                text = self._one_line(child, child_schema)
                if text is None:
                    return None
                texts.append(f"{key}{text}")
            return f"{brackets[0]}{', '.join(texts)}{brackets[1]}"
        if isinstance(node, Object) and node.entries:
            return None
        text = self._value(node, schema, "", 0)
        return None if "\n" in text else text

    def _child_schema(self, schema: Schema | None) -> Schema | None:
        """The schema of the items of a list or the values of a map."""
        return schema and self._release.resolve(schema).content


def _without_classes(node: Node) -> Node:
    """A node in which every object is a dict."""
    if isinstance(node, Object):
        entries = (
            Entry(each.field, _without_classes(each.node)) for each in node.entries
        )
        return object_node(None, entries)
    if isinstance(node, ListNode):
        return list_node([_without_classes(item) for item in node.items])
    if isinstance(node, MapNode):
        return map_node({key: _without_classes(value) for key, value in node.items})
    return node


def _parts(node: ListNode | MapNode) -> tuple[str, list[tuple[str, Node]]]:
    """The brackets of a container, and its children, each with what precedes it."""
    if isinstance(node, ListNode):
        return "[]", [("", item) for item in node.items]
    return "{}", [(f"{python_literal(key)}: ", value) for key, value in node.items]


def _parse_time(text: str) -> datetime | None:
    """A time in UTC; None for a text that is no time, which a document may have in the
    apiVersion or kind of an object, and for one without an offset."""
    try:
        time = datetime.fromisoformat(text)
        return None if time.tzinfo is None else time.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _time(time: datetime, indent: str, column: int) -> str:
    numbers = [time.year, time.month, time.day, time.hour, time.minute, time.second]
    if time.microsecond:
        numbers.append(time.microsecond)
    arguments = [*map(str, numbers), "tzinfo=timezone.utc"]
    line = f"datetime({', '.join(arguments)})"
    if column + len(line) < LINE_LENGTH:
        return line
    lines = "".join(f"{indent}{_STEP}{argument},\n" for argument in arguments)
    return f"datetime(\n{lines}{indent})"


def _bracketed(opening: str, lines: Sequence[str], closing: str) -> str:
    """Lines between brackets; ``closing`` begins with its indentation."""
    if not lines:
        return f"{opening}{closing.lstrip()}"
    return f"{opening}\n{''.join(lines)}{closing}"


def _imports(names: Iterable[_Import]) -> str:
    """The statements that import ``names``, one for each module."""
    statements = (
        _import(module, [import_.name for import_ in imports])
        for module, imports in groupby(sorted(names), lambda import_: import_.module)
    )
    return "".join(statements)


def _import(package: str, names: Sequence[str]) -> str:
    line = f"from {package} import {', '.join(names)}\n"
    if len(line.rstrip()) <= LINE_LENGTH:
        return line
    lines = "".join(f"{_STEP}{name},\n" for name in names)
    return f"from {package} import (\n{lines})\n"
