"""What changed: between releases, between API versions, over all releases.

A comparison takes two models and gives changes, as values::

    from kubestencil.diff import compare
    from kubestencil.build.run import load
    from kubestencil.source import locate

    before, after = (load(locate(name, None)) for name in ("1.29", "1.35"))
    for change in compare(before, after).changes:
        if change.severity == "breaking":
            print(change.definition, change.field, change.rule.reason)

``compare`` finds, ``classify`` judges, ``report`` prints: three things that know
nothing of each other's work.
"""

from kubestencil.diff.compare import Difference, differences
from kubestencil.diff.comparison import (
    Change,
    Comparison,
    Graduation,
    compare,
    compare_versions,
)
from kubestencil.diff.history import History, Timeline, history, only_field, timeline
from kubestencil.diff.rules import RULES, SEVERITIES, Policy, Rule

__all__ = [
    "RULES",
    "SEVERITIES",
    "Change",
    "Comparison",
    "Difference",
    "Graduation",
    "History",
    "Policy",
    "Rule",
    "Timeline",
    "compare",
    "compare_versions",
    "differences",
    "history",
    "only_field",
    "timeline",
]
