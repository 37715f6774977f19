"""Specs in a folder: ``1.35.json`` (or .yaml, .yml) is the document of 1.35."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from kubestencil.errors import SourceError
from kubestencil.source.document import MAX_BYTES, Source

_SUFFIXES = (".json", ".yaml", ".yml")


def releases(folder: Path) -> Mapping[str, Path]:
    """The file of each release in ``folder``; JSON goes before YAML."""
    if not folder.is_dir():
        return {}
    found: dict[str, Path] = {}
    for suffix in reversed(_SUFFIXES):
        for path in folder.glob(f"[0-9]*.[0-9]*{suffix}"):
            found[path.name.removesuffix(suffix)] = path
    return found


def read(release: str, path: Path) -> Source:
    """The document in the file ``path``, to be printed as ``release``."""
    return Source(release, str(path), read_bytes(path))


def read_bytes(path: Path) -> bytes:
    """What is in a file. Raises SourceError where it cannot be read."""
    try:
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise SourceError(
                f"has {size:,} bytes; a spec of more than {MAX_BYTES:,} is not read",
                where=str(path),
            )
        return path.read_bytes()
    except OSError as error:
        raise SourceError(
            f"cannot be read: {error.strerror}", where=str(path)
        ) from error
