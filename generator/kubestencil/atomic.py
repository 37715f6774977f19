"""Atomic file writes."""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path

#: The suffix of a file that is still being written.
PARTIAL_SUFFIX = ".part"


def write(path: Path, data: bytes) -> None:
    """Write a file atomically, and create its parent folders; a file that is there keeps
    its permissions.

    A concurrent reader sees either the old content or all of ``data``; two processes
    may write the same file. Raises OSError, in which case nothing changed. A killed
    process may leave a temporary file beside it whose name ends in
    ``PARTIAL_SUFFIX``.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f"{path.name}.{os.getpid()}{PARTIAL_SUFFIX}")
    try:
        # In a folder of a stranger, a link of this name could lead anywhere.
        temporary.unlink(missing_ok=True)
        with temporary.open("xb") as file:
            with contextlib.suppress(FileNotFoundError):
                shutil.copymode(path, temporary)
            file.write(data)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
