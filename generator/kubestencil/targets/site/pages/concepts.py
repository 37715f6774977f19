"""The pages of kubernetes.io that explain kinds: reviewed addresses.

Their sources are below ``content/en`` in
https://github.com/kubernetes/website.
"""

from __future__ import annotations

from collections.abc import Mapping

from kubestencil.schema import GroupVersionKind

_SITE = "https://kubernetes.io/docs/"
_CONTROLLERS = "concepts/workloads/controllers"
_NETWORK = "concepts/services-networking"
_STORAGE = "concepts/storage"
_ACCESS = "reference/access-authn-authz"
_SCHEDULING = "concepts/scheduling-eviction"
_RBAC = "rbac.authorization.k8s.io"
_ADMISSION = "admissionregistration.k8s.io"
_FLOW_CONTROL = "flowcontrol.apiserver.k8s.io"
_DRA = "resource.k8s.io"

_PAGES: Mapping[str, Mapping[str, str]] = {
    "": {
        "ConfigMap": "concepts/configuration/configmap/",
        "LimitRange": "concepts/policy/limit-range/",
        "Namespace": "concepts/overview/working-with-objects/namespaces/",
        "Node": "concepts/architecture/nodes/",
        "PersistentVolume": f"{_STORAGE}/persistent-volumes/",
        "PersistentVolumeClaim": f"{_STORAGE}/persistent-volumes/",
        "Pod": "concepts/workloads/pods/",
        "ReplicationController": f"{_CONTROLLERS}/replicationcontroller/",
        "ResourceQuota": "concepts/policy/resource-quotas/",
        "Secret": "concepts/configuration/secret/",
        "Service": f"{_NETWORK}/service/",
        "ServiceAccount": "concepts/security/service-accounts/",
    },
    _ADMISSION: {
        "MutatingAdmissionPolicy": f"{_ACCESS}/mutating-admission-policy/",
        "MutatingAdmissionPolicyBinding": f"{_ACCESS}/mutating-admission-policy/",
        "MutatingWebhookConfiguration": f"{_ACCESS}/extensible-admission-controllers/",
        "ValidatingAdmissionPolicy": f"{_ACCESS}/validating-admission-policy/",
        "ValidatingAdmissionPolicyBinding": f"{_ACCESS}/validating-admission-policy/",
        "ValidatingWebhookConfiguration": (
            f"{_ACCESS}/extensible-admission-controllers/"
        ),
    },
    "apiextensions.k8s.io": {
        "CustomResourceDefinition": (
            "concepts/extend-kubernetes/api-extension/custom-resources/"
        ),
    },
    "apiregistration.k8s.io": {
        "APIService": (
            "concepts/extend-kubernetes/api-extension/apiserver-aggregation/"
        ),
    },
    "apps": {
        "DaemonSet": f"{_CONTROLLERS}/daemonset/",
        "Deployment": f"{_CONTROLLERS}/deployment/",
        "ReplicaSet": f"{_CONTROLLERS}/replicaset/",
        "StatefulSet": f"{_CONTROLLERS}/statefulset/",
    },
    "autoscaling": {
        "HorizontalPodAutoscaler": (
            "concepts/workloads/autoscaling/horizontal-pod-autoscale/"
        ),
    },
    "batch": {
        "CronJob": f"{_CONTROLLERS}/cron-jobs/",
        "Job": f"{_CONTROLLERS}/job/",
    },
    "certificates.k8s.io": {
        "CertificateSigningRequest": f"{_ACCESS}/certificate-signing-requests/",
    },
    "coordination.k8s.io": {"Lease": "concepts/architecture/leases/"},
    "discovery.k8s.io": {"EndpointSlice": f"{_NETWORK}/endpoint-slices/"},
    _FLOW_CONTROL: {
        "FlowSchema": "concepts/cluster-administration/flow-control/",
        "PriorityLevelConfiguration": "concepts/cluster-administration/flow-control/",
    },
    "networking.k8s.io": {
        "Ingress": f"{_NETWORK}/ingress/",
        "NetworkPolicy": f"{_NETWORK}/network-policies/",
    },
    "node.k8s.io": {"RuntimeClass": "concepts/containers/runtime-class/"},
    "policy": {
        "Eviction": f"{_SCHEDULING}/api-eviction/",
        "PodDisruptionBudget": "concepts/workloads/pods/disruptions/",
    },
    _RBAC: {
        "ClusterRole": f"{_ACCESS}/rbac/",
        "ClusterRoleBinding": f"{_ACCESS}/rbac/",
        "Role": f"{_ACCESS}/rbac/",
        "RoleBinding": f"{_ACCESS}/rbac/",
    },
    _DRA: {
        "DeviceClass": f"{_SCHEDULING}/dynamic-resource-allocation/",
        "ResourceClaim": f"{_SCHEDULING}/dynamic-resource-allocation/",
        "ResourceClaimTemplate": f"{_SCHEDULING}/dynamic-resource-allocation/",
        "ResourceSlice": f"{_SCHEDULING}/dynamic-resource-allocation/",
    },
    "scheduling.k8s.io": {
        "PriorityClass": f"{_SCHEDULING}/pod-priority-preemption/",
    },
    "storage.k8s.io": {
        "CSIStorageCapacity": f"{_STORAGE}/storage-capacity/",
        "StorageClass": f"{_STORAGE}/storage-classes/",
        "VolumeAttributesClass": f"{_STORAGE}/volume-attributes-classes/",
    },
}


def concept_page(kind: GroupVersionKind) -> str:
    """The address of the page about a kind, in any of its versions; empty for a kind
    without one."""
    path = _PAGES.get(kind.group, {}).get(kind.kind)
    return f"{_SITE}{path}" if path else ""
