"""Views: the code that turns a parsed release into template variables.

A view decides everything that a template would otherwise have to compute.
``target.toml`` names it, and ``kubestencil.targets.load_view`` finds it. A view is a
module, or any other object, with the members of one of the protocols below.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from kubestencil.engine.manifest import Target
from kubestencil.schema import Release


@dataclass(frozen=True, slots=True)
class FileContext:
    """What one file is printed from.

    ``subject`` says what the file is about, for people (a definition's full name).
    ``placeholders`` fill in the path pattern: each value is one path segment, except
    that of ``path``, which may contain slashes. ``variables`` are the template
    variables, ``data`` the bytes of a file that has no template, None where there must
    be one.
    """

    subject: str
    placeholders: Mapping[str, str]
    variables: Mapping[str, Any]
    data: bytes | None = None


@dataclass(frozen=True, slots=True)
class Contexts:
    """The contexts of all files that a view can print.

    ``files`` maps a value of ``each`` in ``target.toml`` to the contexts of its
    files. ``post_process`` maps it to a function that is applied to each printed
    text (some published formats went through ``sed``). ``handled_by_other_parts``
    has the values of ``each`` for which another part of the target prints files.
    ``shared_variables`` are available in all templates.
    """

    files: Mapping[str, Callable[[], Iterable[FileContext]]]
    post_process: Mapping[str, Callable[[str], str]] = field(default_factory=dict)
    handled_by_other_parts: frozenset[str] = frozenset()
    shared_variables: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Each:
    """Documents one value of ``each``: what a target can print a file for.

    ``placeholders`` maps the names that a path pattern may use to their meaning,
    ``variables`` the template variables to their types: classes that document
    themselves, or ``Annotated[str, "the meaning"]``. From these, ``kubestencil targets
    NAME`` prints the reference of a target.
    """

    summary: str
    placeholders: Mapping[str, str] = field(default_factory=dict)
    variables: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a target of scope ``releases`` that is printed by itself.

    ``name`` is its folder, empty for the target's own folder. ``releases`` are the
    releases that it is printed from. ``context`` computes what else it needs to know
    about the other releases: plain values, equal for equal documents.
    """

    name: str
    releases: tuple[str, ...]
    context: Callable[[], Any]


@runtime_checkable
class View(Protocol):
    """The code behind targets of scope ``release``.

    ``EACH`` documents the values of ``each``, ``QUIRKS`` the quirks that a manifest
    may ask for.
    """

    EACH: Mapping[str, Each]
    QUIRKS: Mapping[str, str]

    def make_contexts(self, release: Release, target: Target) -> Contexts:
        """The contexts of the files of one release.

        Raises SpecError for a document that the target cannot print, TargetError for
        a mistake in the manifest.
        """
        ...


@runtime_checkable
class MultiReleaseView(Protocol):
    """The code behind targets of scope ``releases``."""

    EACH: Mapping[str, Each]
    QUIRKS: Mapping[str, str]

    def divide(
        self,
        names: Sequence[str],
        load_releases: Callable[[], Sequence[Release]],
        target: Target,
    ) -> Iterable[Part]:
        """The parts of the target. ``names`` are the releases, oldest first;
        ``load_releases`` parses them and is called only by a part's ``context``.
        """
        ...

    def make_part_contexts(
        self, name: str, releases: Sequence[Release], context: Any, target: Target
    ) -> Contexts:
        """The contexts of the files of the part ``name``, from its ``releases`` and
        what ``Part.context`` returned."""
        ...
