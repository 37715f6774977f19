"""The examples of the site are not only text: they parse, import, compile, evaluate,
and say the same in each language."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import black
import pytest
import yaml

from generator.model import Release
from generator.resources import resource
from generator.target import Target
from generator.target import load as load_targets
from generator.target import print_files
from generator.target.view.example import Examples
from generator.target.view.example.nodes import plain
from generator.target.view.example.trees import Trees
from tests import jsonnet_library
from tests.conftest import RELEASES, full_specs, load
from tests.packages import imported, print_package

SHAPES = ("required", "every")


class Printed:
    """A release with all of its examples: (kind, shape) to language to code."""

    def __init__(self, release: Release, target: Target) -> None:
        self.release = release
        self.examples = Examples(release, target)
        self.kinds = {each.name: each for each in self.examples.kinds}
        self.code = {
            (name, shape): {
                each.language: each.code
                for each in getattr(self.examples, shape)(definition)
            }
            for name, definition in self.kinds.items()
            for shape in SHAPES
        }

    def values(self) -> dict[tuple[str, str], Any]:
        """What the YAML of each says."""
        return {
            key: yaml.load(code["yaml"], yaml.CSafeLoader)
            for key, code in self.code.items()
        }


def with_package(folder: Path, package: str) -> Target:
    """A target beside a target ``python`` of the user's, with that package."""
    text = (resource("templates") / "python" / "target.toml").read_text()
    (folder / "python").mkdir(parents=True)
    old = 'package = "kubernetes_models"'
    assert old in text
    text = text.replace(old, f'package = "{package}"')
    (folder / "python" / "target.toml").write_text(text)
    (folder / "site").mkdir()
    shutil.copy(resource("templates") / "markdown" / "target.toml", folder / "site")
    return load_targets(folder)["site"]


@pytest.fixture(scope="module", params=RELEASES)
def printed(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Printed:
    package = f"examples_{request.param.replace('.', '_')}"
    target = with_package(tmp_path_factory.mktemp("templates"), package)
    return Printed(load(request.param, full_specs()), target)


@pytest.fixture(scope="module")
def latest(tmp_path_factory: pytest.TempPathFactory) -> Printed:
    return Printed(load(RELEASES[-1], full_specs()), load_targets(None)["markdown"])


def test_yaml_says_what_the_tree_says(printed: Printed) -> None:
    trees = Trees(printed.release)
    assert len(printed.kinds) > 70
    for (name, shape), value in printed.values().items():
        tree = getattr(trees, shape)(printed.kinds[name])
        assert value == json.loads(json.dumps(plain(tree))), (name, shape)


def test_python_makes_the_same_object(printed: Printed, tmp_path: Path) -> None:
    package = f"examples_{printed.release.name.replace('.', '_')}"
    print_package(printed.release, tmp_path, package)
    module = imported(tmp_path, package)
    for (name, shape), value in printed.values().items():
        code = printed.code[name, shape]["python"]
        made = _run(code, package)
        assert made.to_dict() == value, (name, shape, code)
        assert type(made).from_dict(value, strict=True) == made
        assert module.model_for(value["apiVersion"], value["kind"]) is type(made)


def _run(code: str, package: str) -> Any:
    assert f"from {package} import " in code
    names: dict[str, Any] = {}
    exec(compile(code, "example", "exec"), names)
    return names["example"]


def test_jsonnet_evaluates_to_the_same_object(printed: Printed, tmp_path: Path) -> None:
    pytest.importorskip("rjsonnet")
    files = jsonnet_library.files(printed.release, "jsonnet", "default")
    main = jsonnet_library.write(tmp_path, files)
    expected, codes = [], []
    for key, value in printed.values().items():
        code = printed.code[key].get("jsonnet", "")
        # Not all types are in the library.
        assert code or not key[0].startswith("io.k8s.api."), key
        if code:
            codes.append(code.replace("'main.libsonnet'", json.dumps(str(main))))
            expected.append((key, value))
    found = jsonnet_library.evaluate(f"[{','.join(f'({code})' for code in codes)}]")
    for (key, value), each in zip(expected, found, strict=True):
        assert each == value, key


def test_black_leaves_the_python_as_it_is(latest: Printed) -> None:
    for (name, shape), code in latest.code.items():
        if shape == "required" or name.endswith((".v1.Pod", ".v1.StatefulSet")):
            assert black.format_str(code["python"], mode=black.Mode()) == code["python"]


