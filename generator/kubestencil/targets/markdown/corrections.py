"""What kubernetes-client/gen corrects in operations for newer Python clients.

Each function is a quirk of the same name (``preprocess_spec.py``, ``fix_…``).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from kubestencil.schema.documents.openapi2 import parse_schema
from kubestencil.schema.operations.details import OperationDetails, OperationParameter
from kubestencil.schema.types import Schema
from kubestencil.schema.well_known import META_V1

_STATUS = f"{META_V1}.Status"
_DELETE = "delete"
_DELETED = frozenset({"200", "202"})
_ANY_OBJECT = parse_schema({"type": "object"})
_STRING = parse_schema({"type": "string"})
_STRINGS = parse_schema({"type": "array", "items": {"type": "string"}})
_EXEC = frozenset(
    {"connectCoreV1GetNamespacedPodExec", "connectCoreV1PostNamespacedPodExec"}
)
_PORT_FORWARD = frozenset(
    {
        "connectCoreV1GetNamespacedPodPortforward",
        "connectCoreV1PostNamespacedPodPortforward",
    }
)

#: Corrects an operation; others stay as they are.
Correction = Callable[[OperationDetails], OperationDetails]


def command_list(details: OperationDetails) -> OperationDetails:
    """The command to execute in a Pod is a list: PodExecOptions has one."""
    if details.operation.name not in _EXEC:
        return details
    return _with_type(details, "command", _STRINGS)


def port_text(details: OperationDetails) -> OperationDetails:
    """The ports to forward are text, in which commas divide them."""
    if details.operation.name not in _PORT_FORWARD:
        return details
    return _with_type(details, "ports", _STRING)


def delete_any(details: OperationDetails) -> OperationDetails:
    """A deletion returns any object: a Status, or the deleted object."""
    if details.operation.action != _DELETE:
        return details
    return details._replace(
        responses=tuple(
            (
                response._replace(schema=_ANY_OBJECT)
                if response.code in _DELETED
                and response.schema is not None
                and response.schema.ref == _STATUS
                else response
            )
            for response in details.responses
        )
    )


#: The corrections by the name of their quirk.
CORRECTIONS: Mapping[str, Correction] = {
    "command-list": command_list,
    "delete-any": delete_any,
    "port-text": port_text,
}


def corrections(quirks: Collection[str]) -> Correction:
    """The corrections that ``quirks`` ask for, as one."""
    chosen = [correct for name, correct in CORRECTIONS.items() if name in quirks]

    def correct_all(details: OperationDetails) -> OperationDetails:
        for correct in chosen:
            details = correct(details)
        return details

    return correct_all


def _with_type(
    details: OperationDetails, name: str, schema: Schema
) -> OperationDetails:
    """``details`` with another type of the parameter ``name``."""

    def corrected(
        parameters: tuple[OperationParameter, ...],
    ) -> tuple[OperationParameter, ...]:
        return tuple(
            parameter._replace(schema=schema) if parameter.name == name else parameter
            for parameter in parameters
        )

    return details._replace(
        path_parameters=corrected(details.path_parameters),
        parameters=corrected(details.parameters),
    )
