"""The reports of what changed, as pages of the site."""

from __future__ import annotations

from collections.abc import Sequence

from generator.diff.report import report_files
from generator.model import Release
from generator.target.manifest import Target
from generator.target.view import Item, View
from generator.target.view.site.options import report_folders
from generator.target.view.site.parts import NOT_OF_THE_REPORTS


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
        for path, data in report_files(releases, folders, ["html"], common)
    )
    return View(
        files={"report": lambda: files},
        finish={},
        elsewhere=NOT_OF_THE_REPORTS,
        common={},
    )
