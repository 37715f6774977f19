"""The page of a type."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from markupsafe import Markup

from kubestencil.engine.manifest import Target
from kubestencil.schema import Definition, GroupVersionKind, Release
from kubestencil.schema.kinds import Stage, kind_definitions, version_stage
from kubestencil.schema.knowledge.values import NO_FACTS
from kubestencil.schema.knowledge.words import facts_in_words, type_in_words
from kubestencil.schema.types import Resource
from kubestencil.schema.well_known import META_V1
from kubestencil.targets.field_examples.explanations import (
    ExplainedFields,
    ReleaseExplanations,
)
from kubestencil.targets.site.addresses import (
    PageAddress,
    anchor,
    page_address_of,
    page_addresses,
)
from kubestencil.targets.site.examples.kinds import Example, Examples
from kubestencil.targets.site.examples.operations import (
    NO_OPERATIONS,
    Operations,
    ReleaseOperations,
)
from kubestencil.targets.site.fields.rows import (
    FieldRow,
    ReleaseFields,
    TypeFields,
)
from kubestencil.targets.site.fields.schema_labels import (
    Attribute,
    ValidationRule,
    attributes_of,
    in_words,
    validation_rules_of,
)
from kubestencil.targets.site.navigation import Link
from kubestencil.targets.site.options import site_options
from kubestencil.targets.site.pages.extra_pages import TypeLinks, UserFiles
from kubestencil.targets.site.pages.own_descriptions import OWN_DESCRIPTIONS
from kubestencil.targets.site.pages.resource_labels import (
    NOT_DEPRECATED,
    concept_page,
    deprecation_of,
    resource_attributes,
)
from kubestencil.targets.site.pages.type_changes import (
    InnerChanges,
    ReleaseChanges,
    VersionChanges,
    change_history,
    find_inner_changes,
    version_changes,
)
from kubestencil.targets.site.pages.usage import MAX_KINDS, Usage, Use, find_usage
from kubestencil.targets.site.release_context import Availability, ReleaseContext
from kubestencil.text.html import prose, summary

# The versions of a type that its page links to; no project has as many. The page of the
# group lists all.
_MAX_VERSIONS = 50


class UseLinks(NamedTuple):
    """A type that uses the page's type, with its group and version: links to the fields
    that have it, each with the path as its text, and whether there are more."""

    name: str
    group_version: str
    fields: tuple[Link, ...]
    has_more: bool


class VersionLink(NamedTuple):
    """A version of the type's group that has a type of the same kind, and the releases
    that have it (``1.33 to 1.35``), empty where the site has one release."""

    name: str
    releases: str
    href: str
    is_current: bool


@dataclass(frozen=True, slots=True)
class TypePage:
    """What the page of a type shows.

    ``name`` is the kind or the type's name, ``definition`` the full name in the
    document. ``type`` is a label (``string``), empty for an object whose fields are
    shown. ``attributes`` and ``rules`` are those of the definition itself. ``level`` is
    the stability of the API version. ``kinds`` has the group, version and kind that
    the API server serves the type as, and is empty for a supporting type.
    ``resource`` says how the API server serves a kind, ``resource_attributes`` that as
    pages show it; ``deprecation`` says that a kind is deprecated, and is empty
    for one that is not; ``successor`` links to the kind to use instead. ``concept`` is
    the address of the page of kubernetes.io about a kind, empty without one.
    ``description`` is HTML, ``summary`` its first sentence as plain text.

    ``note`` is the user's own text about the kind, as HTML.

    ``nested_types`` have the fields of all types that can be expanded on the page, and
    ``places`` those of which something else holds where they are in the kind. ``fixed``
    are the paths of which only is known that they cannot change there.
    ``referenced_by`` are the types that refer to it, ``used_in`` the kinds that it is
    part of; ``has_all_uses`` is false where there may be more of these.
    ``operations`` are those of a kind.
    ``without_example`` are the fields of a kind that no new object keeps.
    ``change_history`` begins with the newest release that changed it, or a type inside
    of it, ``version_changes`` are those between versions of a custom resource.
    ``versions`` are the type's versions in any release, the most stable ones
    where there are very many. ``added_in`` and ``removed_in`` name releases; they are
    empty where the first release of the site has the type, and where the last one has
    it. ``replacements`` are types with the same name in the release that removed it.
    """

    name: str
    address: PageAddress
    definition: str
    type: str
    attributes: tuple[Attribute, ...]
    rules: tuple[ValidationRule, ...]
    level: Stage
    kinds: tuple[GroupVersionKind, ...]
    resource: Resource | None
    resource_attributes: tuple[Attribute, ...]
    deprecation: str
    successor: Link | None
    concept: str
    description: Markup
    summary: str
    note: Markup
    fields: TypeFields
    nested_types: tuple[TypeFields, ...]
    places: tuple[FieldRow, ...]
    fixed: tuple[str, ...]
    referenced_by: tuple[UseLinks, ...]
    used_in: tuple[UseLinks, ...]
    has_all_uses: bool
    operations: Operations
    examples: tuple[Example, ...]
    without_example: Sequence[ExplainedFields]
    change_history: tuple[ReleaseChanges, ...]
    version_changes: tuple[VersionChanges, ...]
    versions: tuple[VersionLink, ...]
    added_in: str
    removed_in: str
    replacements: tuple[Link, ...]

    @property
    def sections(self) -> tuple[Link, ...]:
        """The sections of the page."""
        return (
            *([Link("Fields", "#fields")] if self.fields.rows else ()),
            *([Link("History", "#history")] if self.change_history else ()),
            *(
                Link(f"From {before}", f"#from-{before}")
                for before, _, _ in self.version_changes
            ),
            *([Link("Operations", "#operations")] if self.operations.paths else ()),
            *([Link("Used in", "#kinds")] if self.used_in else ()),
            *([Link("Referenced by", "#referenced-by")] if self.referenced_by else ()),
            Link("About", "#about"),
        )

    @property
    def is_expandable(self) -> bool:
        """Whether any field has fields that can be expanded."""
        return bool(self.nested_types) or any(row.fields for row in self.fields.rows)


class TypePages:
    """Makes the pages of the types of one release."""

    def __init__(
        self,
        release: Release,
        named: Release,
        context: ReleaseContext,
        availability: Availability,
        target: Target,
    ) -> None:
        self.addresses = page_addresses(release)
        self.kinds = kind_definitions(release).keys()
        self.examples = Examples(named, target)
        self.operations = ReleaseOperations(named, self.addresses, target)
        self._release = release
        self._context = context
        self._availability = availability
        oldest = context.releases[0] if len(context.releases) > 1 else ""
        self._fields = ReleaseFields(release, self.addresses, context.changes, oldest)
        self._explanations = ReleaseExplanations(release)
        self._files = UserFiles(site_options(target).pages)
        self._links = TypeLinks(release, self.addresses)

    @cached_property
    def usage(self) -> Usage:
        """The uses of the types of the release."""
        return find_usage(self._release, sorted(self.kinds))

    @cached_property
    def _inner_changes(self) -> InnerChanges:
        return find_inner_changes(
            self._release, self._context, self.addresses, self.usage
        )

    @cached_property
    def _version_changes(self) -> Mapping[GroupVersionKind, Sequence[VersionChanges]]:
        return version_changes(self._release)

    def make(self, definition: Definition) -> TypePage:
        """The page of a definition."""
        name, schema = definition.name, definition.schema
        address = self.addresses[name]
        releases = self._context.releases_by_type[address.path]
        # The release after the last one that has the type, empty for the newest.
        all_releases = (*self._context.releases, "")
        removed_in = all_releases[all_releases.index(releases[-1]) + 1]
        is_kind = name in self.kinds
        used_in = self.usage.used_in.get(name, ())
        kind = definition.served_kind
        resource = self._release.resources.get(kind) if kind else None
        deprecation = NOT_DEPRECATED
        if is_kind and kind:
            deprecation = deprecation_of(kind, resource, self._release.name)
        description = OWN_DESCRIPTIONS.get(name, definition.description)
        return TypePage(
            name=address.kind,
            address=address,
            definition=name,
            type=(
                ""
                if definition.fields
                else type_in_words(schema, lambda name: self.addresses[name].kind)
            ),
            attributes=(
                *in_words(facts_in_words(schema, NO_FACTS)),
                *attributes_of(schema),
            ),
            rules=tuple(validation_rules_of(schema)),
            level=version_stage(definition.version),
            kinds=(kind,) if kind else (),
            resource=resource,
            resource_attributes=tuple(resource_attributes(resource)),
            deprecation=deprecation.text,
            successor=self._kind_link(deprecation.replacement),
            concept=concept_page(kind) if is_kind and kind else "",
            description=prose(description),
            summary=summary(description),
            note=self._files.note(address, "../../../../", self._links),
            fields=self._fields.of(name),
            nested_types=self._fields.nested(name),
            places=self._fields.places(name),
            fixed=self._fields.fixed(definition),
            referenced_by=self._use_links(self.usage.referenced_by.get(name, ())),
            used_in=self._use_links(used_in),
            has_all_uses=len(used_in) < MAX_KINDS,
            operations=self.operations.of(definition) if is_kind else NO_OPERATIONS,
            # The kinds of this package are what servers answer: no request has them.
            examples=(
                self.examples.starter(definition)
                if is_kind and not name.startswith(f"{META_V1}.")
                else ()
            ),
            without_example=(
                self._explanations.of(definition) if is_kind and resource else ()
            ),
            change_history=change_history(
                name, address.path, self._context, self._inner_changes
            ),
            version_changes=(
                tuple(self._version_changes.get(kind, ())) if kind else ()
            ),
            versions=tuple(self._versions(address)),
            added_in="" if releases[0] == self._context.releases[0] else releases[0],
            removed_in=removed_in,
            replacements=tuple(self._replacements(address.path, removed_in)),
        )

    def _use_links(self, uses: Iterable[Use]) -> tuple[UseLinks, ...]:
        return tuple(
            UseLinks(
                address.kind,
                address.group_version,
                tuple(
                    Link(path, f"{address.href}#{anchor(path)}") for path in use.paths
                ),
                use.has_more,
            )
            for use in uses
            for address in [self.addresses[use.definition]]
        )

    def _kind_link(self, kind: GroupVersionKind | None) -> Link | None:
        """A link to the page of a kind, without an address where there is no page."""
        if kind is None:
            return None
        address = page_address_of(kind.group or "core", kind.version, kind.kind)
        href = address.href if address in self.addresses.values() else ""
        return Link(f"{kind.api_version} {kind.kind}", href)

    def _versions(self, address: PageAddress) -> Iterator[VersionLink]:
        # The most stable ones are the last.
        versions = self._availability.versions(address)[-_MAX_VERSIONS:]
        current = [] if address in versions else [address]
        for version in (*current, *versions):
            releases = self._context.releases_by_type[version.path]
            text = release_range(releases) if len(self._context.releases) > 1 else ""
            href = version.href
            if self._context.is_added_later(version.path, self._release.name):
                href = f"../../../../{releases[0]}/{version.path}/"
            yield VersionLink(version.version, text, href, version == address)

    def _replacements(self, path: str, removed_in: str) -> Iterator[Link]:
        if removed_in:
            for replacement in self._availability.replacements(path, removed_in):
                if replacement != path:
                    yield Link(replacement, f"../../../../{removed_in}/{replacement}/")


def release_range(releases: tuple[str, ...]) -> str:
    """The first and the last of some releases, for people: ``1.33 to 1.35``."""
    first, last = releases[0], releases[-1]
    return first if first == last else f"{first} to {last}"
