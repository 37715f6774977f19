"""Calls of the operations of a resource in Python, with the target ``python-client``.

The official client has the same classes and methods for the kinds of Kubernetes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from kubestencil.engine.manifest import Target
from kubestencil.schema import GroupVersionKind
from kubestencil.schema.operations.details import OperationDetails
from kubestencil.schema.operations.rebuilt import RebuiltOperation, operation_tag
from kubestencil.schema.resources.operation import Operation
from kubestencil.targets.languages.python.api_methods import named_api_classes
from kubestencil.targets.languages.python.spelling import read_spelling
from kubestencil.targets.site.examples.calls import NAMESPACE, PATCH, CalledResource
from kubestencil.text.languages import python_literal

_CLIENT = "python-client"
# What a method takes besides the name and the namespace, by the action.
_ARGUMENTS = {
    "list": 'label_selector="app=web"',
    "patch": PATCH,
    "post": "example",
    "put": "example",
    "deletecollection": 'label_selector="app=web"',
}


class PythonMethods:
    """The methods of the Python client for the operations of a release, which are given
    by the kinds of its resources."""

    def __init__(
        self,
        operations: Mapping[GroupVersionKind, Iterable[RebuiltOperation]],
        target: Target,
    ) -> None:
        self._operations = operations
        self._client = target.dependency(_CLIENT)
        self._models = target.dependency("python")

    def calls(
        self, called: CalledResource, operations: Iterable[Operation]
    ) -> Iterator[str]:
        """Lines of Python that call operations on a resource; none where the targets do
        not exist, or are the user's own."""
        if self._client is None or self._client.view != _CLIENT or self._models is None:
            return
        lines = list(self._lines(called, operations))
        if not lines:
            return
        class_name = next(
            self._names[operation.path, operation.method][0] for operation in operations
        )
        package = self._client.options["package"]
        yield f"from {package} import {class_name}, Client, load_config"
        yield ""
        yield f"api = {class_name}(Client(load_config()))"
        yield ""
        yield from lines

    def _lines(
        self, called: CalledResource, operations: Iterable[Operation]
    ) -> Iterator[str]:
        resource = called.resource
        for operation in operations:
            # Of subresources, bodies are not the example, and there are connections.
            if "/{name}/" in operation.path and operation.action != "get":
                continue
            _, method = self._names[operation.path, operation.method]
            arguments = list(_arguments(operation, called))
            yield f"api.{method}({', '.join(arguments)})"
            is_main_list = operation.namespaced == resource.namespaced
            if (
                operation.action == "list"
                and is_main_list
                and "watch" in resource.verbs
            ):
                path_arguments = ", ".join(arguments[:-1])
                yield f"for event in api.{method}.watch({path_arguments}):"
                yield "    print(event)"
            if operation.action == "patch" and "create" in resource.verbs:
                arguments[-1] = "example"
                applied = ", ".join([*arguments, 'field_manager="me"'])
                yield f"api.apply_{method.removeprefix('patch_')}({applied})"

    @cached_property
    def _names(self) -> Mapping[tuple[str, str], tuple[str, str]]:
        """The class and the method of each operation, by its path and HTTP method."""
        assert self._models is not None
        operations = [
            # What methods are named by.
            OperationDetails(rebuilt.operation, tag, "", (), (), (), (), ())
            for kind, rebuilt_operations in self._operations.items()
            for tag in [operation_tag(kind.group, kind.version)]
            for rebuilt in rebuilt_operations
        ]
        return {
            (method.details.operation.path, method.details.operation.method): (
                name,
                method.name,
            )
            for name, api in named_api_classes(operations, read_spelling(self._models))
            for method in api.methods
        }


def _arguments(operation: Operation, called: CalledResource) -> Iterator[str]:
    if "{name}" in operation.path:
        yield python_literal(called.name)
    if operation.namespaced:
        yield python_literal(NAMESPACE)
    if operation.action in _ARGUMENTS:
        yield _ARGUMENTS[operation.action]
