"""Compares releases and API versions, and follows types through releases.

All results are values::

    from kubestencil import compare, load

    for change in compare(load("1.34"), load("1.35")).changes:
        if change.severity == "breaking":
            print(change.users_path, change.reason)

``documents`` makes documents comparable that differ in what they have.
``differences`` has what differs between definitions; ``fact_changes`` and
``component_changes`` have what the tables of facts show. ``rules`` judges both with
what ``releases`` knows of the two sides: the result is a ``change``. ``compare`` puts
changes together to a ``comparison`` with the ``labels`` of its sides, of which
``selection`` takes parts. ``history`` compares a type with all that it contains
(``nesting``) through releases, and hints at what else a name may mean (``other_names``);
``timeline`` has which release serves what. Nothing here is formatted for people: the target ``diff`` does that.
"""

from kubestencil.diff.change import Change
from kubestencil.diff.compare import compare, compare_versions
from kubestencil.diff.comparison import Comparison, Graduation
from kubestencil.diff.component_changes import GateChange
from kubestencil.diff.history import History, history
from kubestencil.diff.releases.stages import FieldStage, StageChange
from kubestencil.diff.rules.audience import SEVERITIES, Audience, Impact, Severity
from kubestencil.diff.rules.table import RULES, Policy, Rule
from kubestencil.diff.timeline import Timeline, timeline

__all__ = [
    "RULES",
    "SEVERITIES",
    "Audience",
    "Change",
    "Comparison",
    "FieldStage",
    "GateChange",
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
