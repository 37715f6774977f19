"""Reads files of folders that other people may have filled."""

from __future__ import annotations

import os
import stat
from pathlib import Path

#: In bytes: what no generated file and no record reaches.
MAX_BYTES = 1 << 30
# Of systems that have them: opening a FIFO waits for nothing.
_OPEN = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def read(path: Path | str, limit: int = MAX_BYTES) -> bytes:
    """The bytes of a regular file, or of one that a symbolic link leads to.

    Raises OSError where there is none, where it is another kind of file, such as a FIFO
    or a device, and where it has more than ``limit`` bytes.
    """
    with os.fdopen(os.open(path, _OPEN), "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise OSError(0, "is not a regular file", str(path))
        data = file.read(limit + 1) if status.st_size <= limit else b""
        if status.st_size > limit or len(data) > limit:
            raise OSError(0, f"has more than {limit} bytes", str(path))
        return data
