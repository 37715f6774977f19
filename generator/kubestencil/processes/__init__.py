"""Processes of Python that kubestencil starts: jobs in several of them (``parallel``), and
signals that wait until something is done (``interrupts``)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

_SAFE_PATH = "PYTHONSAFEPATH"


@contextmanager
def without_current_folder() -> Iterator[None]:
    """Let the processes that are started meanwhile import nothing from the current folder.

    That may be a stranger's. Where multiprocessing does not fork, it starts ``python -c``,
    which looks there first. The variable is unset afterwards, since this process also
    starts programs of the user.
    """
    before = os.environ.get(_SAFE_PATH)
    os.environ[_SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_SAFE_PATH]
        else:
            os.environ[_SAFE_PATH] = before
