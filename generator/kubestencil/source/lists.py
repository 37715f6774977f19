"""Lists of Kubernetes: what ``kubectl get -o yaml`` prints of several objects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def list_items(value: object) -> list[Any] | None:
    """The items of a list; None of a value that is no list.

    The API server does not repeat apiVersion and kind in the items of a list of one
    kind; they are added.
    """
    if not isinstance(value, Mapping):
        return None
    kind, items = value.get("kind"), value.get("items")
    if not (
        isinstance(kind, str) and kind.endswith("List") and isinstance(items, list)
    ):
        return None
    implied = {"apiVersion": value.get("apiVersion"), "kind": kind.removesuffix("List")}
    return [
        (
            {**implied, **item}
            if implied["kind"] and isinstance(item, Mapping) and "kind" not in item
            else item
        )
        for item in items
    ]
