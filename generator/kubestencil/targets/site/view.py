"""The view of the docs site: a part for each release, one for the reports, and one for
what all have in common.

The parts are printed by themselves, each told by ``lineage`` what it has to know of
the releases that it is not printed from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from typing import Any

from kubestencil.engine.manifest import Target
from kubestencil.engine.view import Contexts, Each, Part
from kubestencil.schema import Release
from kubestencil.targets.site import common, release, reports
from kubestencil.targets.site.lineage import Lineage

#: The part with the reports, and the folder of their pages.
REPORTS = "diff"


#: What targets can print files for.
EACH: Mapping[str, Each] = {}

#: This view reproduces no quirks.
QUIRKS: Mapping[str, str] = {}


def divide(
    names: Sequence[str], models: Callable[[], Sequence[Release]], target: Target
) -> Iterable[Part]:
    """The parts of the site, the largest first."""
    del target

    @cache
    def lineage() -> Lineage:
        return Lineage(models())

    if len(names) > 1:
        yield Part(REPORTS, tuple(names), lambda: tuple(names))
    for name in names:
        yield Part(name, (name,), partial(_told, lineage, name))
    yield Part("", tuple(names), partial(_told, lineage, names[-1]))


def make_part_contexts(
    name: str, releases: Sequence[Release], facts: Any, target: Target
) -> Contexts:
    """The view of one part."""
    if name == REPORTS:
        return reports.view(releases, target)
    if name == "":
        return common.view(releases, facts, target)
    return release.view(releases[0], facts, target)


def _told(lineage: Callable[[], Lineage], name: str) -> Any:
    return lineage().told(name)
