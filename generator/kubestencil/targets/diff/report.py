"""Reports: a comparison, a history or a timeline in one of the ``FORMATS``."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, pairwise
from typing import Literal, NamedTuple, TypedDict, TypeVar, get_args

from kubestencil.diff import serialize
from kubestencil.diff.comparison import Comparison
from kubestencil.diff.history import History
from kubestencil.diff.timeline import Timeline, timeline
from kubestencil.schema import Release
from kubestencil.targets.diff.changes import SeverityCount
from kubestencil.targets.diff.comparisons import compare_for_run
from kubestencil.targets.diff.rendering import (
    ComparisonFormat,
    Format,
    Layout,
    TemplateFormat,
    escape_for,
    render_template,
)
from kubestencil.targets.diff.report_variables import (
    comparison_variables,
    summary_counts,
)

Item = TypeVar("Item")

#: The formats that ``kubestencil render -t diff`` writes.
FileFormat = Literal["markdown", "html", "json"]

FILE_FORMATS: tuple[FileFormat, ...] = get_args(FileFormat)

_FILE_SUFFIXES: Mapping[FileFormat, str] = {
    "markdown": "md",
    "html": "html",
    "json": "json",
}
_FORMAT_NAMES: Mapping[FileFormat, str] = {
    "markdown": "Markdown",
    "html": "HTML",
    "json": "JSON",
}
_INDEX_FILES: Mapping[TemplateFormat, str] = {
    "markdown": "README.md",
    "html": "index.html",
}


class ReportFile(NamedTuple):
    """A report as a file: its path and its bytes."""

    path: str
    data: bytes


class FileLink(NamedTuple):
    """A format that a report is available in: its name (``JSON``) and the suffix of
    the file (``json``)."""

    name: str
    suffix: str


class IndexEntry(NamedTuple):
    """A comparison in the index: the names of the two releases, the number of changes
    of each severity, and ``file``, the file of its report without a suffix."""

    file: str
    before: str
    after: str
    summary: tuple[SeverityCount, ...]


class IndexVariables(TypedDict):
    """The variables of the templates ``index.*.j2``: the comparisons, and the formats
    that each report is available in."""

    comparisons: tuple[IndexEntry, ...]
    formats: tuple[FileLink, ...]


def comparison_report(
    comparison: Comparison,
    format_name: ComparisonFormat,
    layout: Layout | None = None,
    *,
    colour: bool = False,
    steps: Sequence[Comparison] = (),
) -> str:
    """A comparison as a report; ``colour`` applies to the format ``text``.

    ``steps`` are the comparisons of the releases in between, each with the next, where
    the report is to say what happened in which. Raises TargetError for a mistake in a
    template.
    """
    if format_name == "json":
        document = serialize.comparison_json(comparison)
        if steps:
            document["steps"] = [serialize.comparison_json(step) for step in steps]
        return serialize.json_text(document)
    if format_name == "github":
        from kubestencil.targets.diff.github import comparison_github

        return comparison_github(comparison)
    layout = layout or Layout()
    is_note = format_name == "release-note"
    template_format: TemplateFormat = (
        "markdown" if format_name == "release-note" else format_name
    )
    return render_template(
        "release-note" if is_note else "report",
        template_format,
        f"{comparison.before} → {comparison.after}",
        comparison_variables(
            comparison, escape_for(template_format), layout.links, steps
        ),
        layout,
        colour=colour,
    )


def history_report(
    histories: Sequence[History],
    format_name: Format,
    layout: Layout | None = None,
    *,
    colour: bool = False,
) -> str:
    """The histories of the types of one name as a report; see ``comparison_report``."""
    if format_name == "json":
        return serialize.json_text(
            [serialize.history_json(history) for history in histories]
        )
    from kubestencil.targets.diff.matrix import history_matrix

    escape = escape_for(format_name)
    matrices = tuple(history_matrix(history, escape) for history in histories)
    return render_template(
        "history",
        format_name,
        f"History of {histories[0].kind}",
        {"matrices": matrices},
        layout or Layout(),
        colour=colour,
    )


def timeline_report(
    timeline: Timeline,
    format_name: Format,
    layout: Layout | None = None,
    *,
    colour: bool = False,
) -> str:
    """A timeline as a report; see ``comparison_report``."""
    if format_name == "json":
        return serialize.json_text(serialize.timeline_json(timeline))
    from kubestencil.targets.diff.matrix import timeline_matrix

    layout = layout or Layout()
    matrix = timeline_matrix(timeline, escape_for(format_name), layout.links)
    return render_template(
        "history",
        format_name,
        "API availability",
        {"matrices": (matrix,)},
        layout,
        colour=colour,
    )


def report_files(
    releases: Sequence[Release],
    layout: Layout | None = None,
    formats: Collection[FileFormat] = FILE_FORMATS,
) -> Iterator[ReportFile]:
    """All reports on ``releases``, at least two, which come oldest first."""
    comparisons = compare_all(releases)
    layout = layout or Layout()
    return chain(
        comparison_files(comparisons, layout, formats),
        timeline_files(timeline(releases), layout, formats),
        index_files(comparisons, layout, formats),
    )


def compare_all(releases: Sequence[Release]) -> tuple[Comparison, ...]:
    """The comparison of the first release with the last, where there are more than
    two, and of each release with the next."""
    return tuple(
        compare_for_run(before, after) for before, after in compared_pairs(releases)
    )


def compared_pairs(releases: Sequence[Item]) -> Sequence[tuple[Item, Item]]:
    """The pairs of releases, or of their names, that ``compare_all`` compares."""
    pairs = list(pairwise(releases))
    if len(releases) > 2:
        pairs.insert(0, (releases[0], releases[-1]))
    return pairs


def comparison_files(
    comparisons: Sequence[Comparison],
    layout: Layout,
    formats: Collection[FileFormat] = FILE_FORMATS,
) -> Iterator[ReportFile]:
    """The reports on comparisons: ``1.34-1.35.html``."""
    for index, comparison in enumerate(comparisons):
        # The first of several is that of the first release with the last.
        steps = comparisons[1:] if index == 0 else ()
        for format_name in formats:
            path = f"{_file_name(comparison)}.{_FILE_SUFFIXES[format_name]}"
            text = comparison_report(comparison, format_name, layout, steps=steps)
            yield ReportFile(path, text.encode())


def timeline_files(
    timeline: Timeline,
    layout: Layout,
    formats: Collection[FileFormat] = FILE_FORMATS,
) -> Iterator[ReportFile]:
    """The reports on a timeline: ``history.html``."""
    for format_name in formats:
        text = timeline_report(timeline, format_name, layout)
        yield ReportFile(f"history.{_FILE_SUFFIXES[format_name]}", text.encode())


def index_files(
    comparisons: Sequence[Comparison],
    layout: Layout,
    formats: Collection[FileFormat] = FILE_FORMATS,
) -> Iterator[ReportFile]:
    """The lists of all reports: ``index.html``, ``README.md``."""
    variables = IndexVariables(
        comparisons=tuple(
            IndexEntry(
                _file_name(comparison),
                comparison.before,
                comparison.after,
                summary_counts(comparison),
            )
            for comparison in comparisons
        ),
        formats=tuple(
            FileLink(_FORMAT_NAMES[format_name], _FILE_SUFFIXES[format_name])
            for format_name in formats
        ),
    )
    for format_name, path in _INDEX_FILES.items():
        if format_name in formats:
            text = render_template(
                "index", format_name, "API changes", variables, layout
            )
            yield ReportFile(path, text.encode())


def _file_name(comparison: Comparison) -> str:
    return f"{comparison.before}-{comparison.after}"
