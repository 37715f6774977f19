"""What the page of a kind says about its operations: paths, parameters, and calls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import groupby
from typing import NamedTuple

from kubestencil.engine.manifest import Target
from kubestencil.schema import Definition, GroupVersionKind, Release
from kubestencil.schema.kinds import precedence, served_kinds
from kubestencil.schema.operations.parameter_descriptions import PARAMETER_DESCRIPTIONS
from kubestencil.schema.operations.rebuilt import RebuiltOperation, rebuild_operations
from kubestencil.schema.types import Resource
from kubestencil.targets.examples.starters import starter_name
from kubestencil.targets.site.addresses import PageAddress
from kubestencil.targets.site.examples.installation import call_installation
from kubestencil.targets.site.examples.kinds import Call
from kubestencil.targets.site.examples.program import (
    Program,
    PythonMethods,
    make_program,
)

# The older form of a list with the parameter "watch", deprecated since 1.11.
_WATCHES = frozenset({"watch", "watchlist"})
_PROXIED = "{path}"
_VERB_ORDER = ("list", "get", "create", "update", "patch", "delete", "deletecollection")


class MethodLabel(NamedTuple):
    """A method of a path, and the verbs that it stands for: ``GET``, ``list, watch``."""

    method: str
    verbs: str


class PathRow(NamedTuple):
    """A path with its methods. ``type`` is the kind that it takes and returns, where
    that is another one than the page's, with the link to its page."""

    path: str
    methods: tuple[MethodLabel, ...]
    type: str
    href: str

    @property
    def short_path(self) -> str:
        """The path, of a subresource only its end: that of the object is above it."""
        head, name, subresource = self.path.partition("/{name}/")
        return f"…{name}{subresource}" if subresource else head


class ParameterRow(NamedTuple):
    """A query parameter: the operations that have it, by verb or subresource, and its
    description, empty for one that is not known."""

    name: str
    type: str
    operations: str
    description: str


class Operations(NamedTuple):
    """The operations of a kind.

    ``parameters`` are the query parameters of all of them. ``program`` calls them, and
    ``calls`` are the languages that spell it: kubectl, curl, Python and Rust. A kind that
    is only sent to or read from subresources of other kinds has their paths, without
    a program.
    """

    paths: tuple[PathRow, ...]
    parameters: tuple[ParameterRow, ...]
    program: Program | None
    calls: tuple[Call, ...]


#: Of a type that is no kind.
NO_OPERATIONS = Operations((), (), None, ())


class ReleaseOperations:
    """The operations of the kinds of a release."""

    def __init__(
        self, release: Release, addresses: Mapping[str, PageAddress], target: Target
    ) -> None:
        self._release = release
        self._addresses = addresses
        self._rebuilt = {
            kind: rebuild_operations([resource], release.name)
            for kind, resource in release.resources.items()
        }
        self._python = PythonMethods(self._rebuilt, target)
        # The page of a kind needs them, and that of its operations.
        self._made: dict[str, Operations] = {}

    def of(self, definition: Definition) -> Operations:
        """The operations of a kind."""
        if definition.name not in self._made:
            self._made[definition.name] = self._make(definition)
        return self._made[definition.name]

    def _make(self, definition: Definition) -> Operations:
        kind = definition.kinds[0]
        resource = self._release.resources.get(kind)
        if resource is None or not resource.verbs:
            return NO_OPERATIONS._replace(paths=tuple(self._subresource_paths(kind)))
        operations = [
            operation
            for operation in self._rebuilt[kind]
            if operation.operation.action not in _WATCHES
        ]
        is_custom = kind in self._release.custom_kinds
        program = make_program(
            resource,
            starter_name(kind),
            self._kubectl_suffix(resource),
            "" if is_custom else definition.name,
            [item.operation for item in operations],
            self._python,
        )
        languages = ("kubectl", "curl", "python", "rust")
        return Operations(
            tuple(self._paths(operations, resource, kind)),
            _parameter_rows(operations),
            program,
            tuple(
                Call(language, call_installation(language, is_custom=is_custom))
                for language in languages
                if language != "python" or program.python_class
            ),
        )

    def _paths(
        self,
        operations: Iterable[RebuiltOperation],
        resource: Resource,
        page_kind: GroupVersionKind,
    ) -> Iterator[PathRow]:
        for path, of_path in groupby(operations, lambda item: item.operation.path):
            if _PROXIED in path:
                continue
            methods: dict[str, str] = {}
            kind: GroupVersionKind | None = None
            for rebuilt in of_path:
                operation = rebuilt.operation
                kind = operation.kind
                verb = operation.verb
                if verb == "list" and "watch" in resource.verbs:
                    verb = "list, watch"
                methods[operation.method.upper()] = "" if verb == "connect" else verb
            labels = tuple(MethodLabel(*item) for item in methods.items())
            address = (
                self._kind_addresses.get(kind) if kind and kind != page_kind else None
            )
            type_, href = (address.kind, address.href) if address else ("", "")
            yield PathRow(path, labels, type_, href)

    def _subresource_paths(self, kind: GroupVersionKind) -> Iterator[PathRow]:
        """The paths of the subresources that take or return a kind."""
        for resource in self._resources_by_subresource_kind.get(kind, ()):
            operations = self._rebuilt[resource.kind]
            of_kind = (item for item in operations if item.operation.kind == kind)
            yield from self._paths(of_kind, resource, kind)

    @cached_property
    def _kind_addresses(self) -> Mapping[GroupVersionKind, PageAddress]:
        return {
            kind: self._addresses[definition.name]
            for kind, definition in served_kinds(self._release)
            if kind.kind == definition.kind
        }

    @cached_property
    def _resources_by_subresource_kind(
        self,
    ) -> Mapping[GroupVersionKind, list[Resource]]:
        resources: dict[GroupVersionKind, list[Resource]] = {}
        for resource in self._release.resources.values():
            kinds = {subresource.kind for subresource in resource.subresources}
            for kind in kinds:
                if kind is not None:
                    resources.setdefault(kind, []).append(resource)
        return resources

    def _kubectl_suffix(self, resource: Resource) -> str:
        """What follows the plural or singular in kubectl's arguments, where other
        groups have a resource of the same name, or the group another version that is
        preferred: ``.events.k8s.io``, ``.v1beta1.policy``.

        The core group comes first in discovery, and cannot be named.
        """
        kind = resource.kind
        preferred_versions = self._preferred_versions[resource.plural]
        if preferred_versions[kind.group] != kind.version:
            return f".{kind.version}.{kind.group}"
        if kind.group and len(preferred_versions) > 1:
            return f".{kind.group}"
        return ""

    @cached_property
    def _preferred_versions(self) -> Mapping[str, Mapping[str, str]]:
        """By plural, the groups that have such a resource, and their preferred version
        of it."""
        preferred: dict[str, dict[str, str]] = {}
        for resource in self._release.resources.values():
            if resource.verbs:
                group, version, _ = resource.kind
                versions = preferred.setdefault(resource.plural, {})
                versions[group] = max(
                    version, versions.get(group, version), key=precedence
                )
        return preferred


def _parameter_rows(operations: Iterable[RebuiltOperation]) -> tuple[ParameterRow, ...]:
    """The query parameters of operations, each once, sorted by name."""
    labels: dict[tuple[str, str], set[str]] = {}
    for rebuilt in operations:
        for parameter in rebuilt.parameters:
            if parameter.location == "query":
                key = parameter.name, parameter.type
                labels.setdefault(key, set()).add(_operation_label(rebuilt))
    return tuple(
        ParameterRow(
            name,
            type_,
            # Verbs first, in their order.
            ", ".join(
                sorted(
                    labels[name, type_],
                    key=lambda label: ((*_VERB_ORDER, label).index(label), label),
                )
            ),
            PARAMETER_DESCRIPTIONS.get(name, ""),
        )
        for name, type_ in sorted(labels)
    )


def _operation_label(rebuilt: RebuiltOperation) -> str:
    """``list``; ``exec`` for the parameters of a connection or a log."""
    operation = rebuilt.operation
    if operation.action == "connect" or operation.path.endswith("/log"):
        return operation.path.removesuffix("/{path}").rpartition("/")[2]
    return operation.verb
