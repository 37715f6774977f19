"""TypeScript types of custom resources, as TypeScript's compiler reads them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kubestencil.schema.kinds import kind_definitions
from kubestencil.targets.examples.trees import ExampleTrees
from tests.cluster import load_crds, stored_crds
from tests.test_crd_examples import SHAPES, example, small_release, widget
from tests.test_typescript import Compiler, generate_package

TEXT = {"type": "string"}
SPEC = {
    "type": "object",
    "properties": {
        "mode": {**TEXT, "enum": ["Fast", "Slow"], "default": "Fast"},
        "level": {
            "type": "integer",
            "enum": [1, 2, None],
            "nullable": True,
            "description": "How much.",
            "default": 1,
        },
        "share": {"x-kubernetes-int-or-string": True},
        "labels": {
            "type": "object",
            "additionalProperties": {**TEXT, "nullable": True},
        },
        "any": {
            "type": "object",
            "x-kubernetes-preserve-unknown-fields": True,
            "properties": {"a": TEXT},
        },
        "either": {
            "type": "object",
            "oneOf": [{"required": ["a"]}, {"required": ["b-c"]}],
            "properties": {"a": {**TEXT, "nullable": True}, "b-c": TEXT, "d": TEXT},
        },
        "atMost": {
            "type": "object",
            "oneOf": [
                {"not": {"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}},
                {"required": ["a"]},
                {"required": ["b"]},
            ],
            "properties": {"a": TEXT, "b": TEXT},
        },
        "some": {
            "type": "object",
            "anyOf": [{"required": ["a"]}, {"required": ["b", "c"]}],
            "properties": {"a": TEXT, "b": TEXT, "c": TEXT},
        },
        # Conditions on fields that are not there are left to the API server.
        "other": {
            "type": "object",
            "oneOf": [{"required": ["x"]}, {"required": ["y"]}],
            "properties": {"a": TEXT},
        },
    },
}
PROGRAM = """
import type { WidgetSpec } from "kubernetes-api-types/example.com/v1";
export const spec: WidgetSpec = %s;
"""


@pytest.fixture(scope="module")
def package() -> dict[str, str]:
    return generate_package(small_release(widget(SPEC)))


@pytest.mark.compiler("tsc")
@pytest.mark.parametrize(
    "spec",
    [
        {"mode": "Slow", "level": None, "share": "5%"},
        {"level": 2, "share": 5, "labels": {"a": None, "b": "c"}},
        {"any": {"a": "b", "z": [1]}},
        {"either": {"a": None, "d": "e"}},
        {"either": {"b-c": "d"}},
        {"atMost": {}},
        {"atMost": {"b": "c"}},
        {"some": {"a": "b", "b": "c"}},
        {"some": {"b": "b", "c": "c"}},
        {"other": {"a": "b"}},
    ],
)
def test_what_the_schema_allows_is_accepted(
    tmp_path: Path, package: dict[str, str], spec: dict[str, Any]
) -> None:
    assert Compiler(tmp_path, package).errors(PROGRAM % json.dumps(spec)) == ""


@pytest.mark.compiler("tsc")
@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({"mode": "fast"}, 'not assignable to type \'"Fast" | "Slow" | undefined\''),
        ({"mode": None}, "'null' is not assignable"),
        ({"level": 3}, "'3' is not assignable to type '1 | 2 | null | undefined'"),
        ({"share": True}, "'true' is not assignable to type 'string | number"),
        ({"labels": {"a": 1}}, "'number' is not assignable to type 'string'"),
        ({"any": {"a": 1}}, "'number' is not assignable to type 'string'"),
        ({"either": {}}, "'{}' is not assignable"),
        ({"either": {"a": "x", "b-c": "d"}}, "not assignable"),
        ({"atMost": {"a": "x", "b": "y"}}, "not assignable"),
        ({"some": {"b": "x"}}, "not assignable"),
    ],
)
def test_what_the_schema_does_not_allow_is_refused(
    tmp_path: Path, package: dict[str, str], spec: dict[str, Any], message: str
) -> None:
    assert message in Compiler(tmp_path, package).errors(PROGRAM % json.dumps(spec))


def test_defaults_are_in_the_comments(package: dict[str, str]) -> None:
    module = package["example.com/v1.d.ts"]
    assert '  /** @default "Fast" */\n  mode?: "Fast" | "Slow";\n' in module
    assert "   * How much.\n   *\n   * @default 1\n" in module
    # Those of Kubernetes' own types say little: they are those of Go's types.
    assert "@default" not in package["meta/v1.d.ts"]


@pytest.mark.compiler("tsc")
def test_a_hostile_default_stays_in_its_comment(tmp_path: Path) -> None:
    default = "*/ export const pwned = 1; /*\n\u2028 ${x} @deprecated"
    schema = {"type": "object", "properties": {"a": {**TEXT, "default": default}}}
    package = generate_package(small_release(widget(schema)))
    program = (
        'import * as all from "kubernetes-api-types/example.com/v1";\n'
        "export const a: all.WidgetSpec = {}; export const b = all.pwned;\n"
    )
    assert "'pwned' does not exist" in Compiler(tmp_path, package).errors(program)


@pytest.mark.nightly
@pytest.mark.compiler("tsc")
def test_the_examples_of_real_crds_are_accepted(tmp_path: Path) -> None:
    """The types of 127 CRDs that an API server accepted, and an object of each kind."""
    release = load_crds(*stored_crds())
    package = generate_package(release)
    compiler = Compiler(tmp_path, package)
    trees = ExampleTrees(release)
    imports, constants = [], []
    for number, (name, kind) in enumerate(kind_definitions(release).items()):
        module = f"kubernetes-api-types/{kind.group}/{kind.version}"
        imports.append(f"import type * as m{number} from {json.dumps(module)};\n")
        for shape in SHAPES:
            value = json.dumps(example(trees, shape, release.definitions[name]))
            constants.append(
                f"export const {shape}{number}: m{number}.{kind.kind} = {value};\n"
            )
    assert len(constants) == 356
    modules = [str(path) for path in compiler.package.rglob("*.d.ts")]
    assert compiler.run("--skipLibCheck", "false", *modules) == ""
    assert compiler.errors("".join(imports + constants)) == ""
