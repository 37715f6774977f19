"""Checks manifests against releases: what a server refuses, ignores or will remove.

``manifests`` reads the objects in files, ``decode`` and ``validate`` compare one with
one release, ``kinds`` and ``explain`` say what to do, and ``run`` puts the results of
files together. All results are values (``findings``), whose meaning is in ``rules``.
"""

from __future__ import annotations

from kubestencil.checking.findings import Finding, Report, Skipped, Subject
from kubestencil.checking.rules import RULES, SEVERITIES, Rule, Severity
from kubestencil.checking.run import check as check_paths

__all__ = [
    "RULES",
    "SEVERITIES",
    "Finding",
    "Report",
    "Rule",
    "Severity",
    "Skipped",
    "Subject",
    "check_paths",
]
