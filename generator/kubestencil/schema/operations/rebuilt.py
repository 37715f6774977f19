"""The operations of a release, rebuilt from its resources for documents without paths.

Paths, names and parameters follow from a resource by the rules of the API server
(apiserver, pkg/endpoints/installer.go, and operation IDs in
pkg/endpoints/openapi/openapi.go).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from kubestencil.schema.facts.parameters import Parameter, query_parameters
from kubestencil.schema.resource import Resource, Subresource
from kubestencil.schema.resources.operation import METHODS, Operation
from kubestencil.schema.types import GroupVersionKind

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
    """An operation, and its parameters, sorted by name."""

    operation: Operation
    parameters: tuple[Parameter, ...]


def rebuild_operations(
    resources: Iterable[Resource], release: str
) -> list[RebuiltOperation]:
    """The operations on resources of a release, in the order of ``operations``.

    That reads them from a document with paths. Operations on anything else than a
    resource, such as ``/version/``, are left out.
    """
    rebuilt = [
        operation
        for resource in resources
        for operation in resource_operations(resource, release)
    ]
    return sorted(rebuilt, key=_order)


def resource_operations(resource: Resource, release: str) -> list[RebuiltOperation]:
    """The operations on a resource and its subresources in a release, sorted by path
    and method."""
    rebuilt = [_with_parameters(call, release) for call in _calls(resource)]
    return sorted(rebuilt, key=_order)


def _order(rebuilt: RebuiltOperation) -> tuple[str, int]:
    operation = rebuilt.operation
    return operation.path, METHODS.index(operation.method)


class _ResourceCall(NamedTuple):
    operation: Operation
    plural: str
    subresource: str


def _calls(resource: Resource) -> Iterator[_ResourceCall]:
    for operation in _operations(resource):
        yield _ResourceCall(operation, resource.plural, "")
    for subresource in resource.subresources:
        for operation in _subresource_operations(resource, subresource):
            yield _ResourceCall(operation, resource.plural, subresource.name)


def _operations(resource: Resource) -> Iterator[Operation]:
    """The operations on objects and lists of a resource."""
    tag = _tag(resource.kind)
    name = f"{'Namespaced' if resource.namespaced else ''}{resource.kind.kind}"
    plural = f"{_NAMESPACE if resource.namespaced else ''}/{resource.plural}"
    objects = f"{resource.api_path}{plural}"
    watched = f"{resource.api_path}/watch{plural}"

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
        elif verb == "watch":
            yield operation(f"watch{tag}{name}", "get", f"{watched}{_NAME}", verb)
            yield operation(f"watch{tag}{name}List", "get", watched, "watchlist")
    if resource.namespaced:
        yield from _operations_on_all_namespaces(resource, tag)


def _operations_on_all_namespaces(resource: Resource, tag: str) -> Iterator[Operation]:
    kind = resource.kind
    if "list" in resource.verbs:
        name = f"list{tag}{kind.kind}ForAllNamespaces"
        path = f"{resource.api_path}/{resource.plural}"
        yield Operation(name, "get", path, "list", kind)
    if "watch" in resource.verbs:
        name = f"watch{tag}{kind.kind}ListForAllNamespaces"
        path = f"{resource.api_path}/watch/{resource.plural}"
        yield Operation(name, "get", path, "watchlist", kind)


def _subresource_operations(
    resource: Resource, subresource: Subresource
) -> Iterator[Operation]:
    kind = subresource.kind or resource.kind
    namespaced = "Namespaced" if resource.namespaced else ""
    scope = _NAMESPACE if resource.namespaced else ""
    name = f"{namespaced}{resource.kind.kind}{capitalized(subresource.name)}"
    path = f"{resource.api_path}{scope}/{resource.plural}{_NAME}/{subresource.name}"
    tag = _tag(resource.kind)
    if kind.kind.endswith(_OPTIONS):
        yield from _connections(tag, name, path, kind)
        return
    for verb in subresource.verbs:
        method, action, word = _VERBS[verb]
        yield Operation(f"{word}{tag}{name}", method, path, action, kind)


def _connections(
    tag: str, name: str, path: str, kind: GroupVersionKind
) -> Iterator[Operation]:
    is_proxy = path.endswith(f"/{_PROXY}")
    for method in _PROXY_METHODS if is_proxy else _CONNECT_METHODS:
        words = f"connect{tag}{method.capitalize()}{name}"
        yield Operation(words, method, path, "connect", kind)
        if is_proxy:
            yield Operation(
                f"{words}WithPath", method, f"{path}/{{path}}", "connect", kind
            )


def _with_parameters(call: _ResourceCall, release: str) -> RebuiltOperation:
    operation = call.operation
    query = query_parameters(operation.action, call.plural, call.subresource, release)
    body = [Parameter("body", "body", "")] if operation.action in _BODIES else []
    in_path = [
        Parameter(name, "path", "string")
        for name in ("name", "namespace", "path")
        if f"{{{name}}}" in operation.path
    ]
    parameters = tuple(sorted([*query, *body, *in_path]))
    return RebuiltOperation(operation, parameters)


def operation_tag(group: str, version: str = "") -> str:
    """The tag of operations on resources of a group, or of a version of it:
    ``rbacAuthorization``, ``core_v1``."""
    words = "".join(map(capitalized, _PUNCTUATION.split(_short_group(group))))
    tag = words[:1].lower() + words[1:]
    return f"{tag}_{version}" if version else tag


def _tag(kind: GroupVersionKind) -> str:
    """The group and version in the name of an operation: ``RbacAuthorizationV1``."""
    words = (*_PUNCTUATION.split(_short_group(kind.group)), kind.version)
    return "".join(map(capitalized, words))


def _short_group(group: str) -> str:
    return group.removesuffix(".k8s.io") or "core"


def capitalized(word: str) -> str:
    """``word`` with its first letter in upper case."""
    return word[:1].upper() + word[1:]
