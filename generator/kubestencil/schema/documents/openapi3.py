"""Reads documents of OpenAPI 2.0, and of 3.0 as kube-apiserver serves it under
``/openapi/v3``.

A document of OpenAPI 3.0 describes one group and version, and repeats the definitions
that it uses of others. Merged, and with references as OpenAPI 2.0 has them, they are read
like a document of that version; defaults, nullable, oneOf and enums are kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kubestencil.errors import SpecError
from kubestencil.schema.keywords import REFERENCE_PREFIX
from kubestencil.schema.types import JsonObject

_V3_PREFIX = "#/components/schemas/"


def as_openapi2(document: JsonObject, origin: str) -> JsonObject:
    """A document of OpenAPI 2.0 itself, one of 3.0 in the form of 2.0.

    ``origin`` names the document in errors. Raises SpecError for a document of another
    version, or without schemas.
    """
    if "openapi" in document:
        return _of_openapi3(document, origin)
    if document.get("swagger") != "2.0":
        raise SpecError(
            "is not an OpenAPI 2.0 spec",
            where=f"{origin}#/swagger",
            hint="give the swagger.json of a Kubernetes release, a cluster's /openapi/v2, "
            "or CustomResourceDefinitions",
        )
    definitions = document.get("definitions")
    if not isinstance(definitions, Mapping) or not definitions:
        raise SpecError("has no definitions", where=f"{origin}#/definitions")
    return document


def _of_openapi3(document: JsonObject, origin: str) -> JsonObject:
    version = document.get("openapi")
    if not isinstance(version, str) or not version.startswith("3.0"):
        raise SpecError(
            f"is not OpenAPI 3.0 (openapi: {version!a})", where=f"{origin}#/openapi"
        )
    components = document.get("components", {})
    schemas = components.get("schemas", {}) if isinstance(components, Mapping) else {}
    if not isinstance(schemas, Mapping) or not schemas:
        raise SpecError("has no schemas", where=f"{origin}#/components/schemas")
    return {
        "swagger": "2.0",
        "info": document.get("info", {}),
        "paths": document.get("paths", {}),
        "definitions": {name: _converted(schemas[name]) for name in sorted(schemas)},
    }


def _converted(value: Any) -> Any:
    """A schema with references of OpenAPI 2.0.

    In OpenAPI 3.0 a ``$ref`` has no siblings: a reference with other keywords is an
    ``allOf`` of one item.
    """
    if isinstance(value, list):
        return [_converted(item) for item in value]
    if not isinstance(value, Mapping):
        return value
    result = {key: _converted(item) for key, item in value.items()}
    only = value.get("allOf")
    if isinstance(only, list) and len(only) == 1 and only[0].keys() == {"$ref"}:
        del result["allOf"]
        result["$ref"] = only[0]["$ref"]
    reference = result.get("$ref")
    if isinstance(reference, str) and reference.startswith(_V3_PREFIX):
        result["$ref"] = f"{REFERENCE_PREFIX}{reference.removeprefix(_V3_PREFIX)}"
    return result
