"""Calls every operation of a generated client, as a user would: create an object, read
it, list it, change it in every way, delete it."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

NAMESPACE = "operations"
NAME = "an-object"
LABELS = {"tests": "operations"}
SELECTOR = "tests=operations"
# Kinds whose objects cannot have any name.
_NEEDS_OWN_NAME = {
    "APIService",
    "CustomResourceDefinition",
    "IPAddress",
    "StorageVersion",
    "VolumeAttributesClass",
}
_PATCH: Mapping[str, Any] = {"metadata": {"labels": {**LABELS, "patched": "yes"}}}
_ORDER = ("POST", "GET", "PATCH", "PUT", "DELETE", "HEAD", "OPTIONS")


@dataclass
class Calls:
    """The outcome of each call by method: ``CoreV1Api.read_namespaced_pod`` with the
    ways in which it was called. An outcome is ``ok``, or a code and reason."""

    outcomes: dict[str, list[str]] = field(default_factory=dict)

    def record(self, name: str, call: Callable[[], Any], refusals: Any) -> Any:
        """The result of a call, None where the API server refuses it."""
        outcomes = self.outcomes.setdefault(name, [])
        try:
            result = call()
        except refusals as error:
            outcomes.append(f"{error.status} {error.reason}: {error.answer.message}")
            return None
        outcomes.append("ok")
        return result

    def refused(self) -> dict[str, list[str]]:
        """The methods of which no call was accepted, with all outcomes."""
        return {
            name: outcomes
            for name, outcomes in self.outcomes.items()
            if "ok" not in outcomes
        }


def api_names(package: ModuleType) -> list[str]:
    """The API classes of a package."""
    bases = ("Api", "AsyncApi")
    return [name for name in dir(package) if name.endswith("Api") and name not in bases]


def operations(api: type) -> dict[str, Any]:
    """The operations of an API class, by method."""
    described = api.__mro__[1]
    return {
        name: operation
        for name, operation in vars(described).items()
        if not name.startswith("_")
    }


def call_all(
    package: ModuleType, client: Any, examples: Mapping[str, Any], api_name: str
) -> Calls:
    """Call every operation of an API class. ``examples`` has an object of each kind,
    by apiVersion and kind."""
    calls = Calls()
    api_class = getattr(package, api_name)
    caller = _Caller(package, api_class(client), calls, examples)
    by_path: dict[str, dict[str, Any]] = {}
    for name, operation in operations(api_class).items():
        by_path.setdefault(operation.path, {})[name] = operation
    # An object comes before its subresources, its deletion after them.
    paths = sorted(by_path)
    for path in paths:
        if f"{path}/{{name}}" in by_path:
            caller.collection(path, by_path)
        elif "{name}" not in path:
            for name, operation in by_path[path].items():
                caller.alone(name, operation)
    for path in paths:
        for name in by_path[path]:
            if f"{api_name}.{name}" not in calls.outcomes:
                caller.alone(name, by_path[path][name])
    return calls


class _Caller:
    def __init__(
        self, package: Any, api: Any, calls: Calls, examples: Mapping[str, Any]
    ) -> None:
        self._package = package
        self._api = api
        self._calls = calls
        self._examples = examples
        self._name = type(api).__name__
        self._object_name = NAME
        # Everything that these calls change comes later.
        namespaces = package.CoreV1Api(api.client).list_namespace(limit=1)
        self._version = namespaces.metadata.resource_version

    def collection(self, path: str, by_path: Mapping[str, Any]) -> None:
        """Call the operations on the objects of a resource, and their subresources."""
        own = {**by_path[path], **by_path[f"{path}/{{name}}"]}
        creators = [item for item in own.items() if item[1].method == "POST"]
        kind = creators[0][1].sends if creators else ""
        example = self._example(kind)
        self._object_name = example.get("metadata", {}).get("name", NAME)
        for name, operation in creators:
            self._call(name, operation, body=example)
        below = [other for other in by_path if other.startswith(f"{path}/{{name}}/")]
        ordered = sorted(own.items(), key=lambda item: _ORDER.index(item[1].method))
        for name, operation in ordered:
            if operation.method in ("GET", "PATCH", "PUT"):
                self._use(name, operation, own, example)
        # A Pod that is bound to a node has no log, and an eviction ends it.
        last = ("/binding", "/eviction")
        for other in sorted(below, key=lambda path: (path.endswith(last), path)):
            members = by_path[other]
            for name, operation in sorted(
                members.items(), key=lambda item: _ORDER.index(item[1].method)
            ):
                self._use(name, operation, members, example)
        for name, operation in ordered:
            if operation.method == "DELETE" and "{name}" in operation.path:
                options = {"grace_period_seconds": 0}
                self._call(name, operation, **options)
        for name, operation in ordered:
            if operation.method == "DELETE" and "{name}" not in operation.path:
                for create_name, create in creators:
                    self._call(create_name, create, body=example)
                self._call(name, operation, label_selector=SELECTOR)

    def _use(
        self,
        name: str,
        operation: Any,
        siblings: Mapping[str, Any],
        example: Mapping[str, Any],
    ) -> None:
        """Call an operation that reads or changes an object."""
        sends = operation.sends
        if sends in ("strategic patch", "merge patch"):
            self._patch(name, operation)
        elif sends.startswith("apply "):
            body = example if sends.endswith(str(example.get("kind"))) else None
            body = body or self._current(siblings, operation) or example
            body = _without_status(body, keep="/status" in operation.path)
            self._call(name, operation, body=body, field_manager="tests", force=True)
        elif operation.method == "PUT":
            body = self._current(siblings, operation) or example
            self._call(name, operation, body=body)
        elif operation.method == "POST":
            self._call(name, operation, body=self._example(sends))
        else:
            self.alone(name, operation)

    def _patch(self, name: str, operation: Any) -> None:
        """The kinds of patch besides server-side apply, which has methods of its own."""
        package = self._package
        labels = {"op": "add", "path": "/metadata/labels", "value": LABELS}
        patches = [package.JsonPatch([labels]), package.MergePatch(_PATCH)]
        if operation.sends == "strategic patch":
            patches.append(package.StrategicMergePatch(_PATCH))
        for patch in patches:
            self._call(name, operation, body=patch)

    def alone(self, name: str, operation: Any) -> None:
        """Call an operation; a list also page by page."""
        body: dict[str, Any] = {}
        if operation.sends and operation.method in ("POST", "PUT", "PATCH"):
            body = {"body": self._example(operation.sends)}
        if "command" in operation.arguments:
            body = {"command": ["true"]}
        self._call(name, operation, **body)
        if operation.item:
            method = getattr(self._api, name)
            arguments = self._path_arguments(operation)
            self._record(
                f"{name}.items", lambda: list(method.items(*arguments, limit=2))
            )
            watched = {"resource_version": self._version, "timeout_seconds": 1}
            self._record(
                f"{name}.watch", lambda: next(method.watch(*arguments, **watched), None)
            )

    def _current(self, siblings: Mapping[str, Any], operation: Any) -> Any:
        """The object as the API server has it."""
        for name, other in siblings.items():
            if other.method == "GET" and other.path == operation.path:
                value = self._call(name, other)
                return None if value is None else value.to_dict(names="json")
        return None

    def _example(self, kind: str) -> dict[str, Any]:
        value: dict[str, Any] = copy.deepcopy(
            self._examples.get(kind.removeprefix("apply "), {})
        )
        if kind.endswith("Review"):
            return value
        metadata = value.setdefault("metadata", {})
        if not _NEEDS_OWN_NAME & {kind.rpartition(" ")[2]}:
            metadata["name"] = NAME
        metadata["labels"] = {**metadata.get("labels", {}), **LABELS}
        metadata.pop("namespace", None)
        return value

    def _path_arguments(self, operation: Any) -> list[str]:
        return [
            self._value(name, operation)
            for name in operation.required
            if f"{{{name}}}" in operation.path
        ]

    def _value(self, name: str, operation: Any) -> str:
        if name == "namespace":
            return NAMESPACE
        if name == "name":
            return self._object_name
        return "path"

    def _call(self, name: str, operation: Any, **values: Any) -> Any:
        arguments = self._path_arguments(operation)
        method = getattr(self._api, name)
        values = {
            key: value for key, value in values.items() if key in operation.arguments
        }
        return self._record(name, lambda: method(*arguments, **values))

    def _record(self, name: str, call: Callable[[], Any]) -> Any:
        return self._calls.record(
            f"{self._name}.{name}", call, self._package.StatusError
        )


def _without_status(value: Mapping[str, Any], *, keep: bool) -> dict[str, Any]:
    """An object for server-side apply, which refuses managedFields."""
    result = copy.deepcopy(dict(value))
    metadata = result.setdefault("metadata", {})
    for key in ("managedFields", "resourceVersion", "uid", "creationTimestamp"):
        metadata.pop(key, None)
    if not keep:
        result.pop("status", None)
    return result
