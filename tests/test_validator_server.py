"""A validator says what the API server says, whose code it runs."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from kubestencil.validator.process import Validator
from kubestencil.validator.protocol import Answer, Request
from tests.api_server import Client, Reply
from tests.conftest import load
from tests.examples import examples
from tests.manifests import manifests
from tests.mutations import mutants
from tests.test_validator import validator

__all__ = ["validator"]

pytestmark = pytest.mark.server

_COUNT = 5_000
# A server that serves the kind, and whose admission plugins have nothing to say.
_VERDICTS = (201, 400, 422)
# What depends on the cluster that is asked.
_OF_THE_CLUSTER = (
    "failed to lookup namespace",
    "failed to allocate",
    "provided IP is already allocated",
    "provided port is already allocated",
    "already exists",
    "not found",
)


def _objects() -> list[Any]:
    """Manifests, examples with all fields, and mutations of both that are JSON."""
    valid = [
        *manifests(),
        *(
            example
            for shape in ("required", "all_fields")
            for example in examples(load("1.35"), shape).values()
        ),
    ]
    changed = [
        mutant.value
        for mutant in mutants(valid, 27, _COUNT)
        if not mutant.is_yaml and json.loads(mutant.text) == mutant.value
    ]
    return [*valid, *changed]


def _difference(value: Any, reply: Reply, answer: Answer) -> str:
    if reply.status != answer.code:
        return f"{reply.status} {reply.message} / {answer.code} {answer.message}"
    ours = Counter((cause.field, cause.reason) for cause in answer.causes)
    theirs = Counter((field, reason) for field, reason, _ in reply.causes)
    # Where no address can be allocated, a server does not look at the rest of a Service.
    is_service = value["kind"] == "Service"
    if ours != theirs and not (is_service and theirs <= ours):
        return f"{reply.causes} / {answer.causes}"
    # What is said of equal owners is no text of the server's strategies.
    own, theirs_said = (
        {text for text in texts if "metadata.ownerReferences" not in text}
        for texts in (answer.warnings, reply.warnings)
    )
    if reply.status == 201 and own != theirs_said:
        return f"{reply.warnings} / {answer.warnings}"
    return ""


def test_verdicts_causes_and_warnings_are_those_of_the_server(
    api_server: Client, validator: Validator
) -> None:
    objects = _objects()
    replies = api_server.submit_all(objects)
    answers = list(validator.ask(Request("create", value) for value in objects))
    differences = [
        difference
        for value, reply, answer in zip(objects, replies, answers, strict=True)
        if answer.is_verdict
        and reply.status in _VERDICTS
        and not any(text in reply.message for text in _OF_THE_CLUSTER)
        and (difference := _difference(value, reply, answer))
    ]
    compared = sum(answer.is_verdict for answer in answers)
    assert compared > _COUNT // 2
    assert not differences, "\n".join(differences[:20]) + f"\n{len(differences)}"
