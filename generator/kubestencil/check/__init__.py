"""Checks manifests against releases: what a server refuses, ignores or will remove.

``manifests`` reads the objects in files, ``decode`` and ``validate`` compare one with
one release, ``kinds`` and ``explain`` say what to do, and ``run`` puts the results of
files together. All results are values (``findings``), whose meaning is in ``rules``.

``from kubestencil import check`` is a function. Python binds the name of a package to
its module once that is imported, so the module is callable, and calls the function.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from kubestencil.check.findings import Finding, Report, Skipped, Subject
from kubestencil.check.rules import RULES, SEVERITIES, Rule, Severity
from kubestencil.check.run import check as check_paths

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

_function: Any = sys.modules["kubestencil"].__dict__.get("check")


class _CallableModule(ModuleType):
    """The module of the package, which can be called as the function."""

    def __call__(self, *arguments: Any, **options: Any) -> Report:
        report: Report = _function(*arguments, **options)
        return report


sys.modules[__name__].__class__ = _CallableModule
