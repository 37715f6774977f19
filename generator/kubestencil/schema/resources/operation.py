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

#: The verbs of resources, in the words of discovery, sorted.
VERBS = (
    "create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"
)  # fmt: skip
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


def read_operation(origin: str, path: str, method: str, raw: JsonObject) -> Operation:
    """The operation ``raw`` of a document; raises as ``operations``."""

    def error(message: str, key: str) -> SpecError:
        return _error(origin, message, ("paths", path, method, key))

    kind = read_kind(raw[KINDS_KEYWORD]) if KINDS_KEYWORD in raw else None
    if kind is None and KINDS_KEYWORD in raw:
        raise error("needs the strings group, version and kind", KINDS_KEYWORD)
    name, action = raw.get("operationId", ""), raw.get("x-kubernetes-action", "")
    for key, value in (("operationId", name), ("x-kubernetes-action", action)):
        if not isinstance(value, str):
            raise error("must be a string", key)
    return Operation(name, method, path, action, kind)


def _object(origin: str, value: Any, keys: Sequence[str]) -> JsonObject:
    if not isinstance(value, Mapping):
        raise _error(origin, "must be an object", keys)
    return value


def _error(origin: str, message: str, keys: Sequence[str]) -> SpecError:
    return SpecError(message, where=f"{origin}#{json_pointer(keys)}")
