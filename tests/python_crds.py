"""CustomResourceDefinitions with what Python types make a difference for."""

from __future__ import annotations

from typing import Any

from tests.crd_schemas import definition, version

TEXT = {"type": "string"}
PRESERVE = {"x-kubernetes-preserve-unknown-fields": True}
_ANY_OBJECT = {"type": "object", "x-kubernetes-embedded-resource": True, **PRESERVE}


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


SPEC = {
    **_object(
        mode={**TEXT, "enum": ["On", "off", 'a "b"', "Ü", "\u4e16"], "default": "off"},
        size={"type": "integer", "enum": [1, 2, 3]},
        mixed={"enum": ["a", 1, None], "nullable": True, **PRESERVE},
        ratio={"type": "number", "enum": [0.5, 1]},
        issuerRef={**_object(name=TEXT, kind=TEXT), "required": ["name"]},
        port={"x-kubernetes-int-or-string": True},
        ports={"type": "array", "items": {"x-kubernetes-int-or-string": True}},
        note={**TEXT, "nullable": True, "default": "x"},
        since={**TEXT, "format": "date-time", "nullable": True},
        when={**TEXT, "format": "date-time"},
        times={
            "type": "object",
            "additionalProperties": {**TEXT, "format": "date-time"},
        },
        gaps={"type": "array", "items": {**TEXT, "nullable": True}},
        raw={"type": "object", **PRESERVE},
        anything=PRESERVE,
        open={**_object(known=TEXT, inner={**_object(a=TEXT), **PRESERVE}), **PRESERVE},
        opens={"type": "array", "items": {**_object(known=TEXT), **PRESERVE}},
        template=_ANY_OBJECT,
        templates={"type": "array", "items": _ANY_OBJECT},
        shaped={
            **_object(spec=_object(a=TEXT)),
            "x-kubernetes-embedded-resource": True,
        },
        either={
            **_object(a=TEXT, b=TEXT),
            "oneOf": [{"required": ["a"]}, {"required": ["b"]}],
        },
        hostAliases=_object(ip=TEXT),
        host_aliases=_object(ip=TEXT),
        **{"class": TEXT, "foo.bar/baz": TEXT, 'a"b': TEXT, "list": TEXT},
    ),
    "required": ["mode"],
}
ROOT = {**_object(spec=SPEC), "description": "A gadget.", "required": ["spec"]}

GADGET = definition(
    "Gadget",
    version("v1", ROOT),
    version("v1beta1", _object(spec=_object(mode=TEXT)), deprecated=True),
)
#: A kind that keeps everything, with the name of one of Kubernetes' own.
POD = definition("Pod", version("v1", {"type": "object", **PRESERVE}))


def in_group(crd: dict[str, Any], group: str) -> dict[str, Any]:
    """A CustomResourceDefinition of another group."""
    spec = crd["spec"]
    name = f"{spec['names']['plural']}.{group}"
    return {**crd, "metadata": {"name": name}, "spec": {**spec, "group": group}}


#: A part of cert-manager's kind, for examples.
CERTIFICATE = in_group(
    definition(
        "Certificate",
        version(
            "v1",
            _object(
                spec=_object(
                    secretName=TEXT,
                    dnsNames={"type": "array", "items": TEXT},
                    issuerRef=_object(name=TEXT),
                    privateKey=_object(algorithm={**TEXT, "enum": ["RSA", "ECDSA"]}),
                )
            ),
        ),
    ),
    "cert-manager.io",
)
