"""What can be done with the API: the document's paths, read only when asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kubestencil.schema.types import GroupVersionKind, Release

_METHODS = ("get", "put", "post", "delete", "options", "head", "patch")


@dataclass(frozen=True, slots=True)
class Operation:
    """One method of one path.

    ``action`` is Kubernetes' own word (``list``, ``watch``, ``patch`` …), empty
    where the document has none; ``kind`` what the operation is about.
    """

    name: str
    method: str
    path: str
    action: str
    kind: GroupVersionKind | None

    @property
    def namespaced(self) -> bool:
        """Whether the path goes through a namespace."""
        return "/namespaces/{namespace}/" in self.path


def operations(release: Release) -> Iterator[Operation]:
    """Every operation of the document, in its order.

    The embedded specs have no paths, and so no operations.
    """
    for path, item in release.document.get("paths", {}).items():
        for method in _METHODS:
            if method in item:
                yield _operation(path, method, item[method])


def _operation(path: str, method: str, raw: Mapping[str, Any]) -> Operation:
    kind = raw.get("x-kubernetes-group-version-kind")
    return Operation(
        name=raw.get("operationId", ""),
        method=method,
        path=path,
        action=raw.get("x-kubernetes-action", ""),
        kind=(
            GroupVersionKind(kind["group"], kind["version"], kind["kind"])
            if kind
            else None
        ),
    )
