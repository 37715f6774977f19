"""What changed: between releases, between API versions, over all releases.

A comparison takes two models and gives changes, as values::

    from generator.diff import compare
    from generator.render import load
    from generator.source import locate

    before, after = (load(locate(name, None)) for name in ("1.29", "1.35"))
    for change in compare(before, after).changes:
        if change.severity == "breaking":
            print(change.definition, change.field, change.rule.reason)

``compare`` finds, ``classify`` judges, ``report`` prints: three things that know
nothing of each other's work.
"""

from generator.diff.classify import RULES, SEVERITIES, Policy, Rule
from generator.diff.compare import Difference, differences
from generator.diff.comparison import (
    Change,
    Comparison,
    Graduation,
    compare,
    compare_versions,
)
from generator.diff.history import History, Timeline, history, only_field, timeline

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
