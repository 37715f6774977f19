"""The Python API takes names and releases alike, and prints short."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

import kubestencil
from kubestencil.errors import UsageError
from tests.conftest import ROOT, load


def test_functions_take_names_of_releases_and_releases() -> None:
    named = kubestencil.compare("1.34", "v1.35.0", kinds=["Pod"])
    loaded = kubestencil.compare(load("1.34"), load("1.35"), kinds=["Pod"])
    assert named.changes == loaded.changes
    [history] = kubestencil.history(["1.35"], "deploy", "spec.replicas")
    assert history == kubestencil.history([load("1.35")], "deploy", "spec.replicas")[0]
    assert kubestencil.find("deploy") == kubestencil.find("deploy", [load("1.35")])


@pytest.mark.parametrize("value", [1.35, None, {"swagger": "2.0"}])
def test_what_is_no_release_is_refused(value: Any) -> None:
    given: Any = value or 1  # Without a value, nothing is compared.
    for call in (
        lambda: kubestencil.load(value),
        lambda: kubestencil.compare(value, "1.35"),
        lambda: kubestencil.history([value], "Pod"),
        lambda: kubestencil.find("Pod", [value]),
        lambda: kubestencil.field_paths("Pod", value),
        lambda: kubestencil.check([ROOT], to=value),
        lambda: kubestencil.check([ROOT], to="1.35", from_=given),
        lambda: kubestencil.render([value]),
    ):
        with pytest.raises(UsageError, match="is no release"):
            call()


def test_an_option_of_a_target_that_is_not_generated_is_refused(
    tmp_path: Path,
) -> None:
    with pytest.raises(UsageError, match="go is not generated\n  generated are rust"):
        kubestencil.render(
            ["1.35"], targets=["rust"], out=tmp_path, options={"go.module": "x"}
        )
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize(
    "names", [{}, {"kinds": ["Pod"]}, {"crds": [ROOT / "tests/crds"]}]
)
def test_a_release_cannot_be_changed(names: dict[str, Any]) -> None:
    release = kubestencil.load("1.35", **names)
    pod = release.definitions["io.k8s.api.core.v1.Pod"].schema
    raw: Any = pod.raw
    before = json.dumps(release.document)
    for change in (
        lambda: setattr(release, "name", "other"),
        lambda: release.definitions.clear(),  # type: ignore[attr-defined]
        lambda: release.document.update(info={}),  # type: ignore[attr-defined]
        lambda: release.document["definitions"].pop("io.k8s.api.core.v1.Pod"),
        lambda: raw.__setitem__("type", "string"),
        lambda: raw["properties"]["spec"].setdefault("default", {}),
        lambda: raw["x-kubernetes-group-version-kind"].append({}),
        lambda: pod.value_of("properties").clear(),
    ):
        with pytest.raises((TypeError, AttributeError)):
            change()
    assert json.dumps(release.document) == before
    copied = copy.deepcopy(release.document)
    copied["definitions"].clear()  # A copy can be changed.


def test_groups_are_those_of_the_command_line() -> None:
    [role] = kubestencil.find("Role", ["1.35"])
    loaded = kubestencil.load("1.35", groups=[role.group], kinds=["Role"])
    [definition] = [
        value for value in loaded.definitions.values() if value.kind == "Role"
    ]
    assert definition.kinds[0].group == role.group == "rbac.authorization.k8s.io"
    [history] = kubestencil.history(["1.35"], f"{role.group}/Role")
    assert history.group == role.group
    assert not hasattr(definition, "group")


def test_values_print_short() -> None:
    """As a notebook shows them."""
    release = load("1.35")
    pod = release.definitions["io.k8s.api.core.v1.Pod"]
    comparison = kubestencil.compare("1.34", release)
    [history] = kubestencil.history(["1.34", release], "Pod")
    path = next(kubestencil.field_paths("pod", release))
    change = comparison.changes[0]
    values = (release, pod, pod.fields[0], comparison, history, history.rows[0], path)
    for value in (*values, change):
        assert len(repr(value)) < 400, value
    assert repr(pod.schema) == "<Schema object, 5 fields>"
    assert repr(comparison).startswith("<Comparison 1.34 → 1.35: ")
    assert repr(history).startswith("<History core Pod, 1.34 → 1.35: ")
