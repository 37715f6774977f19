"""Documents are generated in time that grows with the length of their texts, whatever
these are: twice the text, at most 2.5 times the time."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from kubestencil.engine import load_targets
from kubestencil.schema import Release
from tests.conftest import make_release
from tests.growth import assert_proportional, processor_time
from tests.strategies import generate_all_files
from tests.test_text_growth import NEAR_MISSES

pytestmark = pytest.mark.growth

# Texts of this length take a second where their square counts.
LENGTH = 10_000
TARGETS = {
    name: target
    for name, target in load_targets(None).items()
    if target.scope != "manifests"
}
_numbers = itertools.count()


def release(length: int, name: str) -> Release:
    """A release with texts that are about ``length`` characters long, and that no other
    release has: functions remember texts."""
    number = next(_numbers)
    texts = [
        f"{start}{unit * (length // len(unit))}{end} {number}"
        for start, unit, end in NEAR_MISSES
    ]
    fields: dict[str, Any] = {
        f"field{index}": {
            "type": "string",
            "description": text,
            "default": text,
            "enum": [text, "x"],
        }
        for index, text in enumerate(texts)
    }
    kind = {"group": "example.com", "version": "v1", "kind": "Thing"}
    release = make_release(
        {
            "com.example.v1.Thing": {
                "type": "object",
                "description": "\n".join(texts),
                "properties": fields,
                "x-kubernetes-group-version-kind": [kind],
            }
        }
    )
    return replace(release, name=name)


def generate(releases: Sequence[Release], name: str) -> None:
    deque(generate_all_files(releases, TARGETS[name]), maxlen=0)


@pytest.mark.parametrize("name", TARGETS)
def test_twice_the_text_takes_at_most_two_and_a_half_times_as_long(name: str) -> None:
    # The first time, templates are compiled.
    generate([release(1, name="1"), release(1, name="2")], name)

    def seconds(length: int) -> float:
        pair = [release(length, name="1"), release(length, name="2")]
        return processor_time(lambda: generate(pair, name))

    assert_proportional(seconds, LENGTH, short=0.3)
