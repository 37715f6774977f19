"""The view ``python``: a package with a module for each definition that has fields.

Custom kinds have modules of their own (``kubestencil.targets.python.custom_view``).

Names are those of the official client (``kubestencil.targets.languages.python.spelling``). A
class is a msgspec Struct, which shapes the modules in three ways:

- msgspec evaluates annotations, so that every class in them has to be importable from
  the module. Classes that refer to each other are quoted, and imported at the end of
  the module.
- An annotation is evaluated with the class's attributes in scope. Where an attribute
  is named like a builtin type (``V1DeviceAttribute.bool``), the type is imported under
  another name.
- Times have the precision that the API server expects, to the second or to the
  microsecond. A class with times ensures that in Python code (``TimedModel`` in
  ``_base.py``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import groupby, starmap
from typing import Annotated, NamedTuple

from kubestencil.engine.manifest import Target
from kubestencil.engine.view import Contexts, Each, FileContext, PublicName
from kubestencil.schema import Definition, Field, Release
from kubestencil.schema.knowledge.fields import KnownField, known_fields
from kubestencil.targets.languages.python.annotations import (
    ABSENT,
    LINE_LENGTH,
    PRESENT,
    alias_lines,
    present,
)
from kubestencil.targets.languages.python.custom.types import literal_type
from kubestencil.targets.languages.python.imports import (
    ClassEntry,
    class_entry,
    sort_like_isort,
)
from kubestencil.targets.languages.python.package import (
    KindKey,
    PythonPackage,
    deprecation_notes,
    is_always_sent,
)
from kubestencil.targets.languages.python.spelling import class_name as spell_class
from kubestencil.targets.languages.python.spelling import unique_names
from kubestencil.targets.languages.python.types import (
    TIME_CONVERTERS,
    PythonType,
    with_default,
)
from kubestencil.targets.python.custom_view import CUSTOM_EACH, custom_contexts
from kubestencil.text.languages import python_literal

# msgspec.json.schema needs to know more about this type than the class.
_IMPORTED_AS = {"MicroTime": "MicroTimeType as MicroTime"}
# What _base.py provides for annotations.
_RUNTIME_TYPES = frozenset([*TIME_CONVERTERS, "JsonObject", "Quantity"])
_BUILTINS = frozenset(["bool", "dict", "float", "int", "list", "str"])
# The types of fields whose texts can be known.
_TEXTS = frozenset(["str", "list[str]", "dict[str, str]"])
_WORD = re.compile(r"\w+")


# A tuple, since a release has thousands, and a frozen dataclass takes four times as
# long to make.
class ModelAttribute(NamedTuple):
    """An attribute of a class.

    ``name`` is the attribute, ``json_name`` the field's JSON name as a literal.
    ``annotation`` is its type hint, and ``wrapped`` says that it needs a line of its
    own. ``required`` fields have no ``default``. ``official_type`` is the type as the
    official client names it, as a literal. ``time_converter`` is the function that
    gives a time its precision, empty for other types. ``description`` is the text of
    its docstring, or empty.
    """

    name: str
    json_name: str
    annotation: str
    wrapped: bool
    required: bool
    default: str
    official_type: str
    time_converter: str
    description: str


class ClassImport(NamedTuple):
    """``from .module import name``; ``wrapped`` where it is too long for one line."""

    module: str
    name: str
    wrapped: bool


class Module(NamedTuple):
    """A module with one class.

    ``name`` and ``base`` are the class and its base class, ``definition`` is the full
    name of its definition, and ``description`` the text of its docstring. ``fields``
    are all attributes, ``time_fields`` those that contain times. ``typing_names`` and
    ``runtime_names`` are imported from ``typing`` and from ``_base``,
    ``aliased_builtins`` from ``builtins`` with a leading underscore. ``imports`` are
    the classes that annotations refer to; those that refer back to this class are in
    ``late_imports`` and follow it. ``literals`` are types that annotations refer to:
    ``RestartPolicy = Literal["Always", "Never"]``.
    """

    name: str
    base: str
    definition: str
    description: str
    fields: tuple[ModelAttribute, ...]
    time_fields: tuple[ModelAttribute, ...]
    typing_names: tuple[str, ...]
    runtime_names: tuple[str, ...]
    aliased_builtins: tuple[str, ...]
    literals: tuple[str, ...]
    imports: tuple[ClassImport, ...]
    late_imports: tuple[ClassImport, ...]


class KindEntry(NamedTuple):
    """A kind and its class: ``kind`` is a literal, ``name`` the class, of a custom
    kind after its module (``example_com.v1:Widget``)."""

    kind: str
    name: str


class KindGroup(NamedTuple):
    """The kinds of one API version, sorted; ``api_version`` is a literal."""

    api_version: str
    kinds: tuple[KindEntry, ...]


#: The values that ``each`` can have in a manifest.
EACH: Mapping[str, Each] = {
    "definition": Each(
        "a definition that has fields: a module with one class",
        placeholders={
            "name": "the class, such as V1Pod",
            "module": "the module of the class, such as v1_pod",
        },
        variables={"model": Module},
    ),
    "release": Each(
        "the whole package, once",
        variables={
            "models": list[ClassEntry],
            "kinds": list[KindGroup],
            "custom_kinds": list[KindGroup],
            "custom_groups": Annotated[
                list[str], "the packages of groups with custom kinds: example_com"
            ],
            "custom_versions": Annotated[
                list[str], "the packages of their versions: example_com.v1"
            ],
            "project_version": str,
        },
    ),
    **CUSTOM_EACH,
}

#: This view reproduces no quirks.
QUIRKS: Mapping[str, str] = {}


def make_contexts(release: Release, target: Target) -> Contexts:
    """The contexts of the files of a package.

    Raises SpecError where a definition cannot become a class, or two names become
    one; TargetError for a mistake in the target's spelling or options.
    """
    package = PythonPackage(release, target)
    return Contexts(
        files={
            "definition": lambda: (
                _definition_context(package, definition)
                for definition in package.models
            ),
            # Many files are generated for it.
            "release": cache(lambda: [_release_context(package, release.name)]),
            **custom_contexts(package, release),
        },
    )


def public_names(release: Release, target: Target) -> Mapping[str, PublicName]:
    """The classes and their attributes; those of custom kinds begin with the package of
    their version."""
    files = make_contexts(release, target).files
    names: dict[str, PublicName] = {}
    for context in files["definition"]():
        module: Module = context.variables["model"]
        names[module.name] = PublicName()
        literals = dict(
            " ".join(line.split()).split(" = ", 1) for line in module.literals
        )
        for field in module.fields:
            words = re.split(r"(\w+)", field.annotation)
            type_ = "".join(literals.get(word, word) for word in words)
            names[f"{module.name}.{field.name}"] = PublicName(type_, field.required)
    for context in files["custom-kind"]():
        package = "{group}.{version}".format_map(context.placeholders)
        for class_ in context.variables["module"].classes:
            names[f"{package}.{class_.name}"] = PublicName()
            for attribute in class_.fields:
                annotated = " ".join(attribute.lines.split()).partition(": ")[2]
                type_, equals, _ = annotated.partition(" = ")
                name = f"{package}.{class_.name}.{attribute.name}"
                names[name] = PublicName(type_, not equals)
    return names


def _release_context(package: PythonPackage, release: str) -> FileContext:
    versions = package.custom.modules.versions
    variables = {
        "models": [
            class_entry(name, module) for name, module in package.modules.items()
        ],
        "kinds": _kind_groups(package.kinds()),
        "custom_kinds": _kind_groups(package.custom_kinds()),
        "custom_groups": list(dict.fromkeys(version.group for version in versions)),
        "custom_versions": [
            f"{version.group}.{version.version}" for version in versions
        ],
        "project_version": package.options.version_for(release),
    }
    return FileContext(release, {}, variables)


def _definition_context(package: PythonPackage, definition: Definition) -> FileContext:
    module = make_module(package, definition)
    placeholders = {"name": module.name, "module": package.modules[module.name]}
    return FileContext(definition.name, placeholders, {"model": module})


def make_module(package: PythonPackage, definition: Definition) -> Module:
    """The module of a definition's class."""
    name = package.classes[definition.name]
    attributes = package.attributes(definition)
    known = {
        field.name: field for field in known_fields(package.release, definition.name)
    }
    typed = [(known[field.name], type_) for field, type_ in package.fields(definition)]
    references = {class_name for _, type_ in typed for class_name in type_.classes} - {
        name
    }
    reserved = {*package.spelling.reserved_classes, name, *references}
    literals = _literal_types(typed, attributes, reserved)
    fields = [
        (field, _with_literal(type_, literals.get(field.name)))
        for field, type_ in typed
    ]
    words = {word for _, type_ in fields for word in _words(type_.annotation)}
    aliased = _BUILTINS.intersection(words).intersection(attributes.values())
    in_cycle = {
        class_name
        for _, type_ in fields
        for class_name in type_.classes
        if package.cycles[class_name] == package.cycles[name]
    }
    rows = tuple(
        _field_row(
            field,
            attributes[field.name],
            type_,
            _annotation(field.field, type_, aliased, in_cycle),
            is_sent=is_always_sent(definition, field.field, package.release),
        )
        for field, type_ in fields
    )
    time_fields = tuple(row for row in rows if row.time_converter)
    base = "TimedModel" if time_fields else "Model"
    converters = {row.time_converter for row in time_fields}
    return Module(
        name=name,
        base=base,
        definition=definition.name,
        description="\n\n".join(
            [
                definition.description.strip() or definition.name,
                *deprecation_notes(definition, package.release),
            ]
        ),
        fields=rows,
        time_fields=time_fields,
        typing_names=(
            *(("TYPE_CHECKING",) if literals else ()),
            *(("Any",) if time_fields or "Any" in words else ()),
        ),
        runtime_names=tuple(
            _IMPORTED_AS.get(runtime_name, runtime_name)
            for runtime_name in sort_like_isort(
                {
                    base,
                    *(() if references & in_cycle else ("build",)),
                    *_RUNTIME_TYPES.intersection(words),
                    *converters,
                    *(name for row in rows for name in _sent_names(row.default)),
                }
            )
        ),
        aliased_builtins=tuple(sorted(aliased)),
        literals=tuple(starmap(alias_lines, literals.values())),
        imports=_imports(package, references - in_cycle),
        late_imports=_imports(package, references & in_cycle),
    )


class _LiteralType(NamedTuple):
    name: str
    annotation: str


def _literal_types(
    fields: Iterable[tuple[KnownField, PythonType]],
    attributes: Mapping[str, str],
    reserved: Iterable[str],
) -> Mapping[str, _LiteralType]:
    """The types of the fields whose values are known, by JSON name."""
    literals = {
        field.name: literal_type(field.facts.enum)
        for field, type_ in fields
        if type_.annotation in _TEXTS
    }
    names = unique_names(
        (attributes[name] for name, literal in literals.items() if literal),
        spell_class,
        reserved=reserved,
    )
    return {
        name: _LiteralType(names[attributes[name]], literal)
        for name, literal in literals.items()
        if literal
    }


def _with_literal(type_: PythonType, literal: _LiteralType | None) -> PythonType:
    """A type whose texts are those of a literal."""
    if literal is None:
        return type_
    before, _, after = type_.annotation.rpartition("str")
    return type_._replace(annotation=f"{before}{literal.name}{after}")


def _field_row(
    known: KnownField,
    attribute: str,
    type_: PythonType,
    annotation: str,
    *,
    is_sent: bool,
) -> ModelAttribute:
    field = known.field
    default = "" if field.required else "None"
    if is_sent:
        annotation, default = present(annotation), ABSENT
    end = f" = {default}" if default else ""
    description = field.schema.description.strip()
    # The defaults that documents have of built-in fields are those of Go's types.
    if filled_in := known.server.default:
        description = with_default(description, filled_in.value)
    return ModelAttribute(
        name=attribute,
        json_name=python_literal(field.name),
        annotation=annotation,
        wrapped=len(f"    {attribute}: {annotation}{end}") > LINE_LENGTH,
        required=field.required,
        default=default,
        official_type=python_literal(type_.official),
        time_converter=type_.time_converter,
        description=description,
    )


def _sent_names(default: str) -> tuple[str, ...]:
    return (PRESENT, ABSENT) if default == ABSENT else ()


def _annotation(
    field: Field, type_: PythonType, aliased: frozenset[str], in_cycle: set[str]
) -> str:
    """The type hint of a field.

    ``aliased`` are the builtins that have a leading underscore in this module,
    ``in_cycle`` the classes that have to be quoted.
    """
    annotation = type_.annotation
    if aliased:
        annotation = _WORD.sub(
            lambda match: f"_{match[0]}" if match[0] in aliased else match[0],
            annotation,
        )
    may_be_none = not field.required or field.schema.nullable
    if may_be_none and annotation != "Any":
        annotation = f"{annotation} | None"
    return annotation if in_cycle.isdisjoint(type_.classes) else f'"{annotation}"'


def _imports(package: PythonPackage, classes: Iterable[str]) -> tuple[ClassImport, ...]:
    modules = ((package.modules[name], name) for name in sorted(classes))
    return tuple(
        ClassImport(module, name, len(f"from .{module} import {name}") > LINE_LENGTH)
        for module, name in modules
    )


def _kind_groups(classes: Mapping[KindKey, str]) -> list[KindGroup]:
    return [
        KindGroup(
            python_literal(api_version),
            tuple(KindEntry(python_literal(key.kind), classes[key]) for key in keys),
        )
        for api_version, keys in groupby(
            sorted(classes), key=lambda key: key.api_version
        )
    ]


def _words(annotation: str) -> Iterator[str]:
    return (match[0] for match in _WORD.finditer(annotation))
