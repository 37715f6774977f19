"""Writes examples that use the generated Python package, formatted as black does.

Objects are written on several lines, with a comma after the last argument, which black
keeps. A list or a map is on one line where it is short enough.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import groupby
from typing import Any, NamedTuple

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
from kubestencil.targets.languages.python.package import PythonPackage
from kubestencil.text.languages import python_literal

_STEP = "    "


class _Import(NamedTuple):
    """What follows ``from`` and ``import``."""

    module: str
    name: str


_NO_NAMES: frozenset[_Import] = frozenset()
_DATETIME = frozenset(
    [_Import("datetime", "datetime"), _Import("datetime", "timezone")]
)


class _PythonCode(NamedTuple):
    """An expression or an argument, and the names that it needs imported."""

    text: str
    names: frozenset[_Import]


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

    def write(self, example: Object) -> str:
        """A Python module that creates the object; empty where it has no class."""
        definition = example.definition
        if self._module and definition and definition.name not in self._package.classes:
            return ""
        code = self._value(example, None, "", len("example = "))
        imports = _imports(code.names - _DATETIME)
        if code.names >= _DATETIME:
            imports = f"{_imports(_DATETIME)}\n{imports}"
        return f"{imports}\nexample = {code.text}\n"

    def _value(
        self, node: Node, schema: Schema | None, indent: str, column: int
    ) -> _PythonCode:
        """An expression that begins in ``column`` of a line indented by ``indent``."""
        if isinstance(node, Object):
            return self._object(node, indent)
        if isinstance(node, ListNode | MapNode):
            return self._container(node, schema, indent, column)
        if (
            schema is not None
            and isinstance(node.value, str)
            and self._package.type(schema).time_converter
            and (time := _parse_time(node.value)) is not None
        ):
            return _time(time, indent, column)
        return _PythonCode(_scalar(node.value), _NO_NAMES)

    def _object(self, node: Object, indent: str) -> _PythonCode:
        definition = node.definition
        class_ = self._class(definition) if definition else None
        if definition is None:
            return self._dict(node.entries, indent)
        if class_ is None:
            return self._value(_without_classes(node), None, indent, 0)
        local_name = class_.name.rpartition(" ")[2]
        attributes = self._attributes_of(definition)
        deeper = indent + _STEP
        arguments = [
            self._lines(f"{deeper}{attributes[entry.field.name]}=", entry, deeper)
            for entry in node.entries
            if entry.field.name in attributes
        ]
        others = [entry for entry in node.entries if entry.field.name not in attributes]
        if others:
            extra = self._dict(others, deeper)
            line = f"{deeper}unknown_fields={extra.text},\n"
            arguments.append(_PythonCode(line, extra.names))
        code = _joined(f"{local_name}(", arguments, f"{indent})")
        return _PythonCode(code.text, code.names | {class_})

    def _dict(self, entries: Iterable[Entry], indent: str) -> _PythonCode:
        items = [self._item(entry, indent + _STEP) for entry in entries]
        return _joined("{", items, f"{indent}}}")

    def _class(self, definition: Definition) -> _Import | None:
        """The class of a definition, None where it has none.

        A custom class has an alias where a class of the package has the same name.
        """
        name = self._package.classes.get(definition.name)
        if name is not None:
            return _Import(self._module or self._package.options.package, name)
        location = self._package.custom.modules.locations.get(definition.name)
        if location is None:
            return None
        name = location.class_name
        if name in self._package.modules:
            name = f"{name} as Custom{name}"
        module = f"{self._package.options.package}.{location.group}.{location.version}"
        return _Import(module, name)

    def _attributes_of(self, definition: Definition) -> Mapping[str, str]:
        if definition.name in self._package.classes:
            return self._package.attributes(definition)
        return self._package.custom.attributes(definition)

    def _item(self, entry: Entry, indent: str) -> _PythonCode:
        """The lines of an item of a dict, for a field of an object without a class."""
        return self._lines(
            f"{indent}{python_literal(entry.field.name)}: ", entry, indent
        )

    def _lines(self, opening: str, entry: Entry, indent: str) -> _PythonCode:
        code = self._value(entry.node, entry.field.schema, indent, len(opening))
        return _PythonCode(f"{opening}{code.text},\n", code.names)

    def _container(
        self,
        node: ListNode | MapNode,
        schema: Schema | None,
        indent: str,
        column: int,
    ) -> _PythonCode:
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
        return _PythonCode(f"{brackets[0]}\n{lines}{indent}{brackets[1]}", names)

    def _one_line(self, node: Node, schema: Schema | None) -> _PythonCode | None:
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
            return _PythonCode(f"{brackets[0]}{', '.join(texts)}{brackets[1]}", names)
        if isinstance(node, Object) and node.entries:
            return None
        code = self._value(node, schema, "", 0)
        return None if "\n" in code.text else code

    def _child_schema(self, schema: Schema | None) -> Schema | None:
        """The schema of the items of a list or the values of a map."""
        return schema and self._release.resolve(schema).content


def _without_classes(node: Node) -> Node:
    """A node in which every object is a dict."""
    if isinstance(node, Object):
        entries = (
            replace(entry, node=_without_classes(entry.node)) for entry in node.entries
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


def _time(time: datetime, indent: str, column: int) -> _PythonCode:
    numbers = [time.year, time.month, time.day, time.hour, time.minute, time.second]
    if time.microsecond:
        numbers.append(time.microsecond)
    arguments = [*map(str, numbers), "tzinfo=timezone.utc"]
    line = f"datetime({', '.join(arguments)})"
    if column + len(line) < LINE_LENGTH:
        return _PythonCode(line, _DATETIME)
    lines = "".join(f"{indent}{_STEP}{argument},\n" for argument in arguments)
    return _PythonCode(f"datetime(\n{lines}{indent})", _DATETIME)


def _scalar(value: Any) -> str:
    return python_literal(value) if isinstance(value, str) else repr(value)


def _joined(opening: str, lines: Sequence[_PythonCode], closing: str) -> _PythonCode:
    """Lines between brackets; ``closing`` begins with its indentation."""
    if not lines:
        return _PythonCode(f"{opening}{closing.lstrip()}", _NO_NAMES)
    text = "".join(line.text for line in lines)
    names = _NO_NAMES.union(*(line.names for line in lines))
    return _PythonCode(f"{opening}\n{text}{closing}", names)


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
