"""What kubernetes-client/gen corrects in operations for newer Python clients.

Each correction is a quirk (``preprocess_spec.py``, ``fix_…``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from kubestencil.schema.operations.details import (
    STRING,
    OperationDetails,
    OperationParameter,
    Response,
)
from kubestencil.schema.types import Schema, schema_of
from kubestencil.schema.well_known import META_V1

_STATUS = f"{META_V1}.Status"
_ANY_OBJECT = schema_of({"type": "object"})
_STRINGS = schema_of({"type": "array", "items": {"type": "string"}})
# The parameters that have another type, by quirk: operations, parameter, type. The
# command to execute in a Pod is a list: PodExecOptions has one. The ports to forward are
# text, in which commas divide them.
_TYPES: Mapping[str, tuple[tuple[str, ...], str, Schema]] = {
    "command-list": (
        ("connectCoreV1GetNamespacedPodExec", "connectCoreV1PostNamespacedPodExec"),
        "command",
        _STRINGS,
    ),
    "port-text": (
        (
            "connectCoreV1GetNamespacedPodPortforward",
            "connectCoreV1PostNamespacedPodPortforward",
        ),
        "ports",
        STRING,
    ),
}


def corrected(details: OperationDetails, quirks: Collection[str]) -> OperationDetails:
    """An operation as ``quirks`` have it."""
    for quirk, (operations, parameter, schema) in _TYPES.items():
        if quirk in quirks and details.operation.name in operations:
            details = details._replace(
                path_parameters=_with_type(details.path_parameters, parameter, schema),
                parameters=_with_type(details.parameters, parameter, schema),
            )
    if "delete-any" in quirks and details.operation.action == "delete":
        responses = tuple(map(_any_deleted, details.responses))
        return details._replace(responses=responses)
    return details


def _any_deleted(response: Response) -> Response:
    """A deletion returns any object: a Status, or the deleted object."""
    schema = response.schema
    is_status = schema is not None and schema.ref == _STATUS
    is_deleted = is_status and response.code in ("200", "202")
    return response._replace(schema=_ANY_OBJECT) if is_deleted else response


def _with_type(
    parameters: Iterable[OperationParameter], name: str, schema: Schema
) -> tuple[OperationParameter, ...]:
    return tuple(
        parameter._replace(schema=schema) if parameter.name == name else parameter
        for parameter in parameters
    )
