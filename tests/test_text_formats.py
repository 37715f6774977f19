"""The formats of texts (``specs/formats.tsv``) beside the API server's own code: it accepts
and refuses the same texts in fields that have them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import islice

import pytest

from kubestencil.schema.knowledge.values import FORMATS, fact_rows
from kubestencil.validator.process import Validator
from specs.make.asking.answers import Verdict, created
from specs.make.asking.pool import seed_objects, stored_objects
from specs.make.values.proofs import Limit, Occurrences
from specs.make.values.questions import PROBES, Occurrence
from tests.conftest import load
from tests.validators import PROVEN_RELEASES, built_validator

_SEED = 48
_TEXTS = 400
_FIELDS = 8
_CHARACTERS = "aZ09-_./:%=*$~ ,@\t\né"
#: Formats of which the server refuses more, and why.
_LOOSER = {
    "cidr": "some fields take no bits beyond the length, or nothing outside of another",
    "ip": "names of IPAddresses have the shortest form",
    "schedule": "the fields of a schedule are not looked into",
}
_RELEASE = PROVEN_RELEASES[-1]


def _texts(name: str) -> list[str]:
    """Texts near a format's border: its example and those of all formats, with characters
    added, removed, replaced and repeated."""
    chance = random.Random(f"{_SEED} {name}")
    own = FORMATS[name].example
    examples = (each.example for each in FORMATS.values())
    texts = dict.fromkeys(filter(None, (own, *PROBES, *examples)))
    starts = [*texts, *[own] * len(texts)]
    while len(texts) < _TEXTS:
        text = chance.choice(starts)
        for _ in range(chance.randint(1, 3)):
            at, until = sorted(chance.randint(0, len(text)) for _ in range(2))
            middle = chance.choice((*_CHARACTERS, "", text[at:until] * 2))
            text = text[:at] + middle + text[until if chance.random() < 0.5 else at :]
        if text and len(text) < 300:
            texts[text] = None
    return [*texts]


@pytest.fixture(scope="module")
def validator() -> Iterator[Validator]:
    with Validator(built_validator(_RELEASE)) as validator:
        yield validator


@pytest.fixture(scope="module")
def occurrences(validator: Validator) -> Occurrences:
    """The fields in objects that are accepted."""
    objects = stored_objects(load(_RELEASE), validator, seed_objects())
    return Occurrences(load(_RELEASE), objects)


_LIMITS = [
    Limit.of(row)
    for row in fact_rows()
    if row.name == "format" and row.found == "asked" and row.releases.includes(_RELEASE)
]


def _fields(name: str, occurrences: Occurrences) -> Iterator[Occurrence]:
    """A text in each field that has a format, or in an item of it."""
    for limit in _LIMITS:
        found = [
            *occurrences.of(limit, items=False),
            *occurrences.of(limit, items=True),
        ]
        texts = (each for each in found if isinstance(each.value, str) and each.value)
        if limit.value == name:
            yield from islice(texts, 1)


@pytest.mark.nightly
@pytest.mark.server
@pytest.mark.parametrize("name", sorted({limit.value for limit in _LIMITS}))
def test_a_format_has_the_texts_that_the_server_accepts(
    name: str, validator: Validator, occurrences: Occurrences
) -> None:
    fields = [*_fields(name, occurrences)][:_FIELDS]
    assert fields
    texts = _texts(name)
    verdicts: dict[str, set[Verdict]] = {text: set() for text in texts}
    for found in fields:
        answers = created(validator, map(found.changed, texts))
        for text, answer in zip(texts, answers, strict=True):
            verdicts[text].add(found.target.verdict(answer))
    # Fields have rules of their own: what one of them accepts is of the format.
    accepted = {text for text in texts if "accepted" in verdicts[text]}
    refused = {text for text in texts if verdicts[text] == {"refused"}}
    of_format = {*filter(FORMATS[name].accepts, texts)}
    assert accepted - of_format == set()
    assert of_format & refused == set() or name in _LOOSER
