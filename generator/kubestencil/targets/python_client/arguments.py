"""The arguments of methods, and where a call puts them: path, query, body."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from kubestencil.errors import SpecError
from kubestencil.schema.operations.details import OperationDetails, OperationParameter
from kubestencil.schema.types import schema_of
from kubestencil.targets.languages.python.api_methods import (
    method_parameters,
    numbered_names,
    own_parameters,
    served_path,
)
from kubestencil.targets.languages.python.spelling import Spelling
from kubestencil.targets.python_client.types import argument_type
from kubestencil.text.languages import python_literal

_BODY = "body"
_PATH = "path"
_QUERY = "query"
_PLACEHOLDER = re.compile(r"\{[^{}]*\}")
_FIELD_MANAGER = "fieldManager"
# Arguments that every method has.
_RESERVED = ("self", "timeout")
# What watch() sets: a list refuses them, or would become a watch.
_OF_WATCHES = frozenset({"allowWatchBookmarks", "sendInitialEvents", "watch"})
_STRINGS = schema_of({"type": "array", "items": {"type": "string"}})


class ClientArgument(NamedTuple):
    """An argument of a method. ``type`` is its type hint; one that is not required can
    be None as well."""

    name: str
    type: str
    required: bool


class QueryParameter(NamedTuple):
    """A query parameter: the argument that it is given by, and its name as a literal."""

    argument: str
    json_name: str


class MethodArguments(NamedTuple):
    """The arguments of a method, the query parameters that they are, the path with
    arguments in braces, and the parameters, each with the argument that gives it."""

    arguments: tuple[ClientArgument, ...]
    query: tuple[QueryParameter, ...]
    path: str
    parameters: tuple[tuple[str, OperationParameter], ...]


def method_arguments(
    details: OperationDetails, spelling: Spelling, body: str, *, is_apply: bool
) -> MethodArguments:
    """The arguments of a method, whose body has the type hint ``body``.

    Server-side apply needs a field manager. Raises SpecError where the path has a
    placeholder without a parameter.
    """
    parameters = call_parameters(details)
    names = _argument_names(parameters, spelling)
    return MethodArguments(
        _arguments(parameters, names, body, is_apply=is_apply),
        tuple(
            sorted(
                QueryParameter(name, python_literal(parameter.name))
                for name, parameter in zip(names, parameters, strict=True)
                if parameter.location == _QUERY
            )
        ),
        _path(details, parameters, names),
        tuple(zip(names, parameters, strict=True)),
    )


def _argument_names(
    parameters: Sequence[OperationParameter], spelling: Spelling
) -> list[str]:
    others = [item for item in parameters if item.location != _BODY]
    has_body = len(others) < len(parameters)
    names = numbered_names(
        (spelling.attribute(item.name) for item in others),
        taken=[*_RESERVED, *([_BODY] if has_body else [])],
    )
    return [_BODY if item.location == _BODY else next(names) for item in parameters]


def call_parameters(details: OperationDetails) -> list[OperationParameter]:
    """The parameters that become arguments: no API server has any in headers and
    forms."""
    dropped = _OF_WATCHES if details.operation.action == "list" else frozenset()
    return [
        # A command is a list, of which the document says that it is one string.
        (
            parameter._replace(schema=_STRINGS)
            if parameter.name == "command" and opens_session(details)
            else parameter
        )
        for parameter in method_parameters(details, own_parameters(details))
        if parameter.location in (_BODY, _PATH, _QUERY)
        and parameter.name not in dropped
    ]


def opens_session(details: OperationDetails) -> bool:
    """Whether an operation runs a command in a container, or attaches to one.

    A WebSocket is opened with GET only.
    """
    operation = details.operation
    return operation.method == "get" and operation.path.endswith(
        ("/pods/{name}/exec", "/pods/{name}/attach")
    )


def _arguments(
    parameters: Sequence[OperationParameter],
    names: Sequence[str],
    body: str,
    *,
    is_apply: bool,
) -> tuple[ClientArgument, ...]:
    """The arguments, required ones first. Server-side apply needs a field manager."""
    manager = next(
        (
            name
            for name, parameter in zip(names, parameters, strict=True)
            if is_apply and parameter.name == _FIELD_MANAGER
        ),
        None,
    )
    arguments = [
        ClientArgument(
            name,
            (body if parameter.location == _BODY else argument_type(parameter.schema)),
            parameter.required or parameter.location == _PATH or name == manager,
        )
        for name, parameter in zip(names, parameters, strict=True)
    ]
    # That of server-side apply comes after the body.
    return tuple(
        sorted(
            arguments,
            key=lambda argument: (not argument.required, argument.name == manager),
        )
    )


def _path(
    details: OperationDetails,
    parameters: Iterable[OperationParameter],
    names: Iterable[str],
) -> str:
    """The path with arguments in braces."""
    arguments = {
        f"{{{parameter.name}}}": f"{{{name}}}"
        for name, parameter in zip(names, parameters, strict=False)
        if parameter.location == _PATH
    }
    path = served_path(details.operation)
    for placeholder in _PLACEHOLDER.findall(path):
        if placeholder not in arguments:
            raise SpecError(
                f"no parameter is called {placeholder[1:-1]!a}",
                where=f"{details.operation.method} {path!a}",
            )
    return _PLACEHOLDER.sub(lambda match: arguments[match[0]], path)
