"""Comparisons take time in proportion to what they compare: twice as much, at most three
times the time (it would be four with each part compared with each other)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from kubestencil.diff import compare
from kubestencil.schema import Release
from tests.cluster import load_crds
from tests.growth import assert_proportional, processor_time
from tests.test_crd_examples import widget

Pair = tuple[Release, Release]


def release(*versions: str, fields: list[str]) -> Release:
    """A release with versions of one kind, which have the fields."""
    spec = {name: {"type": "string"} for name in fields}
    crd: Any = widget({"type": "object", "properties": spec})
    first = crd["spec"]["versions"][0]
    crd["spec"]["versions"] = [
        {**first, "name": name, "storage": name == versions[0]} for name in versions
    ]
    return load_crds(crd)


def replaced_fields(count: int) -> Pair:
    """All fields of a kind are removed, and as many added."""
    old, new = ([f"{letter}{index}" for index in range(count)] for letter in "ab")
    return release("v1", fields=old), release("v1", fields=new)


def removed_versions(count: int) -> Pair:
    """Half of the versions of a kind are removed."""
    names = [f"v{index + 1}" for index in range(count // 4)]
    return release(*names, fields=["a"]), release(
        *names[: len(names) // 2], fields=["a"]
    )


@pytest.mark.growth
@pytest.mark.parametrize("make", [replaced_fields, removed_versions])
def test_twice_the_changes_take_at_most_three_times_as_long(
    make: Callable[[int], Pair],
) -> None:
    def seconds(count: int) -> float:
        pair = make(count)
        return processor_time(lambda: compare(*pair))

    assert_proportional(seconds, 1_000, limit=3)
