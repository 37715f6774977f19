"""Rebuilds what a document would say of the operations that it has no paths for.

The rules are those of the API server for its own resources (apiserver,
pkg/endpoints/installer.go; kube-openapi, pkg/builder) and for custom resources
(apiextensions-apiserver, pkg/controller/openapi/builder). Descriptions that follow a
rule are made by it. Those of parameters are taken from the document, where it has the
same parameter, or a field of DeleteOptions with that name; others are empty.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import groupby
from typing import NamedTuple

from kubestencil.schema.documents.openapi2 import parse_schema
from kubestencil.schema.facts.parameters import Parameter, query_parameters
from kubestencil.schema.keywords import REFERENCE_PREFIX
from kubestencil.schema.operations import media_types
from kubestencil.schema.operations.details import (
    OperationDetails,
    OperationParameter,
    Response,
    documented_operations,
)
from kubestencil.schema.operations.discovery import discovery_operations
from kubestencil.schema.operations.rebuilt import operation_tag, rebuild_operations
from kubestencil.schema.resource import Resource
from kubestencil.schema.resources.operation import Operation
from kubestencil.schema.resources.paths import resource_path
from kubestencil.schema.types import GroupVersionKind, Release, Schema
from kubestencil.schema.well_known import META_V1

_STATUS = f"{META_V1}.Status"
_DELETE_OPTIONS = f"{META_V1}.DeleteOptions"
_PATCH = f"{META_V1}.Patch"
_LIST = "List"
_ITEMS = "items"
_ANY_ACTION = ""
_BODY = "body"
_WATCHES = frozenset({"watch", "watchlist"})
_DELETIONS = frozenset({"delete", "deletecollection"})
_PATH = "path"
_NAME = "name"
_LOG = "log"
_TEXT = "text/plain"
_CONNECT = "connect"
_VOWELS = frozenset("aeiou")
_INDEFINITE: Mapping[str, str] = {"delete": "delete", "post": "create"}
_DEFINITE: Mapping[str, str] = {
    "get": "read",
    "patch": "partially update",
    "put": "replace",
}
_ANY_OBJECT = parse_schema({"type": "object"})
_STRING = parse_schema({"type": "string"})
_PHRASES: Mapping[str, str] = {
    "200": "OK",
    "201": "Created",
    "202": "Accepted",
    "401": "Unauthorized",
}
_CODES: Mapping[str, tuple[str, ...]] = {
    "delete": ("200", "202"),
    "patch": ("200", "201"),
    "post": ("200", "201", "202"),
    "put": ("200", "201"),
}
_CODES_OF_OTHERS = ("200",)
_UNAUTHORIZED = "401"
# A deletion of these returns the deleted object, not a Status: their storage sets
# ReturnDeletedObject (k8s.io/kubernetes, pkg/registry).
_RETURNED_WHEN_DELETED: Mapping[str, frozenset[str]] = {
    "": frozenset(
        [
            "persistentvolumeclaims", "persistentvolumes", "pods", "podtemplates",
            "resourcequotas", "serviceaccounts", "services",
        ]
    ),
    "resource.k8s.io": frozenset(
        [
            "deviceclasses", "devicetaintrules", "podschedulingcontexts",
            "resourceclaimparameters", "resourceclaims", "resourceclaimtemplates",
            "resourceclasses", "resourceclassparameters", "resourcepoolstatusrequests",
            "resourceslices",
        ]
    ),
    "storage.k8s.io": frozenset(
        [
            "csidrivers", "csinodes", "storageclasses", "volumeattachments",
            "volumeattributesclasses",
        ]
    ),
}  # fmt: skip


def operation_details(release: Release) -> list[OperationDetails]:
    """The operations of a release: those of its document, and those of the resources
    that have none in it, without the deprecated ones that watch.

    Raises SpecError where an operation of the document is not valid.
    """
    documented = list(documented_operations(release))
    kinds = {details.operation.kind for details in documented}
    resources = {
        kind: resource
        for kind, resource in release.resources.items()
        if kind not in kinds
    }
    if not resources:
        return documented
    texts = _Descriptions(release, documented)
    rebuilt = _Rebuilder(release, resources, texts).operations()
    if documented:
        return [*documented, *rebuilt]
    return [*rebuilt, *discovery_operations(release)]


class _Descriptions:
    """The descriptions of query parameters in a document.

    Without paths, only those that are fields of DeleteOptions have one.
    """

    def __init__(
        self, release: Release, documented: Iterable[OperationDetails]
    ) -> None:
        texts: dict[tuple[str, str], set[str]] = {}
        for details in documented:
            for parameter in (*details.path_parameters, *details.parameters):
                for action in (details.operation.action, _ANY_ACTION):
                    key = (action, parameter.name)
                    texts.setdefault(key, set()).add(parameter.description)
        self._is_documented = bool(texts)
        if not texts and _DELETE_OPTIONS in release.definitions:
            for field in release.definitions[_DELETE_OPTIONS].fields:
                texts[_ANY_ACTION, field.name] = {field.schema.description}
        self._texts = texts

    def has(self, name: str) -> bool:
        """Whether the API server has a parameter; a document with paths has all."""
        return not self._is_documented or (_ANY_ACTION, name) in self._texts

    def get(self, action: str, name: str) -> str:
        """The description of a parameter, as far as operations with the action, or all
        of them, agree."""
        for key in ((action, name), (_ANY_ACTION, name)):
            texts = self._texts.get(key, set())
            if len(texts) == 1:
                return next(iter(texts))
        return ""


class _DescribedCall(NamedTuple):
    """An operation with its parameters, and the resource that it is on.

    ``kind`` is what it takes and returns. For a custom resource, that of the operation
    is always the resource's own.
    """

    operation: Operation
    kind: GroupVersionKind
    parameters: tuple[Parameter, ...]
    resource: Resource
    subresource: str
    is_custom: bool


class _Rebuilder:
    """Rebuilds the operations on the resources of a release."""

    def __init__(
        self,
        release: Release,
        resources: Mapping[GroupVersionKind, Resource],
        descriptions: _Descriptions,
    ) -> None:
        self._release = release
        self._descriptions = descriptions
        self._resources = {
            (kind.group, kind.version, resource.plural): resource
            for kind, resource in resources.items()
        }
        self._types = {
            kind: parse_schema({"$ref": f"{REFERENCE_PREFIX}{name}"})
            for name, definition in release.definitions.items()
            for kind in definition.kinds
            if kind.kind == definition.kind
        }

    def operations(self) -> Iterator[OperationDetails]:
        """The operations, sorted by path."""
        calls = (
            self._call(operation, parameters)
            for operation, parameters in rebuild_operations(
                self._resources.values(), self._release.name
            )
            if operation.action not in _WATCHES
        )
        for _, calls_of_path in groupby(calls, lambda call: call.operation.path):
            yield from self._operations_of_path(list(calls_of_path))

    def _call(
        self, operation: Operation, parameters: tuple[Parameter, ...]
    ) -> _DescribedCall:
        path = resource_path(operation.path)
        assert path is not None, operation.path
        resource = self._resources[path.group, path.version, path.plural]
        kind = operation.kind or resource.kind
        is_custom = resource.kind in self._release.custom_kinds
        if is_custom:
            operation = operation._replace(kind=resource.kind)
            parameters = self._parameters_of_custom(operation, parameters)
        return _DescribedCall(
            operation, kind, parameters, resource, path.subresource, is_custom
        )

    def _parameters_of_custom(
        self, operation: Operation, parameters: tuple[Parameter, ...]
    ) -> tuple[Parameter, ...]:
        """The parameters of an operation on a custom resource: a collection is deleted
        with those of a list, and a get has a resourceVersion."""
        if operation.action == "get":
            parameters = (*parameters, Parameter("resourceVersion", "query", "string"))
        if operation.action == "deletecollection":
            in_path = [item for item in parameters if item.location == _PATH]
            query = query_parameters("list", "", "", self._release.name)
            parameters = (*in_path, *query)
        return tuple(
            sorted(
                item
                for item in parameters
                if item.location != "query" or self._descriptions.has(item.name)
            )
        )

    def _operations_of_path(
        self, calls: list[_DescribedCall]
    ) -> Iterator[OperationDetails]:
        """The operations of a path, which share the parameters that all of them have
        (kube-openapi, pkg/builder, findCommonParameters)."""
        names = [
            frozenset(item.name for item in call.parameters) - {_BODY} for call in calls
        ]
        shared = frozenset.intersection(*names)
        for call in calls:
            yield self._details(call, shared)

    def _details(
        self, call: _DescribedCall, shared: frozenset[str]
    ) -> OperationDetails:
        action, release = call.operation.action, self._release.name
        parameters = [self._parameter(item, call) for item in call.parameters]
        kind = call.resource.kind
        produces = media_types.produced(action, release, is_custom=call.is_custom)
        return OperationDetails(
            operation=call.operation,
            tag=operation_tag(kind.group, kind.version),
            description=_description(call),
            path_parameters=tuple(item for item in parameters if item.name in shared),
            parameters=tuple(item for item in parameters if item.name not in shared),
            consumes=media_types.consumed(action, release, is_custom=call.is_custom),
            produces=(_TEXT, *produces) if _is_log(call) else produces,
            responses=tuple(self._responses(call)),
        )

    def _parameter(
        self, parameter: Parameter, call: _DescribedCall
    ) -> OperationParameter:
        name, location, type_ = parameter
        action = call.operation.action
        if location == _BODY:
            required = action not in _DELETIONS
            return OperationParameter(name, location, required, "", self._body(call))
        if (name, location) == (_NAME, _PATH):
            kind = call.operation.kind or call.kind
            description = f"name of the {kind.kind}"
        else:
            description = self._descriptions.get(action, name)
        schema = parse_schema({"type": type_})
        return OperationParameter(
            name, location, location == _PATH, description, schema
        )

    def _body(self, call: _DescribedCall) -> Schema:
        if call.operation.action in _DELETIONS:
            return self._type(_DELETE_OPTIONS)
        if call.operation.action == "patch":
            return self._type(_PATCH)
        return self._type_of(call.kind)

    def _responses(self, call: _DescribedCall) -> Iterator[Response]:
        action = call.operation.action
        codes = _CODES.get(action, _CODES_OF_OTHERS)
        if call.is_custom and action == "patch":
            codes = _CODES_OF_OTHERS
        result = self._result(call)
        for code in codes:
            yield Response(code, _PHRASES[code], result)
        yield Response(_UNAUTHORIZED, _PHRASES[_UNAUTHORIZED], None)

    def _result(self, call: _DescribedCall) -> Schema:
        action = call.operation.action
        if action == _CONNECT or _is_log(call):
            return _STRING
        if action == "list":
            return self._list_of(call.kind)
        if action not in _DELETIONS or (
            action == "delete" and _is_returned_when_deleted(call.resource)
        ):
            return self._type_of(call.kind)
        return self._type(_STATUS)

    def _list_of(self, kind: GroupVersionKind) -> Schema:
        """The list kind; that of a custom resource can have any name."""
        list_kind = kind._replace(kind=f"{kind.kind}{_LIST}")
        if list_kind in self._types:
            return self._types[list_kind]
        item = self._types.get(kind)
        name = self._lists.get(item.ref) if item and item.ref else None
        return self._type(name) if name else _ANY_OBJECT

    @cached_property
    def _lists(self) -> Mapping[str, str]:
        """The definition of a list by that of its items."""
        return {
            field.schema.items.ref: name
            for name, definition in self._release.definitions.items()
            for field in definition.fields
            if field.name == _ITEMS and field.schema.items and field.schema.items.ref
        }

    def _type(self, definition: str) -> Schema:
        if definition not in self._release.definitions:
            return _ANY_OBJECT
        return parse_schema({"$ref": f"{REFERENCE_PREFIX}{definition}"})

    def _type_of(self, kind: GroupVersionKind) -> Schema:
        return self._types.get(kind, _ANY_OBJECT)


def _is_returned_when_deleted(resource: Resource) -> bool:
    plurals = _RETURNED_WHEN_DELETED.get(resource.kind.group, frozenset())
    return resource.plural in plurals


def _is_log(call: _DescribedCall) -> bool:
    return (call.resource.plural, call.subresource) == ("pods", _LOG)


def _description(call: _DescribedCall) -> str:
    operation, subresource = call.operation, call.subresource
    kind = call.resource.kind.kind
    if operation.action == _CONNECT:
        return f"connect {operation.method.upper()} requests to {subresource} of {kind}"
    if operation.action == "list":
        is_watched = "watch" in call.resource.verbs and not call.is_custom
        return f"list {'or watch ' if is_watched else ''}objects of kind {kind}"
    if operation.action == "deletecollection":
        return f"delete collection of {kind}"
    if operation.action == "post" and subresource:
        return f"create {subresource} of {_with_article(kind)}"
    if operation.action in _INDEFINITE:
        return f"{_INDEFINITE[operation.action]} {_with_article(kind)}"
    verb = _DEFINITE[operation.action]
    return f"{verb} {f'{subresource} of ' if subresource else ''}the specified {kind}"


def _with_article(kind: str) -> str:
    """A kind with its article; a plural has none (apiserver, GetArticleForNoun)."""
    if kind.endswith("s") and not kind.endswith("ss"):
        return kind
    return f"{'an' if kind[:1].lower() in _VOWELS else 'a'} {kind}"
