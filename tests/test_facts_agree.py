"""The tables of facts contradict neither each other nor the feature gates."""

from __future__ import annotations

import pytest

from kubestencil.schema.knowledge.snapshots import differences
from kubestencil.source.releases import ReleaseRange
from specs.make.consistency import TABLES, contradictions, require_consistent

_SEARCHES = ("io.k8s.api.core.v1.PodDNSConfig", "searches", "-", "format")


@pytest.mark.parametrize("table", TABLES)
def test_no_row_contradicts_others_or_gates(table: str) -> None:
    require_consistent(table, differences(table))


@pytest.mark.parametrize(
    "releases, name, reason",
    [
        (("1.25..1.30", "1.32.."), "hostname", "does not hold in 1.31 alone"),
        (("1.25..1.31", "1.31.."), "hostname", "are among those of 1.25..1.31"),
        (("1.25..1.32", "1.35.."), "searches", "RelaxedDNSSearchValidation is on"),
    ],
)
def test_a_row_that_cannot_be_true_is_named(
    releases: tuple[str, str], name: str, reason: str
) -> None:
    definition, _, context, rule = _SEARCHES
    line = "\t".join((definition, name, context, rule, "dns", "asked"))
    rows = [(ReleaseRange.parse(one), line) for one in releases]
    ((row, why),) = contradictions(rows, ["1.31", "1.34"])
    assert str(row[0]) == releases[1]
    assert reason in why


def test_a_release_that_was_not_asked_has_no_hole() -> None:
    line = "\t".join((*_SEARCHES, "dns", "asked"))
    rows = [(ReleaseRange.parse(one), line) for one in ("1.25..1.26", "1.28..")]
    assert [*contradictions(rows, ["1.26", "1.28"])] == []
