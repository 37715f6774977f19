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
from typing import Any, Literal

from kubestencil.errors import SpecError
from kubestencil.schema.keywords import KINDS_KEYWORD, REFERENCE_PREFIX
from kubestencil.schema.pointer import Pointer, printable_pointer
from kubestencil.schema.types import JsonObject
from kubestencil.schema.well_known import LIST_META, OBJECT_META

Scope = Literal["Namespaced", "Cluster"]

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
class CustomResource:
    """One version of a CustomResourceDefinition.

    ``definition`` and ``list_definition`` are the full names of its definitions,
    ``names`` the table ``spec.names`` (plural, singular, shortNames, categories).
    ``printer_columns`` and ``subresources`` are as the CRD has them.
    """

    group: str
    version: str
    kind: str
    scope: Scope
    names: JsonObject
    is_served: bool
    is_storage: bool
    deprecation: str | None
    printer_columns: tuple[JsonObject, ...]
    subresources: JsonObject
    definition: str
    list_definition: str
    definitions: Mapping[str, JsonObject]


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


def custom_resources(
    crd: JsonObject, where: str, standard: StandardFields, *, unserved: bool
) -> list[CustomResource]:
    """The versions of a CustomResourceDefinition: those that are served, and the
    others too with ``unserved``.

    ``where`` names the CRD's file and line in errors. Raises SpecError, with a JSON
    pointer, for an object that is no CRD, and for a schema that is not structural.
    """
    return list(_Reader(where, standard).resources(crd, unserved))


class _Reader:
    def __init__(self, where: str, standard: StandardFields) -> None:
        self.where = where
        self.standard = standard

    def resources(self, crd: JsonObject, unserved: bool) -> Iterator[CustomResource]:
        if crd.get("apiVersion") not in _GROUP_VERSIONS:
            raise self.error(
                f"is of the unknown apiVersion {crd.get('apiVersion')!a}",
                ("apiVersion", None),
                f"convert it to {_GROUP_VERSIONS[0]}",
            )
        at: Pointer = ("spec", None)
        spec = self.table(crd, "spec", None)
        names_at: Pointer = ("names", at)
        names = self.table(spec, "names", at)
        group = self.text(spec, "group", at, _GROUP)
        kind = self.text(names, "kind", names_at, _KIND)
        self.text(names, "plural", names_at, _LABEL)
        scope = spec.get("scope")
        if scope not in ("Namespaced", "Cluster"):
            raise self.error("must be Namespaced or Cluster", ("scope", at))
        list_kind = names.get("listKind") or f"{kind}List"
        if not isinstance(list_kind, str) or not _KIND.match(list_kind):
            raise self.error("is not the name of a kind", ("listKind", names_at))
        seen: set[str] = set()
        for version, version_at in self.versions(spec, at):
            name = self.text(version, "name", version_at, _LABEL)
            if name in seen:
                raise self.error(f"the version {name} stands twice", version_at)
            seen.add(name)
            if not (version.get("served", True) or unserved):
                continue
            package = ".".join((*reversed(group.split(".")), name))
            definition = f"{package}.{kind}"
            list_definition = f"{package}.{list_kind}"
            yield CustomResource(
                group=group,
                version=name,
                kind=kind,
                scope=scope,
                names=names,
                is_served=bool(version.get("served", True)),
                is_storage=bool(version.get("storage", False)),
                deprecation=_deprecation(version, group, name, kind),
                printer_columns=tuple(version.get("additionalPrinterColumns", ())),
                subresources=version.get("subresources") or {},
                definition=definition,
                list_definition=list_definition,
                definitions={
                    definition: {
                        **self.kind_schema(version, version_at),
                        **_served_as(version, group, name, kind),
                    },
                    list_definition: {
                        **self.list_schema(definition, list_kind, names["plural"]),
                        **_served_as(version, group, name, list_kind),
                    },
                },
            )

    def versions(
        self, spec: JsonObject, at: Pointer
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
            raise self.error("must be a list of versions", ("versions", at))
        for index, version in enumerate(versions):
            version_at: Pointer = (str(index), ("versions", at))
            if not isinstance(version, Mapping):
                raise self.error("must be an object", version_at)
            yield {**shared, **version}, version_at

    def kind_schema(self, version: JsonObject, at: Pointer) -> JsonObject:
        """The schema of a kind, with the fields that every kind has."""
        schema = version.get("schema") or {}
        if not isinstance(schema, Mapping):
            raise self.error("must be an object", ("schema", at))
        given = schema.get("openAPIV3Schema")
        result: dict[str, Any]
        if given is None:
            # Without a schema, everything is kept.
            result = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
        else:
            schema_at: Pointer = ("openAPIV3Schema", ("schema", at))
            result = self.schema(given, schema_at, 0)
            if result.get("type") != "object":
                raise self.error("must be object at the root", ("type", schema_at))
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

    def schema(self, raw: Any, at: Pointer, depth: int) -> dict[str, Any]:
        """A structural schema as the API server publishes it."""
        if not isinstance(raw, Mapping):
            raise self.error("a schema must be an object", at)
        if depth > _MAX_DEPTH:
            raise self.error(f"is nested more than {_MAX_DEPTH} deep", at)
        self.check_structural(raw, at)
        result = {key: value for key, value in raw.items() if key not in _DROPPED}
        inner = depth + 1
        if "properties" in raw:
            if not isinstance(raw["properties"], Mapping):
                raise self.error("must be an object", ("properties", at))
            result["properties"] = {
                name: self.schema(schema, (name, ("properties", at)), inner)
                for name, schema in raw["properties"].items()
            }
        for key in ("items", "additionalProperties"):
            if isinstance(raw.get(key), Mapping):
                result[key] = self.schema(raw[key], (key, at), inner)
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

    def check_structural(self, raw: JsonObject, at: Pointer) -> None:
        """Raise SpecError for what no structural schema has.

        Source: "Specifying a structural schema" in the Kubernetes documentation of
        CustomResourceDefinitions, and validateStructuralInvariants.
        """
        for key in _FORBIDDEN:
            if key in raw:
                raise self.error("is not allowed in a structural schema", (key, at))
        if not (
            raw.get("type")
            or raw.get("x-kubernetes-int-or-string")
            or raw.get("x-kubernetes-preserve-unknown-fields")
        ):
            raise self.error("has no type, as a structural schema must", at)
        if "properties" in raw and raw.get("additionalProperties"):
            raise self.error(
                "has both properties and additionalProperties, which a structural "
                "schema cannot",
                at,
            )
        if isinstance(raw.get("items"), list):
            raise self.error("must be one schema, not a list", ("items", at))
        if raw.get("uniqueItems"):
            raise self.error(
                "is not allowed",
                ("uniqueItems", at),
                "use x-kubernetes-list-type: set",
            )
        for key in (*_LOGIC, "not"):
            if key in raw:
                self.check_logic(raw, key, at)

    def check_logic(self, raw: JsonObject, key: str, at: Pointer) -> None:
        branches = raw[key] if key != "not" else [raw[key]]
        if not isinstance(branches, list):
            raise self.error("must be a list of schemas", (key, at))
        for index, branch in enumerate(branches):
            branch_at: Pointer = (key, at) if key == "not" else (str(index), (key, at))
            if not isinstance(branch, Mapping):
                raise self.error("a schema must be an object", branch_at)
            for name in _STRUCTURE_ONLY:
                if name in branch:
                    raise self.error(
                        f"may not stand inside of {key} in a structural schema",
                        (name, branch_at),
                    )

    def table(self, raw: JsonObject, key: str, at: Pointer | None) -> JsonObject:
        value = raw.get(key)
        if not isinstance(value, Mapping):
            raise self.error(
                "is missing" if value is None else "must be an object", (key, at)
            )
        return value

    def text(
        self, raw: JsonObject, key: str, at: Pointer, pattern: re.Pattern[str]
    ) -> str:
        value = raw.get(key)
        if not isinstance(value, str):
            raise self.error(
                "is missing" if value is None else "must be a string", (key, at)
            )
        if not pattern.match(value):
            raise self.error(
                f"{value[:80]!a} is no name that Kubernetes takes", (key, at)
            )
        return value

    def error(self, what: str, at: Pointer | None, hint: str = "") -> SpecError:
        return SpecError(what, where=f"{self.where}#{printable_pointer(at)}", hint=hint)


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
