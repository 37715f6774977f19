"""The view of the reports: what changed between the releases of a run.

The reports have templates of their own, one for each format
(``kubestencil.targets.diff.report``), so that the manifest names none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, get_type_hints

from kubestencil.diff.timeline import timeline
from kubestencil.engine.manifest import Target
from kubestencil.engine.view import Contexts, Each, FileContext, Part
from kubestencil.schema import Release
from kubestencil.targets.diff.matrix import HistoryVariables
from kubestencil.targets.diff.rendering import Layout, PageAssets, Paint
from kubestencil.targets.diff.report import (
    IndexVariables,
    ReportFile,
    compare_all,
    comparison_files,
    index_files,
    timeline_files,
)
from kubestencil.targets.diff.report_variables import ComparisonVariables

_PLACEHOLDERS = {"path": "the file of the report, which differs in each format"}
_COMMON_VARIABLES: Mapping[str, object] = {
    "title": str,
    "page": PageAssets,
    "paint": Paint,
}

#: The values that ``each`` can have in a manifest. The variables are those of the
#: templates that a folder ``diff`` of the user's templates can shadow.
EACH: Mapping[str, Each] = {
    "comparison": Each(
        "each release compared with the next, and the first with the last, as "
        "Markdown, HTML and JSON (templates report.*.j2)",
        _PLACEHOLDERS,
        {**_COMMON_VARIABLES, **get_type_hints(ComparisonVariables)},
    ),
    "timeline": Each(
        "which releases serve each kind and version, as Markdown, HTML and JSON "
        "(templates history.*.j2)",
        _PLACEHOLDERS,
        {**_COMMON_VARIABLES, **get_type_hints(HistoryVariables)},
    ),
    "index": Each(
        "the list of all reports, as Markdown and HTML (templates index.*.j2)",
        _PLACEHOLDERS,
        {**_COMMON_VARIABLES, **get_type_hints(IndexVariables)},
    ),
}

#: The reports reproduce no quirks.
QUIRKS: Mapping[str, str] = {}


def divide(
    names: Sequence[str],
    load_releases: Callable[[], Sequence[Release]],
    target: Target,
) -> Iterable[Part]:
    """The reports are one part, made from all releases."""
    del load_releases, target
    return [Part("", tuple(names), tuple)]


def make_part_contexts(
    name: str, releases: Sequence[Release], context: Any, target: Target
) -> Contexts:
    """The contexts of the reports on ``releases``, oldest first."""
    del name, context
    layout = Layout(target.folders)
    comparisons = compare_all(releases)
    return Contexts(
        files={
            "comparison": lambda: _contexts(comparison_files(comparisons, layout)),
            "timeline": lambda: _contexts(timeline_files(timeline(releases), layout)),
            "index": lambda: _contexts(index_files(comparisons, layout)),
        },
    )


def _contexts(files: Iterable[ReportFile]) -> Iterator[FileContext]:
    for file in files:
        yield FileContext(file.path, {"path": file.path}, {}, file.data)
