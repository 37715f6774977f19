"""Hostile CustomResourceDefinitions: names and texts of any kind stay harmless, and
names that would clash are told apart."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import Any

import pytest

from tests.cluster import load_crds
from tests.conftest import make_release
from tests.crd_schemas import definition, version
from tests.packages import check_round_trips, generate_package, import_package
from tests.python_crds import PRESERVE, TEXT, in_group
from tests.test_python_hostile_specs import HOSTILE_TEXTS, JSON_NAMES

KINDS = (
    "None", "True", "Any", "Literal", "Model", "CustomModel", "OpenModel", "Open",
    "EmbeddedObject", "ExactTime", "V1ObjectMeta", "V1ListMeta", "str", "list", "class",
    "Foo", "foo", "FOO", "Foo-Bar", "FooBar", "FooSpec", "Exception", "Types", "a",
)  # fmt: skip
GROUPS = ("a-b.io", "models.io", "1a.io", "class.import", "x.api.k8s.io", "a.k8s.io")
VERSIONS = ("v1", "v1-a", "import", "a", "none")
TEXTS = ["".join(HOSTILE_TEXTS[index::3]) for index in range(3)]
LEAVES: list[dict[str, Any]] = [
    TEXT,
    PRESERVE,
    {"type": "object", **PRESERVE},
    {"type": "object", **PRESERVE, "x-kubernetes-embedded-resource": True},
    {**TEXT, "format": "date-time", "nullable": True},
    {"x-kubernetes-int-or-string": True},
    {"type": "number"},
    {**TEXT, "enum": TEXTS},
    *({**TEXT, "default": text} for text in TEXTS),
]


def test_hostile_definitions_are_harmless(tmp_path: Path) -> None:
    """Each name of a field has a value, an object, a list and a map of it."""
    objects = [
        {
            "type": "object",
            "description": text,
            "properties": dict(zip(JSON_NAMES, itertools.cycle(LEAVES))),
            **more,
        }
        for text, more in zip(TEXTS, ({}, PRESERVE, {"nullable": True}), strict=True)
    ]
    inner = [*LEAVES, *objects]
    lists = ({"type": "array", "items": schema} for schema in inner)
    maps = ({"type": "object", "additionalProperties": schema} for schema in inner)
    schemas = itertools.cycle([*inner, *lists, *maps])
    crds = [
        in_group(
            definition(
                kind,
                version(
                    VERSIONS[number % len(VERSIONS)],
                    {
                        **objects[0],
                        "properties": {
                            name: next(schemas) for name in JSON_NAMES[number % 4 :: 4]
                        },
                    },
                ),
                plural=f"plural{number}",
                singular=f"singular{number}",
                listKind=f"{kind}List",
            ),
            GROUPS[number % len(GROUPS)],
        )
        for number, kind in enumerate(KINDS)
    ]
    check_round_trips(generate_package(load_crds(*crds), tmp_path, "hostile"))


def widget(**properties: Any) -> dict[str, Any]:
    root = {"type": "object", "properties": properties}
    return definition("Widget", version("v1", root))


def test_groups_that_would_have_one_name_are_told_apart(tmp_path: Path) -> None:
    groups = ("a-b.io", "a.b.io", "9a.io", "class.io")
    crds = [in_group(widget(), group) for group in groups]
    generate_package(load_crds(*crds), tmp_path, "clashing_groups")
    package = import_package(tmp_path, "clashing_groups")
    assert package._GROUPS == ["group_9a_io", "a_b_io", "a_b_io_8763", "class_io"]
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


@pytest.mark.parametrize("other", ["First", "Alias"])
def test_kinds_that_refer_to_each_other_can_be_imported(
    tmp_path: Path, other: str
) -> None:
    """Also through a definition that is a reference: it has no class of its own."""

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
            "x.v1.Second": kind("Second", other),
            "x.v1.Alias": {
                "type": "array",
                "items": {"$ref": "#/definitions/x.v1.Name"},
            },
            "x.v1.Name": {"$ref": "#/definitions/x.v1.First"},
        }
    )
    folder = generate_package(release, tmp_path, "hostile")
    check_round_trips(folder)
