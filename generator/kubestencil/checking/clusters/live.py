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
# Sets of fields that the keys of a list's items have.
_MAX_KEYS = 8


class Written(NamedTuple):
    """What a manager wrote of an object. ``is_part`` says that other fields of the
    object are of others."""

    manager: str
    value: Mapping[str, Any]
    is_part: bool


def written(
    value: Mapping[str, Any], applied: Mapping[str, Any] | None
) -> Iterator[Written]:
    """What each manager wrote; an object has its apiVersion and kind, and ``applied`` is
    the manifest that was applied last."""
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


def last_applied(value: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The manifest that ``kubectl apply`` was given last; None without any. Raises
    SpecError where it cannot be read."""
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
    return list(_owned_items(value, fields)) if isinstance(value, list) else value


def _owned_items(items: list[Any], fields: Mapping[str, Any]) -> Iterator[Any]:
    """The items of a list that a set of fields names by a key (``k:{"name":"a"}``) or a
    value (``v:1``)."""
    # By the names of the fields of a key, of which a list has one set; none is a value.
    owned: dict[tuple[str, ...], dict[str, Any]] = {}
    for name, inner in fields.items():
        try:
            key = json.loads(name[2:]) if name[:2] in ("k:", "v:") else None
        except (ValueError, RecursionError):
            continue
        names = tuple(sorted(key)) if name[:2] == "k:" and isinstance(key, dict) else ()
        if key is not None and (names in owned or len(owned) < _MAX_KEYS):
            owned.setdefault(names, {})[json.dumps(key, sort_keys=True)] = inner
    for item in items:
        for names, parts in owned.items():
            if names and not isinstance(item, dict):
                continue
            key = {name: item.get(name) for name in names} if names else item
            text = json.dumps(key, sort_keys=True)
            if text in parts:
                inner = parts[text] if names else {}
                yield _owned(item, inner if isinstance(inner, dict) else {})
                break
