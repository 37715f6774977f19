"""What templates are given: a release, put into the words of a language.

A view decides everything that a template would have to compute. ``target.toml``
names it, and ``load`` finds it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from generator.errors import nearest
from generator.model import Release
from generator.target.manifest import Target


@dataclass(frozen=True, slots=True)
class Item:
    """One file to print.

    ``subject`` is what it is about, for people (a definition's full name);
    ``names`` fills the path pattern: each is one part of a path, but for one called
    ``path``, which may have slashes; ``values`` are the template's variables.
    """

    subject: str
    names: Mapping[str, str]
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class View:
    """A release as a target's templates see it.

    ``files`` has what a file can be printed for (``each`` in ``target.toml``: a
    definition, a group and version, the release ...), and gives those files;
    ``finish`` what is still done to a printed file, by the same key (published
    formats that went through ``sed`` have such traces).
    """

    files: Mapping[str, Callable[[], Iterable[Item]]]
    finish: Mapping[str, Callable[[str], str]]


Make = Callable[[Release, Target], View]

# Imported when a target asks for one, since a run seldom needs all.
_VIEWS = {
    "jsonnet": "generator.target.view.jsonnet",
    "jsonnet-docs": "generator.target.view.jsonnet_docs",
    "pages": "generator.target.view.pages",
    "python": "generator.target.view.python",
    "rust": "generator.target.view.rust",
}


def load(target: Target) -> Make:
    """The function that makes the view which ``target`` names."""
    if target.view not in _VIEWS:
        raise target.error(
            f"there is no view {target.view!r}", "view", nearest(target.view, _VIEWS)
        )
    make: Make = import_module(_VIEWS[target.view]).make
    return make
