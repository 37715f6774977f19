"""What the releases of a site have in common: its start page, what a server needs, its
style, and the pages that people add."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from kubestencil.engine.manifest import Target, find_file
from kubestencil.engine.view import Contexts, FileContext
from kubestencil.errors import UsageError
from kubestencil.schema import Release
from kubestencil.schema.kinds import kind_definitions
from kubestencil.targets.site import extra, searching
from kubestencil.targets.site.fields import fields_of
from kubestencil.targets.site.lineage import Lives, Told
from kubestencil.targets.site.listing import groups
from kubestencil.targets.site.options import logo, named, report_folders
from kubestencil.targets.site.parts import NOT_COMMON
from kubestencil.targets.site.place import Place, places
from kubestencil.targets.site.release import start
from kubestencil.text.html import summary

# The folder of files that are printed as they are.
_ASSETS = "assets"
Known = Mapping[str, Place]
# What the reports have inside of their pages, where those stand alone.
_OF_REPORTS = {"report.css": "page.css", "report.js": "page.js"}


def view(releases: Sequence[Release], told: Told, target: Target) -> Contexts:
    """What is printed beside the releases, which come in the order of time; ``told``
    is what the newest is told of the others."""
    newest = releases[-1]
    pages = extra.pages(target)
    known = [places(release) for release in releases]
    return Contexts(
        files={
            "asset": lambda: _assets(target, _elsewhere(releases, known, told.lives)),
            "extra-page": lambda: extra.items(pages),
            "not-found": lambda: [_not_found(target)],
            "site": lambda: [_start(newest, told, pages, target, known)],
        },
        handled_by_other_parts=NOT_COMMON,
        shared_variables={
            "release": "",
            "releases": told.releases,
            "newest": newest.name,
            "switch": (),
            "logo": logo(target),
        },
    )


def _start(
    release: Release,
    told: Told,
    pages: Sequence[extra.Page],
    target: Target,
    known: Sequence[Known],
) -> FileContext:
    own = kind_definitions(release).keys()
    values = {
        **start(release, told, groups(release, known[-1], own)),
        "root": "",
        "prefix": f"{release.name}/",
        "crumbs": (),
        "pages": pages,
        "addresses": tuple(_addresses(told.releases, known)),
        "url": _url(target),
    }
    return FileContext("the start page", {}, values)


def _not_found(target: Target) -> FileContext:
    """The page for an address that is not there. A server shows it at any address, so
    that its own links begin where the site does."""
    path = urlsplit(_url(target)).path
    return FileContext(
        "the page for what is not there", {}, {"root": path, "crumbs": ()}
    )


def _url(target: Target) -> str:
    """Where the site will be, ending in a slash."""
    url = str(target.options["url"])
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc or parts.query:
        raise UsageError(
            "must be the address of the site, like https://example.com/kubernetes/",
            where=f"--set {target.name}.url={url}",
        )
    return url if url.endswith("/") else f"{url}/"


def _assets(target: Target, elsewhere: bytes) -> Iterator[FileContext]:
    """What pages load: the target's own files, the first folder's before the others',
    and those that its options name."""
    found: dict[str, Path] = {}
    for folder in reversed(target.folders):
        for path in sorted((folder / _ASSETS).rglob("*")):
            if path.is_file():
                found[path.relative_to(folder / _ASSETS).as_posix()] = path
    reports = report_folders(target)
    found |= {
        name: find_file(reports, original) for name, original in _OF_REPORTS.items()
    }
    theme = named(target, "theme")
    for name, path in found.items():
        data = path.read_bytes()
        if name == "theme.css" and theme:
            data += b"\n" + theme.read_bytes()
        yield _asset(name, data)
    picture = named(target, "logo")
    if picture:
        yield _asset(logo(target), picture.read_bytes())
    yield _asset("elsewhere.js", elsewhere)


def _asset(name: str, data: bytes) -> FileContext:
    return FileContext(name, {"path": name}, {}, data)


def _addresses(names: Sequence[str], known: Sequence[Known]) -> Iterator[str]:
    """Every page of every release, the newest release's first."""
    for name, own in reversed(list(zip(names, known, strict=True))):
        found = {""}
        for place in own.values():
            found |= {f"{place.group}/", f"{place.api}/", f"{place.path}/"}
        yield from (f"{name}/{path}" for path in sorted(found))


def _elsewhere(
    releases: Sequence[Release], places_of: Sequence[Known], lives: Lives
) -> bytes:
    """What the search finds beside a release's own list: types and fields that not
    every release has, each from the newest that has it."""
    index = searching.Index("", summary)
    everywhere = _fields_everywhere(releases, places_of)
    seen: set[tuple[str, str]] = set()
    for release, known in reversed(list(zip(releases, places_of, strict=True))):
        own = kind_definitions(release)
        for name, definition in release.definitions.items():
            path = known[name].path
            is_rare = len(lives[path]) < len(releases)
            found = [
                field
                for field in fields_of(definition.schema)
                if (path, field.name) not in seen
                and (path, field.name) not in everywhere
            ]
            is_new = is_rare and (path, "") not in seen
            if not found and not is_new:
                continue
            seen.update((path, field.name) for field in found)
            seen.add((path, ""))
            index.add(
                definition, found, known, is_kind=name in own, release=release.name
            )
    return index.script()


def _fields_everywhere(
    releases: Sequence[Release], places_of: Sequence[Known]
) -> frozenset[tuple[str, str]]:
    found = (
        {
            (known[name].path, field.name)
            for name, definition in release.definitions.items()
            for field in fields_of(definition.schema)
        }
        for release, known in zip(releases, places_of, strict=True)
    )
    return frozenset(set.intersection(*found))
