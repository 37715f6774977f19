"""Finds the documents that a command line names."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from kubestencil.errors import UsageError, nearest

# What only some commands need is imported inside functions, so that --help and
# --version do not wait for it.
if TYPE_CHECKING:
    from kubestencil.engine import Target
    from kubestencil.source import Source
    from kubestencil.source.document import CrdSet

# NAME= before the location of a document. URLs have a colon before any "=".
_NAMED = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)=(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class DocumentOptions:
    """The options that say how documents are found and read: ``--specs``, ``--crds``,
    ``--unserved``, ``--group`` and ``--kind``."""

    specs: Path | None = None
    crds: tuple[str, ...] = ()
    unserved: bool = False
    groups: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()

    def read_crds(self) -> CrdSet | None:
        """The files of ``--crds``, which standard input gives only once; None without
        the option."""
        if not self.crds:
            return None
        from kubestencil.source.inputs import read_crds

        return read_crds(self.crds, unserved=self.unserved)


class ComparedDocument(NamedTuple):
    """One side of a comparison: a document, and the API version in it or "".

    ``is_unnamed`` is whether it is no release and the user gave it no name.
    """

    source: Source
    api_version: str
    is_unnamed: bool


def find_sources(
    names: tuple[str, ...],
    spec: str | None,
    options: DocumentOptions,
    targets: Mapping[str, Target],
) -> list[Source]:
    """Find the document of each release to generate.

    ``names`` are the releases and ranges of the command line, ``spec`` the value of
    ``--spec``. Raises UsageError for a release that no source has, and for one whose
    output folder would be that of a target of scope ``releases``.
    """
    from kubestencil.engine import check_release_names
    from kubestencil.source.document import Selection

    sources = _sources(names, spec, options)
    check_release_names((source.release for source in sources), targets)
    if not options.groups and not options.kinds:
        return sources
    selection = Selection(options.groups, options.kinds)
    return [replace(source, selection=selection) for source in sources]


def _sources(
    names: tuple[str, ...], spec: str | None, options: DocumentOptions
) -> list[Source]:
    from kubestencil.source import available, locate, releases
    from kubestencil.source.inputs import crds_alone, read_location

    crds = options.read_crds()
    if spec is not None:
        if len(names) > 1:
            raise UsageError("--spec reads one document and takes one release name")
        name = releases.release_name(names[0]) if names else None
        source = read_location(spec, name, unserved=options.unserved)
        return with_crds([source], crds)
    if crds is not None and not names:
        return [crds_alone("crds", crds)]
    chosen = releases.expand_ranges(
        names or releases.listed_releases(), available(options.specs)
    )
    return with_crds([locate(name, options.specs) for name in chosen], crds)


def find_compared(
    arguments: Iterable[str], options: DocumentOptions
) -> list[ComparedDocument]:
    """Find what ``diff`` compares: releases, or documents with names of their own.

    Raises UsageError for an argument that is neither.
    """
    from kubestencil.source import available

    crds = options.read_crds()
    releases = available(options.specs)
    sources: dict[str, Source] = {}
    result: list[ComparedDocument] = []
    for argument in arguments:
        location, api_version = _split_api_version(argument, options)
        # Standard input can be read once.
        if location not in sources:
            [sources[location]] = with_crds([_find(location, options)], crds)
        is_unnamed = location not in releases and not _split_name(location)[0]
        result.append(ComparedDocument(sources[location], api_version, is_unnamed))
    return result


def _split_api_version(argument: str, options: DocumentOptions) -> tuple[str, str]:
    """The location of a document or the name of a release, and an API version or ""."""
    from kubestencil.source import available

    release, _, api_version = argument.partition("/")
    if release.removeprefix("v") in available(options.specs):
        return release.removeprefix("v"), api_version
    location, _, api_version = argument.partition("#")
    return location, api_version


def _find(location: str, options: DocumentOptions) -> Source:
    """The document at a location (``NAME=LOCATION`` to name it), or of a release."""
    from kubestencil.source import available, locate

    releases = available(options.specs)
    if location in releases:
        return locate(location, options.specs)
    from kubestencil.source.inputs import read_location

    name, path = _split_name(location)
    if path != "-" and "://" not in path and not Path(path).exists():
        raise UsageError(
            f"{location!r} is neither a release nor an existing file",
            hint=nearest(location, releases),
        )
    label = name or ("stdin" if path == "-" else _document_name(path))
    return read_location(path, label, unserved=options.unserved)


def find_history(
    arguments: Sequence[str], releases: Sequence[str], options: DocumentOptions
) -> list[Source]:
    """Find the documents that ``history`` follows a type through, oldest first.

    ``arguments`` are documents with names (``NAME=PATH``) or folders of versions,
    ``releases`` releases, ranges, or such arguments too. Without any, all available
    releases are used. Raises UsageError for a release that no source has, and for a
    name that two documents have.
    """
    from kubestencil.source import available, locate
    from kubestencil.source.inputs import crds_alone
    from kubestencil.source.releases import expand_ranges

    locations = [*(value for value in releases if is_document(value)), *arguments]
    names = [value for value in releases if not is_document(value)]
    crds = options.read_crds()
    if crds is not None and not names and not locations:
        return [crds_alone("crds", crds)]
    if names or not locations:
        origins = available(options.specs)
        names = expand_ranges(names, origins) if names else list(origins)
    sources = [locate(name, options.specs) for name in names]
    for location in locations:
        sources += _find_versions(location, options)
    _check_unique(sources)
    return with_crds(sources, crds)


def is_document(argument: str) -> bool:
    """Whether an argument is ``NAME=PATH``, or a folder with a path separator in it."""
    if _NAMED.match(argument) is not None:
        return True
    return os.sep in argument and Path(argument).is_dir()


def _find_versions(location: str, options: DocumentOptions) -> list[Source]:
    """The document ``NAME=PATH``, or those of the versions in a folder."""
    from kubestencil.source.inputs import read_locations
    from kubestencil.source.versions import versions_in

    if _NAMED.match(location) is not None:
        return [_find(location, options)]
    return [
        read_locations(
            tuple(map(str, version.paths)), version.label, unserved=options.unserved
        )
        for version in versions_in(Path(location))
    ]


def _check_unique(sources: Iterable[Source]) -> None:
    origins: dict[str, str] = {}
    for source in sources:
        if source.release in origins:
            raise UsageError(
                f"two documents are called {source.release!r}",
                where=f"{origins[source.release]}, {source.origin}",
                hint="give each a name of its own: NAME=PATH",
            )
        origins[source.release] = source.origin


def _split_name(location: str) -> tuple[str, str]:
    """The name and the path of ``NAME=PATH``; an empty name without one."""
    match = _NAMED.match(location)
    if match is None or Path(location).exists():
        return "", location
    return match[1], match[2]


def _document_name(location: str) -> str:
    """The name of a document by default: that of its file or folder."""
    from urllib.parse import urlsplit

    if "://" in location:
        parts = urlsplit(location)
        return Path(parts.path).stem or parts.netloc
    path = Path(location).resolve()
    return path.name if path.is_dir() else path.stem


def with_crds(sources: Iterable[Source], crds: CrdSet | None) -> list[Source]:
    """Sources with the CustomResourceDefinitions of ``crds`` added, if there are any."""
    if crds is None:
        return list(sources)
    from kubestencil.source.inputs import add_crds

    return [add_crds(source, crds) for source in sources]
