"""The Markdown of custom resources is byte for byte that of openapi-generator.

The lists of ``conformance/`` were made by openapi-generator itself: ``gadgets`` for the
CustomResourceDefinitions in ``crds/gadgets.yaml``, ``cluster`` for the document of an
API server with 127 CustomResourceDefinitions (KUBESTENCIL_CLUSTER).
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from markdown_it import MarkdownIt

from kubestencil.engine import load_targets
from kubestencil.schema import Release
from kubestencil.schema.documents.inline import (
    name_inline_objects,
    restored_schema,
)
from kubestencil.schema.documents.published import published_definition
from kubestencil.schema.keyword_values import json_object
from kubestencil.schema.load import load_release
from kubestencil.schema.types import schema_of
from kubestencil.source import locate
from kubestencil.source.document import CrdSet, Source, SourceFile
from kubestencil.source.inputs import add_crds
from kubestencil.targets import generate_files
from kubestencil.targets.markdown.inline_models import (
    VERSIONS,
    Version,
    name_inline_models,
)
from tests.cluster import crd_file, load_crds, served_document, stored_crds
from tests.conftest import load, make_release
from tests.test_jsonnet_custom_resources import PROPERTIES, crd
from tests.test_markdown_conformance import models_only

LISTS = Path(__file__).parent / "conformance"
GADGETS = Path(__file__).parent / "crds" / "gadgets.yaml"
TARGETS = ("markdown", "markdown-v4", "markdown-v5")

#: Pages of the cluster that differ from those of openapi-generator, with the reason.
DIFFERENT = {
    "docs/ComExampleEdgeV1Edge.md": "its description has a tag, which is escaped",
    "docs/ComCoreosMonitoringV1alpha1AlertmanagerConfigSpecWebhookURL1.md": "differs "
    "from another page in case only, which some file systems ignore",
    "docs/ComCoreosMonitoringV1alpha1AlertmanagerConfigSpecWebhookURL.md": "the same",
    "docs/ComCoreosMonitoringV1alpha1AlertmanagerConfigSpecMsteamsv2Configs.md": "links "
    "to that page",
}
# The server describes apiVersion and kind of an embedded object in words of its own.
EMBEDDED = "docs/ComExampleEdgeV1EdgeSpecTemplate2.md"

TEXT = {"type": "string"}


def digests(release: Release, target: str) -> dict[str, str]:
    """The digest of the page of every model."""
    return {
        file.path: hashlib.sha256(file.data).hexdigest()
        for file in generate_files(release, models_only(target))
        if file.path.startswith("docs/")
    }


def listed(target: str, name: str) -> dict[str, str]:
    lines = (LISTS / target / f"{name}.sha256").read_text().splitlines()
    return {path: digest for digest, path in (line.split() for line in lines)}


def shortened(pages: dict[str, str], expected: dict[str, str]) -> dict[str, str]:
    """The digests as long as those of a list."""
    length = len(next(iter(expected.values())))
    return {path: digest[:length] for path, digest in pages.items()}


@cache
def served() -> Release:
    """The release of what a server publishes in OpenAPI 2.0."""
    return load_release(
        Source("cluster", "openapi-v2.json", served_document("openapi-v2.json"))
    )


@cache
def stored() -> Release:
    """The release of a server without custom resources, and of those of the other."""
    document = served_document("openapi-v2.json", "bare")
    crds = CrdSet((), (crd_file(stored_crds()),))
    return load_release(add_crds(Source("cluster", "openapi-v2.json", document), crds))


@cache
def served_digests(target: str) -> dict[str, str]:
    return digests(served(), target)


def gadgets() -> Release:
    file = SourceFile("gadgets.yaml", GADGETS.read_bytes())
    return load_release(add_crds(locate("1.35", None), CrdSet((), (file,))))


# --- the bytes of openapi-generator


@pytest.mark.parametrize("target", TARGETS)
def test_custom_resources_have_the_pages_of_openapi_generator(target: str) -> None:
    pages = digests(gadgets(), target)
    built_in = digests(load("1.35"), target)
    assert built_in.items() <= pages.items()
    custom = {path: pages[path] for path in pages.keys() - built_in.keys()}
    assert custom == listed(target, "gadgets")


@pytest.mark.parametrize("target", TARGETS)
def test_the_document_of_a_cluster_has_the_pages_of_openapi_generator(
    target: str,
) -> None:
    expected = listed(target, "cluster")
    pages = shortened(served_digests(target), expected)
    differing = {path for path, _ in pages.items() ^ expected.items()}
    assert differing <= DIFFERENT.keys()
    assert len(pages) > 3000


@pytest.mark.nightly
@pytest.mark.parametrize("target", TARGETS)
def test_the_files_of_a_cluster_have_the_pages_of_its_document(target: str) -> None:
    differing = digests(stored(), target).items() ^ served_digests(target).items()
    assert {path for path, _ in differing} == {EMBEDDED}


# --- how inline objects are named


def models(schema: dict[str, Any], version: Version) -> dict[str, Any]:
    """The models of a definition ``v1.Foo`` with such a schema."""
    definition = schema_of({"type": "object", "properties": {"spec": schema}})
    named = name_inline_models({"Foo": definition}, {"Foo": "v1.Foo"}, ["Foo"], version)
    return {name: model.raw for name, model in named["Foo"].items()}


def inline_names(schema: dict[str, Any], version: Version) -> list[str]:
    return [name for name in models(schema, version) if name != "Foo"]


def obj(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("4.3", ["v1_Foo_spec_x", "v1_Foo_spec_list", "v1_Foo_spec"]),
        ("5.4", ["v1_Foo_spec_x", "v1_Foo_spec_list", "v1_Foo_spec"]),
        ("7.26", ["v1_Foo_spec_list_inner_x", "v1_Foo_spec_list_inner", "v1_Foo_spec"]),
    ],
)
def test_models_are_called_after_their_path(
    version: Version, expected: list[str]
) -> None:
    """Up to 5.4, an object in a list has the path of what the list is part of."""
    inner = {"type": "array", "items": obj(x=obj(a=TEXT))}
    assert inline_names(obj(list=inner), version) == expected


@pytest.mark.parametrize("version", VERSIONS)
def test_equal_objects_are_one_model(version: Version) -> None:
    same = obj(a=TEXT) | {"description": "A."}
    named = models(obj(one=same, two=same, three=obj(a=TEXT)), version)
    fields = named["v1_Foo_spec"]["properties"]
    assert fields["one"] == fields["two"] != fields["three"]


@pytest.mark.parametrize("version", VERSIONS)
def test_a_name_that_is_taken_has_a_number(version: Version) -> None:
    schema = obj(**{"a-b": obj(x=TEXT), "a.b": obj(y=TEXT), "a_b": obj(z=TEXT)})
    assert [
        name for name in inline_names(schema, version) if name != "v1_Foo_spec"
    ] == ["v1_Foo_spec_a_b", "v1_Foo_spec_a_b_1", "v1_Foo_spec_a_b_2"]


@pytest.mark.parametrize("version", VERSIONS)
def test_a_title_is_the_name(version: Version) -> None:
    schema = obj(x=obj(a=TEXT) | {"title": "My title"})
    assert "My_title" in inline_names(schema, version)


def test_titled_objects_that_differ_in_words_are_one_model() -> None:
    one = obj(a=TEXT) | {"title": "T", "description": "One."}
    schema = obj(one=one, two=one | {"description": "Two."})
    assert inline_names(schema, "7.26") == ["T", "v1_Foo_spec"]
    assert inline_names(schema, "5.4") == ["T", "T_1", "v1_Foo_spec"]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    ("keyword", "tells_apart"),
    [("minProperties", False), ("x-kubernetes-map-type", True)],
)
def test_what_the_parser_drops_tells_no_objects_apart(
    version: Version, keyword: str, tells_apart: bool
) -> None:
    schema = obj(one=obj(a=TEXT), two=obj(a=TEXT) | {keyword: 1})
    # 4.3 compares nothing but the description and the fields of an object.
    expected = 3 if tells_apart and version != "4.3" else 2
    assert len(inline_names(schema, version)) == expected


@pytest.mark.parametrize("target", TARGETS)
def test_classes_that_differ_in_case_only_have_a_page_each(target: str) -> None:
    spec = obj(fooBar=obj(a=TEXT), foobar=obj(b=TEXT))
    pages = digests(load_crds(crd(spec)), target)
    assert {
        "docs/ComExampleV1FooSpecFooBar.md",
        "docs/ComExampleV1FooSpecFoobar1.md",
    } <= pages.keys()


@pytest.mark.parametrize("target", TARGETS)
def test_a_custom_resource_does_not_rename_a_type_of_kubernetes(target: str) -> None:
    service = crd(obj(a=TEXT), kind="Service", group="foo.k8s.io")
    release = load_release(
        add_crds(locate("1.35", None), CrdSet((), (crd_file([service]),)))
    )
    built_in = digests(load("1.35"), target)
    pages = digests(release, target)
    assert built_in.items() <= pages.items()
    assert "docs/FooV1Service.md" in pages


def test_a_very_long_path_has_a_page() -> None:
    spec: dict[str, Any] = TEXT
    for number in range(60):
        spec = obj(**{f"aRatherLongName{number}": spec})
    for target in TARGETS:
        pages = digests(load_crds(crd(spec)), target)
        assert max(map(len, pages)) < 200


# --- what an API server publishes in OpenAPI 2.0


def published(schema: dict[str, Any]) -> Any:
    definition = {"type": "object", "properties": {"x": schema}, "required": ["x"]}
    return published_definition("com.example.v1.Foo", schema_of(definition)).raw


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (TEXT | {"default": "a", "enum": ["a"]}, TEXT | {"enum": ["a"]}),
        ({"anyOf": [{}], "x-a": 1}, {"x-a": 1}),
        (obj(b=TEXT, a=TEXT), obj(a=TEXT, b=TEXT)),
        (
            {
                "type": "array",
                "x-kubernetes-preserve-unknown-fields": True,
                "items": TEXT,
            },
            {"x-kubernetes-preserve-unknown-fields": True},
        ),
        (
            obj(a=TEXT) | {"x-kubernetes-preserve-unknown-fields": True},
            {"x-kubernetes-preserve-unknown-fields": True},
        ),
    ],
)
def test_schemas_are_published_in_openapi_2(schema: Any, expected: Any) -> None:
    assert published(schema) == {
        "type": "object",
        "properties": {"x": expected},
        "required": ["x"],
    }


def test_a_nullable_field_has_no_type_and_is_not_required() -> None:
    assert published(TEXT | {"nullable": True, "format": "byte"}) == {
        "type": "object",
        "properties": {"x": {"format": "byte"}},
    }


@given(PROPERTIES)
def test_naming_inline_objects_can_be_undone(schema: Any) -> None:
    definitions = {"a.v1.Foo": obj(spec=schema)}
    named = name_inline_objects(definitions)
    inline = named.pointers.keys()
    defined = make_release({**named.definitions}).definitions
    restored = restored_schema(defined["a.v1.Foo"].schema, defined, inline)
    assert json_object(restored) == definitions["a.v1.Foo"]


# --- hostile names and texts


@pytest.mark.nightly
@given(PROPERTIES)
def test_no_name_or_text_breaks_a_page(spec: Any) -> None:
    """Each page has one table with a row for each field, and no other block."""
    release = load_crds(crd(spec))
    parser = MarkdownIt("commonmark").enable("table")
    for target in TARGETS:
        for file in generate_files(release, load_targets(None)[target]):
            if not file.path.startswith("docs/ComExample"):
                continue
            text = file.data.decode("utf-8", "replace")
            types = [token.type for token in parser.parse(text)]
            assert types.count("table_open") == 1, text
            assert not {"html_block", "blockquote_open", "bullet_list_open"} & {*types}
            headings = 3 if target == "markdown" else 2
            assert types.count("heading_open") == headings, text
            rows = [line for line in text.split("\n") if line.startswith("**")]
            assert types.count("tr_open") == len(rows) + 1, text


def test_published_text_of_custom_resources_has_open_pipes() -> None:
    spec = obj(a=TEXT | {"description": "x|y"})
    for target in TARGETS:
        files = generate_files(load_crds(crd(spec)), models_only(target))
        page = next(file for file in files if file.path.endswith("V1FooSpec.md"))
        assert b" | x|y | " in page.data
