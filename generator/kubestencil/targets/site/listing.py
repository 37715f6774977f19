"""The groups, versions and types of a release, for the pages that list them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from kubestencil.schema import Release
from kubestencil.schema.kinds import Stage, precedence, version_stage
from kubestencil.targets.site.addresses import PageAddress
from kubestencil.text.html import summary

# These groups come first, the others follow by name.
_FIRST_GROUPS = ("core", "apps", "batch")
#: The folder of the pages of projects with several groups.
PROJECTS = "projects"
# The kinds of an API version that the pages of all its types list.
_MAX_SIBLINGS = 200


class TypeLink(NamedTuple):
    """A type in a list: its name, the path of its page below the release, the first
    sentence of its description, and its API version."""

    name: str
    path: str
    summary: str
    version: str


@dataclass(frozen=True, slots=True)
class ApiVersion:
    """A version of a group.

    ``path`` is that of its page (``apps/v1``). ``kinds`` are the kinds that it serves,
    ``supporting_types`` all others.
    """

    name: str
    path: str
    level: Stage
    kinds: tuple[TypeLink, ...]
    supporting_types: tuple[TypeLink, ...]

    @property
    def siblings(self) -> tuple[TypeLink, ...]:
        """The kinds that the page of each type lists: the first ones where there are
        very many."""
        return self.kinds[:_MAX_SIBLINGS]

    @property
    def has_more_kinds(self) -> bool:
        """Whether that page does not list all kinds."""
        return len(self.kinds) > _MAX_SIBLINGS


@dataclass(frozen=True, slots=True)
class ApiGroup:
    """An API group with its versions, the most stable first, and the project that it is
    from, empty where that is unknown."""

    name: str
    versions: tuple[ApiVersion, ...]
    project: str

    @property
    def preferred(self) -> ApiVersion:
        """The most stable version."""
        return self.versions[0]

    @property
    def kinds(self) -> tuple[TypeLink, ...]:
        """The kinds of all versions by name, each once, in its most stable version."""
        links: dict[str, TypeLink] = {}
        for version in self.versions:
            for link in version.kinds:
                links.setdefault(link.name, link)
        return tuple(links[name] for name in sorted(links))


class ProjectKinds(NamedTuple):
    """The groups with kinds of a project, or one group where its project is not known."""

    name: str
    groups: tuple[ApiGroup, ...]

    @property
    def path(self) -> str:
        """The path of its page below the release: that of its group where it has one, or
        else by the first one, since a project can have any name."""
        first = self.groups[0].name
        return first if len(self.groups) == 1 else f"{PROJECTS}/{first}"

    @property
    def kind_count(self) -> int:
        """The number of its kinds."""
        return sum(len(group.kinds) for group in self.groups)


def own_projects(
    groups: Sequence[ApiGroup], built_in: Collection[str]
) -> Iterator[ProjectKinds]:
    """The groups that are not of Kubernetes, by their projects."""
    own = [
        group
        for group in groups
        if group.kinds and "." in group.name and group.name not in built_in
    ]
    for name, members in groupby(own, key=lambda group: group.project or group.name):
        yield ProjectKinds(name, tuple(members))


def api_groups(
    release: Release, addresses: Mapping[str, PageAddress], kinds: Collection[str]
) -> tuple[ApiGroup, ...]:
    """The groups of a release by project, those without kinds last; ``kinds`` are the
    full names of the kinds' definitions."""
    links: dict[str, dict[str, list[tuple[bool, TypeLink]]]] = {}
    for name, address in addresses.items():
        link = TypeLink(
            address.kind,
            address.path,
            summary(release.definitions[name].description),
            address.version,
        )
        versions = links.setdefault(address.group, {})
        versions.setdefault(address.version, []).append((name in kinds, link))
    groups = (
        ApiGroup(
            group,
            tuple(
                _api_version(group, version, versions[version])
                for version in sorted(versions, key=precedence, reverse=True)
            ),
            release.projects.get(group, ""),
        )
        for group, versions in links.items()
    )
    return tuple(sorted(groups, key=_group_order))


def _api_version(
    group: str, version: str, links: Iterable[tuple[bool, TypeLink]]
) -> ApiVersion:
    ordered = sorted(links, key=lambda item: item[1])
    return ApiVersion(
        name=version,
        path=f"{group}/{version}",
        level=version_stage(version),
        kinds=tuple(link for is_kind, link in ordered if is_kind),
        supporting_types=tuple(link for is_kind, link in ordered if not is_kind),
    )


def _group_order(group: ApiGroup) -> tuple[bool, str, int, str]:
    first = (
        _FIRST_GROUPS.index(group.name)
        if group.name in _FIRST_GROUPS
        else len(_FIRST_GROUPS)
    )
    return not group.kinds, group.project, first, group.name
