"""Other words for kinds and fields: those of people (``specs/synonyms.tsv``), the names of
feature gates, and kinds that were removed, with what to use instead."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from kubestencil.schema import GroupVersionKind, Release
from kubestencil.schema.facts.feature_gates import gate_in, gated_field_rows
from kubestencil.schema.facts.kind_fields import field_at
from kubestencil.schema.facts.lifecycle import lifecycles, replacement
from kubestencil.schema.facts.tables import read_cells
from kubestencil.schema.kinds import kind_definitions, precedence
from kubestencil.source.releases import release_order


class Alias(NamedTuple):
    """Words for a kind or a field.

    ``position`` is that of the type in the index, ``path`` that of the field, the anchor
    of a part of the type's page (``#operations``), or empty. ``words`` are phrases,
    separated by commas; ``note`` is what the result says beside the name.
    """

    position: int
    path: str
    words: str
    note: str = ""


def find_aliases(release: Release, positions: Mapping[str, int]) -> Iterator[Alias]:
    """The other words for what a release has, by the ``positions`` of its definitions."""
    kinds = {
        kind: name
        for name, kind in kind_definitions(release).items()
        if name in positions
    }
    removals = _removals(release.name, kinds)
    by_version = sorted(kinds, key=lambda kind: precedence(kind.version))
    preferred = {(kind.group, kind.kind): kinds[kind] for kind in by_version}
    for group, kind_name, path, words in read_cells("synonyms"):
        name = preferred.get((group, kind_name))
        if name is None or not _has_path(release, name, path):
            continue
        for word in words.split(", "):
            if word in removals:
                yield Alias(positions[name], path, word, removals[word][1])
        yield Alias(positions[name], path, words)
    for old, note in removals.values():
        successor = replacement(old, release.name)
        if successor in kinds:
            yield Alias(positions[kinds[successor]], "", old.kind, note)
    for kind, resource in release.resources.items():
        if kind in kinds:
            verbs = ", ".join(f"{verb} {resource.plural}" for verb in resource.verbs)
            yield Alias(
                positions[kinds[kind]],
                "#operations",
                f"{verbs}, operations",
                "operations",
            )
    yield from _gate_aliases(release, positions)


def _removals(
    release: str, kinds: Mapping[GroupVersionKind, str]
) -> Mapping[str, tuple[GroupVersionKind, str]]:
    """The kinds that no group of a release has any more, by their names in lower case,
    each with a text about it."""
    names = {kind.kind for kind in kinds}
    removed = [
        (facts.removed, kind)
        for kind, facts in lifecycles().items()
        if facts.removed and kind.kind not in names
        if release_order(facts.removed) <= release_order(release)
    ]
    removed.sort(key=lambda item: release_order(item[0]))
    return {
        kind.kind.lower(): (kind, f"{kind.kind} was removed in {last}")
        for last, kind in removed
    }


def _has_path(release: Release, definition: str, path: str) -> bool:
    if not path or path.startswith("#"):
        return True
    field = field_at(release, definition, path)
    return (
        field is not None
        and release.definitions[field[0]].schema.field(field[1]) is not None
    )


def _gate_aliases(release: Release, positions: Mapping[str, int]) -> Iterator[Alias]:
    """The feature gates that guard a field or did, until the release."""
    gates = dict.fromkeys(
        (row.definition, row.field, gate)
        for row in gated_field_rows()
        if release_order(row.releases.first) <= release_order(release.name)
        for gate in row.gates
    )
    for definition, field, gate in gates:
        if definition in positions and _has_path(release, definition, field):
            stage = gate_in(gate, release.name)
            level = stage.level if stage else "removed"
            note = f"feature gate {gate}, {level}"
            yield Alias(positions[definition], field, gate, note)
