"""Builds: what is stale, who prints it, and how it reaches the disk."""

from kubestencil.build.plan import TreeResult
from kubestencil.build.run import Progress, Summary, check, render

__all__ = ["Progress", "Summary", "TreeResult", "check", "render"]
