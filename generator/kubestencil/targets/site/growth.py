"""How an API grew: a chart of the kinds of each release by their stage, and of its fields.

The numbers are computed here, and so is where bars are; the template draws them as SVG.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from kubestencil.schema import Release
from kubestencil.schema.kinds import STAGES, kind_definitions, version_stage

# The size of a chart, with a line of text above and below its bars.
_WIDTH, _HEIGHT = 320, 150
_TOP, _BOTTOM = 18, 18
# Of a column, what a bar takes.
_BAR_SHARE = 0.62


class ReleaseSize(NamedTuple):
    """The number of fields of a release, and of its kinds by stage: alpha, beta, stable."""

    release: str
    fields: int
    kinds: tuple[int, ...]


class StageBar(NamedTuple):
    """A part of a bar; ``stage`` is empty where bars have one part."""

    stage: str
    size: int
    y: float
    height: float


class Bar(NamedTuple):
    """The bar of a release: ``total`` is a number for people, ``x`` its left end,
    ``middle`` that of its texts."""

    release: str
    total: str
    x: float
    middle: float
    segments: tuple[StageBar, ...]


class Chart(NamedTuple):
    """A chart: its ``title`` (``Kinds``), what it shows in a sentence, its bars, and its
    size in the units of its coordinates."""

    title: str
    summary: str
    bars: tuple[Bar, ...]
    bar_width: float
    width: int = _WIDTH
    height: int = _HEIGHT


def release_size(release: Release) -> ReleaseSize:
    """What a chart shows of a release."""
    stages = Counter(
        version_stage(release.definitions[name].version)
        for name in kind_definitions(release)
    )
    fields = sum(len(definition.fields) for definition in release.definitions.values())
    return ReleaseSize(release.name, fields, tuple(stages[stage] for stage in STAGES))


def growth_charts(sizes: Sequence[ReleaseSize]) -> tuple[Chart, ...]:
    """The charts of some releases, oldest first; none of a single one."""
    if len(sizes) < 2:
        return ()
    return (
        _chart("Kinds", sizes, [size.kinds for size in sizes], STAGES),
        _chart("Fields", sizes, [(size.fields,) for size in sizes], ("",)),
    )


def _chart(
    title: str,
    sizes: Sequence[ReleaseSize],
    counts: Sequence[tuple[int, ...]],
    stages: Sequence[str],
) -> Chart:
    column = _WIDTH / len(sizes)
    scale = (_HEIGHT - _TOP - _BOTTOM) / max(1, *map(sum, counts))
    bars = tuple(
        Bar(
            size.release,
            f"{sum(parts):,}",
            round(column * (number + (1 - _BAR_SHARE) / 2), 1),
            round(column * (number + 0.5), 1),
            # The stable ones are at the bottom.
            tuple(_segments(reversed(stages), reversed(parts), scale)),
        )
        for number, (size, parts) in enumerate(zip(sizes, counts, strict=True))
    )
    first, last = bars[0], bars[-1]
    summary = (
        f"{title}: {first.total} in {first.release}, {last.total} in {last.release}"
    )
    return Chart(title, summary, bars, round(column * _BAR_SHARE, 1))


def _segments(
    stages: Iterable[str], counts: Iterable[int], scale: float
) -> Iterable[StageBar]:
    y = float(_HEIGHT - _BOTTOM)
    for stage, count in zip(stages, counts, strict=True):
        height = count * scale
        y -= height
        if count:
            yield StageBar(stage, count, round(y, 1), round(height, 1))
