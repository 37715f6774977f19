"""Compares releases and API versions, and follows types through releases.

All results are values::

    from kubestencil import compare, load

    for change in compare(load("1.29"), load("1.35")).changes:
        if change.severity == "breaking":
            print(change.users_path, change.reason)

The steps are separate: ``align`` makes two sets of definitions comparable,
``differences`` finds what differs, ``classify`` assigns severities by ``rules``, and
``compare``, ``history`` and ``timeline`` put the results together. Nothing here is
formatted for people: that is done by ``kubestencil.targets.diff``.
"""

from kubestencil.diff.compare import compare, compare_versions
from kubestencil.diff.comparison import Change, Comparison, Graduation
from kubestencil.diff.history import History, history
from kubestencil.diff.releases.stages import FieldStage, StageChange
from kubestencil.diff.rules.audience import SEVERITIES, Audience, Impact, Severity
from kubestencil.diff.rules.policies import Policy
from kubestencil.diff.rules.table import RULES, Rule
from kubestencil.diff.timeline import Timeline, timeline

__all__ = [
    "RULES",
    "SEVERITIES",
    "Audience",
    "Change",
    "Comparison",
    "FieldStage",
    "Graduation",
    "History",
    "Impact",
    "Policy",
    "Rule",
    "Severity",
    "StageChange",
    "Timeline",
    "compare",
    "compare_versions",
    "history",
    "timeline",
]
