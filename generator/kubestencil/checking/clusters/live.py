"""What people and programs wrote of a live object: the manifest that was applied last,
and the fields and API versions of each manager.

Source: https://kubernetes.io/docs/reference/using-api/server-side-apply/, "Field
management"; the syntax of fields is that of structured-merge-diff,
fieldpath/serialize-pe.go.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from kubestencil.checking.paths import items_at, object_at, text_at
from kubestencil.errors import SpecError
from kubestencil.source.decoding import decode_json

_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
_CLIENT_SIDE = "kubectl-client-side-apply"
# What is upgraded with the cluster.
_OF_CLUSTER = ("kube-", "kubelet", "api-priority-and-fairness")
_NAMES = ("name", "namespace")
_METADATA = (*_NAMES, "labels", "annotations")


class Written(NamedTuple):
    """What a manager wrote of an object. ``is_part`` says that other fields of the
    object are of others."""

    manager: str
    value: Mapping[str, Any]
    is_part: bool


def written(value: Mapping[str, Any]) -> Iterator[Written]:
    """What each manager wrote; an object has its apiVersion and kind. Raises SpecError
    where the manifest that was applied last cannot be read."""
    applied = _last_applied(value)
    if applied is not None:
        yield Written(_CLIENT_SIDE, applied, False)
    metadata = object_at(value, "metadata")
    for _, entry in items_at(metadata, ("managedFields",)):
        manager, version = text_at(entry, "manager"), text_at(entry, "apiVersion")
        if manager.startswith(_OF_CLUSTER) or not version:
            continue
        if applied is not None and manager == _CLIENT_SIDE:
            continue
        part: Mapping[str, Any] = {}
        if text_at(entry, "operation") == "Apply" and version == value["apiVersion"]:
            part = object_at(_owned(value, object_at(entry, "fieldsV1")))
        names = {key: metadata[key] for key in _NAMES if key in metadata}
        named = {**object_at(part, "metadata"), **names}
        stub = {"apiVersion": version, "kind": value["kind"], "metadata": named}
        yield Written(manager, {**part, **stub}, True)


def without_server_fields(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """An object as it could be created again: without what the server adds to its
    metadata."""
    kept = object_at(value, "metadata")
    return {**value, "metadata": {key: kept[key] for key in _METADATA if key in kept}}


def _last_applied(value: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The manifest that ``kubectl apply`` was given last; None without any."""
    text = text_at(value, "metadata", "annotations", _LAST_APPLIED)
    applied = decode_json(text, "") if text else None
    if not isinstance(applied, dict | None):
        raise SpecError("is no object")
    return applied


def _owned(value: Any, fields: Mapping[str, Any]) -> Any:
    """The part of a value that a set of fields names."""
    if not fields.keys() - {"."}:
        return value
    if isinstance(value, dict):
        return {
            key: _owned(value[key], inner if isinstance(inner, dict) else {})
            for key, inner in ((name[2:], fields[name]) for name in fields)
            if key in value
        }
    if isinstance(value, list):
        return [
            item if inner is None else _owned(item, inner)
            for item in value
            for inner in (_of_item(item, fields),)
            if inner != {}
        ]
    return value


def _of_item(item: Any, fields: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The fields of an item of a list: empty where it is not owned, None of one that is
    as a whole."""
    for name, inner in fields.items():
        kind, text = name[:2], name[2:]
        if kind not in ("k:", "v:"):
            continue
        try:
            key = json.loads(text)
        except (ValueError, RecursionError):
            continue
        if kind == "v:" and key == item:
            return None
        is_key = kind == "k:" and isinstance(key, dict) and isinstance(item, dict)
        if is_key and all(item.get(field) == part for field, part in key.items()):
            return inner if isinstance(inner, dict) and inner else None
    return {}
