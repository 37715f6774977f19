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

from generator.model import Release
from generator.target import load as load_targets
from generator.target import print_files
from tests.conftest import full_specs, load, release
from tests.rust_crate import read
from tests.rust_documents import Documents

pytestmark = pytest.mark.skipif(shutil.which("cargo") is None, reason="cargo is missing")

HERE = Path(__file__).parent / "rust"
# The crate on crates.io that has the release.
PEER = {"1.35": "0.29.0"}


class Cargo:
    """cargo, with one folder for what it builds, so that it builds it once."""

    def __init__(self, build: Path) -> None:
        self.build = build

    def __call__(self, folder: Path, *arguments: str, **more: str) -> str:
        environment = {
            **os.environ,
            "CARGO_TARGET_DIR": str(self.build),
            "CARGO_TERM_COLOR": "never",
            **more,
        }
        done = subprocess.run(
            ["cargo", *arguments],
            cwd=folder,
            env=environment,
            text=True,
            capture_output=True,
            timeout=600,
        )
        output = done.stdout + done.stderr
        if "failed to get" in output or "Could not resolve host" in output:
            pytest.skip("crates.io cannot be reached")
        assert done.returncode == 0, output[-5000:]
        return output


@pytest.fixture(scope="module")
def cargo(pytestconfig: pytest.Config) -> Cargo:
    given = os.environ.get("CARGO_TARGET_DIR")
    return Cargo(Path(given) if given else pytestconfig.cache.mkdir("cargo"))


def write(printed: Release, folder: Path, **options: str) -> Path:
    target = load_targets(None)["rust"].with_options(options)
    for file in print_files(printed, target):
        path = folder / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.data)
    return folder


@pytest.fixture(scope="module")
def crate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(load("1.35", full_specs()), tmp_path_factory.mktemp("crate"))


def no_warnings(cargo: Cargo, folder: Path) -> None:
    for command in (["check"], ["clippy", "--features", "schemars"], ["doc", "--no-deps"]):
        output = cargo(folder, *command)
        assert "warning" not in output, output[:3000]


def test_no_tool_has_anything_to_say(cargo: Cargo, crate: Path) -> None:
    no_warnings(cargo, crate)


@pytest.mark.skipif(shutil.which("rustfmt") is None, reason="rustfmt is missing")
def test_rustfmt_leaves_it_as_it_is(crate: Path) -> None:
    command = ["rustfmt", "--edition", "2021", "--check", str(crate / "src" / "lib.rs")]
    done = subprocess.run(command, text=True, capture_output=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "")


def test_reads_writes_and_merges_as_k8s_openapi(
    cargo: Cargo, crate: Path, tmp_path: Path
) -> None:
    version = "1.35"
    spec = load(version, full_specs())
    facts = read(crate)
    types = {
        "::".join((*path.split("::")[:-1], path.split("::")[-1])): path
        for path, fact in facts.items()
        if fact["resource"] and path != "List"
    }
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


def _manifest(crate: Path, version: str) -> str:
    feature = "v" + version.replace(".", "_")
    return (
        '[package]\nname = "differential"\nversion = "0.0.0"\nedition = "2021"\n'
        "[dependencies]\n"
        f'ours = {{ package = "kubernetes-types", path = {json.dumps(str(crate))} }}\n'
        f'theirs = {{ package = "k8s-openapi", version = "={PEER[version]}", '
        f'features = ["{feature}"] }}\n'
        'serde = "1"\nserde_json = "1"\n[workspace]\n'
    )


def _dispatch(types: dict[str, str]) -> Iterator[str]:
    yield "fn dispatch(name: &str, one: &str, other: &str, counts: &mut Counts) {"
    yield "    match name {"
    for path in sorted(types):
        yield (
            f'        "{path}" => compare::<ours::{path}, theirs::{path}>'
            "(name, one, other, counts),"
        )
    yield "        _ => panic!(\"{name}\"),\n    }\n}"


def _lines(spec: Release, types: list[str], count: int) -> Iterator[str]:
    documents = Documents(spec, seed=6)
    names = {
        _path(name): name for name, each in spec.definitions.items() if each.is_object
    }
    for path in types:
        for _ in range(count):
            one, other = documents.of(names[path]), documents.of(names[path])
            yield f"{path}\t{one}\t{other}"


def _path(name: str) -> str:
    *module, kind = name.removeprefix("io.k8s.").split(".")
    return "::".join((*(part.replace("-", "_") for part in module), kind))
