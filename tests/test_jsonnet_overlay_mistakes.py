"""The evaluation of overlays, and how their mistakes are reported."""

from __future__ import annotations

import json
import mmap
import multiprocessing
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kubestencil.errors import TargetError, UsageError
from kubestencil.schema import Release
from kubestencil.targets.languages.jsonnet import evaluate
from kubestencil.targets.languages.jsonnet import overlay as overlay_module
from tests.conftest import Command, load, make_release
from tests.jsonnet_library import (
    SMALL,
    extend,
    files,
    overlay,
    pages,
)


@pytest.fixture
def small() -> Release:
    return make_release(SMALL)


# Mistakes whose line only jrsonnet names, with its message.
MISTAKES = [
    ("a: 1 b: 2", "expected one of"),
    ("'#a': d.fn(nope, []), a:: 1", "nope"),
    ("'#a': import 'missing.libsonnet', a:: 1", "'missing.libsonnet'"),
    ("local f(x) = f(x + 1) + 1, '#a': d.fn(f(0), []), a:: 1", "stack"),
    ("'#a': d.fn(error 'on purpose', []), a:: 1", "on purpose"),
    ("'#a': { b: self.b }, a:: 1", "infinite recursion"),
]


@pytest.fixture
def without_gojsonnet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Overlays are evaluated as where the extra ``jsonnet`` is not installed."""

    def run_here(function: Callable[[], Any], seconds: float) -> Any:
        return function()

    monkeypatch.setitem(sys.modules, "_gojsonnet", None)
    # A child process would have it, where processes are not forked.
    monkeypatch.setattr(overlay_module, "run_sandboxed", run_here)


@pytest.mark.parametrize(
    ("body", "line", "message"),
    [
        ("a: 1 b: 2", 3, "Expected"),
        ("'#a': d.fn(nope, []), a:: 1", 3, "nope"),
        ("'#a': import 'missing.libsonnet', a:: 1", 3, "'missing.libsonnet'"),
        ("local f(x) = f(x + 1) + 1, '#a': d.fn(f(0), []), a:: 1", 3, "stack"),
        ("'#a': d.fn(error 'on purpose', []), a:: 1", 3, "on purpose"),
        ("'#a': super.nope, a:: 1", 3, "nope"),
        ("'#a': { b: self.b }, a:: 1", 3, ""),
    ],
)
def test_a_mistake_is_reported_with_file_and_line(
    small: Release, tmp_path: Path, body: str, line: int, message: str
) -> None:
    pytest.importorskip("_gojsonnet")
    with pytest.raises(TargetError) as caught:
        pages(small, tmp_path, mine=extend("pod+", body))
    assert caught.value.where == f"{tmp_path / 'mine.libsonnet'}:{line}"
    assert message in caught.value.what


@pytest.mark.parametrize(("body", "message"), MISTAKES)
def test_most_mistakes_are_located_without_gojsonnet(
    small: Release, tmp_path: Path, body: str, message: str, without_gojsonnet: None
) -> None:
    with pytest.raises(TargetError) as caught:
        pages(small, tmp_path, mine=extend("pod+", body))
    assert caught.value.where == f"{tmp_path / 'mine.libsonnet'}:3"
    assert message in caught.value.what
    assert not caught.value.hint


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ("'#a': super.nope", "core.v1.pod"),
        ("'#a': d.fn({}.nope, [])", "core.v1.pod.#a.function.help"),
    ],
)
def test_other_mistakes_are_located_by_field_without_gojsonnet(
    small: Release, tmp_path: Path, body: str, field: str, without_gojsonnet: None
) -> None:
    """jrsonnet does not name the line that reads a field that does not exist."""
    with pytest.raises(TargetError) as caught:
        pages(small, tmp_path, mine=extend("pod+", body))
    assert caught.value.where == f"the overlay {tmp_path}"
    assert caught.value.what == f"no such field: nope (in {field})"
    assert "pip install gojsonnet" in caught.value.hint


def test_the_built_in_overlay_needs_no_gojsonnet(without_gojsonnet: None) -> None:
    assert "core/v1/list.md" in files(load("1.35"), "jsonnet-docs", "default")


def test_overlays_are_evaluated_where_processes_are_not_forked(
    small: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on Windows and macOS: all that the other process gets can be pickled."""
    monkeypatch.setattr(
        evaluate, "multiprocessing", multiprocessing.get_context("spawn")
    )
    text = extend("pod+", "'#new'+: d.func.withArgs([d.arg('n', d.T.int)])")
    page = pages(small, tmp_path, mine=text)["core/v1/pod.md"]
    assert "* [`fn new(n)`](#fn-new)" in page
    with pytest.raises(TargetError, match="on purpose"):
        pages(small, tmp_path, mine=extend("pod+", "'#a': error 'on purpose'"))


@pytest.mark.parametrize("name", ["jsonnet", "jsonnet-docs"])
@pytest.mark.parametrize("text", ["{ core+: { v1+: ", "import 'missing'", "1"])
def test_no_target_prints_with_a_broken_overlay(
    small: Release, tmp_path: Path, name: str, text: str
) -> None:
    with pytest.raises(TargetError) as caught:
        files(small, name, str(overlay(tmp_path, mine=text)))
    assert str(tmp_path) in str(caught.value)


@pytest.mark.nightly
@pytest.mark.parametrize(
    "body",
    [
        # Frames are not counted in calls that are tailstrict.
        "local f(x) = f(x + 1) tailstrict, '#a': d.fn(f(0), []), a:: 1",
        "'#a': d.fn(std.join('', std.repeat(['x'], 9999999999)), []), a:: 1",
    ],
)
def test_an_overlay_cannot_crash_or_block_the_program(
    small: Release, tmp_path: Path, body: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(overlay_module, "_SECONDS", 5.0)
    with pytest.raises(TargetError, match=r"recursion|memory|longer than 5 seconds"):
        pages(small, tmp_path, mine=extend("pod+", body))


@pytest.mark.skipif(sys.platform != "linux", reason="other systems limit no memory")
def test_the_memory_of_the_caller_is_not_that_of_an_overlay(
    small: Release, tmp_path: Path
) -> None:
    """A large program calls kubestencil: the other process starts as a copy of it."""
    text = extend("pod+", "local f(n) = if n == 0 then 0 else f(n - 1), a:: f(99)")
    with mmap.mmap(-1, 4 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS):
        assert "core/v1/pod.md" in pages(small, tmp_path, mine=text)


@pytest.mark.parametrize(
    "value", ["{}", "{ 'function': 1 }", "d.val(1)", "{ object: { help: 2 } }"]
)
def test_malformed_documentation_is_refused(
    small: Release, tmp_path: Path, value: str
) -> None:
    with pytest.raises(TargetError, match=r"core\.v1\.pod\.#a is not documentation"):
        pages(small, tmp_path, mine=extend("pod+", f"'#a': {value}, a:: 1"))


def test_invalid_overlay_folders_are_refused(small: Release, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not a folder"):
        files(small, "jsonnet", str(tmp_path / "nope"))
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "same.libsonnet").write_text("{}")
    with pytest.raises(TargetError, match="same name"):
        files(small, "jsonnet", str(tmp_path))
    (tmp_path / "a" / "same.libsonnet").write_bytes(b"\xff")
    with pytest.raises(TargetError, match="UTF-8"):
        files(small, "jsonnet", str(tmp_path / "a"))
    (tmp_path / "a" / "needs.toml").write_text("core = 1")
    with pytest.raises(TargetError, match="does not list types"):
        files(small, "jsonnet", str(tmp_path / "a"))


def test_the_command_reports_a_mistake_with_file_and_line(
    run: Command, tmp_path: Path
) -> None:
    from tests.conftest import make_document

    (tmp_path / "small.json").write_text(json.dumps(make_document(SMALL)))
    overlay(tmp_path, mine="{ a: ")
    done = run(
        *("render", "x", "--spec", "small.json", "-t", "jsonnet-docs"),
        *("--set", f"jsonnet-docs.overlay={tmp_path}"),
    )
    assert done.returncode == 1
    assert f"error: {tmp_path / 'mine.libsonnet'}:1: " in done.stderr
