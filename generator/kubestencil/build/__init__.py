"""Builds: what is stale, the jobs that generate it, and atomic writes.

``fingerprints`` digests all inputs of an output folder, ``record`` says what the last
run wrote, and ``plan`` compares the two: what is left are jobs. ``run`` executes the
plan in several processes (``kubestencil.processes``), which share parsed documents
(``parsed``).
``share`` divides the trees of a plan among machines, ``refused`` leaves out the CustomResourceDefinitions that cannot be read.
``tree`` writes what differs and renames it, while the signals that end a run are
delayed.
"""

from kubestencil.build.plan import BuildRequest, TreeResult
from kubestencil.build.run import Progress, Summary, check, find_covered, render

__all__ = [
    "BuildRequest",
    "Progress",
    "Summary",
    "TreeResult",
    "check",
    "find_covered",
    "render",
]
