"""How values are merged: the functions of the generated module ``merge_strategies``, in the
syntax of the macros in ``wire.rs``: ``deep``, ``list::map(&[|l, r| l.name == r.name], …)``.
"""

from __future__ import annotations

from collections.abc import Iterable

from kubestencil.schema import Schema
from kubestencil.targets.languages.rust.crate import Crate

_DEEP = "deep"
_ATOMIC_LIST = "list::atomic"
_MERGE_FROM = "crate::DeepMerge::merge_from"


def nullable_merge(merge: str) -> str:
    """The merge strategy of a value that may be null, from that of the value."""
    function, _, arguments = merge.partition("(")
    path = f"crate::merge_strategies::{function}"
    return f"nullable({f'|l, r| {path}(l, r, {arguments}' if arguments else path})"


def merge_strategy(schema: Schema, crate: Crate) -> str:
    """How the API server merges values of ``schema`` (Kubernetes documentation,
    "Server-Side Apply", "Merge strategy").

    https://kubernetes.io/docs/reference/using-api/server-side-apply/#merge-strategy
    """
    if schema.content is None or schema.ref is not None:
        return _DEEP
    if schema.type == "array" and schema.items is not None:
        return _list_strategy(schema, schema.items, crate)
    if schema.values is not None and not schema.is_object:
        return _map_strategy(schema, schema.values, crate)
    return _DEEP


def _list_strategy(schema: Schema, items: Schema, crate: Crate) -> str:
    """The strategy of a list: that of a strategic merge patch where the field has one,
    else its list type."""
    keys = schema.list_map_keys
    if schema.patch_merge_key is not None:
        keys = (schema.patch_merge_key,)
    list_type = schema.list_type or "atomic"
    if "merge" in schema.patch_strategy:
        list_type = "map" if keys else "set"
    if list_type == "map":
        return _keyed_list_strategy(items, keys, crate)
    return "list::set" if list_type == "set" else _ATOMIC_LIST


def _keyed_list_strategy(items: Schema, keys: Iterable[str], crate: Crate) -> str:
    """Items with the same keys are merged; atomic where items do not have the keys."""
    paths = [_key_path(items, key, crate) for key in keys]
    if not paths or None in paths or items.keeps_null:
        return _ATOMIC_LIST
    comparisons = ", ".join(f"|l, r| l.{path} == r.{path}" for path in paths)
    return f"list::map(&[{comparisons}], {_MERGE_FROM})"


def _key_path(items: Schema, key: str, crate: Crate) -> str | None:
    """The Rust field that a merge key names, such as ``metadata.name``.

    None where items have no such field, or a part of the path may be absent.
    """
    path: list[str] = []
    schema = items
    steps = key.split(".")
    for number, step in enumerate(steps, start=1):
        field = crate.fields.get(schema.ref or "", {}).get(step)
        if field is None or not (field.field.required or number == len(steps)):
            return None
        path.append(field.name)
        schema = field.field.schema
    return ".".join(path)


def _map_strategy(schema: Schema, values: Schema, crate: Crate) -> str:
    """The strategy of a map. Its values are merged by a function, so a strategy with
    arguments is not possible for them, and the map is atomic."""
    inner = merge_strategy(values, crate)
    if schema.map_type == "atomic" or "(" in inner:
        return "map::atomic"
    merge = _MERGE_FROM if inner == _DEEP else f"crate::merge_strategies::{inner}"
    return f"map::granular({merge})"
