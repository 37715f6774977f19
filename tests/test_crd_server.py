"""CustomResourceDefinitions beside what a real API server serves for them.

``KUBESTENCIL_CLUSTER`` is a tar archive of a cluster's documents: ``crds/crds.json`` (what
``kubectl get crds -o json`` prints) and ``crds/v3/*.json`` (what is served under
/openapi/v3).
"""

from __future__ import annotations

import json
import os
import tarfile
from collections.abc import Iterator
from typing import Any

import pytest

from kubestencil.schema.custom_resources.crd import custom_resource
from kubestencil.schema.custom_resources.standard_fields import StandardFields
from kubestencil.schema.documents.openapi3 import as_openapi2
from tests.cluster import comparable


@pytest.fixture(scope="module")
def cluster() -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """The CRDs that a 1.35 API server stored, and the OpenAPI 3.0 that it served."""
    archive = os.environ.get("KUBESTENCIL_CLUSTER")
    if not archive:
        pytest.skip("KUBESTENCIL_CLUSTER names no archive of a cluster's documents")
    with tarfile.open(archive) as files:
        crds: dict[str, Any] = {}
        documents: list[tuple[dict[str, Any], str]] = []
        for member in files:
            path = member.name.removeprefix("./")
            if path == "crds/crds.json":
                crds = json.load(files.extractfile(member))  # type: ignore[arg-type]
            elif path.startswith("crds/v3/"):
                document = json.load(files.extractfile(member))  # type: ignore[arg-type]
                if document.get("components", {}).get("schemas"):
                    documents.append((document, path))
    definitions: dict[str, Any] = {}
    for document, path in documents:
        definitions.update(as_openapi2(document, path)["definitions"])
    yield crds, definitions


def test_every_crd_of_a_real_server_is_read_as_the_server_serves_it(
    cluster: tuple[dict[str, Any], dict[str, Any]],
) -> None:
    crds, served = cluster
    standard = StandardFields.of(served)
    count = 0
    for item in crds["items"]:
        crd = {"apiVersion": "apiextensions.k8s.io/v1", **item}
        definitions = custom_resource(
            crd, "crds.json", standard, unserved=False
        ).definitions
        for name, schema in definitions.items():
            assert comparable(schema) == comparable(served[name]), name
            count += 1
    assert count == 356
