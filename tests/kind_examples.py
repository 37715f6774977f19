"""Small valid objects of the kinds of which the API server refuses the examples that
are made from their types alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_MATCH = {
    "resourceRules": [
        {
            "apiGroups": ["example.com"],
            "apiVersions": ["v1"],
            "operations": ["CREATE"],
            "resources": ["gadgets"],
        }
    ]
}
_ACCESS = {"resourceAttributes": {"verb": "get", "resource": "pods"}}
_POLICY = {
    "matchConstraints": _MATCH,
    "reinvocationPolicy": "Never",
    "mutations": [
        {
            "patchType": "JSONPatch",
            "jsonPatch": {
                "expression": "[JSONPatch{op: 'test', path: '/a', value: 1}]"
            },
        }
    ],
}
_SLICE = {
    "driver": "driver.example.com",
    "nodeName": "node",
    "pool": {"name": "pool", "generation": 1, "resourceSliceCount": 1},
}
_CANDIDATE = {
    "binaryVersion": "1.35.0",
    "emulationVersion": "1.35.0",
    "leaseName": "a-lease",
    "strategy": "OldestEmulationVersion",
}
_BINDING = {"target": {"kind": "Node", "name": "an-object"}}
_PARENT = {"group": "", "resource": "services", "name": "a", "namespace": "default"}


def _object(kind: str, **values: Any) -> dict[str, Any]:
    api_version, _, name = kind.rpartition(" ")
    return {"apiVersion": api_version, "kind": name, **values}


_OBJECTS = (
    _object(
        "admissionregistration.k8s.io/v1 ValidatingAdmissionPolicyBinding",
        spec={"policyName": "none", "validationActions": ["Audit"]},
    ),
    *(
        _object(f"admissionregistration.k8s.io/{version} {kind}", spec=spec)
        for version in ("v1alpha1", "v1beta1")
        for kind, spec in (
            ("MutatingAdmissionPolicy", _POLICY),
            ("MutatingAdmissionPolicyBinding", {"policyName": "none"}),
        )
    ),
    _object(
        "apiregistration.k8s.io/v1 APIService",
        metadata={"name": "v1.operations.example.com"},
        spec={
            "group": "operations.example.com",
            "version": "v1",
            "groupPriorityMinimum": 1000,
            "versionPriority": 15,
            "insecureSkipTLSVerify": True,
            "service": {"name": "none", "namespace": "default"},
        },
    ),
    _object("authentication.k8s.io/v1 TokenReview", spec={"token": "none"}),
    _object(
        "authorization.k8s.io/v1 LocalSubjectAccessReview",
        metadata={"namespace": "operations"},
        spec={**_ACCESS, "user": "somebody"}
        | {
            "resourceAttributes": {
                **_ACCESS["resourceAttributes"],
                "namespace": "operations",
            }
        },
    ),
    _object("authorization.k8s.io/v1 SelfSubjectAccessReview", spec=_ACCESS),
    _object("authorization.k8s.io/v1 SelfSubjectRulesReview", spec={"namespace": "default"}),
    _object("authorization.k8s.io/v1 SubjectAccessReview", spec={**_ACCESS, "user": "somebody"}),
    *(
        _object(f"coordination.k8s.io/{version} LeaseCandidate", spec=_CANDIDATE)
        for version in ("v1alpha2", "v1beta1")
    ),
    _object("v1 Binding", **_BINDING),
    _object("v1 Pod", spec={"containers": [{"name": "a", "image": "a"}]}),
    _object("v1 Event", involvedObject={"kind": "Pod", "name": "a", "namespace": "operations"}),
    _object(
        "internal.apiserver.k8s.io/v1alpha1 StorageVersion",
        metadata={"name": "example.com.gadgets"},
        spec={},
        status={},
    ),
    *(
        _object(
            f"networking.k8s.io/{version} IPAddress",
            metadata={"name": address},
            spec={"parentRef": _PARENT},
        )
        for version, address in (("v1", "10.1.0.1"), ("v1beta1", "10.1.0.2"))
    ),
    *(
        _object(f"networking.k8s.io/{version} ServiceCIDR", spec={"cidrs": [cidr]})
        for version, cidr in (("v1", "10.2.0.0/24"), ("v1beta1", "10.3.0.0/24"))
    ),
    _object(
        "rbac.authorization.k8s.io/v1 ClusterRoleBinding",
        roleRef={
            "apiGroup": "rbac.authorization.k8s.io",
            "kind": "ClusterRole",
            "name": "none",
        },
    ),
    _object("resource.k8s.io/v1alpha3 DeviceTaintRule", spec={"taint": {"effect": "None", "key": "example.com/a"}}),
    *(
        _object(f"resource.k8s.io/{version} ResourceSlice", spec=_SLICE)
        for version in ("v1beta1", "v1beta2")
    ),
    *(
        _object(
            f"storage.k8s.io/{version} VolumeAttributesClass",
            metadata={"name": f"attributes-{version}"},
            driverName="driver.example.com",
            parameters={"a": "b"},
        )
        for version in ("v1", "v1beta1")
    ),
)  # fmt: skip

#: The objects by apiVersion and kind.
KIND_EXAMPLES: Mapping[str, dict[str, Any]] = {
    f"{value['apiVersion']} {value['kind']}": value for value in _OBJECTS
}
