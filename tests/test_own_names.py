"""Fields may be called as anything that generated code uses itself: words of the templates
and of the files that are copied, reserved words, in each spelling. What is generated compiles
and keeps objects as they are, in every language."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from kubestencil.engine import load_targets
from kubestencil.schema import Release
from kubestencil.targets.languages.python.spelling import read_spelling
from kubestencil.targets.python import modules
from kubestencil.text import casing
from kubestencil.text.languages import RESERVED
from tests.cargo import Cargo, write_crate
from tests.conftest import ROOT, make_release, rest_nightly
from tests.jsonnet_library import all_calls, files, library_of, results
from tests.jsonnet_library import write as write_library
from tests.language_trips import ROUND_TRIPS, round_trips
from tests.packages import check_round_trips, generate_package

_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_SPELLINGS = (str, casing.camel, casing.pascal, casing.snake, casing.constant)
_FIELDS = 60
_TEXT = {"type": "string"}
#: The types of fields, each with a value.
_TYPES: list[tuple[Any, Any]] = [
    ({"type": "string", "maxLength": 9}, "a"),
    ({"type": "string", "enum": ["a", "b"]}, "a"),
    ({"type": "integer", "minimum": 1}, 1),
    ({"type": "boolean"}, True),
    ({"type": "array", "maxItems": 2, "items": _TEXT}, ["a"]),
    ({"type": "object", "additionalProperties": {"type": "integer"}}, {"a": 1}),
    ({"type": "object", "properties": {"a": _TEXT}}, {"a": "b"}),
    ({"x-kubernetes-preserve-unknown-fields": True}, {"a": [1]}),
    ({"x-kubernetes-int-or-string": True}, 1),
]


@cache
def own_names(target: str) -> tuple[str, ...]:
    """What fields are called: the words of a target in each spelling."""
    texts = [
        path.read_text()
        for folder in (target, load_targets(None)[target].extends)
        if folder
        for path in (ROOT / "templates" / folder).rglob("*")
        if path.is_file() and path.suffix in (".j2", ".go", ".py", ".rs", ".js", ".ts")
    ]
    texts += [
        *load_targets(None)[target].types.values(),
        *map(" ".join, RESERVED.values()),
    ]
    words = sorted(set(_WORD.findall("\n".join(texts))))
    names = dict.fromkeys(spell(word) for word in words for spell in _SPELLINGS)
    names.pop("", None)
    return tuple(names)


def _kinds(target: str, every: int) -> Iterator[tuple[str, Any, Any]]:
    """Kinds with fields called as every so many of these names, each with a value for its
    spec. All of them have each type, a sample one."""
    names = own_names(target)[::every]
    for shift in range(len(_TYPES) if every == 1 else 1):
        for start in range(0, len(names), _FIELDS):
            chosen = [
                (name, _TYPES[(index + shift) % len(_TYPES)])
                for index, name in enumerate(names[start : start + _FIELDS])
            ]
            yield (
                f"Foo{every}s{shift}n{start}",
                {name: schema for name, (schema, _) in chosen},
                {name: value for name, (_, value) in chosen},
            )


@cache
def own_release(target: str, every: int) -> Release:
    """A release with these kinds."""
    definitions = {}
    for kind, fields, _ in _kinds(target, every):
        served = {"group": "example.com", "version": "v1", "kind": kind}
        definitions[f"com.example.v1.{kind}"] = {
            "type": "object",
            "x-kubernetes-group-version-kind": [served],
            "properties": {
                "apiVersion": _TEXT,
                "kind": _TEXT,
                "spec": {"type": "object", "properties": fields},
            },
        }
    return make_release(definitions)


def own_objects(target: str, every: int) -> list[Any]:
    """An object of each kind."""
    return [
        {"apiVersion": "example.com/v1", "kind": kind, "spec": value}
        for kind, _, value in _kinds(target, every)
    ]


#: Every twentieth name in each run, all of them nightly.
_EVERY = rest_nightly((20, 1))


@pytest.mark.parametrize("every", _EVERY)
@pytest.mark.parametrize(
    "target",
    round_trips(*(ROUND_TRIPS.keys() - {"python", "jsonnet", "rust", "jsonschema"})),
)
def test_objects_with_fields_called_as_names_of_a_target_are_kept(
    target: str, every: int, tmp_path: Path
) -> None:
    round_trip, _ = ROUND_TRIPS[target]
    objects = own_objects(target, every)
    assert round_trip(own_release(target, every), tmp_path, objects) == objects


@pytest.mark.parametrize("every", _EVERY)
def test_python_classes_with_fields_called_as_names_of_the_package_are_usable(
    every: int, tmp_path: Path
) -> None:
    release = own_release("python", every)
    check_round_trips(generate_package(release, tmp_path, "hostile"))


@pytest.mark.parametrize("every", _EVERY)
def test_jsonnet_sets_fields_called_as_names_of_the_library(
    every: int, tmp_path: Path
) -> None:
    release = own_release("jsonnet", every)
    main = write_library(tmp_path, files(release, "jsonnet"))
    calls = all_calls(library_of(release))
    values = results(main, [expression for expression, _ in calls])
    assert values == [value for _, value in calls]


@pytest.mark.nightly
@pytest.mark.compiler("cargo")
def test_rust_structs_with_fields_called_as_names_of_the_crate_compile(
    cargo: Cargo, tmp_path: Path
) -> None:
    cargo(write_crate(own_release("rust", 1), tmp_path), "check")


def test_python_reserves_what_classes_have_and_modules_import() -> None:
    spelling = read_spelling(load_targets(None)["python"])
    imported = modules._TYPING_NAMES | modules._CUSTOM_NAMES | modules._BASE_NAMES
    classes = {name for name in imported if not name.islower()}
    assert classes <= spelling.reserved_classes
    for name in ("_base", "_custom"):
        path = ROOT / f"templates/python/kubernetes_models/{name}.py"
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef) and node.name.endswith("Model"):
                public = {
                    member.name
                    for member in node.body
                    if isinstance(member, ast.FunctionDef) and member.name[0] != "_"
                }
                assert public <= spelling.reserved, node.name
