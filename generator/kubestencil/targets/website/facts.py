"""What the option ``facts`` adds to pages: what no document says of kinds and fields.

Since when and until when there is a kind or field, its feature gate, the values that
the API server accepts and fills in, and the same kind in other releases.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kubestencil.schema import Field, Release
from kubestencil.schema.kinds import precedence
from kubestencil.schema.knowledge.fields import known_field
from kubestencil.schema.knowledge.gates import gate_of
from kubestencil.schema.knowledge.kinds import known_kind, versions_of
from kubestencil.schema.knowledge.words import (
    Phrase,
    field_in_words,
    gate_in_words,
    kind_in_words,
)
from kubestencil.source.releases import listed_releases
from kubestencil.targets.website import text
from kubestencil.targets.website.types import DocumentedType


class OtherReleasePage(NamedTuple):
    """The page of a kind in another release."""

    release: str
    url: str


class KnownFacts:
    """The facts about the types of a release.

    ``url`` is the address of a page in another release, with ``{release}`` and
    ``{page}`` in it; empty for no links.
    """

    def __init__(self, release: Release, url: str) -> None:
        self._release, self._url = release, url
        self._kubernetes = release.kubernetes

    def of_type(self, type_: DocumentedType) -> Iterator[Phrase]:
        """The facts about the kind that a type is."""
        release, name = self._kubernetes, type_.definition.name
        if release is None:
            return
        for kind in type_.definition.kinds[:1]:
            yield from kind_in_words(known_kind(kind, release))
        if gate := gate_of(name, "", release):
            yield gate_in_words(gate)

    def of_field(self, type_: DocumentedType, field: Field) -> Iterator[Phrase]:
        """The facts about a field of a type."""
        release = self._kubernetes or self._release.name
        known = known_field(release, type_.definition.name, field)
        siblings = (other.name for other in type_.definition.fields)
        for phrase in field_in_words(known, siblings):
            yield phrase.spelled(text.name)

    def other_releases(self, type_: DocumentedType) -> Iterator[OtherReleasePage]:
        """The pages of the newest version of a kind in the other releases that serve
        it."""
        for kind in type_.definition.kinds[:1] if self._url else ():
            for release in listed_releases():
                served = versions_of(kind.group, kind.kind, release)
                version = max(served, key=precedence, default=None)
                if version is not None and release != self._kubernetes:
                    page = f"{text.slug(type_.group)}/{text.kebab(kind.kind)}-{version}"
                    url = self._url.replace("{release}", release)
                    yield OtherReleasePage(release, url.replace("{page}", page))
