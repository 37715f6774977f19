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
    ("ReplicationControllerSpec", "selector"), ("WeightedPodAffinityTerm", "podAffinityTerm"),
}  # fmt: skip
#: An empty text or object that means something.
MEANT = {
    ("HostPathVolumeSource", "type"),
    ("GRPCAction", "service"),
    ("NetworkPolicySpec", "podSelector"),
}
#: Fields with limits that depend on other values, or that are more than the format says;
# of some only a rule.
NO_LIMITS: set[tuple[str, ...]] = {
    ("Subject", "namespace"),
    ("ResourcePolicyRule", "namespaces"), ("Event", "reason"), ("MetricSpec", "resource"),
    ("DeploymentSpec", "progressDeadlineSeconds"), ("JobSpec", "maxFailedIndexes"),
    ("NetworkPolicyPort", "endPort"), ("QueuingConfiguration", "handSize"),
    ("CertificateSigningRequestSpec", "signerName"),
    ("PodCertificateRequestSpec", "signerName"),
    ("NamespaceSpec", "finalizers"), ("LimitRangeItem", "type"),
    ("NodeSelectorRequirement", "values"), ("Subject", "name"), ("Event", "reportingComponent"),
    ("ServiceSpec", "externalName"), ("StorageClass", "allowedTopologies"),
    ("Scheduling", "tolerations"), ("ServiceSpec", "ipFamilies"), ("NodeSpec", "podCIDRs"),
    ("ServicePort", "nodePort"),
    # 0 is as good as absent.
    ("FlowSchemaSpec", "matchingPrecedence"),
    # It depends on the type of addresses.
    ("Endpoint", "addresses", "format"),
    # The others hold under a condition only: the table combinations has it, where it can.
    ("AppArmorProfile", "localhostProfile", "required"),
    # cpu and memory need no prefix.
    ("ContainerResourceMetricSource", "name", "format"),
    ("CrossVersionObjectReference", "apiVersion", "min_length"),
    ("CrossVersionObjectReference", "apiVersion", "required"),
    ("ExactDeviceRequest", "count", "maximum"),
    # The API server looks closer at paths of other types than ImplementationSpecific.
    ("HTTPIngressPath", "path", "format"), ("HTTPIngressPath", "path", "min_length"), ("HTTPIngressPath", "path", "required"),
    # No strategy of a PodDisruptionBudget looks at it.
    ("ObjectMeta", "generateName", "format"), ("ObjectMeta", "generateName", "max_length"),
    # An object can have a beginning of a name instead.
    ("ObjectMeta", "name", "min_length"), ("ObjectMeta", "name", "required"),
    ("LimitResponse", "queuing", "required"),
    # 1.33 drops volumes of images, whatever their names are.
    ("Volume", "name", "required"),
    # Without names, ports differ by number and protocol.
    ("ServiceSpec", "ports", "unique"),
    ("Mutation", "applyConfiguration", "required"), ("Mutation", "jsonPatch", "required"),
    ("PriorityLevelConfigurationSpec", "limited", "required"),
    ("PodCertificateRequestSpec", "pkixPublicKey", "required"),
    ("PodCertificateRequestSpec", "proofOfPossession", "required"),
}  # fmt: skip
