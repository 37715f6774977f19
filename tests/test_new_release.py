"""What a supported release has beside its document (docs/adding-a-release.md)."""

from __future__ import annotations

import pytest

from tests.conftest import RELEASES
from tests.published import LISTS
from tests.test_jsonschema_conformance import FOLDERS

CONFORMANCE = (
    *(f"{target}/{{}}.sha256" for target in ("jsonnet", "jsonnet-docs")),
    "jsonnet-docs/core/{}.sha256",
    *(f"jsonschema/{{}}/{flavour}.sha256" for flavour in FOLDERS),
    *(f"markdown{format}/{{}}.sha256" for format in ("", "-v4", "-v5")),
    *(f"markdown{format}/apis/{{}}.sha256" for format in ("", "-v4", "-v5")),
    "rust/{}.json",
    "website/{}.sha256",
    "python/official.tsv",
)
# What upstream does not publish of a release in the format of a target, or was not made
# (tests/conformance/README.md).
NOT_PUBLISHED = {
    "1.36": ("jsonschema/{}/standalone", "markdown-v4", "markdown-v5", "rust"),
    "1.37": ("jsonschema/{}/standalone", "markdown-v4", "markdown-v5", "rust"),
}


@pytest.mark.parametrize("release", RELEASES)
def test_a_supported_release_has_its_conformance_lists(release: str) -> None:
    """Step 6. Tests that need a list are skipped without it."""
    for path in CONFORMANCE:
        is_published = not path.startswith(NOT_PUBLISHED.get(release, ()))
        assert is_listed(path, release) == is_published, path


def is_listed(path: str, release: str) -> bool:
    file = LISTS / path.format(release)
    if file.suffix != ".tsv":
        return file.is_file()
    rows = file.read_text("utf-8").splitlines()
    return any(release in row.split("\t")[2].split(",") for row in rows)
