"""The validator of each release agrees with itself, and with the document of the release."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from kubestencil.schema import Release
from kubestencil.schema.knowledge.components import strategy_rows
from kubestencil.source import embedded
from kubestencil.validator.process import Validator
from kubestencil.validator.protocol import Answer, Request
from tests.conftest import load
from tests.examples import examples
from tests.test_starters import values as starters
from tests.validators import built_validator

pytestmark = [pytest.mark.server, pytest.mark.nightly]

_TIME = re.compile(r'"\d{4}-\d\d-\d\dT[\d:.]+Z"')

# Kinds that a server answers and never stores.
_ANSWERED_ONLY = {
    "Binding",
    "LocalSubjectAccessReview",
    "SelfSubjectAccessReview",
    "SelfSubjectReview",
    "SelfSubjectRulesReview",
    "SubjectAccessReview",
    "TokenReview",
}
# What validation says of a value; anything else would be a mistake of the program.
_REASONS = {
    "FieldValueDuplicate",
    "FieldValueForbidden",
    "FieldValueInvalid",
    "FieldValueNotFound",
    "FieldValueNotSupported",
    "FieldValueRequired",
    "FieldValueTooLong",
    "FieldValueTooMany",
    "FieldValueTypeInvalid",
}

# Starters that these versions refuse: the first needs the version of its resource, which
# later ones do not have; the name of a requester is restricted in the second.
_REFUSED_STARTERS = {
    "storagemigration.k8s.io/v1alpha1 StorageVersionMigration",
    "lifecycle.k8s.io/v1alpha1 EvictionRequest",
}

Objects = Mapping[str, dict[str, Any]]


@pytest.fixture(params=[*embedded.releases()])
def release(request: pytest.FixtureRequest) -> str:
    """A release, where its validator is built."""
    name: str = request.param
    built_validator(name)
    return name


@pytest.fixture
def validator(release: str) -> Iterator[Validator]:
    with Validator(built_validator(release)) as process:
        yield process


def _stored(release: Release, objects: Objects) -> dict[str, dict[str, Any]]:
    """Those of the objects, by apiVersion and kind, that the release can create."""
    creatable = {
        f"{kind.api_version} {kind.kind}"
        for kind, resource in release.resources.items()
        if "create" in resource.verbs
    }
    return {
        name: value
        for name, value in objects.items()
        if name in creatable and name.rpartition(" ")[2] not in _ANSWERED_ONLY
    }


def _ask(validator: Validator, requests: Mapping[Any, Request]) -> Mapping[Any, Answer]:
    return dict(zip(requests, validator.ask(requests.values()), strict=True))


def _defaulted(validator: Validator, objects: Objects) -> dict[str, Any]:
    objects = {
        name: value for name, value in objects.items() if name not in _REFUSED_STARTERS
    }
    answers = _ask(
        validator, {name: Request("default", value) for name, value in objects.items()}
    )
    assert [name for name, answer in answers.items() if not answer.accepted] == []
    return {name: answer.object for name, answer in answers.items()}


def _without_times(objects: dict[str, Any]) -> Any:
    """A PersistentVolume has the time at which its defaults were filled in."""
    return json.loads(_TIME.sub('"now"', json.dumps(objects)))


def test_every_kind_that_can_be_created_is_answered(
    release: str, validator: Validator
) -> None:
    """Starters are accepted; an example with all fields, of which some exclude each other,
    is decoded, and refused by validation with its reasons."""
    document = load(release)
    for shape, objects in (
        ("starter", starters(document)),
        ("all_fields", examples(document, "all_fields")),
    ):
        stored = _stored(document, objects)
        requests = {name: Request("create", value) for name, value in stored.items()}
        for name, answer in _ask(validator, requests).items():
            refusable = shape == "all_fields" or name in _REFUSED_STARTERS
            assert answer.accepted or refusable, (name, answer)
            assert answer.code in (201, 422), (name, answer)
            reasons = {cause.reason for cause in answer.causes}
            assert answer.accepted != bool(reasons) and reasons <= _REASONS, name
    # None of the program's kinds was left out.
    kinds = {name.rpartition(" ")[2] for name in stored}
    rows = [
        row
        for row in strategy_rows()
        if row.releases.includes(release) and row.kind != "*"
    ]
    assert kinds == {row.kind for row in rows}


def test_the_defaults_of_defaults_are_the_same(
    release: str, validator: Validator
) -> None:
    document = load(release)
    once = _defaulted(validator, _stored(document, starters(document)))
    twice = _defaulted(validator, once)
    assert _without_times(twice) == _without_times(once)


def test_conversion_there_and_back_changes_nothing(
    release: str, validator: Validator
) -> None:
    document = load(release)
    defaulted = _defaulted(validator, _stored(document, starters(document)))
    versions: dict[tuple[str, str], list[str]] = {}
    for name in defaulted:
        api_version, _, kind = name.partition(" ")
        group = api_version.rpartition("/")[0]
        versions.setdefault((group, kind), []).append(api_version)
    there = {
        (f"{version} {kind}", other): Request(
            "convert", defaulted[f"{version} {kind}"], to=other
        )
        for (_, kind), served in versions.items()
        for version in served
        for other in served
    }
    converted = _ask(validator, there)
    back = _ask(
        validator,
        {
            (name, other): Request("convert", answer.object, to=name.partition(" ")[0])
            for (name, other), answer in converted.items()
        },
    )
    # Reading fills in a status, too.
    direct = {
        name: converted[name, name.partition(" ")[0]].object for name in defaulted
    }
    for (name, other), answer in back.items():
        assert answer.accepted, (name, other, answer)
        assert answer.object == direct[name], (name, other)
