"""The files of custom kinds, and of the packages of their groups and versions.

The reference of each value of ``each`` that the view ``python`` has for them is in
``CUSTOM_EACH``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from itertools import groupby
from typing import NamedTuple

from kubestencil.engine.view import Each, FileContext
from kubestencil.schema import Release
from kubestencil.targets.languages.python.custom.modules import CustomVersion
from kubestencil.targets.languages.python.imports import ClassEntry, class_entry
from kubestencil.targets.languages.python.package import PythonPackage
from kubestencil.targets.python.custom_files import (
    CustomModule,
    make_custom_module,
)


class CustomPackage(NamedTuple):
    """The package of a group, or of one of its versions.

    ``name`` is that of the package, ``description`` the text of its docstring.
    ``versions`` are the packages in that of a group, ``classes`` the classes in that
    of a version, sorted.
    """

    name: str
    description: str
    versions: tuple[str, ...] = ()
    classes: tuple[ClassEntry, ...] = ()


_GROUP = {"group": "the package of an API group, such as cert_manager_io"}
_VERSION = {**_GROUP, "version": "the package of a version, such as v1"}
_FILE = {**_VERSION, "module": "the module of a kind, such as _certificate"}

#: The values of ``each`` for custom kinds.
CUSTOM_EACH: Mapping[str, Each] = {
    "custom-group": Each(
        "an API group with custom kinds: a package with its versions",
        placeholders=_GROUP,
        variables={"package": CustomPackage},
    ),
    "custom-version": Each(
        "a version of such a group: a package with its classes",
        placeholders=_VERSION,
        variables={"package": CustomPackage},
    ),
    "custom-kind": Each(
        "a custom kind: a module with its classes",
        placeholders=_FILE,
        variables={"module": CustomModule},
    ),
}


def custom_contexts(
    package: PythonPackage, release: Release
) -> Mapping[str, Callable[[], Iterable[FileContext]]]:
    """The contexts of the files of custom kinds; none where there are no such kinds."""
    # Several files are generated for each of them.
    groups = cache(lambda: list(_group_contexts(package)))
    versions = cache(lambda: list(_version_contexts(package)))
    return {
        "custom-group": groups,
        "custom-version": versions,
        "custom-kind": lambda: _kind_contexts(package, release),
    }


def _group_contexts(package: PythonPackage) -> Iterator[FileContext]:
    versions = package.custom.versions
    for group, members in groupby(versions, key=lambda version: version.group):
        group_versions = list(members)
        api_group = group_versions[0].api_version.partition("/")[0]
        custom_package = CustomPackage(
            name=group,
            description=f"The custom resources of {api_group}.",
            versions=tuple(version.version for version in group_versions),
        )
        yield FileContext(api_group, {"group": group}, {"package": custom_package})


def _version_contexts(package: PythonPackage) -> Iterator[FileContext]:
    for version in package.custom.versions:
        custom_package = CustomPackage(
            name=version.version,
            description=f"The custom resources of {version.api_version}.",
            classes=tuple(sorted(_class_entries(package, version))),
        )
        placeholders = {"group": version.group, "version": version.version}
        yield FileContext(
            version.api_version, placeholders, {"package": custom_package}
        )


def _class_entries(
    package: PythonPackage, version: CustomVersion
) -> Iterator[ClassEntry]:
    for file in version.files:
        for definition in file.definitions:
            name = package.custom.locations[definition.name].class_name
            yield class_entry(name, file.name)


def _kind_contexts(package: PythonPackage, release: Release) -> Iterator[FileContext]:
    for version in package.custom.versions:
        for file in version.files:
            placeholders = {
                "group": version.group,
                "version": version.version,
                "module": file.name,
            }
            module = make_custom_module(package, release, file)
            yield FileContext(
                f"{version.api_version}, {file.name}", placeholders, {"module": module}
            )
