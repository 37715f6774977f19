"""The indexes of the site's search: one for each release, and one for types and
fields that not all releases have.

``assets/find.js`` reads them. An index has a list of types and a list of fields:

- a type is its name, its address, whether it is a kind (1 or 0), the number of kinds
  that it is part of, its description, and, of a kind, the other names of its resource:
  ``pods po``;
- a field is the position of its type in the list of types, its name, its type, and its
  description.

In the index of other releases, each has its release as one more item at the end.

A browser cannot hold all fields of a large catalogue of custom resources. Its index has
those of the levels that are nearest to the kinds, and ``isPartial``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from typing import Any

from kubestencil.schema import Definition, Field, Release
from kubestencil.schema.graph import reference_graph
from kubestencil.schema.kinds import kind_definitions
from kubestencil.targets.site.addresses import PageAddress
from kubestencil.targets.site.field_paths import fields_of
from kubestencil.targets.site.release_context import ReleasesByType
from kubestencil.targets.site.schema_labels import type_label
from kubestencil.text.html import summary

Addresses = Mapping[str, PageAddress]
# The path of a type's page, and the name of a field, empty for the type itself.
_Name = tuple[str, str]


# More than the fields of Kubernetes and of 127 custom resources. 49,000 of them are 8.5
# MB, and take 10 s and 270 MB to index (Node.js 20, in the background of a page).
_MAX_FIELDS = 50_000

_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def _items(items: list[list[Any]]) -> bytes:
    """The items of a JSON list, with a comma behind each."""
    return f"{_ENCODER.encode(items)[1:-1]},".encode() if items else b""


class _Index:
    """Collects the types and fields of an index.

    ``release`` is the release of all of them, empty where each has its own;
    ``shorten`` is applied to descriptions.
    """

    def __init__(self, release: str, shorten: Callable[[str], str]) -> None:
        self._release = release
        self._shorten = shorten
        # The items as JSON. As lists they would take several times the memory.
        self._types = bytearray()
        self._fields = bytearray()
        self._type_count = 0

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
    ) -> None:
        """Add a type with some of its fields; ``addresses`` are those of its release."""
        suffix = [release] if release else []
        position = self._type_count
        self._type_count += 1
        address = addresses[definition.name]
        description = self._shorten(definition.description)
        path = f"{address.path}/"
        self._types += _items(
            [
                [
                    address.kind,
                    path,
                    int(is_kind),
                    kind_count,
                    description,
                    names,
                    *suffix,
                ]
            ]
        )
        self._fields += _items(
            [
                [
                    position,
                    field.name,
                    type_label(field.schema, addresses),
                    self._shorten(field.schema.description),
                    *suffix,
                ]
                for field in fields
            ]
        )

    def script(self, *, is_partial: bool = False) -> bytes:
        """JavaScript that passes the index to the search.

        A page that is opened from a disk can load scripts only. JSON is a subset of
        JavaScript (ECMA-262, 2019), and the script is a separate file, so that its
        text cannot end a tag.
        """
        return b"".join(
            (
                b'kubestencilIndex({"release":',
                _ENCODER.encode(self._release).encode(),
                b',"types":[',
                self._types.removesuffix(b","),
                b'],"fields":[',
                self._fields.removesuffix(b","),
                b'],"isPartial":true})\n' if is_partial else b"]})\n",
            )
        )


def release_index(
    release: Release,
    addresses: Addresses,
    kinds: Collection[str],
    kind_counts: Mapping[str, int],
) -> bytes:
    """The index of a release, as a script.

    ``kinds`` are the full names of the kinds' definitions, ``kind_counts`` the number
    of kinds that a definition is part of.
    """
    index = _Index(release.name, _one_line)
    indexed = _indexed_definitions(release)
    for name, definition in release.definitions.items():
        if name in indexed:
            index.add(
                definition,
                fields_of(definition.schema),
                addresses,
                is_kind=name in kinds,
                kind_count=kind_counts.get(name, 0),
                names=_resource_names(definition, release),
            )
    return index.script(is_partial=len(indexed) < len(release.definitions))


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
    release that has it, as a script."""
    index = _Index("", summary)
    if len(releases) == 1:
        return index.script()
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
    return index.script()


def _common_fields(
    releases: Sequence[Release], addresses_by_release: Sequence[Addresses]
) -> frozenset[_Name]:
    """The fields that all releases have."""
    names = (
        frozenset(_field_names(release, addresses))
        for release, addresses in zip(releases, addresses_by_release, strict=True)
    )
    # One after the other, since all together take much memory.
    return reduce(frozenset.intersection, names)


def _field_names(release: Release, addresses: Addresses) -> Iterator[_Name]:
    for name, definition in release.definitions.items():
        path = addresses[name].path
        for field in fields_of(definition.schema):
            yield path, field.name


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


def _one_line(text: str) -> str:
    return " ".join(text.split())
