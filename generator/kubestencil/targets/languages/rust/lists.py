"""Kinds with one API version, and the list kinds that the generic type ``List<T>``
stands for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from kubestencil.schema import Definition
from kubestencil.schema.well_known import LIST_META, OBJECT_META
from kubestencil.targets.languages.rust.layout import RustPath


class GenericList(NamedTuple):
    """The types that ``List<T>`` is made of, as paths from the crate's root:
    the metadata of its items and its own."""

    object_meta: str
    list_meta: str


def has_one_kind(definition: Definition) -> bool:
    """Whether the type alone says which ``apiVersion`` and ``kind`` an object has: they
    are constants of the type then, not fields."""
    names = {field.name for field in definition.fields}
    return definition.served_kind is not None and {"apiVersion", "kind"} <= names


def list_items(definitions: Mapping[str, Definition]) -> dict[str, str]:
    """The list kinds that are a ``List<T>``, each with the definition of its items.

    A kind has one list kind: that of its name, such as PodList, or else another one,
    which a CustomResourceDefinition may call as it likes.
    """
    if not _has_list_metadata(definitions):
        return {}
    candidates: dict[str, list[Definition]] = {}
    for definition in definitions.values():
        item = _item(definition, definitions)
        if item is not None:
            candidates.setdefault(item.name, []).append(definition)
    return {
        _preferred(lists, definitions[item]).name: item
        for item, lists in candidates.items()
    }


def generic_list(paths: Mapping[str, RustPath]) -> GenericList:
    """What ``List<T>`` is made of, in a crate with list kinds."""
    return GenericList(paths[OBJECT_META].seen_from(()), paths[LIST_META].seen_from(()))


def _has_list_metadata(definitions: Mapping[str, Definition]) -> bool:
    """Whether there is the metadata that ``List<T>`` needs: it merges items by their
    namespace and name, and has a default."""
    object_meta, list_meta = definitions.get(OBJECT_META), definitions.get(LIST_META)
    if object_meta is None or list_meta is None:
        return False
    names = {field.name for field in object_meta.fields}
    has_default = not any(field.required for field in list_meta.fields)
    return {"name", "namespace"} <= names and list_meta.is_object and has_default


def _preferred(lists: Iterable[Definition], item: Definition) -> Definition:
    return min(lists, key=lambda kind: (kind.kind != f"{item.kind}List", kind.name))


def _item(
    definition: Definition, definitions: Mapping[str, Definition]
) -> Definition | None:
    """The definition of the items of a list kind that has what ``List<T>`` has, and no
    more; None for any other definition.

    k8s-openapi leaves out the same list kinds (``k8s-openapi-codegen-common``).
    """
    fields = {field.name: field for field in definition.fields}
    if fields.keys() != {"apiVersion", "items", "kind", "metadata"}:
        return None
    items = fields["items"].schema.items
    if (
        items is None
        or items.ref is None
        or not fields["items"].required
        or fields["metadata"].schema.ref != LIST_META
    ):
        return None
    item = definitions[items.ref]
    has_kinds = has_one_kind(definition) and has_one_kind(item)
    if not has_kinds or definition.kinds[0].api_version != item.kinds[0].api_version:
        return None
    has_metadata = any(
        field.name == "metadata" and field.required and field.schema.ref == OBJECT_META
        for field in item.fields
    )
    return item if has_metadata else None
