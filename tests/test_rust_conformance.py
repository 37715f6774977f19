"""The types of the generated crate are those of k8s-openapi: names, fields, order, docs.

Every known difference is listed with its reason; there may be no others.
"""

from __future__ import annotations

import json
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.cargo import write_crate
from tests.conftest import EACH_RELEASE, full_specs, load
from tests.published import read_list
from tests.rust_crate import Facts, digest, read_crate

DIFFERENCES = tomllib.loads(read_list("rust/differences.toml"))


@cache
def expected(release: str) -> dict[str, Any]:
    facts: dict[str, Any] = json.loads(read_list(f"rust/{release}.json"))
    return facts


def generated(release: str, specs: Path | None, folder: Path) -> dict[str, Facts]:
    return read_crate(write_crate(load(release, specs), folder))


def split_endpoints(types: dict[str, Facts]) -> tuple[dict[str, str], dict[str, str]]:
    """The digest of each type without its endpoint, and the endpoints: plural and scope."""
    endpoints = {}
    for name, facts in types.items():
        segment = facts["resource"].pop("URL_PATH_SEGMENT", None)
        scope = facts["resource"].pop("Scope", None)
        if scope is not None:
            endpoints[name] = f"{segment} {scope}"
    return {name: digest(facts) for name, facts in types.items()}, endpoints


def differing(ours: dict[str, str], theirs: dict[str, str]) -> set[str]:
    """The types whose digests differ, or that only one side has."""
    return {name for name, _ in ours.items() ^ theirs.items()}


@pytest.mark.parametrize("release", EACH_RELEASE)
def test_types_match_k8s_openapi_on_the_embedded_specs(
    release: str, tmp_path: Path
) -> None:
    types, endpoints = split_endpoints(generated(release, None, tmp_path))
    listed = {
        *DIFFERENCES["corrections"].get(release, ()),
        *DIFFERENCES["embedded"].get(release, ()),
        *DIFFERENCES["embedded"]["all"],
    }
    assert differing(types, expected(release)["types"]) == listed
    # The embedded documents have no paths: plurals and scopes are facts, equal for every
    # kind, also for those that differ otherwise.
    published = expected(release)["endpoints"]
    assert {name: endpoints.get(name) for name in published} == published
    assert endpoints.keys() - published.keys() <= listed


@pytest.mark.skipif(full_specs() is None, reason="KUBESTENCIL_SPECS is not set")
@pytest.mark.parametrize("release", EACH_RELEASE)
def test_types_match_k8s_openapi_on_the_full_specs(
    release: str, tmp_path: Path
) -> None:
    types, endpoints = split_endpoints(generated(release, full_specs(), tmp_path))
    listed = DIFFERENCES["corrections"].get(release, {})
    assert differing(types, expected(release)["types"]) == set(listed)
    assert endpoints == expected(release)["endpoints"]
