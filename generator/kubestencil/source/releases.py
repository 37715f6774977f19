"""Names of releases, ranges of them, and the list of supported releases."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from kubestencil.data_files import data_file
from kubestencil.errors import UsageError, nearest

_MINOR = re.compile(r"v?(\d+)\.(\d+)\Z")
# A patch of a minor version, and a release counted back from the newest.
_PATCH = re.compile(r"(\d+\.\d+)\.\d+\Z")
_LATEST = re.compile(r"latest(?:-(\d+))?\Z")
_MINOR_PREFIX = re.compile(r"v?(\d+\.\d+)")
# A release's name is the name of a folder in the output, so it has no path in it.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}\Z")


class ListedRelease(NamedTuple):
    """A release in ``specs/releases.toml``.

    ``name`` is the minor version, ``url`` the address of the published document,
    ``sha256`` the document's digest as lower-case hex, or None where it was not
    recorded.
    """

    name: str
    url: str
    sha256: str | None


def published_url(ref: str) -> str:
    """Where Kubernetes publishes the document of a branch or tag of its repository."""
    return (
        f"https://raw.githubusercontent.com/kubernetes/kubernetes/{ref}"
        "/api/openapi-spec/swagger.json"
    )


def is_minor_version(name: str) -> bool:
    """Whether a name is that of a minor version of Kubernetes: ``1.35``."""
    return _MINOR.match(name) is not None


def is_release_name(name: str) -> bool:
    """Whether a release can have a name."""
    return _NAME.match(name) is not None


@cache
def release_order(name: str) -> tuple[int, int, str]:
    """A key that sorts 1.9 before 1.29, and names that are not versions last."""
    match = _MINOR.match(name)
    if match is None:
        return (2**31, 0, name)
    return (int(match[1]), int(match[2]), name)


class ReleaseRange(NamedTuple):
    """Releases from ``first`` to ``last``, both included.

    Without ``last``, the range ends with the newest release of the table, and includes
    newer releases and names that are no versions, such as my-cluster, since the newest
    facts are the best for them.
    """

    first: str
    last: str | None = None

    @staticmethod
    @cache
    def parse(text: str) -> ReleaseRange:
        """The range in a cell: ``1.29..1.31``, or ``1.29..``."""
        first, _, last = text.partition("..")
        return ReleaseRange(first, last or None)

    def __str__(self) -> str:
        return f"{self.first}..{self.last or ''}"

    def includes(self, release: str) -> bool:
        """Whether ``release`` is in the range."""
        order = release_order(release)
        return release_order(self.first) <= order and (
            self.last is None or order <= release_order(self.last)
        )

    def nearest(self, release: str) -> str:
        """``release``, or the end of the range that is next to it."""
        if self.includes(release):
            return release
        if self.last is not None and release_order(self.last) < release_order(release):
            return self.last
        return self.first


def is_between(release: str | None, before: str, after: str) -> bool:
    """Whether ``release`` comes after ``before``, and not after ``after``."""
    if release is None:
        return False
    since = ReleaseRange(release)
    return not since.includes(before) and since.includes(after)


def release_name(text: str) -> str:
    """The name of a release as a user gave it; a "v" before a version is dropped.

    Raises UsageError for anything that is not letters, digits, ".", "_", "-".
    """
    if not is_release_name(text):
        raise UsageError(
            f"{text!r} cannot be the name of a release",
            hint="use letters, digits, '.', '_' and '-', such as 1.35 or my-cluster",
        )
    return text.removeprefix("v") if _MINOR.match(text) else text


def minor_version(text: str) -> str:
    """The minor version of Kubernetes that ``text`` is, without a "v": ``1.35``; that of
    the newest supported release for ``latest``.

    Raises UsageError for anything else.
    """
    match = _MINOR.match(available_release(text, listed_releases()) or text)
    if match is None:
        raise UsageError(
            f"{text!r} is not a release of Kubernetes",
            hint="name a minor version, such as 1.35",
        )
    return f"{match[1]}.{match[2]}"


def next_minor_version(release: str) -> str:
    """The minor version after ``release``: ``1.37`` after ``1.36``."""
    major, _, minor = release.partition(".")
    return f"{major}.{int(minor) + 1}"


def minor_version_in(name: str) -> str | None:
    """The minor version that the name of a release begins with: ``1.35`` of ``1.35.2``;
    None for other names."""
    match = _MINOR_PREFIX.match(name)
    return match[1] if match else None


def package_version(release: str) -> str:
    """The version by default of a package that is generated for a release: ``1.35.0`` of
    ``1.35``, ``0.0.0`` of a name that is no version.

    A patch version would suggest that of Kubernetes: the last number counts what is
    published for a release.
    """
    minor = minor_version_in(release)
    return f"{minor}.0" if minor else "0.0.0"


def listed_releases() -> dict[str, ListedRelease]:
    """The releases that kubestencil supports, oldest first."""
    document = tomllib.loads(data_file("specs/releases.toml").read_text("utf-8"))
    tables = document["release"]
    return {
        name: ListedRelease(name, tables[name]["url"], tables[name].get("sha256"))
        for name in sorted(tables, key=release_order)
    }


@cache
def newest_release() -> str:
    """The newest supported release."""
    return max(listed_releases(), key=release_order)


def available_release(
    text: str, available: Iterable[str], newer: Iterable[str] = ()
) -> str | None:
    """The release of those ``available`` that a user means, or None: ``1.35`` by that
    name, as ``v1.35``, with a patch (``1.35.2``), and as ``latest``, the newest
    supported one or one of those that are ``newer``, or ``latest-2``, the second before
    it."""
    names = set(available)
    if match := _LATEST.match(text):
        supported = sorted({*listed_releases(), *newer}, key=release_order)
        back = int(match[1] or 0)
        text = supported[-1 - back] if back < len(supported) else text
    name = text.removeprefix("v")
    patch = _PATCH.match(name)
    if name not in names and patch is not None:
        name = patch[1]
    return name if name in names else None


def expand_ranges(
    arguments: Iterable[str], available: Iterable[str], newer: Iterable[str] = ()
) -> list[str]:
    """The releases that ``arguments`` name, each once, oldest first.

    An argument is a release or a range ``FROM..TO`` of those ``available``, both ends
    included; either end may be left out. ``latest`` counts those that are ``newer`` than
    the supported ones. Raises UsageError for a release that is not available, for an empty
    range, and where nothing is available.
    """

    def name_of(text: str) -> str:
        name = available_release(text, ordered, newer)
        if name is None:
            raise UsageError(f"unknown release {text!r}", hint=nearest(text, ordered))
        return name

    ordered = sorted(set(available), key=release_order)
    if not ordered:
        raise UsageError(
            "there are no documents of releases",
            hint="kubestencil fetch 1.35 downloads one, and pip install "
            "kubernetes-validate brings all",
        )
    names: set[str] = set()
    for argument in arguments:
        first, dots, last = argument.partition("..")
        if not dots:
            names.add(name_of(argument))
            continue
        low = release_order(name_of(first) if first else ordered[0])
        high = release_order(name_of(last) if last else ordered[-1])
        in_range = [name for name in ordered if low <= release_order(name) <= high]
        if not in_range:
            raise UsageError(
                f"the range {argument} is empty",
                hint=f"the older release comes first: {last}..{first}",
            )
        names.update(in_range)
    return sorted(names, key=release_order)
