"""The operations of the API: methods of the document's paths."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from kubestencil.errors import SpecError
from kubestencil.schema.keywords import KINDS_KEYWORD
from kubestencil.schema.kinds import read_kind
from kubestencil.schema.pointer import json_pointer
from kubestencil.schema.types import GroupVersionKind, JsonObject, Release

#: The methods of OpenAPI, in the order in which operations are listed.
METHODS = ("get", "put", "post", "delete", "options", "head", "patch")

# The words of discovery for actions (apiserver, pkg/endpoints/request/requestinfo.go).
_VERBS = {"post": "create", "put": "update", "watchlist": "watch"}


class Operation(NamedTuple):
    """One method of one path.

    ``name`` is the ``operationId``; ``method`` is in lower case. ``action`` is the
    ``x-kubernetes-action`` (``list``, ``watch``, ``patch`` …), empty where there is
    none. ``kind`` is the kind that the operation is about, None where the document
    names none.
    """

    name: str
    method: str
    path: str
    action: str
    kind: GroupVersionKind | None

    @property
    def verb(self) -> str:
        """The action in the word that discovery has for it: ``create`` for ``post``."""
        return discovery_verb(self.action)

    @property
    def namespaced(self) -> bool:
        """Whether the path has a namespace in it."""
        return "/namespaces/{namespace}/" in self.path


def discovery_verb(action: str) -> str:
    """The word that discovery has for an action or a method: ``create`` for ``post``."""
    return _VERBS.get(action, action)


def operations(release: Release) -> Iterator[Operation]:
    """The operations of a release, in the order of the document.

    None in an embedded document, which has no paths. Raises SpecError where paths or an
    operation are no objects, and where one names a kind that is not a group, version
    and kind.
    """
    return document_operations(release.document, release.origin)


def document_operations(document: JsonObject, origin: str) -> Iterator[Operation]:
    """The operations of a document; as ``operations``."""
    paths = _object(origin, document.get("paths", {}), ("paths",))
    for path, item in paths.items():
        methods = _object(origin, item, ("paths", path))
        for method in METHODS:
            if method in methods:
                raw = _object(origin, methods[method], ("paths", path, method))
                yield read_operation(origin, path, method, raw)


def _object(origin: str, value: Any, keys: Sequence[str]) -> JsonObject:
    if not isinstance(value, Mapping):
        raise SpecError("must be an object", where=f"{origin}#{json_pointer(keys)}")
    return value


def read_operation(origin: str, path: str, method: str, raw: JsonObject) -> Operation:
    """The operation ``raw`` of a document; raises as ``operations``."""
    kind = read_kind(raw[KINDS_KEYWORD]) if KINDS_KEYWORD in raw else None
    if kind is None and KINDS_KEYWORD in raw:
        pointer = json_pointer(("paths", path, method, KINDS_KEYWORD))
        raise SpecError(
            "needs the strings group, version and kind",
            where=f"{origin}#{pointer}",
        )
    return Operation(
        name=_text(origin, raw, (path, method), "operationId"),
        method=method,
        path=path,
        action=_text(origin, raw, (path, method), "x-kubernetes-action"),
        kind=kind,
    )


def _text(origin: str, raw: JsonObject, operation: tuple[str, str], key: str) -> str:
    value = raw.get(key, "")
    if not isinstance(value, str):
        pointer = json_pointer(("paths", *operation, key))
        raise SpecError("must be a string", where=f"{origin}#{pointer}")
    return value
