"""What the classes of custom kinds have: attributes, and what they keep besides."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from kubestencil.schema import Definition, Field, Release, Schema
from kubestencil.targets.languages.python.custom.modules import CustomModules
from kubestencil.targets.languages.python.spelling import Spelling, attribute_names

# msgspec refuses these characters in the JSON name of a field (msgspec.Struct, rename).
_NOT_IN_JSON_NAME = re.compile(r'[\\"\x00-\x1f\ud800-\udfff]')
# Names that the classes of ``_custom.py`` define, besides those of ``_base.py``.
_RESERVED = frozenset(["unknown_fields", "to_exact_time"])


class CustomClasses:
    """The classes of the custom kinds of a release; ``modules`` says where each is."""

    def __init__(self, release: Release, spelling: Spelling) -> None:
        self._definitions = release.definitions
        self._spelling = replace(spelling, reserved=spelling.reserved | _RESERVED)
        self.modules = CustomModules(release, spelling)

    def fields(self, definition: Definition) -> Sequence[Field]:
        """The fields that have an attribute, sorted by JSON name.

        A field whose name msgspec does not allow has none.
        """
        return sorted(_attribute_fields(definition), key=lambda field: field.name)

    def attributes(self, definition: Definition) -> Mapping[str, str]:
        """The attribute of each field that has one, by JSON name."""
        return attribute_names(_attribute_fields(definition), self._spelling)

    def keeps_unknown_fields(self, definition: Definition) -> bool:
        """Whether objects of the class keep fields that the schema does not have."""
        return definition.schema.preserves_unknown_fields or not definition.is_object

    def fields_without_attribute(self, definition: Definition) -> Sequence[str]:
        """The JSON names of the fields that are kept although they have no attribute."""
        names = (field.name for field in definition.fields)
        return sorted(name for name in names if not _can_be_attribute(name))

    def nullable_fields(self, definition: Definition) -> Sequence[str]:
        """The JSON names of the fields in which null differs from an absent value."""
        return [
            field.name
            for field in self.fields(definition)
            if _allows_null(field.schema) and not field.required
        ]

    def is_open(self, name: str) -> bool:
        """Whether a definition's objects may have other fields than attributes."""
        definition = self._definitions[name]
        return self.keeps_unknown_fields(definition) or bool(
            self.nullable_fields(definition)
            or self.fields_without_attribute(definition)
        )


def _attribute_fields(definition: Definition) -> Iterator[Field]:
    return (field for field in definition.fields if _can_be_attribute(field.name))


def _can_be_attribute(json_name: str) -> bool:
    return _NOT_IN_JSON_NAME.search(json_name) is None


def _allows_null(schema: Schema) -> bool:
    """Whether null is a value: where it is said, and where any value is allowed."""
    is_any = schema.type is None and schema.ref is None and not schema.int_or_string
    return schema.keeps_null or is_any
