"""``kubestencil check`` finds no error in any example: their fields obey what the API
server is known to accept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kubestencil import check
from kubestencil.schema.knowledge.values import FORMATS
from kubestencil.validator.process import Validator
from kubestencil.validator.protocol import Request
from tests.conftest import RELEASES, load
from tests.examples import examples
from tests.validators import built_validator

SHAPES = ("starter", "required", "all_fields")
_SLOW = [pytest.param(name, marks=pytest.mark.nightly) for name in RELEASES[1:-1]]


@pytest.mark.parametrize("release", [RELEASES[0], *_SLOW, RELEASES[-1]])
@pytest.mark.parametrize("shape", SHAPES)
def test_check_finds_no_error_in_examples(
    release: str, shape: str, tmp_path: Path
) -> None:
    values = examples(load(release), shape)
    path = tmp_path / "examples.yaml"
    path.write_text("\n---\n".join(map(json.dumps, values.values())))
    report = check([path], to=load(release))
    assert report.objects == len(values) > 70
    assert [
        (finding.subject.kind, finding.field_path, finding.message)
        for finding in report.findings
        if finding.severity == "error"
        # What a definition requires are names that depend on each other.
        and (finding.subject.kind, shape) != ("CustomResourceDefinition", "required")
    ] == []


def test_fields_that_are_replaced_keep_their_order() -> None:
    """An IPAddress is called like an address."""
    value = examples(load(RELEASES[-1]), "all_fields")["networking.k8s.io/v1 IPAddress"]
    assert list(value) == ["apiVersion", "kind", "metadata", "spec"]
    assert value["metadata"]["name"] == "192.0.2.1"


def test_examples_have_what_a_field_needs_beside_it() -> None:
    pod = examples(load("1.35"), "all_fields")["v1 Pod"]
    (container,) = pod["spec"]["containers"]
    assert container["readinessProbe"] == {"exec": {"command": ["string"]}}
    assert container["livenessProbe"].keys() & {"exec", "grpc", "httpGet"} == {"exec"}
    deployment = examples(load("1.35"), "all_fields")["apps/v1 Deployment"]["spec"]
    labels = deployment["template"]["metadata"]["labels"]
    assert labels == deployment["selector"]["matchLabels"] == {"key": "string"}


@pytest.mark.parametrize("name", FORMATS)
def test_formats_accept_their_examples(name: str) -> None:
    assert FORMATS[name].accepts(FORMATS[name].example)


@pytest.mark.server
@pytest.mark.parametrize(("release", "share"), [("1.29", 0.5), ("1.35", 0.5)])
def test_the_server_accepts_most_examples_with_required_fields(
    release: str, share: float
) -> None:
    values = examples(load(release), "required")
    with Validator(built_validator(release)) as validator:
        answers = validator.ask([Request("create", v) for v in values.values()])
        refused = {
            name: answer.causes
            for name, answer in zip(values, answers, strict=True)
            if not answer.accepted
        }
    assert len(refused) < (1 - share) * len(values), refused
