"""The size of a site and what generating it keeps in memory, in proportion to the
document, however its definitions refer to each other."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import pytest

from kubestencil import load
from kubestencil.engine import load_targets
from kubestencil.schema import Release
from kubestencil.schema.graph import reachable, reference_graph
from kubestencil.schema.kinds import kind_definitions
from kubestencil.targets.examples import trees
from kubestencil.targets.examples.accepted import AcceptedFields
from kubestencil.targets.examples.values import Values
from kubestencil.targets.site import listing, search_index
from kubestencil.targets.site.fields import rows as fields
from kubestencil.targets.site.pages import type_page, usage
from tests.cluster import load_crds
from tests.conftest import make_release
from tests.growth import assert_proportional, processor_time
from tests.strategies import generate_all_files
from tests.test_catalogue import crd

SITE = load_targets(None)["site"]


def name_of(index: int) -> str:
    return f"io.k8s.api.core.v1.Part{index}"


def kind(index: int, *references: str) -> dict[str, Any]:
    """A kind whose fields refer to ``references``."""
    kinds = [{"group": "", "version": "v1", "kind": f"Part{index}"}]
    properties: dict[str, Any] = {
        f"part{number}": {"description": "Another.", "$ref": f"#/definitions/{name}"}
        for number, name in enumerate(references)
    }
    return {
        "type": "object",
        "description": "A part.",
        "properties": {
            "apiVersion": {"type": "string"},
            "kind": {"type": "string"},
            **properties,
        },
        "x-kubernetes-group-version-kind": kinds,
    }


def ring(size: int) -> Release:
    return make_release(
        {
            name_of(index): kind(index, name_of((index + 1) % size))
            for index in range(size)
        }
    )


def chain(size: int) -> Release:
    parts = {
        name_of(index): kind(index, name_of(index + 1)) for index in range(size - 1)
    }
    return make_release({**parts, name_of(size - 1): kind(size - 1)})


def star(size: int) -> Release:
    """Kinds that all have the same type, which has all of them."""
    hub = "io.k8s.api.core.v1.Hub"
    names = [name_of(index) for index in range(size)]
    parts = {name: kind(index, hub) for index, name in enumerate(names)}
    schema = kind(size, *names)
    del schema["x-kubernetes-group-version-kind"]
    return make_release({**parts, hub: schema})


def hub(size: int) -> Release:
    """Kinds that all refer to each other: the square of ``size`` in references."""
    names = [name_of(index) for index in range(size)]
    return make_release({name: kind(index, *names) for index, name in enumerate(names)})


def wide(size: int, condition: Mapping[str, Any] = MappingProxyType({})) -> Release:
    """A kind with many fields."""
    properties = {
        f"field{index}": {"type": "string", "description": "A field."}
        for index in range(size)
    }
    return make_release(
        {name_of(0): {**kind(0), **condition, "properties": properties}}
    )


def versions(size: int) -> Release:
    return load_crds(crd("Widget", versions=size))


def generated(release: Release) -> Mapping[str, bytes]:
    return {file.path: file.data for file in generate_all_files([release], SITE)}


@pytest.fixture
def low_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limits of a page, so low that small documents reach them."""
    monkeypatch.setattr(fields, "_MAX_NESTED_TYPES", 5)
    monkeypatch.setattr(fields, "_MAX_NESTED_FIELDS", 10)
    monkeypatch.setattr(trees, "_MAX_EXPANDED_SIZE", 20)
    monkeypatch.setattr(listing, "_MAX_SIBLINGS", 5)
    monkeypatch.setattr(type_page, "MAX_KINDS", 5)
    monkeypatch.setattr(type_page, "_MAX_VERSIONS", 5)
    monkeypatch.setattr(usage, "MAX_KINDS", 5)
    monkeypatch.setattr(usage, "_MAX_REFERENCES", 4)


@pytest.mark.usefixtures("low_limits")
@pytest.mark.parametrize("make", [ring, chain, star, wide])
def test_a_site_grows_in_proportion_to_its_document(
    make: Callable[[int], Release],
) -> None:
    small, middle, large = (
        sum(map(len, generated(make(size)).values())) for size in (10, 20, 40)
    )
    # The assets and the first definitions are in every size.
    assert large - middle <= 2.2 * (middle - small), (small, middle, large)


@pytest.mark.usefixtures("low_limits")
def test_a_site_of_kinds_that_all_refer_to_each_other_grows_with_their_references() -> (
    None
):
    small, middle, large = (
        sum(map(len, generated(hub(size)).values())) for size in (10, 20, 40)
    )
    # Four times the references.
    assert large - middle <= 4.4 * (middle - small), (small, middle, large)


@pytest.mark.growth
def test_the_time_of_a_site_grows_with_the_versions_of_a_resource() -> None:
    def seconds(size: int) -> float:
        release = versions(size)
        return processor_time(lambda: generated(release))

    seconds(1)
    assert_proportional(seconds, 50)


@pytest.mark.growth
@pytest.mark.parametrize("condition", [{}, {"maxProperties": 20_000}])
def test_the_time_of_an_example_grows_with_its_fields(
    condition: Mapping[str, Any],
) -> None:
    def seconds(size: int) -> float:
        release = wide(size, condition)
        values = Values(release.definitions, AcceptedFields(release.name))
        definition = release.definitions[name_of(0)]
        return processor_time(lambda: values.all_fields(definition))

    assert_proportional(seconds, 5_000)


def test_pages_of_kubernetes_list_all_resources() -> None:
    release = load("1.35")
    kinds = sorted(kind_definitions(release))
    uses = usage.find_usage(release, kinds).used_in
    graph = reference_graph(release.definitions)
    reached = {kind: reachable(graph, [kind]) for kind in kinds}
    for name in release.definitions:
        expected = [kind for kind in kinds if name in reached[kind] - {kind}]
        assert [use.definition for use in uses.get(name, ())] == expected
        assert len(expected) < usage.MAX_KINDS


def test_the_page_of_a_type_names_the_limit_of_its_uses(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(type_page, "MAX_KINDS", 5)
    monkeypatch.setattr(usage, "MAX_KINDS", 5)
    page = generated(star(9))["test/core/v1/Hub/index.html"].decode()
    assert "No more than 5 resources are listed." in page
    page = generated(star(4))["test/core/v1/Hub/index.html"].decode()
    assert "No more than" not in page


def test_siblings_beyond_the_limit_are_a_link(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "_MAX_SIBLINGS", 5)
    page = generated(star(9))["test/core/v1/Part7/index.html"].decode()
    assert '<li><a href="../">All 9 kinds</a></li>' in page
    assert '<li><a href="../Part2/">' in page
    assert '<li><a href="../Part7/">' not in page


def test_the_page_of_an_old_version_links_to_it_and_to_the_most_stable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(type_page, "_MAX_VERSIONS", 2)
    page = generated(versions(9))["crds/example.com/v3/Widget/index.html"].decode()
    about = page.partition("<dt>versions</dt>")[2].partition("</div>")[0]
    assert [text.partition("<")[0] for text in about.split('">')[1:]] == [
        # Of v3, aria-current stands behind the address.
        "v3",
        "v8",
        "v9",
    ]


def index_of(release: Release) -> Any:
    script = generated(release)[f"{release.name}/search.js"]
    return json.loads(script.removeprefix(b"kubestencilIndex(").removesuffix(b")\n"))


def field_count(index: Any) -> int:
    return sum(len(type_[6]) for type_ in index["types"])


def fields_of_specs(index: Any) -> Mapping[str, list[str]]:
    """The names of the fields of each kind's spec, which itself has no name in the index."""
    strings, types = index["strings"], index["types"]
    specs = {
        kind: types[field[2]]
        for kind, _, is_kind, *_, fields in types
        for field in fields
        if is_kind and strings[field[0]] == "spec"
    }
    return {
        kind: [strings[name] for name, *_ in spec[6]] for kind, spec in specs.items()
    }


def test_the_search_of_a_catalogue_has_the_levels_that_fit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    release = load_crds(*(crd(f"Kind{index}") for index in range(8)))
    whole = index_of(release)
    assert "isPartial" not in whole
    assert len(whole["types"]) == len(release.definitions)
    monkeypatch.setattr(search_index, "_MAX_FIELDS", field_count(whole) - 1)
    partial = index_of(release)
    assert partial["isPartial"] is True
    assert 0 < field_count(partial) < field_count(whole)
    # Of each kind the same levels: those of the spec, not those deep inside of it.
    specs = fields_of_specs(whole)
    assert specs.keys() == {f"Kind{index}" for index in range(8)}
    assert fields_of_specs(partial) == specs
