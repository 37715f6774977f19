"""The Go programs that say what Kubernetes' own code says: nightly, since Go downloads and
compiles it."""

from __future__ import annotations

import pytest

from kubestencil.schema.knowledge.gates import gate_rows
from kubestencil.schema.knowledge.snapshots import MISSING, lines_of_releases
from specs.make import configurations
from specs.make.checkouts import Checkout
from specs.make.flags import make_rows
from specs.make.program import program_rows
from specs.make.release.modules import download
from tests.conftest import RELEASES

pytestmark = [pytest.mark.nightly, pytest.mark.compiler("go")]


@pytest.fixture(scope="module")
def newest() -> Checkout:
    return Checkout(download(*RELEASES[:-3:-1]).folder, RELEASES[-1])


def test_the_gates_of_a_release_are_those_of_its_facts(newest: Checkout) -> None:
    printed = {tuple(row) for row in program_rows(newest, "gates", "feature-gates")}
    assert printed == {
        (row.gate, row.level, row.default, "locked" if row.locked else "")
        for row in gate_rows()
        if row.releases.includes(newest.release)
    }


def test_the_flags_of_a_release_are_those_of_its_facts(newest: Checkout) -> None:
    rows = lines_of_releases("flags")[newest.release]
    made = {"\t".join(cell or MISSING for cell in row) for row in make_rows(newest)}
    assert made == set(rows)


def test_the_configurations_of_a_release_are_those_of_its_facts(
    newest: Checkout,
) -> None:
    rows = lines_of_releases("configurations")[newest.release]
    made = configurations.make_rows(newest)
    assert {"\t".join(cell or MISSING for cell in row) for row in made} == set(rows)
