"""Builds: which trees are stale, the jobs that generate them, and atomic writes."""

from kubestencil.build.plan import TreeResult
from kubestencil.build.run import Progress, Summary, check, render

__all__ = ["Progress", "Summary", "TreeResult", "check", "render"]
