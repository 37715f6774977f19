"""Catalogues of CustomResourceDefinitions: limits that can be lifted, files that are
decoded once, and work that grows in proportion to the schemas."""

from __future__ import annotations

import itertools
import json
import random
from collections import deque
from pathlib import Path
from typing import Any

import pytest

from kubestencil.diff.compare import compare
from kubestencil.engine import Target, load_targets
from kubestencil.errors import SourceError, SpecError, UsageError
from kubestencil.schema.load import load_release
from kubestencil.source import limits
from kubestencil.source.folder import read_bytes, read_file
from kubestencil.source.inputs import crds_alone, read_crds, read_location
from tests.cluster import load_crds
from tests.crd_schemas import definition, version
from tests.growth import assert_proportional, processor_time
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


def write_folder(folder: Path, *objects: dict[str, Any]) -> Path:
    folder.mkdir()
    for index, value in enumerate(objects):
        (folder / f"{index}.yaml").write_text(json.dumps(value))
    return folder


TARGETS = {
    name: target
    for name, target in load_targets(None).items()
    if target.scope != "manifests"
}
_numbers = itertools.count()


def new_crds(count: int, versions: int = 1) -> list[dict[str, Any]]:
    """CustomResourceDefinitions with names that no others have: what several releases
    have in common is generated once."""
    return [crd(f"Kind{next(_numbers)}", versions) for _ in range(count)]


@pytest.mark.growth
@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS)
def test_generating_grows_in_proportion_to_the_schemas(target: Target) -> None:
    def seconds(count: int) -> float:
        releases = [load_crds(*new_crds(count)) for _ in range(target.min_releases)]
        return processor_time(
            lambda: deque(generate_all_files(releases, target), maxlen=0)
        )

    seconds(1)  # Modules are imported, and templates compiled.
    assert_proportional(seconds, 16)


@pytest.mark.growth
def test_reading_and_comparing_grow_in_proportion_to_the_schemas() -> None:
    def seconds(count: int) -> float:
        crds, changed = new_crds(count), new_crds(count, versions=2)
        return processor_time(lambda: compare(load_crds(*crds), load_crds(*changed)))

    seconds(1)
    assert_proportional(seconds, 16)


def test_a_kind_may_have_300_versions() -> None:
    release = load_crds(crd("Widget", versions=300))
    assert len(release.resources) == 300
    assert "com.example.v300.WidgetSpec" in release.definitions
    files = list(generate_all_files([release], TARGETS["typescript"]))
    assert any("v300" in file.path for file in files)


def test_the_site_of_a_catalogue_lists_its_projects(tmp_path: Path) -> None:
    """The folders of a catalogue, with the groups that each has."""
    for project, group in (("web", "a.example.com"), ("data & co", "b.example.com")):
        value = crd("Widget")
        value["spec"]["group"] = group
        value["metadata"]["name"] = f"widgets.{group}"
        (tmp_path / "all").mkdir(exist_ok=True)
        write_folder(tmp_path / "all" / project, value)
    crds = read_crds([f"{tmp_path}/all/"], unserved=False)
    release = load_release(crds_alone("crds", crds))
    pages = {file.path: file for file in generate_all_files([release], TARGETS["site"])}
    page = next(
        file for path, file in pages.items() if path.endswith("crds/index.html")
    )
    text = page.data.decode()
    marks = ['id="project-data &amp; co"', ">data &amp; co</a>"]
    marks += ['href="b.example.com/', ">web</a>", 'href="a.example.com/']
    assert [text.count(mark) > 0 for mark in marks] == [True] * 5
    assert text.index(marks[2]) < text.index(marks[4])


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
