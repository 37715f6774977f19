"""Errors with a message for the user: what is wrong, where, and what to do.

The command line prints them and exits with their ``exit_code``. Any other exception
that reaches it is a bug.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from difflib import get_close_matches
from functools import partial

_MAX_LISTED = 30


class KubestencilError(Exception):
    """An error that the user can do something about.

    ``what`` says what is wrong. ``where`` is a file, a file with a position or JSON
    pointer, or a command-line option; ``hint`` says what to do. Both may be empty.
    ``exit_code`` is that of the command.
    """

    exit_code = 1

    def __init__(self, what: str, *, where: str = "", hint: str = "") -> None:
        super().__init__(what, where, hint)
        self.what = what
        self.where = where
        self.hint = hint

    def __reduce__(self) -> tuple[object, ...]:
        # Worker processes pickle their errors, and the default pickling does not
        # support keyword-only arguments.
        return partial(type(self), self.what, where=self.where, hint=self.hint), ()

    def __str__(self) -> str:
        # A file name may have line breaks.
        where = self.where.replace("\n", " ")
        prefix = f"{where}: " if where else ""
        suffix = f"\n  {self.hint}" if self.hint else ""
        return f"{prefix}{self.what}{suffix}"


class UsageError(KubestencilError):
    """Wrong arguments or options of a command, or of a function of the Python API."""

    exit_code = 2


class SourceError(KubestencilError):
    """A document that cannot be read or downloaded, or has a wrong digest."""


class MissingError(SourceError):
    """A server that says that it has nothing at an address."""


class ProgramError(SourceError):
    """A program of the user (kubectl, helm, git) that cannot be run, or failed."""

    exit_code = 2


class SpecError(KubestencilError):
    """A document that is not valid, or that a target cannot use."""


class TargetError(KubestencilError):
    """A mistake in a target.toml or a template."""


class OutputError(KubestencilError):
    """A file in the output folder that cannot be written or must not be overwritten."""


class ServeError(KubestencilError):
    """The site cannot be served: a port in use, a folder that cannot be watched."""


def nearest(name: str, available: Iterable[str]) -> str:
    """A hint about an unknown name: those that are similar, in upper or lower case, and
    all that are available.

    More than ``_MAX_LISTED`` available names are not listed.
    """
    names = list(available)
    by_lower_case = {available.lower(): available for available in names}
    close = get_close_matches(name.lower(), by_lower_case, n=3, cutoff=0.6)
    close.sort(key=lambda match: not is_one_edit(name.lower(), match))
    similar = [by_lower_case[match] for match in close]
    hints = [f"did you mean {' or '.join(similar)}?"] if similar else []
    if names and len(names) <= _MAX_LISTED:
        hints.append(f"available: {', '.join(names)}")
    return "\n  ".join(hints)


def is_one_edit(text: str, other: str) -> bool:
    """Whether one character was added, left out or replaced, or two beside each other
    were swapped; never of texts that have hardly more."""
    length = min(len(text), len(other))
    if length < 3:
        return False
    start = next((i for i in range(length) if text[i] != other[i]), length)
    text, other = text[start:], other[start:]
    is_swapped = text[1::-1] == other[:2] and text[2:] == other[2:]
    return is_swapped or text[1:] in (other[1:], other) or text == other[1:]


def require_known(what: str, name: object, known: Collection[str], where: str) -> None:
    """Raises UsageError for a name that is not one of those that are ``known``, with what
    may be meant; ``where`` is the file and the place in it that has the name."""
    if name not in known:
        hint = nearest(str(name), known)
        raise UsageError(f"unknown {what} {name!a}", where=where, hint=hint)
