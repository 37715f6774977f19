"""Catalogues of CustomResourceDefinitions: limits that can be lifted, files that are
decoded once, and work that grows in proportion to the schemas."""

from __future__ import annotations

import json
import os
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kubestencil.build.run import render
from kubestencil.diff.compare import compare
from kubestencil.engine import Target, load_targets
from kubestencil.errors import SourceError, SpecError, UsageError
from kubestencil.schema import Release
from kubestencil.schema.custom_resources import definitions as custom_module
from kubestencil.schema.load import load_release
from kubestencil.source import limits
from kubestencil.source.document import CrdSet, SourceFile
from kubestencil.source.folder import read_bytes
from kubestencil.source.inputs import crds_alone, read_crds, read_location
from kubestencil.source.remote import read_file
from tests.crd_schemas import definition, version
from tests.strategies import generate_all_files


def schema(chosen: random.Random, depth: int) -> dict[str, Any]:
    if depth == 0:
        kind = chosen.choice(["string", "integer", "boolean"])
        words = chosen.choices(["the", "size", "of", "a", "list", "in", "bytes"], k=8)
        return {"type": kind, "description": f"{' '.join(words).capitalize()}."}
    properties = {
        f"{chosen.choice(['name', 'size', 'mode', 'ref'])}{index}": schema(
            chosen, chosen.randrange(depth)
        )
        for index in range(4)
    }
    return {"type": "object", "description": "An object.", "properties": properties}


def crd(kind: str, versions: int = 1) -> dict[str, Any]:
    chosen = random.Random(kind)
    return definition(
        kind,
        *(
            version(
                f"v{number}",
                {"type": "object", "properties": {"spec": schema(chosen, 3)}},
                storage=number == versions,
            )
            for number in range(1, versions + 1)
        ),
    )


def release_of(*crds: dict[str, Any]) -> Release:
    files = (
        SourceFile(f"{index}.json", json.dumps(crd).encode())
        for index, crd in enumerate(crds)
    )
    return load_release(crds_alone("crds", CrdSet(("crds/",), tuple(files))))


def write_folder(folder: Path, *objects: dict[str, Any]) -> Path:
    folder.mkdir()
    for index, value in enumerate(objects):
        (folder / f"{index}.yaml").write_text(json.dumps(value))
    return folder


class Calls:
    """Counts the calls of functions, which no other program on the machine changes."""

    count = 0

    def __enter__(self) -> Calls:
        sys.setprofile(self.event)
        return self

    def __exit__(self, *error: object) -> None:
        sys.setprofile(None)

    def event(self, frame: object, event: str, argument: object) -> None:
        if event in ("call", "c_call"):
            self.count += 1


def sizes() -> Iterator[list[dict[str, Any]]]:
    """4, 8 and 16 CustomResourceDefinitions, each with names of its own: what releases
    have in common is generated once."""
    for count in (4, 8, 16):
        yield [crd(f"Kind{count}Number{index}") for index in range(count)]


def check_growth(counts: list[int]) -> None:
    """What the first ones and the program itself need is in every number."""
    small, middle, large = counts
    assert large - middle <= 2.4 * (middle - small), counts


TARGETS = load_targets(None)


@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS)
def test_generating_grows_in_proportion_to_the_schemas(target: Target) -> None:
    counts: list[int] = []
    # Modules are imported, and templates compiled, before anything is counted.
    list(generate_all_files([release_of(crd("Other"))], target))
    for crds in sizes():
        release = release_of(*crds)
        with Calls() as calls:
            for _ in generate_all_files([release], target):
                pass
        counts.append(calls.count)
    if target.min_releases < 2:
        check_growth(counts)


def test_reading_and_comparing_grow_in_proportion_to_the_schemas() -> None:
    counts: list[int] = []
    release_of(crd("Other"))
    for crds in sizes():
        changed = [crd(f"Kind{index}", versions=2) for index in range(len(crds))]
        with Calls() as calls:
            compare(release_of(*crds), release_of(*changed))
        counts.append(calls.count)
    check_growth(counts)


def test_a_kind_may_have_300_versions() -> None:
    release = release_of(crd("Widget", versions=300))
    assert len(release.resources) == 300
    assert "com.example.v300.WidgetSpec" in release.definitions
    files = list(generate_all_files([release], TARGETS["typescript"]))
    assert any("v300" in file.path for file in files)


def test_the_size_limit_is_said_and_can_be_lifted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MAX_BYTES", 100)
    path = tmp_path / "crds.json"
    path.write_text(json.dumps(crd("Widget")))
    for read in (lambda: read_bytes(path), lambda: read_file(str(path))):
        with pytest.raises(SourceError, match="the limit is 100") as error:
            read()
        assert "set KUBESTENCIL_MAX_BYTES to a higher number" in error.value.hint
    monkeypatch.setenv("KUBESTENCIL_MAX_BYTES", "100000")
    assert len(read_file(str(path)).data) == path.stat().st_size
    monkeypatch.setenv("KUBESTENCIL_MAX_BYTES", "64Mi")
    with pytest.raises(UsageError, match="not a number of bytes"):
        read_bytes(path)


def test_objects_without_definitions_are_named(tmp_path: Path) -> None:
    objects = [{"apiVersion": "v1", "kind": kind} for kind in ("ConfigMap", "Secret")]
    folder = write_folder(tmp_path / "objects", *objects)
    source = crds_alone("objects", read_crds([str(folder)], unserved=False))
    with pytest.raises(SpecError, match="2 objects of other kinds") as error:
        load_release(source)
    assert "ConfigMap, Secret" in error.value.what
    assert "crds/" in error.value.hint


def test_an_error_in_a_folder_of_openapi_3_names_the_file(tmp_path: Path) -> None:
    def document(name: str, kind: str) -> dict[str, Any]:
        schemas = {f"com.example.v1.{name}": {"type": kind, "description": "."}}
        return {"openapi": "3.0.0", "paths": {}, "components": {"schemas": schemas}}

    folder = write_folder(
        tmp_path / "v3", document("Gadget", "object"), document("Widget", "thing")
    )
    with pytest.raises(SpecError) as error:
        load_release(read_location(str(folder), "cluster"))
    assert error.value.where == (
        f"{folder}/1.yaml#/components/schemas/com.example.v1.Widget/type"
    )


@pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux")
def test_processes_share_what_was_decoded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_folder(tmp_path / "crds", crd("Widget"), crd("Gadget"))
    log = tmp_path / "log"
    read_objects = custom_module.read_objects

    def logged(file: SourceFile) -> Any:
        with log.open("a") as lines:
            lines.write(f"{os.getpid()} {file.origin}\n")
        return read_objects(file)

    monkeypatch.setattr(custom_module, "read_objects", logged)
    source = read_location(str(folder), "crds")
    targets = [TARGETS["typescript"], TARGETS["jsonschema"], TARGETS["jsonnet"]]
    summary = render([source], targets, tmp_path / "out", jobs=2)
    assert len(summary.trees) == 3
    lines = log.read_text().splitlines()
    assert sorted(lines) == [f"{os.getpid()} {folder}/{n}.yaml" for n in range(2)]
