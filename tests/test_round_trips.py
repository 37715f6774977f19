"""Every language writes objects as it read them, and what checks objects accepts them:
those of ``tests/structural_shapes.py``, and examples of all built-in kinds. Rust, whose
optional fields have no null, is in tests/test_rust_custom_crate.py."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from unicodedata import normalize

import pytest

from tests.cluster import load_crds
from tests.conftest import load
from tests.examples import examples
from tests.language_trips import ROUND_TRIPS, assert_kept, round_trips
from tests.languages import kinds
from tests.manifests import manifests
from tests.structural_shapes import crd, objects


def differences(written: Any, value: Any, path: str = "") -> list[str]:
    """The places where what is written is not what was read."""
    if isinstance(written, dict) and isinstance(value, dict):
        return [
            line
            for key in dict.fromkeys([*value, *written])
            for line in (
                [f"{path}/{key} is missing: {value[key]!r}"]
                if key not in written
                else (
                    [f"{path}/{key} is new: {written[key]!r}"]
                    if key not in value
                    else differences(written[key], value[key], f"{path}/{key}")
                )
            )
        ]
    if isinstance(written, list) and isinstance(value, list):
        if len(written) != len(value):
            return [f"{path}: {len(written)} items of {len(value)}"]
        pairs = enumerate(zip(written, value, strict=True))
        return [
            line
            for index, (item, other) in pairs
            for line in differences(item, other, f"{path}/{index}")
        ]
    is_same = written == value and isinstance(written, bool) == isinstance(value, bool)
    return [] if is_same else [f"{path}: {written!r} of {value!r}"]


def _without_null(fields: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if value is not None}


def _normalized(fields: dict[str, Any]) -> dict[str, Any]:
    return {normalize("NFC", name): value for name, value in fields.items()}


def _without_proto(fields: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if key != "__proto__"}


# What a language makes of the fields of an object: null is absent in Pkl, CUE normalizes
# names, two of which become one, and Zod never keeps __proto__.
_CHANGES: Mapping[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "cue": _normalized,
    "pkl": _without_null,
    "zod": _without_proto,
}
_HAS_DOUBLES_ONLY = ("jsonnet", "zod")
_NIGHTLY = ("java", "pydantic", "python-dicts", "zod")


@pytest.mark.parametrize(
    "target",
    [
        *round_trips(*(ROUND_TRIPS.keys() - {"rust", *_NIGHTLY})),
        *round_trips(*_NIGHTLY, marks=[pytest.mark.nightly]),
    ],
)
def test_objects_of_every_shape_are_kept(target: str, tmp_path: Path) -> None:
    round_trip, _ = ROUND_TRIPS[target]

    def changed(values: list[Any]) -> list[Any]:
        result: list[Any] = json.loads(
            json.dumps(values),
            parse_int=float if target in _HAS_DOUBLES_ONLY else None,
            object_hook=_CHANGES.get(target),
        )
        return result

    values = list(objects())
    read = changed(values) if target == "cue" else values
    written = round_trip(load_crds(crd()), tmp_path, read)
    assert differences(changed(written), changed(values)) == []


@pytest.mark.nightly
@pytest.mark.parametrize("target", round_trips("cue", "java", "kcl", "pkl", "pydantic"))
def test_manifests_of_built_in_kinds_are_kept(target: str, tmp_path: Path) -> None:
    """And examples with all fields, where any value is of the type of a field."""
    release = load("1.35")
    shown = (
        []
        if target in ("cue", "pydantic")
        else examples(release, "all_fields").values()
    )
    values = [
        # Times are texts in JSON.
        json.loads(json.dumps(value, default=str))
        for value in [*manifests(), *shown]
        if (value["apiVersion"], value["kind"]) in kinds(release)
    ]
    assert_kept(target, release, tmp_path, values)
