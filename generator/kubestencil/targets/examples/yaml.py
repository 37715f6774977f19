"""Writes examples in YAML, indented as kubectl does it."""

from __future__ import annotations

from kubestencil.targets.examples.nodes import ListNode, MapNode, Node, Object, Scalar
from kubestencil.text import yaml

_INDENT = "  "


class YamlWriter:
    """Writes YAML."""

    def write(self, example: Object) -> str:
        """The example as a YAML document."""
        return self._lines(example, "") if example.entries else "{}\n"

    def _lines(self, node: Node, indent: str) -> str:
        """The lines of an object, a list or a map at an indentation."""
        if isinstance(node, Object | MapNode):
            return "".join(
                f"{indent}{yaml.key(key, indent)}{self._value(value, indent)}"
                for key, value in node.items
            )
        if isinstance(node, ListNode):
            return "".join(self._item(item, indent) for item in node.items)
        if isinstance(node.value, str):
            return f"{indent}{yaml.block_string(node.value)}\n"
        return f"{indent}{yaml.value(node.value)}\n"

    def _item(self, item: Node, indent: str) -> str:
        """The lines of an item of a list."""
        if _is_inline(item):
            return f"{indent}-{self._value(item, indent)}"
        lines = self._lines(item, indent + _INDENT)
        return f"{indent}- {lines[len(indent) + len(_INDENT) :]}"

    def _value(self, node: Node, indent: str) -> str:
        """What follows a colon or a dash in a line with an indentation."""
        if isinstance(node, Object) and not node.entries:
            return " {}\n"
        if isinstance(node, Scalar) and isinstance(node.value, str):
            header, *lines = yaml.literal_lines(node.value) or [""]
            if header:
                text = "".join(f"{indent}{_INDENT}{line}\n" for line in lines)
                return f" {header}\n{text}"
        if _is_inline(node):
            return f" {self._lines(node, '')}"
        # The items of a list are not indented.
        inner_indent = indent if isinstance(node, ListNode) else indent + _INDENT
        return f"\n{self._lines(node, inner_indent)}"


def _is_inline(node: Node) -> bool:
    """Whether a value is written on one line."""
    if isinstance(node, Object):
        return not node.entries
    return not isinstance(node, ListNode | MapNode)
