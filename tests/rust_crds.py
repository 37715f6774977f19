"""Small CustomResourceDefinitions with everything that the Rust types of one can have."""

from __future__ import annotations

from typing import Any

from tests.crd_schemas import definition

STRING: dict[str, Any] = {"type": "string"}
#: The fields of Kubernetes' own types, as CustomResourceDefinitions repeat them.
CONDITION: dict[str, Any] = {
    "type": "object",
    "required": ["lastTransitionTime", "message", "reason", "status", "type"],
    "properties": {
        "lastTransitionTime": {"type": "string", "format": "date-time"},
        "message": STRING,
        "observedGeneration": {"type": "integer", "format": "int64"},
        "reason": STRING,
        "status": {"type": "string", "enum": ["True", "False", "Unknown"]},
        "type": STRING,
    },
}
OBJECT_REFERENCE: dict[str, Any] = {
    "type": "object",
    "properties": dict.fromkeys(
        [
            "apiVersion", "fieldPath", "kind", "name", "namespace", "resourceVersion",
            "uid",
        ],
        STRING,
    ),
}  # fmt: skip


def struct(*required: str, **fields: Any) -> dict[str, Any]:
    """The schema of an object; ``required`` are names of fields."""
    schema = {"type": "object", "properties": fields}
    return {**schema, "required": list(required)} if required else schema


def array(items: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "array", "items": items, **more}


def mapping(values: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": values}


def enum(*values: Any, **more: Any) -> dict[str, Any]:
    return {"type": "string", "enum": list(values), **more}


def crd(
    kind: str,
    *,
    group: str = "example.com",
    version: str = "v1",
    scope: str = "Namespaced",
    names: dict[str, str] | None = None,
    spec: dict[str, Any] | None = None,
    **fields: Any,
) -> dict[str, Any]:
    """A CustomResourceDefinition of one version; ``fields`` are those beside ``spec``.
    Without a spec it has no schema."""
    if spec is not None:
        fields = {"spec": spec, **fields}
    schema = {"openAPIV3Schema": struct(**fields)} if fields else {}
    item = {"name": version, "served": True, "storage": True, "schema": schema}
    return definition(kind, item, group=group, scope=scope, **(names or {}))


PRESERVE = {"x-kubernetes-preserve-unknown-fields": True}
KEYED = struct("name", name=STRING, value=STRING)
GADGET = crd(
    "HTTPGadget",
    spec=struct(
        "mode",
        "nullableText",
        "port",
        annotations=mapping(STRING),
        anything=PRESERVE,
        bytes={"type": "string", "format": "byte"},
        clusterIPs=array(STRING),
        config={**struct(known={"type": "boolean"}), **PRESERVE},
        count={"type": "integer", "format": "uint32"},
        empty={"type": "object"},
        hostAliases=struct(ip=STRING),
        host_aliases=struct(name=STRING),
        keyed=array(
            KEYED,
            **{
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["name"],
            },
        ),
        match=STRING,
        mode=enum("A", "b-c", "", "Other", "a", "301"),
        modes=array(enum("X", "Z")),
        modeByName=mapping(enum("X", "Z")),
        nullableMode=enum("X", None, nullable=True),
        nullableCount={"type": "integer", "nullable": True, "default": 1},
        nullableKeyed={
            **array(KEYED),
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name"],
            "nullable": True,
            "default": [],
        },
        nullableItems=array({"type": "string", "nullable": True}),
        nullableText={"type": "string", "nullable": True},
        nullableValues=mapping({"type": "integer", "nullable": True}),
        open={"type": "object", **PRESERVE},
        port={"x-kubernetes-int-or-string": True},
        ref=OBJECT_REFERENCE,
        self=STRING,
        template={"type": "object", "x-kubernetes-embedded-resource": True, **PRESERVE},
        time={"type": "string", "format": "date-time"},
        type=STRING,
        union=array(PRESERVE),
        unknown_fields=array(array(struct(deep=STRING))),
    ),
    status=struct(
        conditions=array(CONDITION),
        history=struct(
            conditions=array(
                struct(
                    *CONDITION["required"], **CONDITION["properties"], severity=STRING
                )
            )
        ),
    ),
)
#: A document that has all fields, as the server could send it.
GADGET_OBJECT: dict[str, Any] = {
    "apiVersion": "example.com/v1",
    "kind": "HTTPGadget",
    "metadata": {"name": "one", "labels": {"a": "b"}},
    "spec": {
        "annotations": {"a": "b"},
        "anything": [1, {"a": None}],
        "bytes": "aGk=",
        "clusterIPs": ["10.0.0.1"],
        "config": {"kind": "k", "known": True, "more": {"deep": [1]}, "none": None},
        "count": 4_000_000_000,
        "empty": {},
        "hostAliases": {"ip": "::1"},
        "host_aliases": {"name": "x"},
        "keyed": [{"name": "a", "value": "1"}, {"name": "b"}],
        "match": "x",
        "mode": "b-c",
        "modes": ["X", "W of a newer version"],
        "modeByName": {"a": "Z"},
        "nullableMode": "X",
        "nullableCount": None,
        "nullableKeyed": [{"name": "a"}],
        "nullableItems": ["a", None],
        "nullableText": None,
        "nullableValues": {"a": None, "b": 1},
        "open": {"a": {"b": 1}},
        "port": "http",
        "ref": {"kind": "Pod", "name": "p"},
        "self": "s",
        "template": {"apiVersion": "v1", "kind": "Pod", "spec": {"containers": []}},
        "time": "2026-01-02T03:04:05.678+02:00",
        "type": "t",
        "union": [1, "a", {}],
        "unknown_fields": [[{"deep": "d"}], []],
    },
    "status": {
        "conditions": [
            {
                "lastTransitionTime": "2026-01-02T03:04:05Z",
                "message": "",
                "reason": "R",
                "status": "True",
                "type": "Ready",
            }
        ],
        "history": {
            "conditions": [
                {
                    "lastTransitionTime": "2026-01-02T03:04:05.5Z",
                    "message": "",
                    "reason": "R",
                    "severity": "Info",
                    "status": "Maybe",
                    "type": "Ready",
                }
            ]
        },
    },
}
