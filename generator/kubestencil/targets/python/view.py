"""The view ``python``: a package of classes, and what it contains besides these.

Names are those of the official client (``kubestencil.targets.languages.python.spelling``).
Kubernetes' own types and custom kinds differ in the packages that have their modules.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import groupby
from typing import Annotated, NamedTuple

from kubestencil.engine.manifest import Target
from kubestencil.engine.view import Contexts, Each, FileContext, PublicName
from kubestencil.schema import Release
from kubestencil.targets.languages.python.imports import ClassEntry, class_entry
from kubestencil.targets.languages.python.modules import (
    MODELS,
    ClassLocation,
    ClassPackage,
)
from kubestencil.targets.languages.python.package import (
    ExampleClass,
    PythonPackage,
    example_class,
)
from kubestencil.targets.python.classes import ModelClass, Module
from kubestencil.targets.python.modules import make_module
from kubestencil.text.languages import python_literal


class KindEntry(NamedTuple):
    """A kind and its class: ``kind`` is a literal, ``name`` the class, of a custom
    kind after its module (``example_com.v1:Widget``)."""

    kind: str
    name: str


class KindGroup(NamedTuple):
    """The kinds of one API version, sorted; ``api_version`` is a literal."""

    api_version: str
    kinds: tuple[KindEntry, ...]


class PackageOfClasses(NamedTuple):
    """A package with sorted ``classes``; ``description`` is the text of its docstring."""

    description: str
    classes: tuple[ClassEntry, ...]


class CustomGroup(NamedTuple):
    """The package of an API group: ``name`` is that of the package, ``description`` the
    text of its docstring. ``versions`` are the packages in it."""

    name: str
    description: str
    versions: tuple[str, ...]


#: The values that ``each`` can have in a manifest.
EACH: Mapping[str, Each] = {
    "definition": Each(
        "a definition of Kubernetes that has fields: a module with one class",
        placeholders={
            "name": "the class, such as V1Pod",
            "module": "the module of the class, such as v1_pod",
        },
        variables={"model": ModelClass, "module": Module},
    ),
    "custom-kind": Each(
        "a custom kind: a module with its classes",
        placeholders={
            "group": "the package of an API group, such as cert_manager_io",
            "version": "the package of a version, such as v1",
            "module": "the module of a kind, such as _certificate",
        },
        variables={"module": Module},
    ),
    "class-package": Each(
        "a package of classes: models, and each version of a group with custom kinds",
        placeholders={"path": "its path: models, cert_manager_io/v1"},
        variables={"package": PackageOfClasses},
    ),
    "custom-group": Each(
        "an API group with custom kinds: a package with its versions",
        placeholders={"group": "the package, such as cert_manager_io"},
        variables={"group": CustomGroup},
    ),
    "release": Each(
        "the whole package, once",
        variables={
            "kinds": list[KindGroup],
            "custom_kinds": list[KindGroup],
            "custom_groups": list[CustomGroup],
            "example": Annotated[
                ExampleClass | None,
                "the class of a kind of the package: V1Pod if it has that",
            ],
            "project_version": str,
        },
    ),
}


def make_contexts(release: Release, target: Target) -> Contexts:
    """The contexts of the files of a package.

    Raises SpecError where two definitions become one class, or a kind has two;
    TargetError for a mistake in the target's spelling or options.
    """
    package = PythonPackage(release, target)
    return Contexts(
        files={
            "definition": lambda: _definition_contexts(package),
            "custom-kind": lambda: _custom_contexts(package),
            # Several files are generated for each of these.
            "class-package": cache(lambda: list(_package_contexts(package))),
            "custom-group": cache(lambda: list(_group_contexts(package))),
            "release": cache(lambda: [_release_context(package)]),
        },
    )


def public_names(release: Release, target: Target) -> Mapping[str, PublicName]:
    """The classes and their attributes; those of custom kinds begin with the package of
    their version."""
    files = make_contexts(release, target).files
    names: dict[str, PublicName] = {}
    for each, prefix in {"definition": "", "custom-kind": "{group}.{version}."}.items():
        for context in files[each]():
            names |= _names_of(
                context.variables["module"], prefix.format_map(context.placeholders)
            )
    return names


def _names_of(module: Module, prefix: str) -> Iterator[tuple[str, PublicName]]:
    literals = dict(" ".join(line.split()).split(" = ", 1) for line in module.literals)
    for model in module.classes:
        yield f"{prefix}{model.name}", PublicName()
        for field in model.fields:
            words = re.split(r"(\w+)", field.annotation)
            type_ = "".join(literals.get(word, word) for word in words)
            path = f"{prefix}{model.name}.{field.name}"
            yield path, PublicName(type_, field.required)


def _definition_contexts(package: PythonPackage) -> Iterator[FileContext]:
    models, *_ = package.packages
    for class_module in models.modules:
        module = make_module(package, class_module)
        (model,) = module.classes
        placeholders = {"name": model.name, "module": class_module.name}
        variables = {"model": model, "module": module}
        yield FileContext(model.definition, placeholders, variables)


def _custom_contexts(package: PythonPackage) -> Iterator[FileContext]:
    _, *packages = package.packages
    for custom in packages:
        group, version = custom.path.split(".")
        for class_module in custom.modules:
            module = class_module.name
            yield FileContext(
                f"{custom.api_version}, {module}",
                {"group": group, "version": version, "module": module},
                {"module": make_module(package, class_module)},
            )


def _package_contexts(package: PythonPackage) -> Iterator[FileContext]:
    for class_package in package.packages:
        entries = (
            class_entry(package.classes[definition.name].name, module.name)
            for module in class_package.modules
            for definition in module.definitions
        )
        description = (
            f"The custom resources of {class_package.api_version}."
            if class_package.api_version
            else f"A class for each type of Kubernetes {package.release.name}, imported "
            "when it is first used."
        )
        path = class_package.path.replace(".", "/")
        variables = {"package": PackageOfClasses(description, tuple(sorted(entries)))}
        yield FileContext(path, {"path": path}, variables)


def _groups(package: PythonPackage) -> Iterator[CustomGroup]:
    _, *packages = package.packages

    def group_of(custom: ClassPackage) -> str:
        return custom.path.partition(".")[0]

    for name, members in groupby(packages, group_of):
        versions = tuple(members)
        api_group = versions[0].api_version.partition("/")[0]
        yield CustomGroup(
            name,
            f"The custom resources of {api_group}.",
            tuple(version.path.partition(".")[2] for version in versions),
        )


def _group_contexts(package: PythonPackage) -> Iterator[FileContext]:
    for group in _groups(package):
        yield FileContext(group.name, {"group": group.name}, {"group": group})


def _release_context(package: PythonPackage) -> FileContext:
    kinds = sorted(
        (kind.api_version, kind.kind, location)
        for kind, location in package.kinds.items()
    )
    built_in, custom = (
        [kind for kind in kinds if (kind[2].package == MODELS) is is_built_in]
        for is_built_in in (True, False)
    )
    variables = {
        "kinds": _kind_groups(built_in),
        "custom_kinds": _kind_groups(custom),
        "custom_groups": list(_groups(package)),
        "example": example_class(package),
        "project_version": package.options.version_for(package.release.name),
    }
    return FileContext(package.release.name, {}, variables)


def _kind_groups(kinds: Iterable[tuple[str, str, ClassLocation]]) -> list[KindGroup]:
    """The kinds by API version: sorted API versions, kinds and classes."""
    return [
        KindGroup(
            python_literal(api_version),
            tuple(
                KindEntry(python_literal(kind), location.reference)
                for _, kind, location in members
            ),
        )
        for api_version, members in groupby(kinds, lambda kind: kind[0])
    ]
