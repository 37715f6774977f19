"""The formats of texts (``specs/formats.tsv``) beside the API server's own code: it accepts
and refuses the same texts in fields that have them."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator
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
    "schedule": "the fields of a schedule are not looked into",
}


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


def _fields(limits: Iterable[Limit], occurrences: Occurrences) -> Iterator[Occurrence]:
    """A text in each field that has a limit, or in an item of it."""
    for limit in limits:
        found = [
            *occurrences.of(limit, items=False),
            *occurrences.of(limit, items=True),
        ]
        texts = (each for each in found if isinstance(each.value, str) and each.value)
        yield from islice(texts, 1)


def _mistakes(
    name: str, validator: Validator, fields: Iterable[Occurrence]
) -> Iterator[str]:
    """The texts of which a format says otherwise than the server."""
    texts = _texts(name)
    verdicts: dict[str, set[Verdict]] = {text: set() for text in texts}
    for found in fields:
        answers = created(validator, map(found.changed, texts))
        for text, answer in zip(texts, answers, strict=True):
            verdicts[text].add(found.target.verdict(answer))
    for text in texts:
        is_of_format = FORMATS[name].accepts(text)
        if "accepted" in verdicts[text] and not is_of_format:
            yield f"{name}: {text!r} is accepted"
        # Fields have rules of their own: what one of them accepts is of the format.
        if verdicts[text] == {"refused"} and is_of_format and name not in _LOOSER:
            yield f"{name}: {text!r} is refused"


@pytest.mark.nightly
@pytest.mark.server
@pytest.mark.parametrize("release", [PROVEN_RELEASES[1], PROVEN_RELEASES[-1]])
def test_formats_have_the_texts_that_the_server_accepts(release: str) -> None:
    limits: dict[str, list[Limit]] = defaultdict(list)
    for row in fact_rows():
        is_asked = row.found == "asked" and row.releases.includes(release)
        if row.name == "format" and is_asked:
            limits[row.value].append(Limit.of(row))
    wrong: list[str] = []
    with Validator(built_validator(release)) as validator:
        objects = stored_objects(load(release), validator, seed_objects())
        occurrences = Occurrences(load(release), objects)
        for name, of_format in limits.items():
            fields = [*_fields(of_format, occurrences)][:_FIELDS]
            assert fields, name
            wrong += _mistakes(name, validator, fields)
    assert not wrong, "\n".join(wrong)
