"""Validators and public manifests: the verdicts of real servers, which took part in
nothing that the program was made from."""

from __future__ import annotations

import pytest

from kubestencil.validator.process import Validator
from kubestencil.validator.protocol import Request
from tests.conftest import rest_nightly
from tests.public_manifests import FOLDER, objects, verdicts
from tests.validators import built_validator

pytestmark = [
    pytest.mark.server,
    pytest.mark.skipif(FOLDER is None, reason="no KUBESTENCIL_MANIFESTS"),
]

# What the servers said that depends on what was in their clusters.
_OF_THE_CLUSTER = (
    "failed to allocate",
    "provided IP is",
    "provided port is already",
    " not found",
    "already exists",
)


@pytest.mark.parametrize(
    ("release", "version"), rest_nightly([("1.35", "1.35.0"), ("1.29", "1.29.6")])
)
def test_public_objects_have_the_verdicts_of_servers(
    release: str, version: str
) -> None:
    values = dict(objects())
    rows = {
        key: row
        for key, row in verdicts(release, 201, 400, 422).items()
        if key in values
        and not any(text in row.get("message", "") for text in _OF_THE_CLUSTER)
    }
    with Validator(built_validator(version)) as validator:
        requests = [Request("create", values[key]) for key in rows]
        answers = dict(zip(rows, validator.ask(requests), strict=True))
    different = {
        key: (
            row["status"],
            row.get("message", ""),
            answers[key].code,
            answers[key].message,
        )
        for key, row in rows.items()
        if answers[key].is_verdict and answers[key].code != row["status"]
    }
    compared = sum(answer.is_verdict for answer in answers.values())
    assert compared > 2_700
    assert len(different) <= compared * 0.005, different
    assert not [key for key in different if rows[key]["status"] == 201], different
