"""The contents of a module: classes with their attributes, and imports.

A class is a msgspec Struct, which shapes the modules in three ways:

- msgspec evaluates annotations, so that every class in them has to be importable from
  the module. Classes that refer to each other are quoted, and imported at the end of
  the module.
- An annotation is evaluated with the class's attributes in scope. Where an attribute
  is named like a builtin type (``V1DeviceAttribute.bool``), the type is imported under
  another name.
- Times have the precision that the API server expects, to the second or to the
  microsecond. A class with times ensures that in Python code (``TimedModel`` in
  ``_base.py``).

Classes of custom kinds are a ``CustomModel`` or an ``OpenModel`` (``_custom.py``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from kubestencil.schema import Definition, Field
from kubestencil.schema.knowledge.fields import known_fields
from kubestencil.schema.knowledge.values import FieldFacts
from kubestencil.schema.knowledge.words import default_in_words
from kubestencil.targets.languages.python.annotations import (
    ABSENT,
    BUILTINS,
    PRESENT,
    alias_lines,
    attribute_lines,
    names_in,
    present,
    with_aliases,
)
from kubestencil.targets.languages.python.imports import ImportFrom, import_from
from kubestencil.targets.languages.python.modules import ClassModule, relative_module
from kubestencil.targets.languages.python.package import (
    PythonPackage,
    class_description,
    is_always_sent,
)
from kubestencil.targets.languages.python.spelling import class_name as spell_class
from kubestencil.targets.languages.python.types import (
    PythonType,
    TypeSpeller,
    literal_type,
)
from kubestencil.targets.python.classes import ModelAttribute, ModelClass, Module
from kubestencil.text.languages import python_literal
from kubestencil.text.unique_names import free_names

_TYPING_NAMES = frozenset(["Any", "Literal"])
# What _custom.py and _base.py provide for modules, the latter also functions.
_CUSTOM_NAMES = frozenset(
    [
        *("CustomModel", "EmbeddedObject", "EmptyObject", "ExactTime", "Open"),
        *("OpenModel", "WithoutFields", "to_exact_time"),
    ]
)
_BASE_NAMES = frozenset(
    [
        *(ABSENT, PRESENT, "DateTime", "JsonObject", "MicroTime", "Model", "Quantity"),
        *("Time", "TimedModel", "to_datetime", "to_micro_time", "to_time"),
    ]
)
# msgspec.json.schema needs to know more about this type than the class.
_IMPORTED_AS = {"MicroTime": "MicroTimeType as MicroTime"}
# The types of fields whose texts can be known.
_TEXTS = frozenset(["str", "list[str]", "dict[str, str]"])


class _ImportedClass(NamedTuple):
    """A class that a module imports: ``module`` is relative to that, ``local_name`` its
    name there. ``is_late`` says that its module imports the other one, too."""

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


def make_module(package: PythonPackage, module: ClassModule) -> Module:
    """What a module contains."""
    return _ModuleBuilder(package, module).build()


class _ModuleBuilder:
    """Makes the classes of one module, and the imports that they need."""

    def __init__(self, package: PythonPackage, module: ClassModule) -> None:
        self._package = package
        self._definitions = module.definitions
        self._locations = [package.classes[each.name] for each in module.definitions]
        self._imported = _imported_classes(package, module.definitions)
        self._local_names = {
            each.name: location.name
            for each, location in zip(self._definitions, self._locations, strict=True)
        } | {name: class_.local_name for name, class_ in self._imported.items()}
        # The definitions whose classes can be named where the next class is defined.
        self._defined = {
            name for name, class_ in self._imported.items() if not class_.is_late
        }
        self._literals: list[str] = []

    def build(self) -> Module:
        classes = tuple(map(self._class, self._definitions))
        words = set[str]().union(*map(_names_used, classes))
        late, early = (
            [class_ for class_ in self._imported.values() if class_.is_late is is_late]
            for is_late in (True, False)
        )
        root = f"..{'.' * self._locations[0].package.count('.')}"
        base_names = {_IMPORTED_AS.get(name, name) for name in _BASE_NAMES & words}
        return Module(
            classes=classes,
            root=root,
            typing_names=(
                *(("TYPE_CHECKING",) if self._literals else ()),
                *sorted(_TYPING_NAMES & words),
            ),
            aliased_builtins=tuple(
                name for name in sorted(BUILTINS) if f"_{name}" in words
            ),
            literals=tuple(self._literals),
            imports=(
                *import_from(
                    f"{root}_base", base_names | (set() if late else {"build"})
                ),
                *import_from(f"{root}_custom", _CUSTOM_NAMES & words),
                *_class_imports(early),
            ),
            late_imports=tuple(_class_imports(late)),
        )

    def _class(self, definition: Definition) -> ModelClass:
        package = self._package
        is_custom = definition.name in package.custom
        facts = {
            known.name: known.facts
            for known in known_fields(package.release, definition.name)
        }
        speller = TypeSpeller(
            package.definitions, self._local_names.get, self._is_open, is_custom
        )
        fields = [
            (field, speller.spell(field.schema)) for field in package.fields(definition)
        ]
        if not is_custom:
            fields = self._with_literals(definition, fields, facts)
        attributes = package.attributes(definition)
        aliased = BUILTINS.intersection(attributes.values())
        rows = tuple(
            _attribute(
                attributes[field.name],
                field,
                type_._replace(annotation=with_aliases(type_.annotation, aliased)),
                _description(field, facts[field.name], is_custom=is_custom),
                is_quoted=not self._defined.issuperset(type_.references),
                is_sent=is_always_sent(definition, field, package.release),
            )
            for field, type_ in fields
        )
        self._defined.add(definition.name)
        is_open = self._is_open(definition.name)
        return ModelClass(
            name=self._local_names[definition.name],
            bases=tuple(_bases(rows, is_custom=is_custom, is_open=is_open)),
            definition=definition.name,
            description=class_description(definition, package.release),
            fields=rows,
            is_custom=is_custom,
            drops_unknown=is_open and not _keeps_unknown_fields(definition),
            kept=tuple(
                map(python_literal, package.fields_without_attribute(definition))
            ),
            nullable=tuple(map(python_literal, self._nullable(definition))),
        )

    def _nullable(self, definition: Definition) -> list[str]:
        """The JSON names of the fields in which null differs from an absent value."""
        return [
            field.name
            for field in self._package.fields(definition)
            if definition.name in self._package.custom
            and (field.schema.keeps_null or field.schema.is_any)
            and not field.required
        ]

    def _is_open(self, name: str) -> bool:
        """Whether a definition is custom, and its objects may have other fields than
        attributes."""
        definition = self._package.definitions[name]
        return name in self._package.custom and bool(
            _keeps_unknown_fields(definition)
            or self._nullable(definition)
            or self._package.fields_without_attribute(definition)
        )

    def _with_literals(
        self,
        definition: Definition,
        fields: Iterable[tuple[Field, PythonType]],
        facts: Mapping[str, FieldFacts],
    ) -> list[tuple[Field, PythonType]]:
        """Fields whose types are aliases where their texts are known."""
        literals = {
            field.name: literal_type(facts[field.name].enum)
            for field, type_ in fields
            if type_.annotation in _TEXTS
        }
        attributes = self._package.attributes(definition)
        names = free_names(
            {
                name: spell_class(attributes[name])
                for name, literal in literals.items()
                if literal
            },
            {*self._package.spelling.reserved_classes, *self._local_names.values()},
        )
        result = []
        for field, type_ in fields:
            name = names.get(field.name)
            if name is not None:
                self._literals.append(alias_lines(name, literals[field.name]))
                before, _, after = type_.annotation.rpartition("str")
                type_ = type_._replace(annotation=f"{before}{name}{after}")
            result.append((field, type_))
        return result


def _bases(
    fields: Iterable[ModelAttribute], *, is_custom: bool, is_open: bool
) -> Iterator[str]:
    """The base classes of a class."""
    has_times = any(field.time_converter for field in fields)
    if is_custom:
        yield "OpenModel" if is_open else "CustomModel"
    elif not has_times:
        yield "Model"
    if has_times:
        yield "TimedModel"


def _keeps_unknown_fields(definition: Definition) -> bool:
    """Whether objects of a custom definition keep fields that its schema does not have."""
    return definition.schema.preserves_unknown_fields or not definition.is_object


def _attribute(
    name: str,
    field: Field,
    type_: PythonType,
    description: str,
    *,
    is_quoted: bool,
    is_sent: bool,
) -> ModelAttribute:
    """The attribute ``name`` for a field. The hint ``is_quoted`` where it has a class that
    does not exist yet; ``is_sent`` is whether the API server always sends the field."""
    if not field.required or field.schema.nullable:
        type_ = type_.or_none()
    annotation, default = type_.annotation, "" if field.required else "None"
    if is_quoted:
        annotation = f'"{annotation}"'
    if is_sent:
        annotation, default = present(annotation), ABSENT
    return ModelAttribute(
        name,
        python_literal(field.name),
        annotation,
        attribute_lines(name, annotation, default, indent=4),
        field.required,
        python_literal(type_.official),
        type_.time_converter,
        description,
    )


def _description(field: Field, facts: FieldFacts, *, is_custom: bool) -> str:
    """The docstring of an attribute, with its default."""
    description = field.schema.description.strip()
    # The defaults that documents have of built-in fields are those of Go's types.
    if facts.default and (is_custom or facts.origin["defaults"] == "server"):
        default = default_in_words(facts.default.value)
        return f"{description}\n\n{default}".lstrip()
    return description


def _names_used(class_: ModelClass) -> set[str]:
    """The names that a class needs besides those of other classes."""
    words = {*class_.bases, *(field.time_converter for field in class_.time_fields)}
    for field in class_.fields:
        hint = names_in(field.annotation.strip('"'))
        words |= {*hint, ABSENT} if PRESENT in hint else hint
    return {*words, "Any"} if class_.time_fields else words


def _imported_classes(
    package: PythonPackage, definitions: Sequence[Definition]
) -> Mapping[str, _ImportedClass]:
    """The classes that the module of some definitions imports, by the full name of their
    definition; local names differ from those of the module's own classes."""
    own = package.classes[definitions[0].name]
    taken = {package.classes[definition.name].name for definition in definitions}
    references = dict.fromkeys(
        name
        for definition in definitions
        for name in package.referred_classes(definition)
    )
    imported: dict[str, _ImportedClass] = {}
    for reference in references:
        other = package.classes[reference]
        if other.path == own.path:
            continue
        local_name = other.name
        while local_name in taken:
            local_name = f"_{local_name}"
        taken.add(local_name)
        imported[reference] = _ImportedClass(
            relative_module(own, other),
            other.name,
            local_name,
            package.cycles[other.path] == package.cycles[own.path],
        )
    return imported


def _class_imports(classes: Iterable[_ImportedClass]) -> Iterator[ImportFrom]:
    """The statements that import classes, one for each module."""
    by_module: dict[str, list[str]] = {}
    for class_ in sorted(classes, key=_import_order):
        by_module.setdefault(class_.module, []).append(class_.specifier)
    for module, specifiers in by_module.items():
        yield from import_from(module, specifiers)


def _import_order(class_: _ImportedClass) -> tuple[str, str]:
    return class_.module.rpartition(".")[0], class_.name
