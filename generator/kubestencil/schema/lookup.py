"""Finds the types that a user names, in the ways in which people do.

A type is named as a kind (``Deployment``), as kubectl names resources (``deployments``,
``deploy``, ``deployments.apps``), with its API version (``apps/v1/Deployment``) or by
its full name; the path of a field may follow after a dot, as for ``kubectl explain``
(``pod.spec.containers.livenessProbe``). Upper and lower case are equal where no type
has the name as it is written.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from kubestencil.errors import UsageError, nearest
from kubestencil.schema.kinds import group_names, non_list_kinds
from kubestencil.schema.types import Definition, Release

_VERSION = re.compile(r"v\d+((alpha|beta)\d+)?\Z")
# More releases than these are named by the first and the last of them.
_MAX_NAMES = 3
_BRACKETS = re.compile(r"\[[*\d]*\]")


class TypeMatch(NamedTuple):
    """A type that a query means.

    ``kind`` is its name, ``group`` its API group (``core``, ``apps``) and ``version``
    the API version that the query is limited to, None for all. ``field_path`` is the
    path of a field below it as it was written, None for the whole type.
    """

    kind: str
    group: str
    version: str | None
    field_path: str | None

    def includes(self, kind: str, group: str, version: str) -> bool:
        """Whether the query means the type ``kind`` of an API version."""
        return (self.kind, self.group) == (kind, group) and (
            self.version in (None, version)
        )


def definitions_of(match: TypeMatch, release: Release) -> Iterator[Definition]:
    """The definitions of a release that a match means, in the order of the document."""
    groups = group_names(release)
    for definition in release.definitions.values():
        group = type_group(definition, groups)
        if match.includes(definition.kind, group, definition.version):
            yield definition


def find_types(
    releases: Sequence[Release], query: str, field_path: str | None = None
) -> tuple[TypeMatch, ...]:
    """The types that ``query`` means in any of the releases: kinds first, then by group.

    ``field_path`` is a field below the type that is named apart from it; one that is
    part of ``query`` comes before it. Raises UsageError where no release has such a
    type.
    """
    return _TypeNames(releases).find(query, field_path)


def find_kinds(
    queries: Iterable[str], groups: Iterable[str], releases: Sequence[Release]
) -> tuple[TypeMatch, ...]:
    """The types that any of ``queries`` means, of ``groups`` where there are any.

    Raises UsageError for a group and for a kind or type that no release has, and for
    the path of a field.
    """
    groups = tuple(groups)
    kinds = [kind for release in releases for kind in non_list_kinds(release)]
    known_groups = {kind.group or "core" for kind in kinds}
    for group in groups:
        if group not in known_groups:
            raise UsageError(
                f"no group called {group!r}{_in_releases(releases)}",
                hint=nearest(group, sorted(known_groups)),
            )
    types = _TypeNames(releases)
    matches: list[TypeMatch] = []
    for query in queries:
        found = [
            match for match in types.find(query) if not groups or match.group in groups
        ]
        if not found:
            names = {kind.kind for kind in kinds if (kind.group or "core") in groups}
            raise UsageError(
                f"no kind or type called {query!r} in the group {' or '.join(groups)}"
                f"{_in_releases(releases)}",
                hint=nearest(query, sorted(names)),
            )
        if found[0].field_path is not None:
            raise UsageError(
                f"{query!r} names a field, not a kind or type",
                hint=f"name its kind: {found[0].kind}",
            )
        matches += found
    return tuple(matches)


class _Reading(NamedTuple):
    """One way to read a query; None for what it does not say."""

    name: str
    group: str | None = None
    version: str | None = None
    path: str | None = None


def split_query(query: str) -> tuple[str, str]:
    """What comes before a kind (``apps/v1``, ``v1``, or nothing), and the kind, which may
    also come before its version: ``hpa/v2``."""
    prefix, _, rest = query.rpartition("/")
    return (rest, prefix) if prefix and _VERSION.match(rest) else (prefix, rest)


def _readings(query: str) -> Iterator[_Reading]:
    """The ways to read a query, the first one that has a match applies."""
    prefix, rest = split_query(query)
    group, version = _group_and_version(prefix)
    yield _Reading(rest, group, version)
    name, _, tail = rest.partition(".")
    if not prefix:
        # kubectl's "deployments.apps" and "deployments.v1.apps", and "deployments.v1".
        yield _Reading(name, tail)
        head, _, group_name = tail.partition(".")
        if _VERSION.match(head):
            yield _Reading(name, group_name or None, head)
    yield _Reading(name, group, version, tail)
    if group == "core":
        yield _Reading(rest, version=version)


def _group_and_version(prefix: str) -> tuple[str | None, str | None]:
    """What comes before a kind: ``apps/v1``, ``apps`` or ``v1``."""
    group, slash, version = prefix.rpartition("/")
    if slash:
        return group, version
    if _VERSION.match(prefix):
        return "core", prefix
    return prefix or None, None


def _joined(*paths: str | None) -> str | None:
    """Paths of fields, one below the other; without brackets and outer dots."""
    parts = (_BRACKETS.sub("", path).strip(".") for path in paths if path)
    return ".".join(filter(None, parts)) or None


class _TypeNames:
    """The names of all types of some releases."""

    def __init__(self, releases: Sequence[Release]) -> None:
        self._releases = releases
        self._versions: dict[tuple[str, str], set[str]] = {}
        self._served: set[tuple[str, str]] = set()
        self._by_kind: dict[str, set[tuple[str, str]]] = {}
        self._by_lower_case: dict[str, set[tuple[str, str]]] = {}
        for release in releases:
            groups = group_names(release)
            for definition in release.definitions.values():
                self._add_definition(definition, type_group(definition, groups))

    def find(self, query: str, field_path: str | None = None) -> tuple[TypeMatch, ...]:
        """The types that a query means; as ``find_types``."""
        for reading in _readings(query):
            path = _joined(reading.path, field_path)
            matches = [
                TypeMatch(kind, group, reading.version, path)
                for kind, group in self._named(reading.name)
                if reading.group in (None, group)
                and reading.version in (None, *self._versions[kind, group])
            ]
            if matches:
                return tuple(sorted(matches, key=self._order))
        last = query.rpartition("/")[2].partition(".")[0]
        if any(last.lower() in _all_kinds(release) for release in self._releases):
            raise UsageError(
                f"{query!r} is left out: --kind or --group select others",
                hint=f"select it, too: --kind {last}",
            )
        hint = nearest(last, sorted({kind for kind, _ in self._versions}))
        raise UsageError(
            f"no kind or type called {query!r}{_in_releases(self._releases)}",
            # Kinds are too many to list all.
            hint=(
                hint
                if hint.startswith("did")
                else "kubestencil history lists all kinds"
            ),
        )

    def _named(self, name: str) -> set[tuple[str, str]]:
        """The types, each a kind and a group, that a name stands for: exactly, as a
        resource, regardless of its case, or as the initials of kinds."""
        lower_case = name.lower()
        return (
            self._by_kind.get(name)
            or self._by_resource.get(lower_case)
            or self._by_lower_case.get(lower_case)
            or {key for key in self._served if initials(key[0]) == lower_case}
        )

    def _order(self, match: TypeMatch) -> tuple[bool, str, str]:
        """Sorts matches: kinds before types that are only parts of others."""
        is_part = (match.kind, match.group) not in self._served
        return is_part, match.group, match.kind

    @cached_property
    def _by_resource(self) -> Mapping[str, set[tuple[str, str]]]:
        """The types by plural, singular and short names, in lower case."""
        types: dict[str, set[tuple[str, str]]] = {}
        for release in self._releases:
            for kind, resource in release.resources.items():
                key = kind.kind, kind.group or "core"
                if key in self._versions:
                    for name in (
                        resource.plural,
                        resource.singular,
                        *resource.short_names,
                    ):
                        types.setdefault(name.lower(), set()).add(key)
        return types

    def _add_definition(self, definition: Definition, group: str) -> None:
        key = definition.kind, group
        self._versions.setdefault(key, set()).add(definition.version)
        self._by_kind.setdefault(definition.kind, set()).add(key)
        self._by_kind.setdefault(definition.name, set()).add(key)
        self._by_lower_case.setdefault(definition.kind.lower(), set()).add(key)
        if definition.kinds:
            self._served.add(key)


def initials(kind: str) -> str:
    """What people call a kind of three words or more: ``vap``; empty for others."""
    capitals = "".join(filter(str.isupper, kind)).lower()
    return capitals if len(capitals) > 2 else ""


def type_group(definition: Definition, groups: Mapping[str, str]) -> str:
    """The API group of a type; ``groups`` are those of the release by package."""
    return groups.get(definition.name.rpartition(".")[0], definition.group_label)


def _all_kinds(release: Release) -> Collection[str]:
    """The kinds of a limited release before it was, in lower case."""
    definitions = (release.unlimited or {}).values() if release.is_limited else ()
    return {kind.kind.lower() for item in definitions for kind in item.kinds}


def _in_releases(releases: Iterable[Release]) -> str:
    names = list(dict.fromkeys(release.name for release in releases))
    if len(names) > _MAX_NAMES:
        return f", in {names[0]} to {names[-1]}"
    return f", in {' or '.join(names)}"
