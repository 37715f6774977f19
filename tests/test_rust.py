"""The rust target without cargo: names, texts, corrections, boxes, merging, scopes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubestencil.engine import Target, load_targets
from kubestencil.errors import KubestencilError, SpecError, TargetError, UsageError
from kubestencil.schema import GroupVersionKind, Release
from kubestencil.schema.types import Resource, Subresource
from kubestencil.targets import generate_files
from kubestencil.targets.languages.rust import spelling
from kubestencil.targets.languages.rust.fixups import correct
from kubestencil.text.unique_names import free_names
from tests.conftest import RELEASES, SOME_RELEASES, load, make_release


@pytest.fixture(scope="module")
def target() -> Target:
    return load_targets(None)["rust"]


def generate_crate(spec: Release, target: Target) -> dict[str, str]:
    """The files of the crate by their paths."""
    return {file.path: file.data.decode() for file in generate_files(spec, target)}


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
def test_field_names_are_those_of_k8s_openapi(name: str, field: str) -> None:
    assert spelling.field_name(name) == field


@given(st.lists(st.text(), max_size=8, unique=True))
def test_field_names_are_unique_identifiers(names: list[str]) -> None:
    unique = free_names({name: spelling.field_name(name) for name in names}).values()
    assert len(set(unique)) == len(names)
    assert all(name.isascii() and name.isidentifier() for name in unique)


@given(st.text())
def test_a_text_cannot_end_its_doc_comment(text: str) -> None:
    for line in spelling.doc_comment(text, "    ").splitlines():
        assert line.startswith("    ///")
        assert "```" not in line and not set(line) & set("\r\x00\u202e\u2066")


@given(st.text())
def test_a_text_cannot_end_its_string_literal(text: str) -> None:
    literal = spelling.string_literal(text)
    inside = literal[1:-1].replace("\\\\", "").replace('\\"', "")
    assert literal[0] == literal[-1] == '"' and '"' not in inside
    assert literal.isprintable()


@pytest.mark.parametrize("name", SOME_RELEASES)
def test_declared_corrections_apply(name: str, target: Target) -> None:
    """``correct`` raises TargetError for one that does not."""
    correct(load(name), target)


def test_every_correction_changes_some_release(target: Target) -> None:
    applied = {
        fixup
        for name in RELEASES
        for release in [replace(load(name), name="mine")]
        for fixup, body in target.fixups.items()
        if correct(release, replace(target, fixups={fixup: body})) != release
    }
    assert applied == set(target.fixups)


def test_every_correction_links_to_its_source(target: Target) -> None:
    assert all(body["link"].startswith("https://") for body in target.fixups.values())


def test_a_correction_that_never_applies_is_an_error(target: Target) -> None:
    correct_release = correct(load("1.35"), target)
    with pytest.raises(TargetError, match=r"never applied to 1\.35"):
        correct(correct_release, target)
    # Other documents may need no correction.
    correct(replace(correct_release, name="mine"), target)


def test_a_misspelled_key_of_a_correction_is_an_error(target: Target) -> None:
    fixup = {"reason": "x", "field": "metadata", "require": True}
    misspelled = replace(target, fixups={"mine": fixup})
    with pytest.raises(
        TargetError,
        match=r"fixups\.mine\.require: unknown key(?s:.*)did you mean required",
    ):
        correct(load("1.35"), misspelled)


def test_options_are_valid_in_a_cargo_manifest(target: Target) -> None:
    name = 'x"\n[dependencies]'
    message = "is not the name of a Cargo package"
    with pytest.raises(UsageError, match=f"--set rust.name=(?s:.*){message}"):
        generate_crate(load("1.35"), target.with_options({"name": name}))
    own_target = replace(target, options={**target.options, "name": name})
    with pytest.raises(TargetError, match=f"target.toml: options.name: .*{message}"):
        generate_crate(load("1.35"), own_target)


def _object(**fields: Any) -> dict[str, Any]:
    return {"type": "object", "properties": fields}


def _ref(kind: str) -> dict[str, str]:
    return {"$ref": f"#/definitions/a.v1.{kind}"}


def test_only_fields_on_cycles_are_boxed(target: Target) -> None:
    spec = make_release(
        {
            "a.v1.A": _object(
                b=_ref("B"), c=_ref("C"), many={"type": "array", "items": _ref("A")}
            ),
            "a.v1.B": _object(a=_ref("A")),
            "a.v1.C": _object(d=_ref("D")),
            "a.v1.D": _object(x={"type": "string"}),
        }
    )
    generated = generate_crate(spec, target)
    assert "pub b: Option<Box<super::B>>," in generated["src/a/v1/a.rs"]
    assert "pub c: Option<super::C>," in generated["src/a/v1/a.rs"]
    assert "pub many: Option<Vec<super::A>>," in generated["src/a/v1/a.rs"]
    assert "pub a: Option<Box<super::A>>," in generated["src/a/v1/b.rs"]


def test_a_cycle_of_required_fields_is_an_error(target: Target) -> None:
    spec = make_release(
        {
            "a.v1.A": {**_object(b=_ref("B")), "required": ["b"]},
            "a.v1.B": {**_object(a=_ref("A")), "required": ["a"]},
        }
    )
    with pytest.raises(SpecError, match=r"a\.v1\.A has no finite value"):
        generate_crate(spec, target)


def test_types_that_require_a_time_have_no_default(target: Target) -> None:
    time = {"type": "string", "format": "date-time"}
    spec = make_release(
        {
            "a.v1.Event": {**_object(time=time), "required": ["time"]},
            "a.v1.Holder": {**_object(event=_ref("Event")), "required": ["event"]},
            "a.v1.Option": _object(event=_ref("Event"), time=time),
            "a.v1.Moment": time,
        }
    )
    generated = generate_crate(spec, target)
    for name in ("event", "holder", "moment"):
        text = generated[f"src/a/v1/{name}.rs"]
        assert "#[derive(Clone, Debug, PartialEq)]" in text
    assert 'event: mandatory "event"' in generated["src/a/v1/holder.rs"]
    assert "#[derive(Clone, Debug, Default" in generated["src/a/v1/option.rs"]


@pytest.mark.parametrize(
    "names",
    [
        ("a.v1.Pod", "a.V1.Pod"),
        ("wire.Pod",),
        ("io.k8s.Resource",),
        ("a.b.c", "a.b.c.D"),
    ],
)
def test_colliding_names_are_an_error(names: tuple[str, ...], target: Target) -> None:
    spec = make_release({name: _object(x={"type": "string"}) for name in names})
    with pytest.raises(KubestencilError, match=r"has already|would both be written to"):
        generate_crate(spec, target)


def _keyed_list(items: str, key: str) -> dict[str, Any]:
    return {
        "type": "array",
        "items": _ref(items),
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": [key],
    }


@pytest.mark.parametrize(
    ("key", "strategy"),
    [
        ("name", "list::map(&[|l, r| l.name == r.name], crate::DeepMerge::merge_from)"),
        (
            "spec.id",
            "list::map(&[|l, r| l.spec.id == r.spec.id], crate::DeepMerge::merge_from)",
        ),
        ("absent", "list::atomic"),
        ("name.absent", "list::atomic"),
        # Rust cannot compare a field of an ``Option``.
        ("status.id", "list::atomic"),
    ],
)
def test_a_list_is_merged_by_keys_that_its_items_have(
    key: str, strategy: str, target: Target
) -> None:
    spec = make_release(
        {
            "a.v1.Holder": _object(items=_keyed_list("Item", key)),
            "a.v1.Item": {
                **_object(
                    name={"type": "string"}, spec=_ref("Part"), status=_ref("Part")
                ),
                "required": ["spec"],
            },
            "a.v1.Part": _object(id={"type": "string"}),
        }
    )
    generated = generate_crate(spec, target)
    assert f'items: optional "items" [{strategy}];' in generated["src/a/v1/holder.rs"]


@pytest.mark.parametrize(
    ("values", "strategy"),
    [
        ({"type": "string"}, "map::granular(crate::DeepMerge::merge_from)"),
        (
            {"type": "array", "items": {"type": "string"}},
            "map::granular(crate::merge_strategies::list::atomic)",
        ),
        # The strategy has arguments, so it is no function that could be passed.
        (_keyed_list("Map", "name"), "map::atomic"),
    ],
)
def test_a_map_is_merged_by_the_strategy_of_its_values(
    values: dict[str, Any], strategy: str, target: Target
) -> None:
    map_schema = {"type": "object", "additionalProperties": values}
    spec = make_release({"a.v1.Map": _object(name={"type": "string"}, map=map_schema)})
    generated = generate_crate(spec, target)
    assert f'map: optional "map" [{strategy}];' in generated["src/a/v1/map.rs"]


@pytest.mark.parametrize(("length", "skipped"), [(71, False), (72, True)])
def test_rustfmt_skips_newtypes_with_long_lines(
    length: int, skipped: bool, target: Target
) -> None:
    definition = {"type": "array", "items": {"type": "string"}}
    generated = generate_crate(
        make_release({f"a.v1.{'A' * length}": definition}), target
    )
    (text,) = (text for text in generated.values() if "pub struct AA" in text)
    assert ("#[rustfmt::skip]" in text) == skipped


POD = {
    "io.k8s.api.core.v1.Pod": {
        **_object(apiVersion={"type": "string"}, kind={"type": "string"}),
        "x-kubernetes-group-version-kind": [
            {"group": "", "version": "v1", "kind": "Pod"}
        ],
    }
}
KIND = GroupVersionKind("", "v1", "Pod")
OTHER = GroupVersionKind("", "v1", "Other")


@pytest.mark.parametrize(
    ("resource", "expected"),
    [
        (Resource(KIND, "pods", "pod", namespaced=True), ("pods", "Namespace")),
        (Resource(KIND, "pods", "pod", namespaced=False), ("pods", "Cluster")),
        (
            Resource(
                OTHER,
                "others",
                "other",
                namespaced=True,
                subresources=(Subresource("eviction", ("create",), KIND),),
            ),
            ("eviction", "Sub"),
        ),
        (Resource(OTHER, "others", "other", namespaced=True), None),
    ],
)
def test_plural_and_scope_are_those_of_the_resources_or_left_out(
    resource: Resource, expected: tuple[str, str] | None, target: Target
) -> None:
    release = replace(make_release(POD), resources={resource.kind: resource})
    generated = generate_crate(release, target)
    pod = generated["src/api/core/v1/pod.rs"]
    if expected is None:
        assert "URL_PATH_SEGMENT" not in "".join(
            text for path, text in generated.items() if path.endswith(".rs")
        )
        assert "neither plural (`URL_PATH_SEGMENT`) nor scope" in generated["README.md"]
        return
    assert f'URL_PATH_SEGMENT: &\'static str = "{expected[0]}";' in pod
    assert f"type Scope = crate::{expected[1]}ResourceScope;" in pod


def test_embedded_documents_have_plural_and_scope_of_all_kinds(target: Target) -> None:
    """They have no paths, so that these come from the table of facts."""
    generated = generate_crate(load("1.35"), target)
    assert "UnknownResourceScope" not in "".join(generated.values())
    eviction = generated["src/api/policy/v1/eviction.rs"]
    assert "type Scope = crate::SubResourceScope;" in eviction
