"""The pages of API classes: the operations of a release by tag."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from kubestencil.schema.operations.details import OperationDetails
from kubestencil.targets.markdown.arguments import Argument, Arguments
from kubestencil.targets.markdown.types import TypeName, TypeNames
from kubestencil.targets.python.api_methods import (
    api_classes,
    own_parameters,
    result_schema,
    served_path,
)
from kubestencil.targets.python.spelling import Spelling, snake_case
from kubestencil.text import markdown

_BODY = "body"
_ANY_MEDIA_TYPE = "*/*"


class ModelImport(NamedTuple):
    """A model class and its module."""

    name: str
    module: str


class Status(NamedTuple):
    """A response of the API server: code and description."""

    code: str
    description: str


class ApiMethod(NamedTuple):
    """The method of an API class for one operation; all texts are escaped.

    ``http_method`` is in upper case. ``call`` has the arguments of a call. ``returns``
    is the type of the result, None without one. ``models`` are the classes that the
    method takes and returns, sorted. ``consumes`` and ``produces`` are media types,
    divided by commas; empty where there are none.
    """

    name: str
    http_method: str
    path: str
    description: str
    arguments: tuple[Argument, ...]
    call: str
    returns: TypeName | None
    models: tuple[ModelImport, ...]
    consumes: str
    produces: str
    responses: tuple[Status, ...]


class ApiPage(NamedTuple):
    """The page of an API class: the operations with one tag, sorted by method."""

    name: str
    methods: tuple[ApiMethod, ...]


class ApiPages:
    """Makes the pages of API classes.

    ``escape_quotes`` escapes a description for source code, which the published pages
    have also outside of it. ``reserved`` are names of other pages.
    """

    def __init__(
        self,
        types: TypeNames,
        spelling: Spelling,
        escape_quotes: Callable[[str], str],
        reserved: Iterable[str],
    ) -> None:
        self._types = types
        self._spelling = spelling
        self._escape_quotes = escape_quotes
        self._arguments = Arguments(types, spelling, escape_quotes)
        self._reserved = frozenset(reserved)

    def pages(self, operations: Iterable[OperationDetails]) -> list[ApiPage]:
        """The pages of ``operations``, sorted by tag as openapi-generator does."""
        return [
            ApiPage(
                api.name,
                tuple(self._method(details, name) for name, details in api.methods),
            )
            for api in api_classes(operations, self._spelling, self._reserved)
        ]

    def _method(self, details: OperationDetails, name: str) -> ApiMethod:
        parameters = own_parameters(details)
        arguments = self._arguments.of(details, parameters)
        result = result_schema(details.responses)
        returns = self._types.name(result) if result else None
        models = {argument.model for argument in arguments if argument.model}
        if returns and returns.link:
            models.add(returns.link)
        has_body = any(parameter.location == _BODY for parameter in parameters)
        return ApiMethod(
            name=name,
            http_method=details.operation.method.upper(),
            path=_cell(served_path(details.operation)),
            description=markdown.paragraph(self._escape_quotes(details.description)),
            arguments=arguments,
            call=", ".join(map(_in_call, arguments)),
            returns=returns,
            models=tuple(
                ModelImport(model, snake_case(model, self._spelling.acronyms))
                for model in sorted(models)
            ),
            consumes=_media_types(details.consumes) if has_body else "",
            produces=", ".join(map(_media_type, details.produces)) if result else "",
            responses=tuple(
                Status(_cell(code), _cell(description))
                for code, description, _ in details.responses
            ),
        )


def _media_types(media_types: Iterable[str]) -> str:
    """The media types of a body; any is none in particular."""
    return ", ".join(
        _media_type(name) for name in media_types if name != _ANY_MEDIA_TYPE
    )


def _media_type(name: str) -> str:
    return markdown.inline(markdown.line(name))


def _in_call(argument: Argument) -> str:
    name = argument.name
    return name if argument.required else f"{name}={name}"


def _cell(text: str) -> str:
    return markdown.escape_pipes(markdown.cell(text))
