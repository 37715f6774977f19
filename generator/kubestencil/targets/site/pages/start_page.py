"""The start page of the site, and that of each release."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

from kubestencil.schema import Release
from kubestencil.schema.kinds import kind_definitions, precedence
from kubestencil.schema.knowledge.fields import FieldName, usage_weight
from kubestencil.targets.site.addresses import PageAddress
from kubestencil.targets.site.listing import (
    ApiGroup,
    ProjectGroups,
    groups_by_project,
)
from kubestencil.targets.site.pages.extra_pages import ExtraPage
from kubestencil.targets.site.release_context import ReleaseContext, ReleaseSummary

_MAX_COMMON_KINDS = 12


#: Variables of the template of start pages.
VARIABLES: Mapping[str, object] = {
    "group_count": Annotated[int, "the number of groups of the release"],
    "projects": Annotated[tuple[ProjectGroups, ...], "its groups, by their project"],
    "type_count": Annotated[int, "the number of types of the release"],
    "sha256": Annotated[str, "the digest of the release's document"],
    "summary": Annotated[ReleaseSummary | None, "None for the oldest release"],
    "prefix": Annotated[str, "the path from the page to the release's folder"],
    "pages": Annotated[Sequence[ExtraPage], "the user's pages, on the site's page"],
    "common_kinds": Annotated[
        tuple[PageAddress, ...], "the kinds that most manifests use"
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
    return {
        "group_count": len(groups),
        "projects": tuple(groups_by_project(groups)),
        "common_kinds": tuple(_common_kinds(release, addresses)),
        "type_count": len(release.definitions),
        "sha256": release.sha256,
        "summary": context.summary,
    }


def _common_kinds(
    release: Release, addresses: Mapping[str, PageAddress]
) -> Iterator[PageAddress]:
    """The kinds that most public manifests use, each in its most stable version."""

    def weight(name: str) -> int:
        definition = release.definitions[name]
        return usage_weight(FieldName(definition.group_label, definition.kind, ""))

    by_version = sorted(
        kind_definitions(release), key=lambda name: precedence(addresses[name].version)
    )
    kinds = {(addresses[name].group, addresses[name].kind): name for name in by_version}
    most_used = sorted(kinds, key=lambda kind: (-weight(kinds[kind]), kind))
    for kind in most_used[:_MAX_COMMON_KINDS]:
        if weight(kinds[kind]):
            yield addresses[kinds[kind]]
