"""The CustomResourceDefinitions among the manifests that are checked."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from kubestencil.checking.files.find import ManifestFile
from kubestencil.checking.files.manifests import Item, Manifest, ParsedManifests
from kubestencil.errors import SourceError
from kubestencil.schema.lazy import FOUND
from kubestencil.source.document import CrdSet, SourceFile

_GROUP = "apiextensions.k8s.io/"
_KIND = "CustomResourceDefinition"


def definitions_in(
    files: Iterable[ManifestFile], parsed: ParsedManifests, *, unserved: bool
) -> CrdSet | None:
    """The CustomResourceDefinitions in files, as they are written: none of them need be
    valid. None where there is none; what cannot be read is reported where it is checked.
    """
    found = tuple(_with_definitions(files, parsed))
    names = tuple(file.origin for file in found)
    return CrdSet(names, found, unserved=unserved) if found else None


def _with_definitions(
    files: Iterable[ManifestFile], parsed: ParsedManifests
) -> Iterator[SourceFile]:
    seen: set[bytes] = set()
    for file in files:
        if file.reason_to_skip or file.is_part:
            continue
        try:
            data = file.read()
        except SourceError:
            continue
        # UTF-16 has zeros between the characters.
        if _KIND.encode() not in data.replace(b"\0", b""):
            continue
        # Repositories beside each other often have the same copy of a definition.
        digest = hashlib.sha256(data).digest()
        if digest in seen:
            continue
        seen.add(digest)
        definitions = list(_definitions(parsed.parse(data, file.name)))
        if definitions:
            text = json.dumps({"kind": "List", "items": definitions}, default=str)
            yield SourceFile(f"{FOUND}{file.name}", text.encode())


def _definitions(items: Iterable[Item]) -> Iterator[Mapping[str, Any]]:
    for item in items:
        if isinstance(item, Manifest) and not item.is_patch:
            value = item.value
            if value["kind"] == _KIND and value["apiVersion"].startswith(_GROUP):
                yield value
