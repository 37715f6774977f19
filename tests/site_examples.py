"""Generates the examples of the site, and compares the objects that they make in each
language."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import yaml

from kubestencil.data_files import data_file
from kubestencil.engine import Target, load_targets
from kubestencil.schema import Definition, Release
from kubestencil.targets.examples.trees import ExampleTrees
from kubestencil.targets.site.examples.kinds import Example, Examples
from tests import jsonnet_library
from tests.cargo import Cargo, write_crate, write_if_changed
from tests.packages import generate_package, import_package

SHAPES = ("starter", "all_fields")
TARGET = load_targets(None)["site"]


class PrintedExamples:
    """The examples of a release: ``code`` maps the name of a kind's definition and a
    shape to the code by language."""

    def __init__(self, spec: Release, target: Target, *names: str) -> None:
        self.release = spec
        examples = Examples(spec, target, names)
        self.kinds = {kind.name: kind for kind in examples.kinds}
        self.code = {
            (name, shape): {
                example.language: example.code
                for example in examples_of(examples, shape, kind)
            }
            for name, kind in self.kinds.items()
            for shape in SHAPES
        }

    def values(self) -> dict[tuple[str, str], Any]:
        """The values of the YAML examples."""
        return {
            key: yaml.load(code["yaml"], yaml.CSafeLoader)
            for key, code in self.code.items()
        }


def examples_of(
    examples: Examples, shape: str, definition: Definition
) -> tuple[Example, ...]:
    if shape == "starter":
        return examples.starter(definition)
    return examples.all_fields(definition)


def with_package(folder: Path, package: str) -> Target:
    """The target site, with a user's target ``python`` that has another package."""
    text = (data_file("templates") / "python" / "target.toml").read_text()
    default = 'package = "kubernetes_models"'
    assert default in text
    (folder / "python").mkdir(parents=True)
    (folder / "python" / "target.toml").write_text(
        text.replace(default, f'package = "{package}"')
    )
    return load_targets(folder)["site"]


def package_of(spec: Release) -> str:
    return f"examples_{spec.name.replace('.', '_')}"


def assert_yaml(generated: PrintedExamples) -> None:
    trees = ExampleTrees(generated.release)
    for (name, shape), value in generated.values().items():
        kind = generated.kinds[name]
        tree = trees.starter(kind) if shape == "starter" else trees.all_fields(kind)
        assert value == tree, (name, shape)


def assert_python(generated: PrintedExamples, folder: Path, package: str) -> None:
    """Check that the generated package loads the YAML, and the Python makes an equal
    object."""
    generate_package(generated.release, folder, package)
    module = import_package(folder, package)
    for (name, shape), value in generated.values().items():
        code, text = (
            generated.code[name, shape][language] for language in ("python", "yaml")
        )
        assert f"from {package} import " in code
        names: dict[str, Any] = {}
        exec(compile(code, "example", "exec"), names)
        instance = names["example"]
        assert instance.to_dict() == value, (name, shape)
        assert module.load(text, strict=True) == [instance]


def assert_typescript(generated: PrintedExamples) -> None:
    """Check that the literals of the TypeScript examples are the objects."""
    literals = [
        code["typescript"].partition(" = ")[2].rstrip(";\n")
        for code in generated.code.values()
        if "typescript" in code
    ]
    script = f"console.log(JSON.stringify([{','.join(literals)}]))"
    done = subprocess.run(
        ["node", "-"], input=script, text=True, capture_output=True, timeout=60
    )
    assert json.loads(done.stdout) == list(generated.values().values())


def assert_jsonnet(generated: PrintedExamples, folder: Path) -> set[str]:
    """Check the Jsonnet examples; returns the kinds that have none."""
    files = jsonnet_library.files(generated.release, "jsonnet", "default")
    main = json.dumps(str(jsonnet_library.write(folder, files)))
    values = generated.values()
    codes = {
        key: code["jsonnet"].replace("'main.libsonnet'", main)
        for key, code in generated.code.items()
        if "jsonnet" in code
    }
    array = ",".join(f"({code})" for code in codes.values())
    results = jsonnet_library.evaluate(f"[{array}]")
    for key, result in zip(codes, results, strict=True):
        assert result == values[key], key
    return {key[0] for key in values if key not in codes}


def compare_in_rust(
    generated: PrintedExamples, cargo: Cargo, name: str, timeout: int = 600
) -> None:
    """Compare the values of the examples with those that the crate reads from the YAML.

    They are not compared as JSON: the crate also writes optional fields.
    """
    # One folder, so that a second run has less to build.
    crate = write_crate(generated.release, cargo.build / f"{name}-crate", name=name)
    codes = [code["rust"] for code in generated.code.values()]
    codes = [code.replace("kubernetes_types", name) for code in codes]
    program = example_program(cargo.build / f"{name}-program", crate, name, codes)
    output = cargo(program, "build", "--quiet", timeout=timeout)
    assert "warning" not in output, output[:3000]
    done = subprocess.run(
        [str(cargo.build / "debug" / f"{name}-program")],
        input=json.dumps(list(generated.values().values())),
        text=True,
        capture_output=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr[:3000]
    assert done.stdout == f"{len(codes)} are equal\n"


def example_program(folder: Path, crate: Path, name: str, codes: list[str]) -> Path:
    """A program that compares each example with a JSON value."""
    numbers = range(len(codes))
    modules = "".join(f"mod e{number};\n" for number in numbers)
    checks = "".join(f"    check(&all[{n}], e{n}::example());\n" for n in numbers)
    main = _MAIN.replace("CHECKS", checks).replace("COUNT", str(len(codes)))
    write_if_changed(
        folder / "Cargo.toml",
        f'[package]\nname = "{name}-program"\nversion = "0.0.0"\nedition = "2021"\n'
        f"[dependencies]\n{name} = {{ path = {json.dumps(str(crate))} }}\n"
        'serde = "1"\nserde_json = "1"\n[profile.dev]\ndebug = false\n[workspace]\n',
    )
    write_if_changed(folder / "src" / "main.rs", modules + main)
    for number, code in enumerate(codes):
        write_if_changed(folder / "src" / f"e{number}.rs", code)
    return folder


_MAIN = """
use serde::de::DeserializeOwned;
use serde_json::Value;

fn check<T: DeserializeOwned + PartialEq + std::fmt::Debug>(expected: &Value, example: T) {
    let value: T = serde_json::from_value(expected.clone()).unwrap();
    assert_eq!(value, example, "{expected}");
}

fn main() {
    let all: Vec<Value> = serde_json::from_reader(std::io::stdin()).unwrap();
    assert_eq!(all.len(), COUNT);
CHECKS    println!("COUNT are equal");
}
"""
