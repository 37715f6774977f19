"""Reads OpenAPI 3.0 as kube-apiserver serves it under ``/openapi/v3``.

A document describes one group and version, and repeats the definitions that it uses
of others. Merged, and with references as OpenAPI 2.0 has them, they are read like a
document of that version; defaults, nullable, oneOf and enums are kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from kubestencil.errors import SpecError
from kubestencil.schema.keywords import REFERENCE_PREFIX
from kubestencil.schema.types import JsonObject

_V3_PREFIX = "#/components/schemas/"


def as_openapi2(documents: Iterable[tuple[JsonObject, str]]) -> JsonObject:
    """One OpenAPI 2.0 document for several of 3.0, each given with its origin.

    Raises SpecError for a document that is not OpenAPI 3.0.
    """
    definitions: dict[str, Any] = {}
    paths: dict[str, Any] = {}
    for document, origin in documents:
        version = document.get("openapi")
        if not isinstance(version, str) or not version.startswith("3.0"):
            raise SpecError(
                f"is not OpenAPI 3.0 (openapi: {version!a})", where=f"{origin}#/openapi"
            )
        components = document.get("components", {})
        schemas = (
            components.get("schemas", {}) if isinstance(components, Mapping) else {}
        )
        if not isinstance(schemas, Mapping) or not schemas:
            raise SpecError("has no schemas", where=f"{origin}#/components/schemas")
        for name, schema in schemas.items():
            definitions.setdefault(name, _converted(schema))
        if isinstance(document.get("paths"), Mapping):
            paths.update(document["paths"])
    return {
        "swagger": "2.0",
        "info": {"title": "Kubernetes", "version": "unversioned"},
        "paths": paths,
        "definitions": dict(sorted(definitions.items())),
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
