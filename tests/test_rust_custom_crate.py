"""The crate of custom kinds compiles without warnings, and reads and writes objects
without a loss."""

from __future__ import annotations

import copy
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from kubestencil.schema import Release
from tests.cargo import Cargo, write_crate, write_if_changed
from tests.cluster import load_crds, stored_crds
from tests.conftest import takes_minutes
from tests.rust_crds import (
    GADGET,
    GADGET_OBJECT,
    array,
    crd,
    enum,
    struct,
)
from tests.site_examples import TARGET, PrintedExamples, compare_in_rust
from tests.test_rust_crate import HOSTILE_TEXT, check_without_warnings

pytestmark = pytest.mark.compiler("cargo")

TEXT = {"type": "string", "description": HOSTILE_TEXT}
FIELDS = [
    "self", "Self", "crate", "type", "fn", "async", "gen", "key", "map", "name", "out",
    "other", "value", "1st", "a-b", "a_b", "aB", "", "_", "-", "$ref", "ü", "\u202e",
    'a"b', "\\", "{{x}}", "unknown_fields", "apiVersion", "x" * 300,
]  # fmt: skip
VALUES = [
    "self",
    "Self",
    "",
    "-",
    "_",
    "1",
    "!",
    'a"b',
    "\\",
    "{{x}}",
    "\u202e",
    "Other",
]
SPEC = struct(
    *FIELDS[::2],
    **dict.fromkeys(FIELDS, TEXT),
    enums=array(enum(*VALUES, description=HOSTILE_TEXT)),
)
# Names of what the templates and the macros use.
KINDS = ["Key", "Whole", "Option", "Result", "Vec", "String", "Box", "From", "Default"]
CRDS = [
    GADGET,
    crd("Schemaless"),
    *(crd(kind, spec=SPEC) for kind in KINDS),
    *(
        crd(kind, group="open.example.com", spec=SPEC | {"description": HOSTILE_TEXT})
        for kind in ("Key", "Whole")
    ),
]
for _definition in CRDS[-2:]:
    _schema = _definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    _schema["x-kubernetes-preserve-unknown-fields"] = True

ROUND_TRIP = """
use custom::api::example_com::v1::{HttpGadget, HttpGadgetMode};
use custom::DeepMerge;
use std::io::BufRead;

fn written<T: serde::Serialize + serde::de::DeserializeOwned>(text: &str) -> String {
    match serde_json::from_str::<T>(text) {
        Ok(object) => serde_json::to_string(&object).unwrap(),
        Err(error) => serde_json::to_string(&error.to_string()).unwrap(),
    }
}

/// The object, merged with the one in its field `other`.
fn merged(text: &str) -> String {
    let mut value: serde_json::Value = serde_json::from_str(text).unwrap();
    let other = serde_json::from_value(value["other"].take()).unwrap();
    let mut object: HttpGadget = serde_json::from_value(value).unwrap();
    object.merge_from(other);
    serde_json::to_string(&object).unwrap()
}

fn main() {
    assert_eq!(HttpGadgetMode::from("b-c"), HttpGadgetMode::BC);
    assert_eq!(HttpGadgetMode::from("new".to_owned()).to_string(), "new");
    assert_eq!(HttpGadgetMode::default(), HttpGadgetMode::KopiumEmpty);
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let (name, text) = line.split_once('\\t').unwrap();
        println!("{}", match name {
ARMS            "merge" => merged(text),
            _ => panic!("{name}"),
        });
    }
}
"""


@pytest.fixture(scope="module")
def release() -> Release:
    return load_crds(*CRDS)


@pytest.fixture(scope="module")
def crate(release: Release, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_crate(release, tmp_path_factory.mktemp("crate"), name="custom")


@pytest.mark.nightly
def test_the_compiler_clippy_and_rustdoc_do_not_warn(cargo: Cargo, crate: Path) -> None:
    check_without_warnings(cargo, crate)


@pytest.mark.compiler("rustfmt")
def test_rustfmt_changes_nothing(crate: Path) -> None:
    command = ["rustfmt", "--edition", "2021", "--check", str(crate / "src" / "lib.rs")]
    completed = subprocess.run(command, text=True, capture_output=True, timeout=120)
    assert (completed.returncode, completed.stdout) == (0, "")


class RoundTrip:
    """A program that reads and writes objects with the types of a crate."""

    def __init__(
        self, cargo: Cargo, folder: Path, crate: Path, types: list[str]
    ) -> None:
        arms = "".join(
            f'            "{path}" => written::<custom::{path}>(text),\n'
            for path in types
        )
        write_if_changed(
            folder / "Cargo.toml",
            '[package]\nname = "round-trip"\nversion = "0.0.0"\nedition = "2021"\n'
            f"[dependencies]\ncustom = {{ path = {json.dumps(str(crate))} }}\n"
            'serde = "1"\nserde_json = "1"\n[profile.dev]\ndebug = false\n[workspace]\n',
        )
        write_if_changed(folder / "src" / "main.rs", ROUND_TRIP.replace("ARMS", arms))
        output = cargo(folder, "build", "--quiet")
        assert "warning" not in output, output[:3000]
        self.program = cargo.build / "debug" / "round-trip"

    def __call__(self, *objects: tuple[str, Any]) -> list[Any]:
        """What is written of each object, which is read as the type of a path; the
        message of the error where it cannot be read."""
        lines = (f"{path}\t{json.dumps(value)}" for path, value in objects)
        completed = subprocess.run(
            [str(self.program)],
            input="\n".join(lines),
            text=True,
            capture_output=True,
            timeout=60,
        )
        assert completed.returncode == 0, completed.stderr[:3000]
        return [json.loads(line) for line in completed.stdout.splitlines()]


GADGETS = "api::example_com::v1::HttpGadget"
SCHEMALESS = "api::example_com::v1::Schemaless"
OPEN_KEY = "api::open_example_com::v1::Key"


@pytest.fixture(scope="module")
def round_trip(
    cargo: Cargo, crate: Path, tmp_path_factory: pytest.TempPathFactory
) -> RoundTrip:
    folder = tmp_path_factory.mktemp("program")
    types = [GADGETS, SCHEMALESS, OPEN_KEY, f"List<custom::{GADGETS}>"]
    return RoundTrip(cargo, folder, crate, types)


@pytest.mark.nightly
def test_an_object_is_written_as_it_was_read(round_trip: RoundTrip) -> None:
    """Values of a newer version, fields that the schema does not have, and null among
    them."""
    nulls = dict.fromkeys(["anything", "nullableCount", "nullableKeyed"])
    null = {**GADGET_OBJECT, "spec": {**GADGET_OBJECT["spec"], **nulls}}
    assert round_trip((GADGETS, GADGET_OBJECT), (GADGETS, null)) == [
        GADGET_OBJECT,
        null,
    ]


@pytest.mark.nightly
def test_required_fields_are_written_and_absent_ones_are_not(
    round_trip: RoundTrip,
) -> None:
    type_meta = {"apiVersion": "example.com/v1", "kind": "HTTPGadget"}
    spec = {"mode": "", "nullableText": None, "port": 0}
    # Null is the same as absent, except where it is required or there is a default.
    absent = {"spec": {"type": None, "nullableMode": None}, "status": None}
    assert round_trip((GADGETS, {}), (GADGETS, absent)) == [
        {**type_meta, "metadata": {}},
        {**type_meta, "metadata": {}, "spec": spec},
    ]


@pytest.mark.nightly
def test_what_is_not_of_the_type_is_refused(round_trip: RoundTrip) -> None:
    def changed(**fields: Any) -> tuple[str, Any]:
        value = copy.deepcopy(GADGET_OBJECT)
        value["spec"].update(fields)
        return GADGETS, value

    messages = round_trip(
        changed(mode=1),
        changed(count=-1),
        changed(modeByName=[]),
        (GADGETS, {**GADGET_OBJECT, "kind": "Gadget"}),
        (OPEN_KEY, {"apiVersion": "open.example.com/v2"}),
    )
    for message, expected in zip(
        messages,
        ["HttpGadgetMode", "u32", "a map", "HTTPGadget", "open.example.com/v1"],
        strict=True,
    ):
        assert isinstance(message, str) and f"expected {expected}" in message


@pytest.mark.nightly
def test_objects_without_a_schema_are_kept_whole(round_trip: RoundTrip) -> None:
    value = {
        "apiVersion": "example.com/v1",
        "kind": "Schemaless",
        "metadata": {"name": "x"},
        "anything": {"a": [None, 1.5]},
        "data": None,
    }
    assert round_trip((SCHEMALESS, value)) == [value]
    key = {**value, "apiVersion": "open.example.com/v1", "kind": "Key"}
    assert round_trip((OPEN_KEY, key)) == [key]


@pytest.mark.nightly
def test_lists_have_the_list_kind_of_the_crd(round_trip: RoundTrip) -> None:
    value = {
        "apiVersion": "example.com/v1",
        "kind": "HTTPGadgetList",
        "metadata": {"resourceVersion": "1"},
        "items": [GADGET_OBJECT],
    }
    assert round_trip((f"List<custom::{GADGETS}>", value)) == [value]


@pytest.mark.nightly
def test_examples_compile_and_are_the_same_objects(
    release: Release, cargo: Cargo
) -> None:
    compare_in_rust(PrintedExamples(release, TARGET), cargo, "custom_examples")


@pytest.mark.nightly
def test_objects_are_merged_by_the_list_types_of_the_schema(
    round_trip: RoundTrip,
) -> None:
    other = {
        "spec": {
            "config": {"more": {"deep": [2]}, "new": 1},
            "keyed": [{"name": "b", "value": "2"}, {"name": "c"}],
            "mode": "A",
            "modes": ["Z"],
            "nullableCount": 2,
            "nullableKeyed": [{"name": "a", "value": "1"}, {"name": "b"}],
            "nullableValues": {"b": 2},
            "open": {"c": 3},
            "port": 1,
        }
    }
    (merged,) = round_trip(("merge", GADGET_OBJECT | {"other": other}))
    assert merged["spec"] == {
        **GADGET_OBJECT["spec"],
        "config": {
            "kind": "k",
            "known": True,
            "more": {"deep": [2]},
            "new": 1,
            "none": None,
        },
        "keyed": [
            {"name": "a", "value": "1"},
            {"name": "b", "value": "2"},
            {"name": "c"},
        ],
        "mode": "A",
        "modes": ["Z"],
        "nullableCount": 2,
        "nullableKeyed": [{"name": "a", "value": "1"}, {"name": "b"}],
        "nullableValues": {"a": None, "b": 2},
        "open": {"a": {"b": 1}, "c": 3},
        "port": 1,
    }


@takes_minutes
def test_real_custom_resources_compile_and_have_examples(cargo: Cargo) -> None:
    release = load_crds(*stored_crds())
    folder = write_crate(release, cargo.build / "cluster-crate", name="cluster")
    assert "warning" not in cargo(folder, "check", timeout=3600)
    compare_in_rust(PrintedExamples(release, TARGET), cargo, "cluster", timeout=3600)
