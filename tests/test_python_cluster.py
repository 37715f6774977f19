"""The Python package of 127 CustomResourceDefinitions of a real API server."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kubestencil.schema import Release, Schema
from kubestencil.schema.graph import walk
from kubestencil.schema.well_known import is_built_in
from kubestencil.targets.languages.python.types import is_any_resource
from tests.cluster import load_crds, stored_crds
from tests.packages import generate_package

PACKAGE = "cluster_models"


@pytest.fixture(scope="module")
def release() -> Release:
    return load_crds(*stored_crds())


@pytest.fixture(scope="module")
def folder(release: Release, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return generate_package(release, tmp_path_factory.mktemp("cluster"), PACKAGE)


def modules(folder: Path) -> list[Path]:
    """The files with classes of custom kinds."""
    return [
        path
        for path in sorted((folder / PACKAGE).glob("*/*/_*.py"))
        if path.name != "__init__.py"
    ]


@pytest.mark.nightly
def test_every_kind_is_imported_with_all_of_its_classes(folder: Path) -> None:
    code = f"""
import sys
import {PACKAGE} as package
from {PACKAGE} import _kinds
count = 0
for group in package._GROUPS:
    for version in getattr(package, group).__all__:
        module = getattr(getattr(package, group), version)
        for name in module.__all__:
            assert getattr(module, name).__name__ == name
            count += 1
for api_version, kinds in _kinds.CUSTOM_KINDS.items():
    for kind in kinds:
        model = package.model_for(api_version, kind)
        assert model.__name__ == kind or model.__name__.startswith("Model"), kind
print(count, sum(map(len, _kinds.CUSTOM_KINDS.values())))
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    classes, kinds = map(int, done.stdout.split())
    assert kinds == 356
    assert classes > 10_000


def annotated_names(folder: Path) -> Iterator[set[str]]:
    """The names in the annotation of each attribute of a custom class."""
    for path in modules(folder):
        for node in ast.walk(ast.parse(path.read_text())):
            for statement in node.body if isinstance(node, ast.ClassDef) else ():
                if isinstance(statement, ast.AnnAssign):
                    names = ast.walk(statement.annotation)
                    yield {name.id for name in names if isinstance(name, ast.Name)}


def is_left_open(schema: Schema, release: Release) -> bool:
    """Whether a schema, or one nested in it, says nothing of its values."""
    for _, nested in walk(schema, ("", None)):
        if nested.ref is not None:
            nested = release.definitions[nested.ref].schema
        if is_any_resource(nested):
            return True
        is_any = nested.type is None and not nested.int_or_string
        is_any_object = nested.type == "object" and nested.values is None
        if (is_any or is_any_object) and not nested.fields and not nested.enum:
            return True
    return False


#: The names in annotations of what a schema says nothing of.
_OPEN = {"Any", "EmbeddedObject", "EmptyObject", "JsonObject", "WithoutFields"}


def test_what_is_not_typed_is_what_the_schema_leaves_open(
    release: Release, folder: Path
) -> None:
    attributes = list(annotated_names(folder))
    untyped = sum(bool(names & _OPEN) for names in attributes)
    fields = [
        field
        for definition in release.definitions.values()
        if not is_built_in(definition.name) and not is_any_resource(definition.schema)
        for field in definition.fields
    ]
    assert len(attributes) == len(fields) > 40_000
    assert untyped == sum(is_left_open(field.schema, release) for field in fields)
    assert untyped / len(fields) < 0.01
