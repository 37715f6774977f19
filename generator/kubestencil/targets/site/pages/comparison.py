"""The page that compares any two releases, from what each release changed.

``assets/compare.js`` reads the data, one script for each release but the first: the types
and API versions that it added and removed, and of each type that it changed a list of
changes, each with its path, its severity, what happened, pairs of the role and the text of
what is behind that, and whether the pages of kinds that have the type show it.

Another script has the references between types, so that the page shows of a kind what the
page of the kind does: all changes inside of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Annotated, Any

from kubestencil.engine.view import Each, FileContext
from kubestencil.schema import Release
from kubestencil.source.releases import newest_of
from kubestencil.targets.site.addresses import PageAddress, page_address
from kubestencil.targets.site.data_scripts import data_script
from kubestencil.targets.site.navigation import SHARED_VARIABLES, canonical
from kubestencil.targets.site.pages.reports import ReportLink, report_links
from kubestencil.targets.site.pages.type_changes import shows_inside
from kubestencil.targets.site.pages.usage import referring_fields
from kubestencil.targets.site.release_context import (
    ReleasesByType,
    SiteContext,
    TypeChange,
)

#: The folder of the page and its data.
FOLDER = "compare"

#: The script of the references between types.
REFERENCES = "type-references.js"

#: What this module generates, in the folder of the site.
EACH: Mapping[str, Each] = {
    "comparison": Each(
        "the page that compares any two releases; nothing for a single one",
        {},
        {
            "report_links": Annotated[tuple[ReportLink, ...], "reports, oldest first"],
            "former": Annotated[str, "the release before the newest one"],
            **SHARED_VARIABLES,
        },
    ),
    "release-changes": Each(
        "what a release changed, for the page that compares, without a template",
        {"release": "the release"},
    ),
}


def page_context(releases: Sequence[str], site_url: str) -> Iterator[FileContext]:
    """The context of the page; none for a single release."""
    if len(releases) > 1:
        variables = {
            "root": "../",
            "canonical": canonical(site_url, f"{FOLDER}/"),
            "report_links": report_links(releases),
            "former": releases[max(releases.index(newest_of(releases)) - 1, 0)],
        }
        yield FileContext("the page that compares releases", {}, variables)


def changes_contexts(context: SiteContext) -> Iterator[FileContext]:
    """The contexts of the data of all releases but the first."""
    for before, release in pairwise(context.newest.releases):
        data = _changes_of(before, release, context)
        script = data_script("kubestencilChanges", data)
        yield FileContext(f"the changes of {release}", {"release": release}, {}, script)


def _changes_of(before: str, release: str, context: SiteContext) -> Mapping[str, Any]:
    releases_by_type = context.newest.releases_by_type
    old, new = (
        {
            page_address(path).group_version
            for path, releases in releases_by_type.items()
            if name in releases
        }
        for name in (before, release)
    )
    return {
        "release": release,
        "versions": {"added": sorted(new - old), "removed": sorted(old - new)},
        "added": _types_in(release, before, releases_by_type),
        "removed": _types_in(before, release, releases_by_type),
        "changed": {
            path: [_item(change) for change in changes if change.release == release]
            for path, changes in context.changes.items()
            if any(change.release == release for change in changes)
        },
    }


def _types_in(
    release: str, other: str, releases_by_type: ReleasesByType
) -> Sequence[str]:
    return [
        path
        for path, releases in releases_by_type.items()
        if release in releases and other not in releases
    ]


def _item(change: TypeChange) -> tuple[Any, ...]:
    inside = int(shows_inside(change))
    return (change.path, change.severity, change.label, change.segments, inside)


def references_script(
    releases: Sequence[Release], addresses: Sequence[Mapping[str, PageAddress]]
) -> bytes:
    """The types that each type refers to in any of the releases, which come oldest first:
    the paths of their pages, and the first field that does."""
    found: dict[str, dict[str, str]] = {}
    for release, address in zip(releases, addresses, strict=True):
        for name, definition in release.definitions.items():
            targets = found.setdefault(address[name].path, {})
            for target, fields in referring_fields(definition).items():
                targets[address[target].path] = fields[0]
    return data_script("kubestencilReferences", found)
