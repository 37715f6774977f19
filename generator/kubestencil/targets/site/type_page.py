"""The page of a type."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from markupsafe import Markup

from kubestencil.engine.manifest import Target
from kubestencil.schema import Definition, GroupVersionKind, Release
from kubestencil.schema.kinds import Level, kind_definitions, level
from kubestencil.schema.resources import Resource
from kubestencil.targets.site.addresses import PageAddress, page_addresses
from kubestencil.targets.site.availability import Availability
from kubestencil.targets.site.examples import Example, Examples
from kubestencil.targets.site.field_paths import anchor
from kubestencil.targets.site.fields import ReleaseFields, TypeFields
from kubestencil.targets.site.navigation import Link
from kubestencil.targets.site.release_context import ReleaseContext
from kubestencil.targets.site.resource_labels import (
    deprecation_warning,
    resource_attributes,
)
from kubestencil.targets.site.schema_labels import (
    Attribute,
    ValidationRule,
    attributes_of,
    type_label,
    validation_rules_of,
)
from kubestencil.targets.site.type_changes import ReleaseChanges, TypeChanges
from kubestencil.targets.site.usage import MAX_KINDS, FieldUse, Usage, find_usage
from kubestencil.text.html import prose, summary

# The versions of a type that its page links to; no project has as many. The page of the
# group lists all.
_MAX_VERSIONS = 50


class UseLink(NamedTuple):
    """A field that has the page's type: the type that it is part of, with its group
    and version and the link to the field, and the path from that type to the field."""

    name: str
    group_version: str
    href: str
    path: str


class VersionLink(NamedTuple):
    """A version of the type's group that has a type of the same kind, and the releases
    that have it (``1.33 to 1.35``)."""

    name: str
    releases: str
    href: str


@dataclass(frozen=True, slots=True)
class TypePage:
    """What the page of a type shows.

    ``name`` is the kind or the type's name, ``definition`` the full name in the
    document. ``type`` is a label (``string``), empty for an object whose fields are
    shown. ``attributes`` and ``rules`` are those of the definition itself. ``level`` is
    the stability of the API version. ``kinds`` has the group, version and kind that
    the API server serves the type as, and is empty for a supporting type.
    ``resource`` says how the API server serves a kind, ``resource_attributes`` that as
    pages show it; ``deprecation`` is its warning, empty for a kind that is not
    deprecated. ``description`` is HTML, ``summary`` its first sentence as plain text.

    ``nested_types`` have the fields of all types that can be expanded on the page.
    ``referenced_by`` are the fields that have the type, ``used_in`` the kinds that it
    is part of; ``has_all_uses`` is false where there may be more of these.
    ``change_history`` begins with the newest release that changed it, or a type inside
    of it.
    ``versions`` are the type's versions in any release, the most stable ones where there
    are very many. ``added_in`` and
    ``removed_in`` name releases; they are empty where the first release of the site has
    the type, and where the last one has it. ``replacements`` are types with the same
    name in the release that removed it.
    """

    name: str
    address: PageAddress
    definition: str
    type: str
    attributes: tuple[Attribute, ...]
    rules: tuple[ValidationRule, ...]
    level: Level
    kinds: tuple[GroupVersionKind, ...]
    resource: Resource | None
    resource_attributes: tuple[Attribute, ...]
    deprecation: str
    description: Markup
    summary: str
    fields: TypeFields
    nested_types: tuple[TypeFields, ...]
    referenced_by: tuple[UseLink, ...]
    used_in: tuple[UseLink, ...]
    has_all_uses: bool
    examples: tuple[Example, ...]
    change_history: tuple[ReleaseChanges, ...]
    versions: tuple[VersionLink, ...]
    added_in: str
    removed_in: str
    replacements: tuple[Link, ...]

    @property
    def is_expandable(self) -> bool:
        """Whether any field has fields that can be expanded."""
        return bool(self.nested_types) or any(row.fields for row in self.fields.rows)


class TypePages:
    """Makes the pages of the types of one release."""

    def __init__(
        self,
        release: Release,
        context: ReleaseContext,
        availability: Availability,
        target: Target,
    ) -> None:
        self.addresses = page_addresses(release)
        self.kinds = kind_definitions(release).keys()
        self.examples = Examples(release, target)
        self._release = release
        self._context = context
        self._availability = availability
        self._fields = ReleaseFields(release, self.addresses, context.changes)

    @cached_property
    def usage(self) -> Usage:
        """The uses of the types of the release."""
        return find_usage(self._release, sorted(self.kinds))

    @cached_property
    def _changes(self) -> TypeChanges:
        return TypeChanges(self._release, self._context, self.addresses, self.usage)

    def make(self, definition: Definition) -> TypePage:
        """The page of a definition."""
        name, schema = definition.name, definition.schema
        address = self.addresses[name]
        releases = self._context.releases_by_type[address.path]
        removed_in = self._release_after(releases[-1])
        is_kind = name in self.kinds
        used_in = self.usage.used_in.get(name, ())
        kinds = definition.kinds if len(definition.kinds) == 1 else ()
        resource = self._release.resources.get(kinds[0]) if kinds else None
        return TypePage(
            name=address.kind,
            address=address,
            definition=name,
            type="" if definition.fields else type_label(schema, self.addresses),
            attributes=tuple(attributes_of(schema)),
            rules=tuple(validation_rules_of(schema)),
            level=level(definition.version),
            kinds=kinds,
            resource=resource,
            resource_attributes=tuple(resource_attributes(resource)),
            deprecation=deprecation_warning(resource),
            description=prose(definition.description),
            summary=summary(definition.description),
            fields=self._fields.of(name),
            nested_types=self._fields.nested(name),
            referenced_by=self._use_links(self.usage.referenced_by.get(name, ())),
            used_in=self._use_links(used_in),
            has_all_uses=len(used_in) < MAX_KINDS,
            examples=self.examples.starter(definition) if is_kind else (),
            change_history=self._changes.of(name),
            versions=tuple(self._versions(address)),
            added_in="" if releases[0] == self._context.releases[0] else releases[0],
            removed_in=removed_in,
            replacements=tuple(self._replacements(address.path, removed_in)),
        )

    def _use_links(self, uses: Iterable[FieldUse]) -> tuple[UseLink, ...]:
        return tuple(
            UseLink(
                address.kind,
                address.group_version,
                f"{address.href}#{anchor(path)}",
                path,
            )
            for name, path in uses
            for address in (self.addresses[name],)
        )

    def _versions(self, address: PageAddress) -> Iterator[VersionLink]:
        versions = self._availability.versions(address)
        # The most stable ones are the last.
        earlier = versions[:-_MAX_VERSIONS]
        own = [address] if address in earlier else []
        for version in (*own, *versions[-_MAX_VERSIONS:]):
            releases = self._context.releases_by_type[version.path]
            yield VersionLink(version.version, release_range(releases), version.href)

    def _replacements(self, path: str, removed_in: str) -> Iterator[Link]:
        if removed_in:
            for replacement in self._availability.replacements(path, removed_in):
                if replacement != path:
                    yield Link(replacement, f"../../../../{removed_in}/{replacement}/")

    def _release_after(self, release: str) -> str:
        """The next release, empty for the newest."""
        releases = self._context.releases
        following = releases[releases.index(release) + 1 :]
        return following[0] if following else ""


def release_range(releases: tuple[str, ...]) -> str:
    """The first and the last of some releases, for people: ``1.33 to 1.35``."""
    first, last = releases[0], releases[-1]
    return first if first == last else f"{first} to {last}"
