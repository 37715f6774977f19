"""The fields that the API server adds to every custom resource."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kubestencil.schema.keywords import REFERENCE_PREFIX
from kubestencil.schema.types import JsonObject
from kubestencil.schema.well_known import LIST_META, OBJECT_META


@dataclass(frozen=True, slots=True)
class StandardFields:
    """The schemas of the fields that every kind and every list kind has."""

    api_version: JsonObject
    kind: JsonObject
    metadata: JsonObject
    list_metadata: JsonObject
    list_items: str

    @classmethod
    def of(cls, definitions: Mapping[str, JsonObject]) -> StandardFields:
        """Those of Pod and PodList, with their descriptions, where a document has
        them: the API server describes those of custom resources in the same words."""
        pod = _properties(definitions, "io.k8s.api.core.v1.Pod")
        pods = _properties(definitions, "io.k8s.api.core.v1.PodList")
        text = {"type": "string"}
        items = str(pods.get("metadata", {}).get("description", ""))
        return cls(
            api_version=pod.get("apiVersion", text),
            kind=pod.get("kind", text),
            metadata=_without_default(pod.get("metadata")) or _reference(OBJECT_META),
            list_metadata=_without_default(pods.get("metadata"))
            or _reference(LIST_META),
            list_items=items.partition("More info: ")[2].partition("#")[0],
        )


def _properties(
    definitions: Mapping[str, JsonObject], name: str
) -> Mapping[str, JsonObject]:
    properties: Mapping[str, JsonObject] = definitions.get(name, {}).get(
        "properties", {}
    )
    return properties


def _without_default(schema: JsonObject | None) -> JsonObject:
    """A schema without the ``{}`` that OpenAPI 3.0 documents have for structs."""
    return {key: value for key, value in (schema or {}).items() if key != "default"}


def _reference(definition: str) -> JsonObject:
    return {"$ref": f"{REFERENCE_PREFIX}{definition}"}
