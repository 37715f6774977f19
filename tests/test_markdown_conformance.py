"""The documented Markdown is byte for byte what upstream publishes.

From the embedded documents a few pages differ, since those are of another patch release;
``conformance/embedded.toml`` lists them. From the full documents (KUBESTENCIL_SPECS) no
page may differ.
"""

from __future__ import annotations

import hashlib
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from kubestencil.engine import load_targets
from kubestencil.engine.manifest import Target
from kubestencil.targets import generate_files
from tests.conftest import EACH_RELEASE, NEWEST, full_specs, load
from tests.published import LISTS, read_digests

TARGETS = ("markdown", "markdown-v4", "markdown-v5")


def models_only(name: str) -> Target:
    """A target without the pages of API classes, which ``test_api_pages`` compares, and
    with the published text of custom resources."""
    target = load_targets(None)[name]
    return replace(target, options={**target.options, "apis": False}, fixups={})


def published_digests(target: str, release: str) -> dict[str, str]:
    """The digest of every page that upstream publishes, by path."""
    return read_digests(f"{target}/{release}.sha256")


def generated_digests(target: str, release: str, specs: Path | None) -> dict[str, str]:
    """The digest of every page that the target generates, by path."""
    files = generate_files(load(release, specs), models_only(target))
    return {
        file.path: hashlib.sha256(file.data).hexdigest()
        for file in files
        if file.path.startswith("docs/")
    }


def differing_pages(generated: dict[str, str], published: dict[str, str]) -> set[str]:
    return {path for path, _ in generated.items() ^ published.items()}


def pages_of_other_patch(release: str) -> dict[str, str]:
    """The pages that differ between the patch releases, with their definitions."""
    pages: dict[str, dict[str, str]] = tomllib.loads(
        (LISTS / "embedded.toml").read_text()
    )
    return pages.get(release, {})


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("release", EACH_RELEASE)
def test_pages_from_the_embedded_specs_are_the_published_ones(
    target: str, release: str
) -> None:
    generated = generated_digests(target, release, None)
    differing = differing_pages(generated, published_digests(target, release))
    assert differing == set(pages_of_other_patch(release))


@pytest.mark.skipif(full_specs() is None, reason="KUBESTENCIL_SPECS is not set")
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("release", EACH_RELEASE)
def test_pages_from_the_full_specs_are_the_published_ones(
    target: str, release: str
) -> None:
    generated = generated_digests(target, release, full_specs())
    assert differing_pages(generated, published_digests(target, release)) == set()


@pytest.mark.skipif(full_specs() is None, reason="KUBESTENCIL_SPECS is not set")
@pytest.mark.parametrize("release", EACH_RELEASE)
def test_excused_pages_have_a_definition_that_differs(release: str) -> None:
    """A page may be in embedded.toml for no other reason."""
    embedded, full = load(release), load(release, full_specs())
    for definition in pages_of_other_patch(release).values():
        assert (
            embedded.definitions[definition].schema.raw
            != full.definitions[definition].schema.raw
        )


@pytest.mark.parametrize(
    ("target", "release", "path", "digest"),
    [
        # The first pages that the project was asked to reproduce.
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
def test_first_pages_are_the_published_ones(
    target: str, release: str, path: str, digest: str
) -> None:
    assert generated_digests(target, release, None)[path] == digest


def test_a_new_release_needs_no_code() -> None:
    definitions = load(NEWEST).definitions.values()
    models = [definition for definition in definitions if definition.fields]
    for target in TARGETS:
        assert len(generated_digests(target, NEWEST, None)) == len(models)
