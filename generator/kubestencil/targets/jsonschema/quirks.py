"""Quirks of the published JSON Schemas: what openapi2jsonschema makes of a document."""

from __future__ import annotations

from collections.abc import Mapping

#: The quirks that a manifest may ask for.
QUIRKS: Mapping[str, str] = {
    "ascii-only": "characters outside of ASCII are escaped",
    "dropped-siblings": "a type that is put in for its reference has its own "
    "description, not that of the field",
    "last-definition-wins": "KIND.json is that of the last definition of that name",
    "no-final-newline": "files do not end in a newline",
    "objects-only": "a definition without a type is an object, and strict schemas "
    "forbid additional properties of every definition, also of a string",
    "position-in-name": "the group in a file name is the third last part of the "
    "definition's name",
    "required-may-be-null": "null is allowed in the fields of a schema's top level, "
    "also in required ones",
    "schema-last": "$schema comes last",
    "unsupported-kinds": "these kinds have no schema where references are replaced",
}
