"""The pages of API classes: the operations of a release by tag.

kubernetes-client/gen prepares the operations of the document (``preprocess_spec.py``),
openapi-generator makes a method of each, and a class for each tag. The names and the
order of methods and arguments are theirs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import NamedTuple

from kubestencil.schema.operation_details import (
    OperationDetails,
    OperationParameter,
    Response,
)
from kubestencil.schema.operations import Operation
from kubestencil.schema.types import Schema
from kubestencil.targets.markdown.arguments import Argument, Arguments
from kubestencil.targets.markdown.types import TypeName, TypeNames
from kubestencil.targets.python.spelling import Spelling, snake_case, unique_names
from kubestencil.text import markdown

_WATCH = "watch"
_DELETE_COLLECTION = "deleteCollection"
# What kubernetes-client/gen removes from operations that delete a collection.
_WATCH_PARAMETERS = frozenset({"allowWatchBookmarks", "watch"})
# The document has a slash at the end of these paths, the server has none:
# https://github.com/kubernetes/kubernetes/issues/117455.
_PATHS_WITHOUT_SLASH = frozenset(
    {"/.well-known/openid-configuration/", "/openid/v1/jwks/"}
)
_DEFAULT_TAG = "default"
_BODY = "body"
_ANY_MEDIA_TYPE = "*/*"
_NOT_WORD = re.compile(r"[^A-Za-z0-9_]")
_SUCCESS = re.compile(r"2\d\d\Z")


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


class Authentication(NamedTuple):
    """How a client proves who it is: the name of an API key, and its header."""

    name: str
    parameter: str


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
        by_tag: dict[str, list[OperationDetails]] = {}
        for details in operations:
            if not _operation_id(details).startswith(_WATCH):
                tag = _NOT_WORD.sub("_", details.tag or _DEFAULT_TAG)
                by_tag.setdefault(tag, []).append(details)
        names = unique_names(sorted(by_tag), _class_name, reserved=self._reserved)
        return [
            ApiPage(name, self._methods(by_tag[tag])) for tag, name in names.items()
        ]

    def _methods(self, operations: Sequence[OperationDetails]) -> tuple[ApiMethod, ...]:
        ids = [
            f"{index} {_operation_id(details)}"
            for index, details in enumerate(operations)
        ]
        names = unique_names(
            ids, lambda id_: self._spelling.attribute(id_.partition(" ")[2]), "_"
        )
        methods = [
            self._method(details, names[id_])
            for id_, details in zip(ids, operations, strict=True)
        ]
        return tuple(sorted(methods, key=attrgetter("name")))

    def _method(self, details: OperationDetails, name: str) -> ApiMethod:
        parameters = _own_parameters(details)
        arguments = self._arguments.of(details, parameters)
        result = _result(details.responses)
        returns = self._types.name(result) if result else None
        models = {argument.model for argument in arguments if argument.model}
        if returns and returns.link:
            models.add(returns.link)
        has_body = any(parameter.location == _BODY for parameter in parameters)
        return ApiMethod(
            name=name,
            http_method=details.operation.method.upper(),
            path=_cell(_path(details.operation)),
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


def _operation_id(details: OperationDetails) -> str:
    """The name of an operation without its tag: ``createNamespacedPod``."""
    operation = details.operation
    if not operation.name:
        return f"{operation.path}_{operation.method}"
    tag = "".join(word[:1].upper() + word[1:] for word in details.tag.split("_"))
    return operation.name.replace(tag, "") if tag else operation.name


def _own_parameters(details: OperationDetails) -> tuple[OperationParameter, ...]:
    if not _operation_id(details).startswith(_DELETE_COLLECTION):
        return details.parameters
    return tuple(
        parameter
        for parameter in details.parameters
        if parameter.name not in _WATCH_PARAMETERS
    )


def _path(operation: Operation) -> str:
    path = operation.path
    return path.removesuffix("/") if path in _PATHS_WITHOUT_SLASH else path


def _class_name(tag: str) -> str:
    words = "".join(word[:1].upper() + word[1:] for word in tag.split("_"))
    return f"{words}Api"


def _result(responses: Iterable[Response]) -> Schema | None:
    """The type of the first response that says that all is well."""
    codes = {response.code: response for response in responses}
    for code in sorted(filter(_SUCCESS.match, codes)):
        return codes[code].schema
    return None


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
