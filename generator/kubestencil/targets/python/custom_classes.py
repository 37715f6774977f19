"""What the classes of custom kinds have: attributes, and what they keep besides."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from kubestencil.schema import Definition, Field, Release
from kubestencil.targets.python.custom_modules import CustomModules
from kubestencil.targets.python.spelling import Spelling, attribute_names

# msgspec refuses these characters in the JSON name of a field (msgspec.Struct, rename).
_NOT_IN_JSON_NAME = re.compile(r'[\\"\x00-\x1f\ud800-\udfff]')
# Names that the classes of custom.py.j2 define, besides those of base.py.j2.
_RESERVED = frozenset(["extra_fields", "to_exact_time"])


class CustomClasses:
    """The classes of the custom kinds of a release; ``modules`` says where each is."""

    def __init__(self, release: Release, spelling: Spelling) -> None:
        self._definitions = release.definitions
        self._spelling = replace(spelling, reserved=spelling.reserved | _RESERVED)
        self.modules = CustomModules(release, spelling)

    def fields(self, definition: Definition) -> Sequence[Field]:
        """The fields that have an attribute, sorted by JSON name.

        A field whose name msgspec does not allow has none: it is kept as an unknown
        one.
        """
        fields = filter(_can_be_attribute, definition.fields)
        return sorted(fields, key=lambda field: field.name)

    def attributes(self, definition: Definition) -> Mapping[str, str]:
        """The attribute of each field that has one, by JSON name."""
        fields = filter(_can_be_attribute, definition.fields)
        return attribute_names(fields, self._spelling)

    def keeps_unknown_fields(self, definition: Definition) -> bool:
        """Whether objects of the class keep fields that have no attribute."""
        return (
            definition.schema.preserves_unknown_fields
            or not definition.is_object
            or not all(map(_can_be_attribute, definition.fields))
        )

    def nullable_fields(self, definition: Definition) -> Sequence[Field]:
        """The fields in which null differs from an absent value."""
        return [
            field
            for field in self.fields(definition)
            if field.schema.nullable and not field.required
        ]

    def is_open(self, name: str) -> bool:
        """Whether a definition's objects may have other fields than attributes."""
        definition = self._definitions[name]
        return self.keeps_unknown_fields(definition) or bool(
            self.nullable_fields(definition)
        )


def _can_be_attribute(field: Field) -> bool:
    return _NOT_IN_JSON_NAME.search(field.name) is None
