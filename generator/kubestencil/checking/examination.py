"""What is wrong with an object in a release, without asking the API server's code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kubestencil.checking.decoding.server_warnings import warnings_of
from kubestencil.checking.findings import Results
from kubestencil.checking.kind_findings import is_of_kubernetes
from kubestencil.checking.release import CheckedRelease
from kubestencil.checking.values.relations import related_problems
from kubestencil.schema.types import GroupVersionKind


def examine(
    value: Mapping[str, Any], kind: GroupVersionKind, release: CheckedRelease
) -> Results | None:
    """The problems of an object as it is decoded, and those of its values; None for a
    kind that the release does not serve."""
    check = release.check_of(kind)
    if check is None:
        return None
    results = Results()
    check(value, ("", None), results)
    if is_of_kubernetes(kind):
        release.places.check(value, kind, results)
        results.values.extend(related_problems(value, kind))
        results.problems.extend(warnings_of(value, kind, release.name))
    return results
