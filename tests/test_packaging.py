"""What the packages contain, and that they are the same bytes whoever builds them."""

from __future__ import annotations

import email
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

import hatch_build
from kubestencil.source import embedded
from tests.conftest import ROOT

#: What is neither in a checkout nor in a package.
NOT_COPIED = shutil.ignore_patterns(".*", "__pycache__", "generated", "node_modules")


def test_the_wheel_has_every_table_of_facts() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    included = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    tables = {f"specs/{path.name}" for path in (ROOT / "specs").glob("*.tsv")}
    # Those are applied where facts are made.
    tables.remove("specs/corrections.tsv")
    assert {*tables, "specs/facts"} <= included.keys()


# What an index would be asked for: a name of this project after a command that installs.
# None is published, so that anybody could register it.
_UNPUBLISHED = re.compile(
    r"kubestencil[-_]validator(?!s)|kubestencil\[|\b(?:pip|pipx|uv|uvx|npm|npx|cargo|gem|go)\b"
    r"[^\n|;&`]{0,40}[ '\"](?:acme-)?kubestencil(?![/\w])",
)


def test_no_page_and_no_message_names_a_package_that_is_not_published() -> None:
    """But the files that make packages, and CHANGELOG.md, which tells what was."""
    folders = ("docs", "generator/kubestencil", "templates", "specs", ".github")
    pages = ("README.md", "SECURITY.md", "CONTRIBUTING.md", "ARCHITECTURE.md")
    files = [ROOT / name for name in (*pages, "action.yml", "Containerfile")]
    files += [path for folder in folders for path in (ROOT / folder).rglob("*")]
    named = {
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in files
        if path.suffix
        in (".py", ".md", ".j2", ".toml", ".yml", ".ipynb", ".js", ".html", "")
        and path.is_file()
        for match in _UNPUBLISHED.finditer(path.read_text("utf-8"))
    }
    assert named == {
        # A folder of this machine while Go builds.
        "generator/kubestencil/validator/binaries.py: kubestencil-validator",
    }
    for text in (
        "pip install kubestencil-validator-1.35",
        "pip install 'kubestencil[lsp]'",
        "uvx kubestencil render",
        "pip install acme-kubestencil-targets",
    ):
        assert _UNPUBLISHED.search(text)
    assert not _UNPUBLISHED.search("pip install . && kubestencil render -t site")


@pytest.mark.nightly
def test_two_builds_are_the_same_bytes(tmp_path: Path) -> None:
    """Of other folders, times and permissions."""
    first, second = tmp_path / "first", tmp_path / "second" / "folder"
    shutil.copytree(ROOT, first, ignore=NOT_COPIED)
    shutil.copytree(ROOT, second, ignore=NOT_COPIED)
    for path in second.rglob("*"):
        path.chmod(path.stat().st_mode & 0o700)
        os.utime(path, (1_600_000_000, 1_600_000_000))
    digests = build(first)
    assert {Path(name).suffix for name in digests} == {".gz", ".whl"}
    assert build(second) == digests
    (wheel,) = (first / "dist").glob("*.whl")
    check_metadata(wheel)
    with zipfile.ZipFile(wheel) as packed:
        changelog = packed.read(f"kubestencil/_data/{hatch_build.CHANGELOG}").decode()
    assert {line[:3] for line in changelog.splitlines()} == {"## ", "- `"}
    (archive,) = (first / "dist").glob("*.tar.gz")
    shutil.unpack_archive(archive, tmp_path / "sdist")
    (source,) = (tmp_path / "sdist").iterdir()
    assert not (source / hatch_build.TABLE).exists()
    assert build(source)[wheel.name] == digests[wheel.name]


def test_the_embedded_documents_have_the_definitions_of_the_package() -> None:
    """Those that kubernetes-validate has, with its conversion reverted, in their order."""
    folders = dict(hatch_build.folders())
    assert folders.keys() == embedded.releases().keys()
    for release, folder in folders.items():
        document = embedded.read(release).document()
        published = hatch_build.published(folder / "_definitions.json")
        assert document["definitions"] == published
        assert [*document["definitions"]] == [*published]


def test_a_conversion_step_without_effect_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A newer package may convert differently, and its documents would be wrong."""

    def revert_nothing(_: object) -> bool:
        return False

    monkeypatch.setattr(hatch_build, "_STEPS", (revert_nothing,))
    with pytest.raises(SystemExit, match="revert_nothing never applied"):
        hatch_build.table()


def check_metadata(wheel: Path) -> None:
    """A package index shows the README, where a relative link leads nowhere."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith("/METADATA"))
        metadata = email.message_from_bytes(archive.read(name))
    source = dict(url.split(", ") for url in metadata.get_all("Project-URL", []))[
        "Source"
    ]
    addresses = re.findall(r"\]\(([^)]*)\)", str(metadata.get_payload()))
    paths = re.findall(r"\]\(([^)]*)\)", (ROOT / "README.md").read_text("utf-8"))
    relative = [path for path in paths if not path.startswith("https:")]
    assert relative
    version = metadata["Version"]
    assert {address for address in addresses if address.startswith(source)} == {
        f"{source}/{'raw' if '/images/' in path else 'blob'}/v{version}/{path}"
        for path in relative
    }
    assert len(addresses) == len(paths)
    assert all(address.startswith("https://") for address in addresses)
    assert metadata["License-Expression"] == "Apache-2.0"


def build(folder: Path) -> Mapping[str, str]:
    """The digest of each package that is built of a folder."""
    command = [sys.executable, "-m", "hatchling", "build", "-d", "dist"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in (folder / "dist").iterdir()
    }
