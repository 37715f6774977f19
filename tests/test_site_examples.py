"""The examples of the site parse, import, compile and evaluate, and are the same object
in each language."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import black
import pytest

from kubestencil.targets.site.examples.kinds import Examples
from tests.cargo import Cargo
from tests.conftest import (
    FULL_RELEASES,
    RELEASES,
    SOME_RELEASES,
    full_specs,
    load,
    make_release,
    takes_minutes,
)
from tests.site_examples import (
    TARGET,
    PrintedExamples,
    assert_jsonnet,
    assert_python,
    assert_typescript,
    assert_yaml,
    compare_in_rust,
    package_of,
    with_package,
)
from tests.test_typescript import Compiler, generate_package


@pytest.fixture(scope="module", params=SOME_RELEASES)
def generated(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> PrintedExamples:
    spec = load(request.param, full_specs())
    folder = tmp_path_factory.mktemp("templates")
    return PrintedExamples(spec, with_package(folder, package_of(spec)))


@pytest.fixture(scope="module")
def latest() -> PrintedExamples:
    return PrintedExamples(load(FULL_RELEASES[-1], full_specs()), TARGET)


def test_yaml_has_the_value_of_the_tree(generated: PrintedExamples) -> None:
    assert len(generated.kinds) > 70
    assert_yaml(generated)


def test_python_makes_the_same_object(
    generated: PrintedExamples, tmp_path: Path
) -> None:
    assert_python(generated, tmp_path, package_of(generated.release))


@pytest.mark.nightly
def test_the_python_is_formatted_as_by_black(latest: PrintedExamples) -> None:
    for (name, shape), code in latest.code.items():
        if shape == "starter" or name.startswith("io.k8s.api.apps."):
            text = code["python"]
            assert black.format_str(text, mode=black.Mode()) == text


def test_jsonnet_evaluates_to_the_same_object(
    generated: PrintedExamples, tmp_path: Path
) -> None:
    pytest.importorskip("rjsonnet")
    missing = assert_jsonnet(generated, tmp_path)
    # The library has only the packages of io.k8s.api.
    assert not any(name.startswith("io.k8s.api.") for name in missing)


@takes_minutes
def test_rust_compiles_to_the_same_object(
    latest: PrintedExamples, cargo: Cargo
) -> None:
    compare_in_rust(latest, cargo, "written")


@pytest.mark.compiler("rustfmt")
def test_rust_without_long_lines_is_formatted_as_by_rustfmt(
    latest: PrintedExamples, tmp_path: Path
) -> None:
    for number, code in enumerate(latest.code.values()):
        if max(map(len, code["rust"].splitlines())) < 94:
            (tmp_path / f"{number}.rs").write_text(code["rust"])
    assert len(list(tmp_path.iterdir())) > len(latest.kinds)
    command = ["rustfmt", "--check", *map(str, tmp_path.iterdir())]
    done = subprocess.run(command, text=True, capture_output=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.compiler("tsc", "node")
def test_typescript_is_accepted_and_is_the_same_object(
    latest: PrintedExamples, tmp_path: Path
) -> None:
    compiler = Compiler(tmp_path, generate_package(latest.release))
    for number, code in enumerate(latest.code.values()):
        (tmp_path / f"example{number}.ts").write_text(code["typescript"])
    files = [path.name for path in tmp_path.glob("example*.ts")]
    assert len(files) == 2 * len(latest.kinds)
    assert compiler.run(*files) == ""
    assert_typescript(latest)


TEXT = {"type": "string"}


def definition(
    fields: Mapping[str, str], required: Sequence[str] = (), kind: str = ""
) -> dict[str, Any]:
    """A definition, of a kind if given. ``fields`` maps field names to the definitions
    that they refer to; those with an empty name are strings."""
    properties: dict[str, Any] = {
        field: {"$ref": f"#/definitions/{name}"} if name else TEXT
        for field, name in fields.items()
    }
    content: dict[str, Any] = {
        "type": "object",
        "properties": properties,
        "required": list(required),
    }
    if kind:
        properties.update(apiVersion=TEXT, kind=TEXT)
        content["x-kubernetes-group-version-kind"] = [
            {"group": "x", "version": "v1", "kind": kind}
        ]
    return content


def test_required_cycles_have_no_example() -> None:
    """An optional field with such a type is left out; an optional cycle ends."""
    spec = make_release(
        {
            "x.v1.Endless": definition({"a": "x.v1.Between"}, ["a"], "Endless"),
            "x.v1.Between": definition({"b": "x.v1.Endless"}, ["b"]),
            "x.v1.Fine": definition(
                {"other": "x.v1.Endless", "me": "x.v1.Fine"}, (), "Fine"
            ),
        }
    )
    generated = PrintedExamples(spec, TARGET)
    assert list(generated.kinds) == ["x.v1.Fine"]
    assert generated.values()["x.v1.Fine", "all_fields"] == {
        "apiVersion": "x/v1",
        "kind": "Fine",
        "me": {"apiVersion": "x/v1", "kind": "Fine"},
    }


def test_values_of_exponential_size_are_left_out() -> None:
    """Thirty definitions that each require the next one twice: a billion values."""
    doubling = {
        f"x.v1.D{n}": definition(dict.fromkeys("ab", f"x.v1.D{n + 1}"), ["a", "b"])
        for n in range(30)
    }
    spec = make_release(
        {
            "x.v1.Top": definition({"small": "", "large": "x.v1.D0"}, (), "Top"),
            "x.v1.D30": definition({"a": ""}, ["a"]),
            **doubling,
        }
    )
    value = PrintedExamples(spec, TARGET).values()["x.v1.Top", "all_fields"]
    assert value.keys() == {"apiVersion", "kind", "small"}


def test_examples_of_excessive_size_are_left_out() -> None:
    """A thousand fields of a type with hundreds of fields."""
    parts = [f"part{number}" for number in range(400)]
    wide = dict.fromkeys((f"field{number}" for number in range(1000)), "x.v1.Large")
    spec = make_release(
        {
            "x.v1.Wide": definition(wide, (), "Wide"),
            "x.v1.Large": definition(dict.fromkeys(parts, ""), parts),
        }
    )
    examples = Examples(spec, TARGET)
    (kind,) = examples.kinds
    assert examples.starter(kind) and not examples.all_fields(kind)


def test_a_starter_has_the_fields_that_people_set() -> None:
    spec = load(RELEASES[-1])
    examples = Examples(spec, TARGET)
    config_map = examples.starter(spec.definitions["io.k8s.api.core.v1.ConfigMap"])
    titles = [example.title for example in config_map]
    assert titles == ["YAML", "Python", "Jsonnet", "Rust", "TypeScript"]
    assert config_map[0].code == """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: web-config
data:
  LOG_LEVEL: info
  config.yaml: |
    listen: 8080
    timeout: 30s
"""


@pytest.mark.parametrize(
    ("kind", "prefix"),
    [
        ("Namespace", "k.core.v1.namespace.new('team-a')"),
        # In the overlay new has other parameters.
        ("Secret", "{ apiVersion: 'v1', kind: 'Secret' }"),
    ],
)
def test_jsonnet_calls_new_only_where_it_is_generated(kind: str, prefix: str) -> None:
    spec = load(RELEASES[-1])
    examples = Examples(spec, TARGET).starter(
        spec.definitions[f"io.k8s.api.core.v1.{kind}"]
    )
    code = {example.language: example.code for example in examples}["jsonnet"]
    assert code.partition("\n\n")[2].startswith(prefix)


def test_all_fields_but_those_that_only_the_server_sets(
    latest: PrintedExamples,
) -> None:
    for (name, shape), value in latest.values().items():
        fields = latest.kinds[name].fields
        required = {field.name for field in fields if field.required}
        server_fields = {"status"} - required
        if shape == "all_fields":
            assert value.keys() == {field.name for field in fields} - server_fields
            metadata = value.get("metadata", {})
            assert metadata.keys().isdisjoint(
                ("managedFields", "uid", "resourceVersion", "creationTimestamp")
            )
