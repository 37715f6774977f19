"""The reports of what changed, as pages of the site."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from generator.diff.report import report_files
from generator.diff.versions import kind_definitions
from generator.diff.view import Pages
from generator.model import GroupVersionKind, Release
from generator.target.manifest import Target
from generator.target.view import Item, View
from generator.target.view.site.fields import anchor, ways
from generator.target.view.site.options import report_folders
from generator.target.view.site.parts import NOT_OF_THE_REPORTS
from generator.target.view.site.place import places


def view(releases: Sequence[Release], target: Target) -> View:
    """The reports between ``releases``, laid out by the site's own frame."""
    common = {
        "options": target.options,
        "root": "../",
        "newest": releases[-1].name,
    }
    # What the site has of its own comes first.
    folders = (*target.folders, *report_folders(target))
    files = (
        Item(path, {"path": path}, {}, data)
        for path, data in report_files(
            releases, folders, ["html"], common, _pages(releases)
        )
    )
    return View(
        files={"report": lambda: files},
        finish={},
        elsewhere=NOT_OF_THE_REPORTS,
        common={},
    )


def _pages(releases: Sequence[Release]) -> Pages:
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

    return Pages(of_field, of_kind)
