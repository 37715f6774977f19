"""The arguments of API methods: the parameters of operations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from kubestencil.schema.operations.details import OperationDetails, OperationParameter
from kubestencil.schema.types import Schema
from kubestencil.targets.markdown.types import TypeNames
from kubestencil.targets.python.api_methods import method_parameters
from kubestencil.targets.python.spelling import Spelling, unique_names
from kubestencil.text import markdown

_BODY = "body"
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


class Arguments:
    """Makes the arguments of methods.

    ``escape_quotes`` escapes a description for source code, which the published pages
    have also outside of it.
    """

    def __init__(
        self,
        types: TypeNames,
        spelling: Spelling,
        escape_quotes: Callable[[str], str],
    ) -> None:
        self._types = types
        self._spelling = spelling
        self._escape_quotes = escape_quotes
        # A release has sixteen thousand parameters, but few different ones.
        self._arguments: dict[tuple[object, ...], Argument] = {}

    def of(
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
        if len({argument.name for argument in arguments}) < len(arguments):
            arguments = _with_unique_names(arguments)
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
        items = self._item_type(schema)
        description = markdown.line(self._escape_quotes(parameter.description))
        example = _EXAMPLES.get(schema.type, _NO_EXAMPLE)
        return Argument(
            name=name,
            type=type_name.text,
            link=items or type_name.link or None,
            model=type_name.link or None,
            example=example.replace("{}", name),
            comment=description,
            description=markdown.escape_pipes(markdown.cell(description)),
            required=parameter.required,
        )

    def _item_type(self, schema: Schema) -> str | None:
        return self._types.name(schema.items).text if schema.items else None


def _with_unique_names(arguments: list[Argument]) -> list[Argument]:
    """Arguments with different names: ``path`` and ``path2``. The examples are those of
    the first."""
    keys = [f"{index} {argument.name}" for index, argument in enumerate(arguments)]
    names = unique_names(keys, lambda key: key.partition(" ")[2])
    return [
        argument._replace(name=names[key])
        for key, argument in zip(keys, arguments, strict=True)
    ]
