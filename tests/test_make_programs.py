"""The Go programs that say what Kubernetes' own code says: nightly, since Go downloads and
compiles it."""

from __future__ import annotations

import pytest

from kubestencil.schema.knowledge.components import flags
from kubestencil.schema.knowledge.gates import gate_rows
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
    """Those that it registers; facts may have less of what a flag sets."""
    made = {(component, name) for component, name, *_ in make_rows(newest)}
    assert made == set(flags(newest.release))
