"""Public manifests with what real API servers say about the objects in them.

``KUBESTENCIL_MANIFESTS`` is a folder with ``manifests.tar.xz`` and
``verdicts-<release>.jsonl.xz``: a line for each object, with its file, the index of its
document and of its item in a list, and the status of a dry run with strict field
validation. 400 is refused at decoding, 422 by validation, 0 says that the server has no
such kind.
"""

from __future__ import annotations

import json
import lzma
import os
import tarfile
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from kubestencil.checking.files.manifests import Manifest, read_manifests

FOLDER = os.environ.get("KUBESTENCIL_MANIFESTS")

#: File, document and item.
Key = tuple[str, int, int]


def extract(folder: Path) -> Path:
    """The manifests, as files in a folder."""
    with tarfile.open(Path(FOLDER or "", "manifests.tar.xz")) as archive:
        archive.extractall(folder, filter="data")
    return folder


def objects() -> Iterator[tuple[Key, Any]]:
    """The objects in the manifests."""
    with tempfile.TemporaryDirectory() as name:
        folder = extract(Path(name))
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            for item in read_manifests(path.read_bytes(), str(path)):
                if isinstance(item, Manifest):
                    file = path.relative_to(folder).as_posix()
                    yield (file, item.subject.document, item.subject.item), item.value


def verdicts(release: str, *statuses: int) -> Mapping[Key, dict[str, Any]]:
    """The verdicts of a server with these statuses, by object."""
    path = Path(FOLDER or "", f"verdicts-{release}.jsonl.xz")
    with lzma.open(path, "rt") as lines:
        rows = list(map(json.loads, lines))
    return {
        (row["file"], row["document"], row["item"]): row
        for row in rows
        if row["status"] in statuses
    }
