"""Which kinds are served, which are lists, and how API versions compare."""

from __future__ import annotations

from typing import Any

import pytest

from kubestencil.schema import GroupVersionKind, kinds
from tests.conftest import SOME_RELEASES, load, make_release


def kind_definition(kind: str, **schema: Any) -> dict[str, Any]:
    return {
        **schema,
        "x-kubernetes-group-version-kind": [
            {"group": "example.org", "version": "v1", "kind": kind}
        ],
    }


def list_of(name: str, field: str = "items") -> dict[str, Any]:
    ref = f"#/definitions/{name}"
    return {field: {"type": "array", "items": {"$ref": ref}}}


def test_a_list_kind_is_named_like_its_items() -> None:
    spec = make_release(
        {
            "v1.Pod": kind_definition("Pod"),
            "v1.PodList": kind_definition("PodList", properties=list_of("v1.Pod")),
            "v1.OtherList": kind_definition("OtherList", properties=list_of("v1.Pod")),
            "v1.Pods": kind_definition("Pods", properties=list_of("v1.Pod")),
            "v1.PodSpecList": {"properties": list_of("v1.PodSpec", "specs")},
            "v1.PodSpec": {"type": "object"},
        }
    )
    items = {
        name: item and item.name
        for name, definition in spec.definitions.items()
        for item in [kinds.list_item(definition, spec.definitions)]
    }
    assert items == {
        "v1.Pod": None,
        "v1.PodList": "v1.Pod",
        "v1.OtherList": None,
        "v1.Pods": None,
        "v1.PodSpecList": None,
        "v1.PodSpec": None,
    }
    assert [kind.kind for kind in kinds.non_list_kinds(spec)] == [
        "OtherList",
        "Pod",
        "Pods",
    ]
    assert list(kinds.kind_definitions(spec)) == ["v1.Pod", "v1.OtherList", "v1.Pods"]


@pytest.mark.parametrize("name", SOME_RELEASES)
def test_every_list_of_kubernetes_is_recognized(name: str) -> None:
    """APIResourceList lists resources, which are not kinds, in another field."""
    spec = load(name)
    names = {
        kind.kind
        for kind in kinds.non_list_kinds(spec)
        if kind.kind.removesuffix("List") != kind.kind
    }
    assert names == {"APIResourceList"}


def test_a_kind_that_all_groups_serve_is_left_out() -> None:
    served = {kind.kind for kind, _ in kinds.served_kinds(load("1.35"))}
    assert {"Pod", "PodList", "APIGroup"} <= served
    assert not {"DeleteOptions", "WatchEvent"} & served


def test_a_copy_under_another_name_is_no_kind_of_its_own() -> None:
    spec = make_release({"v1.DeleteOptions_v2": kind_definition("DeleteOptions")})
    assert list(kinds.non_list_kinds(spec)) == []
    assert kinds.kind_definitions(spec) == {}


def test_group_names_by_package_and_api_versions() -> None:
    spec = load("1.35")
    names = kinds.group_names(spec)
    assert names["io.k8s.api.core.v1"] == "core"
    assert names["io.k8s.api.rbac.v1"] == "rbac.authorization.k8s.io"
    assert {"v1", "apps/v1", "batch/v1"} <= kinds.api_versions(spec)


def test_stages_of_versions() -> None:
    versions = ("v1", "v2beta1", "v1alpha3", "", "unversioned", "v1beta")
    assert [kinds.version_stage(version) for version in versions] == [
        *("stable", "beta", "alpha"),
        *("stable", "stable", "stable"),
    ]


def test_kubernetes_prefers_stable_and_later_versions() -> None:
    ordered = [
        *("foo1", "foo10", "v1alpha1", "v1alpha2", "v3beta1", "v10beta3", "v11beta2"),
        *("v1", "v2", "v10"),
    ]
    assert sorted(set(ordered), key=kinds.precedence) == ordered


def test_the_api_version_of_a_manifest() -> None:
    assert GroupVersionKind("apps", "v1", "Deployment").api_version == "apps/v1"
    assert GroupVersionKind("", "v1", "Pod").api_version == "v1"
