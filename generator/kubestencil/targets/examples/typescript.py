"""Writes examples in TypeScript that use the generated types, in the layout of Prettier
except for the quotes of strings."""

from __future__ import annotations

import json
from dataclasses import dataclass

from kubestencil.engine.manifest import Target
from kubestencil.engine.options import read_options
from kubestencil.schema import Release
from kubestencil.targets.examples.nodes import (
    MapNode,
    Node,
    Object,
    Scalar,
)
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

    def write(self, example: Object) -> str:
        """A module that exports the object."""
        assert example.definition
        name = example.definition.name
        group, version = self._modules[name]
        module = quote(f"{self._package}/{group}/{version}", "typescript")
        type_ = identifier(name.rpartition(".")[2], reserved_words("typescript"))
        value = self._value(example, "", len(f"export const example: {type_} = "))
        return (
            f"import type {{ {type_} }} from {module};\n\n"
            f"export const example: {type_} = {value};\n"
        )

    def _value(self, node: Node, indent: str, column: int) -> str:
        """A value that begins in ``column`` of a line indented by ``indent``."""
        if isinstance(node, Scalar):
            return _scalar(node)
        deeper = indent + _INDENT
        if isinstance(node, Object | MapNode):
            lines = "".join(
                self._property(name, value, deeper) for name, value in node.items
            )
            return f"{{\n{lines}{indent}}}" if lines else "{}"
        if all(map(_is_on_one_line, node.items)):
            line = f"[{', '.join(self._value(item, '', 0) for item in node.items)}]"
            # A comma follows.
            if column + len(line) < _LINE_LENGTH:
                return line
        items = (
            f"{deeper}{self._value(item, deeper, len(deeper))},\n"
            for item in node.items
        )
        return f"[\n{''.join(items)}{indent}]"

    def _property(self, name: str, node: Node, indent: str) -> str:
        """The lines of a property of an object."""
        key = name if name == identifier(name) else quote(name, "typescript")
        if name == "__proto__":
            # Any other spelling sets the object's prototype.
            key = f"[{quote(name, 'typescript')}]"
        opening = f"{indent}{key}: "
        return f"{opening}{self._value(node, indent, len(opening))},\n"


def _is_on_one_line(node: Node) -> bool:
    return isinstance(node, Scalar) or (isinstance(node, Object) and not node.entries)


def _scalar(node: Scalar) -> str:
    value = node.value
    return quote(value, "typescript") if isinstance(value, str) else json.dumps(value)
