"""Reads CustomResourceDefinitions: the definitions that kube-apiserver serves for them.

The rules are those of apiextensions-apiserver: ``pkg/apiserver/schema`` says which
schemas are structural, ``pkg/controller/openapi/builder`` what is published under
``/openapi/v3``. A CRD's definitions are plain JSON values in the form of an OpenAPI
2.0 document, so that the reader of such documents gives the release.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kubestencil.errors import SpecError
from kubestencil.schema.keywords import KINDS_KEYWORD, REFERENCE_PREFIX
from kubestencil.schema.pointer import Pointer, printable_pointer
from kubestencil.schema.types import JsonObject
from kubestencil.schema.well_known import LIST_META, OBJECT_META

_GROUP_VERSIONS = ("apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1")

# validation.IsDNS1123Subdomain and IsDNS1035Label, in kinds without regard to case.
_GROUP = re.compile(
    r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)+\Z"
)
_LABEL = re.compile(r"[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?\Z")
_KIND = re.compile(r"[A-Za-z](?:[-A-Za-z0-9]{0,61}[A-Za-z0-9])?\Z")

# The keywords that the API server drops from a schema (structural.go).
_DROPPED = frozenset(["example", "externalDocs", "id", "$schema"])
_FORBIDDEN = (
    "$ref", "definitions", "dependencies", "patternProperties", "additionalItems"
)  # fmt: skip
_LOGIC = ("allOf", "anyOf", "oneOf")
# The keywords that a schema in allOf, anyOf, oneOf and not must leave to the one around.
_STRUCTURE_ONLY = (
    "description", "default", "additionalProperties", "nullable", "title"
)  # fmt: skip
_MAX_DEPTH = 100


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


def custom_definitions(
    crd: JsonObject, where: str, standard: StandardFields, *, unserved: bool
) -> dict[str, JsonObject]:
    """The definitions of a CustomResourceDefinition by full name: a kind and its list
    kind for each version that is served, and for the others too with ``unserved``.

    ``where`` is the CRD's file and line, for errors. Raises SpecError, with a JSON
    pointer, for an object that is not a CRD and for a schema that is not structural.
    """
    return dict(_Reader(where, standard).read_definitions(crd, unserved))


@dataclass(frozen=True, slots=True)
class _Names:
    """The group and the names of a CustomResourceDefinition."""

    group: str
    kind: str
    list_kind: str
    plural: str

    def definition(self, version: str, kind: str) -> str:
        """The full name of the definition of a kind."""
        return ".".join((*reversed(self.group.split(".")), version, kind))


class _Reader:
    """Reads one CustomResourceDefinition."""

    def __init__(self, where: str, standard: StandardFields) -> None:
        self.where = where
        self.standard = standard

    def read_definitions(
        self, crd: JsonObject, unserved: bool
    ) -> Iterator[tuple[str, JsonObject]]:
        if crd.get("apiVersion") not in _GROUP_VERSIONS:
            raise self.error(
                f"has the unknown apiVersion {crd.get('apiVersion')!a}",
                ("apiVersion", None),
                f"convert it to {_GROUP_VERSIONS[0]}",
            )
        pointer: Pointer = ("spec", None)
        spec = self.table(crd, "spec", None)
        names = self.read_names(spec, pointer)
        versions: set[str] = set()
        for version, version_pointer in self.versions(spec, pointer):
            name = self.text(version, "name", version_pointer, _LABEL)
            if name in versions:
                raise self.error(f"the version {name} is duplicated", version_pointer)
            versions.add(name)
            if version.get("served", True) or unserved:
                definition = names.definition(name, names.kind)
                yield definition, {
                    **self.kind_schema(version, version_pointer),
                    **_served_as(version, names.group, name, names.kind),
                }
                yield names.definition(name, names.list_kind), {
                    **self.list_schema(definition, names.list_kind, names.plural),
                    **_served_as(version, names.group, name, names.list_kind),
                }

    def read_names(self, spec: JsonObject, pointer: Pointer) -> _Names:
        names = self.table(spec, "names", pointer)
        names_pointer: Pointer = ("names", pointer)
        if spec.get("scope") not in ("Namespaced", "Cluster"):
            raise self.error("must be Namespaced or Cluster", ("scope", pointer))
        kind = self.text(names, "kind", names_pointer, _KIND)
        list_kind = names.get("listKind") or f"{kind}List"
        return _Names(
            group=self.text(spec, "group", pointer, _GROUP),
            kind=kind,
            list_kind=self.text(
                {"listKind": list_kind}, "listKind", names_pointer, _KIND
            ),
            plural=self.text(names, "plural", names_pointer, _LABEL),
        )

    def versions(
        self, spec: JsonObject, pointer: Pointer
    ) -> Iterator[tuple[JsonObject, Pointer]]:
        """The versions, each with its schema; v1beta1 may have one schema, columns
        and subresources for all."""
        shared: dict[str, Any] = {}
        if isinstance(spec.get("validation"), Mapping):
            shared["schema"] = spec["validation"]
        for key in ("subresources", "additionalPrinterColumns"):
            if key in spec:
                shared[key] = spec[key]
        versions = spec.get("versions")
        if versions is None and isinstance(spec.get("version"), str):
            versions = [{"name": spec["version"], "served": True, "storage": True}]
        if not isinstance(versions, list) or not versions:
            raise self.error("must be a list of versions", ("versions", pointer))
        for index, version in enumerate(versions):
            version_pointer: Pointer = (str(index), ("versions", pointer))
            if not isinstance(version, Mapping):
                raise self.error("must be an object", version_pointer)
            yield {**shared, **version}, version_pointer

    def kind_schema(self, version: JsonObject, pointer: Pointer) -> JsonObject:
        """The schema of a kind, with the fields that every kind has."""
        schema = version.get("schema") or {}
        if not isinstance(schema, Mapping):
            raise self.error("must be an object", ("schema", pointer))
        given = schema.get("openAPIV3Schema")
        result: dict[str, Any]
        if given is None:
            # Without a schema, everything is kept.
            result = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
        else:
            schema_pointer: Pointer = ("openAPIV3Schema", ("schema", pointer))
            result = self.schema(given, schema_pointer, 0)
            if result.get("type") != "object":
                raise self.error("must be object at the root", ("type", schema_pointer))
        result["properties"] = {
            **result.get("properties", {}),
            "apiVersion": self.standard.api_version,
            "kind": self.standard.kind,
            "metadata": self.standard.metadata,
        }
        return result

    def list_schema(self, definition: str, list_kind: str, plural: str) -> JsonObject:
        """The list kind that the API server adds for every kind."""
        kind = definition.rpartition(".")[2]
        more = self.standard.list_items
        return {
            "description": f"{list_kind} is a list of {kind}",
            "type": "object",
            "required": ["items"],
            "properties": {
                "apiVersion": self.standard.api_version,
                "items": {
                    "description": f"List of {plural}."
                    + (f" More info: {more}" if more else ""),
                    "type": "array",
                    "items": {"$ref": f"{REFERENCE_PREFIX}{definition}"},
                },
                "kind": self.standard.kind,
                "metadata": self.standard.list_metadata,
            },
        }

    def schema(self, raw: Any, pointer: Pointer, depth: int) -> dict[str, Any]:
        """A structural schema as the API server publishes it."""
        if not isinstance(raw, Mapping):
            raise self.error("a schema must be an object", pointer)
        if depth > _MAX_DEPTH:
            raise self.error(f"is nested more than {_MAX_DEPTH} deep", pointer)
        self.check_structural(raw, pointer)
        result = {key: value for key, value in raw.items() if key not in _DROPPED}
        inner = depth + 1
        if "properties" in raw:
            if not isinstance(raw["properties"], Mapping):
                raise self.error("must be an object", ("properties", pointer))
            result["properties"] = {
                name: self.schema(schema, (name, ("properties", pointer)), inner)
                for name, schema in raw["properties"].items()
            }
        for key in ("items", "additionalProperties"):
            if isinstance(raw.get(key), Mapping):
                result[key] = self.schema(raw[key], (key, pointer), inner)
        if raw.get("x-kubernetes-int-or-string"):
            result.setdefault("anyOf", [{"type": "integer"}, {"type": "string"}])
        if raw.get("x-kubernetes-embedded-resource"):
            # An embedded object has apiVersion and kind (builder.go,
            # addEmbeddedProperties).
            result["properties"] = {
                **result.get("properties", {}),
                "apiVersion": self.standard.api_version,
                "kind": self.standard.kind,
                "metadata": self.standard.metadata,
            }
            required = result.get("required", [])
            missing = [name for name in ("kind", "apiVersion") if name not in required]
            result["required"] = [*required, *missing]
        return result

    def check_structural(self, raw: JsonObject, pointer: Pointer) -> None:
        """Raise SpecError for what no structural schema has.

        Source: "Specifying a structural schema" in the Kubernetes documentation of
        CustomResourceDefinitions, and validateStructuralInvariants.
        """
        for key in _FORBIDDEN:
            if key in raw:
                raise self.error(
                    "is not allowed in a structural schema", (key, pointer)
                )
        if not (
            raw.get("type")
            or raw.get("x-kubernetes-int-or-string")
            or raw.get("x-kubernetes-preserve-unknown-fields")
        ):
            raise self.error("has no type, as a structural schema must", pointer)
        if "properties" in raw and raw.get("additionalProperties"):
            raise self.error(
                "has both properties and additionalProperties, which a structural "
                "schema cannot",
                pointer,
            )
        if isinstance(raw.get("items"), list):
            raise self.error("must be one schema, not a list", ("items", pointer))
        if raw.get("uniqueItems"):
            raise self.error(
                "is not allowed",
                ("uniqueItems", pointer),
                "use x-kubernetes-list-type: set",
            )
        for key in (*_LOGIC, "not"):
            if key in raw:
                self.check_logic(raw, key, pointer)

    def check_logic(self, raw: JsonObject, key: str, pointer: Pointer) -> None:
        branches = raw[key] if key != "not" else [raw[key]]
        if not isinstance(branches, list):
            raise self.error("must be a list of schemas", (key, pointer))
        for index, branch in enumerate(branches):
            branch_pointer: Pointer = (
                (key, pointer) if key == "not" else (str(index), (key, pointer))
            )
            if not isinstance(branch, Mapping):
                raise self.error("a schema must be an object", branch_pointer)
            for name in _STRUCTURE_ONLY:
                if name in branch:
                    raise self.error(
                        f"may not stand inside of {key} in a structural schema",
                        (name, branch_pointer),
                    )

    def table(self, raw: JsonObject, key: str, pointer: Pointer | None) -> JsonObject:
        value = raw.get(key)
        if not isinstance(value, Mapping):
            raise self.error(
                "is missing" if value is None else "must be an object", (key, pointer)
            )
        return value

    def text(
        self, raw: JsonObject, key: str, pointer: Pointer, pattern: re.Pattern[str]
    ) -> str:
        value = raw.get(key)
        if not isinstance(value, str):
            raise self.error(
                "is missing" if value is None else "must be a string", (key, pointer)
            )
        if not pattern.match(value):
            raise self.error(f"{value[:80]!a} is not a valid name", (key, pointer))
        return value

    def error(self, what: str, pointer: Pointer | None, hint: str = "") -> SpecError:
        return SpecError(
            what, where=f"{self.where}#{printable_pointer(pointer)}", hint=hint
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


def _served_as(version: JsonObject, group: str, name: str, kind: str) -> JsonObject:
    """The extensions of a definition that say what it is served as."""
    served: dict[str, Any] = {
        KINDS_KEYWORD: [{"group": group, "kind": kind, "version": name}]
    }
    fields = version.get("selectableFields")
    if fields:
        served["x-kubernetes-selectable-fields"] = [
            {"fieldPath": str(field.get("jsonPath", "")).removeprefix(".")}
            for field in fields
        ]
    return served


def _deprecation(version: JsonObject, group: str, name: str, kind: str) -> str | None:
    """The warning of a deprecated version; that of the API server if it has none."""
    if not version.get("deprecated"):
        return None
    warning = version.get("deprecationWarning")
    return str(warning) if warning else f"{group}/{name} {kind} is deprecated"
