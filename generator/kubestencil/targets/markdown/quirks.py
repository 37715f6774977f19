"""Quirks of the published Markdown: what openapi-generator and ``sed`` did to it, and
what kubernetes-client/gen corrects in operations (``preprocess_spec.py``, ``fix_…``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping

from kubestencil.schema.operations.details import (
    STRING,
    OperationDetails,
    OperationParameter,
    Response,
)
from kubestencil.schema.types import Schema, schema_of
from kubestencil.schema.well_known import META_V1

#: The quirks that a manifest may ask for.
QUIRKS: Mapping[str, str] = {
    "backslash-quotes": "quotes and backslashes in descriptions have a backslash",
    "client-words": "words that begin with client get the package in front",
    "command-list": "the command of an operation that executes it in a Pod is a list",
    "delete-any": "an operation that deletes one object returns any object",
    "empty-links": "a type that is not a model links to a page without a name",
    "inline-models": "objects inside of definitions are models, named and merged as by "
    "a version of openapi-generator",
    "open-pipes": "pipes are not escaped in the rows of the listed fields and "
    "parameters, and of custom resources",
    "port-text": "the ports of an operation that forwards them are text",
    "silent-references": "a field that refers to a model has no description",
    "trimmed-notes": "no space follows the note of a field with a mapped name",
}


def backslash_quotes(text: str) -> str:
    """``text`` with quotes and backslashes escaped as in source code.

    openapi-generator escapes every description for source code, also in Markdown
    (DefaultCodegen.escapeText, AbstractPythonCodegen).
    """
    text = text.replace("\\/", "/").replace("\\", "\\\\").replace('"', '\\"')
    return text.replace("'''", "'_'_'")


def client_words(package: str) -> Callable[[str], str]:
    """A function that replaces ``client`` at the start of a word by ``PACKAGE.client``.

    The clients are generated as a package named client, and moved into their own
    package with ``sed``, which is applied to the Markdown, too (kubernetes-client/gen,
    openapi/python.sh).
    """
    # The pattern begins with the word, since re finds a literal prefix as fast as
    # str.find does. What stands before the word is checked afterwards.
    word = re.compile(r"client(?<!\wclient)(?!-python\b)")
    return lambda page: word.sub(f"{package}.client", page)


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
