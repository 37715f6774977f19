"""Some of the documents that ``python -m tests.hostile`` makes, and what it found."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT, Command, make_document, read_files
from tests.test_crd_examples import widget

if sys.platform != "linux":
    pytest.skip("uses limits and audit events of Linux", allow_module_level=True)

# In CI 24 documents that it tries every time; other runs begin at another number.
_START = 0 if "CI" in os.environ else os.getpid() % 100_000 * 2


@pytest.mark.nightly
def test_generated_documents_break_nothing(run: Command) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.hostile", f"--start={_START}", "--count=24"],
        cwd=ROOT,
        env={**run.environment, "PYTHONPATH": f"{ROOT / 'generator'}:{ROOT}"},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_paths_of_a_report_go_through_definitions_that_are_references(
    run: Command, tmp_path: Path
) -> None:
    """They have no field that refers to the next definition."""
    for name, description in (("old", "One."), ("new", "Two.")):
        definitions: dict[str, Any] = {
            "x.v1.Thing": {
                "type": "object",
                "properties": {"a": {"$ref": "#/definitions/x.v1.Alias"}},
                "x-kubernetes-group-version-kind": [
                    {"group": "x.io", "version": "v1", "kind": "Thing"}
                ],
            },
            "x.v1.Alias": {"$ref": "#/definitions/x.v1.Map"},
            "x.v1.Map": {
                "type": "object",
                "additionalProperties": {"$ref": "#/definitions/x.v1.Part"},
            },
            "x.v1.Part": {
                "type": "object",
                "properties": {
                    "size": {
                        "type": "string" if name == "old" else "integer",
                        "description": description,
                    }
                },
            },
        }
        document = make_document(definitions)
        (tmp_path / f"{name}.json").write_text(json.dumps(document))
    done = run("diff", "old.json", "new.json")
    assert done.returncode == 0, done.stderr
    assert "Thing.a.size" in done.stdout


def test_a_definition_that_is_no_schema_is_refused_beside_custom_resources(
    run: Command, tmp_path: Path
) -> None:
    kind = {"group": "x.io", "version": "v1", "kind": "Thing"}
    thing = {"type": "object", "x-kubernetes-group-version-kind": [kind]}
    document = make_document({"io.x.v1.Thing": thing, "io.x.v1.Wrong": 1})
    (tmp_path / "spec.json").write_text(json.dumps(document))
    done = run("render", "x", "--spec", "spec.json", "-o", "out")
    assert done.returncode == 1
    assert "spec.json#/definitions/io.x.v1.Wrong: must be a schema" in done.stderr


def test_what_is_beside_a_reference_is_ignored(run: Command) -> None:
    """Objects in it are no types."""
    inner = {"type": "object", "properties": {"b": {"type": "string"}}}
    spec = {"properties": {"a": inner}, "$ref": "#/definitions/x.v1.In"}
    kind = [{"group": "x.io", "version": "v1", "kind": "In"}]
    definition = {
        "type": "object",
        "properties": {"spec": spec},
        "x-kubernetes-group-version-kind": kind,
    }
    alias = {"$ref": "#/definitions/x.v1.In", "properties": {"a": inner}}
    document = make_document({"x.v1.In": definition, "x.v1.Alias": alias})
    (run.folder / "a.json").write_text(json.dumps(document))
    done = run("render", "a", "--spec", "a.json", "-o", "out")
    assert done.returncode == 0, done.stderr


def test_definitions_without_a_served_version_are_printed(
    run: Command, tmp_path: Path
) -> None:
    crd = widget({"type": "object"})
    crd["spec"]["versions"][0]["served"] = False
    (tmp_path / "crd.json").write_text(json.dumps(crd))
    done = run("render", "--crds", "crd.json", "-o", "out")
    assert done.returncode == 0, done.stderr
    assert "crds/jsonschema/README.md" in read_files(tmp_path / "out")
