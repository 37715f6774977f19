"""A release compared with itself in other forms: what upstream publishes under another name,
and what an API server of the release serves."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from typing import Any

import pytest

from kubestencil.diff import Comparison, compare
from kubestencil.schema import Release
from kubestencil.schema.knowledge.kinds import lifecycle
from kubestencil.schema.load import load_release
from kubestencil.schema.types import GroupVersionKind
from kubestencil.source import Source
from kubestencil.source.document import CrdSet
from tests.cluster import crd_file, served_document, stored_crds
from tests.conftest import EMBEDDED, full_specs, load, rest_nightly

_KINDS = "x-kubernetes-group-version-kind"
_SINCE_1_29 = [name for name in EMBEDDED if tuple(map(int, name.split("."))) >= (1, 29)]


def says_nothing(comparison: Comparison) -> bool:
    """Whether there is nothing but kinds that are not served by default, and words."""
    return (
        comparison.summary["breaking"] == comparison.summary["warning"] == 0
        and {change.rule.name for change in comparison.changes}
        <= {"not-enabled", "part-of-kind", "wording"}
        and not (comparison.notices or comparison.gates or comparison.graduations)
        and not (comparison.api_versions_added or comparison.api_versions_removed)
    )


def document_of(release: str, version: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(json.dumps(load(release).document))
    document["info"] = {"title": "Kubernetes", "version": version}
    return document


def as_served(release: str) -> dict[str, Any]:
    """The document as a server of the release has it: without kinds that it does not serve
    by default, and with allowed values in schemas and descriptions."""
    document = document_of(release, release)
    definitions = document["definitions"]
    for name in list(definitions):
        kinds = [GroupVersionKind(**kind) for kind in definitions[name].get(_KINDS, ())]
        known = lifecycle(kinds[0]) if len(kinds) == 1 else None
        if known is not None and known.is_optional_in(release):
            del definitions[name]
            continue
        for field in definitions[name].get("properties", {}).values():
            if field.get("type") == "string":
                field["enum"] = ["A", "B"]
                values = 'Possible enum values:\n - `"A"` Deprecated: use B.'
                field["description"] = f"{field.get('description', '')}\n\n{values}"
    return document


def parsed(document: Any, name: str = "mine") -> Release:
    text = document if isinstance(document, bytes) else json.dumps(document).encode()
    return load_release(Source(name, f"{name}.json", text))


@pytest.mark.parametrize("release", rest_nightly(_SINCE_1_29[::-1]))
def test_a_release_differs_from_its_server_in_kinds_that_are_not_enabled(
    release: str,
) -> None:
    served = parsed(as_served(release))
    assert served.kubernetes == release
    for sides in ((load(release), served), (served, load(release))):
        assert says_nothing(compare(*sides))


@pytest.mark.skipif(full_specs() is None, reason="KUBESTENCIL_SPECS is not set")
@pytest.mark.parametrize("release", rest_nightly(("1.35", "1.29", "1.32")))
def test_what_upstream_publishes_is_known_by_its_bytes(release: str) -> None:
    data = (full_specs() / f"{release}.json").read_bytes()  # type: ignore[operator]
    published = parsed(data, "swagger")
    assert published.kubernetes == release
    comparison = compare(load(release), published)
    assert {change.severity for change in comparison.changes} <= {"docs"}
    assert not (comparison.notices or comparison.gates or comparison.flags)


def test_a_real_server_differs_in_kinds_that_are_not_enabled() -> None:
    served = parsed(served_document("openapi-v2.json", "bare"))
    assert says_nothing(compare(load("1.35"), served))
    assert says_nothing(compare(served, load("1.35")))


@pytest.mark.nightly
def test_a_cluster_is_compared_with_a_release_and_its_custom_resources() -> None:
    crds = CrdSet(("crds.json",), (crd_file(stored_crds()),))
    cluster = Source("mine", "mine.json", served_document("openapi-v2.json"))
    release = Source(
        "1.35", "1.35.json", json.dumps(document_of("1.35", "1.35")).encode()
    )
    sides = [load_release(replace(item, crds=crds)) for item in (cluster, release)]
    assert any("are as crds.json has them" in note for note in sides[0].notes)
    assert says_nothing(compare(*sides))


def test_a_document_of_something_else_brings_no_configuration_files() -> None:
    other = parsed(
        {**document_of("1.35", "1.0"), "info": {"title": "x", "version": "1"}}
    )
    comparison = compare(load("1.35"), other)
    assert not any(comparison.summary.values())


def test_a_kind_that_was_served_by_default_is_missed() -> None:
    document = copy.deepcopy(document_of("1.35", "1.35"))
    del document["definitions"]["io.k8s.api.networking.v1.Ingress"]
    del document["definitions"]["io.k8s.api.networking.v1.IngressList"]
    comparison = compare(load("1.35"), parsed(document))
    assert comparison.summary["breaking"] == 1
