"""Values that cannot be changed, and equal parts of them that are one object."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubestencil.schema.frozen import frozen, frozen_once

SCALARS = st.none() | st.booleans() | st.integers(0, 2) | st.sampled_from(["", "a"])
VALUES = st.recursive(
    SCALARS | st.sampled_from([0.0, 1.0]),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from("abc"), inner),
)


def text(value: Any) -> str:
    """A value as JSON, which tells 1, 1.0 and true apart, as ``==`` does not."""
    return json.dumps(value)


def parts(value: Any) -> list[Any]:
    """The objects and arrays in a value, itself included."""
    if not isinstance(value, dict | list):
        return []
    inner = value.values() if isinstance(value, dict) else value
    return [value, *(part for child in inner for part in parts(child))]


@given(st.lists(VALUES))
def test_equal_parts_are_one_object_and_no_value_differs(values: list[Any]) -> None:
    before = copy.deepcopy(values)
    known: dict[tuple[object, ...], Any] = {}
    made = [frozen_once(value, known) for value in values]
    assert text(made) == text(before) == text(values)
    by_text: dict[str, set[int]] = {}
    for part in (part for value in made for part in parts(value)):
        by_text.setdefault(text(part), set()).add(id(part))
    assert all(len(objects) == 1 for objects in by_text.values())


@pytest.mark.parametrize("make", [frozen, lambda value: frozen_once(value, {})])
def test_no_part_can_be_changed(make: Any) -> None:
    value = make({"list": [{}], "object": {}})
    changes: list[Callable[[], object]] = [
        lambda: value.update(a=1),
        lambda: value["list"].append(1),
        lambda: value["list"][0].setdefault("a", 1),
        lambda: value["object"].clear(),
    ]
    for change in changes:
        with pytest.raises(TypeError, match="cannot be changed"):
            change()
    assert frozen(value) is value
