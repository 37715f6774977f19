"""Enums and limits of the tables are proven: the API server's code accepts a value on one
side of the border and refuses one on the other.

The objects (``tests/value_proofs.jsonl``, ``tests/value_seeds.yaml``) grew from the
project's own examples by ``specs.make.values``, which leaves out what they do not prove.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from kubestencil.schema.knowledge.values import fact_rows
from kubestencil.validator.process import Validator
from specs.make.asking.pool import accepted_objects, seed_objects, stored_objects
from specs.make.values.proofs import (
    Limit,
    Occurrences,
    proof_of_limit,
)
from tests.conftest import load
from tests.validators import PROVEN_RELEASES, built_validator


def _limits(release: str) -> Sequence[Limit]:
    return [
        Limit.of(row)
        for row in fact_rows()
        if row.releases.includes(release)
        and row.found == "asked"
        and row.name != "defaults"
    ]


@pytest.mark.nightly
@pytest.mark.server
@pytest.mark.parametrize("release", PROVEN_RELEASES)
def test_rows_are_proven_by_the_servers_code(release: str) -> None:
    with Validator(built_validator(release)) as validator:
        stored, accepted = (
            Occurrences(load(release), find(load(release), validator, seed_objects()))
            for find in (stored_objects, accepted_objects)
        )
        unproven = [
            limit
            for limit in _limits(release)
            if proof_of_limit(
                validator, accepted if limit.is_absence else stored, limit
            )
            is None
        ]
    assert not unproven
