"""A file that is there whole, or as it was before."""

from __future__ import annotations

import os
from pathlib import Path

#: How the name of a file ends while it is being written.
PART = ".part"


def write(path: Path, data: bytes) -> None:
    """Write a file, and the folders that it is in.

    Whoever reads it meanwhile finds what was there, or all of ``data``; two processes
    may write the same file. Raises OSError, and leaves nothing then. A process that is
    killed may leave a file beside it, whose name ends in ``PART``.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    waiting = path.with_name(f"{path.name}.{os.getpid()}{PART}")
    try:
        waiting.write_bytes(data)
        waiting.replace(path)
    except BaseException:
        waiting.unlink(missing_ok=True)
        raise
