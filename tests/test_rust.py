"""The decisions behind the printed crate: names, texts, corrections, recursion."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubestencil.engine import Target, load_targets
from kubestencil.errors import KubestencilError, SpecError, TargetError
from kubestencil.schema import Release
from kubestencil.targets import print_files
from kubestencil.targets.rust import spelling as rust
from kubestencil.targets.rust.fixups import FIXUPS, corrected
from tests.conftest import RELEASES, load, release


@pytest.fixture(scope="module")
def target() -> Target:
    return load_targets(None)["rust"]


def files(spec: Release, target: Target) -> dict[str, str]:
    return {file.path: file.data.decode() for file in print_files(spec, target)}


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("openAPIV3Schema", "open_api_v3_schema"),
        ("clusterIPs", "cluster_ips"),
        ("fsGroup", "fs_group"),
        ("$ref", "ref_path"),
        ("type", "type_"),
        ("x-kubernetes-map-type", "x_kubernetes_map_type"),
        ("self", "self_"),
        ("1st", "_1st"),
        ("", "__"),
        ("ü", "___"),
    ],
)
def test_names_of_fields(name: str, field: str) -> None:
    assert rust.field_name(name) == field


@given(st.lists(st.text(), max_size=8))
def test_fields_are_told_apart(names: list[str]) -> None:
    spelled = rust.distinct(map(rust.field_name, names))
    assert len(set(spelled)) == len(names)
    assert all(name.isascii() and name.isidentifier() for name in spelled)


@given(st.text())
def test_a_text_stays_in_its_comment(text: str) -> None:
    for line in rust.doc(text, "    ").splitlines():
        assert line.startswith("    ///")
        assert "```" not in line and not set(line) & set("\r\x00\u202e\u2066")


@given(st.text())
def test_a_literal_ends_where_it_should(text: str) -> None:
    literal = rust.string(text)
    inside = literal[1:-1].replace("\\\\", "").replace('\\"', "")
    assert literal[0] == literal[-1] == '"' and '"' not in inside
    assert literal.isprintable()


@pytest.mark.parametrize("name", RELEASES)
def test_every_declared_correction_applies(name: str, target: Target) -> None:
    """``corrected`` raises where one does not; each corrects something somewhere."""
    corrected(load(name), target)


def test_every_correction_is_needed_by_some_release(target: Target) -> None:
    needed = {
        fixup
        for name in RELEASES
        for fixup in target.fixups
        if FIXUPS[fixup](dict(load(name).definitions))
    }
    assert needed == set(target.fixups) == set(FIXUPS)


def test_a_correction_that_never_applies_stops_the_run(target: Target) -> None:
    mended = corrected(load("1.35"), target)
    with pytest.raises(TargetError, match=r"never applied to 1\.35"):
        corrected(mended, target)
    # A document that is no release of Kubernetes may be in order.
    corrected(replace(mended, name="mine"), target)


def test_an_unknown_correction_is_a_mistake(target: Target) -> None:
    wrong = replace(target, fixups={"claim-templates": {"reason": "x"}})
    with pytest.raises(TargetError, match="no known correction"):
        corrected(load("1.35"), wrong)


def test_an_option_cannot_leave_its_string(target: Target) -> None:
    with pytest.raises(TargetError, match="nothing that Cargo takes"):
        files(load("1.35"), target.with_options({"name": 'x"\n[dependencies]'}))


def _object(**fields: Any) -> dict[str, Any]:
    return {"type": "object", "properties": fields}


def _ref(kind: str) -> dict[str, str]:
    return {"$ref": f"#/definitions/a.v1.{kind}"}


def test_only_circles_are_boxed(target: Target) -> None:
    spec = release(
        {
            "a.v1.A": _object(
                b=_ref("B"), c=_ref("C"), many={"type": "array", "items": _ref("A")}
            ),
            "a.v1.B": _object(a=_ref("A")),
            "a.v1.C": _object(d=_ref("D")),
            "a.v1.D": _object(x={"type": "string"}),
        }
    )
    printed = files(spec, target)
    assert "pub b: Option<Box<super::B>>," in printed["src/a/v1/a.rs"]
    assert "pub c: Option<super::C>," in printed["src/a/v1/a.rs"]
    assert "pub many: Option<Vec<super::A>>," in printed["src/a/v1/a.rs"]
    assert "pub a: Option<Box<super::A>>," in printed["src/a/v1/b.rs"]


def test_a_value_without_an_end_is_refused(target: Target) -> None:
    spec = release(
        {
            "a.v1.A": {**_object(b=_ref("B")), "required": ["b"]},
            "a.v1.B": {**_object(a=_ref("A")), "required": ["a"]},
        }
    )
    with pytest.raises(SpecError, match="no value has an end"):
        files(spec, target)


@pytest.mark.parametrize(
    "names",
    [
        ("a.v1.Pod", "a.V1.Pod"),
        ("wire.Pod",),
        ("io.k8s.Resource",),
        ("a.b.c", "a.b.c.D"),
    ],
)
def test_what_would_have_the_same_name_is_refused(
    names: tuple[str, ...], target: Target
) -> None:
    spec = release({name: _object(x={"type": "string"}) for name in names})
    with pytest.raises(KubestencilError):
        files(spec, target)


PODS = "/api/v1/namespaces/{namespace}/pods"
KIND = {"group": "", "version": "v1", "kind": "Pod"}
POD = {
    "io.k8s.api.core.v1.Pod": {
        **_object(apiVersion={"type": "string"}, kind={"type": "string"}),
        "x-kubernetes-group-version-kind": [KIND],
    }
}


def _paths(**actions: str) -> dict[str, Any]:
    return {
        path: {
            "get": {
                "x-kubernetes-action": action,
                "x-kubernetes-group-version-kind": KIND,
            }
        }
        for path, action in actions.items()
    }


@pytest.mark.parametrize(
    ("paths", "known"),
    [
        ({f"{PODS}/{{name}}": "get"}, ("pods", "Namespace")),
        (
            {f"{PODS}/{{name}}": "get", f"{PODS}/{{name}}/status": "put"},
            ("pods", "Namespace"),
        ),
        ({PODS: "post", "/api/v1/pods": "list"}, ("pods", "Namespace")),
        ({"/api/v1/pods/{name}": "get"}, ("pods", "Cluster")),
        ({f"{PODS}/{{name}}/eviction": "post"}, ("eviction", "Sub")),
        ({PODS: "list"}, None),
        ({f"{PODS}/{{name}}": "get", "/api/v1/beans/{name}": "get"}, None),
        ({}, None),
    ],
)
def test_plural_and_scope_are_read_or_left_out(
    paths: dict[str, str], known: tuple[str, str] | None, target: Target
) -> None:
    printed = files(release(POD, paths=_paths(**paths)), target)
    pod = printed["src/api/core/v1/pod.rs"]
    if known is None:
        assert "URL_PATH_SEGMENT" not in "".join(
            text for path, text in printed.items() if path.endswith(".rs")
        )
        assert "nothing is guessed" in printed["README.md"]
        return
    assert f'URL_PATH_SEGMENT: &\'static str = "{known[0]}";' in pod
    assert f"type Scope = crate::{known[1]}ResourceScope;" in pod
