"""Severities and graduations: known facts of Kubernetes' releases, and the rules."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from kubestencil.diff import RULES, SEVERITIES, Change, compare, compare_versions
from kubestencil.diff.differences.names import CHANGE_NAMES
from kubestencil.diff.rules.audience import SEVERITY_MEANINGS
from kubestencil.diff.rules.table import Badge, UpgradeTopic
from kubestencil.errors import UsageError
from kubestencil.schema.knowledge.configurations import configuration_kinds
from tests.diff_specs import document, embedded, pod, release


def change(before: Any, after: Any) -> Change:
    """The one change between two schemas of a field of v1 Pod."""
    (only,) = compare(document(pod(field=before)), document(pod(field=after))).changes
    return only


# --- known changes

# The deprecated API migration guide, "Removed APIs by release": API version and
# kinds that the release no longer serves.
REMOVED = {
    "1.26": {
        "flowcontrol.apiserver.k8s.io/v1beta1": {
            "FlowSchema",
            "PriorityLevelConfiguration",
        },
        "autoscaling/v2beta2": {"HorizontalPodAutoscaler"},
    },
    "1.27": {"storage.k8s.io/v1beta1": {"CSIStorageCapacity"}},
    "1.29": {
        "flowcontrol.apiserver.k8s.io/v1beta2": {
            "FlowSchema",
            "PriorityLevelConfiguration",
        }
    },
    "1.32": {
        "flowcontrol.apiserver.k8s.io/v1beta3": {
            "FlowSchema",
            "PriorityLevelConfiguration",
        }
    },
}


@pytest.mark.parametrize("name", [f"1.{minor}" for minor in range(26, 36)])
def test_removed_api_versions_are_reported_in_the_right_release(name: str) -> None:
    """Of beta and stable versions, exactly those that the migration guide lists are
    removed, and two groups that it does not mention."""
    previous = f"1.{int(name[2:]) - 1}"
    comparison = compare(embedded(previous), embedded(name))
    removed: dict[str, set[str]] = {}
    for change in comparison.changes:
        if change.change == "kind-removed" and change.severity == "breaking":
            for kind in change.kinds:
                # Configuration files are not in the guide (test_configurations.py).
                is_listed = kind not in configuration_kinds()
                if is_listed and not kind.kind.endswith("List"):
                    removed.setdefault(kind.api_version, set()).add(kind.kind)
    unlisted = {"authentication.k8s.io/v1beta1", "admissionregistration.k8s.io/v1beta1"}
    expected = REMOVED.get(name, {})
    assert {k: v for k, v in removed.items() if k not in unlisted} == expected
    assert expected.keys() <= set(comparison.api_versions_removed)


def test_resource_claim_status_lost_its_driver_and_gained_devices() -> None:
    comparison = compare_versions(
        release("1.29"),
        "resource.k8s.io/v1alpha2",
        release("1.35"),
        "resource.k8s.io/v1",
    )
    status = {
        change.field: change.change
        for change in comparison.changes
        if change.definition == "io.k8s.api.resource.v1.ResourceClaimStatus"
        and change.change.startswith("field-")
    }
    assert status == {
        "deallocationRequested": "field-removed",
        "devices": "field-added",
        "driverName": "field-removed",
    }
    result = {
        change.field: change.change
        for change in comparison.changes
        if change.definition == "io.k8s.api.resource.v1.AllocationResult"
        and change.change.startswith("field-")
    }
    assert result["resourceHandles"] == "field-removed"
    assert result["devices"] == "field-added"


def test_graduations_have_their_kinds_and_whether_the_old_version_was_removed() -> None:
    graduations = {
        (graduation.group, graduation.before, graduation.after): graduation
        for graduation in compare(release("1.29"), release("1.35")).graduations
    }
    flow_control = graduations["flowcontrol.apiserver.k8s.io", "v1beta3", "v1"]
    assert set(flow_control.kinds) == {"FlowSchema", "PriorityLevelConfiguration"}
    assert flow_control.before_removed
    resource = graduations["resource.k8s.io", "v1alpha2", "v1"]
    assert {"ResourceClaim", "ResourceClaimTemplate"} <= set(resource.kinds)
    assert resource.before_removed
    certificates = graduations["certificates.k8s.io", "v1alpha1", "v1beta1"]
    assert set(certificates.kinds) == {"ClusterTrustBundle"}
    assert not certificates.before_removed


def test_a_version_that_is_still_served_beside_the_new_one_graduates() -> None:
    before_removed = {
        (graduation.before, graduation.after): graduation.before_removed
        for graduation in compare(release("1.33"), release("1.34")).graduations
        if graduation.group == "resource.k8s.io" and "ResourceClaim" in graduation.kinds
    }
    assert before_removed == {("v1alpha3", "v1"): True, ("v1beta2", "v1"): False}


def test_a_graduation_has_the_differences_between_the_versions() -> None:
    (graduation,) = (
        graduation
        for graduation in compare(release("1.29"), release("1.35")).graduations
        if graduation.group == "networking.k8s.io"
    )
    required = {
        change.field
        for change in graduation.changes
        if change.change == "field-required"
    }
    assert required == {"name", "parentRef", "resource"}
    assert all(change.stability == "alpha" for change in graduation.changes)


def test_an_api_version_does_not_differ_from_itself() -> None:
    comparison = compare_versions(
        release("1.35"), "apps/v1", release("1.35"), "apps/v1"
    )
    assert comparison.changes == ()


def test_a_change_is_reported_at_its_definition_with_the_kinds_that_contain_it() -> (
    None
):
    """Kubernetes' pull request 125921: one field of the pod template, once."""
    changes = compare(release("1.33"), release("1.34")).changes
    (host_name,) = (change for change in changes if change.field == "hostnameOverride")
    assert host_name.definition == "io.k8s.api.core.v1.PodSpec"
    kinds = {f"{kind.api_version}/{kind.kind}" for kind in host_name.kinds}
    assert {"v1/Pod", "apps/v1/Deployment", "batch/v1/CronJob"} <= kinds
    assert "v1/PodList" not in kinds
    assert host_name.owner is not None
    assert host_name.owner.kind == "Pod"


def test_a_comparison_can_be_filtered() -> None:
    comparison = compare(release("1.29"), release("1.35"))
    pods = comparison.filter(kind="Pod")
    assert pods.changes
    for change in pods.changes:
        names = {kind.kind for kind in change.kinds}
        assert "Pod" in names or change.definition.endswith(".Pod")
    assert pods.api_versions_added == ()
    apps = comparison.filter(group="resource.k8s.io", severities=["breaking"])
    assert {change.severity for change in apps.changes} <= {"breaking"}
    assert {graduation.group for graduation in apps.graduations} == {"resource.k8s.io"}
    assert apps.api_versions_added
    assert all(name.startswith("resource.k8s.io/") for name in apps.api_versions_added)


# --- rules


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({"type": "string"}, {"type": "integer"}, "breaking"),
        ({"format": "int32"}, {"format": "int64"}, "warning"),
        ({"format": "int64"}, {"format": "int32"}, "breaking"),
        ({"enum": ["a", "b"]}, {"enum": ["a"]}, "breaking"),
        ({"enum": ["a"]}, {"enum": ["a", "b"]}, "warning"),
        ({}, {"enum": ["a"]}, "breaking"),
        ({"default": 1}, {"default": 2}, "warning"),
        ({"maxLength": 3}, {"maxLength": 4}, "warning"),
        ({"maxLength": 4}, {"maxLength": 3}, "breaking"),
        ({"minimum": 3}, {"minimum": 4}, "breaking"),
        ({"x-nullable": True}, {}, "breaking"),
        ({}, {"x-nullable": True}, "warning"),
        ({}, {"x-kubernetes-int-or-string": True}, "breaking"),
        ({}, {"x-kubernetes-list-type": "atomic"}, "safe"),
        ({}, {"x-kubernetes-list-type": "map"}, "warning"),
        (
            {"x-kubernetes-list-type": "atomic"},
            {"x-kubernetes-list-type": "set"},
            "warning",
        ),
        ({"x-kubernetes-preserve-unknown-fields": True}, {}, "breaking"),
        ({}, {"x-kubernetes-validations": [{"rule": "true"}]}, "breaking"),
        (
            {"items": {"description": "a", "type": "string"}},
            {"items": {"description": "b", "type": "string"}},
            "docs",
        ),
        ({"items": {"type": "string"}}, {"items": {"type": "integer"}}, "breaking"),
        ({"description": "at most 32"}, {"description": "at most 256"}, "docs"),
        ({"description": "chosen by 32"}, {"description": "chosen by 256"}, "docs"),
        ({}, {"x-unheard-of": 1}, "warning"),
    ],
)
def test_severity(before: Any, after: Any, expected: str) -> None:
    assert change(before, after).severity == expected


def test_stating_the_list_type_that_apply_assumed_is_safe() -> None:
    """Server-side apply treats a list with a merge key as a list of type map."""
    merged = {
        "x-kubernetes-patch-strategy": "merge",
        "x-kubernetes-patch-merge-key": "name",
    }
    stated = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]}
    other = stated | {"x-kubernetes-list-map-keys": ["uid"]}
    for after, expected in ((stated, "safe"), (other, "warning")):
        changes = compare(
            document(pod(field=merged)), document(pod(field=merged | after))
        ).changes
        assert {change.severity for change in changes} == {expected}


def test_changes_of_alpha_fields_are_not_breaking() -> None:
    """Alpha versions, and alpha fields of v1, may be removed without notice."""
    alpha = {"type": "string", "description": "Colour. This is an alpha field."}
    (change_of_alpha,) = compare(document(pod(field=alpha)), document(pod())).changes
    assert change_of_alpha.severity == "warning"
    assert change_of_alpha.stability == "alpha"
    stable = {"type": "string"}
    (change_of_stable,) = compare(document(pod(field=stable)), document(pod())).changes
    assert change_of_stable.severity == "breaking"
    assert change_of_stable.stability == "stable"


def test_a_reference_to_a_renamed_type_is_not_breaking() -> None:
    def using(name: str, **fields: Any) -> Any:
        return document(
            pod(field={"$ref": f"#/definitions/a.v1.{name}"})
            | {f"a.v1.{name}": {"type": "object", "properties": fields}}
        )

    text = {"type": "string"}
    for after, expected in (
        (using("New", size=text, more=text), "type-renamed"),
        (using("New", other=text), "type-changed"),
    ):
        changes = compare(using("Old", size=text), after).changes
        (change,) = (c for c in changes if c.change == "reference-changed")
        assert change.rule.name == expected


def test_every_rule_has_a_severity_a_reason_and_a_policy() -> None:
    names = [rule.name for rule in RULES]
    assert len(names) == len(set(names))
    assert SEVERITY_MEANINGS.keys() == set(SEVERITIES)
    for rule in RULES:
        assert rule.severity in SEVERITIES
        assert rule.reason.endswith(".")
        assert rule.policy.url.startswith("https://")
        assert rule.changes <= CHANGE_NAMES
        assert rule.topic in (None, *get_args(UpgradeTopic))
        assert rule.badge in (None, *get_args(Badge))


def test_a_rule_matches_every_change_between_the_releases() -> None:
    changes = compare(release("1.29"), release("1.35")).changes
    assert "unknown" not in {change.rule.name for change in changes}


def test_kinds_lead_to_types_that_refer_to_each_other() -> None:
    cycle = {
        "a.v1.One": {"properties": {"two": {"$ref": "#/definitions/a.v1.Two"}}},
        "a.v1.Two": {"properties": {"one": {"$ref": "#/definitions/a.v1.One"}}},
    }
    kind = pod(one={"$ref": "#/definitions/a.v1.One"})
    smaller = cycle | {"a.v1.Two": {"properties": {}}}
    (change,) = compare(document(kind | cycle), document(kind | smaller)).changes
    assert change.field == "one"
    assert [kind.kind for kind in change.kinds] == ["Pod"]


def test_a_kind_in_the_package_of_another_version_graduates() -> None:
    def serving(*versions: str) -> Any:
        gvk = "x-kubernetes-group-version-kind"
        return document(
            {
                f"a.shared.{version}K": {
                    "type": "object",
                    gvk: [{"group": "g", "version": version, "kind": f"{version}K"}],
                }
                for version in versions
            }
            | {
                "a.g.v1.K": {
                    "type": "object",
                    gvk: [{"group": "g", "version": versions[0], "kind": "K"}],
                }
            }
        )

    (graduation,) = compare(serving("v1beta1"), serving("v1")).graduations
    assert (graduation.before, graduation.after) == ("v1beta1", "v1")
    assert graduation.kinds == ("K",)


def test_a_type_is_compared_with_that_of_the_api_version_not_a_referenced_one() -> None:
    """v1 has a type T, and refers to the one of v1beta1 as well."""
    gvk = "x-kubernetes-group-version-kind"
    text, number = {"type": "string"}, {"type": "integer"}

    def kind(version: str, *types: str) -> dict[str, Any]:
        fields = {
            f"field{index}": {"$ref": f"#/definitions/io.k8s.api.g.{name}"}
            for index, name in enumerate(types)
        }
        return {
            "type": "object",
            "properties": fields,
            gvk: [{"group": "g", "version": version, "kind": "K"}],
        }

    made_up = document(
        {
            "io.k8s.api.g.v1alpha1.K": kind("v1alpha1", "v1alpha1.T"),
            "io.k8s.api.g.v1alpha1.T": {"type": "object", "properties": {"a": text}},
            "io.k8s.api.g.v1.K": kind("v1", "v1.T", "v1beta1.T"),
            "io.k8s.api.g.v1.T": {"type": "object", "properties": {"a": text}},
            "io.k8s.api.g.v1beta1.T": {"type": "object", "properties": {"a": number}},
        }
    )
    changes = compare_versions(made_up, "g/v1alpha1", made_up, "g/v1").changes
    assert {(change.change, change.definition) for change in changes} == {
        ("definition-added", "io.k8s.api.g.v1beta1.T"),
        ("field-added", "io.k8s.api.g.v1.K"),
    }


def test_an_unknown_api_version_is_refused() -> None:
    with pytest.raises(UsageError, match="no API version 'apps/v9'"):
        compare_versions(release("1.35"), "apps/v9", release("1.35"), "apps/v1")
