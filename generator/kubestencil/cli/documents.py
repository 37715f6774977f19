"""Finds the documents that a command line names."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from kubestencil.engine import check_release_names
from kubestencil.errors import UsageError
from kubestencil.source import available, locate, releases
from kubestencil.source.find import find_document
from kubestencil.source.inputs import crds_alone, read_location, read_locations
from kubestencil.source.releases import available_release, document_name, expand_ranges
from kubestencil.source.versions import versions_in

# What only some commands need is imported inside functions, so that --help and
# --version do not wait for it.
if TYPE_CHECKING:
    from kubestencil.engine import Target
    from kubestencil.source import Source
    from kubestencil.source.find import DocumentOptions

# NAME= before the location of a document. URLs have a colon before any "=".
_NAMED = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)=(.*)", re.DOTALL)


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
    ``--spec``; without either, these are all supported releases. Raises UsageError for a
    release that no source has, and for one whose output folder would be that of a target
    of scope ``releases``.
    """
    if spec is not None:
        if len(names) > 1:
            raise UsageError("--spec reads one spec and takes one release name")
        name = releases.release_name(names[0]) if names else None
        sources = [read_location(spec, name, unserved=options.unserved)]
    elif not names and (crds := options.read_crds()) is not None:
        sources = [crds_alone("crds", crds)]
        options = replace(options, crds=())
    else:
        known = options.available()
        for name in names:
            if name in targets and name not in known:
                raise UsageError(
                    f"{name!r} is a target", hint=f"-t {name} generates it"
                )
        supported = [name for name in releases.listed_releases() if name in known]
        chosen = expand_ranges(names or supported or [".."], known, options.pinned)
        sources = list(map(options.locate, chosen))
    sources = options.complete(sources)
    check_release_names((source.release for source in sources), targets)
    return sources


def find_compared(
    arguments: Iterable[str], options: DocumentOptions
) -> list[ComparedDocument]:
    """Find what ``diff`` compares: releases, or documents with names of their own.

    Raises UsageError for an argument that is neither.
    """
    releases = available(options.specs)
    locations = [_split_api_version(argument, releases) for argument in arguments]
    # Standard input can be read once.
    different = list(dict.fromkeys(location for location, _ in locations))
    found = options.complete(_find(location, options) for location in different)
    sources = dict(zip(different, found, strict=True))
    return [
        ComparedDocument(
            sources[location],
            api_version,
            is_unnamed=document_name(location, releases) is None
            and not _split_name(location)[0],
        )
        for location, api_version in locations
    ]


def _split_api_version(argument: str, releases: Collection[str]) -> tuple[str, str]:
    """The location of a document or the name of a release, and an API version or ""."""
    release, _, api_version = argument.partition("/")
    name = available_release(release, releases)
    # A folder can be called like a release: v1.35.0/swagger.json.
    if name is not None and not Path(argument).is_file():
        return name, api_version
    location, _, api_version = argument.partition("#")
    return location, api_version


def _find(location: str, options: DocumentOptions) -> Source:
    """The document at a location (``NAME=LOCATION`` to name it), or of a release."""
    if document_name(location, available(options.specs)):
        return find_document(location, options, None)
    name, path = _split_name(location)
    label = name or ("stdin" if path == "-" else _document_name(path))
    return find_document(path, options, label)


def find_history(
    arguments: Sequence[str], releases: Sequence[str], options: DocumentOptions
) -> list[Source]:
    """Find the documents that ``history`` follows a type through, oldest first.

    ``arguments`` are documents with names (``NAME=PATH``) or folders of versions,
    ``releases`` releases, ranges, or such arguments too. Without any, all available
    releases are used. Raises UsageError for a release that no source has, and for a
    name that two documents have.
    """
    locations = [*(value for value in releases if is_document(value)), *arguments]
    names = [value for value in releases if not is_document(value)]
    if not names and not locations and (crds := options.read_crds()) is not None:
        return [crds_alone("crds", crds)]
    if names or not locations:
        names = expand_ranges(names or [".."], available(options.specs))
    sources = [locate(name, options.specs) for name in names]
    for location in locations:
        sources += _find_versions(location, options)
    _check_unique(sources)
    return options.complete(sources)


def is_document(argument: str) -> bool:
    """Whether an argument is ``NAME=PATH``, or a folder with a path separator in it."""
    if _NAMED.match(argument) is not None:
        return True
    return os.sep in argument and Path(argument).is_dir()


def _find_versions(location: str, options: DocumentOptions) -> list[Source]:
    """The document ``NAME=PATH``, or those of the versions in a folder."""
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
                f"two specs are called {source.release!r}",
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
    if "://" in location:
        parts = urlsplit(location)
        return Path(parts.path).stem or parts.netloc.rpartition("@")[2]
    # Unlike resolve, realpath takes links that lead to each other.
    path = Path(os.path.realpath(location))
    return path.name if path.is_dir() else path.stem
