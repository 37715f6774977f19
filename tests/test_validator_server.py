"""A validator says what the API server says, whose code it runs."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import pytest

from kubestencil.schema.kinds import kind_definitions
from kubestencil.targets.examples.trees import ExampleTrees
from kubestencil.validator.process import Validator
from kubestencil.validator.protocol import Answer, Request
from tests.api_server import Client, Reply
from tests.conftest import load, rest_nightly
from tests.examples import examples
from tests.manifests import manifests
from tests.mutations import mutants
from tests.test_starters import values as starters
from tests.validators import built_validator

pytestmark = pytest.mark.server

_SEED = 27
# So many that more than 5,000 answers of each release can be compared: some mutants are
# YAML, others of a kind that is not there.
_MUTANTS = 9_000
_COMPARED = 5_000
# UIDs are made anew for each object; releases until 1.33 print addresses of values.
_RANDOM = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\(0x[0-9a-f]+\)")

# Kinds that a server answers and does not store.
_ANSWERED_ONLY = re.compile("Binding$|Review$")


class Case(NamedTuple):
    """An object, what a server said of it, and what the validator says."""

    value: Mapping[str, Any]
    reply: Reply
    answer: Answer

    def says(self, *texts: str) -> bool:
        """Whether the server's message has one of the texts."""
        return any(text in self.reply.message for text in texts)


_ALLOCATED = "addresses and ports of the cluster are taken, or not in its range"
_ALLOCATING = (
    "the registry of Services stops where it cannot allocate, and sees own ports"
)
_CREATED = "other tests have created an object of the same name"
#: Why a server and a validator may differ, with how such a case is recognized.
_REASONS: Mapping[str, Callable[[Case], bool]] = {
    _ALLOCATED: lambda case: (
        case.says(
            "failed to allocate", "provided IP is already", "provided port is already"
        )
    ),
    _ALLOCATING: (
        lambda case: (
            case.value["kind"] == "Service"
            and case.reply.status == case.answer.code == 422
            and any(
                field.startswith(("spec.clusterIP", "spec.ipFamil", "spec.ports"))
                for field, _, _ in case.reply.causes
            )
        )
    ),
    _CREATED: lambda case: case.says("already exists"),
    "namespaces and classes of the cluster": lambda case: (
        case.says(
            "failed to lookup namespace",
            "could not retrieve namespace",
            "no PriorityClass",
            "not found",
        )
    ),
    "the admission plugin PodSecurity refuses labels of Namespaces": lambda case: (
        case.value["kind"] == "Namespace"
        and case.says("metadata.labels[pod-security.kubernetes.io/")
    ),
    "the sentence about equal owners is not the server's": lambda case: any(
        "metadata.ownerReferences" in warning for warning in case.reply.warnings
    ),
}


class Peers(NamedTuple):
    """A server, and the validator of the same version."""

    release: str
    server: Client
    validator: Validator


@pytest.fixture(params=rest_nightly(["1.35", "1.29"]))
def peers(request: pytest.FixtureRequest) -> Iterator[Peers]:
    fixture = "api_server" if request.param == "1.35" else "old_api_server"
    server: Client = request.getfixturevalue(fixture)
    version = server.get("/version")["gitVersion"].removeprefix("v")
    with Validator(built_validator(version)) as validator:
        yield Peers(request.param, server, validator)


def _objects(release: str) -> list[Any]:
    """Manifests, starters, mutations of both that are JSON, and examples, all fields of
    which break many rules at once."""
    document = load(release)
    valid = [*manifests(), *starters(document).values()]
    return [
        *valid,
        *(
            example
            for shape in ("required", "all_fields")
            for example in examples(document, shape).values()
        ),
        *(
            mutant.value
            for mutant in mutants(valid, _SEED, _MUTANTS)
            if not mutant.is_yaml and json.loads(mutant.text) == mutant.value
        ),
    ]


def _causes(causes: Any) -> Counter[tuple[str, ...]]:
    """Field, reason and message of each, without what is random."""
    return Counter(tuple(_RANDOM.sub("", text) for text in cause) for cause in causes)


def _difference(case: Case) -> str:
    reply, answer = case.reply, case.answer
    if reply.status != answer.code:
        return f"{reply.status} {reply.message} / {answer.code} {answer.message}"
    if reply.status == 400:
        equal = reply.message == answer.message
        return "" if equal else f"{reply.message} / {answer.message}"
    ours = _causes(
        (cause.field, cause.reason, cause.message) for cause in answer.causes
    )
    theirs = _causes(reply.causes)
    if ours != theirs:
        return f"{theirs - ours} / {ours - theirs}"
    if sorted(reply.warnings) != sorted(answer.warnings):
        return f"{reply.warnings} / {answer.warnings}"
    return ""


def test_verdicts_causes_messages_and_warnings_are_those_of_the_server(
    peers: Peers,
) -> None:
    objects = _objects(peers.release)
    replies = peers.server.submit_all(objects)
    answers = peers.validator.ask(Request("create", value) for value in objects)
    cases = [
        case
        for case in map(Case, objects, replies, answers)
        # Where the server has a resource of the kind. A path tells it of an apiVersion
        # and kind that are wrong, so that it does not read them.
        if case.reply.status not in (0, 404, 500) and case.answer.is_verdict
    ]
    different = [(case, text) for case in cases if (text := _difference(case))]
    unexplained = [
        f"{case.value['kind']}: {text}"
        for case, text in different
        if not any(explains(case) for explains in _REASONS.values())
    ]
    assert not unexplained, "\n".join([*unexplained[:20], str(len(unexplained))])
    assert len(cases) > _COMPARED
    # How many these are depends on what other tests have created in the cluster.
    created = [_REASONS[name] for name in (_ALLOCATED, _ALLOCATING, _CREATED)]
    others = [
        case for case, _ in different if not any(explains(case) for explains in created)
    ]
    assert len(others) < len(cases) / 100
    assert len(different) < len(cases) / 20
    accepted = {case.value["kind"] for case in cases if case.reply.accepted}
    assert accepted >= {
        name.rpartition(" ")[2]
        for name in starters(load(peers.release))
        if peers.server.endpoints(name.partition(" ")[0]).get(name.rpartition(" ")[2])
        and not _ANSWERED_ONLY.search(name)
    }


def _statuses(release: str) -> Iterator[dict[str, Any]]:
    """Starters with each field of a status alone, and with all of them."""
    document = load(release)
    trees = ExampleTrees(document)
    made = starters(document)
    for name, kind in kind_definitions(document).items():
        starter = made.get(f"{kind.api_version} {kind.kind}")
        status = document.definitions[name].schema.field("status")
        if not (starter and "metadata" in starter and status and status.ref):
            continue
        full = trees.all_fields(document.definitions[status.ref])
        assert full is not None
        parts = [*({key: value} for key, value in full.items()), full]
        for number, part in enumerate(parts):
            metadata = {**starter["metadata"], "name": f"status-{number}"}
            yield {**starter, "metadata": metadata, "status": part}


def test_verdicts_on_statuses_are_those_of_the_server(peers: Peers) -> None:
    """What is written through the subresource status, and what is then stored."""
    cases = []
    for value in _statuses(peers.release):
        path = peers.server.create_path(value)
        if path is None or peers.server.submit(value).status != 201:
            continue
        peers.server.create(value)
        own_path = f"{path}/{value['metadata']['name']}"
        patch = json.dumps({"status": value["status"]}).encode()
        reply = peers.server.request(
            "PATCH",
            f"{own_path}/status?dryRun=All&fieldValidation=Strict",
            patch,
            "application/merge-patch+json",
        )
        peers.server.delete(own_path)
        (answer,) = peers.validator.ask([Request("status", value)])
        cases.append(Case(value, reply, answer))
    different = [
        f"{case.value['kind']} {case.value['status']}: {text}"
        for case in cases
        # What a label of the namespace allows.
        if not case.says("on the containing namespace")
        and (text := _difference(case) or _difference_of_status(case))
    ]
    assert not different, "\n".join([*different[:20], str(len(different))])
    codes = Counter(case.answer.code for case in cases)
    assert min(codes[200], codes[422]) > 20, codes


def _difference_of_status(case: Case) -> str:
    if not case.answer.accepted:
        return ""
    # The time at which a phase changed is now.
    ours, theirs = (
        {**(stored or {}).get("status", {}), "lastPhaseTransitionTime": ""}
        for stored in (case.answer.object, case.reply.body)
    )
    return "" if ours == theirs else str(ours)
