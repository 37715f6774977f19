"""What an API server with 127 CustomResourceDefinitions serves and stores.

``KUBESTENCIL_CLUSTER`` is a tar archive of a cluster's documents: ``crds/crds.json`` is
what ``kubectl get crds -o json`` prints.
"""

from __future__ import annotations

import json
import os
import tarfile
from collections.abc import Iterable
from functools import cache
from typing import Any

import pytest

from kubestencil.schema import Release
from kubestencil.schema.load import load_release
from kubestencil.source.document import CrdSet, SourceFile
from kubestencil.source.inputs import crds_alone

# Items of a list have no apiVersion and kind.
_TYPE = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition"}


def stored_crds() -> list[dict[str, Any]]:
    """The CustomResourceDefinitions; skips the test where there is no archive."""
    archive = os.environ.get("KUBESTENCIL_CLUSTER")
    if not archive:
        pytest.skip("KUBESTENCIL_CLUSTER names no archive of a cluster's documents")
    return _read(archive)


@cache
def _read(archive: str) -> list[dict[str, Any]]:
    with tarfile.open(archive) as files:
        for member in files:
            if member.name.removeprefix("./") == "crds/crds.json":
                items: list[dict[str, Any]] = json.load(files.extractfile(member))[  # type: ignore[arg-type]
                    "items"
                ]
                return [_TYPE | item for item in items]
    raise AssertionError(f"{archive} has no crds/crds.json")


def crd_file(crds: Iterable[dict[str, Any]]) -> SourceFile:
    """A file of CustomResourceDefinitions."""
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": list(crds)})
    return SourceFile("crds.json", text.encode())


def load_crds(*crds: dict[str, Any]) -> Release:
    """The release of CustomResourceDefinitions."""
    return load_release(crds_alone("crds", CrdSet(("crds.json",), (crd_file(crds),))))
