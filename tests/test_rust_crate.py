"""The generated crate compiles without warnings, and does what k8s-openapi does."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from kubestencil.schema import Release
from tests.cargo import Cargo, write_crate, write_if_changed
from tests.conftest import (
    ALL_IS_COMPILED,
    ROOT,
    full_specs,
    load,
    make_release,
    takes_minutes,
)
from tests.rust_crate import read_crate
from tests.rust_documents import Documents
from tests.test_docs import blocks

pytestmark = pytest.mark.compiler("cargo")

PROGRAMS = Path(__file__).parent / "rust"
# The published k8s-openapi of each release that uses the same library for times, jiff.
PUBLISHED = {"1.32": "0.28.0", "1.33": "0.29.0", "1.34": "0.29.0", "1.35": "0.29.0"}
# Building two crates takes a minute for each release, so by default one is compared.
COMPARED = tuple(PUBLISHED) if ALL_IS_COMPILED else ("1.35",)

CRATES = ("ours", "theirs")
CORE, POD = "io.k8s.api.core.v1", "api::core::v1::Pod"
META = "apimachinery::pkg::apis::meta::v1"


@pytest.fixture(scope="module")
def crate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_crate(load("1.35", full_specs()), tmp_path_factory.mktemp("crate"))


def check_without_warnings(cargo: Cargo, folder: Path) -> None:
    for command in (
        ["check"],
        ["clippy", "--features", "schemars"],
        ["doc", "--no-deps"],
    ):
        output = cargo(folder, *command)
        assert "warning" not in output, output[:3000]


@pytest.mark.nightly
def test_the_compiler_clippy_and_rustdoc_do_not_warn(cargo: Cargo, crate: Path) -> None:
    check_without_warnings(cargo, crate)


def test_the_program_of_the_page_compiles(cargo: Cargo, crate: Path) -> None:
    (program,) = blocks(ROOT / "docs/targets/rust.md", "rust")
    write_if_changed(
        crate / "examples/page.rs",
        "fn main() -> Result<(), Box<dyn std::error::Error>> {\n"
        f'{program}\nprintln!("{{json}}");\nOk(())\n}}\n',
    )
    assert "warning" not in cargo(crate, "check", "--example", "page")


@pytest.mark.compiler("rustfmt")
def test_rustfmt_changes_nothing(crate: Path) -> None:
    command = ["rustfmt", "--edition", "2021", "--check", str(crate / "src" / "lib.rs")]
    completed = subprocess.run(command, text=True, capture_output=True, timeout=120)
    assert (completed.returncode, completed.stdout) == (0, "")


@pytest.mark.nightly
@pytest.mark.parametrize("version", COMPARED)
def test_reads_writes_and_merges_as_k8s_openapi(
    cargo: Cargo, version: str, tmp_path: Path
) -> None:
    spec = load(version, full_specs())
    crate = write_crate(spec, tmp_path / "crate")
    types = [path for path, facts in read_crate(crate).items() if facts["resource"]]
    types.remove("List")
    program = tmp_path / "differential"
    shutil.copytree(PROGRAMS / "differential", program)
    (program / "Cargo.toml").write_text(_manifest(crate, version))
    (program / "src" / "types.rs").write_text("\n".join(_dispatch(types)))
    lines = list(_lines(spec, sorted(types), 40))
    output = cargo(program, "build", "--quiet")
    completed = subprocess.run(
        [str(cargo.build / "debug" / "differential")],
        input="\n".join(lines),
        text=True,
        capture_output=True,
        timeout=300,
    )
    output += completed.stdout + completed.stderr
    assert completed.returncode == 0, output[:6000]
    counts = json.loads(completed.stdout.splitlines()[-1])
    assert counts["different"] == 0
    # Both valid and invalid documents were compared, and merges.
    assert counts["read"] > 3000 and counts["refused"] > 300 and counts["merged"] > 1000


@takes_minutes
def test_schemas_are_those_of_k8s_openapi(cargo: Cargo, tmp_path: Path) -> None:
    spec = load("1.35", full_specs())
    crate = write_crate(spec, tmp_path / "crate")
    program = tmp_path / "schemas"
    (program / "src").mkdir(parents=True)
    shutil.copy(PROGRAMS / "schemas.rs", program / "src" / "main.rs")
    (program / "Cargo.toml").write_text(_manifest(crate, "1.35", "schemars"))
    types = sorted(read_crate(crate).keys() - {"List", f"{META}::WatchEvent"})
    calls = "\n".join(f"compare::<ours::{path}, theirs::{path}>();" for path in types)
    (program / "src" / "types.rs").write_text(f"fn all() {{\n{calls}\n}}")
    assert "every schema is the same" in cargo(program, "run", "--quiet")


def _manifest(crate: Path, version: str, *features: str) -> str:
    """The manifest of a program that depends on both crates."""
    release = "v" + version.replace(".", "_")
    dependencies = [f"dep:{feature}" for feature in features]
    return (
        '[package]\nname = "differential"\nversion = "0.0.0"\nedition = "2021"\n'
        "[dependencies]\n"
        f'ours = {{ package = "kubernetes-types", path = {json.dumps(str(crate))}, '
        f"features = {json.dumps(features)} }}\n"
        f'theirs = {{ package = "k8s-openapi", version = "={PUBLISHED[version]}", '
        f"features = {json.dumps([release, *features])} }}\n"
        'schemars = { version = "1", optional = true }\n'
        'serde = "1"\nserde_json = "1"\n'
        f"[features]\ndefault = {json.dumps(dependencies)}\n"
        "[profile.dev]\ndebug = false\n[workspace]\n"
    )


def _dispatch(types: list[str]) -> Iterator[str]:
    """The Rust function that compares documents as the type of a name."""
    yield "fn dispatch(name: &str, one: &str, other: &str, counts: &mut Counts) {"
    yield "    match name {"
    for path in sorted(types):
        yield (
            f'        "{path}" => compare::<ours::{path}, theirs::{path}>'
            "(name, one, other, counts),"
        )
    lists = ", ".join(f"{crate}::List<{crate}::{POD}>" for crate in CRATES)
    yield f'        "List" => compare::<{lists}>(name, one, other, counts),'
    events = ", ".join(
        f"{crate}::{META}::WatchEvent<{crate}::{POD}>" for crate in CRATES
    )
    yield '        "WatchEvent" => [one, other].into_iter().for_each(|one| {'
    yield f"            wire::<{events}>(name, one, counts);\n        }}),"
    yield '        _ => panic!("{name}"),\n    }\n}'


def _lines(spec: Release, types: list[str], count: int) -> Iterator[str]:
    """The input of the program: ``type TAB document TAB document``."""
    documents = Documents(spec, seed=6)
    names = {
        _path(name): name
        for name, definition in spec.definitions.items()
        if definition.is_object
    }
    for path in types:
        for _ in range(count):
            yield _line(path, documents.for_definition, names[path])
    for _ in range(200):
        yield _line("List", documents.for_list, f"{CORE}.Pod")
        yield _line("WatchEvent", documents.for_watch_event, f"{CORE}.Pod")


def _line(path: str, make_document: Callable[[str], str], definition: str) -> str:
    return "\t".join((path, make_document(definition), make_document(definition)))


def _path(name: str) -> str:
    *module, kind = name.removeprefix("io.k8s.").split(".")
    return "::".join((*(part.replace("-", "_") for part in module), kind))


HOSTILE_TEXT = """Text with */ and /* and ] and [a link](javascript:alert(1)) and <script>.
```
panic!("run");
```
~~~rust
panic!("run");
~~~

    panic!("run");

# heading
    panic!("run");
-      panic!("run");
  1.
          panic!("run");
\u202e reversed \u2066 \r carriage \x00 \"quoted\" \\ {{ braces }} {% raw %} r#\"x\"#
#![deny(warnings)] //! ///"""


def hostile_release() -> Release:
    """A release with names and texts that could break out of Rust code."""
    text: dict[str, Any] = {"type": "string", "description": HOSTILE_TEXT}
    names = [
        "self", "Self", "crate", "super", "type", "fn", "async", "gen", "key", "map",
        "other", "out", "name", "1st", "a-b", "a_b", "aB", "a.b", "", "_", "__", "$ref",
        "ü", "\u202e", "a b", "\"", "\\", "Key", "FOO", "x" * 300, "{{x}}", "S", "A", "E",
    ]  # fmt: skip
    reference = {"$ref": "#/definitions/io.k8s.api.x.v1.Node"}
    return make_release(
        {
            "io.k8s.api.x.v1.Words": {
                "description": HOSTILE_TEXT,
                "type": "object",
                "properties": dict.fromkeys(names, text),
                "required": names[::2],
            },
            "io.k8s.api.x.v1.Node": {
                "type": "object",
                "properties": {
                    "left": reference,
                    "other": {"$ref": "#/definitions/io.k8s.api.x.v1.Other"},
                    "list": {"type": "array", "items": reference},
                    "byKey": {
                        "type": "array",
                        "items": reference,
                        "x-kubernetes-list-type": "map",
                        "x-kubernetes-list-map-keys": ["nothing"],
                    },
                    "nested": {"type": "object", "properties": {"a": text}},
                    "odd": {"type": "string", "format": "uuid"},
                    "when": {"type": "string", "format": "date-time"},
                    "maps": {
                        "type": "object",
                        "additionalProperties": {
                            "type": "object",
                            "additionalProperties": {"type": "string"},
                        },
                    },
                },
                "required": ["when"],
            },
            "io.k8s.api.x.v1.Other": {
                "type": "object",
                "properties": {"node": reference},
            },
            "io.k8s.api.x.v1.Names": {
                "type": "array",
                "description": HOSTILE_TEXT,
                "items": {"type": "string", "format": "byte"},
            },
            "io.k8s.api.x.v1.Option": {"type": "object", "properties": {"a": text}},
            "io.k8s.api.x.v1.String": {"type": "object", "properties": {"a": text}},
            "io.k8s.api.x.v1.Self": {"type": "object", "properties": {}},
            "io.k8s.api.x.v1.lower": {"type": "object", "properties": {"a": text}},
            "io.k8s.api.x.v1.FooBar": {"type": "string"},
            "io.k8s.api.x.v1.Foo_bar": {"type": "integer"},
            "com.example.async.1st.Thing": {
                "type": "object",
                "properties": {
                    "apiVersion": {"type": "string"},
                    "kind": {"type": "string"},
                    "metadata": {"type": "object"},
                },
                "x-kubernetes-group-version-kind": [
                    {"group": '"; panic!(); "', "version": "{{x}}", "kind": "\n"}
                ],
            },
        }
    )


@pytest.mark.nightly
def test_a_hostile_document_gives_a_crate_without_warnings(
    cargo: Cargo, tmp_path: Path
) -> None:
    folder = write_crate(hostile_release(), tmp_path / "crate", name="hostile")
    check_without_warnings(cargo, folder)
    completed = subprocess.run(
        ["rustfmt", "--edition", "2021", "--check", str(folder / "src" / "lib.rs")],
        text=True,
        capture_output=True,
    )
    assert (completed.returncode, completed.stdout) == (0, "")
    # Even if documentation tests are enabled, there are none.
    manifest = folder / "Cargo.toml"
    manifest.write_text(manifest.read_text().replace("doctest = false", ""))
    assert "running 0 tests" in cargo(folder, "test", "--doc")


class PageText(HTMLParser):
    """The text of a page of rustdoc, in one line."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.parts: list[str] = []
        self.feed(page)
        self.text = re.sub(r"\s+", " ", "".join(self.parts))

    def handle_starttag(self, tag: str, _: Any) -> None:
        self.parts.append(" " if tag in ("div", "p", "section", "li", "br") else "")

    def handle_data(self, data: str) -> None:
        self.parts.append(data)


@pytest.mark.nightly
def test_rustdoc_shows_the_same_as_for_k8s_openapi(
    cargo: Cargo, tmp_path: Path
) -> None:
    """The page of ResourceClaimStatus has struct, fields, texts and traits in order."""
    spec = load("1.32")
    folder = write_crate(spec, tmp_path / "crate")
    cargo(folder, "doc", "--no-deps")
    pages = cargo.build / "doc" / "kubernetes_types" / "api" / "resource" / "v1beta1"
    page = PageText((pages / "struct.ResourceClaimStatus.html").read_text("utf-8")).text
    definition = spec.definitions["io.k8s.api.resource.v1beta1.ResourceClaimStatus"]
    types = {
        "allocation": "allocation: Option<AllocationResult>",
        "devices": "devices: Option<Vec<AllocatedDeviceStatus>>",
        "reservedFor": "reserved_for: Option<Vec<ResourceClaimConsumerReference>>",
    }
    expected = [
        "pub struct ResourceClaimStatus { ",
        *(f"pub {declaration}, " for declaration in types.values()),
        "}",
        definition.description,
        "Fields§",
    ]
    for field in definition.fields:
        expected += [f"§{types[field.name]}", *field.schema.description.split("\n\n")]
    expected.append("Trait Implementations§")
    traits = (
        "Clone", "Debug", "DeepMerge", "Default", "Deserialize<'de>", "PartialEq",
        "Serialize", "StructuralPartialEq",
    )  # fmt: skip
    generic = {"Deserialize<'de>": "impl<'de>"}
    expected += [
        f"{generic.get(trait, 'impl')} {trait} for ResourceClaimStatus"
        for trait in traits
    ]
    position = 0
    for text in expected:
        position = page.find(re.sub(r"\s+", " ", text), position)
        assert position >= 0, text
    implemented = re.findall(r"impl(?:<'de>)? (\S+) for ResourceClaimStatus", page)
    assert set(implemented) >= set(traits)
    assert "Merge other into self." in page
