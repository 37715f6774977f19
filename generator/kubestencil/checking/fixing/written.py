"""The values of a YAML text, which know where they are written, and edits of these:
what aliases refer to, and what merge keys add, is edited where it is written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kubestencil.checking.edits import Edit, Move, apply_edit, below
from kubestencil.checking.paths import Path, parts_of


class WrittenValue:
    """A value that the text has: its node, and the key of a field. ``written`` are the
    values that the text has in it; ``anchored`` is what an alias refers to."""

    node: Any
    key: Any
    is_in_braces: bool
    anchored: WrittenValue | None
    written: Mapping[str | int, Any]

    @property
    def is_alias(self) -> bool:
        return self.anchored is not None

    @property
    def is_block(self) -> bool:
        return self.node.id != "scalar" and not self.node.flow_style


class WrittenObject(WrittenValue, dict[str, Any]):
    """Its fields are those that it has with the edits."""


class WrittenList(WrittenValue, list[Any]):
    """The same of items."""


class WrittenDocument:
    """The values of a composed node. What aliases refer to, and what merge keys (``<<``)
    add, is edited once where it is written, whichever paths lead there.

    ``root`` has the document at an empty name, and each value that an alias refers to at
    a name of its own, which ``names`` has by identity.
    """

    def __init__(self, node: Any) -> None:
        document = _composed(node, {})
        self.root: dict[str, WrittenValue] = {"": document}
        self.names: dict[int, str] = {}
        self.applied: dict[str, Edit] = {}
        values = [document]
        for value in values:
            if value.anchored is not None:
                name = f"*{id(value.anchored)}"
                self.names[id(value.anchored)] = name
                self.root[name] = value.anchored
            values += value.written.values()

    def apply(self, edit: Edit) -> None:
        """Apply an edit, unless the same text had it already by another path. Raises
        EditError where it does not fit."""
        raw = below(("",), edit)
        path = self._written(raw.path)
        resolved = raw._replace(path=path)
        if isinstance(raw, Move):
            above = raw.path[:-1]
            is_beside = raw.target[: len(above)] == above
            rest = raw.target[len(above) :]
            target = (*path[:-1], *rest) if is_beside else self._written(raw.target)
            resolved = Move(path, target)
        if self.applied.setdefault(repr(resolved), raw) == raw:
            apply_edit(self.root, resolved)

    def _written(self, path: Path) -> Path:
        """The path to the same value from the last anchor on the way, but for the value
        itself, which may be an alias."""
        container: Any = self.root
        written: Path = ()
        for index, step in enumerate(path):
            if isinstance(container, WrittenObject) and step not in container:
                # An edit before may have moved it.
                having = (part for part in _merged(container) if step in part.written)
                merged = next(having, None)
                if merged is not None:
                    container, written = merged, (self.names[id(merged)],)
            if index == len(path) - 1:
                break
            try:
                container = container[step]
            except (KeyError, IndexError, TypeError):
                return (*written, *path[index:])
            # What earlier edits have put there is not written yet.
            if isinstance(container, WrittenValue) and container.anchored is not None:
                container = container.anchored
            name = self.names.get(id(container))
            written = (*written, step) if name is None else (name,)
        return (*written, path[-1])


def _merged(value: WrittenObject) -> Iterator[WrittenObject]:
    """The objects whose fields a merge key adds, by an alias."""
    merged = value.get("<<")
    for part in merged if isinstance(merged, WrittenList) else [merged]:
        if isinstance(part, WrittenValue) and isinstance(part.anchored, WrittenObject):
            yield part.anchored


def _composed(
    node: Any,
    seen: dict[int, WrittenValue],
    key: Any = None,
    is_in_braces: bool = False,
) -> WrittenValue:
    """A node as a value. What an alias stands for is written elsewhere."""
    anchored = seen.get(id(node))
    value = WrittenValue()
    flow = node.id != "scalar" and bool(node.flow_style)
    if node.id == "mapping" and anchored is None:
        fields = {str(key.value): (key, part) for key, part in node.value}
        value = WrittenObject(
            (name, _composed(part, seen, key, flow))
            for name, (key, part) in fields.items()
        )
    elif node.id == "sequence" and anchored is None:
        value = WrittenList(_composed(part, seen, None, flow) for part in node.value)
    value.written, value.node, value.key = value_parts(value), node, key
    value.is_in_braces, value.anchored = is_in_braces, anchored
    seen.setdefault(id(node), value)
    return value


def value_parts(value: Any) -> dict[str | int, Any]:
    """The values in an object or a list now, by name or index."""
    return dict(parts_of(value))
