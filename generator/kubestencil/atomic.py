"""Atomic file writes."""

from __future__ import annotations

import contextlib
import glob
import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

from kubestencil.errors import OutputError

#: The suffix of a file that is still being written.
PARTIAL_SUFFIX = ".part"
# In seconds: when nobody writes such a file any more.
_ABANDONED = 3600


def write(path: Path, data: bytes, *, mode: int | None = None) -> None:
    """Write a file atomically, and create its parent folders; a file that is there keeps
    its permissions, unless they are to be ``mode``.

    A concurrent reader sees either the old content or all of ``data``; two processes
    may write the same file. Raises OSError, in which case nothing changed. A killed
    process may leave a temporary file beside it whose name ends in
    ``PARTIAL_SUFFIX``; the next one to write the file removes it after an hour.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove_left_behind(path)
    # Not the process id: threads share it, and so do containers with one cache.
    temporary = path.with_name(f"{path.name}.{os.urandom(6).hex()}{PARTIAL_SUFFIX}")
    try:
        # In a folder of a stranger, a link of this name could lead anywhere.
        with temporary.open("xb") as file:
            with contextlib.suppress(FileNotFoundError):
                shutil.copymode(path, temporary)
            file.write(data)
        if mode is not None:
            temporary.chmod(mode)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


@contextlib.contextmanager
def writing(where: str, hint: str = "") -> Iterator[None]:
    """Raise OutputError for what the system does not let the body write."""
    try:
        yield
    except OSError as error:
        what = f"cannot be written: {error.strerror}"
        raise OutputError(what, where=where, hint=hint) from error


def _remove_left_behind(path: Path) -> None:
    for partial in path.parent.glob(f"{glob.escape(path.name)}.*{PARTIAL_SUFFIX}"):
        with contextlib.suppress(OSError):
            if time.time() - partial.lstat().st_mtime > _ABANDONED:
                partial.unlink()
