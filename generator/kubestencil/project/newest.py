"""Asks what is newest: the release of Kubernetes, and versions in addresses.

An index says which release is the newest: a text with its version, as dl.k8s.io has it,
or a table of releases with the addresses of their documents, as ``specs/releases.toml``.
Versions of what an address leads to are the tags of its Git repository, or those of an
OCI registry, which the user's helm asks.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urljoin, urlsplit

from kubestencil.errors import SourceError
from kubestencil.programs import git_tags
from kubestencil.source.helm import OCI, newest_chart, split_chart
from kubestencil.source.limits import max_bytes
from kubestencil.source.pinned import PinnedDocument, keep
from kubestencil.source.releases import ListedRelease, published_url, release_order

#: Where upstream publishes the version of the newest release.
INDEX = "https://dl.k8s.io/release/stable.txt"
_STABLE = re.compile(r"v(\d+)\.(\d+)\.\d+\s*\Z")
_VERSION = re.compile(r"(?<![\d.])(\d+\.\d+(?:\.\d+)?)(?![\d.]*\d)")
# What follows the repository in an address.
_IN_REPOSITORY = re.compile(r"/(?:releases/download|-/raw|raw|-/archive|archive)/")
_RAW = "raw.githubusercontent.com"
_TAG = re.compile(r"\trefs/tags/(\S+)$", re.MULTILINE)
# Of an index; that of upstream has at most two that a supported version does not know.
_MAX_RELEASES = 10


def newer_releases(index: str, known: Iterable[str]) -> dict[str, ListedRelease]:
    """The releases of an index that are newer than those that are ``known``.

    Raises SourceError where it cannot be read, and UsageError for an address that is not
    allowed.
    """
    newest = max(known, key=release_order)
    text = _text_at(index)
    if _STABLE.match(text):
        releases = _published_releases(index, text, newest)
    else:
        releases = _releases_of_table(text, index)
    order = release_order(newest)
    return {
        release.name: release
        for release in releases
        if release_order(release.name) > order
    }


def _text_at(url: str) -> str:
    # Most runs ask no server.
    from kubestencil.source import remote

    return remote.download(url).decode("utf-8", "replace")


def _published_releases(index: str, text: str, newest: str) -> Iterable[ListedRelease]:
    """The releases after ``newest`` up to the version in a text, each at the patch that
    the index beside it has (stable-1.38.txt)."""
    major, minor = _minor(text, index)
    first = release_order(newest)[1] + 1
    for number in range(first, min(minor, first + _MAX_RELEASES) + 1):
        name = f"{major}.{number}"
        version = text
        if number < minor:
            version = _text_at(urljoin(index, f"stable-{name}.txt"))
            _minor(version, index)
        url = published_url(version.strip().removeprefix("v"))
        yield ListedRelease(name, url, None)


def _minor(text: str, index: str) -> tuple[int, int]:
    match = _STABLE.match(text)
    if match is None or len(text) > 40:
        raise SourceError("has no version", where=index)
    return int(match[1]), int(match[2])


def _releases_of_table(text: str, index: str) -> Iterable[ListedRelease]:
    try:
        tables: Mapping[str, Any] = tomllib.loads(text)["release"]
        return [
            ListedRelease(str(name), str(table["url"]), str(table["sha256"]))
            for name, table in tables.items()
        ]
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise SourceError(
            "has neither a version nor a table of releases", where=index
        ) from error


def pin(release: ListedRelease) -> PinnedDocument:
    """Download the document of a release, and pin it; raises SourceError where it has
    another digest than the index."""
    from kubestencil.source import remote

    data = remote.download_verified(release.url, release.sha256)
    return PinnedDocument(release.name, release.url, release.url, keep(data))


def has_version(location: str) -> bool:
    """Whether an address has a version in it that ``newest_location`` can look up."""
    return "://" in location and _VERSION.search(urlsplit(location).path) is not None


def newest_location(location: str) -> str:
    """An address with the newest version of what it leads to; the same one where that has
    no newer one. Pre-releases do not count.

    Raises SourceError where nobody can be asked, or who was asked does not answer.
    """
    if location.startswith(OCI):
        chart, version = split_chart(location)
        newest = newest_chart(chart)
        return f"{chart}:{newest}" if _order(newest) > _order(version) else location
    repository, tag = _repository(location)
    match = _VERSION.search(tag)
    if match is None:
        raise SourceError("has no version in the place of a tag", where=location)
    versions = [
        other[1]
        for name in _TAG.findall(git_tags(repository, max_bytes()))
        if (other := _VERSION.search(name)) and name == tag.replace(match[1], other[1])
    ]
    newest = max([match[1], *versions], key=_order)
    in_repository = re.compile(rf"(?<![\d.]){re.escape(match[1])}(?![\d.]*\d)")
    start = location.index(tag)
    return location[:start] + in_repository.sub(newest, location[start:])


def _order(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version)[:3])


def _repository(location: str) -> tuple[str, str]:
    """The Git repository that an address is of, and the tag in the address."""
    parts = urlsplit(location)
    if parts.hostname == _RAW:
        owner, name, tag = [*parts.path.split("/")[1:4], "", "", ""][:3]
        return f"https://github.com/{owner}/{name}", tag
    match = _IN_REPOSITORY.search(location)
    if match is None:
        raise SourceError(
            "is no address of a Git repository: newer versions were not looked up",
            where=location,
        )
    return location[: match.start()], location[match.end() :].partition("/")[0]
