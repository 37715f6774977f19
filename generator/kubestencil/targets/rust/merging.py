"""How values are merged: the functions of the generated module ``merge_strategies``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from kubestencil.schema import Schema
from kubestencil.targets.languages.rust.crate import Crate

_MERGE_FROM = "crate::DeepMerge::merge_from"


class MergeStrategy(NamedTuple):
    """A function of ``merge_strategies``, and the arguments that it needs in addition to
    the two values: ``list::map``, ``&[|l, r| l.name == r.name], …``."""

    function: str
    arguments: str = ""

    def __str__(self) -> str:
        """The strategy in the syntax of the macros in ``wire.rs``."""
        return f"{self.function}({self.arguments})" if self.arguments else self.function


_DEEP = MergeStrategy("deep")
_ATOMIC_LIST = MergeStrategy("list::atomic")
_ATOMIC_MAP = MergeStrategy("map::atomic")


def merge_function(schema: Schema, crate: Crate) -> str:
    """The merge strategy of ``schema`` in the syntax of the macros in ``wire.rs``."""
    if schema.content is None:
        return _DEEP.function
    return str(merge_strategy(schema, crate))


def nullable_merge(merge: str) -> str:
    """The merge strategy of a value that may be null, from that of the value."""
    function, _, arguments = merge.partition("(")
    path = f"crate::merge_strategies::{function}"
    return f"nullable({f'|l, r| {path}(l, r, {arguments}' if arguments else path})"


def merge_strategy(schema: Schema, crate: Crate) -> MergeStrategy:
    """How the API server merges values of ``schema`` (Kubernetes documentation,
    "Server-Side Apply", "Merge strategy").

    https://kubernetes.io/docs/reference/using-api/server-side-apply/#merge-strategy
    """
    if schema.ref is not None:
        return _DEEP
    if schema.type == "array" and schema.items is not None:
        return _list_strategy(schema, schema.items, crate)
    if schema.values is not None and not schema.is_object:
        return _map_strategy(schema, schema.values, crate)
    return _DEEP


def _list_strategy(schema: Schema, items: Schema, crate: Crate) -> MergeStrategy:
    """The strategy of a list: that of a strategic merge patch where the field has one,
    else its list type."""
    keys = schema.list_map_keys
    if schema.patch_merge_key is not None:
        keys = (schema.patch_merge_key,)
    list_type = schema.list_type or "atomic"
    if "merge" in schema.patch_strategy:
        list_type = "map" if keys else "set"
    if list_type == "set":
        return MergeStrategy("list::set")
    if list_type == "map":
        return _keyed_list_strategy(items, keys, crate)
    return _ATOMIC_LIST


def _keyed_list_strategy(
    items: Schema, keys: Iterable[str], crate: Crate
) -> MergeStrategy:
    """Items with the same keys are merged; atomic where items do not have the keys."""
    paths = [_key_path(items, key, crate) for key in keys]
    if not paths or None in paths or items.keeps_null:
        return _ATOMIC_LIST
    comparisons = ", ".join(f"|l, r| l.{path} == r.{path}" for path in paths)
    return MergeStrategy("list::map", f"&[{comparisons}], {_MERGE_FROM}")


def _key_path(items: Schema, key: str, crate: Crate) -> str | None:
    """The Rust field that a merge key names, such as ``metadata.name``.

    None where items have no such field, or a part of the path may be absent.
    """
    *parents, name = key.split(".")
    path: list[str] = []
    schema = items
    for parent in parents:
        struct_field = crate.fields.get(schema.ref or "", {}).get(parent)
        if struct_field is None or not struct_field.field.required:
            return None
        path.append(struct_field.name)
        schema = struct_field.field.schema
    struct_field = crate.fields.get(schema.ref or "", {}).get(name)
    return ".".join((*path, struct_field.name)) if struct_field else None


def _map_strategy(schema: Schema, values: Schema, crate: Crate) -> MergeStrategy:
    """The strategy of a map. Its values are merged by a function, so a strategy with
    arguments is not possible for them, and the map is atomic."""
    inner = merge_strategy(values, crate)
    if schema.map_type == "atomic" or inner.arguments:
        return _ATOMIC_MAP
    if inner == _DEEP:
        return MergeStrategy("map::granular", _MERGE_FROM)
    return MergeStrategy("map::granular", f"crate::merge_strategies::{inner.function}")
