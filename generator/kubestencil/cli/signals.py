"""The signals that end a command."""

from __future__ import annotations

import signal
import sys
from functools import partial
from typing import NoReturn

# Seconds until a lost interrupt is raised again: by then the callback has returned.
_DELAY = 0.01


class Terminated(BaseException):
    """The signal SIGTERM, with which other programs stop this one."""


def handle_signals() -> None:
    """End the run at SIGTERM as at Ctrl-C, so that nothing half done is left.

    Both also end it where they come in a callback of Python, such as a finalizer or
    what runs after a fork: Python prints an exception there, and goes on.
    """
    signal.signal(signal.SIGTERM, partial(_raise, Terminated))
    if sys.platform != "win32":
        sys.unraisablehook = _repeat_interrupt


def _raise(interrupt: type[BaseException], *_: object) -> NoReturn:
    raise interrupt


def _repeat_interrupt(unraisable: sys.UnraisableHookArgs) -> None:
    """Raise an interrupt that was lost in a callback soon after it."""
    if sys.platform != "win32" and issubclass(
        unraisable.exc_type, (KeyboardInterrupt, Terminated)
    ):
        interrupt = unraisable.exc_type
        signal.signal(signal.SIGALRM, partial(_raise, interrupt))
        signal.setitimer(signal.ITIMER_REAL, _DELAY)
    else:
        sys.__unraisablehook__(unraisable)
