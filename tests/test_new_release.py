"""What a supported release has beside its document (docs/adding-a-release.md)."""

from __future__ import annotations

import re

import pytest

from kubestencil.source.releases import has_reached
from tests.conftest import NEWEST, RELEASES, ROOT
from tests.published import LISTS

#: The lists that end: the first release of which upstream does not publish the format of
#: a target, or of which the list was not made (tests/conformance/README.md).
ENDED = {
    "jsonschema/{}/standalone": "1.36",
    "markdown-v4": "1.36",
    "markdown-v5": "1.36",
    "rust": "1.36",
}


def _lists() -> set[str]:
    """The paths of lists, with ``{}`` for the release."""
    name = re.compile(r"(?<=/)1\.\d+(?=[./])")
    files = (path for path in LISTS.rglob("*.*") if path.is_file())
    paths = [path.relative_to(LISTS).as_posix() for path in files]
    return {name.sub("{}", path) for path in paths if name.search(path)}


def _is_there(path: str, release: str) -> bool:
    return (LISTS / path.format(release)).is_file()


@pytest.mark.parametrize("release", RELEASES)
def test_a_supported_release_has_its_conformance_lists(release: str) -> None:
    """All of them, once it has one; a newer release is not compared yet, and the tests
    that need a list are skipped."""
    paths = _lists()
    assert len(paths) >= 15
    following = RELEASES[RELEASES.index(release) :]
    if not any(_is_there(path, name) for path in paths for name in following):
        pytest.skip(f"there are no lists of {release} yet")
    for path in paths:
        ends = [end for prefix, end in ENDED.items() if path.startswith(prefix)]
        is_published = not any(has_reached(release, end) for end in ends)
        assert _is_there(path, release) == is_published, path
    rows = (LISTS / "python/official.tsv").read_text("utf-8").splitlines()
    assert any(release in row.split("\t")[2].split(",") for row in rows)


#: What is judged or proven by hand, release by release, and ends where somebody stopped.
JUDGED = {
    "tests/test_check_alike.py": "what the facts of two releases differ in",
    "tests/test_configurations.py": "what breaks in configuration files",
    "tests/test_diff_behaviour.py": "a flag whose kind of change is rare",
    "tests/test_contradictions.py": "facts that differ between it and the one before",
    "tests/test_diff_judgement.py": "values behind a gate, and a list in place of a map",
    "tests/test_diff_reports.py": "a removal that was planned for it",
    "tests/test_site_stated_facts.py": "how many facts descriptions state",
    "tests/test_coverage.py": "tables that end at one release or another",
    "tests/test_gated_fields.py": "what a gate of one release decides about",
    "tests/test_make_facts.py": "tags of Go types",
    "tests/test_make_release.py": "versions of an invented index",
    "tests/validators.py": "the releases whose validators were asked",
    "templates/validator/target.toml": "the first release with other code",
}


def test_nothing_names_the_newest_release() -> None:
    """It would be wrong of the next one. A test says NEWEST, a manifest leaves the end of
    a range open, and a benchmark measures the newest release or one that it names."""
    named = re.compile(rf"\b{re.escape(NEWEST)}(\.\d+)?\b")
    folders = {"tests": "*.py", "benchmarks": "*.py", "templates": "*", ".ci": "*"}
    files = [
        path for name, glob in folders.items() for path in (ROOT / name).rglob(glob)
    ]
    naming = {
        path.relative_to(ROOT).as_posix()
        for path in (*files, ROOT / "Containerfile")
        if path.suffix != ".pyc"
        and path.is_file()
        and named.search(path.read_text("utf-8", "replace"))
    }
    assert naming <= JUDGED.keys()
