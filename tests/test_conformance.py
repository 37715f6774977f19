"""The documented Markdown, byte for byte, against what upstream publishes.

On the embedded specs a few pages differ, since those are of another patch; they
are named one by one. On the full specs (KUBESTENCIL_SPECS) nothing may differ.
"""

from __future__ import annotations

import hashlib
import tomllib
from pathlib import Path

import pytest

from kubestencil.engine import load_targets
from kubestencil.targets import print_files
from tests.conftest import RELEASES, full_specs, load

LISTS = Path(__file__).parent / "conformance"
TARGETS = ("markdown", "markdown-v4", "markdown-v5")


def expected(target: str, release: str) -> dict[str, str]:
    lines = (LISTS / target / f"{release}.sha256").read_text().splitlines()
    return {path: digest for digest, path in (line.split() for line in lines)}


def printed(target: str, release: str, specs: Path | None) -> dict[str, str]:
    files = print_files(load(release, specs), load_targets(None)[target])
    return {
        file.path: hashlib.sha256(file.data).hexdigest()
        for file in files
        if file.path.startswith("docs/")
    }


def differences(ours: dict[str, str], theirs: dict[str, str]) -> set[str]:
    return {path for path, _ in ours.items() ^ theirs.items()}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("release", RELEASES)
def test_pages_on_the_embedded_specs(target: str, release: str) -> None:
    other_patch = tomllib.loads((LISTS / "embedded.toml").read_text()).get(release, {})
    ours = printed(target, release, None)
    assert differences(ours, expected(target, release)) == set(other_patch)


@pytest.mark.skipif(full_specs() is None, reason="KUBESTENCIL_SPECS is not set")
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("release", RELEASES)
def test_pages_on_the_full_specs(target: str, release: str) -> None:
    ours = printed(target, release, full_specs())
    assert differences(ours, expected(target, release)) == set()


@pytest.mark.skipif(full_specs() is None, reason="KUBESTENCIL_SPECS is not set")
@pytest.mark.parametrize("release", RELEASES)
def test_pages_that_differ_have_a_definition_that_differs(release: str) -> None:
    """No page may be excused that differs for another reason than its definition."""
    other_patch = tomllib.loads((LISTS / "embedded.toml").read_text()).get(release, {})
    embedded, full = load(release), load(release, full_specs())
    for definition in other_patch.values():
        assert (
            embedded.definitions[definition].schema.raw
            != full.definitions[definition].schema.raw
        )


@pytest.mark.parametrize(
    ("target", "release", "path", "digest"),
    [
        # The documents that the project started from, by digest.
        (
            "markdown-v5",
            "1.31",
            "docs/V1alpha3ResourceClaimStatus.md",
            "6752ff9c2e0c3cb0cd378bd5a26c5214ce7466d09a919313b0e565c85976a4df",
        ),
        (
            "markdown",
            "1.33",
            "docs/V1beta1ResourceClaimStatus.md",
            "8218702988e93ba41010743ea28dfbf5849c59471f48cc5f1d91a77b942745a9",
        ),
    ],
)
def test_seeds(target: str, release: str, path: str, digest: str) -> None:
    assert printed(target, release, None)[path] == digest


@pytest.mark.parametrize("release", ["1.36", "1.37"])
def test_a_new_release_needs_no_code(release: str) -> None:
    spec = load(release)
    pages = [name for name, each in spec.definitions.items() if each.fields]
    for target in TARGETS:
        assert len(printed(target, release, None)) == len(pages)
