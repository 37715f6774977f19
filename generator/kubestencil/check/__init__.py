"""Checks manifests against releases: what a server refuses, ignores or will remove.

``manifests`` reads the objects in files, ``decode`` and ``validate`` compare one with
one release, ``kinds`` and ``explain`` say what to do, and ``run`` puts the results of
files together. All results are values (``findings``), whose meaning is in ``rules``.

``from kubestencil import check`` is the function of ``kubestencil/__init__.py``. Once
this package is imported, Python binds its name in ``kubestencil`` to the module, which
is callable therefore: both can be called, whatever was imported before.
"""

from __future__ import annotations

import sys
from types import ModuleType

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


class _CallableModule(ModuleType):
    """The module of the package, which is called as the function of its name."""

    # The name leads to the function until this import is complete. ``__wrapped__``
    # gives ``help()`` and editors its signature.
    __wrapped__ = __call__ = staticmethod(sys.modules["kubestencil"].__dict__["check"])


sys.modules[__name__].__class__ = _CallableModule
