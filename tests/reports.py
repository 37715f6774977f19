"""Reports as the commands ``diff`` and ``history`` print them."""

from __future__ import annotations

from collections.abc import Sequence

from kubestencil.diff import Comparison
from kubestencil.diff.history import History
from kubestencil.diff.timeline import Timeline
from kubestencil.engine import load_targets
from kubestencil.engine.rendering import report_formats
from kubestencil.targets.reports.view import (
    comparison_contexts,
    history_contexts,
    timeline_contexts,
)
from kubestencil.text.terminal import Paint, plain

_DIFF = report_formats(load_targets(None), "diff", ("comparison", "comparison-json"))
_HISTORY = report_formats(load_targets(None), "diff", ("history", "history-json"))


def comparison_report(
    comparison: Comparison,
    format_name: str,
    steps: Sequence[Comparison] = (),
    paint: Paint = plain,
) -> str:
    return _DIFF[format_name].render(comparison_contexts(comparison, steps, paint))


def history_report(histories: Sequence[History], format_name: str) -> str:
    return _HISTORY[format_name].render(history_contexts(histories))


def timeline_report(timeline: Timeline, format_name: str) -> str:
    return _HISTORY[format_name].render(timeline_contexts(timeline))
