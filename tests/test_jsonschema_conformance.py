"""The JSON Schemas are byte for byte what openapi2jsonschema prints."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from kubestencil.engine import Target, load_targets
from kubestencil.schema import Release
from kubestencil.targets import generate_files
from tests.conftest import EACH_RELEASE, full_specs, load, make_release
from tests.published import read_digests

FOLDERS = {
    "url": "",
    "local": "-local",
    "standalone": "-standalone",
    "standalone-strict": "-standalone-strict",
}

#: The releases whose embedded documents are of another patch than the full ones.
OTHER_PATCH = ("1.30", "1.31", "1.32")


def published_digests(release: str, flavour: str) -> Mapping[str, str]:
    """16 digits of the digest of each file, by path."""
    folder = f"v{release}.0{FOLDERS[flavour]}"
    listed = read_digests(f"jsonschema/{release}/{flavour}.sha256")
    return {f"{folder}/{path}": digest for path, digest in listed.items()}


def schema_target(**options: str) -> Target:
    """The target that prints a published flavour, where none is named."""
    options = {"flavours": "standalone-strict", **options}
    return load_targets(None)["jsonschema"].with_options(options)


def generated(release: Release, target: Target) -> dict[str, bytes]:
    """The schemas by path."""
    files = generate_files(release, target)
    return {file.path: file.data for file in files if file.path.endswith(".json")}


def digests(files: Mapping[str, bytes]) -> Mapping[str, str]:
    return {path: hashlib.sha256(data).hexdigest()[:16] for path, data in files.items()}


@cache
def published_files() -> Mapping[str, bytes]:
    return generated(load("1.35"), schema_target())


@pytest.mark.parametrize("flavour", FOLDERS)
@pytest.mark.parametrize("release", EACH_RELEASE)
def test_schemas_are_those_of_openapi2jsonschema(release: str, flavour: str) -> None:
    expected = published_digests(release, flavour)
    specs = full_specs()
    if specs is None and release in OTHER_PATCH:
        pytest.skip("KUBESTENCIL_SPECS is not set")
    files = generated(load(release, specs), schema_target(flavours=flavour))
    assert digests(files) == expected


def test_several_flavours_are_printed_in_one_run() -> None:
    options = {"flavours": "standalone, local,standalone"}
    document = load("1.35")
    files = digests(generated(document, schema_target(**options)))
    expected = {
        **published_digests("1.35", "standalone"),
        **published_digests("1.35", "local"),
    }
    assert files == expected


@pytest.mark.nightly
@pytest.mark.parametrize(
    # Of custom resources: tests/test_jsonschema.py.
    "quirk",
    sorted(
        load_targets(None)["jsonschema"].quirks.keys() - {"field-called-properties"}
    ),
)
def test_each_quirk_applies_to_the_newest_release(quirk: str) -> None:
    """A quirk that no longer changes a byte is to be removed."""
    target = schema_target()
    quirks = {name: body for name, body in target.quirks.items() if name != quirk}
    files = generated(load("1.35"), replace(target, quirks=quirks))
    assert files != published_files()


def test_87_names_belong_to_several_definitions() -> None:
    target = schema_target()
    quirks = dict(target.quirks)
    del quirks["last-definition-wins"]
    files = generated(load("1.35"), replace(target, quirks=quirks))
    ambiguous = published_files().keys() - files.keys()
    assert len(ambiguous) == 87
    assert "v1.35.0-standalone-strict/event.json" in ambiguous


def test_recursive_adds_nine_kinds_and_changes_no_other_file() -> None:
    published = published_files()
    files = generated(load("1.35"), schema_target(recursive="true"))
    assert {path: files[path] for path in published} == published
    added = {
        path.partition("/")[2].removesuffix(".json")
        for path in files.keys() - published.keys()
    }
    kinds = {name for name in added if "-" not in name}
    assert kinds == {
        "customresourcedefinition",
        "customresourcedefinitionlist",
        "customresourcedefinitionspec",
        "customresourcedefinitionversion",
        "customresourcevalidation",
        "jsonschemaprops",
        "jsonschemapropsorarray",
        "jsonschemapropsorbool",
        "jsonschemapropsorstringarray",
    }
    assert added == kinds | {f"{kind}-apiextensions-v1" for kind in kinds}


@pytest.mark.parametrize(
    ("options", "release", "folder"),
    [
        ({}, "1.35", "v1.35.0"),
        ({"patch": "2"}, "1.35", "v1.35.2"),
        ({"patch": "2"}, "1.34.7", "v1.34.7"),
        ({}, "my-cluster", "my-cluster"),
    ],
)
def test_folders_are_named_after_the_release(
    options: dict[str, str], release: str, folder: str
) -> None:
    document = replace(load("1.35"), name=release)
    files = generated(document, schema_target(flavours="url", **options))
    assert {path.split("/")[0] for path in files} == {folder}
    published = "https://raw.githubusercontent.com/yannh/kubernetes-json-schema/master"
    reference = f'"{published}/{folder}/_definitions.json#/definitions/'
    assert reference.encode() in files[f"{folder}/deployment-apps-v1.json"]


def test_the_prefix_of_references_is_an_option() -> None:
    prefix = "https://example.com/{version}/all.json"
    files = generated(load("1.35"), schema_target(flavours="url", prefix=prefix))
    data = files["v1.35.0/deployment-apps-v1.json"]
    assert b'"https://example.com/v1.35.0/all.json#/definitions/' in data


@pytest.mark.parametrize(
    ("required", "schema", "expected"),
    [
        (
            {"type": "array", "items": {"type": "string"}},
            {"type": "array", "items": {"type": "string"}},
            {"type": ["array", "null"], "items": {"type": "string"}},
        ),
        (
            {"type": "string"},
            {"type": "array", "items": {"type": "string"}},
            {"type": ["array", "null"], "items": {"type": ["string", "null"]}},
        ),
        (
            {"type": "string", "format": "int-or-string"},
            {"oneOf": [{"type": "string"}]},
            {"oneOf": [{"type": "string"}]},
        ),
    ],
)
def test_a_field_called_required_decides_about_null_as_in_the_tool(
    required: Any, schema: Any, expected: Any
) -> None:
    """openapi2jsonschema takes the schema of that field for the list of the required
    ones. The expected schemas are its output."""
    properties = {"required": required, "field": schema}
    outer = {"properties": {"outer": {"properties": properties}}}
    document = make_release({"io.k8s.api.core.v1.Foo": outer})
    files = generated(document, schema_target())
    data = json.loads(files["test-standalone-strict/foo-v1.json"])
    assert data["properties"]["outer"]["properties"]["field"] == expected
