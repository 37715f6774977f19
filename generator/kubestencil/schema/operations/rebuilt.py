"""The operations of a release, rebuilt from its resources for documents without paths.

Paths, names and parameters follow from a resource by the rules of the API server
(apiserver, pkg/endpoints/installer.go, and operation IDs in
pkg/endpoints/openapi/openapi.go).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from kubestencil.schema.knowledge.resources import Parameter, query_parameters
from kubestencil.schema.resources.operation import METHODS, Operation
from kubestencil.schema.types import GroupVersionKind, Resource, Subresource

_PUNCTUATION = re.compile(r"[.-]")
_NAMESPACE = "/namespaces/{namespace}"
_NAME = "/{name}"
# The methods, actions and first words of the names of verbs.
_VERBS = {
    "create": ("post", "post", "create"),
    "delete": ("delete", "delete", "delete"),
    "get": ("get", "get", "read"),
    "patch": ("patch", "patch", "patch"),
    "update": ("put", "put", "replace"),
}
_BODIES = frozenset({"delete", "deletecollection", "patch", "post", "put"})
# The kind that a connection takes is that of its options.
_OPTIONS = "Options"
_PROXY = "proxy"
_PROXY_METHODS = ("delete", "get", "head", "options", "patch", "post", "put")
_CONNECT_METHODS = ("get", "post")


class RebuiltOperation(NamedTuple):
    """An operation on a resource, or a subresource of it, and its parameters, sorted by
    name. ``subresource`` is empty for the resource itself."""

    operation: Operation
    parameters: tuple[Parameter, ...]
    resource: Resource
    subresource: str


def rebuild_operations(
    resources: Iterable[Resource], release: str
) -> list[RebuiltOperation]:
    """The operations on resources of a release, sorted by path and method.

    ``operations`` reads them from a document with paths. Operations on anything else than
    a resource, such as ``/version/``, are left out.
    """
    rebuilt = [
        _with_parameters(operation, resource, subresource, release)
        for resource in resources
        for subresource, operations in _operations_by_subresource(resource)
        for operation in operations
    ]
    return sorted(rebuilt, key=_order)


def _order(rebuilt: RebuiltOperation) -> tuple[str, int]:
    operation = rebuilt.operation
    return operation.path, METHODS.index(operation.method)


def _operations_by_subresource(
    resource: Resource,
) -> Iterator[tuple[str, Iterator[Operation]]]:
    yield "", _operations(resource)
    for subresource in resource.subresources:
        yield subresource.name, _subresource_operations(resource, subresource)


def _operations(resource: Resource) -> Iterator[Operation]:
    """The operations on objects and lists of a resource."""
    tag, kind = operation_words(resource.kind), resource.kind.kind
    name = f"{'Namespaced' if resource.namespaced else ''}{kind}"
    objects = f"{resource.api_path}{_scope(resource)}/{resource.plural}"
    watched = f"{resource.api_path}/watch{_scope(resource)}/{resource.plural}"

    def operation(name: str, method: str, path: str, action: str) -> Operation:
        return Operation(name, method, path, action, resource.kind)

    for verb in resource.verbs:
        if verb in _VERBS:
            method, action, word = _VERBS[verb]
            path = objects if verb == "create" else f"{objects}{_NAME}"
            yield operation(f"{word}{tag}{name}", method, path, action)
        elif verb == "deletecollection":
            yield operation(f"delete{tag}Collection{name}", "delete", objects, verb)
        elif verb == "list":
            yield operation(f"list{tag}{name}", "get", objects, verb)
            if resource.namespaced:
                name_of_all = f"list{tag}{kind}ForAllNamespaces"
                path = f"{resource.api_path}/{resource.plural}"
                yield operation(name_of_all, "get", path, verb)
        elif verb == "watch":
            yield operation(f"watch{tag}{name}", "get", f"{watched}{_NAME}", verb)
            yield operation(f"watch{tag}{name}List", "get", watched, "watchlist")
            if resource.namespaced:
                name_of_all = f"watch{tag}{kind}ListForAllNamespaces"
                path = f"{resource.api_path}/watch/{resource.plural}"
                yield operation(name_of_all, "get", path, "watchlist")


def _subresource_operations(
    resource: Resource, subresource: Subresource
) -> Iterator[Operation]:
    kind = subresource.kind or resource.kind
    namespaced = "Namespaced" if resource.namespaced else ""
    name = f"{namespaced}{resource.kind.kind}{capitalized(subresource.name)}"
    tag = operation_words(resource.kind)
    objects = f"{resource.api_path}{_scope(resource)}/{resource.plural}"
    path = f"{objects}{_NAME}/{subresource.name}"
    if not kind.kind.endswith(_OPTIONS):
        for verb in subresource.verbs:
            method, action, word = _VERBS[verb]
            yield Operation(f"{word}{tag}{name}", method, path, action, kind)
        return
    is_proxy = subresource.name == _PROXY
    for method in _PROXY_METHODS if is_proxy else _CONNECT_METHODS:
        words = f"connect{tag}{method.capitalize()}{name}"
        yield Operation(words, method, path, "connect", kind)
        if is_proxy:
            with_path = f"{path}/{{path}}"
            yield Operation(f"{words}WithPath", method, with_path, "connect", kind)


def _scope(resource: Resource) -> str:
    return _NAMESPACE if resource.namespaced else ""


def _with_parameters(
    operation: Operation, resource: Resource, subresource: str, release: str
) -> RebuiltOperation:
    parameters = query_parameters(
        operation.action, resource.plural, subresource, release
    )
    if operation.action in _BODIES:
        parameters.append(Parameter("body", "body", ""))
    parameters += (
        Parameter(name, "path", "string")
        for name in ("name", "namespace", "path")
        if f"{{{name}}}" in operation.path
    )
    return RebuiltOperation(operation, tuple(sorted(parameters)), resource, subresource)


def operation_tag(group: str, version: str = "") -> str:
    """The tag of operations on resources of a group, or of a version of it:
    ``rbacAuthorization``, ``core_v1``."""
    words = "".join(map(capitalized, _PUNCTUATION.split(_short_group(group))))
    tag = words[:1].lower() + words[1:]
    return f"{tag}_{version}" if version else tag


def operation_words(kind: GroupVersionKind) -> str:
    """The group and version in the name of an operation: ``RbacAuthorizationV1``."""
    words = (*_PUNCTUATION.split(_short_group(kind.group)), kind.version)
    return "".join(map(capitalized, words))


def _short_group(group: str) -> str:
    return group.removesuffix(".k8s.io") or "core"


def capitalized(word: str) -> str:
    """``word`` with its first letter in upper case."""
    return word[:1].upper() + word[1:]
