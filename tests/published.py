"""The lists of what upstream publishes, in ``tests/conformance``."""

from __future__ import annotations

import pytest

from tests.conftest import ROOT

LISTS = ROOT / "tests" / "conformance"


def read_list(path: str) -> str:
    """The text of a list. A new release has none at first: its tests are skipped, and
    ``tests/test_new_release.py`` names what is missing."""
    file = LISTS / path
    if not file.is_file():
        pytest.skip(f"tests/conformance/{path} does not exist")
    return file.read_text("utf-8")


def read_digests(path: str) -> dict[str, str]:
    """The digests in a list by path."""
    lines = read_list(path).splitlines()
    return {name: digest for digest, name in (line.split() for line in lines)}
