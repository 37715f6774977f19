"""Rebuilds what a document would say of the operations that it has no paths for.

The rules are those of the API server for its own resources (apiserver,
pkg/endpoints/installer.go; kube-openapi, pkg/builder) and for custom resources
(apiextensions-apiserver, pkg/controller/openapi/builder). Descriptions that follow a
rule are made by it. Those of parameters are taken from the document, where it has the
same parameter, or a field of DeleteOptions with that name; others are empty.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import groupby

from kubestencil.schema.knowledge.resources import Parameter, query_parameters
from kubestencil.schema.operations import media_types
from kubestencil.schema.operations.details import (
    STRING,
    UNAUTHORIZED,
    OperationDetails,
    OperationParameter,
    Response,
    documented_operations,
)
from kubestencil.schema.operations.discovery import discovery_operations
from kubestencil.schema.operations.rebuilt import (
    RebuiltOperation,
    operation_tag,
    rebuild_operations,
)
from kubestencil.schema.types import (
    GroupVersionKind,
    Release,
    Resource,
    Schema,
    reference_to,
    schema_of,
)
from kubestencil.schema.well_known import META_V1

_STATUS = f"{META_V1}.Status"
_DELETE_OPTIONS = f"{META_V1}.DeleteOptions"
_PATCH = f"{META_V1}.Patch"
_ANY_ACTION = ""
_BODY = "body"
_WATCHES = frozenset({"watch", "watchlist"})
_DELETIONS = frozenset({"delete", "deletecollection"})
_PATH = "path"
_TEXT = "text/plain"
_CONNECT = "connect"
_VOWELS = frozenset("aeiou")
_DEFINITE: Mapping[str, str] = {
    "get": "read",
    "patch": "partially update",
    "put": "replace",
}
_ANY_OBJECT = schema_of({"type": "object"})
_PHRASES: Mapping[str, str] = {
    "200": "OK",
    "201": "Created",
    "202": "Accepted",
}
_CODES: Mapping[str, tuple[str, ...]] = {
    "delete": ("200", "202"),
    "patch": ("200", "201"),
    "post": ("200", "201", "202"),
    "put": ("200", "201"),
}
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
# A version of one of these whose storage does not set it, in 1.37.
_STATUS_WHEN_DELETED = GroupVersionKind("resource.k8s.io", "v1", "DeviceTaintRule")


def operation_details(release: Release) -> list[OperationDetails]:
    """The operations of a release: those of its document, and those of the resources
    that have none in it, without the deprecated ones that watch.

    Raises SpecError where an operation of the document is not valid.
    """
    documented = list(documented_operations(release))
    kinds = {details.operation.kind for details in documented}
    resources = [
        resource for kind, resource in release.resources.items() if kind not in kinds
    ]
    if not resources:
        return documented
    rebuilder = _Rebuilder(release, _Descriptions(release, documented))
    rebuilt = rebuilder.operations(resources)
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


class _Rebuilder:
    """Rebuilds the operations on the resources of a release."""

    def __init__(self, release: Release, descriptions: _Descriptions) -> None:
        self._release = release
        self._descriptions = descriptions
        self._types = {
            kind: reference_to(name)
            for name, definition in release.definitions.items()
            for kind in definition.kinds
            if kind.kind == definition.kind
        }

    def operations(self, resources: Iterable[Resource]) -> Iterator[OperationDetails]:
        """The operations on ``resources``, sorted by path. Those of a path share the
        parameters that all of them have (kube-openapi, pkg/builder,
        findCommonParameters)."""
        rebuilt = (
            self._with_custom_parameters(item) if self._is_custom(item) else item
            for item in rebuild_operations(resources, self._release.name)
            if item.operation.action not in _WATCHES
        )
        for _, of_path in groupby(rebuilt, lambda item: item.operation.path):
            calls = list(of_path)
            names = [
                {item.name for item in call.parameters} - {_BODY} for call in calls
            ]
            shared = set.intersection(*names)
            for call in calls:
                yield self._details(call, shared)

    def _is_custom(self, call: RebuiltOperation) -> bool:
        return call.resource.kind in self._release.custom_kinds

    def _with_custom_parameters(self, call: RebuiltOperation) -> RebuiltOperation:
        """An operation on a custom resource: a collection is deleted with the parameters
        of a list, and a get has a resourceVersion."""
        parameters = list(call.parameters)
        if call.operation.action == "get":
            parameters.append(Parameter("resourceVersion", "query", "string"))
        if call.operation.action == "deletecollection":
            parameters = [item for item in parameters if item.location == _PATH]
            parameters += query_parameters("list", "", "", self._release.name)
        served = (
            item
            for item in parameters
            if item.location != "query" or self._descriptions.has(item.name)
        )
        return call._replace(parameters=tuple(sorted(served)))

    def _details(
        self, call: RebuiltOperation, shared: Container[str]
    ) -> OperationDetails:
        action, release = call.operation.action, self._release.name
        parameters = [self._parameter(item, call) for item in call.parameters]
        kind, is_custom = call.resource.kind, self._is_custom(call)
        produces = media_types.produced(action, release, is_custom=is_custom)
        operation = call.operation
        return OperationDetails(
            # Those on subresources of custom resources name the kind of the resource, too.
            operation=operation._replace(kind=kind) if is_custom else operation,
            tag=operation_tag(kind.group, kind.version),
            description=_description(call, is_custom),
            path_parameters=tuple(item for item in parameters if item.name in shared),
            parameters=tuple(item for item in parameters if item.name not in shared),
            consumes=media_types.consumed(action, release, is_custom=is_custom),
            produces=(_TEXT, *produces) if _is_log(call) else produces,
            responses=tuple(self._responses(call, is_custom)),
        )

    def _parameter(
        self, parameter: Parameter, call: RebuiltOperation
    ) -> OperationParameter:
        name, location, type_ = parameter
        action = call.operation.action
        if location == _BODY:
            required = action not in _DELETIONS
            return OperationParameter(name, location, required, "", self._body(call))
        description = self._descriptions.get(action, name)
        if (name, location) == ("name", _PATH):
            is_custom = self._is_custom(call)
            kind = call.resource.kind if is_custom else _kind(call)
            description = f"name of the {kind.kind}"
        schema = schema_of({"type": type_})
        is_required = location == _PATH
        return OperationParameter(name, location, is_required, description, schema)

    def _body(self, call: RebuiltOperation) -> Schema:
        if call.operation.action in _DELETIONS:
            return self._type(_DELETE_OPTIONS)
        if call.operation.action == "patch":
            return self._type(_PATCH)
        return self._type_of(_kind(call))

    def _responses(self, call: RebuiltOperation, is_custom: bool) -> Iterator[Response]:
        action = call.operation.action
        codes = _CODES.get(action, ("200",))
        if is_custom and action == "patch":
            codes = ("200",)
        result = self._result(call)
        for code in codes:
            yield Response(code, _PHRASES[code], result)
        yield UNAUTHORIZED

    def _result(self, call: RebuiltOperation) -> Schema:
        action, kind = call.operation.action, call.resource.kind
        if action == _CONNECT or _is_log(call):
            return STRING
        if action == "list":
            return self._list_of(_kind(call))
        returned = _RETURNED_WHEN_DELETED.get(kind.group, frozenset())
        if action not in _DELETIONS or (
            action == "delete"
            and call.resource.plural in returned
            and kind != _STATUS_WHEN_DELETED
        ):
            return self._type_of(_kind(call))
        return self._type(_STATUS)

    def _list_of(self, kind: GroupVersionKind) -> Schema:
        """The list kind; that of a custom resource can have any name."""
        list_kind = kind._replace(kind=f"{kind.kind}List")
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
            if field.name == "items" and field.schema.items and field.schema.items.ref
        }

    def _type(self, definition: str) -> Schema:
        is_defined = definition in self._release.definitions
        return reference_to(definition) if is_defined else _ANY_OBJECT

    def _type_of(self, kind: GroupVersionKind) -> Schema:
        return self._types.get(kind, _ANY_OBJECT)


def _kind(call: RebuiltOperation) -> GroupVersionKind:
    """What an operation takes and returns."""
    return call.operation.kind or call.resource.kind


def _is_log(call: RebuiltOperation) -> bool:
    return (call.resource.plural, call.subresource) == ("pods", "log")


def _description(call: RebuiltOperation, is_custom: bool) -> str:
    operation, subresource = call.operation, call.subresource
    kind = call.resource.kind.kind
    if operation.action == _CONNECT:
        return f"connect {operation.method.upper()} requests to {subresource} of {kind}"
    if operation.action == "list":
        is_watched = "watch" in call.resource.verbs and not is_custom
        return f"list {'or watch ' if is_watched else ''}objects of kind {kind}"
    if operation.action == "deletecollection":
        return f"delete collection of {kind}"
    of_subresource = f"{subresource} of " if subresource else ""
    if operation.action == "post":
        return f"create {of_subresource}{_with_article(kind)}"
    if operation.action == "delete":
        return f"delete {_with_article(kind)}"
    return f"{_DEFINITE[operation.action]} {of_subresource}the specified {kind}"


def _with_article(kind: str) -> str:
    """A kind with its article; a plural has none (apiserver, GetArticleForNoun)."""
    if kind.endswith("s") and not kind.endswith("ss"):
        return kind
    return f"{'an' if kind[:1].lower() in _VOWELS else 'a'} {kind}"
