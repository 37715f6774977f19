"""What the option ``facts`` adds to pages: what no document says of kinds and fields.

Since when and until when there is a kind or field, its feature gate, the values that
the API server accepts and fills in, and the same kind in other releases.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from kubestencil.diff.labels import kubernetes_release
from kubestencil.diff.releases.stages import FieldStage
from kubestencil.schema import Field, GroupVersionKind, Release
from kubestencil.schema.facts.feature_gates import GateStage, gate_of
from kubestencil.schema.facts.lifecycle import lifecycle, lifecycles, replacement
from kubestencil.schema.kinds import precedence
from kubestencil.schema.knowledge import known_field
from kubestencil.source.releases import listed_releases
from kubestencil.targets.site.fields.server_facts import server_attributes
from kubestencil.targets.website import text
from kubestencil.targets.website.types import DocumentedType

_GATE_DEFAULTS = {True: "on", False: "off"}


class Fact(NamedTuple):
    """A fact with its name; ``values`` are shown as code, and ``note`` as text."""

    name: str
    values: tuple[str, ...] = ()
    note: str = ""


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
        self._kubernetes = kubernetes_release(release)

    def of_type(self, type_: DocumentedType) -> Iterator[Fact]:
        """The facts about the kind that a type is."""
        release, name = self._kubernetes, type_.definition.name
        if release is None:
            return
        for kind in type_.definition.kinds[:1]:
            known = lifecycle(kind)
            if known is None:
                continue
            yield Fact("Added in", (known.introduced,))
            if known.deprecated:
                yield Fact("Deprecated in", (known.deprecated,))
            if known.removed:
                yield Fact("Removed in", (known.removed,))
            successor = replacement(kind, release)
            if successor is not None:
                yield Fact(
                    "Replaced by", (f"{successor.api_version} {successor.kind}",)
                )
        yield from _gate(gate_of(name, "", release))

    def of_field(self, type_: DocumentedType, field: Field) -> Iterator[Fact]:
        """The facts about a field of a type."""
        release, name = self._kubernetes, type_.definition.name
        known = known_field(release or self._release.name, name, field)
        if release is not None:
            if known.added_in:
                yield Fact("Added in", (known.added_in,))
            if known.removed_in:
                yield Fact("Removed in", (known.removed_in,))
            yield from _gate(known.gate)
        if known.deprecation:
            yield Fact("Deprecated")
        for attribute in server_attributes(field, known.facts):
            values = tuple(map(text.name, attribute.values))
            yield Fact(attribute.name.capitalize(), values)

    def other_releases(self, type_: DocumentedType) -> Iterator[OtherReleasePage]:
        """The pages of the newest version of a kind in the other releases that serve
        it."""
        for kind in type_.definition.kinds[:1] if self._url else ():
            for release in listed_releases():
                version = _newest_version(kind, release)
                if version is not None and release != self._kubernetes:
                    page = f"{text.slug(type_.group)}/{text.kebab(kind.kind)}-{version}"
                    url = self._url.replace("{release}", release)
                    yield OtherReleasePage(release, url.replace("{page}", page))


def _gate(gate: GateStage | None) -> Iterator[Fact]:
    if gate is not None:
        stage = FieldStage.of_gate(gate).in_words(_GATE_DEFAULTS)
        yield Fact("Feature gate", (gate.gate,), stage)


def _newest_version(kind: GroupVersionKind, release: str) -> str | None:
    """The newest version in which a release serves a kind; None where it does not."""
    served: Iterable[str] = (
        other.version
        for other, known in lifecycles().items()
        if (other.group, other.kind) == (kind.group, kind.kind)
        and known.serves(release)
    )
    return max(served, key=precedence, default=None)
