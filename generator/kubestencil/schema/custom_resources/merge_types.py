"""How the lists and maps of custom resources are merged: what the API server accepts.

Source: apiextensions-apiserver, pkg/apis/apiextensions/validation/validation.go
(ValidateCustomResourceDefinitionOpenAPISchema), and pkg/apiserver/schema/listtype.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kubestencil.schema.types import JsonObject

_LIST_TYPE = "x-kubernetes-list-type"
_LIST_MAP_KEYS = "x-kubernetes-list-map-keys"
_MAP_TYPE = "x-kubernetes-map-type"
#: The keywords that say how values are merged.
KEYWORDS = frozenset([_LIST_TYPE, _LIST_MAP_KEYS, _MAP_TYPE])


#: What an API server refuses, after the path that leads there from the schema.
MergeTypeMistake = tuple[tuple[str, ...], str]


def merge_mistakes(schema: JsonObject) -> Iterator[MergeTypeMistake]:
    """What is wrong with the keywords for merging in a schema."""
    if schema.get(_MAP_TYPE) not in (None, "atomic", "granular"):
        yield (_MAP_TYPE,), "must be atomic or granular"
    elif _MAP_TYPE in schema and schema.get("type") != "object":
        yield ("type",), f"must be object beside {_MAP_TYPE}"
    list_type = schema.get(_LIST_TYPE)
    if _LIST_TYPE in schema and list_type not in ("atomic", "set", "map"):
        yield (_LIST_TYPE,), "must be atomic, set or map"
    elif _LIST_TYPE in schema and schema.get("type") != "array":
        yield ("type",), f"must be array beside {_LIST_TYPE}"
    if schema.get(_LIST_MAP_KEYS) and list_type != "map":
        yield (_LIST_TYPE,), f"must be map beside {_LIST_MAP_KEYS}"
    items = schema.get("items")
    if not isinstance(items, dict):
        return
    if list_type in ("set", "map") and items.get("nullable"):
        yield ("items", "nullable"), f"is not allowed in a {list_type}"
    if list_type == "set":
        # The items of a set are compared as a whole.
        message = "must be atomic for the items of a set"
        if items.get("type") == "object" and items.get(_MAP_TYPE) != "atomic":
            yield ("items", _MAP_TYPE), message
        list_types = (None, "atomic")
        if items.get("type") == "array" and items.get(_LIST_TYPE) not in list_types:
            yield ("items", _LIST_TYPE), message
    if list_type == "map":
        yield from _map_mistakes(schema.get(_LIST_MAP_KEYS), items)


def _map_mistakes(keys: Any, items: JsonObject) -> Iterator[MergeTypeMistake]:
    """The keys of a list of type map are scalar fields that every item has."""
    if not isinstance(keys, list) or not keys:
        yield (_LIST_MAP_KEYS,), f"is missing beside {_LIST_TYPE}: map"
        return
    if items.get("type") != "object":
        yield ("items", "type"), f"must be object beside {_LIST_TYPE}: map"
        return
    fields = items.get("properties")
    fields = fields if isinstance(fields, dict) else {}
    required = items.get("required") or ()
    for index, key in enumerate(keys):
        field = fields.get(key) if isinstance(key, str) else None
        path = ("items", "properties", key)
        if not isinstance(field, dict):
            yield (_LIST_MAP_KEYS, str(index)), "is no field of the items"
        elif key in keys[:index]:
            yield (_LIST_MAP_KEYS, str(index)), "is listed twice"
        elif field.get("type") in ("array", "object"):
            yield (*path, "type"), f"must be scalar: the field is in {_LIST_MAP_KEYS}"
        elif field.get("nullable"):
            message = f"is not allowed: the field is in {_LIST_MAP_KEYS}"
            yield (*path, "nullable"), message
        elif field.get("default") is None and key not in required:
            message = f"is in {_LIST_MAP_KEYS}, and must be required or have a default"
            yield path, message
