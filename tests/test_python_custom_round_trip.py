"""Objects of custom resources survive reading and writing, value by value."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kubestencil.schema import Release
from kubestencil.targets.examples.trees import ExampleTrees
from tests.cluster import load_crds
from tests.crd_schemas import CLUSTER_SCOPED, EVERY_KEYWORD, random_definitions
from tests.packages import generate_package, import_package
from tests.python_crds import GADGET, in_group

PACKAGE = "round_trip_models"
CRDS = [
    EVERY_KEYWORD,
    CLUSTER_SCOPED,
    in_group(GADGET, "other.example.com"),
    *random_definitions(seed=12, count=20),
]


@pytest.fixture(scope="module")
def release() -> Release:
    return load_crds(*CRDS)


@pytest.fixture(scope="module")
def models(release: Release, tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("models")
    return import_package(generate_package(release, folder, PACKAGE), PACKAGE)


def as_text(value: Any) -> str:
    """A JSON value as a text that tells 1, 1.0 and true apart."""
    return json.dumps(value, sort_keys=True)


def test_every_example_is_written_as_it_was_read(release: Release, models: Any) -> None:
    trees = ExampleTrees(release)
    count = 0
    for definition in release.definitions.values():
        for kind in definition.kinds:
            model = models.model_for(kind.api_version, kind.kind)
            for raw in (trees.required(definition), trees.all_fields(definition)):
                if raw is None:
                    continue
                read = model.from_dict(raw, strict=True)
                assert as_text(read.to_dict()) == as_text(raw)
                assert as_text(json.loads(read.to_json())) == as_text(raw)
                for dump in (models.dump, models.dump_json):
                    (loaded,) = models.load(dump(read), strict=True)
                    assert as_text(loaded.to_dict()) == as_text(raw)
                count += 1
    assert count > 80
