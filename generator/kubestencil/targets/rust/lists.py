"""The list kinds that the generic type ``List<T>`` stands for."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import NamedTuple

from kubestencil.schema import Definition
from kubestencil.schema.kinds import list_item
from kubestencil.schema.well_known import LIST_META, OBJECT_META
from kubestencil.targets.rust.layout import TypePath


class GenericList(NamedTuple):
    """The types that ``List<T>`` is made of, as paths from the crate's root:
    the metadata of its items and its own."""

    object_meta: str
    list_meta: str


def list_items(definitions: Mapping[str, Definition]) -> dict[str, str]:
    """The list kinds that are a ``List<T>``, each with the definition of its items."""
    items: dict[str, str] = {}
    for name, definition in definitions.items():
        item = list_item(definition, definitions)
        if item is not None and _is_generic(definition, item):
            items[name] = item.name
    return items


def _is_generic(definition: Definition, item: Definition) -> bool:
    """Whether a list kind has what ``List<T>`` has, and no more.

    k8s-openapi leaves out the same list kinds (``k8s-openapi-codegen-common``).
    """
    fields = {field.name: field for field in definition.fields}
    if fields.keys() != {"apiVersion", "items", "kind", "metadata"}:
        return False
    if not fields["items"].required or fields["metadata"].schema.ref != LIST_META:
        return False
    if len(definition.kinds) != 1 or len(item.kinds) != 1:
        return False
    kind, item_kind = definition.kinds[0], item.kinds[0]
    return (kind.api_version, kind.kind) == (
        item_kind.api_version,
        f"{item_kind.kind}List",
    ) and any(field.name == "metadata" for field in item.fields)


def generic_list(
    paths: Mapping[str, TypePath], object_meta_fields: Container[str]
) -> GenericList | None:
    """What ``List<T>`` is made of; None for a document without such metadata.

    ``object_meta_fields`` are the JSON names of the fields of ``ObjectMeta``:
    ``List<T>`` merges items by their namespace and name.
    """
    if OBJECT_META not in paths or LIST_META not in paths:
        return None
    if "name" not in object_meta_fields or "namespace" not in object_meta_fields:
        return None
    return GenericList(paths[OBJECT_META].seen_from(()), paths[LIST_META].seen_from(()))
