"""What a document says of each operation: parameters, responses, media types."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from kubestencil.errors import SpecError
from kubestencil.schema.operations.openapi3 import (
    operation_as_openapi2,
    parameter_as_openapi2,
)
from kubestencil.schema.pointer import Pointer, printable_pointer
from kubestencil.schema.resources.operation import METHODS, Operation, read_operation
from kubestencil.schema.types import (
    JsonObject,
    Release,
    Schema,
    reference_to,
    schema_of,
)

_PARAMETER_PREFIX = "#/parameters/"
_LOCATIONS = frozenset({"body", "formData", "header", "path", "query"})
_TYPES = frozenset({"array", "boolean", "file", "integer", "number", "string"})
_PATHS: Pointer = ("paths", None)
_BODY = "body"


class OperationParameter(NamedTuple):
    """A parameter of an operation.

    ``location`` is ``path``, ``query``, ``header``, ``formData`` or ``body``.
    """

    name: str
    location: str
    required: bool
    description: str
    schema: Schema


class Response(NamedTuple):
    """A response of an operation. ``schema`` is None where it has no body."""

    code: str
    description: str
    schema: Schema | None


#: The answer to a client that has not proven who it is.
UNAUTHORIZED = Response("401", "Unauthorized", None)
#: The type of a text.
STRING = schema_of({"type": "string"})


class OperationDetails(NamedTuple):
    """An operation with all that its document says of it.

    ``tag`` is the first tag, empty without one. ``path_parameters`` are those that the
    operations of the path have in common, ``parameters`` the others. ``consumes`` and
    ``produces`` are media types.
    """

    operation: Operation
    tag: str
    description: str
    path_parameters: tuple[OperationParameter, ...]
    parameters: tuple[OperationParameter, ...]
    consumes: tuple[str, ...]
    produces: tuple[str, ...]
    responses: tuple[Response, ...]


def documented_operations(release: Release) -> Iterator[OperationDetails]:
    """The operations of an OpenAPI document, in its order.

    None in a document without paths. A type that is not in the release, such as one that
    was not selected, is any object. Raises SpecError, with the JSON pointer, where
    an operation is not valid.
    """
    reader = _OperationReader(release)
    paths = release.document.get("paths", {})
    for path, item in reader.object(paths, _PATHS).items():
        yield from reader.path_item(path, item)


class _OperationReader:
    """Reads the operations of a document; shared parameters and types once."""

    def __init__(self, release: Release) -> None:
        self._release = release
        self._references: dict[str, Schema] = {}
        self._parameters: dict[str, OperationParameter] = {}

    def path_item(self, path: str, raw: Any) -> Iterator[OperationDetails]:
        pointer = (path, _PATHS)
        item = self.object(raw, pointer)
        shared: tuple[OperationParameter, ...] | None = None
        for method in METHODS:
            if method not in item:
                continue
            if shared is None:
                shared = self.parameters(item, pointer)
            yield self.operation(path, method, item[method], shared)

    def operation(
        self,
        path: str,
        method: str,
        raw: Any,
        path_parameters: tuple[OperationParameter, ...],
    ) -> OperationDetails:
        pointer = (method, (path, _PATHS))
        details = operation_as_openapi2(self.object(raw, pointer))
        self.text(details, "operationId", pointer)
        tags = self.texts(details, "tags", pointer)
        return OperationDetails(
            operation=read_operation(self._release.origin, path, method, details),
            tag=tags[0] if tags else "",
            description=self.text(details, "description", pointer),
            path_parameters=path_parameters,
            parameters=self.parameters(details, pointer),
            consumes=self.texts(details, "consumes", pointer),
            produces=self.texts(details, "produces", pointer),
            responses=tuple(self.responses(details, pointer)),
        )

    def parameters(
        self, raw: JsonObject, pointer: Pointer
    ) -> tuple[OperationParameter, ...]:
        pointer = ("parameters", pointer)
        parameters = raw.get("parameters", ())
        if not isinstance(parameters, (list, tuple)):
            raise self.error("must be a list", pointer)
        return tuple(
            self.parameter(parameter, (str(index), pointer))
            for index, parameter in enumerate(parameters)
        )

    def parameter(self, raw: Any, pointer: Pointer) -> OperationParameter:
        reference = self.object(raw, pointer).get("$ref")
        if reference is None:
            return self.own_parameter(raw, pointer)
        parameter = self._parameters.get(str(reference))
        if parameter is None:
            name = str(reference).removeprefix(_PARAMETER_PREFIX)
            shared = self.object(self._release.document.get("parameters", {}), pointer)
            if name not in shared:
                raise self.error(f"refers to nothing: {reference!a}", pointer)
            parameter = self.own_parameter(shared[name], (name, ("parameters", None)))
            self._parameters[str(reference)] = parameter
        return parameter

    def own_parameter(self, raw: Any, pointer: Pointer) -> OperationParameter:
        details = parameter_as_openapi2(self.object(raw, pointer))
        location = self.text(details, "in", pointer)
        if location not in _LOCATIONS:
            raise self.error(f"unknown location {location!a}", ("in", pointer))
        if location == _BODY:
            schema = self.schema(details.get("schema", {}), ("schema", pointer))
        else:
            schema = self.scalar(details, pointer)
        return OperationParameter(
            name=self.text(details, "name", pointer),
            location=location,
            required=details.get("required") is True,
            description=self.text(details, "description", pointer),
            schema=schema,
        )

    def responses(self, raw: JsonObject, pointer: Pointer) -> Iterator[Response]:
        pointer = ("responses", pointer)
        for code, value in self.object(raw.get("responses", {}), pointer).items():
            response = self.object(value, (code, pointer))
            schema = response.get("schema")
            yield Response(
                code=code,
                description=self.text(response, "description", (code, pointer)),
                schema=(
                    None
                    if schema is None
                    else self.schema(schema, ("schema", (code, pointer)))
                ),
            )

    def scalar(self, raw: JsonObject, pointer: Pointer) -> Schema:
        """The type of a parameter that is no body."""
        type_ = self.text(raw, "type", pointer)
        if type_ not in _TYPES:
            raise self.error(f"unknown type {type_!a}", ("type", pointer))
        schema: dict[str, Any] = {"type": type_}
        if format_ := self.text(raw, "format", pointer):
            schema["format"] = format_
        if type_ == "array":
            items = self.object(raw.get("items", {}), ("items", pointer))
            schema["items"] = (
                self.scalar(items, ("items", pointer)).raw if items else {}
            )
        return schema_of(schema)

    def schema(self, raw: Any, pointer: Pointer) -> Schema:
        """The type of a body; an inline object is any object."""
        schema = self.object(raw, pointer)
        reference = schema.get("$ref")
        if reference is None:
            type_ = self.text(schema, "type", pointer)
            return schema_of({"type": type_} if type_ else {})
        reference = str(reference)
        if reference not in self._references:
            name = reference.rpartition("/")[2]
            is_defined = name in self._release.definitions
            self._references[reference] = (
                reference_to(name) if is_defined else schema_of({"type": "object"})
            )
        return self._references[reference]

    def object(self, value: Any, pointer: Pointer) -> JsonObject:
        if not isinstance(value, Mapping):
            raise self.error("must be an object", pointer)
        return value

    def text(self, raw: JsonObject, key: str, pointer: Pointer) -> str:
        value = raw.get(key, "")
        if not isinstance(value, str):
            raise self.error("must be a string", (key, pointer))
        return value

    def texts(self, raw: JsonObject, key: str, pointer: Pointer) -> tuple[str, ...]:
        values = raw.get(key, ())
        if not isinstance(values, (list, tuple)) or not all(
            isinstance(value, str) for value in values
        ):
            raise self.error("must be a list of strings", (key, pointer))
        return tuple(values)

    def error(self, message: str, pointer: Pointer) -> SpecError:
        where = f"{self._release.origin}#{printable_pointer(pointer)}"
        return SpecError(message, where=where)
