"""Which definitions of the releases of a run are equal."""

from __future__ import annotations

from kubestencil.engine.run_cache import cached_for_run
from kubestencil.schema.contents import Contents, structure_of


@cached_for_run
def run_contents() -> Contents:
    """The numbers of the definitions that this process has seen in the run."""
    return Contents()


@cached_for_run
def run_structures() -> Contents:
    """The same, where definitions that differ in descriptions only are equal."""
    return Contents(structure_of)
