"""Imports of the files of custom kinds: from where, under which name, and when."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from kubestencil.targets.python.custom.modules import ClassLocation, CustomFile
from kubestencil.targets.python.package import PythonPackage


class ImportedClass(NamedTuple):
    """A class that a file imports.

    ``module`` is relative to the file, ``name`` the class, ``local_name`` its name in
    the file. ``is_late`` says that the module imports the file, too.
    """

    module: str
    name: str
    local_name: str
    is_late: bool

    @property
    def specifier(self) -> str:
        """What follows ``import``."""
        if self.name == self.local_name:
            return self.name
        return f"{self.name} as {self.local_name}"


class CustomImports:
    """The classes that the files of custom kinds refer to."""

    def __init__(self, package: PythonPackage) -> None:
        self._package = package
        self._locations = package.custom.modules.locations
        self._cycles = package.custom.modules.cycles

    def of_file(
        self, file: CustomFile, references: Iterable[str]
    ) -> Mapping[str, ImportedClass]:
        """The classes of ``references``, by the full name of their definition, that a
        file imports; local names differ from those of the file's own classes."""
        location = self._locations[file.definitions[0].name]
        taken = {
            self._locations[definition.name].class_name
            for definition in file.definitions
        }
        imported: dict[str, ImportedClass] = {}
        for reference in dict.fromkeys(references):
            other = self._locations.get(reference)
            if other is not None and other.module == location.module:
                continue
            name = other.class_name if other else self._package.classes[reference]
            local_name = name
            while local_name in taken:
                local_name = f"_{local_name}"
            taken.add(local_name)
            imported[reference] = ImportedClass(
                module=(
                    _relative(location, other)
                    if other
                    else f"...models.{self._package.modules[name]}"
                ),
                name=name,
                local_name=local_name,
                is_late=other is not None
                and self._cycles[other.module] == self._cycles[location.module],
            )
        return imported


def _relative(location: ClassLocation, other: ClassLocation) -> str:
    """The module of ``other``, relative to that of ``location``."""
    if (other.group, other.version) == (location.group, location.version):
        return f".{other.file}"
    if other.group == location.group:
        return f"..{other.version}.{other.file}"
    return f"...{other.group}.{other.version}.{other.file}"
