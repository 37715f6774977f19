"""kustomize's own files: what is checked in them is what kustomize decodes."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from kubestencil.schema.keywords import KINDS_KEYWORD, REFERENCE_PREFIX
from kubestencil.schema.knowledge.configurations import (
    KUSTOMIZE,
    configuration_definitions,
)
from tests.conftest import Command

DEFINITIONS = configuration_definitions("1.35")
# Fields of kustomize that an older kubectl has not.
NEWER = {
    "debug",
    "devel",
    "includeVolumeClaimTemplates",
    "kubeVersion",
    "sourceValue",
}
# kubectl may print an error as a quoted text.
_UNKNOWN = re.compile(r'unknown field \\?"(\w+)')


def decoded(folder: Path, kustomization: Mapping[str, Any]) -> str:
    """Why kustomize cannot decode a file; empty where it can."""
    folder.mkdir(exist_ok=True)
    (folder / "kustomization.yaml").write_text(json.dumps(kustomization))
    command = ["kubectl", "kustomize", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stderr if "json: " in done.stderr else ""


def refused(run: Command, folder: Path, kustomization: Mapping[str, Any]) -> list[str]:
    """The rules that a check finds broken."""
    (folder / "kustomization.yaml").write_text(json.dumps(kustomization))
    done = run("check", "kustomization.yaml", "--to", "1.35", "-f", "json", "-q")
    return [finding["rule"] for finding in json.loads(done.stdout)["findings"]]


def places(
    name: str, seen: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Mapping[str, Any]]]:
    """Where objects of a type can be, and their schemas: fields, and "0" for items."""
    schema = DEFINITIONS[name]
    yield (), schema
    for field, value in schema["properties"].items():
        path: tuple[str, ...] = (field,)
        if value.get("type") == "array":
            path, value = (field, "0"), value["items"]
        reference = value.get("$ref", "").removeprefix(REFERENCE_PREFIX)
        if reference and reference not in seen:
            for inner, found in places(reference, (*seen, reference)):
                yield (*path, *inner), found


def at(path: tuple[str, ...], value: Any) -> Any:
    """A file that has a value at a path, and nothing else."""
    for key in reversed(path):
        value = [value] if key == "0" else {key: value}
    return value


@pytest.mark.nightly
@pytest.mark.peer("kubectl")
def test_fields_are_those_that_kustomize_decodes(tmp_path: Path) -> None:
    """All fields of each type are known, and another one is refused."""
    asked = 0
    for name, schema in DEFINITIONS.items():
        for kind in schema.get(KINDS_KEYWORD, ()) if KUSTOMIZE in name else ():
            names = {
                "apiVersion": f"{kind['group']}/{kind['version']}",
                "kind": kind["kind"],
            }
            for path, found in places(name):
                fields = dict.fromkeys(found["properties"])
                if not path:
                    fields |= names
                while error := decoded(tmp_path / "m", {**at(path, fields), **names}):
                    unknown = _UNKNOWN.search(error)
                    assert unknown and unknown[1] in NEWER, (path, error)
                    del fields[unknown[1]]
                # An older kubectl has a map of the options of a patch.
                if found != DEFINITIONS[f"{KUSTOMIZE}api.types.PatchArgs"]:
                    other = {**at(path, {"kustom": 1}), **names}
                    assert "unknown field" in decoded(tmp_path / "m", other)
                asked += 1
    assert asked > 50


CASES = [
    {"resource": []},
    {"namePrefix": True},
    {"commonLabels": {"a": 1}},
    {"replicas": [{"name": "a", "count": "1"}]},
    {"patches": ["a.yaml"]},
    {"resources": "a.yaml"},
    {"generatorOptions": {"immutable": "true"}},
    {"replacements": [{"source": {"options": {"index": "1"}}}]},
    {"images": [{"name": "a", "newTag": 1}]},
    {"Images": [{"NAME": 1}]},
    {"Images": [{"NAME": "a"}]},
    {"images": [{"name": None}], "vars": None},
    {"commonAnnotations": {"a": None}},
    {"replacements": [{"source": {"options": {"index": 1}}}]},
]


@pytest.mark.peer("kubectl")
@pytest.mark.parametrize("case", CASES, ids=map(json.dumps, CASES))
def test_check_refuses_what_kustomize_refuses(
    run: Command, tmp_path: Path, case: Mapping[str, Any]
) -> None:
    """With the kind, and without it, which kustomize fills in."""
    names = {"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization"}
    for kustomization in (case, {**names, **case}):
        is_refused = bool(decoded(tmp_path / "m", kustomization))
        assert bool(refused(run, tmp_path, kustomization)) == is_refused


def test_mistakes_in_a_kustomization_are_found(run: Command, tmp_path: Path) -> None:
    assert refused(run, tmp_path, {"resource": [], "replicas": [{"count": "1"}]}) == [
        "unknown-field",
        "wrong-type",
    ]
    assert refused(run, tmp_path, {"sortOptions": {"order": "first"}}) == [
        "invalid-enum"
    ]
    component = {
        "apiVersion": "kustomize.config.k8s.io/v1alpha1",
        "kind": "Component",
        "resources": ["a.yaml"],
    }
    assert refused(run, tmp_path, component) == []
