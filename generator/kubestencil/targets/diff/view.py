"""The view of the reports: what changed between the releases of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from kubestencil.engine.manifest import Target
from kubestencil.engine.view import Contexts, Each, FileContext, Part
from kubestencil.schema import Release
from kubestencil.targets.diff.report import report_files

#: What targets can print files for.
EACH: Mapping[str, Each] = {}

#: This view reproduces no quirks.
QUIRKS: Mapping[str, str] = {}


def divide(
    names: Sequence[str], models: Callable[[], Sequence[Release]], target: Target
) -> Iterable[Part]:
    """The reports are one part, printed from all releases."""
    del models, target
    return [Part("", tuple(names), tuple)]


def make_part_contexts(
    name: str, releases: Sequence[Release], facts: Any, target: Target
) -> Contexts:
    """The reports; their own templates lay them out (``kubestencil.targets.diff.report``)."""
    del name, facts
    files = (
        FileContext(path, {"path": path}, {}, data)
        for path, data in report_files(releases, target.folders)
    )
    return Contexts(
        files={"report": lambda: files},
    )
