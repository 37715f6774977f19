"""Formats of reports: the rules of manifests that a command prints, by their names."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

from kubestencil.engine.manifest import FileRule, Target
from kubestencil.engine.rendering import render_report
from kubestencil.engine.view import Contexts


class ReportFormat(NamedTuple):
    """A format of a report: a rule with the key ``report``, and its target."""

    rule: FileRule
    target: Target

    def render(self, contexts: Contexts) -> str:
        """The report; raises TargetError for a mistake in the target."""
        return render_report(contexts, self.rule, self.target).decode()


def report_formats(
    targets: Mapping[str, Target], name: str, each: Collection[str]
) -> dict[str, ReportFormat]:
    """The formats of a report, by their names.

    These are the rules for one of ``each`` in the target ``name``, then in all others
    with its view. Of several with one name the first counts.
    """
    report = targets[name]
    formats: dict[str, ReportFormat] = {}
    for target in (report, *targets.values()):
        for rule in target.files:
            if rule.report and rule.each in each and target.view == report.view:
                formats.setdefault(rule.report, ReportFormat(rule, target))
    return formats
