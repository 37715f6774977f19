"""What cannot be found by asking, or only by more questions than are asked: reviewed by
hand, with the reason. Fields are named by the last part of their definition's name."""

from __future__ import annotations

#: Fields whose values depend on the kind; elsewhere, what differs between kinds depends on
# other fields of the objects that were asked about.
BY_KIND = {("PodSpec", "restartPolicy"), ("RoleRef", "kind")}
#: Values of texts whose Go type is no marked enum, and whose refusals may not name them
#: (k8s.io/apimachinery/pkg/apis/meta/v1/types.go).
CONSTANTS = {
    ("io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelectorRequirement", "operator"): (
        "DoesNotExist", "Exists", "In", "NotIn",
    ),
}  # fmt: skip
#: What is a value among others, or depends on one.
NO_ENUMS = {
    ("AzureDiskVolumeSource", "diskURI"),
    ("NonResourcePolicyRule", "verbs"),
    ("ResourcePolicyRule", "verbs"),
    ("PodSecurityContext", "seLinuxChangePolicy"),
    ("Subject", "apiGroup"),
}
#: What is filled in from other fields, or for one object only.
NO_DEFAULTS = {
    ("CertificateSigningRequestSpec", "groups"), ("CertificateSigningRequestSpec", "username"),
    ("ContainerPort", "hostPort"), ("ControllerRevision", "revision"),
    ("CustomResourceDefinitionNames", "listKind"),
    ("CustomResourceDefinitionNames", "singular"),
    ("CustomResourceDefinitionVersion", "served"), ("DeviceCapacity", "value"),
    ("DeviceTaint", "timeAdded"), ("EndpointPort", "name"), ("LimitRangeItem", "default"),
    ("LimitRangeItem", "defaultRequest"), ("NodeSpec", "podCIDR"), ("NodeSpec", "podCIDRs"),
    ("PersistentVolumeClaimSpec", "dataSource"),
    ("PersistentVolumeClaimSpec", "dataSourceRef"), ("PodSpec", "serviceAccount"),
    ("PodSpec", "serviceAccountName"), ("PriorityClass", "value"),
    ("ServicePort", "targetPort"), ("SleepAction", "seconds"), ("Namespace", "spec"),
    ("NamespaceSpec", "finalizers"), ("ResourceRequirements", "requests"),
    ("Endpoint", "conditions"), ("HPAScalingRules", "policies"),
    ("HPAScalingRules", "stabilizationWindowSeconds"), ("ServiceSpec", "ipFamilies"),
    ("JobSpec", "manualSelector"),
    ("Volume", "emptyDir"), ("PersistentVolumeClaim", "apiVersion"),
    ("PersistentVolumeClaim", "kind"), ("PersistentVolumeClaim", "status"),
    ("PersistentVolumeClaimStatus", "phase"), ("ServiceSpec", "clusterIP"),
    ("ServiceSpec", "clusterIPs"), ("ServiceSpec", "healthCheckNodePort"),
    ("LimitRange", "metadata"), ("LimitRange", "spec"), ("CSINode", "spec"), ("NetworkPolicy", "spec"),
    ("ServicePort", "nodePort"), ("ResourceClaim", "spec"), ("ResourceClaimSpec", "devices"),
    ("ResourceClaimTemplate", "spec"), ("ResourceClaimTemplateSpec", "spec"),
    ("TokenReviewSpec", "token"), ("CSIDriver", "spec"), ("PodTemplateSpec", "metadata"),
    ("LabelSelector", "matchLabels"), ("PodSpec", "tolerations"),
}  # fmt: skip
#: An empty text or object that means something.
MEANT = {
    ("HostPathVolumeSource", "type"),
    ("GRPCAction", "service"),
    ("NetworkPolicySpec", "podSelector"),
}
#: Limits that depend on other values, or that are more than the format says.
NO_LIMITS = {
    ("Subject", "namespace"),
    ("ResourcePolicyRule", "namespaces"), ("Event", "reason"), ("MetricSpec", "resource"),
    ("DeploymentSpec", "progressDeadlineSeconds"), ("JobSpec", "maxFailedIndexes"),
    ("NetworkPolicyPort", "endPort"), ("QueuingConfiguration", "handSize"),
    ("CertificateSigningRequestSpec", "signerName"),
    ("PodCertificateRequestSpec", "signerName"), ("Endpoint", "addresses"),
    ("NamespaceSpec", "finalizers"), ("LimitRangeItem", "type"),
    ("NodeSelectorRequirement", "values"), ("Subject", "name"), ("Event", "reportingComponent"),
    ("ServiceSpec", "externalName"), ("StorageClass", "allowedTopologies"),
    ("Scheduling", "tolerations"), ("ServiceSpec", "ipFamilies"), ("NodeSpec", "podCIDRs"),
    ("ServicePort", "nodePort"),
    # 0 is as good as absent.
    ("FlowSchemaSpec", "matchingPrecedence"),
}  # fmt: skip
#: Limits that hold under a condition only: specs/combinations.tsv has it, where it can.
CONDITIONAL = {
    ("AppArmorProfile", "localhostProfile", "required"),
    ("CrossVersionObjectReference", "apiVersion", "min_length"),
    ("CrossVersionObjectReference", "apiVersion", "required"),
    ("ExactDeviceRequest", "count", "maximum"),
    # The API server looks closer at paths of other types than ImplementationSpecific.
    ("HTTPIngressPath", "path", "min_length"), ("HTTPIngressPath", "path", "required"),
    ("LimitResponse", "queuing", "required"),
    ("Mutation", "applyConfiguration", "required"), ("Mutation", "jsonPatch", "required"),
    ("PriorityLevelConfigurationSpec", "limited", "required"),
    ("PodCertificateRequestSpec", "pkixPublicKey", "required"),
    ("PodCertificateRequestSpec", "proofOfPossession", "required"),
}  # fmt: skip
