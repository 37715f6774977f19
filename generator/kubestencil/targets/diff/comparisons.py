"""The comparisons of a run, which several parts of its output are made from."""

from __future__ import annotations

from kubestencil.diff.compare import compare
from kubestencil.diff.comparison import Comparison
from kubestencil.engine.run_cache import cached_for_run
from kubestencil.schema import Release


def compare_for_run(before: Release, after: Release) -> Comparison:
    """The comparison of two releases, made once in a run.

    Processes that are forked afterwards have it, too.
    """
    comparisons = _comparisons()
    key = id(before), id(after)
    if key not in comparisons:
        # The releases are kept, so that no others get their ids.
        comparisons[key] = before, after, compare(before, after)
    return comparisons[key][-1]


@cached_for_run
def _comparisons() -> dict[tuple[int, int], tuple[Release, Release, Comparison]]:
    """The releases that were compared, and their comparison, by their ids."""
    return {}
