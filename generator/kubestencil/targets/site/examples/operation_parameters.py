"""The query parameters of operations, with their descriptions."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from kubestencil.schema.operations.parameter_descriptions import PARAMETER_DESCRIPTIONS
from kubestencil.schema.operations.rebuilt import RebuiltOperation

_QUERY = "query"
_ORDER = ("list", "get", "create", "update", "patch", "delete", "deletecollection")


class ParameterRow(NamedTuple):
    """A query parameter: the operations that have it, by verb or subresource, and its
    description, empty for one that is not known."""

    name: str
    type: str
    operations: str
    description: str


def parameter_rows(operations: Iterable[RebuiltOperation]) -> tuple[ParameterRow, ...]:
    """The query parameters of operations, each once, sorted by name."""
    return _rows(
        frozenset(
            (parameter.name, parameter.type, _operation_label(rebuilt))
            for rebuilt in operations
            for parameter in rebuilt.parameters
            if parameter.location == _QUERY
        )
    )


@lru_cache(1000)
def _rows(uses: frozenset[tuple[str, str, str]]) -> tuple[ParameterRow, ...]:
    labels: dict[tuple[str, str], list[str]] = {}
    for name, type_, label in uses:
        labels.setdefault((name, type_), []).append(label)
    return tuple(
        ParameterRow(
            name,
            type_,
            ", ".join(sorted(labels[name, type_], key=_label_order)),
            PARAMETER_DESCRIPTIONS.get(name, ""),
        )
        for name, type_ in sorted(labels)
    )


def _operation_label(rebuilt: RebuiltOperation) -> str:
    """``list``; ``exec`` for the parameters of a connection or a log."""
    operation = rebuilt.operation
    if operation.action == "connect" or operation.path.endswith("/log"):
        return operation.path.removesuffix("/{path}").rpartition("/")[2]
    return operation.verb


def _label_order(label: str) -> tuple[int, str]:
    return (_ORDER.index(label) if label in _ORDER else len(_ORDER), label)
