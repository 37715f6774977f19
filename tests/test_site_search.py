"""The ranking of the docs site's search: what people type, and what must come first."""

from __future__ import annotations

import json
import string
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kubestencil import load
from kubestencil.schema import Release
from tests.crd_schemas import definition, version
from tests.site_search import index_scripts, parse_index, search

KUBERNETES, CUSTOM = "1.35", "custom"


class Query(NamedTuple):
    """A row of ``search_queries.tsv``; ``result`` is empty where nothing is found."""

    release: str
    text: str
    result: str


def queries() -> list[Query]:
    lines = (Path(__file__).parent / "search_queries.tsv").read_text().splitlines()
    rows = (line.split("\t") for line in lines if not line.startswith("# "))
    return [
        Query(release, text, "" if result == "-" else result)
        for release, text, result in (row for row in rows if len(row) == 3)
    ]


def crd(group: str, kind: str, short_name: str, *versions: str) -> dict[str, Any]:
    """A CustomResourceDefinition whose spec has dnsNames and secretName."""
    text = {"type": "string"}
    spec = {"dnsNames": {"type": "array", "items": text}, "secretName": text}
    schema = {
        "type": "object",
        "properties": {"spec": {"type": "object", "properties": spec}},
    }
    items = [version(name, schema, storage=name == "v1") for name in versions]
    return definition(kind, *items, group=group, shortNames=[short_name])


@pytest.fixture(scope="module")
def releases(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Release]:
    file = tmp_path_factory.mktemp("crds") / "crds.json"
    crds = [
        crd("cert-manager.io", "Certificate", "cert", "v1alpha2", "v1", "v1beta1"),
        crd("widgets.example.com", "BigWidget", "bw", "v1", "v2"),
    ]
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": crds}))
    return {KUBERNETES: load(KUBERNETES), CUSTOM: load(file, name=CUSTOM)}


def test_each_query_has_its_result_first(releases: Mapping[str, Release]) -> None:
    """Of all rows of the table: the names, paths and mistakes that people type."""
    table = queries()
    assert len({(query.release, query.text) for query in table}) == len(table) > 80
    wrong = []
    for name, release in releases.items():
        rows = [query for query in table if query.release == name]
        results = search(index_scripts(release), [query.text for query in rows])
        for query, paths in zip(rows, results, strict=True):
            if query.result != (paths[0] if paths else ""):
                wrong.append((query, paths[:3]))
    assert not wrong


def test_kinds_come_before_their_copies_and_stable_versions_first(
    releases: Mapping[str, Release],
) -> None:
    scripts = index_scripts(releases[KUBERNETES])
    claims, scalers = search(scripts, ["resourceclaim", "horizontalpodautoscaler"])
    assert claims[:4] == [
        *(
            f"resource.k8s.io/{version}/ResourceClaim/"
            for version in ("v1", "v1beta2", "v1beta1")
        ),
        "core/v1/ResourceClaim/",
    ]
    assert scalers[:2] == [
        f"autoscaling/{version}/HorizontalPodAutoscaler/" for version in ("v2", "v1")
    ]


def test_a_group_or_version_is_followed_by_its_kinds(
    releases: Mapping[str, Release],
) -> None:
    scripts = index_scripts(releases[KUBERNETES])
    version, group = search(scripts, ["batch/v1", "autoscaling"])
    assert version == ["batch/v1/", "batch/v1/Job/", "batch/v1/CronJob/"]
    assert group[:3] == [
        "autoscaling/",
        "autoscaling/v2/HorizontalPodAutoscaler/",
        "autoscaling/v1/HorizontalPodAutoscaler/",
    ]


def test_every_kind_is_found_by_the_names_that_kubectl_takes(
    releases: Mapping[str, Release],
) -> None:
    """A kind, its plural and its short names find the kind in one of its groups."""
    release = releases[KUBERNETES]
    expected = {}
    for kind, resource in release.resources.items():
        for name in (kind.kind, resource.plural, *resource.short_names):
            expected[name] = kind.kind
    names = list(expected)
    results = search(index_scripts(release), names)
    for name, paths in zip(names, results, strict=True):
        assert paths[0].split("/")[2] == expected[name], name
        assert paths[0].partition("#operations")[0].endswith("/")


def test_objects_of_custom_resources_are_found_by_their_paths(
    releases: Mapping[str, Release],
) -> None:
    """Those that are alike are in the index once, and none by the name of its type."""
    scripts = index_scripts(releases[CUSTOM])
    names, _ = parse_index(scripts)
    fields = [
        [names["strings"][field[0]] for field in type_item[6]]
        for type_item in names["types"]
        if not type_item[0]
    ]
    assert fields == [["dnsNames", "secretName"]]
    certificates, widget = search(scripts, ["secretName", "bigwidget secretName"])
    assert certificates == ["cert-manager.io/v1/Certificate/#spec.secretName"]
    assert widget[0] == "widgets.example.com/v2/BigWidget/#spec.secretName"


@settings(max_examples=3, deadline=None)
@given(
    st.lists(
        st.text(st.sampled_from("pod.spec/ $[]()*+?\\^|{}-_0v1" + string.ascii_letters))
        | st.text(max_size=20),
        min_size=200,
        max_size=300,
    )
)
def test_any_text_can_be_searched(texts: list[str]) -> None:
    """Nothing that people type is read as an expression, or stops the search."""
    search(index_scripts(load(KUBERNETES, kinds=["Pod"])), texts)


def test_the_names_are_small_and_descriptions_are_there_once(
    releases: Mapping[str, Release],
) -> None:
    """The first results need the names only."""
    scripts = index_scripts(releases[KUBERNETES])
    assert len(scripts.names) < 150_000
    assert len(scripts.texts) < 700_000
    names, texts = parse_index(scripts)
    assert len(set(texts["texts"])) == len(texts["texts"])
    entries = sum(1 + len(type_item[6]) for type_item in names["types"])
    assert len(texts["positions"]) == entries
