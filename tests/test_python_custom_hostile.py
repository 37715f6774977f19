"""Hostile CustomResourceDefinitions: names and texts of any kind stay harmless, and
names that would clash are told apart."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.cluster import load_crds
from tests.conftest import make_release
from tests.crd_schemas import definition, version
from tests.packages import check_round_trips, generate_package, import_package
from tests.python_crds import PRESERVE, TEXT, in_group
from tests.test_python_hostile_specs import HOSTILE_TEXTS, JSON_NAMES

TEXTS = st.lists(st.sampled_from(HOSTILE_TEXTS), max_size=4).map("".join)
KINDS = st.sampled_from(
    [
        "None", "True", "Any", "Literal", "Model", "CustomModel", "OpenModel", "Open",
        "EmbeddedObject", "ExactTime", "V1ObjectMeta", "V1ListMeta", "str", "list", "class",
        "Foo", "foo", "FOO", "Foo-Bar", "FooBar", "FooSpec", "Exception", "Types", "a",
    ]
)  # fmt: skip
GROUPS = st.sampled_from(
    [
        "a-b.io",
        "a.b.io",
        "models.io",
        "1a.io",
        "class.import",
        "x.api.k8s.io",
        "a.k8s.io",
    ]
)
VERSIONS = st.sampled_from(["v1", "v1-a", "import", "a", "none"])
# The readers of JSON and YAML refuse the others.
FIELD_NAMES = JSON_NAMES.filter(lambda name: "\ud800" not in name)
LEAVES = st.one_of(
    st.sampled_from(
        [
            TEXT,
            PRESERVE,
            {"type": "object", **PRESERVE},
            {"type": "object", **PRESERVE, "x-kubernetes-embedded-resource": True},
            {**TEXT, "format": "date-time", "nullable": True},
            {"x-kubernetes-int-or-string": True},
            {"type": "number"},
        ]
    ),
    st.lists(TEXTS, min_size=1, max_size=4).map(
        lambda values: {**TEXT, "enum": values}
    ),
    TEXTS.map(lambda text: {**TEXT, "default": text}),
)


def objects(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.builds(
        lambda properties, more, text: {
            "type": "object",
            "properties": properties,
            "description": text,
            **more,
        },
        st.dictionaries(FIELD_NAMES, inner, max_size=4),
        st.sampled_from([{}, PRESERVE, {"nullable": True}]),
        TEXTS,
    )


SCHEMAS = st.recursive(
    LEAVES,
    lambda inner: objects(inner)
    | inner.map(lambda items: {"type": "array", "items": items})
    | inner.map(lambda value: {"type": "object", "additionalProperties": value}),
    max_leaves=5,
)


@st.composite
def definitions(draw: st.DrawFn) -> list[dict[str, Any]]:
    names = draw(
        st.lists(st.tuples(GROUPS, KINDS), min_size=1, max_size=4, unique=True)
    )
    return [
        in_group(
            definition(
                kind,
                *(
                    version(name, {**draw(objects(SCHEMAS)), "nullable": False})
                    for name in draw(
                        st.lists(VERSIONS, min_size=1, max_size=2, unique=True)
                    )
                ),
                plural=f"plural{number}",
                singular=f"singular{number}",
                listKind=f"{kind}List",
            ),
            group,
        )
        for number, (group, kind) in enumerate(names)
    ]


@pytest.mark.nightly
@given(crds=definitions())
@settings(max_examples=30, suppress_health_check=list(HealthCheck))
def test_hostile_definitions_are_harmless(
    crds: list[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("hostile")
    check_round_trips(generate_package(load_crds(*crds), folder, "hostile"))


def widget(**properties: Any) -> dict[str, Any]:
    root = {"type": "object", "properties": properties}
    return definition("Widget", version("v1", root))


def test_groups_that_would_have_one_name_are_told_apart(tmp_path: Path) -> None:
    groups = ("a-b.io", "a.b.io", "9a.io", "class.io")
    crds = [in_group(widget(), group) for group in groups]
    generate_package(load_crds(*crds), tmp_path, "clashing_groups")
    package = import_package(tmp_path, "clashing_groups")
    assert package._GROUPS == ["group_9a_io", "a_b_io", "a_b_io_2", "class_io"]
    classes = [package.model_for(f"{group}/v1", "Widget") for group in groups]
    assert len(set(classes)) == 4


def test_a_deep_path_has_a_class_and_a_file_that_can_be_imported(
    tmp_path: Path,
) -> None:
    schema: dict[str, Any] = {"type": "object", "properties": {"end": TEXT}}
    value: dict[str, Any] = {"end": "x"}
    for _ in range(60):
        schema = {"type": "object", "properties": {"aLongFieldName": schema}}
        value = {"aLongFieldName": value}
    generate_package(load_crds(widget(spec=schema)), tmp_path, "deep_models")
    package = import_package(tmp_path, "deep_models")
    read = package.example_com.v1.Widget.from_dict({"spec": value}, strict=True)
    assert read.to_dict()["spec"] == value
    paths = [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.py")]
    assert max(map(len, paths)) < 150


def test_three_hundred_versions_have_a_module_each(tmp_path: Path) -> None:
    root = {
        "type": "object",
        "properties": {"spec": {"type": "object", "properties": {"a": TEXT}}},
    }
    crd = definition(
        "Widget", *(version(f"v{number}", root) for number in range(1, 301))
    )
    generate_package(load_crds(crd), tmp_path, "many_versions")
    package = import_package(tmp_path, "many_versions")
    assert len(package.example_com.__all__) == 300
    for number in (1, 37, 300):
        kind = {"apiVersion": f"example.com/v{number}", "kind": "Widget"}
        raw = {**kind, "spec": {"a": "b"}}
        model = package.model_for(f"example.com/v{number}", "Widget")
        assert model.__module__.endswith(f".v{number}._widget")
        assert model.from_dict(raw, strict=True).to_dict() == raw


def test_types_that_kinds_share_refer_to_each_other(tmp_path: Path) -> None:
    """As in the documents of API servers other than that of custom resources."""

    def model(kind: str = "", version: str = "v1", **fields: str) -> dict[str, Any]:
        schema: dict[str, Any] = {
            "type": "object",
            "properties": {
                name: {"$ref": f"#/definitions/{ref}"} for name, ref in fields.items()
            },
        }
        if kind:
            served = {"group": "example.com", "version": version, "kind": kind}
            schema["x-kubernetes-group-version-kind"] = [served]
        return schema

    release = make_release(
        {
            "com.acme.api.v1.A": model("A", shared="com.acme.api.v1.Shared"),
            "com.acme.api.v1.B": model("B", shared="com.acme.api.v1.Shared"),
            "com.acme.api.v1.Shared": model(
                a="com.acme.api.v1.A",
                me="com.acme.api.v1.Shared",
                other="com.acme.api.v2.A",
            ),
            "com.acme.api.v2.A": model("A", "v2", a="com.acme.api.v1.A"),
        }
    )
    generate_package(release, tmp_path, "hostile")
    check_round_trips(tmp_path)
    shared = (tmp_path / "hostile/example_com/v1/_types.py").read_text()
    assert re.search(r"^from \._a import A$", shared, re.MULTILINE)


def test_kinds_that_refer_to_each_other_through_an_alias_can_be_imported(
    tmp_path: Path,
) -> None:
    """A definition that is a reference has no class of its own."""

    def kind(name: str, reference: str) -> dict[str, Any]:
        served = [{"group": "x.io", "version": "v1", "kind": name}]
        return {
            "type": "object",
            "properties": {"next": {"$ref": f"#/definitions/x.v1.{reference}"}},
            "x-kubernetes-group-version-kind": served,
        }

    release = make_release(
        {
            "x.v1.First": kind("First", "Second"),
            "x.v1.Second": kind("Second", "Alias"),
            "x.v1.Alias": {
                "type": "array",
                "items": {"$ref": "#/definitions/x.v1.Name"},
            },
            "x.v1.Name": {"$ref": "#/definitions/x.v1.First"},
        }
    )
    folder = generate_package(release, tmp_path, "hostile")
    check_round_trips(folder)
