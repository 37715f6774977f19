"""The Go programs that say what Kubernetes' own code says: nightly, since Go compiles."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kubestencil.schema.knowledge.gates import gate_rows
from specs.make.checkouts import Checkout
from specs.make.program import program_rows

SOURCES = os.environ.get("KUBESTENCIL_MODULES")


@pytest.mark.nightly
@pytest.mark.skipif(not SOURCES, reason="KUBESTENCIL_MODULES names no module cache")
def test_the_gates_of_a_release_are_those_of_its_facts() -> None:
    checkout = Checkout(Path(str(SOURCES)), "1.37")
    printed = {tuple(row) for row in program_rows(checkout, "gates", "feature-gates")}
    assert printed == {
        (row.gate, row.level, row.default, "locked" if row.locked else "")
        for row in gate_rows()
        if row.releases.includes("1.37")
    }
