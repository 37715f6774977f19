"""The table of enums has all that upstream lists for its reference pages, in each release
(``tests/upstream_enums.tsv``)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from kubestencil.schema.knowledge.values import server_facts
from kubestencil.source.releases import ReleaseRange

#: How many fields upstream's documents list; older ones have no enums.
COUNTS = {"1.34": 102, "1.35": 118, "1.36": 123}
#: Values that upstream lists, and that the server refuses, or only accepts with the gate
#: TaintTolerationComparisonOperators.
REFUSED = {
    ("StorageClass", "reclaimPolicy"): {"Recycle"},
    ("Toleration", "operator"): {"Gt", "Lt"},
    ("MutatingWebhook", "sideEffects"): {"Some", "Unknown"},
    ("ValidatingWebhook", "sideEffects"): {"Some", "Unknown"},
}


class Enum(NamedTuple):
    """A row of the list."""

    releases: ReleaseRange
    definition: str
    field: str
    values: frozenset[str]


def _enums() -> Iterator[Enum]:
    text = Path(__file__).with_name("upstream_enums.tsv").read_text("utf-8")
    for line in text.splitlines():
        if not line.startswith("#"):
            releases, definition, field, values = line.split("\t")
            names = frozenset(
                "" if v == '""' else v.replace("%20", " ") for v in values.split()
            )
            yield Enum(ReleaseRange.parse(releases), definition, field, names)


@pytest.mark.parametrize("release", COUNTS)
def test_the_table_has_what_upstream_lists(release: str) -> None:
    facts = server_facts(release)
    enums = [enum for enum in _enums() if enum.releases.includes(release)]
    assert len(enums) == COUNTS[release]
    missing = {
        (enum.definition, enum.field): sorted(lacking)
        for enum in enums
        for found in [frozenset(facts.of(enum.definition, enum.field).enum)]
        for name in [(enum.definition.rpartition(".")[2], enum.field)]
        # An empty text is as good as an absent field.
        if (lacking := enum.values - found - REFUSED.get(name, set()) - {""})
    }
    assert missing == {}
