"""Attributes of classes, of Kubernetes' own types and of custom ones."""

from __future__ import annotations

from typing import NamedTuple

from kubestencil.schema import Field
from kubestencil.targets.languages.python.annotations import (
    ABSENT,
    attribute_lines,
    present,
)
from kubestencil.targets.languages.python.types import PythonType
from kubestencil.text.languages import python_literal


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


def model_attribute(
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
    annotation, default = type_.annotation, "" if field.required else "None"
    if (default or field.schema.nullable) and annotation != "Any":
        annotation = f"{annotation.removesuffix(' | None')} | None"
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
