"""The view of the reports: what changed between the releases of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from generator.diff.report import report_files
from generator.model import Release
from generator.target.manifest import Target
from generator.target.view import Item, Part, View


def divide(
    names: Sequence[str], models: Callable[[], Sequence[Release]], target: Target
) -> Iterable[Part]:
    """The reports are one part, printed from all releases."""
    del models, target
    return [Part("", tuple(names), tuple)]


def make(name: str, releases: Sequence[Release], facts: Any, target: Target) -> View:
    """The reports; their own templates lay them out (``generator.diff.report``)."""
    del name, facts
    files = (
        Item(path, {"path": path}, {}, data)
        for path, data in report_files(releases, target.folders)
    )
    return View(files={"report": lambda: files}, finish={})
