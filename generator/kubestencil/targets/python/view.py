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
from kubestencil.schema import Definition, Field, GroupVersionKind, Release
from kubestencil.schema.knowledge.fields import known_fields
from kubestencil.schema.knowledge.values import FieldFacts
from kubestencil.targets.languages.python.annotations import (
    ABSENT,
    BUILTINS,
    PRESENT,
    alias_lines,
    names_in,
    with_aliases,
)
from kubestencil.targets.languages.python.custom.types import literal_type
from kubestencil.targets.languages.python.imports import (
    ClassEntry,
    ImportFrom,
    class_entry,
    import_from,
)
from kubestencil.targets.languages.python.package import (
    PythonPackage,
    class_description,
    is_always_sent,
)
from kubestencil.targets.languages.python.spelling import class_name as spell_class
from kubestencil.targets.languages.python.spelling import unique_spellings
from kubestencil.targets.languages.python.types import (
    TIME_CONVERTERS,
    PythonType,
    with_default,
)
from kubestencil.targets.python.attributes import ModelAttribute, model_attribute
from kubestencil.targets.python.custom_view import CUSTOM_EACH, custom_contexts
from kubestencil.text.languages import python_literal

# msgspec.json.schema needs to know more about this type than the class.
_IMPORTED_AS = {"MicroTime": "MicroTimeType as MicroTime"}
# What _base.py provides for annotations.
_RUNTIME_TYPES = frozenset(
    [*TIME_CONVERTERS, "JsonObject", "Quantity", PRESENT, ABSENT]
)
# The types of fields whose texts can be known.
_TEXTS = frozenset(["str", "list[str]", "dict[str, str]"])


class Module(NamedTuple):
    """A module with one class.

    ``name`` and ``base`` are the class and its base class, ``definition`` is the full
    name of its definition, and ``description`` the text of its docstring. ``fields``
    are all attributes, ``time_fields`` those that contain times. ``typing_names`` are
    imported from ``typing``, ``aliased_builtins`` from ``builtins`` with a leading
    underscore. ``imports`` are those from the package; the classes that refer back to this
    class are in ``late_imports`` and follow it. ``literals`` are types that annotations
    refer to: ``RestartPolicy = Literal["Always", "Never"]``.
    """

    name: str
    base: str
    definition: str
    description: str
    fields: tuple[ModelAttribute, ...]
    time_fields: tuple[ModelAttribute, ...]
    typing_names: tuple[str, ...]
    aliased_builtins: tuple[str, ...]
    literals: tuple[str, ...]
    imports: tuple[ImportFrom, ...]
    late_imports: tuple[ImportFrom, ...]


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
        literals = dict(
            " ".join(line.split()).split(" = ", 1) for line in module.literals
        )
        names.update(_names_of(module.name, module.fields, literals))
    for context in files["custom-kind"]():
        package = "{group}.{version}".format_map(context.placeholders)
        for class_ in context.variables["module"].classes:
            names.update(_names_of(f"{package}.{class_.name}", class_.fields, {}))
    return names


def _names_of(
    class_: str, attributes: Iterable[ModelAttribute], literals: Mapping[str, str]
) -> Iterator[tuple[str, PublicName]]:
    yield class_, PublicName()
    for attribute in attributes:
        words = re.split(r"(\w+)", attribute.annotation)
        type_ = "".join(literals.get(word, word) for word in words)
        yield f"{class_}.{attribute.name}", PublicName(type_, attribute.required)


def _release_context(package: PythonPackage, release: str) -> FileContext:
    versions = package.custom.versions
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
    facts = {
        known.name: known.facts
        for known in known_fields(package.release, definition.name)
    }
    types = package.fields(definition)
    # By class, whether its module imports this one.
    in_cycle = {
        class_name: package.cycles[class_name] == package.cycles[name]
        for _, type_ in types
        for class_name in map(package.classes.__getitem__, type_.references)
    }
    literals = _literal_types(package, definition, facts, {name, *in_cycle})
    fields = [
        (field, _with_literal(type_, literals.get(field.name)))
        for field, type_ in types
    ]
    words = set[str]().union(*(names_in(type_.annotation) for _, type_ in fields))
    aliased = BUILTINS.intersection(words).intersection(attributes.values())
    rows = []
    for field, type_ in fields:
        is_sent = is_always_sent(definition, field, package.release)
        words.update((PRESENT, ABSENT) if is_sent else ())
        rows.append(
            model_attribute(
                attributes[field.name],
                field,
                type_._replace(annotation=with_aliases(type_.annotation, aliased)),
                _description(field, facts[field.name]),
                is_quoted=any(
                    in_cycle[package.classes[name]] for name in type_.references
                ),
                is_sent=is_sent,
            )
        )
    time_fields = tuple(row for row in rows if row.time_converter)
    base = "TimedModel" if time_fields else "Model"
    late = [other for other in in_cycle if in_cycle[other] and other != name]
    runtime_names = {
        base,
        *(() if late else ("build",)),
        *(_IMPORTED_AS.get(word, word) for word in _RUNTIME_TYPES.intersection(words)),
        *(row.time_converter for row in time_fields),
    }
    return Module(
        name=name,
        base=base,
        definition=definition.name,
        description=class_description(definition, package.release),
        fields=tuple(rows),
        time_fields=time_fields,
        typing_names=(
            *(("TYPE_CHECKING",) if literals else ()),
            *(("Any",) if time_fields or "Any" in words else ()),
        ),
        aliased_builtins=tuple(sorted(aliased)),
        literals=tuple(starmap(alias_lines, literals.values())),
        imports=(
            *import_from(".._base", runtime_names),
            *_imports(package, in_cycle.keys() - {name, *late}),
        ),
        late_imports=tuple(_imports(package, late)),
    )


class _LiteralType(NamedTuple):
    name: str
    annotation: str


def _literal_types(
    package: PythonPackage,
    definition: Definition,
    facts: Mapping[str, FieldFacts],
    taken: Iterable[str],
) -> Mapping[str, _LiteralType]:
    """The types of the fields whose values are known, by JSON name."""
    literals = {
        field.name: literal_type(facts[field.name].enum)
        for field, type_ in package.fields(definition)
        if type_.annotation in _TEXTS
    }
    attributes = package.attributes(definition)
    names = unique_spellings(
        (attributes[name] for name, literal in literals.items() if literal),
        spell_class,
        reserved={*package.spelling.reserved_classes, *taken},
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


def _description(field: Field, facts: FieldFacts) -> str:
    description = field.schema.description.strip()
    # The defaults that documents have of built-in fields are those of Go's types.
    if facts.default and facts.origin["defaults"] == "server":
        return with_default(description, facts.default.value)
    return description


def _imports(package: PythonPackage, classes: Iterable[str]) -> Iterator[ImportFrom]:
    for name in sorted(classes):
        yield from import_from(f".{package.modules[name]}", [name])


def _kind_groups(classes: Mapping[GroupVersionKind, str]) -> list[KindGroup]:
    def key(kind: GroupVersionKind) -> tuple[str, str]:
        return kind.api_version, kind.kind

    return [
        KindGroup(
            python_literal(api_version),
            tuple(
                KindEntry(python_literal(kind.kind), classes[kind]) for kind in kinds
            ),
        )
        for api_version, kinds in groupby(
            sorted(classes, key=key), lambda kind: kind.api_version
        )
    ]
