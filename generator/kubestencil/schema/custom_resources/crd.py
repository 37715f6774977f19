"""Reads CustomResourceDefinitions: the definitions that kube-apiserver serves for them.

The rules are those of apiextensions-apiserver: ``pkg/apiserver/schema`` says which
schemas are structural, ``pkg/controller/openapi/builder`` what is published under
``/openapi/v3``. A CRD's definitions are plain JSON values in the form of an OpenAPI
2.0 document, so that the reader of such documents gives the release.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from kubestencil.errors import SpecError
from kubestencil.schema.custom_resources.standard_fields import StandardFields
from kubestencil.schema.custom_resources.structural import (
    CrdDefault,
    StructuralSchemas,
    schema_error,
)
from kubestencil.schema.keywords import KINDS_KEYWORD, PRESERVE, REFERENCE_PREFIX
from kubestencil.schema.pointer import Pointer
from kubestencil.schema.resources.operation import VERBS
from kubestencil.schema.types import (
    GroupVersionKind,
    JsonObject,
    PrinterColumn,
    Resource,
    Subresource,
)

_BETA = "apiextensions.k8s.io/v1beta1"
_GROUP_VERSIONS = ("apiextensions.k8s.io/v1", _BETA)
# What v1beta1 may have once for all versions.
_SHARED = ("validation", "subresources", "additionalPrinterColumns")
_SPEC: Pointer = ("spec", None)

# validation.IsDNS1123Subdomain and IsDNS1035Label, in kinds without regard to case.
_GROUP = re.compile(
    r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)+\Z"
)
_LABEL = re.compile(r"[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?\Z")
_KIND = re.compile(r"[A-Za-z](?:[-A-Za-z0-9]{0,61}[A-Za-z0-9])?\Z")

# apiextensions-apiserver, pkg/apiserver/customresource_handler.go and discovery.
_SUBRESOURCE_VERBS = ("get", "patch", "update")
_SCALE = GroupVersionKind("autoscaling", "v1", "Scale")


@dataclass(frozen=True, slots=True)
class CustomResource:
    """What a CustomResourceDefinition adds to the API.

    ``definitions`` are by full name: a kind and its list kind for each version,
    ``resources`` one for each version. ``pointers`` locate the schemas of the kinds
    in the CustomResourceDefinition, ``notes`` say what a user should know of it, and
    ``defaults`` have not been checked.
    """

    group: str
    kind: str
    definitions: Mapping[str, JsonObject]
    resources: tuple[Resource, ...]
    pointers: Mapping[str, Pointer]
    schemas: Mapping[GroupVersionKind, JsonObject]
    notes: tuple[str, ...] = ()
    defaults: tuple[CrdDefault, ...] = ()


def custom_resource(
    crd: JsonObject,
    where: str,
    standard: StandardFields,
    *,
    unserved: bool,
) -> CustomResource:
    """Read a CustomResourceDefinition: the versions that are served, and the others
    too with ``unserved``.

    ``where`` is the CRD's file and line, for errors. Raises SpecError, with a JSON pointer,
    for an object that is not a CRD and for a schema that is not structural.
    """
    return _CrdReader(where, standard).read(crd, unserved)


@dataclass(frozen=True, slots=True)
class _Version:
    """A version of a CustomResourceDefinition: its ``raw`` object and its ``schema``,
    None where it has none, each with its pointer."""

    name: str
    raw: JsonObject
    pointer: Pointer
    schema: Any
    schema_pointer: Pointer


class _CrdReader:
    """Reads one CustomResourceDefinition."""

    def __init__(self, where: str, standard: StandardFields) -> None:
        self.where = where
        self.standard = standard
        self.kind_fields = {
            "apiVersion": standard.api_version,
            "kind": standard.kind,
            "metadata": standard.metadata,
        }
        self.schemas = StructuralSchemas(where, self.kind_fields)

    def read(self, crd: JsonObject, unserved: bool) -> CustomResource:
        if crd.get("apiVersion") not in _GROUP_VERSIONS:
            raise self.error(
                f"has the unknown apiVersion {crd.get('apiVersion')!a}",
                ("apiVersion", None),
                f"convert it to {_GROUP_VERSIONS[0]}",
            )
        is_beta = crd["apiVersion"] == _BETA
        spec = self.table(crd, "spec", None)
        names = self.read_names(spec)
        kind, group = names.kind.kind, names.kind.group
        list_kind = spec["names"].get("listKind") or f"{kind}List"
        package = ".".join(reversed(group.split(".")))
        definitions: dict[str, JsonObject] = {}
        resources: list[Resource] = []
        pointers: dict[str, Pointer] = {}
        schemas: dict[GroupVersionKind, JsonObject] = {}
        for version in self.versions(spec, is_beta):
            if version.raw["served"] or unserved:
                definition = f"{package}.{version.name}.{kind}"
                definitions[definition] = {
                    **self.kind_schema(version),
                    **self.served_as(version, group, kind),
                }
                pointers[definition] = version.schema_pointer
                definitions[f"{package}.{version.name}.{list_kind}"] = {
                    **self.list_schema(definition, list_kind, names.plural),
                    **self.served_as(version, group, list_kind),
                }
                resources.append(self.read_resource(names, version))
                schemas[resources[-1].kind] = version.schema or {}
        return CustomResource(
            group,
            kind,
            definitions,
            tuple(resources),
            pointers,
            schemas,
            tuple(self.notes(spec, is_beta)),
            tuple(self.schemas.defaults),
        )

    def notes(self, spec: JsonObject, is_beta: bool) -> Iterator[str]:
        """Notes for users on an old CustomResourceDefinition."""
        if is_beta:
            yield (
                f"{self.where}: {_BETA} was removed in Kubernetes 1.22; convert it to "
                f"{_GROUP_VERSIONS[0]}"
            )
        if spec.get("preserveUnknownFields", is_beta):
            yield (
                f"{self.where}#/spec/preserveUnknownFields: true, the default of "
                "v1beta1, keeps fields that the schema does not have; it is read as "
                "false, as v1 requires"
            )

    def read_names(self, spec: JsonObject) -> Resource:
        """What all versions have in common; that of their kind is empty."""
        names = self.table(spec, "names", _SPEC)
        pointer: Pointer = ("names", _SPEC)
        if spec.get("scope") not in ("Namespaced", "Cluster"):
            raise self.error("must be Namespaced or Cluster", ("scope", _SPEC))
        kind = self.text(names, "kind", pointer, _KIND)
        singular = {"singular": names.get("singular") or kind.lower()}
        list_kind = {"listKind": names.get("listKind") or f"{kind}List"}
        group = self.text(spec, "group", _SPEC, _GROUP)
        self.text(list_kind, "listKind", pointer, _KIND)
        conversion = spec.get("conversion")
        is_object = isinstance(conversion, Mapping)
        strategy = spec["conversion"].get("strategy") if is_object else None
        return Resource(
            kind=GroupVersionKind(group, "", kind),
            plural=self.text(names, "plural", pointer, _LABEL),
            singular=self.text(singular, "singular", pointer, _LABEL),
            short_names=self.labels(names, "shortNames", pointer),
            categories=self.labels(names, "categories", pointer),
            namespaced=spec["scope"] == "Namespaced",
            verbs=VERBS,
            conversion=strategy if isinstance(strategy, str) else "None",
        )

    def read_resource(self, names: Resource, version: _Version) -> Resource:
        """How a version of the kind is served."""
        raw = version.raw
        warning = raw.get("deprecationWarning")
        subresources = raw.get("subresources") or {}
        if not isinstance(subresources, Mapping):
            raise self.error("must be an object", ("subresources", version.pointer))
        return replace(
            names,
            kind=names.kind._replace(version=version.name),
            subresources=tuple(
                Subresource(name, _SUBRESOURCE_VERBS, kind)
                for name, kind in (("scale", _SCALE), ("status", None))
                if name in subresources
            ),
            printer_columns=tuple(self.read_columns(raw, version.pointer)),
            selectable_fields=self.selectable_fields(version),
            served=raw["served"],
            storage=raw["storage"],
            deprecated=bool(raw.get("deprecated", False)),
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

    def labels(self, raw: JsonObject, key: str, pointer: Pointer) -> tuple[str, ...]:
        values = raw.get(key) or []
        key_pointer: Pointer = (key, pointer)
        if not isinstance(values, list):
            raise self.error("must be a list of strings", key_pointer)
        return tuple(
            self.text({str(index): value}, str(index), key_pointer, _LABEL)
            for index, value in enumerate(values)
        )

    def versions(self, spec: JsonObject, is_beta: bool) -> Iterator[_Version]:
        """The versions, each once, with the schema, columns and subresources that
        v1beta1 may have for all versions together."""
        shared = {key: spec[key] for key in _SHARED if spec.get(key) is not None}
        if shared and not is_beta:
            key = next(iter(shared))
            raise self.error(
                f"is {_BETA}",
                (key, _SPEC),
                f"in {_GROUP_VERSIONS[0]}, each of spec.versions has its own "
                f"{'schema' if key == 'validation' else key}",
            )
        versions = spec.get("versions")
        if versions is None and is_beta and isinstance(spec.get("version"), str):
            versions = [{"name": spec["version"], "served": True, "storage": True}]
        if not isinstance(versions, list) or not versions:
            raise self.error("must be a list of versions", ("versions", _SPEC))
        names: set[str] = set()
        stored: str | None = None
        for index, raw in enumerate(versions):
            pointer: Pointer = (str(index), ("versions", _SPEC))
            if not isinstance(raw, Mapping):
                raise self.error("must be an object", pointer)
            name = self.text(raw, "name", pointer, _LABEL)
            if name in names:
                raise self.error(f"the version {name} is duplicated", pointer)
            for key in ("served", "storage"):
                if not isinstance(raw.get(key), bool):
                    raise self.error("must be true or false", (key, pointer))
            if raw["storage"] and stored is not None:
                raise self.error(
                    f"is true in two versions, {stored} and {name}",
                    ("storage", pointer),
                )
            stored = name if raw["storage"] else stored
            names.add(name)
            if raw.get("schema") is None and "validation" in shared:
                schema, schema_pointer = shared["validation"], ("validation", _SPEC)
            else:
                schema, schema_pointer = raw.get("schema"), ("schema", pointer)
            if schema is not None and not isinstance(schema, Mapping):
                raise self.error("must be an object", schema_pointer)
            yield _Version(
                name,
                {**shared, **raw},
                pointer,
                (schema or {}).get("openAPIV3Schema"),
                ("openAPIV3Schema", schema_pointer),
            )

    def kind_schema(self, version: _Version) -> JsonObject:
        """The schema of a kind, with the fields that every kind has."""
        # Without a schema, everything is kept.
        result: JsonObject = {"type": "object", PRESERVE: True}
        if version.schema is not None:
            result = self.schemas.read(version.schema, version.schema_pointer)
        fields = {**result.get("properties", {}), **self.kind_fields}
        return {**result, "properties": fields}

    def served_as(self, version: _Version, group: str, kind: str) -> JsonObject:
        """The extensions of a definition that say what it is served as."""
        served: dict[str, Any] = {
            KINDS_KEYWORD: [{"group": group, "kind": kind, "version": version.name}]
        }
        fields = self.selectable_fields(version)
        if fields:
            served["x-kubernetes-selectable-fields"] = [
                {"fieldPath": path} for path in fields
            ]
        return served

    def selectable_fields(self, version: _Version) -> tuple[str, ...]:
        """The JSON paths of the fields that objects can be selected by, without the
        dot."""
        fields = version.raw.get("selectableFields") or []
        pointer: Pointer = ("selectableFields", version.pointer)
        if not isinstance(fields, list) or not all(
            isinstance(field, Mapping) for field in fields
        ):
            raise self.error("must be a list of objects", pointer)
        return tuple(
            str(field.get("jsonPath", "")).removeprefix(".") for field in fields
        )

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
