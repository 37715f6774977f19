"""What templates are given: a release, put into the words of a language.

A view decides everything that a template would have to compute. ``target.toml``
names it, and ``load`` finds it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
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
    ``path``, which may have slashes; ``values`` are the template's variables, and
    ``data`` the bytes of a file that has no template.
    """

    subject: str
    names: Mapping[str, str]
    values: Mapping[str, Any]
    data: bytes = b""


@dataclass(frozen=True, slots=True)
class View:
    """A release as a target's templates see it.

    ``files`` has what a file can be printed for (``each`` in ``target.toml``: a
    definition, a group and version, the release ...), and gives those files;
    ``finish`` what is still done to a printed file, by the same key (published
    formats that went through ``sed`` have such traces); ``elsewhere`` what another
    part of the target prints files for. ``common`` are variables of all templates.
    """

    files: Mapping[str, Callable[[], Iterable[Item]]]
    finish: Mapping[str, Callable[[str], str]]
    elsewhere: frozenset[str] = frozenset()
    common: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a target over releases, printed by itself into a folder of its own.

    ``name`` is that folder, empty for the target's own; ``releases`` are those whose
    models it is printed from, and ``facts`` gives what it is told of the others:
    plain values, the same for the same documents.
    """

    name: str
    releases: tuple[str, ...]
    facts: Callable[[], Any]


Make = Callable[[Release, Target], View]
#: The parts of a target over releases: from their names, in the order of time, and
#: from what gives their models, which is called only where facts are asked for.
Divide = Callable[
    [Sequence[str], Callable[[], Sequence[Release]], Target], Iterable[Part]
]
#: The view of one part: its name, its releases, its facts.
MakePart = Callable[[str, Sequence[Release], Any, Target], View]

# Imported when a target asks for one, since a run seldom needs all.
_VIEWS = {
    "jsonnet": "generator.target.view.jsonnet",
    "jsonnet-docs": "generator.target.view.jsonnet_docs",
    "pages": "generator.target.view.pages",
    "python": "generator.target.view.python",
    "rust": "generator.target.view.rust",
}
_JOINT = {
    "reports": "generator.target.view.reports",
    "site": "generator.target.view.site",
}


def load(target: Target) -> Make:
    """The function that makes the view which ``target`` names."""
    make: Make = _module(target, _VIEWS).make
    return make


def load_joint(target: Target) -> tuple[Divide, MakePart]:
    """The same for a target over releases: what divides it, and what makes a part's
    view."""
    module = _module(target, _JOINT)
    return module.divide, module.make


def _module(target: Target, known: Mapping[str, str]) -> Any:
    if target.view not in known:
        raise target.error(
            f"there is no view {target.view!r} over {target.over}",
            "view",
            nearest(target.view, known),
        )
    return import_module(known[target.view])
