"""The pages of the API in Markdown are byte for byte what upstream publishes."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

from kubestencil.engine import load_targets
from kubestencil.schema import Release
from kubestencil.targets import generate_files
from tests.conftest import RELEASES, full_specs, load

LISTS = Path(__file__).parent / "conformance"
TARGETS = ("markdown", "markdown-v4", "markdown-v5")
_TABLE = "Class | Method | HTTP request | Description\n"


def published_digests(target: str, release: str) -> dict[str, str]:
    """The digest of every page, and of the rows of the table in the README, by path."""
    lines = (LISTS / target / "apis" / f"{release}.sha256").read_text().splitlines()
    return {path: digest for digest, path in (line.split() for line in lines)}


@cache
def api_files(target: str, release: str, specs: Path | None) -> Mapping[str, str]:
    """The text of every page of an API class by path, and the rows of the table in the
    README."""
    return files_of(load(release, specs), target)


def files_of(release: Release, target: str) -> dict[str, str]:
    pages = {
        file.path: file.data.decode()
        for file in generate_files(release, load_targets(None)[target])
        if file.path.endswith(("Api.md", "README.md"))
    }
    _, _, rows = pages["README.md"].partition(_TABLE)
    table, _, _ = rows.partition("\n\n")
    return {**pages, "README.md": f"{table.partition(chr(10))[2]}\n"}


def digests(files: Mapping[str, str]) -> dict[str, str]:
    return {
        path: hashlib.sha256(text.encode()).hexdigest() for path, text in files.items()
    }


@pytest.mark.skipif(full_specs() is None, reason="KUBESTENCIL_SPECS is not set")
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("release", RELEASES)
def test_pages_from_the_full_specs_are_the_published_ones(
    target: str, release: str
) -> None:
    generated = digests(api_files(target, release, full_specs()))
    assert generated == published_digests(target, release)
