"""Examples in YAML, indented as kubectl does it."""

from __future__ import annotations

from kubestencil.targets.examples.nodes import (
    Entry,
    FragmentCache,
    ListNode,
    MapNode,
    Node,
    Object,
)
from kubestencil.text import yaml

_STEP = "  "


class Writer:
    """Writes YAML; remembers what several examples have in common."""

    def __init__(self) -> None:
        self._fragments = FragmentCache[str]()

    def write(self, example: Object) -> str:
        """The document."""
        return self.lines(example, "") if example.entries else "{}\n"

    def lines(self, node: Node, pad: str) -> str:
        """What is in an object, a list or a map, behind ``pad``."""
        if isinstance(node, Object):
            return "".join(self.entry(each, pad) for each in node.entries)
        if isinstance(node, MapNode):
            return f"{pad}{yaml.key(node.key, pad)}{self.value(node.value, pad)}"
        if isinstance(node, ListNode):
            if _is_inline(node.item):
                return f"{pad}-{self.value(node.item, pad)}"
            inside = self.lines(node.item, pad + _STEP)
            return f"{pad}- {inside[len(pad) + len(_STEP) :]}"
        return f"{pad}{yaml.value(node.value)}\n"

    def entry(self, entry: Entry, pad: str) -> str:
        return self._fragments.get(
            entry,
            pad,
            lambda: f"{pad}{yaml.key(entry.field.name, pad)}"
            f"{self.value(entry.node, pad)}",
        )

    def value(self, node: Node, pad: str) -> str:
        """What follows a colon or a dash in a line that begins with ``pad``."""
        if isinstance(node, Object) and not node.entries:
            return " {}\n"
        if _is_inline(node):
            return f" {self.lines(node, '')}"
        # The items of a list are not indented.
        inside = pad if isinstance(node, ListNode) else pad + _STEP
        return f"\n{self.lines(node, inside)}"


def _is_inline(node: Node) -> bool:
    """Whether it is on one line."""
    if isinstance(node, Object):
        return not node.entries
    return not isinstance(node, ListNode | MapNode)
