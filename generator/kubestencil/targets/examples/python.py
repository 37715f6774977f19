"""Writes examples that use the generated Python package, formatted as black does.

Objects are written on several lines, with a comma after the last argument, which black
keeps. A list or a map is on one line where it is short enough.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from copy import copy
from datetime import UTC, datetime
from itertools import groupby
from typing import Any, NamedTuple

from kubestencil.engine.manifest import Target
from kubestencil.schema import Definition, Release, Schema
from kubestencil.schema.types import ANY_VALUE, reference_to
from kubestencil.targets.examples.objects import Object, is_container, referenced
from kubestencil.targets.languages.python.annotations import LINE_LENGTH
from kubestencil.targets.languages.python.imports import import_from
from kubestencil.targets.languages.python.modules import MODELS, ClassLocation
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
        self._definitions = release.definitions
        self._module = module
        locations = self._package.classes
        models = {each.name for each in locations.values() if each.package == MODELS}
        # Of each definition that has a class, its import.
        self._classes = {
            name: self._import_of(location, models)
            for name, location in locations.items()
        }
        # What the example that is being written imports.
        self._names: set[_Import] = set()

    def _import_of(self, location: ClassLocation, models: Container[str]) -> _Import:
        """The import of a class: a custom one has an alias where a class of the package has
        the same name."""
        package, name = self._package.options.package, location.name
        if location.package == MODELS:
            return _Import(self._module or package, name)
        alias = f"{name} as Custom{name}" if name in models else name
        return _Import(f"{package}.{location.package}", alias)

    def write(self, definition: Definition, example: Object) -> str:
        """A Python module that creates the object; empty where it has no class."""
        if self._module and definition.name in self._package.custom:
            return ""
        self._names.clear()
        schema = reference_to(definition.name)
        text = self._value(example, schema, "", len("example = "))
        imports = _imports(self._names - _DATETIME)
        if self._names >= _DATETIME:
            imports = f"{_imports(_DATETIME)}\n{imports}"
        return f"{imports}\nexample = {text}\n"

    def _value(self, value: Any, schema: Schema, indent: str, column: int) -> str:
        """An expression that begins in ``column`` of a line indented by ``indent``."""
        definition = referenced(schema, self._definitions)
        if definition is not None:
            schema = definition.schema
        if isinstance(value, dict) and schema.is_object:
            return self._object(value, schema, definition, indent)
        if is_container(value):
            return self._container(value, schema.content or ANY_VALUE, indent, column)
        if not isinstance(value, str):
            return repr(value)
        if schema.format == "date-time" and (time := _parse_time(value)) is not None:
            self._names |= _DATETIME
            return _time(time, indent, column)
        return python_literal(value)

    def _object(
        self, value: Object, schema: Schema, definition: Definition | None, indent: str
    ) -> str:
        """An object: of a class, or a dict, in which an embedded one has dicts only."""
        if definition is None:
            return self._dict(value, schema, indent)
        class_ = self._classes.get(definition.name)
        if class_ is None:
            writer = copy(self)
            writer._classes = {}
            return writer._dict(value, schema, indent)
        self._names.add(class_)
        attributes = self._package.attributes(definition)
        deeper = indent + _STEP
        arguments = [
            self._line(f"{deeper}{attributes[name]}=", inner, schema, name, deeper)
            for name, inner in value.items()
            if name in attributes
        ]
        others = {name: value[name] for name in value if name not in attributes}
        if others:
            extra = self._dict(others, schema, deeper)
            arguments.append(f"{deeper}unknown_fields={extra},\n")
        return _bracketed(f"{class_.name.rpartition(' ')[2]}(", arguments, f"{indent})")

    def _dict(self, value: Object, schema: Schema, indent: str) -> str:
        deeper = indent + _STEP
        items = [
            self._line(f"{deeper}{python_literal(name)}: ", inner, schema, name, deeper)
            for name, inner in value.items()
        ]
        return _bracketed("{", items, f"{indent}}}")

    def _line(
        self, opening: str, value: Any, schema: Schema, name: str, indent: str
    ) -> str:
        """The field of an object that ``schema`` describes, with what is before it."""
        field = schema.field(name) or ANY_VALUE
        return f"{opening}{self._value(value, field, indent, len(opening))},\n"

    def _container(self, value: Any, content: Schema, indent: str, column: int) -> str:
        """A list or a map, whose content has a schema."""
        brackets, children = _parts(value)
        deeper = indent + _STEP
        texts = [
            f"{key}{self._value(child, content, deeper, len(deeper) + len(key))}"
            for key, child in children
        ]
        one_line = f"{brackets[0]}{', '.join(texts)}{brackets[1]}"
        if "\n" not in one_line and column + len(one_line) < LINE_LENGTH:
            return one_line
        lines = [f"{deeper}{text},\n" for text in texts]
        return _bracketed(brackets[0], lines, f"{indent}{brackets[1]}")


def _parts(value: Any) -> tuple[str, list[tuple[str, Any]]]:
    """The brackets of a container, and its children, each with what precedes it."""
    if isinstance(value, list):
        return "[]", [("", item) for item in value]
    return "{}", [(f"{python_literal(key)}: ", inner) for key, inner in value.items()]


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
    text = ""
    for module, imports in groupby(sorted(names), lambda import_: import_.module):
        for statement in import_from(module, (import_.name for import_ in imports)):
            joined = ", ".join(statement.names)
            if statement.wrapped:
                lines = "".join(f"{_STEP}{name},\n" for name in statement.names)
                joined = f"(\n{lines})"
            text += f"from {module} import {joined}\n"
    return text
