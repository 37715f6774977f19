"""The operations of a resource, with their titles."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from kubestencil.schema.operations.details import OperationDetails
from kubestencil.schema.operations.rebuilt import operation_words
from kubestencil.schema.types import GroupVersionKind

LIST_TITLES = frozenset({"List", "List All Namespaces"})


class _Title(NamedTuple):
    """The title of an operation, and what its name has before, within and after the
    group, version and kind (apiserver, pkg/endpoints/installer.go)."""

    title: str
    verb: str
    middle: str = ""
    end: str = ""


def _of_subresource(name: str, end: str) -> tuple[_Title, ...]:
    return tuple(
        _Title(f"{title} {name}", verb, "", end)
        for title, verb in (
            ("Patch", "patch"),
            ("Read", "read"),
            ("Replace", "replace"),
        )
    )


def _connections(action: str, method: str, *ends: str) -> tuple[_Title, ...]:
    return tuple(
        _Title(
            f"{action} Connect {end.replace('WithPath', ' Path')}",
            "connect",
            method,
            end,
        )
        for end in ends
    )


# In the order of the pages.
_TITLES: Sequence[_Title] = (
    _Title("Create", "create"),
    _Title("Create Eviction", "create", "", "Eviction"),
    _Title("Patch", "patch"),
    _Title("Replace", "replace"),
    _Title("Delete", "delete"),
    _Title("Delete Collection", "delete", "Collection"),
    _Title("Read", "read"),
    _Title("List", "list"),
    _Title("List All Namespaces", "list", "", "ForAllNamespaces"),
    _Title("Watch", "watch"),
    _Title("Watch List", "watch", "", "List"),
    _Title("Watch List All Namespaces", "watch", "", "ListForAllNamespaces"),
    *_of_subresource("Status", "Status"),
    _Title("Read Resize", "read", "", "Resize"),
    _Title("Patch Resize", "patch", "", "Resize"),
    _Title("Replace Resize", "replace", "", "Resize"),
    *_of_subresource("EphemeralContainers", "Ephemeralcontainers"),
    *_connections("Create", "Post", "Portforward", "Proxy", "ProxyWithPath"),
    *_connections("Delete", "Delete", "Proxy", "ProxyWithPath"),
    *_connections("Get", "Get", "Portforward", "Proxy", "ProxyWithPath"),
    *_connections("Head", "Head", "Proxy", "ProxyWithPath"),
    *_connections("Replace", "Put", "Proxy", "ProxyWithPath"),
    _Title("Read Scale", "read", "", "Scale"),
    _Title("Replace Scale", "replace", "", "Scale"),
    _Title("Patch Scale", "patch", "", "Scale"),
    _Title("Read Log", "read", "", "Log"),
    *_connections("Get", "Get", "Exec"),
    *_connections("Create", "Post", "Exec"),
    *_connections("Get", "Get", "Attach"),
    *_connections("Create", "Post", "Attach"),
)


class TitledOperation(NamedTuple):
    """An operation and its title."""

    title: str
    details: OperationDetails


class OperationIndex:
    """The operations of a document by name."""

    def __init__(self, operations: Iterable[OperationDetails]) -> None:
        self._by_name = {details.operation.name: details for details in operations}
        self.returned: Collection[str] = {
            schema.ref
            for details in self._by_name.values()
            for _, _, schema in details.responses
            if schema is not None and schema.ref is not None
        }

    def of_kind(self, kind: GroupVersionKind) -> list[TitledOperation]:
        """The operations of a resource, in the order of its page."""
        words = operation_words(kind)
        names = (
            (
                title.title,
                f"{title.verb}{words}{title.middle}{scope}{kind.kind}{title.end}",
            )
            for title in _TITLES
            for scope in ("Namespaced", "")
        )
        return [
            TitledOperation(title, self._by_name[name])
            for title, name in names
            if name in self._by_name
        ]
