"""Joins what is wrong with a text that aliases and merge keys repeat."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable

from kubestencil.checking.paths import Path, field_path
from kubestencil.checking.upgrade import UpgradeDifference


def joined_by_origin(
    differences: Iterable[UpgradeDifference], origin: Callable[[Path], Hashable]
) -> list[UpgradeDifference]:
    """The differences with one, the first, for those of the same text, as ``origin``
    identifies it. Its fixes are those of all places together: the text has one value, so
    that a fix of fewer would be none."""
    joined: dict[Hashable, UpgradeDifference] = {}
    for difference in differences:
        problem, *others = difference
        # Some messages name the path.
        message = problem.message.replace(field_path(problem.path), "")
        key = problem.rule, message, *others, origin(problem.path)
        if key in joined:
            first = joined[key].problem
            is_alike = len(first.fixes) == len(problem.fixes)
            pairs = zip(first.fixes, problem.fixes, strict=True) if is_alike else ()
            problem = first._replace(fixes=tuple((*fix, *more) for fix, more in pairs))
        joined[key] = difference._replace(problem=problem)
    return list(joined.values())
