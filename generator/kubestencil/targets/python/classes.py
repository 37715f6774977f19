"""What templates get of a module of classes."""

from __future__ import annotations

from typing import NamedTuple

from kubestencil.targets.languages.python.annotations import LINE_LENGTH
from kubestencil.targets.languages.python.imports import ImportFrom


# A tuple, since a release has thousands, and a frozen dataclass takes four times as
# long to make.
class ModelAttribute(NamedTuple):
    """An attribute of a class.

    ``name`` is the attribute, ``json_name`` the field's JSON name as a literal.
    ``annotation`` is its type hint, ``lines`` the annotated attribute with its default,
    after its indentation; ``required`` fields have none. ``official_type`` is the type as
    the official client names it, as a literal. ``time_converter`` is the function that
    gives a time its precision, empty for other types. ``description`` is the text of its
    docstring, or empty.
    """

    name: str
    json_name: str
    annotation: str
    lines: str
    required: bool
    official_type: str
    time_converter: str
    description: str


class ModelClass(NamedTuple):
    """A class.

    ``bases`` are its base classes, ``definition`` is the full name of its definition, and
    ``description`` the text of its docstring. ``fields`` are all attributes.
    ``is_custom`` says that it is one of a custom kind: others have the names and types of
    the official client. ``drops_unknown`` says that the class keeps no fields that its
    schema does not have, although its base class does. ``kept`` has the JSON names, as
    literals, of the fields that it keeps without an attribute, ``nullable`` those of the
    fields in which null differs from an absent value.
    """

    name: str
    bases: tuple[str, ...]
    definition: str
    description: str
    fields: tuple[ModelAttribute, ...]
    is_custom: bool
    drops_unknown: bool
    kept: tuple[str, ...]
    nullable: tuple[str, ...]

    @property
    def time_fields(self) -> list[ModelAttribute]:
        """The attributes that contain times."""
        return [field for field in self.fields if field.time_converter]

    @property
    def renamed_fields(self) -> list[ModelAttribute]:
        """The attributes that are not called like their field."""
        return [field for field in self.fields if field.json_name != f'"{field.name}"']

    @property
    def has_variables(self) -> bool:
        """Whether it has more than its attributes."""
        options = self.drops_unknown, self.kept, self.nullable, self.time_fields
        return not self.is_custom or any(options)


class Module(NamedTuple):
    """A module of classes.

    ``classes`` follow those that they refer to. ``root`` is the package of all modules,
    as the module imports from it: ``..`` or ``...``. ``typing_names`` are imported from
    ``typing``, ``aliased_builtins`` from ``builtins`` with a leading underscore.
    ``imports`` are those from the package; ``late_imports`` follow the classes, since
    their modules import this one. ``literals`` are types that annotations refer to:
    ``RestartPolicy = Literal["Always", "Never"]``.
    """

    classes: tuple[ModelClass, ...]
    root: str
    typing_names: tuple[str, ...]
    aliased_builtins: tuple[str, ...]
    literals: tuple[str, ...]
    imports: tuple[ImportFrom, ...]
    late_imports: tuple[ImportFrom, ...]

    @property
    def is_build_wrapped(self) -> bool:
        """Whether the call of ``build`` with the classes is too long for one line."""
        names = ", ".join(model.name for model in self.classes)
        return len(f"build({names})") > LINE_LENGTH
