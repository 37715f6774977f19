"""The program on the page of a kind: which calls are made for its objects, in any language.

The templates ``calls/LANGUAGE.j2`` spell it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from shlex import quote
from typing import Literal, NamedTuple
from urllib.parse import quote as url_quote

from kubestencil.engine.manifest import Target
from kubestencil.schema import GroupVersionKind
from kubestencil.schema.operations.details import OperationDetails
from kubestencil.schema.operations.rebuilt import RebuiltOperation, operation_tag
from kubestencil.schema.resources.operation import Operation
from kubestencil.schema.types import Resource
from kubestencil.targets.languages.python.api_methods import named_api_classes
from kubestencil.targets.languages.python.package import package_options
from kubestencil.targets.languages.python.spelling import read_spelling
from kubestencil.targets.languages.rust import spelling

Action = Literal[
    "list", "list all", "watch", "get", "create", "apply", "patch", "update", "delete",
    "deletecollection", "subresource",
]  # fmt: skip

#: The namespace in calls.
NAMESPACE = "default"
_DOCUMENT_PREFIX = "io.k8s."
_CLIENT = "python-client"
# The actions of a program in their order: the verbs that a resource needs for each, and
# the action of its operation.
_ACTIONS: Sequence[tuple[Action, frozenset[str], str]] = (
    ("list", frozenset({"list"}), "list"),
    ("list all", frozenset({"list"}), "list"),
    ("watch", frozenset({"list", "watch"}), "list"),
    ("get", frozenset({"get"}), "get"),
    ("create", frozenset({"create"}), "post"),
    ("apply", frozenset({"create", "patch"}), "patch"),
    ("patch", frozenset({"patch"}), "patch"),
    ("update", frozenset({"update"}), "put"),
    ("delete", frozenset({"delete"}), "delete"),
    ("deletecollection", frozenset({"deletecollection"}), "deletecollection"),
)


class CallStep(NamedTuple):
    """A call: an ``action`` on objects of the kind.

    The actions are ``list`` (of objects with a label), ``list all`` (in all namespaces),
    ``watch``, ``get``, ``create``, ``apply``, ``patch``, ``update``, ``delete``,
    ``deletecollection``, and ``subresource``, of an object: ``subresource`` is its name, in
    the URL as ``url_name``, and ``is_read`` says whether it has a value. ``method`` is the
    method of the Python client, empty where there is none.
    """

    action: Action
    method: str = ""
    subresource: str = ""
    url_name: str = ""
    is_read: bool = False


class ShellWords(NamedTuple):
    """Arguments of commands, quoted for a shell: the ``plural`` and the ``object`` for
    kubectl, the object's ``name`` and manifest (``file``), the ``path`` of the objects in
    URLs and the name in them (``url_name``), and the ``api_version``."""

    plural: str
    object: str
    name: str
    file: str
    path: str
    url_name: str
    api_version: str


class RustKind(NamedTuple):
    """The type of a kind of Kubernetes in k8s-openapi: its ``path`` and its ``name``."""

    path: str
    name: str


class Program(NamedTuple):
    """Calls for the objects of a kind, in the order in which they make sense.

    ``name`` is that of the object, ``namespace`` where it is, empty for a kind of the
    cluster. ``group_resource`` names the resource as Kubernetes does:
    ``deployments.apps``. ``verbs`` are those of the resource. ``words`` are for a shell,
    ``create_command`` is the one of kubectl that creates the object of the manifest;
    ``is_preferred`` says whether kubectl takes the plural for this resource.
    ``rust_kind`` is None for a custom kind. ``python_class`` is the class of the methods
    in the Python client, which the package ``python_package`` has; empty without.
    """

    kind: GroupVersionKind
    plural: str
    group_resource: str
    name: str
    namespace: str
    verbs: frozenset[str]
    steps: tuple[CallStep, ...]
    words: ShellWords
    create_command: str
    is_preferred: bool
    rust_kind: RustKind | None
    python_package: str
    python_class: str

    @property
    def has_body(self) -> bool:
        """Whether a call sends the object."""
        return not self.verbs.isdisjoint(("create", "update"))


def make_program(
    resource: Resource,
    name: str,
    kubectl_suffix: str,
    definition: str,
    operations: Iterable[Operation],
    methods: PythonMethods,
) -> Program:
    """The program for the object ``name`` of a resource.

    ``kubectl_suffix`` is what kubectl needs after the plural (``ReleaseOperations``),
    ``definition`` that of a kind of Kubernetes, empty for a custom one.
    """
    kind = resource.kind
    names = {
        (
            operation.action,
            operation.path.partition("/{name}/")[2],
            operation.namespaced == resource.namespaced,
        ): methods.names.get((operation.path, operation.method), ("", ""))
        for operation in operations
    }
    namespace = NAMESPACE if resource.namespaced else ""
    folder = f"/namespaces/{namespace}" if namespace else ""
    path = f"{resource.api_path}{folder}/{resource.plural}"
    return Program(
        kind=kind,
        plural=resource.plural,
        group_resource=f"{resource.plural}{'.' if kind.group else ''}{kind.group}",
        name=name,
        namespace=namespace,
        verbs=frozenset(resource.verbs),
        steps=(*_steps(resource, names), *_subresource_steps(resource, names)),
        words=ShellWords(
            plural=quote(f"{resource.plural}{kubectl_suffix}"),
            object=f"{quote(f'{resource.singular}{kubectl_suffix}')} {quote(name)}",
            name=quote(name),
            file=_manifest(resource),
            path=quote(url_quote(path, safe="/")),
            url_name=quote(url_quote(name, safe="")),
            api_version=quote(kind.api_version),
        ),
        create_command=create_command(resource),
        is_preferred=not kubectl_suffix,
        rust_kind=_rust_kind(definition) if definition else None,
        python_package=methods.package,
        python_class=next((class_name for class_name, _ in names.values()), ""),
    )


def create_command(resource: Resource) -> str:
    """The command that creates the object of a manifest: server-side apply where the
    object can be read and patched."""
    file = _manifest(resource)
    if {"get", "patch"} <= frozenset(resource.verbs):
        return f"kubectl apply --server-side -f {file}"
    return f"kubectl create -f {file} -o yaml"


def _manifest(resource: Resource) -> str:
    return quote(f"{resource.singular}.yaml")


# The class and the method for an operation, by its action, its subresource, and whether it
# is about the objects of one namespace, or the resource has none.
_MethodNames = Mapping[tuple[str, str, bool], tuple[str, str]]


def _steps(resource: Resource, names: _MethodNames) -> Iterator[CallStep]:
    for action, verbs, operation in _ACTIONS:
        is_all = action == "list all"
        if verbs <= frozenset(resource.verbs) and (resource.namespaced or not is_all):
            _, method = names.get((operation, "", not is_all), ("", ""))
            if action == "apply" and method:
                method = f"apply_{method.removeprefix('patch_')}"
            yield CallStep(action, method)


def _subresource_steps(resource: Resource, names: _MethodNames) -> Iterator[CallStep]:
    for subresource in resource.subresources:
        method = names.get(("get", subresource.name, True))
        yield CallStep(
            "subresource",
            method[1] if method else "",
            subresource.name,
            quote(url_quote(subresource.name, safe="")),
            is_read=method is not None,
        )


def _rust_kind(definition: str) -> RustKind:
    *modules, kind = definition.removeprefix(_DOCUMENT_PREFIX).split(".")
    name = spelling.type_name(kind)
    return RustKind("::".join([*map(spelling.module_name, modules), name]), name)


class PythonMethods:
    """The methods of the Python client for the operations of a release, which are given
    by the kinds of its resources. The official client has the same for the kinds of
    Kubernetes.

    There are none where the targets do not exist, or are the user's own.
    """

    def __init__(
        self,
        operations: Mapping[GroupVersionKind, Iterable[RebuiltOperation]],
        target: Target,
    ) -> None:
        self._operations = operations
        client, self._models = target.dependency(_CLIENT), target.dependency("python")
        if client is None or client.view != _CLIENT:
            client = self._models = None
        self.package = package_options(client).package if client else ""

    @cached_property
    def names(self) -> Mapping[tuple[str, str], tuple[str, str]]:
        """The class and the method of each operation, by its path and HTTP method."""
        if self._models is None:
            return {}
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
