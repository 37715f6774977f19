"""The manifests of Helm releases, which Helm keeps in Secrets and ConfigMaps.

Source: https://github.com/helm/helm, pkg/storage/driver/util.go (encodeRelease).
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping
from typing import Any

from kubestencil.checking.files.find import ManifestFile
from kubestencil.checking.paths import text_at
from kubestencil.errors import SourceError
from kubestencil.source.decoding import decode_json, decode_text
from kubestencil.source.limits import max_bytes, too_large

#: The labels of what has the current revision of a release.
LABELS: Mapping[str, str] = {"owner": "helm", "status": "deployed"}
_GZIP = b"\x1f\x8b"


def is_release(value: Mapping[str, Any]) -> bool:
    """Whether an object has the current revision of a release."""
    return all(
        text_at(value, "metadata", "labels", name) == label
        for name, label in LABELS.items()
    )


def read_release(value: Mapping[str, Any], where: str) -> ManifestFile:
    """The rendered templates of the release in a Secret or ConfigMap.

    Raises SourceError or SpecError where it has none, and for one that is larger than a
    document may be.
    """
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
    namespace, name = text_at(release, "namespace"), text_at(release, "name")
    content = text_at(release, "manifest").encode("utf-8", "replace")
    revision = release.get("version", "")
    manager = f"helm release {namespace}/{name}, revision {revision}"
    return ManifestFile(where, content=content, manager=manager)
