"""The CustomResourceDefinitions of other projects, and objects of their kinds, go through
every language.

``KUBESTENCIL_CRDS`` is a folder with files of both; none of them is in this repository.
Objects that are not of a kind in it, or that its schema refuses, are left out.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from kubestencil.engine import Target, load_targets
from kubestencil.schema import Release
from kubestencil.targets import generate_files
from tests.cluster import load_crds
from tests.crd_validation import errors, schema_of
from tests.language_trips import ROUND_TRIPS, assert_kept, round_trips

FOLDER = os.environ.get("KUBESTENCIL_CRDS", "")
pytestmark = [
    pytest.mark.nightly,
    pytest.mark.skipif(
        not FOLDER, reason="KUBESTENCIL_CRDS names no folder of CRDs and objects"
    ),
]


@cache
def _crds() -> tuple[dict[str, Any], ...]:
    return tuple(item for item in _files() if _is_crd(item))


@cache
def _files() -> tuple[dict[str, Any], ...]:
    """The objects in the files of the folder."""
    paths = sorted(Path(FOLDER).rglob("*"))
    texts = [path.read_text() for path in paths if path.suffix in (".yaml", ".json")]
    documents = [
        document
        for text in texts
        for document in yaml.load_all(text, yaml.CSafeLoader)
        if isinstance(document, dict)
    ]
    # Times are texts in JSON.
    return tuple(json.loads(json.dumps(documents, default=str)))


def _is_crd(item: Mapping[str, Any]) -> bool:
    return item.get("kind") == "CustomResourceDefinition"


@cache
def _release() -> Release:
    return load_crds(*_crds())


@cache
def _objects() -> tuple[Any, ...]:
    """The objects that a server would accept."""
    schemas = {
        (f"{crd['spec']['group']}/{version['name']}", crd["spec"]["names"]["kind"]): (
            schema_of(crd, version["name"])
        )
        for crd in _crds()
        for version in crd["spec"]["versions"]
        if version["served"]
    }
    return tuple(
        item
        for item in _files()
        if (schema := schemas.get((item.get("apiVersion", ""), item.get("kind", ""))))
        and not errors(schema, item)
    )


@pytest.mark.parametrize("target", round_trips(*ROUND_TRIPS))
def test_objects_of_real_kinds_are_kept(target: str, tmp_path: Path) -> None:
    assert _objects()
    assert_kept(target, _release(), tmp_path, list(_objects()))


@pytest.mark.parametrize(
    "target",
    [item for name, item in load_targets(None).items() if item.scope == "release"],
    ids=lambda item: item.name,
)
def test_every_target_of_a_release_has_files_of_real_kinds(target: Target) -> None:
    assert list(generate_files(_release(), target))
