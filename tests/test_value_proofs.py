"""Enums and limits of the tables are proven: the API server's code accepts a value on one
side of the border and refuses one on the other.

The objects (``tests/value_proofs.jsonl``, ``tests/value_seeds.yaml``) grew from the
project's own examples by ``specs.make.values``, which leaves out what they do not prove.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from kubestencil.schema.knowledge.values import fact_rows
from kubestencil.schema.types import group_version_kind
from kubestencil.validator.process import Validator
from specs.make.asking.pool import accepted_objects, seed_objects, stored_objects
from specs.make.values.limits import Limits
from specs.make.values.proofs import (
    Limit,
    Occurrences,
    proof_of_limit,
)
from specs.make.values.rows import Known
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


def test_names_of_objects_of_new_kinds_are_asked_about() -> None:
    """The first facts of a release lacked the limits of eleven: the field was known, of other
    kinds."""
    release = load("1.35")
    objects = {}
    for api_version, kind in (("v1", "Namespace"), ("node.k8s.io/v1", "RuntimeClass")):
        value = {"apiVersion": api_version, "kind": kind, "metadata": {"name": "a"}}
        objects[group_version_kind(api_version, kind)] = [value]
    stored = Occurrences(release, objects)
    fields = {("io.k8s.api.core.v1.Namespace", "metadata")}
    found = Limits(release, [], stored, stored)._names_of_new_kinds(
        Known({}, {}, fields)
    )
    assert [entry.kind.kind for entry in found] == ["RuntimeClass"]
