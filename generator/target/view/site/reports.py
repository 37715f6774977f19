"""The reports of what changed, as pages of the site."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from generator.diff.report import report_files
from generator.model import Release
from generator.target.manifest import Target
from generator.target.view import Item, View
from generator.target.view.site.parts import NOT_OF_THE_REPORTS


def view(releases: Sequence[Release], target: Target) -> View:
    """The reports between ``releases``, laid out by the site's own frame."""
    common = {
        "options": target.options,
        "root": "../",
        "newest": releases[-1].name,
    }
    files = (
        Item(path, {"path": path}, {}, data)
        for path, data in report_files(releases, _folders(target), ["html"], common)
    )
    return View(
        files={"report": lambda: files},
        finish={},
        elsewhere=NOT_OF_THE_REPORTS,
        common={},
    )


def _folders(target: Target) -> tuple[Path, ...]:
    """Where the reports' templates are: what the site has of its own comes first."""
    return (*target.folders, *target.borrowed("diff").folders)
