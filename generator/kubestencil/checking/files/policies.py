"""What admission policies see of a cluster: the objects of their manifests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kubestencil.checking.files.find import find_files
from kubestencil.checking.files.manifests import Manifest, read_manifests
from kubestencil.errors import UsageError


def policy_objects(paths: Sequence[str]) -> list[Mapping[str, Any]]:
    """The objects of manifests, CustomResourceDefinitions before their objects.

    Raises UsageError for a path that does not exist, and where there is no policy,
    SourceError for a file that cannot be read.
    """
    objects = [
        item.value
        for file in find_files(paths)
        if not file.reason_to_skip
        for item in read_manifests(file.read(), file.name)
        if isinstance(item, Manifest)
    ]
    if not any(value["kind"].endswith("AdmissionPolicy") for value in objects):
        raise UsageError(
            "no ValidatingAdmissionPolicy and no MutatingAdmissionPolicy",
            where=f"--policies {', '.join(paths)}",
        )
    return sorted(
        objects, key=lambda value: value["kind"] != "CustomResourceDefinition"
    )
