"""Versions in the names of files and folders: ``v1.2.0/``, ``crds-1.10.yaml``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from kubestencil.errors import SourceError
from kubestencil.source.crds import SUFFIXES

# Semantic Versioning (https://semver.org), with a "v" before it or without the patch;
# a name that is nothing but a number is a version, too.
_VERSION = re.compile(
    r"(?<![0-9A-Za-z.])v?(\d{1,9})\.(\d{1,9})(?:\.(\d{1,9}))?(?![0-9A-Za-z])"
    r"(?:-((?:alpha|beta|rc|pre|dev|snapshot)[0-9A-Za-z.-]*))?",
    re.IGNORECASE,
)
_MAJOR = re.compile(r"v?(\d{1,9})\Z")

# A key that sorts versions as Semantic Versioning does: their numbers, whether they are
# no pre-release, and its identifiers, of which numeric ones come before others.
_Version = tuple[tuple[int, int, int], bool, tuple[tuple[int, int, str], ...]]


class VersionedPaths(NamedTuple):
    """The files and folders of one version; ``label`` is as their names have it."""

    label: str
    paths: tuple[Path, ...]


def version_in(name: str) -> tuple[_Version, str] | None:
    """The first version in a name, and its text; None without one."""
    match = _VERSION.search(name)
    if match is not None:
        major, minor, patch, prerelease = match.groups()
        numbers = int(major), int(minor), int(patch or 0)
        identifiers = (
            tuple(map(_identifier, prerelease.split("."))) if prerelease else ()
        )
        return (numbers, not prerelease, identifiers), match[0]
    match = _MAJOR.match(name)
    return match and (((int(match[1]), 0, 0), True, ()), match[0])


def versions_in(folder: Path) -> list[VersionedPaths]:
    """The versions that a folder has files or folders of, in their order.

    Names without a version are left out. Raises SourceError where there is no version:
    versions of several projects, each in a folder, have no order.
    """
    labels: dict[_Version, str] = {}
    paths: dict[_Version, list[Path]] = {}
    for path in _entries(folder):
        version = version_in(path.stem if path.is_file() else path.name)
        if version is not None:
            labels.setdefault(*version)
            paths.setdefault(version[0], []).append(path)
    if not paths:
        projects = [
            str(path)
            for path in filter(Path.is_dir, _entries(folder))
            if any(version_in(entry.name) for entry in _entries(path))
        ]
        raise SourceError(
            "has no file or folder with a version in its name",
            where=str(folder),
            hint=(
                f"name one of the projects in it, such as {projects[0]}"
                if projects
                else "name them like v1.2.0/ or crds-1.10.yaml, or give NAME=PATH for "
                "each"
            ),
        )
    return [
        VersionedPaths(labels[version], tuple(paths[version]))
        for version in sorted(paths)
    ]


def _entries(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if not path.name.startswith(".") and (path.is_dir() or path.suffix in SUFFIXES):
            yield path


def _identifier(text: str) -> tuple[int, int, str]:
    return (0, int(text), "") if text.isdecimal() else (1, 0, text)
