"""What a release has, by group and version: for the pages that lead to types."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from kubestencil.schema import Release
from kubestencil.schema.kinds import level, precedence
from kubestencil.targets.site.place import Place
from kubestencil.text.html import summary

# The groups that people look for first; the others follow by name.
_FIRST = ("core", "apps", "batch")


class Link(NamedTuple):
    """A type on a list: its name, its path below the release, its first sentence."""

    name: str
    path: str
    about: str


@dataclass(frozen=True, slots=True)
class Version:
    """An API version: ``api`` is its path (``apps/v1``); the kinds that it serves, and
    the types that are parts of them."""

    name: str
    api: str
    level: str
    kinds: tuple[Link, ...]
    parts: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """An API group: its versions, the most stable first."""

    name: str
    versions: tuple[Version, ...]

    @property
    def kinds(self) -> tuple[tuple[Link, str], ...]:
        """The kinds of all versions, each once, in the version that people should
        use, which is named."""
        found: dict[str, tuple[Link, str]] = {}
        for version in self.versions:
            for link in version.kinds:
                found.setdefault(link.name, (link, version.name))
        return tuple(found[name] for name in sorted(found))


def groups(
    release: Release, known: Mapping[str, Place], own: Collection[str]
) -> tuple[Group, ...]:
    """The groups of a release, those without a kind at the end."""
    links: dict[str, dict[str, list[tuple[bool, Link]]]] = {}
    for name, place in known.items():
        link = Link(
            place.kind, place.path, summary(release.definitions[name].description)
        )
        versions = links.setdefault(place.group, {})
        versions.setdefault(place.version, []).append((name in own, link))
    found = (
        Group(
            name,
            tuple(
                _version(name, version, versions[version])
                for version in sorted(versions, key=precedence, reverse=True)
            ),
        )
        for name, versions in links.items()
    )
    return tuple(sorted(found, key=_order))


def _version(group: str, name: str, links: Iterable[tuple[bool, Link]]) -> Version:
    ordered = sorted(links, key=lambda each: (not each[0], each[1]))
    split = {own: tuple(link for _, link in run) for own, run in groupby(ordered, _own)}
    return Version(
        name, f"{group}/{name}", level(name), split.get(True, ()), split.get(False, ())
    )


def _own(each: tuple[bool, Link]) -> bool:
    return each[0]


def _order(group: Group) -> tuple[bool, int, str]:
    first = _FIRST.index(group.name) if group.name in _FIRST else len(_FIRST)
    return not group.kinds, first, group.name
