"""Comparisons as annotations of GitHub Actions: breaking changes and warnings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kubestencil.diff.comparison import Comparison
from kubestencil.diff.rules.audience import Severity
from kubestencil.targets.diff.changes import ChangeFormatter, FormattedChange
from kubestencil.targets.diff.sections import group_sections
from kubestencil.targets.diff.upgrade import headline, upgrade_lists
from kubestencil.text.controls import one_line
from kubestencil.text.github import workflow_command

_COMMANDS: Mapping[Severity, str] = {"breaking": "error", "warning": "warning"}


def comparison_github(comparison: Comparison) -> str:
    """The annotations of a comparison, one on each line: a notice that sums it up, then
    the most severe changes first."""
    return "".join(f"{line}\n" for line in _lines(comparison))


def _lines(comparison: Comparison) -> Iterator[str]:
    title = f"API changes {comparison.before} → {comparison.after}"
    lists = upgrade_lists(comparison, ChangeFormatter(one_line))
    text = headline(comparison, lists)
    yield workflow_command("notice", text, {"title": one_line(title)})
    groups = group_sections(
        (*comparison.changes, *comparison.notices),
        ChangeFormatter(one_line),
        one_line,
        "",
    )
    annotated = [
        (change, group.title)
        for group in groups
        for kind in group.kinds
        for change in kind.changes
        if change.severity in _COMMANDS
    ]
    for severity, command in _COMMANDS.items():
        for change, group_name in annotated:
            if change.severity == severity:
                yield _annotation(command, change, group_name)


def _annotation(command: str, change: FormattedChange, group: str) -> str:
    versions = f"{group} {change.versions}".strip()
    words = "".join(segment.text for segment in change.segments)
    what = f"{change.label}: {words}" if words and change.is_brief else change.label
    message = f"{change.path} ({versions}): {what}\n{change.reason}"
    return workflow_command(
        command, message, {"title": f"kubestencil {change.rule.name}"}
    )
