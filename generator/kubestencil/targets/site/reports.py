"""The reports of what changed, as pages of the site."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from kubestencil.engine.manifest import Target
from kubestencil.engine.view import Contexts, FileContext
from kubestencil.schema import GroupVersionKind, Release
from kubestencil.schema.kinds import kind_definitions
from kubestencil.targets.diff.links import LinkResolver
from kubestencil.targets.diff.rendering import Layout
from kubestencil.targets.diff.report import report_files
from kubestencil.targets.site.fields import anchor, ways
from kubestencil.targets.site.options import report_folders
from kubestencil.targets.site.parts import NOT_OF_THE_REPORTS
from kubestencil.targets.site.place import places


def view(releases: Sequence[Release], target: Target) -> Contexts:
    """The reports between ``releases``, laid out by the site's own frame."""
    common = {
        "options": target.options,
        "root": "../",
        "newest": releases[-1].name,
    }
    # What the site has of its own comes first.
    folders = (*target.folders, *report_folders(target))
    files = (
        FileContext(file.path, {"path": file.path}, {}, file.data)
        for file in report_files(
            releases, Layout(folders, common, _pages(releases)), ["html"]
        )
    )
    return Contexts(
        files={"report": lambda: files},
        handled_by_other_parts=NOT_OF_THE_REPORTS,
        shared_variables={},
    )


def _pages(releases: Sequence[Release]) -> LinkResolver:
    """The pages of all types, as seen from a report."""
    of_name = {release.name: release for release in releases}
    known = {release.name: places(release) for release in releases}
    kinds = {
        release.name: {kind: name for name, kind in kind_definitions(release).items()}
        for release in releases
    }

    @cache
    def shown(release: str, definition: str) -> frozenset[str]:
        return frozenset(ways(of_name[release].definitions[definition].schema))

    def of_field(definition: str, field: str, releases: Sequence[str]) -> str:
        for name in releases:
            if definition not in known[name]:
                continue
            page = f"../{name}/{known[name][definition].path}/"
            if not field:
                return page
            # What is required need not be among the fields.
            if field in shown(name, definition):
                return f"{page}#{anchor(field)}"
        return ""

    def of_kind(kind: GroupVersionKind, release: str) -> str:
        return f"../{release}/{known[release][kinds[release][kind]].path}/"

    return LinkResolver(of_field, of_kind)
