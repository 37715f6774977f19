"""The pages of one release: its types, its groups and versions, its start page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple

from markupsafe import Markup

from kubestencil.engine.manifest import Target
from kubestencil.engine.view import Contexts, FileContext
from kubestencil.schema import Definition, GroupVersionKind, Release
from kubestencil.schema.kinds import kind_definitions, level
from kubestencil.targets.site import listing, searching
from kubestencil.targets.site.examples import Example, Examples
from kubestencil.targets.site.fields import (
    Facts,
    Fields,
    Rules,
    Type,
    anchor,
    facts_of,
    rules_of,
    type_label,
)
from kubestencil.targets.site.lineage import Event, Families, Told
from kubestencil.targets.site.options import logo
from kubestencil.targets.site.parts import NOT_OF_A_RELEASE
from kubestencil.targets.site.place import Place, place, places
from kubestencil.targets.site.relations import Relations, relations
from kubestencil.text.html import prose, summary


class Switch(NamedTuple):
    """A release in the switch: whether it is this page's, and whether it has what the
    page is about."""

    release: str
    href: str
    is_here: bool
    has_it: bool


class Crumb(NamedTuple):
    """A step on the way to a page; the last has no address."""

    text: str
    href: str


class Use(NamedTuple):
    """A field that holds a type: whose, its address, and the way to the field."""

    name: str
    api: str
    href: str
    field: str


class Chapter(NamedTuple):
    """What a release changed in a type."""

    release: str
    changes: tuple[Event, ...]


class Version(NamedTuple):
    """An API version that has a kind, and in which releases."""

    name: str
    level: str
    releases: str
    href: str


@dataclass(frozen=True, slots=True)
class Page:
    """A type. ``kinds`` is what the API server calls it, if it does; ``inside`` are
    the types that can be unfolded; ``born`` and ``gone`` the releases in which it
    came and went, if it did while these releases lasted. ``type`` is empty for an
    object whose fields are shown.
    """

    name: str
    place: Place
    full_name: str
    type: str
    facts: Facts
    rules: Rules
    level: str
    kinds: tuple[GroupVersionKind, ...]
    about: Markup
    summary: str
    own: Type
    inside: tuple[Type, ...]
    users: tuple[Use, ...]
    ways: tuple[Use, ...]
    examples: tuple[Example, ...]
    chapters: tuple[Chapter, ...]
    versions: tuple[Version, ...]
    born: str
    gone: str
    heirs: tuple[Crumb, ...]

    @property
    def unfolds(self) -> bool:
        """Whether there is anything inside of a field."""
        return bool(self.inside) or any(row.inner for row in self.own.rows)


def view(release: Release, told: Told, target: Target) -> Contexts:
    """What is printed for a release that is ``told`` of the others."""
    pages = _Pages(release, told, target)
    return Contexts(
        files={
            "definition": pages.types,
            "example": pages.examples,
            "absent": pages.absent,
            "listing": pages.listings,
            "release": pages.start,
            "search": pages.search,
        },
        handled_by_other_parts=NOT_OF_A_RELEASE,
        shared_variables={
            "release": release.name,
            "releases": told.releases,
            "newest": told.releases[-1],
            "logo": logo(target),
        },
    )


class _Pages:
    def __init__(self, release: Release, told: Told, target: Target) -> None:
        self.release = release
        self.told = told
        self.places = places(release)
        self.names = {each.path: name for name, each in self.places.items()}
        self.fields = Fields(release, self.places, told.events)
        self.families = Families(told.lives)
        self.written = Examples(release, target)
        self.kinds = kind_definitions(release).keys()

    @cached_property
    def relations(self) -> Relations:
        return relations(self.release, sorted(self.kinds))

    @cached_property
    def groups(self) -> tuple[listing.Group, ...]:
        return listing.groups(self.release, self.places, self.kinds)

    @cached_property
    def siblings(self) -> Mapping[str, Any]:
        """The API version of each path ``apps/v1``."""
        return {each.api: each for group in self.groups for each in group.versions}

    def types(self) -> Iterator[FileContext]:
        for definition in self.release.definitions.values():
            page = self.page(definition)
            yield FileContext(
                definition.name,
                {"path": page.place.path},
                {
                    "type": page,
                    "siblings": self.siblings[page.place.api],
                    **self.frame(page.place.path),
                },
            )

    def examples(self) -> Iterator[FileContext]:
        for definition in self.release.definitions.values():
            if definition.name in self.kinds:
                path = self.places[definition.name].path
                values = {
                    "name": definition.kind,
                    "examples": self.written.every(definition),
                    **self.frame(path, "all/"),
                }
                yield FileContext(definition.name, {"path": path}, values)

    def absent(self) -> Iterator[FileContext]:
        """A page for each type that only other releases have, so that no address of
        theirs leads nowhere."""
        for path, lives in self.told.lives.items():
            if path in self.names:
                continue
            heirs = self.families.heirs(path, self.release.name)
            values = {
                "place": place(path),
                "lives": lives,
                "span": _span(lives),
                "is_to_come": self.told.releases.index(self.release.name)
                < self.told.releases.index(lives[0]),
                "heirs": [Crumb(heir, place(heir).href) for heir in heirs],
                **self.frame(path),
            }
            yield FileContext(path, {"path": path}, values)

    def listings(self) -> Iterator[FileContext]:
        for group in self.groups:
            yield self.overview(group.name, group.versions)
            for version in group.versions:
                yield self.overview(version.api, [version])

    def overview(self, path: str, versions: Sequence[listing.Version]) -> FileContext:
        """A page of a group (``apps``), or of one of its versions (``apps/v1``)."""
        values = {
            "name": path,
            "versions": versions,
            "up": "../" * len(path.split("/")),
            **self.frame(path),
        }
        return FileContext(path, {"path": path}, values)

    def start(self) -> Iterator[FileContext]:
        values = {
            **start(self.release, self.told, self.groups),
            "prefix": "",
            "pages": (),
            **self.frame(""),
        }
        yield FileContext(self.release.name, {}, values)

    def search(self) -> Iterator[FileContext]:
        counts = {name: len(ways) for name, ways in self.relations.ways.items()}
        data = searching.index(self.release, self.places, counts, self.kinds)
        yield FileContext(self.release.name, {}, {}, data)

    def page(self, definition: Definition) -> Page:
        name = definition.name
        own = self.places[name]
        lives = self.told.lives[own.path]
        events = self.told.events.get(own.path, ())
        gone = self.after(lives[-1])
        heirs = self.families.heirs(own.path, gone) if gone else ()
        return Page(
            name=own.kind,
            place=own,
            full_name=name,
            type=(
                "" if definition.fields else type_label(definition.schema, self.places)
            ),
            facts=tuple(facts_of(definition.schema)),
            rules=tuple(rules_of(definition.schema)),
            level=level(definition.version),
            kinds=definition.kinds if len(definition.kinds) == 1 else (),
            about=prose(definition.description),
            summary=summary(definition.description),
            own=self.fields.of(name),
            inside=self.fields.inside(name),
            users=tuple(self.users(name)),
            ways=tuple(self.ways(name)),
            examples=self.written.required(definition) if name in self.kinds else (),
            chapters=tuple(
                Chapter(release, tuple(run))
                for release, run in groupby(reversed(events), attrgetter("release"))
            ),
            versions=tuple(self.versions(own)),
            born="" if lives[0] == self.told.releases[0] else lives[0],
            gone=gone,
            heirs=tuple(
                Crumb(heir, f"../../../../{gone}/{heir}/")
                for heir in heirs
                if heir != own.path
            ),
        )

    def users(self, name: str) -> Iterator[Use]:
        for user, field in self.relations.users.get(name, ()):
            yield self.use(user, (field,))

    def ways(self, name: str) -> Iterator[Use]:
        for kind, way in self.relations.ways.get(name, ()):
            yield self.use(kind, way)

    def use(self, name: str, way: Sequence[str]) -> Use:
        known = self.places[name]
        field = ".".join(way)
        return Use(known.kind, known.api, f"{known.href}#{anchor(field)}", field)

    def versions(self, own: Place) -> Iterator[Version]:
        """The versions of its group that have a type of the same name, in any release."""
        for each in self.families.versions(own):
            yield Version(
                each.version,
                level(each.version),
                _span(self.told.lives[each.path]),
                each.href,
            )

    def after(self, name: str) -> str:
        """The release after ``name``, empty for the newest."""
        following = self.told.releases[self.told.releases.index(name) + 1 :]
        return following[0] if following else ""

    def frame(self, path: str, below: str = "") -> Mapping[str, Any]:
        """What every page has: the way to the root, to what it is a part of, and to
        the same in other releases. ``below`` is what comes after the page's ``path``.
        """
        parts = path.split("/") if path else []
        depth = len(parts) + below.count("/")
        root = "../" * (depth + 1)
        return {
            "root": root,
            "crumbs": tuple(self.crumbs(parts, depth)),
            "switch": tuple(self.switch(path, root, below)),
        }

    def crumbs(self, parts: Sequence[str], depth: int) -> Iterator[Crumb]:
        """The release and each part of a path; no address for the page itself, nor for
        what the release has no page for."""
        yield Crumb(self.release.name, "../" * depth)
        for number, part in enumerate(parts, 1):
            is_there = "/".join(parts[:number]) in self.listed or number == 3
            yield Crumb(part, "../" * (depth - number) if is_there else "")

    def switch(self, path: str, root: str, below: str) -> Iterator[Switch]:
        """Every release has a page for a type that any of them has; for a group or a
        version, where it is missing, the release's start page stands in."""
        for each in self.told.releases:
            has_it = each in self.families.releases(path)
            way = path if has_it or path in self.told.lives else ""
            address = "/".join(filter(None, (each, way)))
            yield Switch(
                each,
                f"{root}{address}/{below if has_it else ''}",
                each == self.release.name,
                has_it,
            )

    @cached_property
    def listed(self) -> frozenset[str]:
        """The paths of the groups and versions that the release has."""
        return frozenset((*self.siblings, *(group.name for group in self.groups)))


def start(
    release: Release, told: Told, found: Sequence[listing.Group]
) -> Mapping[str, Any]:
    """What a start page shows of a release."""
    news = told.news
    return {
        "groups": found,
        "news": news,
        "new_kinds": [place(path) for path in news.kinds] if news else [],
        "gone_kinds": [place(path) for path in news.gone] if news else [],
        "new_fields": (
            [(place(path), field, anchor(field)) for path, field in news.fields]
            if news
            else []
        ),
        "count": len(release.definitions),
        "sha256": release.sha256,
    }


def _span(releases: Sequence[str]) -> str:
    first, last = releases[0], releases[-1]
    return first if first == last else f"{first} to {last}"
