"""The types of the printed crate, against k8s-openapi's: set, fields, order, docs.

Differences are named one by one, with their reasons, and no other may be there.
"""

from __future__ import annotations

import json
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from kubestencil.engine import load_targets
from kubestencil.targets import print_files
from tests.conftest import RELEASES, full_specs, load
from tests.rust_crate import Facts, digest, read

KNOWN = Path(__file__).parent / "conformance" / "rust"
DIFFERENCES = tomllib.loads((KNOWN / "differences.toml").read_text())


@cache
def expected(release: str) -> dict[str, Any]:
    known: dict[str, Any] = json.loads((KNOWN / f"{release}.json").read_text())
    return known


def printed(release: str, specs: Path | None, folder: Path) -> dict[str, Facts]:
    for file in print_files(load(release, specs), load_targets(None)["rust"]):
        path = folder / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.data)
    return read(folder)


def split(types: dict[str, Facts]) -> tuple[dict[str, str], dict[str, str]]:
    """Digests, and the plural and scope of those that have them."""
    endpoints = {}
    for name, facts in types.items():
        segment = facts["resource"].pop("URL_PATH_SEGMENT", None)
        scope = facts["resource"].pop("Scope", None)
        if scope is not None:
            endpoints[name] = f"{segment} {scope}"
    return {name: digest(facts) for name, facts in types.items()}, endpoints


def differing(ours: dict[str, str], theirs: dict[str, str]) -> set[str]:
    return {name for name, _ in ours.items() ^ theirs.items()}


@pytest.mark.parametrize("release", RELEASES)
def test_types_on_the_embedded_specs(release: str, tmp_path: Path) -> None:
    types, endpoints = split(printed(release, None, tmp_path))
    named = {
        *DIFFERENCES["corrections"].get(release, ()),
        *DIFFERENCES["embedded"].get(release, ()),
        *DIFFERENCES["embedded"]["all"],
    }
    assert differing(types, expected(release)["types"]) == named
    # Without paths nobody knows a plural, and none may be made up.
    assert endpoints == {}


@pytest.mark.skipif(full_specs() is None, reason="KUBESTENCIL_SPECS is not set")
@pytest.mark.parametrize("release", RELEASES)
def test_types_on_the_full_specs(release: str, tmp_path: Path) -> None:
    types, endpoints = split(printed(release, full_specs(), tmp_path))
    named = DIFFERENCES["corrections"].get(release, {})
    assert differing(types, expected(release)["types"]) == set(named)
    assert endpoints == expected(release)["endpoints"]
