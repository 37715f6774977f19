"""The manifests of Helm releases, which Helm keeps in Secrets and ConfigMaps.

Source: https://github.com/helm/helm, pkg/storage/driver/util.go (encodeRelease).
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping
from typing import Any, NamedTuple

from kubestencil.checking.clusters.kubectl import text_at
from kubestencil.errors import SourceError
from kubestencil.source.decoding import decode_json, decode_text
from kubestencil.source.limits import max_bytes, too_large

#: The labels of what has the current revision of a release.
LABELS: Mapping[str, str] = {"owner": "helm", "status": "deployed"}
_GZIP = b"\x1f\x8b"


class HelmRelease(NamedTuple):
    """A release: its name, namespace and revision, and its rendered templates."""

    name: str
    namespace: str
    revision: str
    manifest: str


def is_release(value: Mapping[str, Any]) -> bool:
    """Whether an object has the current revision of a release."""
    return all(
        text_at(value, "metadata", "labels", name) == label
        for name, label in LABELS.items()
    )


def read_release(value: Mapping[str, Any], where: str) -> HelmRelease:
    """The release in a Secret or ConfigMap. Raises SourceError or SpecError where it
    has none, and for one that is larger than a document may be."""
    data: bytes | str = text_at(value, "data", "release")
    try:
        if value.get("kind") == "Secret":
            data = base64.b64decode(data, validate=True)
        data = base64.b64decode(data, validate=True)
        if data.startswith(_GZIP):
            decompressor = zlib.decompressobj(wbits=31)
            data = decompressor.decompress(data, max_bytes())
            if decompressor.unconsumed_tail:
                raise too_large(where, "more")
    except (ValueError, zlib.error) as error:
        raise SourceError("is no Helm release", where=where) from error
    release = decode_json(decode_text(data, where), where)
    release = release if isinstance(release, dict) else {}
    return HelmRelease(
        text_at(release, "name"),
        text_at(release, "namespace"),
        str(release.get("version", "")),
        text_at(release, "manifest"),
    )
