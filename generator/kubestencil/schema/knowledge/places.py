"""What is known of places in kinds: what holds there only, what cannot change, and what no
API server looks into. Paths are JSON names without the indexes of lists."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from kubestencil.schema.field_paths import field_at_path
from kubestencil.schema.kinds import kind_definitions
from kubestencil.schema.knowledge.configurations import is_configuration_group
from kubestencil.schema.knowledge.fields import (
    KnownField,
    changed_field,
    known_field,
    later_release,
)
from kubestencil.schema.knowledge.kinds import built_in_groups
from kubestencil.schema.knowledge.tables import ranged_rows, rows
from kubestencil.schema.knowledge.values import FieldFacts, server_facts
from kubestencil.schema.types import GroupVersionKind, Release, group_version_kind
from kubestencil.source.releases import ReleaseRange, release_order

#: The paths of fields by kind.
_Paths = Mapping[GroupVersionKind, frozenset[str]]
# apiextensions-apiserver, pkg/registry/customresource/validator.go, in all releases.
_IN_CUSTOM_KINDS: Mapping[str, FieldFacts] = {
    "metadata.name": FieldFacts(
        format="dns-subdomain",
        max_length=253,
        origin={"format": "server", "max_length": "server"},
    )
}


class KindField(NamedTuple):
    """A field of a kind in some releases, with all that is inside of it.

    ``path`` has JSON names without the indexes of lists: ``spec.template``.
    """

    releases: ReleaseRange
    api_version: str
    kind: str
    path: str


class ImmutableField(NamedTuple):
    """A field of a kind that cannot change in some releases, with all that is inside of it.

    ``found`` is ``asked`` where the API server's code refused a change of it, and ``kept``
    where no object that it was asked about has one.
    """

    releases: ReleaseRange
    api_version: str
    kind: str
    path: str
    found: str


class ConditionalChange(NamedTuple):
    """A change of a field about which the state of the object in its cluster decides.

    ``change`` is what is meant: ``other``, ``more``, ``first``, or ``=VALUE``;
    ``condition`` is when the API server accepts it, for people.
    """

    group: str
    kind: str
    path: str
    change: str
    condition: str


@cache
def conditional_changes_of(group: str, kind: str) -> Sequence[ConditionalChange]:
    """The rows of ``specs/conditional-changes.tsv`` of a kind."""
    table = rows("conditional-changes", ConditionalChange)
    return [row for row in table if (row.group, row.kind) == (group, kind)]


def immutable_rows() -> Iterator[ImmutableField]:
    """The rows of the table ``immutable-fields``. Metadata is left out."""
    return ranged_rows("immutable-fields", ImmutableField, 3)


@cache
def immutable_fields(release: str) -> _Paths:
    """What cannot change in a release."""
    return _paths(immutable_rows(), release)


@cache
def unvalidated_fields(release: str) -> _Paths:
    """The fields in which an API server of a release accepts what it refuses elsewhere."""
    return _paths(rows("unvalidated-fields", KindField), release)


def is_unvalidated(release: str, kind: GroupVersionKind, path: str) -> bool:
    """Whether a server of a release does not look into what is at a path of a kind."""
    places = unvalidated_fields(release).get(kind, ())
    return any(f"{path}.".startswith(f"{place}.") for place in places)


def _paths(
    fields: Iterator[KindField] | Iterator[ImmutableField], release: str
) -> _Paths:
    found: dict[GroupVersionKind, set[str]] = defaultdict(set)
    for row in fields:
        if row.releases.includes(release):
            found[group_version_kind(row.api_version, row.kind)].add(row.path)
    return {kind: frozenset(paths) for kind, paths in found.items()}


def facts_in_kind(release: str, kind: GroupVersionKind) -> Mapping[str, FieldFacts]:
    """What is known of the values of fields at places of a kind only, by path."""
    if kind.group in built_in_groups() or is_configuration_group(kind.group):
        return server_facts(release).in_kinds.get(kind, {})
    return _IN_CUSTOM_KINDS


def known_place(
    release: Release, definition: str, kind: GroupVersionKind, path: Sequence[str]
) -> KnownField | None:
    """The field at a path of a kind, whose definition has a full name: JSON names, without
    indexes of lists. None for the keys of maps, and where the release has no such field.
    """
    *outer, name = path
    owner, schema = definition, release.definitions[definition].schema
    added = ""
    for step in outer:
        if schema.field(step) and (change := changed_field(owner, step)):
            added = later_release(added, change.added)
        inner = schema.field(step) or schema.values
        if inner is None:
            return None
        while part := inner.items:
            inner = part
        owner, schema = inner.ref or "", release.resolve(inner)
    for field in schema.fields:
        if field.name == name:
            known = known_field(release.name, owner, field)
            return at_place(known._replace(place_added=added), kind, path)
    return None


def at_place(
    known: KnownField, kind: GroupVersionKind, path: Sequence[str]
) -> KnownField:
    """What is known of a field, with the facts that hold at its path in a kind only."""
    facts = facts_in_kind(known.release, kind).get(".".join(path))
    if facts is None:
        return known
    origin = {**known.server.origin, **facts.origin}
    changed = {name: getattr(facts, name) for name in facts.origin}
    if facts.required and "defaults" not in changed:
        # The server fills it in elsewhere, and refuses that here.
        changed["defaults"] = ()
    return known._replace(server=known.server._replace(**changed, origin=origin))


def newly_mutable(before: str, after: str) -> Iterator[tuple[GroupVersionKind, str]]:
    """The kinds and paths of fields that can change in a release, with all that is inside
    of them, and could not in an older one."""
    if release_order(before) < release_order(after):
        still = immutable_fields(after)
        for kind, paths in immutable_fields(before).items():
            places = [f"{path}." for path in still.get(kind, ())]
            for path in sorted(paths):
                place = f"{path}."
                if not any(p.startswith(place) or place.startswith(p) for p in places):
                    yield kind, path


def kinds_with_immutable(
    release: Release,
) -> Mapping[tuple[str, str], tuple[GroupVersionKind, ...]]:
    """The kinds in whose objects a field cannot change, by definition and field."""
    kinds: dict[tuple[str, str], list[GroupVersionKind]] = {}
    paths = immutable_fields(release.name)
    for definition, kind in kind_definitions(release).items():
        for path in sorted(paths.get(kind, ())):
            if field := field_at(release, definition, path):
                kinds.setdefault(field, []).append(kind)
    return {field: tuple(found) for field, found in kinds.items()}


def field_at(release: Release, definition: str, path: str) -> tuple[str, str] | None:
    """The definition and the field at a path of a kind, None where the release lacks it."""
    step = field_at_path(definition, path, release.schema_named)
    return step and (step.definition, step.field.name)
