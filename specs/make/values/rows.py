"""Joins what was found of one release to facts of fields, and those of all releases to
rows of tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from specs.make.ranges import Ranges
from specs.make.values.defaults import DefaultFact
from specs.make.values.markers import MarkedEnum
from specs.make.values.questions import Fact

#: A definition, a field, a context, and a condition or a rule.
Key = tuple[str, str, str, str]
#: A value, and how it was found.
Found = tuple[str, str]

# Fields whose values depend on the kind; elsewhere, what differs between kinds depends on
# other fields of the objects that were asked about.
_BY_KIND = {("PodSpec", "restartPolicy"), ("RoleRef", "kind")}
# Until 1.32, the pods of a StatefulSet are not validated.
_REQUIRED_BY_KIND = {*_BY_KIND, ("PodSpec", "containers")}
#: Values of texts whose Go type is no marked enum, and whose refusals may not name them
#: (k8s.io/apimachinery/pkg/apis/meta/v1/types.go).
CONSTANTS = {
    ("io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelectorRequirement", "operator"): (
        "DoesNotExist", "Exists", "In", "NotIn",
    ),
}  # fmt: skip

# What is a value among others, or depends on one.
_NO_ENUMS = {
    ("AzureDiskVolumeSource", "diskURI"),
    ("NonResourcePolicyRule", "verbs"),
    ("ResourcePolicyRule", "verbs"),
    ("NonResourcePolicyRule", "verbs"),
    ("ResourcePolicyRule", "verbs"),
    ("PodSecurityContext", "seLinuxChangePolicy"),
    ("Subject", "apiGroup"),
}
# What is filled in from other fields, for one object only, or because Go writes zeros.
_NO_DEFAULTS = {
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
# Terms that say when a field is filled in (SetDefaults_* in pkg/apis of k8s.io/kubernetes).
# An image without a tag has the tag latest, one with a digest has no tag.
_CONDITIONS: Mapping[tuple[str, str], Mapping[str, str | None]] = {
    ("Container", "imagePullPolicy"): {"image~latest": '"Always"', "image!~latest": '"IfNotPresent"'},
    ("EphemeralContainer", "imagePullPolicy"): {
        "image~latest": '"Always"', "image!~latest": '"IfNotPresent"',
    },
    ("ImageVolumeSource", "pullPolicy"): {
        "reference~latest": '"Always"', "reference!~latest": '"IfNotPresent"',
    },
    ("JobSpec", "backoffLimit"): {
        "!backoffLimitPerIndex": "6", "backoffLimitPerIndex": "2147483647",
    },
    ("JobSpec", "completions"): {"!parallelism": "1"},
    ("JobSpec", "podReplacementPolicy"): {
        "!podFailurePolicy": '"TerminatingOrFailed"', "podFailurePolicy": '"Failed"',
    },
    ("DaemonSetUpdateStrategy", "rollingUpdate"): {"type!=OnDelete": None},
    ("DeploymentStrategy", "rollingUpdate"): {"type!=Recreate": None},
    ("StatefulSetUpdateStrategy", "rollingUpdate"): {"type!=OnDelete": None},
    ("ServiceSpec", "allocateLoadBalancerNodePorts"): {"type=LoadBalancer": "true"},
    ("ServiceSpec", "externalTrafficPolicy"): {
        "type=LoadBalancer": '"Cluster"', "type=NodePort": '"Cluster"',
    },
    ("ServiceSpec", "internalTrafficPolicy"): {"type!=ExternalName": '"Cluster"'},
    ("ServiceSpec", "ipFamilyPolicy"): {"type!=ExternalName": '"SingleStack"'},
    ("ServiceSpec", "sessionAffinityConfig"): {"sessionAffinity=ClientIP": None},
    ("Subject", "apiGroup"): {
        "kind=Group": '"rbac.authorization.k8s.io"', "kind=User": '"rbac.authorization.k8s.io"',
        "kind=ServiceAccount": '""',
    },
    ("NetworkPolicySpec", "policyTypes"): {
        "!egress": '["Ingress"]', "egress": '["Ingress","Egress"]',
    },
    ("ExactDeviceRequest", "count"): {"allocationMode!=All": "1"},
    ("DeviceRequest", "count"): {"allocationMode!=All": "1"},
}  # fmt: skip
# What holds in one kind only.
_DEFAULTS_OF_KIND = {
    ("PodSpec", "enableServiceLinks"): "v1/Pod:spec.enableServiceLinks"
}
_EMPTY = ('""', "null", "{}", "[]")
# An empty text or object that means something.
_MEANT = {
    ("HostPathVolumeSource", "type"),
    ("GRPCAction", "service"),
    ("NetworkPolicySpec", "podSelector"),
}
# Limits that depend on other values, or that are more than the format says.
_NO_LIMITS = {
    ("Subject", "namespace"),
    ("ResourcePolicyRule", "namespaces"), ("Event", "reason"), ("MetricSpec", "resource"),
    ("DeploymentSpec", "progressDeadlineSeconds"), ("JobSpec", "maxFailedIndexes"),
    ("NetworkPolicyPort", "endPort"), ("QueuingConfiguration", "handSize"),
    ("CertificateSigningRequestSpec", "signerName"),
    ("PodCertificateRequestSpec", "signerName"), ("Endpoint", "addresses"),
    ("NamespaceSpec", "finalizers"), ("LimitRangeItem", "type"),
    ("NodeSelectorRequirement", "values"), ("Subject", "name"), ("Event", "reportingComponent"),
    ("ServiceSpec", "externalName"), ("StorageClass", "allowedTopologies"),
    ("Scheduling", "tolerations"), ("ServiceSpec", "ipFamilies"),
}  # fmt: skip


def enum_facts(asked: Sequence[Fact], marked: Iterable[MarkedEnum]) -> dict[Key, Found]:
    """The enums of a release: those that answers name, else those of Go types."""
    values: dict[tuple[str, str], dict[str, set[str]]] = defaultdict(
        lambda: defaultdict(set)
    )
    here: dict[str, set[str]] = defaultdict(set)
    for fact in asked:
        if fact.rule == "enum":
            where = _context(fact)
            values[fact.definition, fact.field][where] |= set(fact.value.split("\n"))
        elif fact.rule == "enum-here":
            here[_context(fact)] |= set(fact.value.split("\n"))
    found: dict[Key, Found] = {}
    for definition, field, constants in marked:
        found[definition, field, "", ""] = _cell(constants), "marker"
    for (definition, field), by_place in values.items():
        union = set[str]().union(*by_place.values())
        if _name(definition, field) in _NO_ENUMS:
            continue
        found[definition, field, "", ""] = _cell(union), "asked"
        if _name(definition, field) in _BY_KIND:
            for where in by_place:
                if here[where] != union:
                    found[definition, field, where, ""] = _cell(here[where]), "asked"
    return found


def _cell(values: Iterable[str]) -> str:
    return " ".join(value.replace(" ", "%20") or '""' for value in sorted(values))


def _name(definition: str, field: str) -> tuple[str, str]:
    return definition.rpartition(".")[2], field


def _context(fact: Fact) -> str:
    return f"{fact.kind.api_version}/{fact.kind.kind}:{fact.path}"


def default_rows_of(facts: Iterable[DefaultFact]) -> dict[Key, Found]:
    """The defaults of a release that mean something: constant ones, and those whose
    conditions are known."""
    by_field: dict[tuple[str, str], list[DefaultFact]] = defaultdict(list)
    for fact in facts:
        name = _name(fact.definition, fact.field)
        selects = fact.value == "{}" and fact.field.endswith("Selector")
        if name in _CONDITIONS or (
            (name not in _NO_DEFAULTS and name[0] != "ObjectMeta")
            and (fact.value not in _EMPTY or name in _MEANT or selects)
        ):
            by_field[fact.definition, fact.field].append(fact)
    found: dict[Key, Found] = {}
    for (definition, field), group in by_field.items():
        name, values = _name(definition, field), {fact.value for fact in group}
        if name in _CONDITIONS:
            for condition, value in _CONDITIONS[name].items():
                stated = value or max(values, key=len)
                found[definition, field, "", condition] = stated, "reviewed"
        elif len(values) == 1:
            # Where nothing was filled in, other fields exclude it.
            where = _DEFAULTS_OF_KIND.get(name, "")
            found[definition, field, where, ""] = values.pop(), "asked"
    return found


def limit_facts(asked: Sequence[Fact]) -> dict[Key, Found]:
    """The limits of a release on which all occurrences of a field agree. Names of objects
    depend on the kind."""
    values: dict[Key, set[str]] = defaultdict(set)
    for fact in asked:
        name = _name(fact.definition, fact.field)
        if fact.rule.startswith("enum") or name in _NO_LIMITS:
            continue
        where = ""
        if name[0] == "ObjectMeta" and name[1] in ("name", "namespace"):
            if fact.path != f"metadata.{fact.field}":
                continue
            where = _context(fact)
        if name in _REQUIRED_BY_KIND and fact.rule == "required":
            where = _context(fact)
            if fact.value == "?others":
                continue
        values[fact.definition, fact.field, where, fact.rule].add(fact.value)
    return {
        key: (next(iter(found)), "asked")
        for key, found in values.items()
        if len(found) == 1 and not any(value.startswith("?") for value in found)
    }


def joined(facts: Mapping[str, Mapping[Key, Found]]) -> Iterator[tuple[str, ...]]:
    """Rows by ranges of releases, of the facts of each release, oldest first."""
    ranges: Ranges[Key, Found] = Ranges()
    for release, found in facts.items():
        ranges.advance(release, found)
    for key, releases, (value, how) in ranges.rows(lambda key: key):
        definition, field, context, rest = key
        yield str(releases), definition, field, context, rest, value, how
