"""The generated Python package of a release: which classes it has, and their parts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from keyword import iskeyword

from kubestencil.engine.manifest import Target
from kubestencil.engine.options import read_options
from kubestencil.errors import SpecError
from kubestencil.schema import Definition, Field, GroupVersionKind, Release, Schema
from kubestencil.schema.well_known import LIST_META, OBJECT_META, is_built_in
from kubestencil.source.releases import package_version
from kubestencil.targets.languages.python.custom.modules import CustomClasses
from kubestencil.targets.languages.python.imports import import_cycles
from kubestencil.targets.languages.python.spelling import (
    attribute_names,
    class_names,
    module_name,
    read_spelling,
)
from kubestencil.targets.languages.python.types import PythonType, TypeSpeller

# msgspec refuses these characters in the JSON name of a field (msgspec.Struct, rename).
_NOT_IN_JSON_NAME = re.compile(r'[\\"\x00-\x1f]')
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

    ``classes`` maps the full name of a definition to its class in ``models``, which has
    those that are not custom; ``custom`` has the others. ``options`` are those of the
    target. Raises SpecError where two
    definitions get the same class, TargetError for a mistake in the target's spelling
    or options.
    """

    def __init__(self, release: Release, target: Target) -> None:
        self.options = package_options(target)
        self.release = release
        self.definitions = release.definitions
        self.spelling = read_spelling(target)
        self.custom = CustomClasses(release, self.spelling)
        custom = self.custom.members
        self.classes = class_names(
            [name for name in release.definitions if name not in custom],
            self.spelling.reserved_classes,
        )
        self._types = TypeSpeller(release.definitions, self.classes)

    def check(self) -> None:
        """Raise the SpecError that generating the package would raise."""
        self.custom_kinds()
        for definition in self.models:
            self.fields(definition)
            self.attributes(definition)
        # Computed, and checked, when first used.
        _ = self.modules, self.cycles, self.custom.cycles

    @cached_property
    def models(self) -> Sequence[Definition]:
        """The definitions that become classes, sorted by class."""
        objects = (
            definition
            for definition in self.definitions.values()
            if definition.is_object and definition.name in self.classes
        )
        return sorted(objects, key=lambda definition: self.classes[definition.name])

    @cached_property
    def modules(self) -> Mapping[str, str]:
        """The module of each class."""
        classes = (self.classes[definition.name] for definition in self.models)
        acronyms = self.spelling.acronyms
        return {class_name: module_name(class_name, acronyms) for class_name in classes}

    @cached_property
    def cycles(self) -> Mapping[str, int]:
        """A number for each class, the same for classes that import each other."""
        graph = {
            self.classes[definition.name]: tuple(
                self.classes[name]
                for field in definition.fields
                for name in self.type(field.schema).references
            )
            for definition in self.models
        }
        return import_cycles(graph)

    def kinds(self) -> Mapping[GroupVersionKind, str]:
        """The class of each kind. Raises SpecError where two classes are one kind."""
        names = (definition.name for definition in self.models)
        return self._by_kind(((name, self.classes[name]) for name in names), {})

    def custom_kinds(self) -> Mapping[GroupVersionKind, str]:
        """The class of each custom kind, after its module: ``example_com.v1:Widget``.

        Raises SpecError where two classes are one kind.
        """
        classes = (
            (name, f"{location.group}.{location.version}:{location.class_name}")
            for name, location in self.custom.locations.items()
        )
        return self._by_kind(classes, self.kinds())

    def _by_kind(
        self, classes: Iterable[tuple[str, str]], others: Mapping[GroupVersionKind, str]
    ) -> Mapping[GroupVersionKind, str]:
        """The classes of definitions by kind, none of which is among ``others``."""
        by_kind: dict[GroupVersionKind, str] = {}
        for name, class_name in classes:
            for kind in self.definitions[name].kinds:
                first = others.get(kind) or by_kind.setdefault(kind, class_name)
                if first != class_name:
                    raise SpecError(
                        f"{first} and {class_name} are both {kind.kind!a} of "
                        f"{kind.api_version!a}",
                        hint="remove x-kubernetes-group-version-kind from one of them",
                    )
        return by_kind

    def type(self, schema: Schema) -> PythonType:
        """The type of the values that a schema allows."""
        return self._types.spell(schema)

    def fields(self, definition: Definition) -> list[tuple[Field, PythonType]]:
        """The fields with their types, sorted by JSON name.

        The official client's classes have that order, and its ApiClient writes JSON
        in it. Raises SpecError for a JSON name that msgspec does not allow.
        """
        fields = sorted(definition.fields, key=lambda field: field.name)
        for field in fields:
            if _NOT_IN_JSON_NAME.search(field.name):
                raise SpecError(
                    f"the name of the field {field.name!a} has a quote, a backslash "
                    "or a control character",
                    where=definition.name,
                    hint="rename it in the document",
                )
        return [(field, self.type(field.schema)) for field in fields]

    def attributes(self, definition: Definition) -> Mapping[str, str]:
        """The attribute of each field, by JSON name."""
        return attribute_names(definition.fields, self.spelling)


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


def class_description(
    definition: Definition, release: Release, notes: Iterable[str] = ()
) -> str:
    """The docstring of a class: its description, which of its kinds API servers warn of,
    and further notes."""
    text = definition.description.strip() or definition.name
    return "\n\n".join([text, *_deprecation_notes(definition, release), *notes])


def _deprecation_notes(definition: Definition, release: Release) -> Iterator[str]:
    for kind in definition.kinds:
        resource = release.resources.get(kind)
        if resource and resource.deprecated:
            warning = resource.deprecation_warning or f"{kind.api_version} {kind.kind}"
            yield f"Deprecated: {warning}"


def package_options(target: Target) -> PythonOptions:
    """The options of a target that is a package.

    Raises ``option_error`` where they name no package or no distribution.
    """
    options = read_options(target, PythonOptions)
    package, project = options.package, options.project
    if not _PACKAGE.match(package) or iskeyword(package):
        raise target.option_error(f"{package!r} is not a package name", "package")
    if not _PROJECT.match(project):
        raise target.option_error(f"{project!r} is not a project name", "project")
    if options.version and not _VERSION.match(options.version):
        raise target.option_error(f"{options.version!r} is not a version", "version")
    return options
