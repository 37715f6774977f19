"""The indexes of the site's search: one for each release, and one for types and
fields that not all releases have.

``assets/rank.js`` reads them. An index has the names of API versions (``apps/v1``), and
a list of types:

- a type is its name, the position of its API version, whether it is a kind (1 or 0),
  the number of kinds that it is part of, how many manifests use it (``usage_weight``),
  of a kind the other names of its resource (``pods po``), and a list of its fields;
- a field is its name, its type, and, unless they are -1 and 0, the position of the type
  that it refers to and how many manifests use it. Where there is a position, its type
  is only what is before the name: ``[]``.

In the index of other releases, each type has its release as one more item at the end. A
type inside of a custom resource has an empty one, and the name of the kind on whose page
its fields are, with the path to them.

The descriptions are in a script of their own, which the page loads after it has shown
results: each description once, and for each type, followed by its fields, the position
of its description. It also has

- ``answers``, what is known of a field: its position among types and fields, its
  default as JSON or an empty text, its values, and the release that added it;
- ``aliases``, other words for a kind or a field: the position of its type, the path from
  it, the words, and what to say of them. They are those of ``specs/synonyms.tsv``, the
  feature gates of fields, and kinds that were removed, with what to use instead.

A browser cannot hold all fields of a large catalogue of custom resources. Its index has
those of the levels that are nearest to the kinds, and ``isPartial``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from kubestencil.schema import Definition, Field, Release
from kubestencil.schema.graph import reference_graph
from kubestencil.schema.kinds import kind_definitions
from kubestencil.schema.knowledge.fields import FieldName, known_field, usage_weight
from kubestencil.schema.knowledge.values import FieldFacts
from kubestencil.schema.knowledge.words import container_in_words, type_in_words
from kubestencil.targets.site.addresses import PageAddress
from kubestencil.targets.site.data_scripts import data_script, encode_json
from kubestencil.targets.site.fields.paths import fields_of
from kubestencil.targets.site.pages.usage import inline_places
from kubestencil.targets.site.release_context import ReleasesByType
from kubestencil.targets.site.search_aliases import Alias, find_aliases
from kubestencil.text.html import summary

Addresses = Mapping[str, PageAddress]
# The path of a type's page, and that of a field, empty for the type itself.
_Name = tuple[str, str]


# More than the fields of Kubernetes and of 127 custom resources. 49,000 of them are 8.5
# MB, and take 10 s and 270 MB to index (Node.js 20, in the background of a page).
_MAX_FIELDS = 50_000


class _Index:
    """Collects the types and fields of an index.

    ``release`` is the release of all of them, empty where each has its own;
    ``positions`` are those of the types that fields refer to, by the definition's full
    name; ``shorten`` is applied to descriptions.
    """

    def __init__(
        self,
        release: str,
        positions: Mapping[str, int],
        shorten: Callable[[str], str],
    ) -> None:
        self._release = release
        self._positions = positions
        self._shorten = shorten
        # The types as JSON. As lists they would take several times the memory.
        self._types = bytearray()
        self._api_versions: dict[str, int] = {}
        self._texts: dict[str, int] = {}
        self._text_positions: list[int] = []
        self._answers: list[Sequence[Any]] = []

    def add(
        self,
        definition: Definition,
        fields: Iterable[Field],
        addresses: Addresses,
        *,
        is_kind: bool,
        kind_count: int = 0,
        names: str = "",
        release: str = "",
        added: Mapping[_Name, str] = MappingProxyType({}),
        place: tuple[str, str] | None = None,
    ) -> None:
        """Add a type with some of its fields; ``addresses`` are those of its release,
        ``added`` the releases that added fields. ``place`` is that of an inline
        object (``inline_places``)."""
        address = addresses[definition.name]
        owner, path = place or (definition.name, "")
        page, prefix = addresses[owner], path and f"{path}."
        name = FieldName(definition.group_label, definition.kind, "")
        self._add_text(definition.description)
        field_items = []
        for field in fields:
            self._add_text(field.schema.description)
            if self._release:
                since = added.get((page.path, f"{prefix}{field.name}"), "")
                known = known_field(self._release, definition.name, field)
                self._add_answer(known.facts, since)
            weight = usage_weight(name._replace(field=field.name))
            field_items.append(self._field_item(field, weight, addresses))
        type_item = [
            address.kind,
            _position(address.group_version, self._api_versions),
            int(is_kind),
            kind_count,
            usage_weight(name),
            names,
            field_items,
        ]
        if release or place:
            type_item.append(release)
        if place:
            type_item.append((page.kind, path))
        self._types += b"," * bool(self._types) + encode_json(type_item)

    def _field_item(
        self, field: Field, weight: int, addresses: Addresses
    ) -> Sequence[str | int]:
        containers, value = container_in_words(field.schema)
        position = self._positions.get(value.ref, -1) if value.ref else -1
        label = containers
        if position < 0:
            label = type_in_words(field.schema, lambda name: addresses[name].kind)
        if weight:
            return (field.name, label, position, weight)
        return (field.name, label) if position < 0 else (field.name, label, position)

    def _add_text(self, description: str) -> None:
        text = self._shorten(description)
        self._text_positions.append(_position(text, self._texts))

    def _add_answer(self, facts: FieldFacts, since: str) -> None:
        default = encode_json(facts.default.value).decode() if facts.default else ""
        if default or facts.enum or since:
            position = len(self._text_positions) - 1
            values = [str(value) for value in facts.enum]
            self._answers.append((position, default, values, since))

    def names_script(self, *, is_partial: bool = False) -> bytes:
        """JavaScript that passes the names to the search."""
        return b"".join(
            (
                b'kubestencilIndex({"release":',
                encode_json(self._release),
                b',"apiVersions":',
                encode_json(list(self._api_versions)),
                b',"types":[',
                self._types,
                b'],"isPartial":true})\n' if is_partial else b"]})\n",
            )
        )

    def texts_script(self, aliases: Iterable[Alias] = ()) -> bytes:
        """JavaScript that passes the descriptions to the search, and other words for
        the types and fields."""
        texts = {
            "release": self._release,
            "texts": list(self._texts),
            "positions": self._text_positions,
            "answers": self._answers,
            "aliases": tuple(aliases),
        }
        return data_script("kubestencilTexts", texts)


def _position(text: str, positions: dict[str, int]) -> int:
    """The position of a text in a list of distinct ones, to which it is added."""
    return positions.setdefault(text, len(positions))


class IndexScripts(NamedTuple):
    """The scripts of an index: its names, and its descriptions."""

    names: bytes
    texts: bytes


def release_index(
    release: Release,
    addresses: Addresses,
    kinds: Collection[str],
    kind_counts: Mapping[str, int],
    added: Mapping[tuple[str, str], str],
) -> IndexScripts:
    """The index of a release.

    ``kinds`` are the full names of the kinds' definitions, ``kind_counts`` the number
    of kinds that a definition is part of, ``added`` the releases that added fields, by
    the path of the type's page and the field's path.
    """
    places = inline_places(release)
    indexed = _indexed_definitions(release)
    names = (name for name in release.definitions if name in indexed)
    positions = {name: position for position, name in enumerate(names)}
    index = _Index(release.name, positions, lambda text: " ".join(text.split()))
    for name, definition in release.definitions.items():
        if name in indexed:
            index.add(
                definition,
                fields_of(definition.schema),
                addresses,
                is_kind=name in kinds,
                kind_count=kind_counts.get(name, 1 if name in places else 0),
                names=_resource_names(definition, release),
                added=added,
                place=places.get(name),
            )
    is_partial = len(indexed) < len(release.definitions)
    return IndexScripts(
        index.names_script(is_partial=is_partial),
        index.texts_script(find_aliases(release, positions)),
    )


def _indexed_definitions(release: Release) -> Collection[str]:
    """The definitions in the index: all, or those with names of their own, and as many
    levels of inline objects in them as do not have too many fields."""
    counts = {
        name: len(fields_of(definition.schema))
        for name, definition in release.definitions.items()
    }
    if sum(counts.values()) <= _MAX_FIELDS:
        return counts
    graph = reference_graph(release.definitions)
    indexed: set[str] = set()
    level = counts.keys() - release.inline_definitions
    field_count = 0
    while level and (not indexed or field_count <= _MAX_FIELDS):
        indexed |= level
        level = {name for inner in level for name in graph[inner]} - indexed
        field_count = sum(counts[name] for name in indexed | level)
    return indexed


def other_releases_index(
    releases: Sequence[Release],
    addresses_by_release: Sequence[Addresses],
    releases_by_type: ReleasesByType,
) -> bytes:
    """The index of the types and fields that not all releases have, each in the newest
    release that has it, as one script."""
    index = _Index("", {}, summary)
    if len(releases) == 1:
        return index.names_script() + index.texts_script()
    common = _common_fields(releases, addresses_by_release)
    indexed: set[_Name] = set()
    newest_first = reversed(list(zip(releases, addresses_by_release, strict=True)))
    for release, addresses in newest_first:
        kinds = kind_definitions(release)
        for name, definition in release.definitions.items():
            path = addresses[name].path
            fields = [
                field
                for field in fields_of(definition.schema)
                if (path, field.name) not in indexed
                and (path, field.name) not in common
            ]
            is_common = len(releases_by_type[path]) == len(releases)
            if not fields and (is_common or (path, "") in indexed):
                continue
            indexed.update((path, field.name) for field in fields)
            indexed.add((path, ""))
            index.add(
                definition,
                fields,
                addresses,
                is_kind=name in kinds,
                names=_resource_names(definition, release),
                release=release.name,
            )
    return index.names_script() + index.texts_script()


def _common_fields(
    releases: Sequence[Release], addresses_by_release: Sequence[Addresses]
) -> Collection[_Name]:
    counts = Counter(
        (addresses[name].path, field.name)
        for release, addresses in zip(releases, addresses_by_release, strict=True)
        for name, definition in release.definitions.items()
        for field in fields_of(definition.schema)
    )
    return {name for name, count in counts.items() if count == len(releases)}


def _resource_names(definition: Definition, release: Release) -> str:
    """The plural, the short names and the singular that kubectl takes for a kind,
    separated by spaces."""
    names: dict[str, None] = {}
    for kind in definition.kinds:
        resource = release.resources.get(kind)
        if resource is not None:
            names |= dict.fromkeys(
                (resource.plural, *resource.short_names, resource.singular)
            )
    # The search finds the name of the kind itself.
    names.pop(definition.kind.lower(), None)
    return " ".join(names)
