"""Checks manifests against releases: what a server refuses, ignores or will remove.

``files`` finds manifests and reads the objects in them. ``decoding`` checks the
values of an object, ``kind_findings`` and ``named_resources`` its kind and what it
names, and ``hints`` says what to do, in words and as ``edits``; ``paths`` is how they
read values, ``problems`` how they report. ``release`` is what objects are checked
against; ``judgement`` is the way of one object through one release, ``upgrade`` compares
those of two or more, and ``run`` checks files. ``ignores`` and ``suppressions`` leave
findings out. All results are values
(``findings``), whose meaning is in ``rules``; ``sarif`` writes them as SARIF, and the
target ``check`` has the other formats.

``clusters`` reads a live cluster. ``fixing`` makes edits in texts. ``values`` checks what
the API server is known to accept. ``verdicts`` asks the API server's own code
(``kubestencil.validator``), where that is built; ``stored`` prints what it would store.
``merging`` joins reports.
"""

from __future__ import annotations

from kubestencil.checking.findings import Finding, Report, Subject
from kubestencil.checking.rules import RULES, SEVERITIES, CheckRule, Severity
from kubestencil.checking.run import check as check_paths

__all__ = [
    "RULES",
    "SEVERITIES",
    "CheckRule",
    "Finding",
    "Report",
    "Severity",
    "Subject",
    "check_paths",
]
