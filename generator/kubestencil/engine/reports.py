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

    These are the rules for one of ``each`` in the target ``name``, and in all others
    with its view. Of several with one name the first counts: the user's folder comes
    before the built-in targets, and in each the target ``name`` before the others.
    """

    def precedence(target: Target) -> tuple[int, bool]:
        root = target.manifest.parent.parent
        return target.roots.index(root), target.name != name

    formats: dict[str, ReportFormat] = {}
    for target in sorted(targets.values(), key=precedence):
        for rule in target.files:
            if rule.report and rule.each in each and target.view == targets[name].view:
                formats.setdefault(rule.report, ReportFormat(rule, target))
    return formats
