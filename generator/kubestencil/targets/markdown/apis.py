"""The pages of API classes: the operations of a release by tag."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from kubestencil.schema.operations.details import OperationDetails, OperationParameter
from kubestencil.targets.languages.python.api_methods import (
    api_classes,
    method_parameters,
    numbered_names,
    own_parameters,
    result_schema,
    served_path,
)
from kubestencil.targets.languages.python.spelling import Spelling, snake_case
from kubestencil.targets.markdown.types import TypeName, TypeNames
from kubestencil.text import markdown

_BODY = "body"
_ANY_MEDIA_TYPE = "*/*"
# The example of a value by JSON type.
_EXAMPLES: Mapping[str | None, str] = {
    "boolean": "True",
    "integer": "56",
    "number": "3.4",
    "string": "'{}_example'",
    "array": "['{}_example']",
}
_NO_EXAMPLE = "None"


class Argument(NamedTuple):
    """An argument of an API method.

    ``type`` is the name of its type, ``link`` the page that it links to, or None.
    ``model`` is its class, None for other values, which have an ``example``.
    ``comment`` is the description for a comment in code, ``description`` the same for
    the cell of a table.
    """

    name: str
    type: str
    link: str | None
    model: str | None
    example: str
    comment: str
    description: str
    required: bool


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
    have also outside of it. ``reserved`` are names of other pages, ``open_pipes`` those
    of parameters whose descriptions keep their pipes.
    """

    def __init__(
        self,
        types: TypeNames,
        spelling: Spelling,
        escape_quotes: Callable[[str], str],
        reserved: Iterable[str],
        open_pipes: Iterable[str],
    ) -> None:
        self._types = types
        self._spelling = spelling
        self._escape_quotes = escape_quotes
        self._reserved = frozenset(reserved)
        self._open_pipes = frozenset(open_pipes)
        # A release has sixteen thousand parameters, but few different ones.
        self._arguments: dict[tuple[object, ...], Argument] = {}

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
        arguments = self._arguments_of(details, parameters)
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
            # Any media type is none in particular.
            consumes=", ".join(
                _media_type(name)
                for name in details.consumes
                if has_body and name != _ANY_MEDIA_TYPE
            ),
            produces=", ".join(map(_media_type, details.produces)) if result else "",
            responses=tuple(
                Status(_cell(code), _cell(description))
                for code, description, _ in details.responses
            ),
        )

    def _arguments_of(
        self, details: OperationDetails, parameters: tuple[OperationParameter, ...]
    ) -> tuple[Argument, ...]:
        """The arguments of an operation whose own ``parameters`` are these: those of
        the path first, the body last, and then required ones before the others."""
        ordered = method_parameters(details, parameters)
        body_name = _BODY if parameters and parameters[0].location == _BODY else None
        arguments = [
            self._argument(parameter, self._name(parameter, body_name))
            for parameter in ordered
        ]
        # The examples are those of the first of several with one name.
        names = numbered_names(argument.name for argument in arguments)
        arguments = [
            argument if argument.name == name else argument._replace(name=name)
            for argument, name in zip(arguments, names, strict=True)
        ]
        return tuple(sorted(arguments, key=lambda argument: not argument.required))

    def _name(self, parameter: OperationParameter, body_name: str | None) -> str:
        if parameter.location != _BODY:
            return self._spelling.attribute(parameter.name)
        # kubernetes-client/gen names only a body that is the first parameter.
        return body_name or self._spelling.attribute(
            self._types.name(parameter.schema).text
        )

    def _argument(self, parameter: OperationParameter, name: str) -> Argument:
        schema = parameter.schema
        key = (name, *parameter[:-1], schema.type, schema.format, schema.ref)
        argument = self._arguments.get(key)
        if argument is None:
            argument = self._arguments[key] = self._new_argument(parameter, name)
        return argument

    def _new_argument(self, parameter: OperationParameter, name: str) -> Argument:
        schema = parameter.schema
        type_name = self._types.name(schema)
        # A list in a query is no model, but openapi-generator links to its items.
        items = self._types.name(schema.items).text if schema.items else None
        description = markdown.line(self._escape_quotes(parameter.description))
        example = _EXAMPLES.get(schema.type, _NO_EXAMPLE)
        cell = markdown.cell if parameter.name in self._open_pipes else _cell
        return Argument(
            name=name,
            type=type_name.text,
            link=items or type_name.link or None,
            model=type_name.link or None,
            example=example.replace("{}", name),
            comment=description,
            description=cell(description),
            required=parameter.required,
        )


def _media_type(name: str) -> str:
    return markdown.inline(markdown.line(name))


def _in_call(argument: Argument) -> str:
    name = argument.name
    return name if argument.required else f"{name}={name}"


def _cell(text: str) -> str:
    return markdown.escape_pipes(markdown.cell(text))
