"""The examples of the site parse, import, compile and evaluate, and are the same object
in each language."""

from __future__ import annotations

import itertools
import json
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import black
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from kubestencil.data_files import data_file
from kubestencil.engine import Target, load_targets
from kubestencil.schema import Definition, Release
from kubestencil.targets.examples.nodes import Object, to_json
from kubestencil.targets.examples.trees import ExampleTrees
from kubestencil.targets.site.examples import Example, Examples
from tests import jsonnet_library
from tests.cargo import Cargo, write_crate, write_if_changed
from tests.conftest import RELEASES, full_specs, load, make_release
from tests.packages import generate_package, import_package

SHAPES = ("required", "all_fields")
TARGET = load_targets(None)["site"]


class PrintedExamples:
    """The examples of a release: ``code`` maps the name of a kind's definition and a
    shape to the code by language."""

    def __init__(self, spec: Release, target: Target, *names: str) -> None:
        self.release = spec
        examples = Examples(spec, target)
        kinds = [spec.definitions[name] for name in names] or examples.kinds
        self.kinds = {kind.name: kind for kind in kinds}
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
    if shape == "required":
        return examples.required(definition)
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


@pytest.fixture(scope="module", params=RELEASES)
def generated(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> PrintedExamples:
    spec = load(request.param, full_specs())
    folder = tmp_path_factory.mktemp("templates")
    return PrintedExamples(spec, with_package(folder, package_of(spec)))


@pytest.fixture(scope="module")
def latest() -> PrintedExamples:
    return PrintedExamples(load(RELEASES[-1], full_specs()), TARGET)


def test_yaml_has_the_value_of_the_tree(generated: PrintedExamples) -> None:
    assert len(generated.kinds) > 70
    assert_yaml(generated)


def assert_yaml(generated: PrintedExamples) -> None:
    trees = ExampleTrees(generated.release)
    for (name, shape), value in generated.values().items():
        kind = generated.kinds[name]
        tree = trees.required(kind) if shape == "required" else trees.all_fields(kind)
        assert isinstance(tree, Object)
        assert value == to_json(tree), (name, shape)


def test_python_makes_the_same_object(
    generated: PrintedExamples, tmp_path: Path
) -> None:
    assert_python(generated, tmp_path, package_of(generated.release))


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


def test_the_python_is_formatted_as_by_black(latest: PrintedExamples) -> None:
    for (name, shape), code in latest.code.items():
        if shape == "required" or name.startswith("io.k8s.api.apps."):
            text = code["python"]
            assert black.format_str(text, mode=black.Mode()) == text


def test_jsonnet_evaluates_to_the_same_object(
    generated: PrintedExamples, tmp_path: Path
) -> None:
    pytest.importorskip("rjsonnet")
    missing = assert_jsonnet(generated, tmp_path)
    # The library has only the packages of io.k8s.api.
    assert not any(name.startswith("io.k8s.api.") for name in missing)


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


def test_rust_compiles_to_the_same_object(
    latest: PrintedExamples, cargo: Cargo
) -> None:
    compare_in_rust(latest, cargo, "written")


def compare_in_rust(generated: PrintedExamples, cargo: Cargo, name: str) -> None:
    """Compare the values of the examples with those that the crate reads from the YAML.

    They are not compared as JSON: the crate also writes optional fields.
    """
    # One folder, so that a second run has less to build.
    crate = write_crate(generated.release, cargo.build / f"{name}-crate", name=name)
    codes = [code["rust"] for code in generated.code.values()]
    codes = [code.replace("kubernetes_types", name) for code in codes]
    program = example_program(cargo.build / f"{name}-program", crate, name, codes)
    output = cargo(program, "build", "--quiet")
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


@pytest.mark.skipif(shutil.which("rustfmt") is None, reason="rustfmt is missing")
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


# Texts that end a literal, or have a special meaning, in one of the languages.
NASTY = [
    '"', "'", "\\", '"""', "'''", "\n", "\r", "\t", "\0", "\x7f", "\x85", "\u2028",
    "\u2029", "\u202e", "\ufeff", "\ufffe", "\U0001f642", "é", "|||", "/*", "*/", "//",
    "#", '"#', 'r#"', "${x}", "$(x)", "{x}", "{{ x }}", "{% x %}", "%s", "\\u0041", "\\x41",
    ": ", " #", "- ", "? ", "&a", "*a", "!!int ", "<<", "=", "~", ",", "[", "]", "{", "}",
    " ", "a", "</script>", "import os", "std", "self", "word " * 30,
]  # fmt: skip
WORDS = [
    "on", "off", "yes", "NO", "y", "null", "Null", "true", "False", "1", "0x1f", "1e3",
    "1_000", ".inf", ".nan", "+1", "-1", "0o7", "2001-01-01", "12:30:45", "=", "<<", "~",
    "", "---", "...", "local", "error", "type", "class", "None", "x" * 1100,
]  # fmt: skip
TEXTS = st.one_of(
    st.sampled_from(WORDS), st.lists(st.sampled_from(NASTY), max_size=4).map("".join)
)
# The Python package refuses field names with other characters.
ATTRIBUTES = TEXTS.filter(lambda name: not re.search(r'[\\"\x00-\x1f]', name))
NUMBERS = st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False))
PART, THING = "io.k8s.api.x.v1.Part", "io.k8s.api.x.v1.Thing"
TEXT = {"type": "string"}
SCALARS = st.one_of(
    st.builds(lambda text: {"type": "string", "default": text}, TEXTS),
    st.builds(lambda text: {"type": "string", "enum": [text]}, TEXTS),
    st.builds(lambda number: {"type": "number", "default": number}, NUMBERS),
    st.builds(lambda number: {"type": "integer", "default": number}, NUMBERS),
    st.builds(lambda number: {"type": "boolean", "default": number}, NUMBERS),
    st.builds(lambda text: {"type": "object", "default": text}, TEXTS),
    st.just({"$ref": f"#/definitions/{PART}"}),
    st.just({"$ref": f"#/definitions/{THING}"}),
    st.just({"type": "object", "properties": {"*/ \u2028": {"type": "integer"}}}),
    st.just({"type": "string", "format": "date-time"}),
    st.just({}),
)
SCHEMAS = st.one_of(
    SCALARS,
    st.builds(lambda inner: {"type": "array", "items": inner}, SCALARS),
    st.builds(lambda inner: {"type": "object", "additionalProperties": inner}, SCALARS),
)


def hostile(
    fields: Mapping[str, Any], group: str = "", kind: str = "Thing", required: int = 0
) -> Release:
    """A release with a kind and a supporting type that both have these fields."""
    kind_keys = {"group": group, "version": "v1", "kind": kind}
    type_meta = {"apiVersion": TEXT, "kind": TEXT}
    part = {"part": {"$ref": f"#/definitions/{PART}"}}
    return make_release(
        {
            THING: {
                "type": "object",
                "properties": {**fields, **type_meta, **part},
                "required": list(fields)[:required],
                "x-kubernetes-group-version-kind": [kind_keys],
            },
            PART: {"type": "object", "properties": fields},
        }
    )


@settings(max_examples=30)
@given(st.dictionaries(TEXTS, SCHEMAS, max_size=4), TEXTS, TEXTS)
def test_hostile_text_is_quoted_in_yaml_and_jsonnet(
    fields: dict[str, Any], group: str, kind: str
) -> None:
    """Both allow any text as a field name."""
    pytest.importorskip("rjsonnet")
    generated = PrintedExamples(hostile(fields, group, kind), TARGET, THING)
    assert_yaml(generated)
    if any("jsonnet" in code for code in generated.code.values()):
        with TemporaryDirectory() as folder:
            assert_jsonnet(generated, Path(folder))


_NUMBERS = itertools.count()


@settings(max_examples=20)
@given(st.dictionaries(ATTRIBUTES, SCHEMAS, max_size=4), TEXTS, TEXTS)
def test_hostile_text_is_quoted_in_python(
    fields: dict[str, Any], group: str, kind: str
) -> None:
    package = f"hostile_{next(_NUMBERS)}"
    with TemporaryDirectory() as folder:
        target = with_package(Path(folder) / "templates", package)
        generated = PrintedExamples(hostile(fields, group, kind), target, THING)
        if all("python" in code for code in generated.code.values()):
            assert_python(generated, Path(folder), package)
            for code in generated.code.values():
                text = code["python"]
                assert black.format_str(text, mode=black.Mode()) == text


def test_hostile_text_is_quoted_in_rust(cargo: Cargo) -> None:
    texts: dict[str, Any] = {
        f"{number} {name}": {"type": "string", "default": name}
        for number, name in enumerate([*WORDS, *NASTY])
    }
    others = {
        "nested": {"type": "object", "properties": {'"#\n*/': {"type": "boolean"}}},
        "float": {"type": "number", "default": 1e300},
        "int": {"type": "integer", "format": "int32", "default": 1 - 2**31},
        "large": {"type": "integer", "default": 2**60},
        "when": {"type": "string", "format": "date-time"},
        "bytes": {"type": "string", "format": "byte"},
        "anything": {},
        "maps": {
            "type": "object",
            "additionalProperties": {
                "type": "array",
                "items": {"$ref": f"#/definitions/{THING}"},
            },
        },
    }
    spec = hostile({**texts, **others}, '"#\n', "*/", required=40)
    compare_in_rust(PrintedExamples(spec, TARGET, THING), cargo, "hostile")


def definition(
    fields: Mapping[str, str], required: Sequence[str] = (), kind: str = ""
) -> dict[str, Any]:
    """A definition, of a kind if given. ``fields`` maps field names to the definitions
    that they refer to; those with an empty name are strings."""
    properties: dict[str, Any] = {
        field: {"$ref": f"#/definitions/{name}"} if name else TEXT
        for field, name in fields.items()
    }
    content = {"type": "object", "properties": properties, "required": list(required)}
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
    assert examples.required(kind) and not examples.all_fields(kind)


def test_a_language_that_cannot_be_generated_is_left_out() -> None:
    """A quote in the name of a field is an error in Python only (msgspec)."""
    generated = PrintedExamples(hostile({'a"b': TEXT}), TARGET)
    for code in generated.code.values():
        assert list(code) == ["yaml", "jsonnet", "rust"]


def test_a_deployment_has_its_required_fields_and_spec() -> None:
    """The document does not require the spec, without which no Deployment works."""
    spec = load(RELEASES[-1])
    examples = Examples(spec, TARGET)
    deployment = examples.required(spec.definitions["io.k8s.api.apps.v1.Deployment"])
    titles = [example.title for example in deployment]
    assert titles == ["YAML", "Python", "Jsonnet", "Rust"]
    assert deployment[0].code == """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: example
spec:
  selector: {}
  template:
    spec:
      containers:
      - name: string
"""


@pytest.mark.parametrize(
    ("kind", "prefix"),
    [
        ("Namespace", "k.core.v1.namespace.new('example')"),
        # In the overlay new has other parameters.
        ("Secret", "{ apiVersion: 'v1', kind: 'Secret' }"),
    ],
)
def test_jsonnet_calls_new_only_where_it_is_generated(kind: str, prefix: str) -> None:
    spec = load(RELEASES[-1])
    examples = Examples(spec, TARGET).required(
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
            assert "managedFields" not in value.get("metadata", {})
