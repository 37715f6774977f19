"""black formats the output of users' templates, and changes none of the built-in ones."""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import black
import pytest

from kubestencil.engine import Target, load_targets
from kubestencil.errors import TargetError
from kubestencil.targets import generate_files
from tests.conftest import FULL_RELEASES, full_specs, load, make_release

TWO_MODELS = make_release(
    {
        name: {"type": "object", "description": "A model.", "properties": {}}
        for name in ("A", "B")
    }
)


def write_target(folder: Path, files: dict[str, str], name: str = "python") -> Target:
    """The target ``name`` with files of a user's in front of the built-in ones."""
    for file, text in files.items():
        path = folder / name / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return load_targets(folder)[name]


def generate_texts(target: Target) -> dict[str, str]:
    files = generate_files(TWO_MODELS, target)
    return {file.path: file.data.decode() for file in files}


def is_formatted(text: str, stub: bool) -> bool:
    return black.format_str(text, mode=black.Mode(is_pyi=stub)) == text


@pytest.mark.nightly
def test_black_leaves_every_generated_file_of_every_release_unchanged() -> None:
    paths: dict[tuple[str, bool], str] = {}
    target = load_targets(None)["python"]
    for name in FULL_RELEASES:
        for file in generate_files(load(name, full_specs()), target):
            if file.path.endswith((".py", ".pyi")):
                key = file.data.decode(), file.path.endswith(".pyi")
                paths.setdefault(key, f"{name}/{file.path}")
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(is_formatted, *zip(*paths, strict=True), chunksize=50)
        unformatted = [
            path
            for path, formatted in zip(paths.values(), results, strict=True)
            if not formatted
        ]
    assert unformatted == []
    assert len(paths) > 700


def test_every_python_template_of_a_built_in_target_is_declared_for_black() -> None:
    """A user's template in its place would otherwise generate unformatted code."""
    rules = [
        rule
        for target in load_targets(None).values()
        for rule in target.files
        if rule.path.endswith((".py", ".pyi")) and rule.template
    ]
    assert rules
    assert {rule.format for rule in rules} == {"black"}


def test_only_a_users_own_template_is_formatted(tmp_path: Path) -> None:
    target = write_target(
        tmp_path / "templates", {"model.py.j2": "x   =  '{{ model.name }}'\n"}
    )
    texts = generate_texts(target)
    assert texts["kubernetes_models/models/a.py"] == 'x = "A"\n'


def test_stubs_of_a_users_own_target_are_formatted_as_stubs(tmp_path: Path) -> None:
    manifest = """\
about = "Stubs"
view = "python"

[[files]]
each = "definition"
path = "{module}.pyi"
template = "stub.j2"
format = "black"

[options]
package = "stubs"
project = "stubs"
"""
    stub = "class {{ model.name }}:\n\n\n    def f(self):\n        ...\n"
    target = write_target(
        tmp_path / "templates", {"target.toml": manifest, "stub.j2": stub}, "stubs"
    )
    assert generate_texts(target)["a.pyi"] == "class A:\n    def f(self): ...\n"


@pytest.mark.parametrize("code", ["x = = 1", "f(", "\\0", "if x:\n\ty\n  z"])
def test_a_text_that_is_not_python_is_refused(code: str, tmp_path: Path) -> None:
    target = write_target(tmp_path / "templates", {"model.py.j2": f"{code}\n"})
    with pytest.raises(
        TargetError, match="black cannot format the output for A"
    ) as caught:
        generate_texts(target)
    assert caught.value.where.endswith("model.py.j2")


def test_an_unknown_formatter_is_refused(tmp_path: Path) -> None:
    manifest = load_targets(None)["python"].manifest.read_text()
    with pytest.raises(TargetError, match="did you mean black") as caught:
        write_target(
            tmp_path / "templates",
            {"target.toml": manifest.replace('"black"', '"blak"')},
        )
    assert "target.toml: files" in caught.value.where
    assert caught.value.where.endswith("format")
