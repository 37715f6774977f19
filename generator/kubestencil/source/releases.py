"""Names of releases, ranges of them, and the list of supported releases."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterable, Sequence
from functools import cache
from typing import NamedTuple

from kubestencil.data_files import data_file
from kubestencil.errors import UsageError, nearest

# A minor version, a patch of it, or a pre-release: 1.35, 1.35.2, 1.38.0-beta.0. What
# vendors add (1.35.2-gke.1) is none of these.
_VERSION = re.compile(
    r"v?([0-9]{1,6})\.([0-9]{1,6})(?:\.([0-9]{1,6})(?:-(alpha|beta|rc)\.([0-9]{1,6}))?)?\Z"
)
_FINAL = "~"  # after all stages
# A release counted back from the newest.
_LATEST = re.compile(r"latest(?:-(\d+))?\Z")
_VERSION_PREFIX = re.compile(r"v?(\d+\.\d+(?:\.\d+)?)")
# A release's name is the name of a folder in the output, so it has no path in it.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}\Z")
_UNKNOWN_VERSION = 2**31

#: A key that sorts names: the numbers of a version, its stage and the number of that, and
#: the name.
Order = tuple[int, int, int, str, int, str]


class ListedRelease(NamedTuple):
    """A release in ``specs/releases.toml``.

    ``name`` is the minor version, or a pre-release, ``url`` the address of the published
    document, ``sha256`` the document's digest as lower-case hex, or None where it was not
    recorded.
    """

    name: str
    url: str
    sha256: str | None


def published_url(release: str) -> str:
    """Where Kubernetes publishes the document of a release: at its tag, or of a minor
    version (``1.38``) on its branch, which has that of its newest patch."""
    is_minor = minor_version_in(release) == release
    return (
        "https://raw.githubusercontent.com/kubernetes/kubernetes/"
        f"{'release-' if is_minor else 'v'}{release}/api/openapi-spec/swagger.json"
    )


def is_version(name: str) -> bool:
    """Whether a name is that of a release of Kubernetes: ``1.35``, ``1.35.2``,
    ``1.38.0-beta.0``."""
    return _VERSION.match(name) is not None


def is_prerelease(name: str) -> bool:
    """Whether a name is that of a release that is not final: ``1.38.0-beta.0``."""
    match = _VERSION.match(name)
    return match is not None and match[4] is not None


def shown_name(name: str) -> str:
    """The name of a release for people, which says of one that it is not final."""
    return f"{name} (preview)" if is_prerelease(name) else name


def newest_of(names: Sequence[str]) -> str:
    """The last of releases, which come oldest first, that is final; of pre-releases alone
    the last one."""
    return ([name for name in names if not is_prerelease(name)] or names)[-1]


def is_release_name(name: str) -> bool:
    """Whether a release can have a name."""
    return _NAME.match(name) is not None


@cache
def release_order(name: str) -> Order:
    """A key that sorts as semantic versions: 1.9 before 1.29, 1.38.0-beta.0 before 1.38,
    which is the same as 1.38.0; names that are not versions come last.

    Source: semver.org, 11, precedence.
    """
    match = _VERSION.match(name)
    if match is None:
        return (_UNKNOWN_VERSION, 0, 0, _FINAL, 0, name)
    major, minor, patch, stage, number = match.groups()
    order = int(major), int(minor), int(patch or 0)
    return (*order, stage or _FINAL, int(number or 0), name)


@cache
def has_reached(release: str, event: str) -> bool:
    """Whether a release is the one of an event, or newer. What happens in a minor version
    (``1.38``) has happened in all its pre-releases."""
    if minor_version_in(event) == event.removeprefix("v"):
        return release_order(release)[:2] >= release_order(event)[:2]
    return release_order(release)[:-1] >= release_order(event)[:-1]


@cache
def is_after(release: str, last: str) -> bool:
    """Whether a release is newer than another one and, where that is a minor version
    (``1.31``), than all its patches."""
    if minor_version_in(last) == last.removeprefix("v"):
        return release_order(release)[:2] > release_order(last)[:2]
    return release_order(release)[:-1] > release_order(last)[:-1]


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
        return has_reached(release, self.first) and (
            self.last is None or not is_after(release, self.last)
        )

    def nearest(self, release: str) -> str:
        """``release``, or the end of the range that is next to it."""
        if self.includes(release):
            return release
        if self.last is not None and is_after(release, self.last):
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
    return text.removeprefix("v") if is_version(text) else text


def version_name(text: str) -> str:
    """The release of Kubernetes that ``text`` is, without a "v": ``1.35``, ``1.37.2``,
    ``1.38.0-beta.0``; the newest supported release for ``latest``.

    Raises UsageError for anything else.
    """
    name = (
        available_release(text, listed_releases()) if _LATEST.match(text) else text
    ) or ""
    if not is_version(name):
        raise UsageError(
            f"{text!r} is not a release of Kubernetes",
            hint="name a release, such as 1.35, 1.35.2 or 1.38.0-beta.0",
        )
    return name.removeprefix("v")


def next_minor_version(release: str) -> str:
    """The minor version after ``release``: ``1.37`` after ``1.36`` and ``1.36.2``."""
    major, minor = release_order(release)[:2]
    return f"{major}.{minor + 1}"


def previous_minor_version(release: str) -> str:
    """The minor version before ``release``: ``1.35`` before ``1.36`` and ``1.36.2``."""
    major, minor = release_order(release)[:2]
    return f"{major}.{minor - 1}"


def version_in(name: str) -> str | None:
    """The version that the name of a release is or begins with: ``1.35.2`` of itself,
    ``1.35`` of ``1.35-crds``; None for other names."""
    if is_version(name):
        return name.removeprefix("v")
    match = _VERSION_PREFIX.match(name)
    return match[1] if match else None


def minor_version_in(name: str) -> str | None:
    """The minor version that the name of a release begins with: ``1.35`` of ``1.35.2``;
    None for other names."""
    version = version_in(name)
    return ".".join(version.split(".")[:2]) if version else None


def full_version(name: str) -> str:
    """A version with its patch, ``1.35.0`` of ``1.35``: a minor version stands for the
    first release of it."""
    name = name.removeprefix("v")
    return f"{name}.0" if name.count(".") == 1 else name


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
    return _listed("release")


def listed_previews() -> dict[str, ListedRelease]:
    """The pre-releases whose documents and facts kubestencil knows, oldest first."""
    return _listed("preview")


def release_of_digest(sha256: str) -> str | None:
    """The release whose published document has a digest; None for any other one."""
    return _releases_by_digest().get(sha256)


@cache
def _releases_by_digest() -> dict[str, str]:
    listed = (*listed_releases().values(), *listed_previews().values())
    return {item.sha256: item.name for item in listed if item.sha256}


def _listed(section: str) -> dict[str, ListedRelease]:
    document = tomllib.loads(data_file("specs/releases.toml").read_text("utf-8"))
    tables = document.get(section, {})
    return {
        name: ListedRelease(name, tables[name]["url"], tables[name].get("sha256"))
        for name in sorted(tables, key=release_order)
    }


@cache
def newest_release() -> str:
    """The newest supported release, which is no pre-release."""
    return _final(listed_releases())[-1]


def available_release(
    text: str, available: Iterable[str], newer: Iterable[str] = ()
) -> str | None:
    """The release of those ``available`` that a user means, or None: ``1.35`` by that
    name, as ``v1.35``, with a patch (``1.35.2``), and as ``latest``, the newest supported
    one or one of those that are ``newer``, or ``latest-2``, the second before it, none of
    them a pre-release."""
    names = set(available)
    if match := _LATEST.match(text):
        supported = _final({*listed_releases(), *newer})
        back = int(match[1] or 0)
        text = supported[-1 - back] if back < len(supported) else text
    name = text.removeprefix("v")
    document = document_name(name, names)
    # The first patch is what a minor version stands for.
    return document if document == name.removesuffix(".0") else document and name


def document_name(release: str, available: Collection[str]) -> str | None:
    """The one of the documents ``available`` that is of a release: that with its name,
    or else, for a patch (``1.35.2``), that of the minor version; None without one."""
    names = release, minor_of_patch(release)
    return next((name for name in names if name in available), None)


def minor_of_patch(release: str) -> str:
    """The minor version of a patch, ``1.35`` of ``1.35.2``, which has most of what there is
    to know of it; the same name for a pre-release, and for what is no version."""
    is_patch = is_version(release) and not is_prerelease(release)
    return (minor_version_in(release) if is_patch else None) or release


def _final(names: Iterable[str]) -> list[str]:
    """Those that are no pre-releases, oldest first."""
    final = (name for name in names if not is_prerelease(name))
    return sorted(final, key=release_order)


def unknown_release(text: str, available: Iterable[str]) -> UsageError:
    """The error for what is none of the releases ``available``."""
    hint = nearest(text, available)
    if is_version(text):
        # A version is no misspelling of another.
        listed = ", ".join(available)
        hint = f"available: {listed}; kubestencil fetch {text} downloads its spec"
    return UsageError(f"unknown release {text!r}", hint=hint)


def expand_ranges(
    arguments: Iterable[str], available: Iterable[str], newer: Iterable[str] = ()
) -> list[str]:
    """The releases that ``arguments`` name, each once, oldest first.

    An argument is a release or a range ``FROM..TO`` of those ``available``, both ends
    included; either end may be left out. A pre-release is in a range where it is an end of
    it. ``latest`` counts those that are ``newer`` than the supported ones. Raises
    UsageError for a release that is not available, and for an empty range.
    """

    def name_of(text: str) -> str:
        name = available_release(text, ordered, newer)
        if name is None:
            raise unknown_release(text, ordered)
        return name

    ordered = sorted(set(available), key=release_order)
    final = _final(ordered) or ordered
    names: set[str] = set()
    for argument in arguments:
        first, dots, last = argument.partition("..")
        if not dots:
            names.add(name_of(argument))
            continue
        ends = (
            name_of(first) if first else final[0],
            name_of(last) if last else final[-1],
        )
        low, high = map(release_order, ends)
        in_range = [
            name
            for name in ordered
            if low <= release_order(name) <= high
            and (name in ends or not is_prerelease(name))
        ]
        if not in_range:
            raise UsageError(
                f"the range {argument} is empty",
                hint=f"the older release comes first: {last}..{first}",
            )
        names.update(in_range)
    return sorted(names, key=release_order)
