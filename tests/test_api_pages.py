"""The pages of API classes are byte for byte what upstream publishes.

Embedded documents have no paths. Their operations are rebuilt from facts, and differ
from the published ones in descriptions, which are not facts.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from kubestencil.engine import load_targets
from kubestencil.errors import SpecError
from kubestencil.schema import Release
from kubestencil.schema.documents.authentication import authentication_of
from kubestencil.schema.load import load_release
from kubestencil.schema.operations.details import OperationDetails
from kubestencil.schema.operations.parameter_descriptions import (
    PARAMETER_DESCRIPTIONS,
)
from kubestencil.schema.operations.rebuilt_details import operation_details
from kubestencil.schema.resources.operation import METHODS
from kubestencil.source import Source
from kubestencil.targets import generate_files
from tests.cluster import served_document
from tests.conftest import EACH_RELEASE, NEWEST, full_specs, load, make_release
from tests.published import read_digests
from tests.strategies import HOSTILE_TEXTS
from tests.test_markdown_custom_resources import gadgets, served, stored

TARGETS = ("markdown", "markdown-v4", "markdown-v5")
_TABLE = "Class | Method | HTTP request | Description\n"

#: Parameters that embedded documents describe: fields of DeleteOptions, and names.
DESCRIBED = {
    *("dryRun", "gracePeriodSeconds", "orphanDependents", "propagationPolicy"),
    *("ignoreStoreReadErrorWithClusterBreakingPotential", "name"),
}
UNDESCRIBED = PARAMETER_DESCRIPTIONS.keys() - DESCRIBED
#: Operations with a description that follows no rule.
UNDESCRIBED_OPERATIONS = {
    "getCodeVersion",
    "getServiceAccountIssuerOpenIDConfiguration",
    "getServiceAccountIssuerOpenIDKeyset",
}


def published_digests(target: str, release: str) -> dict[str, str]:
    """The digest of every page, and of the rows of the table in the README, by path."""
    return read_digests(f"{target}/apis/{release}.sha256")


@cache
def api_digests(target: str, release: str, specs: Path | None) -> Mapping[str, str]:
    return digests(api_files(load(release, specs), target))


def api_files(release: Release, target: str) -> dict[str, str]:
    """The text of the page of every API class by path, and the rows of the table in the
    README."""
    manifest = load_targets(None)[target]
    rules = tuple(rule for rule in manifest.files if rule.each != "definition")
    files = {
        file.path: file.data.decode()
        for file in generate_files(release, replace(manifest, files=rules))
    }
    _, _, table = files["README.md"].partition(_TABLE)
    _, _, rows = table.partition("\n\n")[0].partition("\n")
    pages = dict.fromkeys(re.findall(r"\(docs/(\w+Api)\.md#", rows))
    return {f"docs/{page}.md": files[f"docs/{page}.md"] for page in pages} | {
        "README.md": f"{rows}\n"
    }


def digests(files: Mapping[str, str]) -> dict[str, str]:
    return {
        path: hashlib.sha256(text.encode()).hexdigest() for path, text in files.items()
    }


# --- from full documents


@pytest.mark.skipif(full_specs() is None, reason="KUBESTENCIL_SPECS is not set")
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("release", EACH_RELEASE)
def test_pages_from_the_full_specs_are_the_published_ones(
    target: str, release: str
) -> None:
    generated = api_digests(target, release, full_specs())
    assert generated == published_digests(target, release)


# --- authentication

_KEY = {"type": "apiKey", "in": "header", "name": "x-token"}


@pytest.mark.parametrize(
    ("definitions", "security", "expected"),
    [
        (None, [], "BearerToken authorization"),
        ({"Token": _KEY}, [{"Token": []}], "Token x-token"),
        ({"A": {**_KEY, "name": "a"}, "Token": _KEY}, [{"Token": []}], "Token x-token"),
        ({"Token": _KEY}, None, "Token x-token"),
        ({"Basic": {"type": "basic"}}, [], "BearerToken authorization"),
        ({"Token": {**_KEY, "in": "query"}}, "Token", "BearerToken authorization"),
        ({"a'b": _KEY}, [{"a'b": []}, 3], "BearerToken authorization"),
        ({"Token": {**_KEY, "name": "x\n'"}}, [], "BearerToken authorization"),
        ([_KEY], [], "BearerToken authorization"),
    ],
)
def test_the_api_key_is_the_one_of_the_document(
    definitions: Any, security: Any, expected: str
) -> None:
    """With a name that can be in code, in a header, and needed by operations first."""
    document = {"securityDefinitions": definitions, "security": security}
    release = make_release({"io.k8s.api.core.v1.A": {"type": "object"}})
    assert " ".join(authentication_of(replace(release, document=document))) == expected


@pytest.mark.parametrize("target", TARGETS)
def test_pages_show_the_api_key_of_the_document(target: str) -> None:
    release = load("1.35")
    document = {**release.document, "securityDefinitions": {"Token": _KEY}}
    page = api_files(replace(release, document=document), target)["docs/AppsApi.md"]
    assert "configuration.api_key['Token']" in page or "['x-token']" in page
    assert "BearerToken" not in page


# --- from embedded documents


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("release", EACH_RELEASE)
def test_pages_from_the_embedded_specs_differ_only_with_operations_on_resources(
    target: str, release: str
) -> None:
    """The pages of discovery are the published ones, and so is the table."""
    generated = api_digests(target, release, None)
    expected = published_digests(target, release)
    assert generated.keys() == expected.keys()
    assert {path for path, digest in generated.items() if digest != expected[path]} == {
        path for path in expected if _has_undescribed_operations(path)
    }


def _has_undescribed_operations(path: str) -> bool:
    has_resources = re.search(r"V\d+((alpha|beta)\d+)?Api\.md$", path) is not None
    return has_resources or path in {
        "docs/OpenidApi.md",
        "docs/VersionApi.md",
        "docs/WellKnownApi.md",
    }


@pytest.mark.skipif(full_specs() is None, reason="KUBESTENCIL_SPECS is not set")
@pytest.mark.parametrize("release", EACH_RELEASE)
def test_rebuilt_operations_differ_from_the_full_document_in_descriptions_only(
    release: str,
) -> None:
    rebuilt = {_key(details): details for details in operation_details(load(release))}
    full = operation_details(load(release, full_specs()))
    expected = {_key(details): details for details in full if not _is_watch(details)}
    assert rebuilt.keys() == expected.keys()
    for key, details in expected.items():
        assert list(_facts(rebuilt[key])) == list(_facts(details)), key


def _key(details: OperationDetails) -> tuple[str, str]:
    return details.operation.path, details.operation.method


def _is_watch(details: OperationDetails) -> bool:
    return details.operation.action in ("watch", "watchlist")


def _facts(details: OperationDetails) -> Iterator[object]:
    """What is in the page of an operation, without the descriptions that no embedded
    document has."""
    yield details.operation, details.tag, details.consumes, details.produces
    if details.operation.name not in UNDESCRIBED_OPERATIONS:
        yield details.description
    for parameters in (details.path_parameters, details.parameters):
        for name, location, required, description, schema in parameters:
            yield name, location, required, schema.type, schema.ref
            if name not in UNDESCRIBED:
                yield description
    for code, description, result in details.responses:
        yield code, description, result and (result.type, result.ref)


def test_a_new_release_needs_no_code() -> None:
    page = api_files(load(NEWEST), "markdown-v4")["docs/CoreV1Api.md"]
    assert "# **create_namespaced_pod**\n> V1Pod create_namespaced_pod(" in page


# --- custom resources


def test_custom_resources_have_pages() -> None:
    pages = api_files(gadgets(), "markdown-v5")
    assert "docs/ToolBoxExampleComApi.md" not in pages
    page = pages["docs/ToolBoxExampleComV1Api.md"]
    assert "/apis/tool-box.example.com/v1/namespaces/{namespace}/gadgets" in page
    assert "\nlist objects of kind Gadget\n" in page
    assert "body = kubernetes_asyncio.client.ComExampleToolBoxV1Gadget() #" in page
    assert "> ComExampleToolBoxV1GadgetList list_namespaced_gadget(" in page


def test_a_list_of_custom_resources_can_have_any_name() -> None:
    page = api_files(gadgets(), "markdown-v4")["docs/OtherExampleComV1alpha1Api.md"]
    assert "> ComExampleOtherV1alpha1GadgetClasses list_" in page


@pytest.mark.parametrize("target", ["markdown", "markdown-v4", "markdown-v5"])
def test_the_document_of_a_cluster_has_the_pages_of_openapi_generator(
    target: str,
) -> None:
    expected = published_digests(target, "cluster")
    pages = digests(api_files(served(), target))
    assert {path: digest[:16] for path, digest in pages.items()} == expected


@pytest.mark.nightly
def test_rebuilt_operations_of_custom_resources_are_those_of_a_real_server() -> None:
    """The document of a server without custom resources has the descriptions, too."""
    rebuilt = operation_details(stored())
    expected = [item for item in operation_details(served()) if not _is_watch(item)]
    assert len(expected) > 2500
    assert _everything(rebuilt) == _everything(expected)


def _everything(operations: list[OperationDetails]) -> dict[object, object]:
    return {
        _key(details): details._replace(
            path_parameters=tuple(map(_comparable, details.path_parameters)),
            parameters=tuple(map(_comparable, details.parameters)),
            responses=tuple(map(_comparable, details.responses)),
        )
        for details in operations
        if not _is_watch(details)
    }


def _comparable(item: Any) -> Any:
    """A parameter or response whose type can be compared."""
    return item._replace(schema=item.schema and (item.schema.type, item.schema.ref))


def test_openapi_3_has_the_operations_of_openapi_2() -> None:
    """Its media types have another order, and are given only where there is a body."""
    document = served_document("v3/apis__cert-manager.io__v1.json")
    release = load_release(Source("cluster", "v3.json", document))
    third = _everything(operation_details(release))
    second = _everything(operation_details(served()))
    for key, details in third.items():
        assert isinstance(details, OperationDetails)
        other = second[key]
        assert isinstance(other, OperationDetails)
        assert set(details.produces) == set(other.produces)
        assert other == details._replace(
            consumes=other.consumes, produces=other.produces
        )


# --- options and quirks


def test_without_apis_there_are_models_only() -> None:
    target = load_targets(None)["markdown-v4"]
    target = replace(target, options={**target.options, "apis": False})
    files = {file.path: file.data for file in generate_files(load("1.35"), target)}
    assert "docs/V1Pod.md" in files
    assert "docs/CoreV1Api.md" not in files
    assert b"These pages document models only." in files["README.md"]


@pytest.mark.parametrize("quirk", ["command-list", "delete-any", "port-text"])
def test_each_correction_changes_the_page_of_pods(quirk: str) -> None:
    target = load_targets(None)["markdown"]
    quirks = {name: value for name, value in target.quirks.items() if name != quirk}
    pages = {
        file.path
        for file, other in zip(
            generate_files(load("1.35"), target),
            generate_files(load("1.35"), replace(target, quirks=quirks)),
            strict=True,
        )
        if file != other
    }
    assert "docs/CoreV1Api.md" in pages


# --- hostile documents


def operation(**more: Any) -> dict[str, Any]:
    return {"operationId": "readThing", "tags": ["example_v1"], "responses": {}} | more


def release_of(paths: Any) -> Release:
    fields = {"type": "object", "properties": {"a": {"type": "string"}}}
    return make_release({"a.v1.Foo": fields}, paths=paths)


PARAMETERS = st.lists(
    st.one_of(
        st.builds(
            lambda name, description, type_, required: {
                "name": name,
                "in": "query",
                "description": description,
                "type": type_,
                "required": required,
            },
            HOSTILE_TEXTS,
            HOSTILE_TEXTS,
            st.sampled_from(["string", "integer", "array", "boolean"]),
            st.booleans(),
        ),
        st.just(
            {"name": "x", "in": "body", "schema": {"$ref": "#/definitions/a.v1.Foo"}}
        ),
    ),
    max_size=3,
)
OPERATIONS = st.builds(
    lambda name, tags, description, parameters, types, code, text: {
        "operationId": name,
        "tags": tags,
        "description": description,
        "parameters": parameters,
        "consumes": types,
        "produces": types,
        "responses": {code: {"description": text, "schema": {"type": "string"}}},
    },
    HOSTILE_TEXTS,
    st.lists(HOSTILE_TEXTS, max_size=1),
    HOSTILE_TEXTS,
    PARAMETERS,
    st.lists(HOSTILE_TEXTS, max_size=2),
    st.one_of(st.just("200"), HOSTILE_TEXTS),
    HOSTILE_TEXTS,
)
PATHS = st.dictionaries(
    HOSTILE_TEXTS,
    st.dictionaries(st.sampled_from(METHODS), OPERATIONS, min_size=1, max_size=2),
    min_size=1,
    max_size=3,
)


@pytest.mark.nightly
@settings(max_examples=30)
@given(PATHS)
def test_no_text_of_an_operation_breaks_a_page(paths: Any) -> None:
    """Each operation has the headings, the code and the tables of its page, and no
    other block."""
    release = release_of(paths)
    parser = MarkdownIt("commonmark").enable("table")
    for target in TARGETS:
        for path, text in api_files(release, target).items():
            if path == "README.md":
                assert text.count("\n") == text.count("\n*") + 1, text
                continue
            types = [token.type for token in parser.parse(text)]
            count = types.count("fence")
            assert count == text.count("# Enter a context with an instance"), text
            assert types.count("heading_open") == 1 + 7 * count, text
            assert types.count("bullet_list_open") == 2 * count, text
            rows = re.findall(r"(?m)^(?: \*\*|\[\*\*|.*\|  -  \|$)", text)
            tables = types.count("table_open")
            assert types.count("tr_open") == len(rows) + tables, text
            assert types.count("blockquote_open") == count, text
            assert not {"html_block", "hr", "code_block"} & {*types}, text


@pytest.mark.parametrize(
    ("paths", "pointer"),
    [
        ([], "/paths"),
        ({"/a": 1}, "/paths/~1a"),
        ({"/a": {"get": []}}, "/paths/~1a/get"),
        ({"/a": {"get": operation(tags="x")}}, "/paths/~1a/get/tags"),
        ({"/a": {"get": operation(description=1)}}, "/paths/~1a/get/description"),
        ({"/a": {"get": operation(responses=1)}}, "/paths/~1a/get/responses"),
        ({"/a": {"get": operation(parameters={})}}, "/paths/~1a/get/parameters"),
        (
            {"/a": {"get": operation(parameters=[{"name": "x", "in": "y"}])}},
            "/paths/~1a/get/parameters/0/in",
        ),
        (
            {"/a": {"get": operation(parameters=[{"$ref": "#/parameters/x"}])}},
            "/paths/~1a/get/parameters/0",
        ),
        (
            {"/a": {"parameters": [{"in": "query"}], "get": operation()}},
            "/paths/~1a/parameters/0/type",
        ),
    ],
)
def test_a_wrong_operation_is_refused_with_its_place(paths: Any, pointer: str) -> None:
    with pytest.raises(SpecError) as error:
        operation_details(release_of(paths))
    assert error.value.where == f"test.json#{pointer}", json.dumps(paths)
