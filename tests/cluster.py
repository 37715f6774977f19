"""What an API server with 127 CustomResourceDefinitions serves and stores.

``KUBESTENCIL_CLUSTER`` is a tar archive of a cluster's documents: ``crds/crds.json`` is
what ``kubectl get crds -o json`` prints, ``crds/openapi-v2.json`` what is served under
/openapi/v2, ``crds/v3/*.json`` under /openapi/v3. ``bare`` has the same for a server without CustomResourceDefinitions.
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
    items: list[dict[str, Any]] = json.loads(served_document("crds.json"))["items"]
    return [_TYPE | item for item in items]


def installable_crds() -> list[dict[str, Any]]:
    """The same, as they can be created in another cluster: no version is converted by a
    webhook, which only the cluster has."""
    return [
        {
            **_TYPE,
            "metadata": {
                "name": item["metadata"]["name"],
                # Groups of Kubernetes itself need one.
                "annotations": item["metadata"].get("annotations", {}),
            },
            "spec": {**item["spec"], "conversion": {"strategy": "None"}},
        }
        for item in stored_crds()
    ]


def served_document(name: str, server: str = "crds") -> bytes:
    """A file of the archive; skips the test where there is no archive."""
    archive = os.environ.get("KUBESTENCIL_CLUSTER")
    if not archive:
        pytest.skip("KUBESTENCIL_CLUSTER names no archive of a cluster's documents")
    return _read(archive, f"{server}/{name}")


@cache
def _read(archive: str, path: str) -> bytes:
    with tarfile.open(archive) as files:
        for member in files:
            file = files.extractfile(member)
            if file is not None and member.name.removeprefix("./") == path:
                return file.read()
    raise AssertionError(f"{archive} has no {path}")


def crd_file(crds: Iterable[dict[str, Any]]) -> SourceFile:
    """A file of CustomResourceDefinitions."""
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": list(crds)})
    return SourceFile("crds.json", text.encode())


def load_crds(*crds: dict[str, Any], unserved: bool = False) -> Release:
    """The release of CustomResourceDefinitions."""
    crd_set = CrdSet(("crds.json",), (crd_file(crds),), unserved=unserved)
    return load_release(crds_alone("crds", crd_set))


def comparable(schema: Any) -> Any:
    """A schema without the descriptions of embedded objects' apiVersion and kind:
    those of the server are shorter than those of a kind, which are used here."""
    if isinstance(schema, list):
        return [comparable(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    result = {key: comparable(value) for key, value in schema.items()}
    if schema.get("x-kubernetes-embedded-resource"):
        for name in ("apiVersion", "kind"):
            if name in result.get("properties", {}):
                result["properties"][name] = {"type": "string"}
    return result
