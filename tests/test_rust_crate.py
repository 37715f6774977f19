"""The printed crate under cargo: it compiles, and does what k8s-openapi does."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from kubestencil.schema import Release
from tests.cargo import Cargo, write
from tests.conftest import full_specs, load, release
from tests.rust_crate import read
from tests.rust_documents import Documents

pytestmark = pytest.mark.skipif(
    shutil.which("cargo") is None, reason="cargo is missing"
)

HERE = Path(__file__).parent / "rust"
# The published crate that has the release, with the time library that we use.
PEER = {"1.32": "0.28.0", "1.33": "0.29.0", "1.34": "0.29.0", "1.35": "0.29.0"}
# Building two crates takes a minute a release, so the others are for who asks.
COMPARED = tuple(PEER) if os.environ.get("KUBESTENCIL_RUST") == "all" else ("1.35",)


CRATES = ("ours", "theirs")
CORE, POD = "io.k8s.api.core.v1", "api::core::v1::Pod"
META = "apimachinery::pkg::apis::meta::v1"


@pytest.fixture(scope="module")
def crate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(load("1.35", full_specs()), tmp_path_factory.mktemp("crate"))


def no_warnings(cargo: Cargo, folder: Path) -> None:
    for command in (
        ["check"],
        ["clippy", "--features", "schemars"],
        ["doc", "--no-deps"],
    ):
        output = cargo(folder, *command)
        assert "warning" not in output, output[:3000]


def test_no_tool_has_anything_to_say(cargo: Cargo, crate: Path) -> None:
    no_warnings(cargo, crate)


@pytest.mark.skipif(shutil.which("rustfmt") is None, reason="rustfmt is missing")
def test_rustfmt_leaves_it_as_it_is(crate: Path) -> None:
    command = ["rustfmt", "--edition", "2021", "--check", str(crate / "src" / "lib.rs")]
    done = subprocess.run(command, text=True, capture_output=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize("version", COMPARED)
def test_reads_writes_and_merges_as_k8s_openapi(
    cargo: Cargo, version: str, tmp_path: Path
) -> None:
    spec = load(version, full_specs())
    crate = write(spec, tmp_path / "crate")
    types = [path for path, fact in read(crate).items() if fact["resource"]]
    types.remove("List")
    program = tmp_path / "differential"
    shutil.copytree(HERE / "differential", program)
    (program / "Cargo.toml").write_text(_manifest(crate, version))
    (program / "src" / "types.rs").write_text("\n".join(_dispatch(types)))
    lines = list(_lines(spec, sorted(types), 40))
    output = cargo(program, "build", "--quiet")
    done = subprocess.run(
        [str(cargo.build / "debug" / "differential")],
        input="\n".join(lines),
        text=True,
        capture_output=True,
        timeout=300,
    )
    assert done.returncode == 0, (output + done.stdout + done.stderr)[:6000]
    counts = json.loads(done.stdout.splitlines()[-1])
    assert counts["different"] == 0
    # Of both kinds there must be many, or nothing was compared.
    assert counts["read"] > 3000 and counts["refused"] > 300 and counts["merged"] > 1000


@pytest.mark.skipif(
    os.environ.get("KUBESTENCIL_RUST") != "all",
    reason="building both crates with schemars takes minutes: KUBESTENCIL_RUST=all",
)
def test_schemas_are_those_of_k8s_openapi(cargo: Cargo, tmp_path: Path) -> None:
    spec = load("1.35", full_specs())
    crate = write(spec, tmp_path / "crate")
    program = tmp_path / "schemas"
    (program / "src").mkdir(parents=True)
    shutil.copy(HERE / "schemas.rs", program / "src" / "main.rs")
    (program / "Cargo.toml").write_text(_manifest(crate, "1.35", "schemars"))
    types = sorted(read(crate).keys() - {"List", f"{META}::WatchEvent"})
    calls = "\n".join(f"compare::<ours::{path}, theirs::{path}>();" for path in types)
    (program / "src" / "types.rs").write_text(f"fn all() {{\n{calls}\n}}")
    assert "every schema is the same" in cargo(program, "run", "--quiet")


def _manifest(crate: Path, version: str, *features: str) -> str:
    """A program named differential, with both crates."""
    release = "v" + version.replace(".", "_")
    return (
        '[package]\nname = "differential"\nversion = "0.0.0"\nedition = "2021"\n'
        "[dependencies]\n"
        f'ours = {{ package = "kubernetes-types", path = {json.dumps(str(crate))}, '
        f"features = {json.dumps(features)} }}\n"
        f'theirs = {{ package = "k8s-openapi", version = "={PEER[version]}", '
        f"features = {json.dumps([release, *features])} }}\n"
        'schemars = { version = "1", optional = true }\n'
        'serde = "1"\nserde_json = "1"\n'
        f"[features]\ndefault = {json.dumps([f'dep:{each}' for each in features])}\n"
        "[profile.dev]\ndebug = false\n[workspace]\n"
    )


def _dispatch(types: list[str]) -> Iterator[str]:
    yield "fn dispatch(name: &str, one: &str, other: &str, counts: &mut Counts) {"
    yield "    match name {"
    for path in sorted(types):
        yield (
            f'        "{path}" => compare::<ours::{path}, theirs::{path}>'
            "(name, one, other, counts),"
        )
    for both, generic in (("compare", "List"), ("wire", f"{META}::WatchEvent")):
        pair = ", ".join(f"{crate}::{generic}<{crate}::{POD}>" for crate in CRATES)
        if both == "compare":
            yield f'        "List" => compare::<{pair}>(name, one, other, counts),'
            continue
        yield '        "WatchEvent" => [one, other].into_iter().for_each(|one| {'
        yield f"            wire::<{pair}>(name, one, counts);\n        }}),"
    yield '        _ => panic!("{name}"),\n    }\n}'


def _lines(spec: Release, types: list[str], count: int) -> Iterator[str]:
    documents = Documents(spec, seed=6)
    names = {
        _path(name): name for name, each in spec.definitions.items() if each.is_object
    }
    for path in types:
        for _ in range(count):
            one, other = documents.of(names[path]), documents.of(names[path])
            yield f"{path}\t{one}\t{other}"
    for _ in range(200):
        yield "\t".join(
            ("List", documents.list_of(f"{CORE}.Pod"), documents.list_of(f"{CORE}.Pod"))
        )
        yield "\t".join(
            (
                "WatchEvent",
                documents.event(f"{CORE}.Pod"),
                documents.event(f"{CORE}.Pod"),
            )
        )


def _path(name: str) -> str:
    *module, kind = name.removeprefix("io.k8s.").split(".")
    return "::".join((*(part.replace("-", "_") for part in module), kind))


DOCS = """Text with */ and /* and ] and [a link](javascript:alert(1)) and <script>.
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


def hostile() -> Release:
    text: dict[str, Any] = {"type": "string", "description": DOCS}
    names = [
        "self", "Self", "crate", "super", "type", "fn", "async", "gen", "key", "map",
        "other", "out", "name", "1st", "a-b", "a_b", "aB", "a.b", "", "_", "__", "$ref",
        "ü", "\u202e", "a b", "\"", "\\", "Key", "FOO", "x" * 300, "{{x}}", "S", "A", "E",
    ]  # fmt: skip
    reference = {"$ref": "#/definitions/io.k8s.api.x.v1.Node"}
    return release(
        {
            "io.k8s.api.x.v1.Words": {
                "description": DOCS,
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
                "description": DOCS,
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


def test_a_hostile_document_becomes_a_crate(cargo: Cargo, tmp_path: Path) -> None:
    folder = write(hostile(), tmp_path / "crate", name="hostile")
    no_warnings(cargo, folder)
    done = subprocess.run(
        ["rustfmt", "--edition", "2021", "--check", str(folder / "src" / "lib.rs")],
        text=True,
        capture_output=True,
    )
    assert (done.returncode, done.stdout) == (0, "")
    # Even where documentation tests are asked for, there are none.
    manifest = folder / "Cargo.toml"
    manifest.write_text(manifest.read_text().replace("doctest = false", ""))
    assert "running 0 tests" in cargo(folder, "test", "--doc")


class Text(HTMLParser):
    """What a page of rustdoc says, in one line."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.parts: list[str] = []
        self.feed(page)
        self.text = re.sub(r"\s+", " ", "".join(self.parts))

    def handle_starttag(self, tag: str, _: Any) -> None:
        self.parts.append(" " if tag in ("div", "p", "section", "li", "br") else "")

    def handle_data(self, data: str) -> None:
        self.parts.append(data)


def test_rustdoc_shows_what_it_shows_of_k8s_openapi(
    cargo: Cargo, tmp_path: Path
) -> None:
    """ResourceClaimStatus: struct, fields, texts and traits, in their order."""
    spec = load("1.32")
    folder = write(spec, tmp_path / "crate")
    cargo(folder, "doc", "--no-deps")
    pages = cargo.build / "doc" / "kubernetes_types" / "api" / "resource" / "v1beta1"
    page = Text((pages / "struct.ResourceClaimStatus.html").read_text("utf-8")).text
    definition = spec.definitions["io.k8s.api.resource.v1beta1.ResourceClaimStatus"]
    types = {
        "allocation": "allocation: Option<AllocationResult>",
        "devices": "devices: Option<Vec<AllocatedDeviceStatus>>",
        "reservedFor": "reserved_for: Option<Vec<ResourceClaimConsumerReference>>",
    }
    said = [
        "pub struct ResourceClaimStatus { ",
        *(f"pub {shown}, " for shown in types.values()),
        "}",
        definition.description,
        "Fields§",
    ]
    for field in definition.fields:
        said += [f"§{types[field.name]}", *field.schema.description.split("\n\n")]
    said.append("Trait Implementations§")
    traits = (
        "Clone", "Debug", "DeepMerge", "Default", "Deserialize<'de>", "PartialEq",
        "Serialize", "StructuralPartialEq",
    )  # fmt: skip
    generic = {"Deserialize<'de>": "impl<'de>"}
    said += [
        f"{generic.get(trait, 'impl')} {trait} for ResourceClaimStatus"
        for trait in traits
    ]
    place = 0
    for words in said:
        place = page.find(re.sub(r"\s+", " ", words), place)
        assert place >= 0, words
    shown = re.findall(r"impl(?:<'de>)? (\S+) for ResourceClaimStatus", page)
    assert set(shown) >= set(traits)
    assert "Merge other into self." in page
