"""Enums and limits of the tables are proven: the API server's code accepts a value on one
side of the border and refuses one on the other.

The objects (``tests/value_proofs.jsonl``) grew from the project's own examples by
``specs.make.values.pool``; rows of fields that none of them has are not proven yet.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from kubestencil.schema.facts.tables import group_version_kind
from kubestencil.schema.facts.values import EnumRow, LimitRow, enum_rows, limit_rows
from kubestencil.schema.kinds import kind_definitions
from kubestencil.schema.types import GroupVersionKind, Release
from kubestencil.validator.process import Validator
from specs.make.values.pool import accepted_objects
from specs.make.values.proofs import (
    Limit,
    Occurrences,
    proof_of_limit,
)
from tests.conftest import load
from tests.validators import built_validator

_SEED = 28
_SAMPLE = 120
_OBJECTS = Path(__file__).with_name("value_proofs.jsonl")


def _objects() -> dict[GroupVersionKind, list[Any]]:
    found: dict[GroupVersionKind, list[Any]] = {}
    for line in _OBJECTS.read_text("utf-8").splitlines():
        value = json.loads(line)
        kind = group_version_kind(value["apiVersion"], value["kind"])
        found.setdefault(kind, []).append(value)
    return found


def _occurrences(release: Release, validator: Validator) -> Occurrences:
    names = {kind: name for name, kind in kind_definitions(release).items()}
    accepted = accepted_objects(release, validator, _objects())
    objects = (
        (kind, names[kind], value)
        for kind, values in accepted.items()
        for value in values
    )
    return Occurrences(release, objects, lambda *_: False)


def _limit(row: EnumRow | LimitRow) -> Limit:
    if isinstance(row, EnumRow):
        return Limit(row.definition, row.field, row.context, "enum")
    return Limit(row.definition, row.field, row.context, row.rule, row.value)


def _rows(release: str) -> Sequence[EnumRow | LimitRow]:
    rows = (*enum_rows(), *limit_rows())
    return [
        row for row in rows if row.releases.includes(release) and row.found == "asked"
    ]


@pytest.mark.server
@pytest.mark.parametrize("count", [_SAMPLE, pytest.param(None, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("release", "share"), [("1.29", 0.8), ("1.35", 0.9)])
def test_rows_are_proven_by_the_servers_code(
    release: str, share: float, count: int | None
) -> None:
    rows = _rows(release)
    chosen = random.Random(_SEED).sample(rows, count or len(rows))
    with Validator(built_validator(release)) as validator:
        occurrences = _occurrences(load(release), validator)
        unproven = [
            row
            for row in chosen
            if proof_of_limit(validator, occurrences, _limit(row)) is None
        ]
    assert len(unproven) < (1 - share) * len(chosen), unproven
