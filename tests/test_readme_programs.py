"""The first program in the README of each package is about a kind that the package has: it
runs where the package has one kind of Kubernetes, or custom ones only.

Tests of the targets run the one of a package with all kinds.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import pytest

from kubestencil.schema import Release
from kubestencil.schema.select import select
from kubestencil.source.document import Selection
from tests.cargo import Cargo
from tests.cluster import load_crds
from tests.conftest import load, rest_nightly
from tests.languages import generated, write
from tests.python_crds import CERTIFICATE
from tests.test_go import go
from tests.test_language_rules import link_npm_packages, run_kcl
from tests.test_language_targets import JARS, check_java

OBJECT = {
    "metadata": {"name": "a"},
    "spec": {"secretName": "a", "issuerRef": {"name": "ca"}},
}


@cache
def package(kind: str) -> Release:
    """A release with one kind: of Kubernetes, or a custom one."""
    if kind == "Certificate":
        return load_crds(CERTIFICATE)
    return select(load("1.35"), Selection(kinds=(kind,)))


def program(target: str, kind: str, folder: Path) -> str:
    """The first program of the README of a package, which is written to ``folder``."""
    write(folder, generated(target, package(kind)))
    readme = (folder / "README.md").read_text()
    match = re.search(r"^```(?!sh|toml)\w+\n(.*?)^```", readme, re.M | re.S)
    assert match, readme
    assert "Deployment" not in readme.replace("`Deployment`", "")[: match.end()]
    assert kind in match[1]
    return match[1]


def run(folder: Path, *command: str) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def _python(folder: Path, text: str) -> None:
    write(folder, {"program.py": text})
    run(folder, sys.executable, "program.py")


def _zod(folder: Path, text: str) -> None:
    """With the package installed, as npm does it."""
    write(folder, {"node_modules/kubernetes-zod/x": "", "program.mjs": text})
    for path in folder.iterdir():
        if path.name not in ("node_modules", "program.mjs"):
            shutil.move(path, folder / "node_modules/kubernetes-zod" / path.name)
    link_npm_packages(folder)
    assert run(folder, "node", "program.mjs") == ""


def _typescript(folder: Path, text: str) -> None:
    module = folder / "node_modules/kubernetes-api-types"
    module.parent.mkdir()
    module.symlink_to(folder)
    write(folder, {"program.ts": text})
    options = "--strict --noEmit --module nodenext --moduleResolution nodenext"
    run(folder, "tsc", *options.split(), "program.ts")


def _go(folder: Path, text: str) -> None:
    write(folder, {"cmd/readme/main.go": text})
    done = go(folder, "run", "./cmd/readme")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["metadata"]["name"]


def _java(folder: Path, text: str) -> None:
    if not JARS.is_dir():
        pytest.skip("KUBESTENCIL_JARS names no folder with the jars of Jackson")
    write(folder, {"Example.java": text})
    assert check_java(folder) == ""
    printed = run(folder, "java", "-cp", f"classes:{JARS}/*", "Example")
    assert json.loads(printed)["metadata"]["name"]


def _cue(folder: Path, text: str) -> None:
    write(folder, {"example/example.cue": text})
    assert json.loads(run(folder, "cue", "export", "./example"))["object"]["kind"]


def _kcl(folder: Path, text: str) -> None:
    write(folder, {"main.k": text})
    printed, said = run_kcl(folder / "main.k", folder)
    assert said == "" and json.loads(printed)["object"]["kind"]


def _pkl(folder: Path, text: str) -> None:
    write(folder, {"main.pkl": text})
    assert "kind: " in run(folder, "pkl", "eval", "main.pkl")


def _jsonnet(folder: Path, text: str) -> None:
    rjsonnet = pytest.importorskip("rjsonnet")
    write(folder, {"main.jsonnet": text})
    printed = json.loads(rjsonnet.evaluate_file(str(folder / "main.jsonnet")))
    assert printed["web"]["metadata"] == {"name": "web", "labels": {"app": "web"}}


RUNS: Mapping[str, Callable[[Path, str], None]] = {
    "cue": _cue,
    "go": _go,
    "java": _java,
    "jsonnet": _jsonnet,
    "kcl": _kcl,
    "pkl": _pkl,
    "pydantic": _python,
    "python-dicts": _python,
    "typescript": _typescript,
    "zod": _zod,
}
_PROGRAMS = {
    "cue": ["cue"],
    "go": ["go"],
    "java": ["javac", "java"],
    "pkl": ["pkl"],
    "typescript": ["tsc"],
    "zod": ["node"],
}


@pytest.mark.parametrize("kind", rest_nightly(["Certificate", "ConfigMap"]))
@pytest.mark.parametrize(
    "target",
    [
        pytest.param(name, marks=pytest.mark.compiler(*_PROGRAMS.get(name, ())))
        for name in RUNS
    ],
)
def test_the_program_of_a_readme_runs(target: str, kind: str, tmp_path: Path) -> None:
    if target == "kcl":
        pytest.importorskip("kcl_lib")
    RUNS[target](tmp_path, program(target, kind, tmp_path))


@pytest.mark.nightly
@pytest.mark.parametrize("kind", ["Pod", "ConfigMap", "Certificate"])
def test_the_program_of_a_crate_runs(kind: str, cargo: Cargo, tmp_path: Path) -> None:
    text = program("rust", kind, tmp_path / "crate")
    manifest = (
        '[package]\nname = "program"\nversion = "0.0.0"\nedition = "2021"\n'
        '[dependencies]\nkubernetes-types = { path = "../crate" }\n'
    )
    files = {"Cargo.toml": manifest, "src/main.rs": text}
    folder = write(tmp_path / "program", files)
    write(folder, {"object.json": json.dumps(OBJECT)})
    assert '"name": "a"' in cargo(folder, "run", "-q")


@pytest.mark.parametrize("kind", ["ConfigMap", "Certificate"])
def test_the_program_of_a_client_names_what_it_has(kind: str, tmp_path: Path) -> None:
    pytest.importorskip("httpcore2")
    text = program("python-client", kind, tmp_path)
    names = re.findall(r"from kubernetes_typed_client import (.*)", text)
    assert names == ["Client, load_config"]
    module, name = re.findall(r"from (kubernetes_models\S*) import (\w+)", text)[0]
    write(tmp_path, generated("python", package(kind)))
    run(tmp_path, sys.executable, "-c", f"from {module} import {name}")


@pytest.mark.parametrize("flavour", ["editor", "standalone-strict"])
@pytest.mark.parametrize("kind", ["ConfigMap", "Certificate"])
def test_the_readme_of_schemas_names_files_that_exist(
    kind: str, flavour: str, tmp_path: Path
) -> None:
    files = generated("jsonschema", package(kind), {"flavours": flavour})
    text = files["README.md"]
    named = re.findall(r"`([\w./-]+\.json)`", text)
    named += re.findall(r"path/to/this/folder/([\w./-]+\.json)", text)
    examples = {name for name in named if "kubelet" not in name and "KIND" not in name}
    assert examples and {name.partition("/")[2] for name in examples} <= {
        path.partition("/")[2] for path in files
    } | {""}, named
