"""The generated Python package of a release: which classes it has, and their parts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from keyword import iskeyword
from typing import NamedTuple

from kubestencil.engine.manifest import Target
from kubestencil.engine.options import read_options
from kubestencil.errors import SpecError
from kubestencil.schema import Definition, Field, GroupVersionKind, Release
from kubestencil.schema.custom_resources.field_choices import FieldChoice, field_choices
from kubestencil.schema.graph import Graph, reference_graph
from kubestencil.schema.kinds import shown_kind
from kubestencil.schema.well_known import LIST_META, OBJECT_META, is_built_in
from kubestencil.source.releases import package_version
from kubestencil.targets.languages.custom_kinds import custom_definitions
from kubestencil.targets.languages.python.imports import import_cycles
from kubestencil.targets.languages.python.modules import (
    MODELS,
    ClassLocation,
    ClassPackage,
    custom_class_names,
    custom_packages,
    model_package,
    referred_classes,
)
from kubestencil.targets.languages.python.spelling import (
    attribute_names,
    class_names,
    read_spelling,
    snake_case,
)

_POD = "io.k8s.api.core.v1.Pod"
# msgspec refuses these characters in the JSON name of a field (msgspec.Struct, rename).
_NOT_IN_JSON_NAME = re.compile(r'[\\"\x00-\x1f\ud800-\udfff]')
_PACKAGE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
# As PEP 440 has them, without what nobody publishes: epochs.
_VERSION = re.compile(
    r"\d+(?:\.\d+)*(?:(?:a|b|rc)\d+)?(?:\.post\d+)?(?:\.dev\d+)?(?:\+[a-z0-9.]+)?\Z"
)
_PROJECT = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?\Z")


@dataclass(frozen=True, slots=True)
class PythonOptions:
    """The options of the views ``python`` and ``python-client``: the import package, the
    distribution that contains it, and its version; empty is that of the release."""

    package: str
    project: str
    version: str = ""

    def version_for(self, release: str) -> str:
        """The version of the distribution for a release."""
        return self.version or package_version(release)


class PythonPackage:
    """The names and types of the package that ``target`` generates for ``release``.

    ``options`` and ``spelling`` are those of the target. ``custom`` has the group and
    version of each definition that is custom. Raises SpecError where two definitions get
    the same class, TargetError for a mistake in the target's spelling or options.
    """

    def __init__(self, release: Release, target: Target) -> None:
        self.options = package_options(target)
        self.release = release
        self.definitions = release.definitions
        self.spelling = read_spelling(target)
        self.custom = custom_definitions(release)
        built_in = [name for name in self.definitions if name not in self.custom]
        self._class_names = {
            **class_names(built_in, self.spelling.reserved_classes),
            **custom_class_names(self.definitions, self.custom, self.spelling),
        }

    def check(self) -> None:
        """Raise the SpecError that generating the package would raise."""
        # Computed, and checked, when first used.
        _ = self.kinds, self.cycles

    @cached_property
    def packages(self) -> Sequence[ClassPackage]:
        """The packages of classes: ``models``, then those of custom kinds."""
        names = self._class_names
        built_in = (
            definition
            for name, definition in self.definitions.items()
            if name not in self.custom
        )
        return [
            model_package(built_in, names, self.spelling),
            *custom_packages(self.definitions, self.custom, names, self.spelling),
        ]

    @cached_property
    def classes(self) -> Mapping[str, ClassLocation]:
        """The class of each definition that has one, by full name."""
        return {
            definition.name: ClassLocation(
                self._class_names[definition.name], package.path, module.name
            )
            for package in self.packages
            for module in package.modules
            for definition in module.definitions
        }

    def referred_classes(self, definition: Definition) -> Iterator[str]:
        """The full names of the definitions whose classes a definition's class needs."""
        graph = self._graph
        return referred_classes(
            graph[definition.name], graph, self.classes.__contains__
        )

    @cached_property
    def _graph(self) -> Graph:
        return reference_graph(self.definitions)

    @cached_property
    def cycles(self) -> Mapping[str, int]:
        """A number for each module, the same for those that import each other.

        Raises SpecError where imports would be nested too deeply.
        """
        graph: dict[str, dict[str, None]] = {}
        for name, location in self.classes.items():
            graph.setdefault(location.path, {}).update(
                (self.classes[reference].path, None)
                for reference in self.referred_classes(self.definitions[name])
            )
        return import_cycles({path: tuple(paths) for path, paths in graph.items()})

    @cached_property
    def kinds(self) -> Mapping[GroupVersionKind, ClassLocation]:
        """The class of each kind. Raises SpecError where two classes are one kind."""
        by_kind: dict[GroupVersionKind, ClassLocation] = {}
        for name, location in self.classes.items():
            for kind in self.definitions[name].kinds:
                first = by_kind.setdefault(kind, location)
                if first != location:
                    raise SpecError(
                        f"{first.reference} and {location.reference} are both "
                        f"{kind.kind!a} of {kind.api_version!a}",
                        hint="remove x-kubernetes-group-version-kind from one of them",
                    )
        return by_kind

    def fields(self, definition: Definition) -> Sequence[Field]:
        """The fields that have an attribute, sorted by JSON name.

        The official client's classes have that order, and its ApiClient writes JSON in
        it.
        """
        return sorted(_attribute_fields(definition), key=lambda field: field.name)

    def attributes(self, definition: Definition) -> Mapping[str, str]:
        """The attribute of each field that has one, by JSON name."""
        return attribute_names(_attribute_fields(definition), self.spelling)

    def fields_without_attribute(self, definition: Definition) -> Sequence[str]:
        """The JSON names of the fields that are kept although they have no attribute."""
        names = (field.name for field in definition.fields)
        return sorted(filter(_NOT_IN_JSON_NAME.search, names))


def _attribute_fields(definition: Definition) -> Iterator[Field]:
    """The fields that have an attribute: those whose name msgspec allows."""
    for field in definition.fields:
        if not _NOT_IN_JSON_NAME.search(field.name):
            yield field


class ExampleClass(NamedTuple):
    """The class that a README shows: its ``name``, the ``package`` in the generated one that
    has it (empty, or ``.example_com.v1``), the name of a ``variable`` for its objects, and
    whether these are in namespaces."""

    name: str
    package: str
    variable: str
    is_namespaced: bool


def example_class(package: PythonPackage) -> ExampleClass | None:
    """The class that the README of a package shows, None of a package without kinds."""
    name = shown_kind(package.release, _POD)
    if name is None:
        return None
    location, definition = package.classes[name], package.definitions[name]
    variable = snake_case(definition.kind, package.spelling.acronyms)
    if iskeyword(variable) or not variable.isidentifier():
        variable = "model"
    resource = package.release.resources.get(definition.kinds[0])
    return ExampleClass(
        location.name,
        "" if location.package == MODELS else f".{location.package}",
        variable,
        is_namespaced=resource is None or resource.namespaced,
    )


def is_always_sent(definition: Definition, field: Field, release: Release) -> bool:
    """Whether the API server sends a field of each object of a kind, though programs may
    leave it out: the metadata, and the spec of kinds of Kubernetes itself."""
    if field.required or not definition.kinds:
        return False
    if field.name == "metadata":
        return field.schema.ref in (OBJECT_META, LIST_META)
    return (
        field.name == "spec"
        and field.schema.ref is not None
        and is_built_in(definition.name)
        and any(kind in release.resources for kind in definition.kinds)
    )


def class_description(definition: Definition, release: Release) -> str:
    """The docstring of a class: its description, which of its kinds API servers warn of,
    and which of its fields exclude each other."""
    text = definition.description.strip() or definition.name
    choices = map(_choice_note, field_choices(definition.schema))
    return "\n\n".join([text, *_deprecation_notes(definition, release), *choices])


def _deprecation_notes(definition: Definition, release: Release) -> Iterator[str]:
    for kind in definition.kinds:
        resource = release.resources.get(kind)
        if resource and resource.deprecated:
            warning = resource.deprecation_warning or f"{kind.api_version} {kind.kind}"
            yield f"Deprecated: {warning}"


def _choice_note(choice: FieldChoice) -> str:
    alternatives = ", ".join(" and ".join(fields) for fields in choice.fields)
    verb = "allowed" if choice.kind == "at most one of" else "required"
    return f"{choice.kind.capitalize()} these is {verb}: {alternatives}."


def package_options(target: Target) -> PythonOptions:
    """The options of a target that is a package.

    Raises ``option_error`` where they name no package or no distribution.
    """
    options = read_options(target, PythonOptions)
    package, project = options.package, options.project
    if not _PACKAGE.match(package) or iskeyword(package):
        raise target.option_error(
            f"{package!r} is not a package name, such as kubernetes_models",
            "package",
        )
    if not _PROJECT.match(project):
        raise target.option_error(f"{project!r} is not a project name", "project")
    if options.version and not _VERSION.match(options.version):
        raise target.option_error(f"{options.version!r} is not a version", "version")
    return options
