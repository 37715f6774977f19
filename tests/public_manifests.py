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
from collections.abc import Mapping
from pathlib import Path
from typing import Any

FOLDER = os.environ.get("KUBESTENCIL_MANIFESTS")

#: File, document and item.
Key = tuple[str, int, int]


def extract(folder: Path) -> Path:
    """The manifests, as files in a folder."""
    with tarfile.open(Path(FOLDER or "", "manifests.tar.xz")) as archive:
        archive.extractall(folder, filter="data")
    return folder


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
