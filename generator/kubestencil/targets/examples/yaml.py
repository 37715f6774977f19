"""Writes examples in YAML, indented as kubectl does it."""

from __future__ import annotations

from typing import Any

from kubestencil.schema import Definition
from kubestencil.targets.examples.objects import Object, is_container
from kubestencil.text import yaml

_INDENT = "  "


class YamlWriter:
    """Writes YAML."""

    def write(self, _: Definition, example: Object) -> str:
        """The example as a YAML document."""
        return _lines(example, "") if example else "{}\n"


def _lines(value: Any, indent: str) -> str:
    """The lines of a value at an indentation."""
    if isinstance(value, dict) and value:
        return "".join(
            f"{indent}{yaml.key(key, indent)}{_after(inner, indent)}"
            for key, inner in value.items()
        )
    if isinstance(value, list) and value:
        return "".join(_item(item, indent) for item in value)
    text = yaml.block_string(value) if isinstance(value, str) else yaml.value(value)
    return f"{indent}{text}\n"


def _item(item: Any, indent: str) -> str:
    """The lines of an item of a list."""
    if not is_container(item):
        return f"{indent}-{_after(item, indent)}"
    lines = _lines(item, indent + _INDENT)
    return f"{indent}- {lines[len(indent) + len(_INDENT) :]}"


def _after(value: Any, indent: str) -> str:
    """What follows a colon or a dash in a line with an indentation."""
    if isinstance(value, str):
        header, *lines = yaml.literal_lines(value) or [""]
        if header:
            text = "".join(f"{indent}{_INDENT}{line}\n" for line in lines)
            return f" {header}\n{text}"
    if not is_container(value):
        return f" {_lines(value, '')}"
    # The items of a list are not indented.
    return f"\n{_lines(value, indent if isinstance(value, list) else indent + _INDENT)}"
