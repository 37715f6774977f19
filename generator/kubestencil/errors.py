"""The errors people see.

Each says what is wrong, where, and what to do. The command line prints them as
they are and exits with their ``exit_code``; anything else that escapes is a bug.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

_LISTED = 30


class KubestencilError(Exception):
    """A job that failed for a reason that a person can act on.

    ``where`` is a file, a file with a JSON pointer, or a flag; ``hint`` is what
    to do about it. Both may be empty.
    """

    exit_code = 1

    def __init__(self, what: str, *, where: str = "", hint: str = "") -> None:
        super().__init__(what, where, hint)
        self.what = what
        self.where = where
        self.hint = hint

    def __reduce__(self) -> tuple[object, ...]:
        # Keyword-only arguments do not survive the default pickling, and errors
        # travel from worker processes to the command line.
        return (_rebuild, (type(self), self.what, self.where, self.hint))

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        advice = f"\n  {self.hint}" if self.hint else ""
        return f"{place}{self.what}{advice}"


class UsageError(KubestencilError):
    """The command was called in a way that cannot work."""

    exit_code = 2


class SourceError(KubestencilError):
    """A document could not be had: no such file, no network, a wrong digest."""


class SpecError(KubestencilError):
    """A document is not what kubestencil reads, or contradicts itself."""


class TargetError(KubestencilError):
    """A target.toml or a template has a mistake."""


class OutputError(KubestencilError):
    """The output folder cannot take, or must not lose, what is in question."""


class ServeError(KubestencilError):
    """The site cannot be served: a port that is taken, a folder that is not watched."""


def nearest(name: str, known: Iterable[str]) -> str:
    """A hint that names what may have been meant, and lists what there is.

    The list is left out where it would be longer than anybody reads.
    """
    choices = list(known)
    close = get_close_matches(name, choices, n=3, cutoff=0.6)
    hints = [f"did you mean {' or '.join(close)}?"] if close else []
    if choices and len(choices) <= _LISTED:
        hints.append(f"available: {', '.join(choices)}")
    return "\n  ".join(hints)


def _rebuild(
    kind: type[KubestencilError], what: str, where: str, hint: str
) -> KubestencilError:
    return kind(what, where=where, hint=hint)
