"""The API classes of the Python clients and their methods: names, order, parameters.

kubernetes-client/gen prepares the operations of the document (``preprocess_spec.py``),
openapi-generator makes a method of each, and a class for each tag. The names and the
order of classes, methods and parameters are theirs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, count
from typing import NamedTuple

from kubestencil.schema.operations.details import (
    OperationDetails,
    OperationParameter,
    Response,
)
from kubestencil.schema.operations.rebuilt import capitalized
from kubestencil.schema.resources.operation import Operation
from kubestencil.schema.types import Schema
from kubestencil.targets.languages.python.spelling import Spelling
from kubestencil.text.unique_names import free_names

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
# Names in the modules of API classes (templates/python-client/, api.py.j2).
_RESERVED_CLASSES = ("Api", "AsyncApi")
_NOT_WORD = re.compile(r"[^A-Za-z0-9_]")
_SUCCESS = re.compile(r"2\d\d\Z")


class ApiMethodDetails(NamedTuple):
    """The method of an API class for an operation."""

    name: str
    details: OperationDetails


class ApiClass(NamedTuple):
    """The operations with one tag, sorted by method."""

    name: str
    methods: tuple[ApiMethodDetails, ...]


def api_classes(
    operations: Iterable[OperationDetails],
    spelling: Spelling,
    reserved: Iterable[str],
) -> list[ApiClass]:
    """The API classes for ``operations``, sorted by tag; ``reserved`` are names of
    other classes. The deprecated operations that watch have no method."""
    by_tag: dict[str, list[OperationDetails]] = {}
    for details in operations:
        if not _operation_id(details).startswith(_WATCH):
            tag = _NOT_WORD.sub("_", details.tag or _DEFAULT_TAG)
            by_tag.setdefault(tag, []).append(details)
    spelled = {tag: f"{_without_underscores(tag)}Api" for tag in sorted(by_tag)}
    return [
        ApiClass(name, _methods(by_tag[tag], spelling))
        for tag, name in free_names(spelled, reserved, separator="").items()
    ]


def named_api_classes(
    operations: Iterable[OperationDetails], spelling: Spelling
) -> Iterator[tuple[str, ApiClass]]:
    """The API classes of operations, each with its name in the package of a client."""
    for api in api_classes(operations, spelling, _RESERVED_CLASSES):
        # A tag may begin with a digit.
        yield api.name if api.name.isidentifier() else f"Tag{api.name}", api


def _methods(
    operations: Sequence[OperationDetails], spelling: Spelling
) -> tuple[ApiMethodDetails, ...]:
    by_path = {
        f"{details.operation.path} {details.operation.method}": details
        for details in operations
    }
    names = free_names(
        {
            path: spelling.attribute(_operation_id(details))
            for path, details in by_path.items()
        }
    )
    methods = (ApiMethodDetails(names[path], by_path[path]) for path in by_path)
    return tuple(sorted(methods, key=lambda method: method.name))


def _operation_id(details: OperationDetails) -> str:
    """The name of an operation without its tag: ``createNamespacedPod``."""
    operation = details.operation
    if not operation.name:
        return f"{operation.path}_{operation.method}"
    tag = _without_underscores(details.tag)
    return operation.name.replace(tag, "") if tag else operation.name


def own_parameters(details: OperationDetails) -> tuple[OperationParameter, ...]:
    """The parameters that an operation does not share with others of its path."""
    if not _operation_id(details).startswith(_DELETE_COLLECTION):
        return details.parameters
    return tuple(
        parameter
        for parameter in details.parameters
        if parameter.name not in _WATCH_PARAMETERS
    )


def method_parameters(
    details: OperationDetails, own: tuple[OperationParameter, ...]
) -> list[OperationParameter]:
    """The parameters of an operation whose own ones are ``own``: those of the path
    first, the body last. Required ones come before the others in a signature."""
    parameters = [*details.path_parameters, *own]
    parameters.sort(key=lambda parameter: parameter.location == _BODY)
    return parameters


def served_path(operation: Operation) -> str:
    """The path of an operation as the API server has it."""
    path = operation.path
    return path.removesuffix("/") if path in _PATHS_WITHOUT_SLASH else path


def result_schema(responses: Iterable[Response]) -> Schema | None:
    """The type of the first response that says that all is well."""
    codes = {response.code: response for response in responses}
    for code in sorted(filter(_SUCCESS.match, codes)):
        return codes[code].schema
    return None


def _without_underscores(tag: str) -> str:
    """A tag with its words in upper case, as operations have it in their names."""
    return "".join(map(capitalized, tag.split("_")))


def numbered_names(names: Iterable[str], taken: Iterable[str] = ()) -> Iterator[str]:
    """``names``, with numbers where they are repeated or ``taken``, as openapi-generator
    makes them differ: ``path`` and ``path2``."""
    used = set(taken)
    # Of each name the spellings that were not tried, so that the time is in proportion.
    untried: dict[str, Iterator[str]] = {}
    for name in names:
        spellings = untried.setdefault(name, _spellings(name))
        unused = next(other for other in spellings if other not in used)
        used.add(unused)
        yield unused


def _spellings(name: str) -> Iterator[str]:
    return chain([name], (f"{name}{number}" for number in count(2)))
