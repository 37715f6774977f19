"""The lifecycle of kinds beside the documents of all releases and a real API server."""

from __future__ import annotations

import pytest

from kubestencil.schema import GroupVersionKind, Release, parse
from kubestencil.schema.kinds import served_kinds
from kubestencil.schema.knowledge.kinds import known_kind, lifecycle, lifecycles
from kubestencil.schema.resources.operation import operations
from kubestencil.source import Source
from kubestencil.source.releases import release_order
from tests.cluster import served_document
from tests.conftest import EMBEDDED, SOME_RELEASES, full_specs, load

# Kinds of the API machinery, which no resource has.
_MACHINERY = {
    "APIGroup",
    "APIGroupList",
    "APIResourceList",
    "APIVersions",
    "DeleteOptions",
    "Status",
    "WatchEvent",
}


def gvk(api_version: str, kind: str) -> GroupVersionKind:
    group, _, version = api_version.rpartition("/")
    return GroupVersionKind(group, version, kind)


def document_kinds(release: Release) -> set[GroupVersionKind]:
    """The kinds of objects in a document, without lists."""
    kinds = {kind for kind, _ in served_kinds(release)}
    return {
        kind
        for kind in kinds
        if kind.kind not in _MACHINERY
        and not (
            kind.kind.endswith("List")
            and GroupVersionKind(kind.group, kind.version, kind.kind[:-4]) in kinds
        )
    }


def operated_kinds(release: Release) -> set[GroupVersionKind]:
    """The kinds of objects that operations take or return."""
    return {
        operation.kind
        for operation in operations(release)
        if operation.kind and not operation.kind.kind.endswith("Options")
    }


@pytest.mark.parametrize("release", EMBEDDED)
def test_a_release_has_the_kinds_that_are_introduced_and_not_removed(
    release: str,
) -> None:
    served = {kind for kind, facts in lifecycles().items() if facts.serves(release)}
    # The subresource takes both versions, the document has the newer one.
    served.discard(gvk("policy/v1beta1", "Eviction"))
    assert served == document_kinds(load(release))


@pytest.mark.parametrize("release", SOME_RELEASES)
def test_a_full_document_has_operations_for_these_kinds(release: str) -> None:
    folder = full_specs()
    if folder is None:
        pytest.skip("KUBESTENCIL_SPECS names no folder of full documents")
    served = {kind for kind, facts in lifecycles().items() if facts.serves(release)}
    assert served == operated_kinds(load(release, folder))


def test_a_default_server_serves_what_a_real_one_does() -> None:
    document = served_document("openapi-v2.json", "bare")
    release = parse(Source("bare", "bare/openapi-v2.json", document))
    default = {
        kind for kind in lifecycles() if known_kind(kind, "1.35").served_by_default
    }
    assert default == operated_kinds(release)


# https://kubernetes.io/docs/reference/using-api/deprecation-guide/: kinds, the release
# that no longer serves them, and what manifests should use.
DEPRECATION_GUIDE = """
flowcontrol.apiserver.k8s.io/v1beta3 FlowSchema 1.32 flowcontrol.apiserver.k8s.io/v1
flowcontrol.apiserver.k8s.io/v1beta2 FlowSchema 1.29 flowcontrol.apiserver.k8s.io/v1
storage.k8s.io/v1beta1 CSIStorageCapacity 1.27 storage.k8s.io/v1
flowcontrol.apiserver.k8s.io/v1beta1 FlowSchema 1.26 flowcontrol.apiserver.k8s.io/v1
autoscaling/v2beta2 HorizontalPodAutoscaler 1.26 autoscaling/v2
batch/v1beta1 CronJob 1.25 batch/v1
discovery.k8s.io/v1beta1 EndpointSlice 1.25 discovery.k8s.io/v1
events.k8s.io/v1beta1 Event 1.25 events.k8s.io/v1
autoscaling/v2beta1 HorizontalPodAutoscaler 1.25 autoscaling/v2
policy/v1beta1 PodDisruptionBudget 1.25 policy/v1
policy/v1beta1 PodSecurityPolicy 1.25 -
node.k8s.io/v1beta1 RuntimeClass 1.25 node.k8s.io/v1
admissionregistration.k8s.io/v1beta1 MutatingWebhookConfiguration 1.22 admissionregistration.k8s.io/v1
apiextensions.k8s.io/v1beta1 CustomResourceDefinition 1.22 apiextensions.k8s.io/v1
apiregistration.k8s.io/v1beta1 APIService 1.22 apiregistration.k8s.io/v1
authentication.k8s.io/v1beta1 TokenReview 1.22 authentication.k8s.io/v1
authorization.k8s.io/v1beta1 SubjectAccessReview 1.22 authorization.k8s.io/v1
certificates.k8s.io/v1beta1 CertificateSigningRequest 1.22 certificates.k8s.io/v1
coordination.k8s.io/v1beta1 Lease 1.22 coordination.k8s.io/v1
extensions/v1beta1 Ingress 1.22 networking.k8s.io/v1
networking.k8s.io/v1beta1 Ingress 1.22 networking.k8s.io/v1
networking.k8s.io/v1beta1 IngressClass 1.22 networking.k8s.io/v1
rbac.authorization.k8s.io/v1beta1 ClusterRole 1.22 rbac.authorization.k8s.io/v1
scheduling.k8s.io/v1beta1 PriorityClass 1.22 scheduling.k8s.io/v1
storage.k8s.io/v1beta1 StorageClass 1.22 storage.k8s.io/v1
extensions/v1beta1 NetworkPolicy 1.16 networking.k8s.io/v1
extensions/v1beta1 DaemonSet 1.16 apps/v1
apps/v1beta2 DaemonSet 1.16 apps/v1
extensions/v1beta1 Deployment 1.16 apps/v1
apps/v1beta1 Deployment 1.16 apps/v1
apps/v1beta2 StatefulSet 1.16 apps/v1
extensions/v1beta1 ReplicaSet 1.16 apps/v1
extensions/v1beta1 PodSecurityPolicy 1.16 -
""".strip().splitlines()


@pytest.mark.parametrize("line", DEPRECATION_GUIDE)
def test_removals_agree_with_the_deprecation_guide(line: str) -> None:
    api_version, name, removed, successor = line.split()
    kind = gvk(api_version, name)
    facts = lifecycle(kind)
    assert facts is not None and facts.removed == removed
    expected = None if successor == "-" else gvk(successor, name)
    assert known_kind(kind, "1.35").replacement == expected


def test_a_replacement_is_one_that_the_release_serves() -> None:
    flow_schema = gvk("flowcontrol.apiserver.k8s.io/v1beta1", "FlowSchema")
    assert known_kind(flow_schema, "1.29").replacement == gvk(
        "flowcontrol.apiserver.k8s.io/v1beta3", "FlowSchema"
    )
    psp = gvk("extensions/v1beta1", "PodSecurityPolicy")
    assert known_kind(psp, "1.24").replacement == gvk(
        "policy/v1beta1", "PodSecurityPolicy"
    )
    assert known_kind(gvk("v1", "Pod"), "1.35").replacement is None


@pytest.mark.parametrize("release", EMBEDDED)
def test_every_removed_kind_names_a_replacement_of_the_table(release: str) -> None:
    for kind, facts in lifecycles().items():
        assert facts.replacement is None or facts.replacement in lifecycles(), kind
        successor = known_kind(kind, release).replacement
        assert successor is None or lifecycles()[successor].serves(release)


def test_list_kinds_have_the_lifecycle_of_their_items() -> None:
    assert lifecycle(gvk("batch/v1beta1", "CronJobList")) == lifecycle(
        gvk("batch/v1beta1", "CronJob")
    )
    assert known_kind(gvk("v1", "PodList"), "1.35").served_by_default is True


def test_kinds_of_others_have_no_lifecycle() -> None:
    assert lifecycle(gvk("example.com/v1", "Widget")) is None
    assert lifecycle(gvk("example.com/v1", "WidgetList")) is None
    assert known_kind(gvk("example.com/v1", "Widget"), "1.35").served_by_default is None


@pytest.mark.parametrize(
    ("api_version", "kind", "release", "served"),
    [
        ("resource.k8s.io/v1beta1", "ResourceClaim", "1.33", False),
        ("resource.k8s.io/v1", "ResourceClaim", "1.34", True),
        ("extensions/v1beta1", "Deployment", "1.15", True),
        ("extensions/v1beta1", "Deployment", "1.16", False),
        ("policy/v1beta1", "PodDisruptionBudget", "1.24", True),
        ("policy/v1beta1", "PodDisruptionBudget", "1.25", False),
        ("v1", "Pod", "1.99", True),
    ],
)
def test_served_by_default(
    api_version: str, kind: str, release: str, served: bool
) -> None:
    assert known_kind(gvk(api_version, kind), release).served_by_default is served


def test_releases_of_a_kind_are_in_order() -> None:
    for kind, facts in lifecycles().items():
        events = [facts.introduced, facts.deprecated, facts.removed]
        releases = [release_order(event) for event in events if event]
        assert releases == sorted(set(releases)), kind
