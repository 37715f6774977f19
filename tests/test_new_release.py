"""What a supported release has beside its document (docs/adding-a-release.md)."""

from __future__ import annotations

import pytest

from tests.conftest import RELEASES
from tests.published import LISTS, read_list
from tests.test_jsonschema_conformance import FOLDERS

CONFORMANCE = (
    *(f"{target}/{{}}.sha256" for target in ("jsonnet", "jsonnet-docs")),
    "jsonnet-docs/core/{}.sha256",
    *(f"jsonschema/{{}}/{flavour}.sha256" for flavour in FOLDERS),
    *(f"markdown{format}/{{}}.sha256" for format in ("", "-v4", "-v5")),
    *(f"markdown{format}/apis/{{}}.sha256" for format in ("", "-v4", "-v5")),
    "rust/{}.json",
)


@pytest.mark.parametrize("release", RELEASES)
def test_a_supported_release_has_its_conformance_lists(release: str) -> None:
    """Step 6. Tests that need a list are skipped without it."""
    paths = [path.format(release) for path in CONFORMANCE]
    assert [path for path in paths if not (LISTS / path).is_file()] == []
    rows = read_list("python/official.tsv").splitlines()
    assert any(release in row.split("\t")[2].split(",") for row in rows)
