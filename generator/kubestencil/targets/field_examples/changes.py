"""Changes of objects that are JSON values: what is merged into them, and what differs."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any


def merged(value: Any, change: Any) -> Any:
    """A value with a change (``ExampleChange``) merged into it."""
    if isinstance(change, Mapping) and isinstance(value, list):
        items = list(value)
        for index, part in change.items():
            position = int(index)
            old = items[position] if position < len(items) else {}
            items[position : position + 1] = [merged(old, part)]
        return items
    if isinstance(change, Mapping):
        old = value if isinstance(value, Mapping) else {}
        changed = {**old}
        for name, part in change.items():
            if part is None:
                changed.pop(name, None)
            else:
                changed[name] = merged(old.get(name), part)
        return changed
    is_added = isinstance(change, list) and any(isinstance(i, dict) for i in change)
    if is_added and isinstance(value, list):
        return [*value, *(item for item in change if not _has(value, item))]
    return copy.deepcopy(change)


def _has(items: Sequence[Any], item: Any) -> bool:
    """Whether a list has an item, or one of the same name."""
    name = item.get("name") if isinstance(item, Mapping) else None
    return item in items or any(
        name is not None and isinstance(each, Mapping) and each.get("name") == name
        for each in items
    )


def difference(before: Any, after: Any) -> Any:
    """The change that makes ``after`` of ``before``, an object or list each."""
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        removed = {name: None for name in before if name not in after}
        return removed | {
            name: _changed(before.get(name), value)
            for name, value in after.items()
            if name not in before or before[name] != value
        }
    return _changed(before, after)


def _changed(before: Any, after: Any) -> Any:
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        return difference(before, after)
    if isinstance(before, list) and isinstance(after, list) and before:
        if after[: len(before)] == before and isinstance(after[-1], Mapping):
            return after[len(before) :]
        if len(before) <= len(after) and all(
            isinstance(item, Mapping) for item in (*before, *after)
        ):
            return {
                str(index): _changed(
                    before[index] if index < len(before) else None, item
                )
                for index, item in enumerate(after)
                if index >= len(before) or before[index] != item
            }
    return after
