"""Objects that a real API server accepts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kubestencil.source.yaml import documents


def manifests() -> list[dict[str, Any]]:
    """The objects of all files in this folder."""
    return [
        document.value
        for path in sorted(Path(__file__).parent.glob("*.yaml"))
        for document in documents(path.read_text(), path.name)
    ]
