"""Names of releases: "1.35", ranges such as "1.29..1.35", and their order."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kubestencil.data_files import data_file
from kubestencil.errors import UsageError, nearest

_MINOR = re.compile(r"v?(\d+)\.(\d+)\Z")
# A release names a folder of the output, so it may not be able to leave it.
_LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}\Z")


@dataclass(frozen=True, slots=True)
class ListedRelease:
    """One release in ``specs/releases.toml``.

    ``url`` is where the document is published; ``sha256`` what it must have,
    as lower-case hex, or None where nobody has checked.
    """

    name: str
    url: str
    sha256: str | None


def order(name: str) -> tuple[int, int, str]:
    """A key that sorts 1.9 before 1.29, and names that are not releases last."""
    match = _MINOR.match(name)
    if match is None:
        return (2**31, 0, name)
    return (int(match[1]), int(match[2]), name)


def label(name: str) -> str:
    """``name`` if it can name a release and its folder.

    Raises UsageError for anything that is not letters, digits, ".", "_", "-".
    """
    if _LABEL.match(name) is None:
        raise UsageError(
            f"{name!r} cannot name a release",
            hint="use letters, digits, '.', '_' and '-', such as 1.35 or my-cluster",
        )
    return name.removeprefix("v") if _MINOR.match(name) else name


def listed() -> dict[str, ListedRelease]:
    """The releases that kubestencil is made for, oldest first."""
    document = tomllib.loads(data_file("specs/releases.toml").read_text("utf-8"))
    listed = document["release"]
    return {
        name: ListedRelease(name, listed[name]["url"], listed[name].get("sha256"))
        for name in sorted(listed, key=order)
    }


def expand(arguments: Iterable[str], available: Iterable[str]) -> list[str]:
    """The releases that ``arguments`` name, each once, in the order of release.

    An argument is a release or a range ``FROM..TO`` of those ``available``,
    both ends included; one end may be left out. Raises UsageError for a
    release that is not available and for a range with nothing in it.
    """
    known = sorted(set(available), key=order)
    chosen: set[str] = set()
    for argument in arguments:
        first, dots, last = argument.partition("..")
        if not dots:
            chosen.add(_known(argument, known))
            continue
        low = order(_known(first, known)) if first else order(known[0])
        high = order(_known(last, known)) if last else order(known[-1])
        within = [name for name in known if low <= order(name) <= high]
        if not within:
            raise UsageError(
                f"the range {argument} is empty",
                hint=f"turn it round: {last}..{first}",
            )
        chosen.update(within)
    return sorted(chosen, key=order)


def _known(name: str, known: Sequence[str]) -> str:
    bare = name.removeprefix("v")
    if bare not in known:
        raise UsageError(f"unknown release {name!r}", hint=nearest(bare, known))
    return bare


def minor(name: str) -> str:
    """``name`` if it is a release of Kubernetes, such as 1.35; else UsageError."""
    match = _MINOR.match(name)
    if match is None:
        raise UsageError(
            f"{name!r} is not a release of Kubernetes",
            hint="name its first two numbers, such as 1.35",
        )
    return f"{match[1]}.{match[2]}"
