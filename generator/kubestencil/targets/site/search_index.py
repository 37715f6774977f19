"""The indexes of the site's search: one for each release, and one for types and
fields that not all releases have.

``assets/rank.js`` reads them, and ``assets/check.js``. An index has the names of API
versions (``apps/v1``), and a list of types:

- a type is its name, the position of its API version, whether it is a kind (1 or 0),
  the number of kinds that it is part of, how many manifests use it (``usage_weight``),
  of a kind the other names of its resource (``pods po``), and a list of its fields;
- a field is its name and its type, both as positions in ``strings``, and, unless they are
  -1 and 0, the position of the type that it refers to and how many manifests use it. Where
  there is a position, its type is only what is before the name: ``list of ``.

An object inside of custom resources has no page and no name: it is found by the paths from
the kinds to it. Objects that are the same in all of it are there once, however many kinds
have them. In the index of other releases, each type has its release as one more item.

What is known of types and fields is in a script of its own, which the page loads after it
has shown results:

- ``texts``, each description once, of long ones the beginning, and ``positions``, of each
  type and then its fields one more than the position of its description, or 0 for the
  next one that is new;
- ``phrases``, facts in words, each with what it is about; ``known``, the positions of the
  phrases of a type or field, what a value is compared with (``search_facts``), and the
  same in some kinds only, by their names; ``facts``, how many types and fields after the
  last one that has facts, and their position in ``known``;
- ``aliases``, other words for kinds or fields: the positions of types, the path from these,
  the words, and what to say of them (``search_aliases``);
- ``starters``, the position of a kind, and a first manifest of it;
- ``words``, what the words of a question ask for.

A browser cannot hold all fields of a large catalogue of custom resources. Its index has
those of the levels that are nearest to the kinds, and ``isPartial``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from kubestencil.schema import Definition, Field, Release
from kubestencil.schema.graph import reference_graph
from kubestencil.schema.kinds import kind_definitions
from kubestencil.schema.knowledge.fields import FieldName, known_field, usage_weight
from kubestencil.schema.knowledge.kinds import question_words
from kubestencil.schema.knowledge.words import container_in_words, type_in_words
from kubestencil.targets.site.addresses import PageAddress
from kubestencil.targets.site.data_scripts import data_script, encode_json
from kubestencil.targets.site.fields.paths import fields_of
from kubestencil.targets.site.pages.usage import inline_places
from kubestencil.targets.site.release_context import ReleasesByType
from kubestencil.targets.site.search_aliases import Alias, find_aliases
from kubestencil.targets.site.search_facts import (
    Facts,
    facts_by_kind,
    facts_of_metadata,
    field_facts,
    formats,
    kind_facts,
)
from kubestencil.text.html import summary

Addresses = Mapping[str, PageAddress]
# The path of a type's page, and that of a field, empty for the type itself.
_Name = tuple[str, str]


# More than the fields of Kubernetes and of 127 custom resources, of which most are alike.
_MAX_FIELDS = 50_000
# What the search looks through of a description, and of one inside of custom resources.
_MAX_TEXT, _MAX_INNER_TEXT = 320, 110


class _Index:
    """Collects the types and fields of an index.

    ``release`` is the release of all of them, None where each has its own;
    ``positions`` are those of the types that fields refer to, by the definition's full
    name.
    """

    def __init__(self, release: Release | None, positions: Mapping[str, int]) -> None:
        self._release = release
        self._positions = positions
        # The types as JSON. As lists they would take several times the memory.
        self._types = bytearray()
        self._api_versions: dict[str, int] = {}
        self._texts: dict[str, int] = {}
        self._text_positions: list[int] = []
        self._last = 0  # the number of texts before the last facts
        self._phrases: dict[tuple[str, str], int] = {}
        self._strings: dict[str, int] = {}
        self._known: dict[bytes, int] = {}  # as JSON
        self._facts: list[tuple[int, int]] = []
        self._formats: set[str] = set()

    def add(
        self,
        definition: Definition,
        fields: Collection[Field],
        addresses: Addresses,
        *,
        is_kind: bool,
        kind_count: int = 0,
        names: str = "",
        release: str = "",
        added: Mapping[_Name, str] = MappingProxyType({}),
        place: _Name | None = None,
    ) -> None:
        """Add a type with some of its fields; ``addresses`` are those of its release,
        ``added`` the releases that added fields, by the page that these are on and the
        path there. ``place`` is that of an inline object that one kind has: its
        definition and the path from it."""
        address, own = addresses[definition.name], self._release
        is_inner = own is not None and definition.name in own.inline_definitions
        limit = _MAX_INNER_TEXT if is_inner else _MAX_TEXT
        owner, path = place or (definition.name, "")
        page, prefix = addresses[owner].path, path and f"{path}."
        name = FieldName(definition.group_label, definition.kind, "")
        self._add_text(definition.description, limit)
        if own and is_kind:
            in_metadata = dict(facts_of_metadata(own, definition))
            self._add_facts(kind_facts(own, definition), in_metadata)
        siblings = [field.name for field in fields]
        field_items = []
        for field in fields:
            self._add_text(field.schema.description, limit)
            if own:
                since = added.get((page, f"{prefix}{field.name}"), "")
                known = known_field(own.name, definition.name, field)
                in_kinds = dict(facts_by_kind(known, siblings, since))
                self._add_facts(field_facts(known, siblings, since), in_kinds)
            weight = usage_weight(name._replace(field=field.name))
            field_items.append(self._field_item(field, weight, addresses))
        type_item = [
            "" if is_inner else address.kind,
            _position(address.group_version, self._api_versions),
            int(is_kind),
            kind_count,
            usage_weight(name),
            names,
            field_items,
        ]
        if release:
            type_item.append(release)
        self._types += b"," * bool(self._types) + encode_json(type_item)

    def _field_item(
        self, field: Field, weight: int, addresses: Addresses
    ) -> Sequence[int]:
        containers, value = container_in_words(field.schema)
        position = self._positions.get(value.ref, -1) if value.ref else -1
        label = containers
        if position < 0:
            label = type_in_words(field.schema, lambda name: addresses[name].kind)
        item = _position(field.name, self._strings), _position(label, self._strings)
        if weight:
            return (*item, position, weight)
        return item if position < 0 else (*item, position)

    def _add_text(self, description: str, limit: int) -> None:
        text = summary(description) if self._release is None else description
        beginning, count = _beginning(text, limit), len(self._texts)
        position = _position(beginning, self._texts)
        self._text_positions.append(0 if position == count else position + 1)

    def _add_facts(
        self, facts: Facts, others: Mapping[str, Facts] = MappingProxyType({})
    ) -> None:
        """Add what is known of the type or field whose text came last; ``others`` is what
        holds instead in some kinds, or in fields of metadata."""
        if not facts.phrases and not facts.limits and not others:
            return
        own = self._facts_item(facts)
        other_items = {name: self._facts_item(item) for name, item in others.items()}
        rest = (other_items,) if other_items else ()
        count = len(self._text_positions)
        position = _position(encode_json((*own, *rest)), self._known)
        self._facts.append((count - self._last, position))
        self._last = count

    def _facts_item(self, facts: Facts) -> tuple[list[int], Mapping[str, Any]]:
        if "format" in facts.limits:
            self._formats.add(facts.limits["format"])
        phrases = [_position(phrase, self._phrases) for phrase in facts.phrases]
        return phrases, facts.limits

    def names_script(self, *, is_partial: bool = False) -> bytes:
        """JavaScript that passes the names to the search."""
        return b"".join(
            (
                b'kubestencilIndex({"release":',
                encode_json(self._release.name if self._release else ""),
                b',"apiVersions":',
                encode_json(list(self._api_versions)),
                b',"words":',
                encode_json(question_words()),
                b',"strings":',
                encode_json(list(self._strings)),
                b',"types":[',
                self._types,
                b'],"isPartial":true})\n' if is_partial else b"]})\n",
            )
        )

    def texts_script(
        self,
        aliases: Iterable[Alias] = (),
        starters: Mapping[int, str] = MappingProxyType({}),
    ) -> bytes:
        """JavaScript that passes to the search what is known of types and fields, other
        words for them, and manifests of kinds, by the positions of their types."""
        texts = {
            "release": self._release.name if self._release else "",
            "texts": list(self._texts),
            "positions": self._text_positions,
            "phrases": list(self._phrases),
            "facts": self._facts,
            "formats": formats(sorted(self._formats)),
            "aliases": _grouped(aliases),
            "starters": list(starters.items()),
        }
        # What is JSON already goes behind it.
        data = data_script("kubestencilTexts", texts)
        known = b'"known":[%b]}' % b",".join(self._known)
        return data.removesuffix(b"})\n") + b"," + known + b")\n"


def _position(value: Any, positions: dict[Any, int]) -> int:
    """The position of a value in a list of distinct ones, to which it is added."""
    return positions.setdefault(value, len(positions))


def _grouped(aliases: Iterable[Alias]) -> list[tuple[list[int], str, str, str]]:
    """The aliases, those of several types with the same words together."""
    positions: dict[tuple[str, str, str], list[int]] = {}
    for position, *rest in aliases:
        path, words, note = rest
        positions.setdefault((path, words, note), []).append(position)
    return [(types, *rest) for rest, types in positions.items()]


def _beginning(text: str, limit: int) -> str:
    """The first words of a text, up to a number of characters."""
    line = " ".join(text.split())
    return line if len(line) <= limit else f"{line[:limit].rpartition(' ')[0]} …"


class IndexScripts(NamedTuple):
    """The scripts of an index: its names, and what is known of them."""

    names: bytes
    texts: bytes


def release_index(
    release: Release,
    addresses: Addresses,
    kinds: Collection[str],
    kind_counts: Mapping[str, int],
    added: Mapping[_Name, str],
    starters: Mapping[str, str] = MappingProxyType({}),
) -> IndexScripts:
    """The index of a release.

    ``kinds`` are the full names of the kinds' definitions, ``kind_counts`` the number
    of kinds that a definition is part of, ``added`` the releases that added fields, by
    the path of the type's page and the field's path, ``starters`` a first manifest of
    kinds.
    """
    originals = _originals(release)
    indexed = _indexed_definitions(release, originals)
    names = [name for name in release.definitions if name in indexed]
    own = {name: position for position, name in enumerate(names)}
    positions = {
        name: own[original] for name, original in originals.items() if original in own
    }
    index = _Index(release, positions)
    places, uses = inline_places(release), Counter(originals.values())
    for name in names:
        definition = release.definitions[name]
        index.add(
            definition,
            fields_of(definition.schema),
            addresses,
            is_kind=name in kinds,
            kind_count=kind_counts.get(name, 0),
            names=_resource_names(definition, release),
            added=added,
            place=places.get(name) if uses[name] == 1 else None,
        )
    return IndexScripts(
        index.names_script(is_partial=len(indexed) < len({*originals.values()})),
        index.texts_script(
            find_aliases(release, own),
            {own[name]: text for name, text in starters.items() if name in own},
        ),
    )


def _originals(release: Release) -> Mapping[str, str]:
    """By the name of each definition the one that the index has for it: itself, or the
    last object inside of custom resources that has the same fields with the same
    schemas."""
    originals: dict[str, str] = {}
    seen: dict[Any, str] = {}
    # An object comes before those inside of it.
    for name, definition in reversed([*release.definitions.items()]):
        originals[name] = name
        if name in release.inline_definitions:
            fields = tuple(
                (field.name, field.required, _shape(field, originals))
                for field in definition.fields
            )
            originals[name] = seen.setdefault((definition.description, fields), name)
    return originals


def _shape(field: Field, originals: Mapping[str, str]) -> tuple[bytes, str]:
    """What two fields have in common that the index has once."""
    containers, value = container_in_words(field.schema)
    if value.ref is None:
        return encode_json(field.schema.raw), ""
    reference = originals.get(value.ref, value.ref)
    return encode_json((containers, field.schema.description)), reference


def _indexed_definitions(
    release: Release, originals: Mapping[str, str]
) -> Collection[str]:
    """The definitions in the index: all originals, or those with names of their own, and
    as many levels of inline objects in them as do not have too many fields."""
    counts = {
        name: len(fields_of(release.definitions[name].schema))
        for name in {*originals.values()}
    }
    if sum(counts.values()) <= _MAX_FIELDS:
        return counts
    graph = reference_graph(release.definitions)
    indexed: set[str] = set()
    level = counts.keys() - release.inline_definitions
    field_count = 0
    while level and (not indexed or field_count <= _MAX_FIELDS):
        indexed |= level
        inner = {originals[name] for outer in level for name in graph[outer]}
        level = inner - indexed
        field_count = sum(counts[name] for name in indexed | level)
    return indexed


def other_releases_index(
    releases: Sequence[Release],
    addresses_by_release: Sequence[Addresses],
    releases_by_type: ReleasesByType,
) -> bytes:
    """The index of the types and fields that not all releases have, each in the newest
    release that has it, as one script."""
    index = _Index(None, {})
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
