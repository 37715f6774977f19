"""The reports of API changes, as pages of the site."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

from kubestencil.diff.timeline import timeline
from kubestencil.engine.manifest import Target
from kubestencil.engine.view import Contexts, Each
from kubestencil.schema import GroupVersionKind, Release
from kubestencil.schema.kinds import definitions_of_kinds
from kubestencil.source.releases import shown_name
from kubestencil.targets.reports import view as diff
from kubestencil.targets.reports.changes import LinkResolver
from kubestencil.targets.site.addresses import anchor, page_addresses
from kubestencil.targets.site.fields.paths import field_paths
from kubestencil.targets.site.navigation import SHARED_VARIABLES, shared_variables
from kubestencil.targets.site.options import site_options

#: What this part generates, in the folder of the reports: with the templates of the
#: target diff, which extend this target's page.html.j2.
EACH: Mapping[str, Each] = {
    name: Each(
        summary,
        diff.EACH[original].placeholders,
        {
            **diff.EACH[original].variables,
            **SHARED_VARIABLES,
        },
    )
    for name, original, summary in (
        (
            "report",
            "comparison",
            "each release compared with the next, and the first with the last",
        ),
        ("report-history", "history", "which releases serve each kind and version"),
        ("report-index", "index", "the list of all comparisons"),
    )
}


class ReportLink(NamedTuple):
    """A report on two releases, and its address in the folder of the site."""

    before: str
    after: str
    address: str

    @property
    def text(self) -> str:
        """Both for people: ``1.36 to 1.37``."""
        return f"{shown_name(self.before)} to {shown_name(self.after)}"


def report_links(releases: Sequence[str]) -> tuple[ReportLink, ...]:
    """The reports on some releases, oldest first; none on a single one."""
    return tuple(
        ReportLink(before, after, f"diff/{before}-{after}.html")
        for before, after in diff.compared_pairs(releases)
    )


def make_contexts(releases: Sequence[Release], target: Target) -> Contexts:
    """The contexts of the reports of ``releases``, which come oldest first."""
    comparisons = diff.compare_all(releases)
    links = _link_resolver(releases)
    variables = {
        **shared_variables(
            [release.name for release in releases], site_options(target).logo_name
        ),
        "root": "../",
    }
    return Contexts(
        files={
            "report": lambda: diff.comparison_reports(comparisons, links),
            "report-history": lambda: [diff.timeline_report(timeline(releases), links)],
            "report-index": lambda: [diff.index(comparisons, ("html",))],
        },
        shared_variables=variables,
    )


def _link_resolver(releases: Sequence[Release]) -> LinkResolver:
    """Links from a report to the pages of types and fields."""
    releases_by_name = {release.name: release for release in releases}
    addresses = {release.name: page_addresses(release) for release in releases}
    kinds = {release.name: definitions_of_kinds(release) for release in releases}

    @cache
    def shown_paths(release: str, definition: str) -> frozenset[str]:
        schema = releases_by_name[release].definitions[definition].schema
        return frozenset(field_paths(schema))

    def field_link(definition: str, field: str, names: Sequence[str]) -> str:
        for name in names:
            if definition not in addresses[name]:
                continue
            page = f"../{name}/{addresses[name][definition].path}/"
            if not field:
                return page
            # A document may require a field that it does not define.
            if field in shown_paths(name, definition):
                return f"{page}#{anchor(field)}"
        return ""

    def kind_link(kind: GroupVersionKind, release: str) -> str:
        return f"../{release}/{addresses[release][kinds[release][kind]].path}/"

    return LinkResolver(field_link, kind_link)
