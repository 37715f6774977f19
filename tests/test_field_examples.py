"""Every field of every kind has an example that the API server accepts and keeps
(``targets.field_examples``), or a reason why it has none."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import pytest

from kubestencil.schema import Release
from kubestencil.schema.field_paths import field_paths
from kubestencil.schema.kinds import kind_definitions
from kubestencil.schema.knowledge.conditions import Combination, refused_places
from kubestencil.schema.knowledge.snapshots import snapshots
from kubestencil.schema.well_known import is_built_in
from kubestencil.source.releases import ReleaseRange
from kubestencil.targets.examples.rules import Siblings, follow
from kubestencil.targets.field_examples.changes import difference, merged
from kubestencil.targets.field_examples.explanations import explanation
from kubestencil.targets.field_examples.objects import FieldExamples
from kubestencil.validator.process import Validator
from specs.make.examples.questions import Question, field_values, kept, questions
from tests.api_server import Client
from tests.conftest import RELEASES, load, load_with_crds
from tests.validators import built_validator

#: The share of the fields that a server can accept whose examples it keeps, in a release
#: that was asked for what they lack, and in any other one.
ASKED_SHARE, SHARE = 0.995, 0.95
#: The same of custom resources.
CUSTOM_SHARE = 0.98
# What is asked about each time; every night it is all.
_SAMPLE = 900


def _share(release: str) -> float:
    return ASKED_SHARE if "examples" in snapshots()[release].sections else SHARE


def _refused(
    release: Release,
    asked: Sequence[Question],
    crds: Iterable[Mapping[str, Any]] = (),
) -> list[Question]:
    examples, definitions = FieldExamples(release), release.definitions
    items = [(q, examples.example(definitions[q.definition], q.path)) for q in asked]
    with Validator(built_validator(release.name), definitions=crds) as validator:
        answers = kept(release, validator, items)
    return [q for q, is_kept in zip(asked, answers, strict=True) if not is_kept]


@pytest.mark.server
@pytest.mark.parametrize("release", [RELEASES[0], RELEASES[-1]])
def test_a_server_keeps_examples_of_fields(release: str) -> None:
    asked = random.Random(51).sample([*questions(load(release))], _SAMPLE)
    refused = _refused(load(release), asked)
    assert len(refused) <= (1 - _share(release)) * len(asked), refused


@pytest.mark.server
@pytest.mark.nightly
@pytest.mark.parametrize("release", RELEASES)
def test_a_server_keeps_the_examples_of_all_fields(release: str) -> None:
    asked = [*questions(load(release))]
    refused = _refused(load(release), asked)
    assert len(refused) <= (1 - _share(release)) * len(asked), refused


@pytest.mark.server
@pytest.mark.nightly
def test_a_server_keeps_the_examples_of_custom_resources(
    cluster_crds: list[dict[str, Any]],
) -> None:
    """All fields of 127 kinds: what is refused breaks rules in CEL of rare forms."""
    release = load_with_crds("1.35", cluster_crds)
    asked = [each for each in questions(release) if not is_built_in(each.definition)]
    refused = _refused(release, asked, cluster_crds)
    assert len(refused) <= (1 - CUSTOM_SHARE) * len(asked), refused


@pytest.mark.server
def test_places_that_are_said_to_be_refused_are() -> None:
    """A reason is given only for what no new object keeps."""
    release = load("1.35")
    asked = [*_refused_fields(release)]
    assert len(asked) > 5
    assert _refused(release, asked) == asked


def _refused_fields(release: Release) -> Iterator[Question]:
    """A field of a kind for each place that is said to be refused."""
    places = refused_places(release.name)
    left = {(name, path.partition(".")[0]): path for name, path in places}
    for name in kind_definitions(release):
        definition = release.definitions[name]
        for path, field, owner in field_paths(definition, release):
            rest = left.pop((owner, field.name), None)
            if rest is not None:
                yield Question(name, f"{path[: -len(field.name)]}{rest}", ())


def test_examples_have_what_a_field_needs_and_nothing_that_it_excludes() -> None:
    examples = FieldExamples(load("1.35"))
    pod = examples.release.definitions["io.k8s.api.core.v1.Pod"]
    value = examples.example(pod, "spec.containers.readinessProbe.exec")
    assert value is not None
    (container,) = value["spec"]["containers"]
    assert container["readinessProbe"] == {"exec": {"command": ["string"]}}
    policy = examples.release.definitions["io.k8s.api.apps.v1.Deployment"]
    value = examples.example(policy, "spec.strategy.rollingUpdate.maxSurge")
    assert value is not None
    assert value["spec"]["strategy"].get("type", "RollingUpdate") == "RollingUpdate"


@pytest.mark.parametrize(
    ("kind", "path", "value"),
    [
        ("apps.v1.Deployment", "spec.strategy.rollingUpdate.maxSurge", "25%"),
        ("core.v1.Pod", "spec.containers.imagePullPolicy", "IfNotPresent"),
        ("core.v1.Service", "spec.ipFamilyPolicy", "SingleStack"),
        ("core.v1.Pod", "spec.volumes.downwardAPI.items.resourceFieldRef.divisor", "1"),
    ],
)
def test_an_example_has_what_the_server_would_fill_in(
    kind: str, path: str, value: str
) -> None:
    """Also where that depends on something, or is a number or a text; nothing is no
    example."""
    release = load("1.35")
    definition = release.definitions[f"io.k8s.api.{kind}"]
    example = FieldExamples(release).example(definition, path)
    assert example is not None
    assert field_values(release, definition, example, path) == [value]


def test_a_request_has_an_example() -> None:
    """A server stores no TokenReview, and answers one."""
    release = load("1.35")
    review = release.definitions["io.k8s.api.authentication.v1.TokenReview"]
    assert explanation(release, review, "spec.token") == ""
    assert explanation(release, review, "status.user") == "set by the server"
    status = release.definitions["io.k8s.api.core.v1.ComponentStatus"]
    assert explanation(release, status, "conditions") != ""


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        ({"a": 1, "b": 2}, {"a": 1}, {"b": None}),
        ({"a": {"b": 1}}, {"a": {"b": 1, "c": 2}}, {"a": {"c": 2}}),
        ({"l": [{"n": 1}]}, {"l": [{"n": 1}, {"n": 2}]}, {"l": [{"n": 2}]}),
        ({"l": [{"n": 1}]}, {"l": [{"n": 3}]}, {"l": {"0": {"n": 3}}}),
        ({"l": ["a"]}, {"l": ["b"]}, {"l": ["b"]}),
        ({}, {"l": [{"n": 1}]}, {"l": [{"n": 1}]}),
    ],
)
def test_a_difference_makes_one_object_of_another(
    before: object, after: object, change: object
) -> None:
    assert difference(before, after) == change
    assert merged(before, change) == after


@pytest.mark.nightly
def test_a_real_server_keeps_examples(api_server: Client) -> None:
    """As a dry run with strict validation; what needs a gate is left out, since the server
    has its defaults."""
    release = load("1.35")
    examples = FieldExamples(release)
    fields = [question for question in questions(release) if not question.gates]
    asked = random.Random(35).sample(fields, 1500)
    definitions = [release.definitions[question.definition] for question in asked]
    paths = [question.path for question in asked]
    replies = api_server.submit_all(
        examples.example(*field) or {} for field in zip(definitions, paths, strict=True)
    )
    refused = [
        (question, reply.message)
        for question, definition, reply in zip(asked, definitions, replies, strict=True)
        if not reply.accepted
        or not field_values(release, definition, reply.body, question.path)
    ]
    assert len(refused) <= (1 - ASKED_SHARE) * len(asked), refused


@pytest.mark.parametrize(
    ("fields", "followed"),
    [
        ({"a": 1, "b": {"c": 2}}, {"a": 1, "b": {"c": 2}}),
        ({"a": 1, "b": {}}, {"b": {}}),
        ({"a": 1}, {}),
    ],
)
def test_a_field_that_needs_one_without_a_value_is_left_out(
    fields: dict[str, Any], followed: dict[str, Any]
) -> None:
    rule = Combination(ReleaseRange("1.29"), "Any", ("a",), "needs", ("b.c",))
    follow(fields, [rule], None, Siblings.of({}))
    assert fields == followed
