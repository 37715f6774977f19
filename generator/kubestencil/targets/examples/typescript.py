"""Writes examples in TypeScript that use the generated types, in the layout of Prettier
except for the quotes of strings."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from kubestencil.engine.manifest import Target
from kubestencil.engine.options import read_options
from kubestencil.schema import Definition, Release
from kubestencil.targets.examples.objects import Object, is_container
from kubestencil.targets.languages.modules import module_names
from kubestencil.text.casing import identifier
from kubestencil.text.languages import quote, reserved_words

_INDENT = "  "
_LINE_LENGTH = 80


@dataclass(frozen=True, slots=True)
class TypeScriptOptions:
    """The option of the target that examples need: the name of its package."""

    name: str


class TypeScriptWriter:
    """Writes TypeScript."""

    def __init__(self, release: Release, target: Target) -> None:
        self._package = read_options(target, TypeScriptOptions).name
        self._modules = module_names(release.definitions)

    def write(self, definition: Definition, example: Object) -> str:
        """A module that exports the object."""
        name = definition.name
        group, version = self._modules[name]
        module = quote(f"{self._package}/{group}/{version}", "typescript")
        type_ = identifier(name.rpartition(".")[2], reserved_words("typescript"))
        value = _value(example, "", len(f"export const example: {type_} = "))
        return (
            f"import type {{ {type_} }} from {module};\n\n"
            f"export const example: {type_} = {value};\n"
        )


def _value(value: Any, indent: str, column: int) -> str:
    """A value that begins in ``column`` of a line indented by ``indent``."""
    if isinstance(value, str):
        return quote(value, "typescript")
    if not is_container(value):
        return json.dumps(value)
    deeper = indent + _INDENT
    if isinstance(value, dict):
        lines = "".join(_property(*item, deeper) for item in value.items())
        return f"{{\n{lines}{indent}}}"
    if not any(map(is_container, value)):
        line = f"[{', '.join(_value(item, '', 0) for item in value)}]"
        # A comma follows.
        if column + len(line) < _LINE_LENGTH:
            return line
    items = (f"{deeper}{_value(item, deeper, len(deeper))},\n" for item in value)
    return f"[\n{''.join(items)}{indent}]"


def _property(name: str, value: Any, indent: str) -> str:
    """The lines of a property of an object."""
    key = name if name == identifier(name) else quote(name, "typescript")
    if name == "__proto__":
        # Any other spelling sets the object's prototype.
        key = f"[{quote(name, 'typescript')}]"
    opening = f"{indent}{key}: "
    return f"{opening}{_value(value, indent, len(opening))},\n"
