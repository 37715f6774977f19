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
from kubestencil.schema.pointer import Pointer
from kubestencil.schema.resources import PrinterColumn, Resource, Subresource
from kubestencil.schema.structural import StructuralSchemas, schema_error
from kubestencil.schema.types import GroupVersionKind, JsonObject
from kubestencil.schema.well_known import LIST_META, OBJECT_META

_GROUP_VERSIONS = ("apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1")

# validation.IsDNS1123Subdomain and IsDNS1035Label, in kinds without regard to case.
_GROUP = re.compile(
    r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)+\Z"
)
_LABEL = re.compile(r"[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?\Z")
_KIND = re.compile(r"[A-Za-z](?:[-A-Za-z0-9]{0,61}[A-Za-z0-9])?\Z")

# apiextensions-apiserver, pkg/apiserver/customresource_handler.go and discovery.
_VERBS = (
    "create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"
)  # fmt: skip
_SUBRESOURCE_VERBS = ("get", "patch", "update")
_SCALE = GroupVersionKind("autoscaling", "v1", "Scale")


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


@dataclass(frozen=True, slots=True)
class CustomResource:
    """What a CustomResourceDefinition adds to the API.

    ``definitions`` are by full name: a kind and its list kind for each version,
    ``resources`` one for each version.
    """

    definitions: Mapping[str, JsonObject]
    resources: tuple[Resource, ...]


def custom_resource(
    crd: JsonObject, where: str, standard: StandardFields, *, unserved: bool
) -> CustomResource:
    """Read a CustomResourceDefinition: the versions that are served, and the others
    too with ``unserved``.

    ``where`` is the CRD's file and line, for errors. Raises SpecError, with a JSON
    pointer, for an object that is not a CRD and for a schema that is not structural.
    """
    return _Reader(where, standard).read(crd, unserved)


@dataclass(frozen=True, slots=True)
class _Names:
    """The group, scope and names of a CustomResourceDefinition."""

    group: str
    kind: str
    list_kind: str
    plural: str
    singular: str
    short_names: tuple[str, ...]
    categories: tuple[str, ...]
    namespaced: bool

    def definition(self, version: str, kind: str) -> str:
        """The full name of the definition of a kind."""
        return ".".join((*reversed(self.group.split(".")), version, kind))


class _Reader:
    """Reads one CustomResourceDefinition."""

    def __init__(self, where: str, standard: StandardFields) -> None:
        self.where = where
        self.standard = standard
        self.schemas = StructuralSchemas(
            where,
            {
                "apiVersion": standard.api_version,
                "kind": standard.kind,
                "metadata": standard.metadata,
            },
        )

    def read(self, crd: JsonObject, unserved: bool) -> CustomResource:
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
        definitions: dict[str, JsonObject] = {}
        resources: list[Resource] = []
        for version, version_pointer in self.versions(spec, pointer):
            name = self.text(version, "name", version_pointer, _LABEL)
            if name in versions:
                raise self.error(f"the version {name} is duplicated", version_pointer)
            versions.add(name)
            if version.get("served", True) or unserved:
                definition = names.definition(name, names.kind)
                definitions[definition] = {
                    **self.kind_schema(version, version_pointer),
                    **_served_as(version, names.group, name, names.kind),
                }
                definitions[names.definition(name, names.list_kind)] = {
                    **self.list_schema(definition, names.list_kind, names.plural),
                    **_served_as(version, names.group, name, names.list_kind),
                }
                resources.append(self.read_resource(names, version, version_pointer))
        return CustomResource(definitions, tuple(resources))

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
            singular=str(names.get("singular") or kind.lower()),
            short_names=self.strings(names, "shortNames", names_pointer),
            categories=self.strings(names, "categories", names_pointer),
            namespaced=spec["scope"] == "Namespaced",
        )

    def read_resource(
        self, names: _Names, version: JsonObject, pointer: Pointer
    ) -> Resource:
        """How a version of the kind is served."""
        warning = version.get("deprecationWarning")
        return Resource(
            kind=GroupVersionKind(names.group, version["name"], names.kind),
            plural=names.plural,
            singular=names.singular,
            namespaced=names.namespaced,
            short_names=names.short_names,
            categories=names.categories,
            verbs=_VERBS,
            subresources=tuple(
                Subresource(name, _SUBRESOURCE_VERBS, kind)
                for name, kind in (("scale", _SCALE), ("status", None))
                if name in (version.get("subresources") or {})
            ),
            printer_columns=tuple(self.read_columns(version, pointer)),
            selectable_fields=_selectable_fields(version),
            served=bool(version.get("served", True)),
            storage=bool(version.get("storage", False)),
            deprecated=bool(version.get("deprecated", False)),
            deprecation_warning=None if warning is None else str(warning),
        )

    def read_columns(
        self, version: JsonObject, pointer: Pointer
    ) -> Iterator[PrinterColumn]:
        columns = version.get("additionalPrinterColumns") or []
        columns_pointer: Pointer = ("additionalPrinterColumns", pointer)
        if not isinstance(columns, list):
            raise self.error("must be a list", columns_pointer)
        for index, column in enumerate(columns):
            if not isinstance(column, Mapping):
                raise self.error("must be an object", (str(index), columns_pointer))
            priority = column.get("priority", 0)
            yield PrinterColumn(
                name=str(column.get("name", "")),
                type=str(column.get("type", "")),
                # v1beta1 spells it JSONPath.
                json_path=str(column.get("jsonPath", column.get("JSONPath", ""))),
                description=str(column.get("description", "")),
                priority=priority if isinstance(priority, int) else 0,
            )

    def strings(self, raw: JsonObject, key: str, pointer: Pointer) -> tuple[str, ...]:
        values = raw.get(key) or []
        if not isinstance(values, list):
            raise self.error("must be a list of strings", (key, pointer))
        return tuple(str(value) for value in values)

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
            result = self.schemas.read(given, schema_pointer)
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
        return schema_error(self.where, what, pointer, hint)


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
    fields = _selectable_fields(version)
    if fields:
        served["x-kubernetes-selectable-fields"] = [
            {"fieldPath": path} for path in fields
        ]
    return served


def _selectable_fields(version: JsonObject) -> tuple[str, ...]:
    """The JSON paths of the fields that objects can be selected by, without the dot."""
    return tuple(
        str(field.get("jsonPath", "")).removeprefix(".")
        for field in version.get("selectableFields") or ()
    )
