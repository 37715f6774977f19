"""Looks up what is newer than what a project is generated from."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from kubestencil import regular_file
from kubestencil.errors import KubestencilError
from kubestencil.output_paths import real_path, save
from kubestencil.project.file import FILE, MAX_BYTES, Project
from kubestencil.project.lock import Lock
from kubestencil.project.newest import has_version, newer_releases, newest_location, pin
from kubestencil.source import available
from kubestencil.source.pinned import PinnedDocument
from kubestencil.source.releases import listed_releases

_LATEST = "latest"


class Lookup(NamedTuple):
    """What is newer. ``project`` has the newest ``locations``, which has them by the ones
    in the file. ``pinned`` are documents of releases that no folder has, ``notes`` what
    could not be asked."""

    project: Project
    pinned: Mapping[str, PinnedDocument]
    locations: Mapping[str, str]
    notes: tuple[str, ...]


def look_up(
    project: Project, lock: Lock, targets: Collection[str], index: str | None
) -> Lookup:
    """Look up newer releases and addresses for the tables of ``targets``, or for all where
    there are none. Without an ``index``, no server is asked. Raises OutputError where the
    project file has addresses to replace, and cannot be written."""
    tables = [
        table
        for table in project.generate
        if not targets or not set(targets).isdisjoint(table.get("names", ()))
    ]
    notes: list[str] = []
    pinned = _pinned(tables, lock, index, notes)
    commands = project.commands.values()
    locations = {
        location: newest
        for location in dict.fromkeys(
            location
            for table in (*tables, *commands)
            for location in table.get("crds", ())
        )
        if has_version(location)
        and (newest := _newest(project.folder, location, index, notes)) != location
    }
    if locations:
        real_path(project.folder / FILE)
    replaced = project._replace(
        generate=tuple(_replaced(table, locations) for table in project.generate),
        commands={
            name: _replaced(table, locations)
            for name, table in project.commands.items()
        },
    )
    return Lookup(replaced, pinned, locations, tuple(notes))


def _replaced(
    table: Mapping[str, Any], locations: Mapping[str, str]
) -> Mapping[str, Any]:
    if "crds" not in table:
        return table
    crds = tuple(locations.get(location, location) for location in table["crds"])
    return {**table, "crds": crds}


def _pinned(
    tables: Iterable[Mapping[str, Any]],
    lock: Lock,
    index: str | None,
    notes: list[str],
) -> dict[str, PinnedDocument]:
    """The documents of releases that are newer than those that are here: those of the
    lock, and those of the index where a table has the newest release."""
    known = {*listed_releases(), *available(None)}
    pinned = {
        name: document for name, document in lock.pinned().items() if name not in known
    }
    if not any(map(_has_newest, tables)):
        return pinned
    if index is None:
        notes.append("not asked, offline: the newest release of Kubernetes")
        return pinned
    try:
        for name, release in newer_releases(index, known).items():
            if name not in pinned or pinned[name].url != release.url:
                pinned[name] = pin(release)
    except KubestencilError as error:
        notes.append(f"not known: the newest release of Kubernetes: {error}")
    return pinned


def _has_newest(table: Mapping[str, Any]) -> bool:
    """Whether a table has the newest release, whichever that is."""
    return "spec" not in table and any(
        text.startswith(_LATEST) or text.endswith("..")
        for text in table.get("releases", ())
    )


def _newest(folder: Path, location: str, index: str | None, notes: list[str]) -> str:
    if index is None:
        notes.append(f"not asked, offline: newer versions of {location}")
        return location
    try:
        newest = newest_location(location)
    except KubestencilError as error:
        notes.append(f"not known: newer versions of {location}: {error}")
        return location
    text = _text(folder)
    is_plain = f'"{location}"' in text or f"'{location}'" in text
    if newest != location and not is_plain:
        notes.append(f"not replaced, since {FILE} has it escaped: {location}")
        return location
    return newest


def write_locations(folder: Path, locations: Mapping[str, str]) -> None:
    """Replace addresses in the project file of a folder, and nothing else in it."""
    if not locations:
        return
    text = _text(folder)
    for old, new in locations.items():
        for quote in "\"'":
            text = text.replace(f"{quote}{old}{quote}", f"{quote}{new}{quote}")
    save(folder / FILE, text.encode())


def _text(folder: Path) -> str:
    return regular_file.read(folder / FILE, MAX_BYTES).decode()
