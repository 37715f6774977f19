"""The classes of one file of custom kinds, and the imports that they need.

A class is a msgspec Struct as those of ``kubestencil.targets.python.view`` are, with
what schemas of custom resources have beyond those of Kubernetes' own types
(``_custom.py`` of the package).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import NamedTuple

from kubestencil.schema import Definition, Field, Release
from kubestencil.schema.custom_resources.field_choices import FieldChoice, field_choices
from kubestencil.targets.languages.python.annotations import (
    ABSENT,
    BUILTINS,
    PRESENT,
    names_in,
    with_aliases,
)
from kubestencil.targets.languages.python.custom.modules import (
    ClassLocation,
    CustomFile,
    referred_classes,
)
from kubestencil.targets.languages.python.custom.types import (
    RUNTIME_NAMES,
    CustomTypeSpeller,
)
from kubestencil.targets.languages.python.imports import ImportFrom, import_from
from kubestencil.targets.languages.python.package import (
    PythonPackage,
    class_description,
    is_always_sent,
)
from kubestencil.targets.languages.python.types import with_default
from kubestencil.targets.python.attributes import ModelAttribute, model_attribute
from kubestencil.text.languages import python_literal

_TYPING_NAMES = frozenset(["Any", "Literal"])
_CUSTOM_NAMES = (RUNTIME_NAMES | {"to_exact_time"}) - _TYPING_NAMES
_BASE_NAMES = frozenset(
    [
        *(ABSENT, PRESENT, "JsonObject", "MicroTime", "Quantity", "Time", "TimedModel"),
        *("to_micro_time", "to_time"),
    ]
)


class CustomClass(NamedTuple):
    """A class of a custom kind, or of a type below one.

    ``bases`` are its base classes, ``description`` the text of its docstring.
    ``renamed_fields`` are the ``fields`` whose attribute is not their JSON name,
    ``time_fields`` those that contain times. ``drops_unknown`` says that the class
    keeps no fields that its schema does not have, although its base class does.
    ``kept`` has the JSON names, as literals, of the fields that it keeps without an
    attribute, ``nullable`` those of the fields in which null differs from an absent
    value.
    """

    name: str
    bases: tuple[str, ...]
    description: str
    fields: tuple[ModelAttribute, ...]
    renamed_fields: tuple[ModelAttribute, ...]
    time_fields: tuple[ModelAttribute, ...]
    drops_unknown: bool
    kept: tuple[str, ...]
    nullable: tuple[str, ...]


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


class CustomModule(NamedTuple):
    """A file with the classes of a custom kind.

    ``classes`` follow those that they refer to. ``aliased_builtins`` are imported from
    ``builtins`` with a leading underscore, ``typing_names`` from ``typing``.
    ``imports`` are those from the package; ``late_imports`` follow the classes, since
    their modules import this one.
    """

    classes: tuple[CustomClass, ...]
    aliased_builtins: tuple[str, ...]
    typing_names: tuple[str, ...]
    imports: tuple[ImportFrom, ...]
    late_imports: tuple[ImportFrom, ...]


def make_custom_module(
    package: PythonPackage, release: Release, file: CustomFile
) -> CustomModule:
    """What a file of custom kinds contains."""
    return _FileBuilder(package, release, file).module()


class _FileBuilder:
    """Makes the classes of one file, and the imports that they need."""

    def __init__(
        self, package: PythonPackage, release: Release, file: CustomFile
    ) -> None:
        self._package = package
        self._custom = package.custom
        self._release = release
        self._file = file
        self._own = frozenset(definition.name for definition in file.definitions)
        self._imported = _imported_classes(package, file, self._references())
        self._speller = CustomTypeSpeller(
            release.definitions, self._local_name, self._custom.is_open
        )
        self._names: set[str] = set()
        self._defined: set[str] = set()

    def module(self) -> CustomModule:
        classes = tuple(map(self._class, self._file.definitions))
        early, late = (
            [class_ for class_ in self._imported.values() if class_.is_late is is_late]
            for is_late in (False, True)
        )
        base = (_BASE_NAMES & self._names) | (set() if late else {"build"})
        return CustomModule(
            classes=classes,
            aliased_builtins=tuple(
                name for name in sorted(BUILTINS) if f"_{name}" in self._names
            ),
            typing_names=tuple(sorted(_TYPING_NAMES & self._names)),
            imports=(
                *import_from("..._base", base),
                *import_from("..._custom", self._names & _CUSTOM_NAMES),
                *_class_imports(early),
            ),
            late_imports=tuple(_class_imports(late)),
        )

    def _references(self) -> Iterator[str]:
        """The full names of the definitions whose classes the file refers to."""
        graph = self._custom.graph
        for definition in self._file.definitions:
            yield from referred_classes(graph[definition.name], graph, self._has_class)

    def _class(self, definition: Definition) -> CustomClass:
        custom = self._custom
        attributes = custom.attributes(definition)
        aliased = BUILTINS.intersection(attributes.values())
        fields = tuple(
            self._field(definition, field, attributes[field.name], aliased)
            for field in custom.fields(definition)
        )
        self._defined.add(definition.name)
        time_fields = tuple(field for field in fields if field.time_converter)
        is_open = custom.is_open(definition.name)
        bases = ["OpenModel" if is_open else "CustomModel"]
        if time_fields:
            bases.append("TimedModel")
            self._names.add("Any")
        self._names.update(bases, (field.time_converter for field in time_fields))
        return CustomClass(
            name=custom.locations[definition.name].class_name,
            bases=tuple(bases),
            description=class_description(
                definition,
                self._release,
                map(_choice_note, field_choices(definition.schema)),
            ),
            fields=fields,
            renamed_fields=tuple(
                field for field in fields if field.json_name != f'"{field.name}"'
            ),
            time_fields=time_fields,
            drops_unknown=is_open and not custom.keeps_unknown_fields(definition),
            kept=tuple(
                map(python_literal, custom.fields_without_attribute(definition))
            ),
            nullable=tuple(map(python_literal, custom.nullable_fields(definition))),
        )

    def _field(
        self,
        definition: Definition,
        field: Field,
        attribute: str,
        aliased: frozenset[str],
    ) -> ModelAttribute:
        type_ = self._speller.spell(field.schema)
        type_ = type_._replace(annotation=with_aliases(type_.annotation, aliased))
        is_sent = is_always_sent(definition, field, self._release)
        self._names |= names_in(type_.annotation)
        self._names.update((PRESENT, ABSENT) if is_sent else ())
        description = field.schema.description.strip()
        if field.schema.has_default:
            description = with_default(description, field.schema.default)
        return model_attribute(
            attribute,
            field,
            type_,
            description,
            is_quoted=not all(map(self._is_defined, type_.references)),
            is_sent=is_sent,
        )

    def _is_defined(self, name: str) -> bool:
        """Whether a class can be named where the next class of the file is defined."""
        if name in self._own:
            return name in self._defined
        return not self._imported[name].is_late

    def _local_name(self, name: str) -> str | None:
        """The name of a definition's class in this file, None where it has none."""
        if name in self._own:
            return self._package.custom.locations[name].class_name
        imported = self._imported.get(name)
        return imported.local_name if imported else None

    def _has_class(self, name: str) -> bool:
        definition = self._release.definitions[name]
        return name in self._package.custom.locations or (
            definition.is_object and name in self._package.classes
        )


def _class_imports(classes: Iterable[ImportedClass]) -> Iterator[ImportFrom]:
    """The statements that import classes, one for each module."""
    ordered = sorted(classes)
    for module, members in groupby(ordered, key=lambda class_: class_.module):
        yield from import_from(module, (class_.specifier for class_ in members))


def _imported_classes(
    package: PythonPackage, file: CustomFile, names: Iterable[str]
) -> Mapping[str, ImportedClass]:
    """The classes that a file imports, by the full name of their definition; local names
    differ from those of the file's own classes."""
    locations, cycles = package.custom.locations, package.custom.cycles
    location = locations[file.definitions[0].name]
    taken = {locations[definition.name].class_name for definition in file.definitions}
    imported: dict[str, ImportedClass] = {}
    for reference in dict.fromkeys(names):
        other = locations.get(reference)
        if other is not None and other.module == location.module:
            continue
        name = other.class_name if other else package.classes[reference]
        local_name = name
        while local_name in taken:
            local_name = f"_{local_name}"
        taken.add(local_name)
        imported[reference] = ImportedClass(
            module=(
                _relative(location, other)
                if other
                else f"...models.{package.modules[name]}"
            ),
            name=name,
            local_name=local_name,
            is_late=other is not None
            and cycles[other.module] == cycles[location.module],
        )
    return imported


def _relative(location: ClassLocation, other: ClassLocation) -> str:
    if (other.group, other.version) == (location.group, location.version):
        return f".{other.file}"
    if other.group == location.group:
        return f"..{other.version}.{other.file}"
    return f"...{other.group}.{other.version}.{other.file}"


def _choice_note(choice: FieldChoice) -> str:
    alternatives = ", ".join(" and ".join(fields) for fields in choice.fields)
    verb = "allowed" if choice.kind == "at most one of" else "required"
    return f"{choice.kind.capitalize()} these is {verb}: {alternatives}."
