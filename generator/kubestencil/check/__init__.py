"""Checks manifests against releases: what a server refuses, ignores or will remove.

``manifests`` reads the objects in files, ``decode`` and ``validate`` compare one with
one release, ``kinds`` and ``explain`` say what to do, and ``run`` puts the results of
files together. All results are values (``findings``), whose meaning is in ``rules``.
"""

from kubestencil.check.findings import Finding, Report, Skipped, Subject
from kubestencil.check.rules import RULES, SEVERITIES, Rule, Severity
from kubestencil.check.run import check

__all__ = [
    "RULES",
    "SEVERITIES",
    "Finding",
    "Report",
    "Rule",
    "Severity",
    "Skipped",
    "Subject",
    "check",
]
