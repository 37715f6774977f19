"""The view of reports: what changed between releases, and how types evolved.

``kubestencil render`` generates the reports on the releases of a run. The commands
``diff`` and ``history`` print one report: a rule with the key ``report`` is a format.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import Annotated, Any, NamedTuple, TypedDict, TypeVar, get_type_hints

from kubestencil.diff.compare import compare
from kubestencil.diff.comparison import Comparison
from kubestencil.diff.documents import comparable
from kubestencil.diff.history import History
from kubestencil.diff.timeline import Timeline, timeline
from kubestencil.engine.manifest import Target
from kubestencil.engine.run_cache import cached_for_build
from kubestencil.engine.view import Contexts, Each, FileContext, Part
from kubestencil.schema import Release
from kubestencil.source.releases import shown_name
from kubestencil.targets.reports.changes import NO_LINKS, LinkResolver, SeverityCount
from kubestencil.targets.reports.matrix import (
    HistoryVariables,
    history_matrix,
    timeline_matrix,
)
from kubestencil.targets.reports.report_variables import (
    ComparisonVariables,
    comparison_variables,
    summary_counts,
)
from kubestencil.text.controls import one_line
from kubestencil.text.terminal import PAINT_MEANING, Paint, plain

Item = TypeVar("Item")


class IndexedComparison(NamedTuple):
    """A comparison in the index: its title, the names of the two releases, and the number
    of changes of each severity."""

    title: str
    before: str
    after: str
    summary: tuple[SeverityCount, ...]


class IndexVariables(TypedDict):
    """The variables of the list of all comparisons."""

    comparisons: Annotated[tuple[IndexedComparison, ...], "what was compared"]
    suffixes: Annotated[
        tuple[str, ...], "the suffixes of the files with each comparison: md"
    ]


_COMMON_VARIABLES: Mapping[str, object] = {
    "title": Annotated[str, "the title of the report"],
    "paint": Annotated[Paint, PAINT_MEANING],
}
_TIMELINE_TITLE = "API availability"
_RELEASES = {"before": "the older release", "after": "the newer release"}

#: The values that ``each`` can have in a manifest.
EACH: Mapping[str, Each] = {
    "comparison": Each(
        "each release compared with the next, and the first with the last; what "
        "kubestencil diff compares",
        _RELEASES,
        {
            **_COMMON_VARIABLES,
            **get_type_hints(ComparisonVariables, include_extras=True),
        },
    ),
    "comparison-json": Each("the same as JSON, without a template", _RELEASES),
    "history": Each(
        "which releases serve each kind and version; what kubestencil history shows",
        {},
        {**_COMMON_VARIABLES, **get_type_hints(HistoryVariables, include_extras=True)},
    ),
    "history-json": Each("the same as JSON, without a template"),
    "index": Each(
        "the list of all comparisons",
        {},
        {**_COMMON_VARIABLES, **get_type_hints(IndexVariables, include_extras=True)},
    ),
}


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
    releases = comparable(releases)
    comparisons = compare_all(releases)
    # Markdown and HTML have the same variables.
    reports = cache(lambda: tuple(comparison_reports(comparisons)))
    suffixes = dict.fromkeys(
        rule.path.rpartition(".")[2]
        for rule in target.files
        if rule.path and rule.each in ("comparison", "comparison-json")
    )
    return Contexts(
        files={
            "comparison": reports,
            "comparison-json": lambda: (
                _comparison_json(comparison, steps)
                for comparison, steps in _with_steps(comparisons)
            ),
            "history": lambda: [timeline_report(timeline(releases))],
            "history-json": lambda: [_timeline_json(timeline(releases))],
            "index": lambda: [index(comparisons, tuple(suffixes))],
        },
    )


def comparison_contexts(
    comparison: Comparison, steps: Sequence[Comparison] = (), paint: Paint = plain
) -> Contexts:
    """The context of the report on one comparison.

    ``steps`` are the comparisons of the releases in between, each with the next, where
    the report is to say what happened in which.
    """
    return Contexts(
        files={
            "comparison": lambda: [_comparison_report(comparison, steps, paint=paint)],
            "comparison-json": lambda: [_comparison_json(comparison, steps)],
        }
    )


def history_contexts(histories: Sequence[History], paint: Paint = plain) -> Contexts:
    """The context of the report on the types of one name."""
    title = f"History of {one_line(histories[0].kind)}"

    def variables() -> HistoryVariables:
        matrices = tuple(map(history_matrix, histories))
        caveats = histories[0].coverage.sentences
        return HistoryVariables(matrices=matrices, caveats=caveats)

    return Contexts(
        files={
            "history": lambda: [_report(title, variables(), paint)],
            "history-json": lambda: [
                _json(title, [history.to_dict() for history in histories])
            ],
        }
    )


def timeline_contexts(timeline: Timeline, paint: Paint = plain) -> Contexts:
    """The context of the report on all kinds."""
    return Contexts(
        files={
            "history": lambda: [timeline_report(timeline, paint=paint)],
            "history-json": lambda: [_timeline_json(timeline)],
        }
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


def comparison_reports(
    comparisons: Sequence[Comparison], links: LinkResolver = NO_LINKS
) -> Iterator[FileContext]:
    """The context of each report on comparisons, which come as from ``compare_all``."""
    for comparison, steps in _with_steps(comparisons):
        yield _comparison_report(comparison, steps, links)


def timeline_report(
    timeline: Timeline, links: LinkResolver = NO_LINKS, paint: Paint = plain
) -> FileContext:
    """The context of the report on a timeline."""
    variables = HistoryVariables(
        matrices=(timeline_matrix(timeline, links),),
        caveats=timeline.coverage.sentences,
    )
    return _report(_TIMELINE_TITLE, variables, paint)


def index(comparisons: Sequence[Comparison], suffixes: tuple[str, ...]) -> FileContext:
    """The context of the list of all comparisons."""
    indexed = tuple(
        IndexedComparison(
            _title(item),
            one_line(item.before),
            one_line(item.after),
            summary_counts(item),
        )
        for item in comparisons
    )
    variables = IndexVariables(comparisons=indexed, suffixes=suffixes)
    return _report("API changes", variables)


def _with_steps(
    comparisons: Sequence[Comparison],
) -> Iterator[tuple[Comparison, Sequence[Comparison]]]:
    """Each comparison, the first of several with the others: it is that of the first
    release with the last."""
    for number, comparison in enumerate(comparisons):
        yield comparison, comparisons[1:] if number == 0 else ()


def _comparison_report(
    comparison: Comparison,
    steps: Sequence[Comparison],
    links: LinkResolver = NO_LINKS,
    paint: Paint = plain,
) -> FileContext:
    variables = comparison_variables(comparison, links, steps)
    return _report(_title(comparison), variables, paint, _releases(comparison))


def _comparison_json(
    comparison: Comparison, steps: Sequence[Comparison]
) -> FileContext:
    document = comparison.to_dict(steps)
    return _json(_title(comparison), document, _releases(comparison))


def _timeline_json(timeline: Timeline) -> FileContext:
    return _json(_TIMELINE_TITLE, timeline.to_dict())


def _report(
    title: str,
    variables: Mapping[str, object],
    paint: Paint = plain,
    placeholders: Mapping[str, str] | None = None,
) -> FileContext:
    common = {"title": title, "paint": paint}
    return FileContext(title, placeholders or {}, {**common, **variables})


def _json(
    title: str, value: Any, placeholders: Mapping[str, str] | None = None
) -> FileContext:
    data = _json_text(value).encode()
    return FileContext(title, placeholders or {}, {}, data)


def _title(comparison: Comparison) -> str:
    names = map(shown_name, (comparison.before, comparison.after))
    return " → ".join(map(one_line, names))


def _releases(comparison: Comparison) -> Mapping[str, str]:
    return {"before": comparison.before, "after": comparison.after}


def compare_for_run(before: Release, after: Release) -> Comparison:
    """The comparison of two releases, made once in a run.

    Processes that are forked afterwards have it, too.
    """
    comparisons = _comparisons()
    key = id(before), id(after)
    if key not in comparisons:
        # The releases are kept, so that no others get their ids.
        comparisons[key] = before, after, compare(before, after)
    return comparisons[key][-1]


@cached_for_build
def _comparisons() -> dict[tuple[int, int], tuple[Release, Release, Comparison]]:
    """The releases that were compared, and their comparison, by their ids."""
    return {}


def _json_text(value: Any) -> str:
    """The text of a JSON value: keys in their order, ASCII only.

    The elements of the outer two levels have a line each, such as every change. Python
    indents text only with an encoder that is ten times as slow.
    """
    return "".join(_json_lines(value, 0)) + "\n"


_EXPANDED_LEVELS = 2


def _json_lines(value: Any, level: int) -> Iterator[str]:
    if level == _EXPANDED_LEVELS or not value or not isinstance(value, dict | list):
        yield json.dumps(value)
        return
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    indent = " " * (level + 1)
    separator = f"{opening}\n{indent}"
    for element in value:
        yield separator
        if isinstance(value, dict):
            yield f"{json.dumps(element)}: "
            yield from _json_lines(value[element], level + 1)
        else:
            yield from _json_lines(element, level + 1)
        separator = f",\n{indent}"
    yield f"\n{' ' * level}{closing}"
