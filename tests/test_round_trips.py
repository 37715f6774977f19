"""Every language writes the objects of ``tests/structural_shapes.py`` as it read them,
and what checks objects accepts them. Rust, whose optional fields have no null, is in
tests/test_rust_custom_crate.py."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any
from unicodedata import normalize

import pytest

from kubestencil.schema import Release
from tests.cluster import load_crds
from tests.languages import generated, kcl_value, kinds, pkl_object, write
from tests.packages import generate_package, import_package
from tests.structural_shapes import API_VERSION, KIND, crd, objects
from tests.test_go import check as check_go
from tests.test_go import go
from tests.test_language_rules import link_npm_packages, run_kcl
from tests.test_language_targets import JARS, check_java, check_python, check_zod


@cache
def _release() -> Release:
    return load_crds(crd())


def _run(folder: Path, *command: str) -> list[Any]:
    """What a program prints that gets the objects, a JSON array."""
    done = subprocess.run(
        command,
        cwd=folder,
        input=json.dumps(list(objects())),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-5000:]
    written: list[Any] = json.loads(done.stdout)
    return written


def differences(written: Any, value: Any, path: str = "") -> list[str]:
    """The places where what is written is not what was read."""
    if isinstance(written, dict) and isinstance(value, dict):
        return [
            line
            for key in dict.fromkeys([*value, *written])
            for line in (
                [f"{path}/{key} is missing: {value[key]!r}"]
                if key not in written
                else (
                    [f"{path}/{key} is new: {written[key]!r}"]
                    if key not in value
                    else differences(written[key], value[key], f"{path}/{key}")
                )
            )
        ]
    if isinstance(written, list) and isinstance(value, list):
        if len(written) != len(value):
            return [f"{path}: {len(written)} items of {len(value)}"]
        pairs = enumerate(zip(written, value, strict=True))
        return [
            line
            for index, (item, other) in pairs
            for line in differences(item, other, f"{path}/{index}")
        ]
    is_same = written == value and isinstance(written, bool) == isinstance(value, bool)
    return [] if is_same else [f"{path}: {written!r} of {value!r}"]


def _without(value: Any, is_lost: Callable[[str, Any], bool]) -> Any:
    """A value without the fields that a language itself loses."""

    def kept(fields: dict[str, Any]) -> dict[str, Any]:
        return {key: item for key, item in fields.items() if not is_lost(key, item)}

    return json.loads(json.dumps(value), object_hook=kept)


def assert_unchanged(written: list[Any]) -> None:
    found = differences(written, list(objects()))
    assert not found, "\n".join([f"{len(found)} differences", *found[:60]])


def test_python(tmp_path: Path) -> None:
    package = "shape_models"
    models = import_package(generate_package(_release(), tmp_path, package), package)
    model = models.model_for(API_VERSION, KIND)
    read = [model.from_dict(value, strict=True) for value in objects()]
    assert_unchanged([value.to_dict() for value in read])
    assert_unchanged([json.loads(value.to_json()) for value in read])


_PYDANTIC = """
import json, sys
from kubernetes_pydantic.example_com.v1 import Shape

written = []
for value in json.load(sys.stdin):
    read = Shape.model_validate(value)
    assert Shape.model_validate_json(json.dumps(value)) == read
    written.append(read.to_dict())
json.dump(written, sys.stdout)
"""


@pytest.mark.nightly
def test_pydantic(tmp_path: Path) -> None:
    pytest.importorskip("pydantic")
    write(tmp_path, {**generated("pydantic", _release()), "trip.py": _PYDANTIC})
    assert_unchanged(_run(tmp_path, sys.executable, "trip.py"))


@pytest.mark.nightly
@pytest.mark.compiler("mypy", "pyright")
def test_python_dicts(tmp_path: Path) -> None:
    lines = (f"s{index}: Shape = {value!r}" for index, value in enumerate(objects()))
    program = ["from kubernetes_dicts.example_com.v1 import Shape", *lines]
    write(tmp_path, generated("python-dicts", _release()))
    write(tmp_path, {"program.py": "\n".join(program)})
    assert check_python(tmp_path) == ""


_ZOD = """
import { readFileSync } from "node:fs";
import { Shape } from "./example.com/v1.js";
const objects = JSON.parse(readFileSync(0, "utf8"));
console.log(JSON.stringify(objects.map((value) => Shape.parse(value))));
"""


@pytest.mark.nightly
@pytest.mark.compiler("tsc", "node")
def test_zod(tmp_path: Path) -> None:
    write(tmp_path, {**generated("zod", _release()), "trip.js": _ZOD})
    link_npm_packages(tmp_path)
    written = _run(tmp_path, "node", "trip.js")
    # Numbers of JavaScript are doubles, and Zod never keeps __proto__.
    found = differences(
        *(
            json.loads(
                json.dumps(_without(value, lambda key, _: key == "__proto__")),
                parse_int=float,
            )
            for value in (written, list(objects()))
        )
    )
    assert not found
    lines = (
        f"export const s{index}: Shape = {json.dumps(value)};"
        for index, value in enumerate(objects())
    )
    program = "\n".join(['import type { Shape } from "./example.com/v1.ts";', *lines])
    write(tmp_path, {"program.ts": program})
    assert check_zod(tmp_path) == ""


@pytest.mark.compiler("tsc", "node")
def test_typescript(tmp_path: Path) -> None:
    write(tmp_path, generated("typescript", _release()))
    lines = (
        f"export const s{index}: Shape = {json.dumps(value)};"
        for index, value in enumerate(objects())
    )
    program = "\n".join(['import type { Shape } from "./example.com/v1.js";', *lines])
    write(tmp_path, {"program.ts": program})
    options = "--strict --module nodenext --target es2022 --noEmit program.ts"
    done = subprocess.run(
        ["tsc", *options.split()], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.stdout == ""


_GO = """
package main

import (
	"encoding/json"
	"os"

	v1 "kubernetes.example/api/example.com/v1"
)

func main() {
	var objects []v1.Shape
	if err := json.NewDecoder(os.Stdin).Decode(&objects); err != nil {
		panic(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(objects); err != nil {
		panic(err)
	}
}
"""


@pytest.mark.compiler("go", "gofmt")
def test_go(tmp_path: Path) -> None:
    write(tmp_path, generated("go", _release()))
    check_go(tmp_path)
    write(tmp_path, {"cmd/trip/main.go": _GO})
    done = go(tmp_path, "build", "-o", "trip", "./cmd/trip")
    assert done.returncode == 0, done.stderr
    assert_unchanged(_run(tmp_path, "./trip"))


_JAVA = """
import com.fasterxml.jackson.databind.ObjectMapper;
import example.kubernetes.example_com.v1.Shape;

class Trip {
  public static void main(String[] arguments) throws Exception {
    ObjectMapper mapper = new ObjectMapper();
    Shape[] objects = mapper.readValue(System.in, Shape[].class);
    Shape[] copies = new Shape[objects.length];
    for (int index = 0; index < objects.length; index++) {
      copies[index] = objects[index].toBuilder().build();
      if (!copies[index].equals(objects[index])) throw new Error();
      if (copies[index].hashCode() != objects[index].hashCode()) throw new Error();
    }
    mapper.writeValue(System.out, copies);
  }
}
"""


@pytest.mark.nightly
@pytest.mark.compiler("javac", "java")
def test_java(tmp_path: Path) -> None:
    if not JARS.is_dir():
        pytest.skip("KUBESTENCIL_JARS names no folder with the jars of Jackson")
    write(tmp_path, {**generated("java", _release()), "Trip.java": _JAVA})
    assert check_java(tmp_path) == ""
    java = shutil.which("java") or "java"
    assert_unchanged(_run(tmp_path, java, "-cp", f"classes:{JARS}/*", "Trip"))


def _kcl(folder: Path) -> str:
    items = ", ".join(f"v1.Shape {kcl_value(value)}" for value in objects())
    text = f"import example_com.v1 as v1\nobjects = [{items}]\n"
    write(folder, {"program.k": text})
    printed, said = run_kcl(folder / "program.k", folder)
    assert said == ""
    return printed


def _pkl(folder: Path) -> str:
    shape = kinds(_release())[API_VERSION, KIND]
    values = "; ".join(pkl_object("v1", shape, value) for value in objects())
    text = f'import "example.com/v1.pkl" as v1\nobjects = new Listing {{ {values} }}\n'
    write(folder, {"program.pkl": text})
    done = subprocess.run(
        ["pkl", "eval", "-f", "json", "program.pkl"],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-5000:]
    return done.stdout


@pytest.mark.compiler()
def test_kcl(tmp_path: Path) -> None:
    pytest.importorskip("kcl_lib")
    write(tmp_path, generated("kcl", _release()))
    assert_unchanged(json.loads(_kcl(tmp_path))["objects"])


@pytest.mark.compiler("pkl")
def test_pkl(tmp_path: Path) -> None:
    write(tmp_path, generated("pkl", _release()))
    written = json.loads(_pkl(tmp_path))["objects"]
    # Null is absent in Pkl.
    values = (
        _without(value, lambda _, item: item is None)
        for value in (written, list(objects()))
    )
    assert differences(*values) == []


@pytest.mark.compiler("cue")
def test_cue(tmp_path: Path) -> None:
    write(tmp_path, generated("cue", _release()))
    # CUE normalizes names, two of which become one.
    values = json.loads(json.dumps(list(objects())), object_hook=_normalized)
    items = "".join(f"v1.#Shape & {json.dumps(value)}, " for value in values)
    text = f'import v1 "kubernetes.example/api/example.com/v1"\nobjects: [{items}]\n'
    write(tmp_path, {"objects/objects.cue": f"package objects\n{text}"})
    done = subprocess.run(
        ["cue", "export", "./objects"], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-5000:]
    assert differences(json.loads(done.stdout)["objects"], values) == []


def _normalized(fields: dict[str, Any]) -> dict[str, Any]:
    return {normalize("NFC", name): value for name, value in fields.items()}
