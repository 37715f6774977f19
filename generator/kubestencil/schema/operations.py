"""The operations of the API: methods of the document's paths."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kubestencil.errors import SpecError
from kubestencil.schema.keywords import KINDS_KEYWORD
from kubestencil.schema.kinds import read_kind
from kubestencil.schema.pointer import json_pointer
from kubestencil.schema.types import GroupVersionKind, JsonObject, Release

#: The methods of OpenAPI, in the order in which operations are listed.
METHODS = ("get", "put", "post", "delete", "options", "head", "patch")


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
    def namespaced(self) -> bool:
        """Whether the path has a namespace in it."""
        return "/namespaces/{namespace}/" in self.path


def operations(release: Release) -> Iterator[Operation]:
    """The operations of a release, in the order of the document.

    None in an embedded document, which has no paths. Raises SpecError where an
    operation names a kind that is not a group, version and kind.
    """
    for path, methods in release.document.get("paths", {}).items():
        for method in METHODS:
            if method in methods:
                yield read_operation(release, path, method, methods[method])


def read_operation(
    release: Release, path: str, method: str, raw: JsonObject
) -> Operation:
    """The operation ``raw`` of a release; raises as ``operations``."""
    kind = read_kind(raw[KINDS_KEYWORD]) if KINDS_KEYWORD in raw else None
    if kind is None and KINDS_KEYWORD in raw:
        pointer = json_pointer(("paths", path, method, KINDS_KEYWORD))
        raise SpecError(
            "needs the strings group, version and kind",
            where=f"{release.origin}#{pointer}",
        )
    return Operation(
        name=raw.get("operationId", ""),
        method=method,
        path=path,
        action=raw.get("x-kubernetes-action", ""),
        kind=kind,
    )
