"""The start page of the site, and that of each release."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, NamedTuple

from kubestencil.schema import Release
from kubestencil.schema.kinds import kind_definitions, precedence
from kubestencil.schema.knowledge.kinds import built_in_groups, kind_tasks
from kubestencil.targets.site.addresses import PageAddress
from kubestencil.targets.site.listing import ApiGroup, ProjectKinds, own_projects
from kubestencil.targets.site.pages.extra_pages import ExtraPage, PageFolder
from kubestencil.targets.site.release_context import ReleaseContext, ReleaseSummary


class TaskKinds(NamedTuple):
    """What people do, and the kinds that they do it with."""

    task: str
    kinds: tuple[PageAddress, ...]


#: Variables of the template of start pages.
VARIABLES: Mapping[str, object] = {
    "groups": Annotated[
        tuple[ApiGroup, ...], "the groups of the release that are of Kubernetes itself"
    ],
    "group_count": Annotated[int, "the number of groups of the release"],
    "projects": Annotated[
        tuple[ProjectKinds, ...], "the other groups with kinds, by their project"
    ],
    "tasks": Annotated[tuple[TaskKinds, ...], "kinds of Kubernetes by what people do"],
    "type_count": Annotated[int, "the number of types of the release"],
    "sha256": Annotated[str, "the digest of the release's spec"],
    "summary": Annotated[ReleaseSummary | None, "None for the oldest release"],
    "prefix": Annotated[str, "the path from the page to the release's folder"],
    "folders": Annotated[
        Sequence[PageFolder], "the user's pages, on the site's page, by their folder"
    ],
    "home": Annotated[ExtraPage | None, "the user's index.md, on the site's page"],
}


def start_variables(
    release: Release,
    context: ReleaseContext,
    groups: Sequence[ApiGroup],
    addresses: Mapping[str, PageAddress],
) -> Mapping[str, Any]:
    """The variables of a start page that depend on the release only."""
    projects = tuple(own_projects(groups, built_in_groups()))
    own = {group.name for project in projects for group in project.groups}
    return {
        "groups": tuple(group for group in groups if group.name not in own),
        "group_count": len(groups),
        "projects": projects,
        "tasks": tuple(_tasks(release, addresses)),
        "type_count": len(release.definitions),
        "sha256": release.sha256,
        "summary": context.summary,
    }


def _tasks(
    release: Release, addresses: Mapping[str, PageAddress]
) -> Iterator[TaskKinds]:
    """The kinds that the release has, each in its most stable version."""
    by_version = sorted(
        kind_definitions(release).items(), key=lambda item: precedence(item[1].version)
    )
    kinds = {(kind.group, kind.kind): addresses[name] for name, kind in by_version}
    for task, names in kind_tasks():
        found = tuple(kinds[name] for name in names if name in kinds)
        if found:
            yield TaskKinds(task, found)
