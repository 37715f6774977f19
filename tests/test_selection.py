"""--group and --kind: what is generated is limited to them and what they refer to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kubestencil import compare, find, history, load
from kubestencil.errors import UsageError
from kubestencil.schema.resources.operation import operations
from tests.conftest import Command, make_document

_META = "io.k8s.apimachinery.pkg.apis.meta.v1."


def test_a_kind_comes_with_its_list_kind_and_what_it_refers_to() -> None:
    release = load("1.35", kinds=["ConfigMap"])
    assert {
        name.removeprefix("io.k8s.api.core.v1.") for name in release.definitions
    } == {
        "ConfigMap",
        "ConfigMapList",
        *(
            f"{_META}{name}"
            for name in (
                "FieldsV1",
                "ListMeta",
                "ManagedFieldsEntry",
                "ObjectMeta",
                "OwnerReference",
                "Time",
            )
        ),
    }
    assert release.document["definitions"].keys() == release.definitions.keys()


def test_a_group_has_all_of_its_kinds_and_no_other() -> None:
    release = load("1.35", groups=["apps"])
    groups = {
        kind.group
        for definition in release.definitions.values()
        if len(definition.kinds) == 1
        for kind in definition.kinds
    }
    assert "io.k8s.api.core.v1.PodSpec" in release.definitions
    # A StatefulSet has templates of claims, which are a kind of the core group.
    assert groups == {"apps", ""}
    in_core = [
        definition.kind
        for definition in release.definitions.values()
        if [kind.group for kind in definition.kinds] == [""]
    ]
    assert in_core == ["PersistentVolumeClaim"]


def test_several_kinds_and_groups_limit_each_other() -> None:
    release = load("1.35", groups=["apps", "batch"], kinds=["Job", "Deployment"])
    kinds = {
        definition.kind
        for definition in release.definitions.values()
        if definition.kinds
    }
    assert {"Job", "JobList", "Deployment", "DeploymentList"} <= kinds
    assert not {"CronJob", "StatefulSet"} & kinds


def test_only_paths_of_the_kinds_are_left(tmp_path: Path) -> None:
    def path(kind: str) -> dict[str, object]:
        served = {"group": "", "version": "v1", "kind": kind}
        operation = {
            "operationId": f"read{kind}",
            "x-kubernetes-group-version-kind": served,
        }
        return {"get": {**operation, "responses": {"200": {"description": "OK"}}}}

    def definition(kind: str) -> dict[str, object]:
        served = {"group": "", "version": "v1", "kind": kind}
        return {"type": "object", "x-kubernetes-group-version-kind": [served]}

    document = make_document(
        {f"io.k8s.api.core.v1.{kind}": definition(kind) for kind in ("Pod", "Node")},
        paths={f"/api/v1/{kind}": path(kind) for kind in ("Pod", "Node")},
    )
    (tmp_path / "a.json").write_text(json.dumps(document))
    release = load(tmp_path / "a.json", kinds=["Pod"])
    assert [operation.name for operation in operations(release)] == ["readPod"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--kind", "Pod.spec"), "names a field, not a kind"),
        (("--kind", "Pod", "--kind", "Deploymnt"), "did you mean Deployment"),
        (("--group", "app"), "did you mean apps?"),
        (("--group", "apps", "--kind", "Pod"), "'Pod' in the group apps, in 1.35"),
        (("--group", "apps", "--kind", "Deploymnt"), "did you mean Deployment"),
    ],
)
def test_unknown_names_are_refused_with_the_nearest(
    run: Command, tmp_path: Path, options: tuple[str, ...], message: str
) -> None:
    done = run("render", "1.35", "-t", "typescript", "-o", "out", *options)
    assert done.returncode == 2
    assert message in done.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "name",
    [
        *("Deployment", "deployment", "Deployments", "deploy", "deployments.apps"),
        *("apps/v1/Deployment", "io.k8s.api.apps.v1.Deployment"),
    ],
)
def test_every_command_takes_the_names_of_kubectl(name: str) -> None:
    [match] = find(name, [load("1.35")])
    assert (match.kind, match.group) == ("Deployment", "apps")
    kinds = {kind.kind for kind in load("1.35", kinds=[name]).resources}
    assert kinds == {"Deployment"}
    old, new = load("1.29"), load("1.35")
    changes = compare(old, new, kinds=[name]).changes
    assert changes == compare(old, new, kinds=["Deployment"]).changes
    assert {item.kind for item in history([old, new], name)} == {"Deployment"}


def test_a_group_in_the_name_of_a_kind_counts() -> None:
    old, new = load("1.29"), load("1.35")
    changes = compare(old, new, kinds=["events.events.k8s.io"]).changes
    for change in changes:
        assert "events.k8s.io" in {kind.group for kind in change.kinds}, change
    assert load("1.35", kinds=["events.events.k8s.io"]).resources.keys() == {
        ("events.k8s.io", "v1", "Event")
    }


def test_compare_takes_the_same_names() -> None:
    old, new = load("1.34"), load("1.35")
    changes = compare(old, new, kinds=["Pod"]).changes
    assert changes
    assert all("Pod" in {kind.kind for kind in change.kinds} for change in changes)
    both = compare(old, new, kinds=["Pod", "Node"]).changes
    assert len(both) > len(changes)
    with pytest.raises(UsageError, match="no group called 'app'"):
        compare(old, new, groups=["app"])
