"""What changes mean: known facts of Kubernetes' releases, and the rules."""

from __future__ import annotations

from typing import Any

import pytest

from kubestencil.diff import RULES, SEVERITIES, Change, compare, compare_versions
from kubestencil.errors import UsageError
from tests.diff_specs import document, embedded, pod, release


def change(before: Any, after: Any) -> Change:
    """The one change between two versions of a field of v1 Pod."""
    (found,) = compare(document(pod(field=before)), document(pod(field=after))).changes
    return found


def verdict(before: Any, after: Any) -> tuple[str, str]:
    found = change(before, after)
    return found.severity, found.rule.name


# --- facts

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
    """Of beta and stable versions, exactly those that the migration guide lists go,
    but for authentication and admissionregistration, which it leaves out."""
    before = f"1.{int(name[2:]) - 1}"
    found = compare(embedded(before), embedded(name))
    removed: dict[str, set[str]] = {}
    for each in found.changes:
        if each.change == "kind-removed" and each.severity == "breaking":
            for kind in each.kinds:
                if not kind.kind.endswith("List"):
                    removed.setdefault(kind.api_version, set()).add(kind.kind)
    unlisted = {"authentication.k8s.io/v1beta1", "admissionregistration.k8s.io/v1beta1"}
    expected = REMOVED.get(name, {})
    assert {k: v for k, v in removed.items() if k not in unlisted} == expected
    assert expected.keys() <= set(found.api_versions_removed)


def test_resource_claim_status_lost_its_driver_and_gained_devices() -> None:
    found = compare_versions(
        release("1.29"),
        "resource.k8s.io/v1alpha2",
        release("1.35"),
        "resource.k8s.io/v1",
    )
    status = {
        each.field: each.change
        for each in found.changes
        if each.definition == "io.k8s.api.resource.v1.ResourceClaimStatus"
        and each.change.startswith("field-")
    }
    assert status == {
        "deallocationRequested": "field-removed",
        "devices": "field-added",
        "driverName": "field-removed",
    }
    result = {
        each.field: each.change
        for each in found.changes
        if each.definition == "io.k8s.api.resource.v1.AllocationResult"
        and each.change.startswith("field-")
    }
    assert result["resourceHandles"] == "field-removed"
    assert result["devices"] == "field-added"


def test_a_graduation_is_reported_as_one() -> None:
    found = compare(release("1.29"), release("1.35")).graduations
    moves = {
        (each.group, each.before, each.after): (set(each.kinds), each.before_removed)
        for each in found
    }
    assert moves["flowcontrol.apiserver.k8s.io", "v1beta3", "v1"] == (
        {"FlowSchema", "PriorityLevelConfiguration"},
        True,
    )
    kinds, left = moves["resource.k8s.io", "v1alpha2", "v1"]
    assert left
    assert {"ResourceClaim", "ResourceClaimTemplate"} <= kinds
    assert moves["certificates.k8s.io", "v1alpha1", "v1beta1"] == (
        {"ClusterTrustBundle"},
        False,
    )


def test_a_version_that_stays_beside_the_new_one_is_a_graduation_too() -> None:
    moves = {
        (each.before, each.after): each.before_removed
        for each in compare(release("1.33"), release("1.34")).graduations
        if each.group == "resource.k8s.io" and "ResourceClaim" in each.kinds
    }
    assert moves == {("v1alpha3", "v1"): True, ("v1beta2", "v1"): False}


def test_a_graduation_says_what_differs_between_the_versions() -> None:
    (move,) = (
        each
        for each in compare(release("1.29"), release("1.35")).graduations
        if each.group == "networking.k8s.io"
    )
    required = {c.field for c in move.changes if c.change == "field-required"}
    assert required == {"name", "parentRef", "resource"}
    assert all(each.stability == "alpha" for each in move.changes)


def test_a_version_is_the_same_as_itself_in_every_release() -> None:
    found = compare_versions(release("1.35"), "apps/v1", release("1.35"), "apps/v1")
    assert found.changes == ()


def test_a_change_is_reported_at_its_definition_with_the_kinds_that_reach_it() -> None:
    """Kubernetes' pull request 125921: one field of the pod template, once."""
    found = compare(release("1.33"), release("1.34")).changes
    (host_name,) = (each for each in found if each.field == "hostnameOverride")
    assert host_name.definition == "io.k8s.api.core.v1.PodSpec"
    reached = {f"{kind.api_version}/{kind.kind}" for kind in host_name.kinds}
    assert {"v1/Pod", "apps/v1/Deployment", "batch/v1/CronJob"} <= reached
    assert "v1/PodList" not in reached
    assert host_name.owner is not None
    assert host_name.owner.kind == "Pod"


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
        ({}, {"x-unheard-of": 1}, "warning"),
    ],
)
def test_severity(before: Any, after: Any, expected: str) -> None:
    assert change(before, after).severity == expected


def test_a_list_type_that_apply_assumed_anyway_is_safe() -> None:
    """Server-side apply reads a merge key as a list of type map."""
    merged = {
        "x-kubernetes-patch-strategy": "merge",
        "x-kubernetes-patch-merge-key": "name",
    }
    spelled = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]}
    other = spelled | {"x-kubernetes-list-map-keys": ["uid"]}
    for after, expected in ((spelled, "safe"), (other, "warning")):
        found = compare(
            document(pod(field=merged)), document(pod(field=merged | after))
        ).changes
        assert {each.severity for each in found} == {expected}


def test_alpha_never_breaks() -> None:
    """What is called alpha may go without notice: a version, or a field of v1."""
    lost = {"type": "string", "description": "Colour. This is an alpha field."}
    (of_field,) = compare(document(pod(field=lost)), document(pod())).changes
    assert (of_field.severity, of_field.stability) == ("warning", "alpha")
    stable = {"type": "string"}
    (of_stable,) = compare(document(pod(field=stable)), document(pod())).changes
    assert (of_stable.severity, of_stable.stability) == ("breaking", "stable")


def test_a_type_of_another_name_that_takes_the_same_is_no_break() -> None:
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
        found = compare(using("Old", size=text), after).changes
        (moved,) = (each for each in found if each.change == "reference-changed")
        assert moved.rule.name == expected


def test_every_rule_has_a_severity_a_reason_and_a_policy() -> None:
    names = [rule.name for rule in RULES]
    assert len(names) == len(set(names))
    for rule in RULES:
        assert rule.severity in SEVERITIES
        assert rule.reason.endswith(".")
        assert rule.policy.url.startswith("https://")


def test_every_change_of_the_releases_has_a_rule_of_its_own() -> None:
    found = compare(release("1.29"), release("1.35")).changes
    assert "unknown" not in {each.rule.name for each in found}


def test_types_that_refer_to_each_other_in_a_circle() -> None:
    ring = {
        "a.v1.One": {"properties": {"two": {"$ref": "#/definitions/a.v1.Two"}}},
        "a.v1.Two": {"properties": {"one": {"$ref": "#/definitions/a.v1.One"}}},
    }
    kind = pod(one={"$ref": "#/definitions/a.v1.One"})
    wider = ring | {"a.v1.Two": {"properties": {}}}
    (found,) = compare(document(kind | ring), document(kind | wider)).changes
    assert (found.field, [each.kind for each in found.kinds]) == ("one", ["Pod"])


def test_a_kind_that_is_defined_in_the_package_of_another_version() -> None:
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

    (move,) = compare(serving("v1beta1"), serving("v1")).graduations
    assert (move.before, move.after, move.kinds) == ("v1beta1", "v1", ("K",))


def test_an_api_version_that_is_not_there() -> None:
    with pytest.raises(UsageError, match="no API version 'apps/v9'"):
        compare_versions(release("1.35"), "apps/v9", release("1.35"), "apps/v1")
