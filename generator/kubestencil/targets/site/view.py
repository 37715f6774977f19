"""The view of the docs site.

The site has a part for each release, one for the reports of changes, and one for the
files outside of these folders. Each is printed by itself, with the context that
``release_context`` computes from all releases.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any

from kubestencil.engine.manifest import Target
from kubestencil.engine.view import Contexts, Each, Part
from kubestencil.schema import Release
from kubestencil.targets.site import common, release, reports
from kubestencil.targets.site.release_context import ReleaseContext, ReleaseContexts

#: The part with the reports, and the folder of their pages.
REPORTS = "diff"
#: The part with the files outside of the folders of releases and reports.
COMMON = ""

#: The values that ``each`` can have in a manifest.
EACH: Mapping[str, Each] = {**release.EACH, **reports.EACH, **common.EACH}

#: This view reproduces no quirks.
QUIRKS: Mapping[str, str] = {}


def divide(
    names: Sequence[str], load_releases: Callable[[], Sequence[Release]], target: Target
) -> Iterable[Part]:
    """The parts of the site; there are no reports of a single release."""
    del target

    @cache
    def contexts() -> ReleaseContexts:
        return ReleaseContexts(load_releases())

    def context(name: str) -> ReleaseContext:
        return contexts().of(name)

    if len(names) > 1:
        yield Part(REPORTS, tuple(names), lambda: tuple(names))
    for name in names:
        yield Part(name, (name,), partial(context, name))
    yield Part(COMMON, tuple(names), partial(context, names[-1]))


def make_part_contexts(
    name: str, releases: Sequence[Release], context: Any, target: Target
) -> Contexts:
    """The contexts of the files of one part."""
    if name == REPORTS:
        contexts = reports.make_contexts(releases, target)
    elif name == COMMON:
        contexts = common.make_contexts(releases, context, target)
    else:
        contexts = release.make_contexts(releases[0], context, target)
    other_values = EACH.keys() - contexts.files.keys()
    return replace(contexts, handled_by_other_parts=frozenset(other_values))
