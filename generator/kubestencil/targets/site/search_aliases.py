"""Other words for kinds and fields: those of people (``specs/synonyms.tsv``), the names of
feature gates, and kinds that were removed, with what to use instead."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from kubestencil.schema import Release
from kubestencil.schema.kinds import kind_definitions, precedence
from kubestencil.schema.knowledge.gates import gate_in, guarded_until
from kubestencil.schema.knowledge.kinds import known_kind, removed_kinds, synonyms
from kubestencil.schema.types import GroupVersionKind
from kubestencil.targets.site.fields.paths import has_field


class Alias(NamedTuple):
    """Words for a kind or a field.

    ``position`` is that of the type in the index, ``path`` that of the field, the anchor
    of a part of the type's page (``#operations``), or empty. ``words`` are phrases,
    separated by commas, where ``*`` is the name of the kind; ``note`` is what the result
    says beside the name.
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
    # By the name of kinds that no group has any more, what to say of them.
    removed = removed_kinds(release.name)
    served = {kind.kind for kind in kinds}
    notes = {
        old.kind.lower(): f"{old.kind} was removed in {last}"
        for old, last in removed.items()
        if old.kind not in served
    }
    initials = {old.kind.lower(): _initials(old.kind).lower() for old in removed}
    api_versions = {old.kind.lower(): old.api_version for old in removed}
    by_version = sorted(kinds, key=lambda kind: precedence(kind.version))
    preferred = {(kind.group, kind.kind): kinds[kind] for kind in by_version}
    for group, kind_name, path, phrases in synonyms():
        name = preferred.get((group, kind_name))
        if name is None or not _has_path(release, name, path):
            continue
        for word in phrases:
            if word in notes:
                version = f"{api_versions[word]} {word}"
                for old_name in (word, initials[word], version):
                    yield Alias(positions[name], path, old_name, notes[word])
        yield Alias(positions[name], path, ", ".join(phrases))
    for old, last in removed.items():
        successor = known_kind(old, release.name).replacement
        if successor in kinds and old not in kinds:
            name = (
                old.kind
                if old.kind.lower() in notes
                else f"{old.api_version} {old.kind}"
            )
            words = [old.api_version, name, f"{old.api_version} {old.kind}"]
            words += [f"{old.version} {word}" for word in _names(release, successor)]
            use = f"use {successor.api_version} {successor.kind}"
            yield Alias(
                positions[kinds[successor]],
                "",
                ", ".join(words),
                f"{name} was removed in {last}, {use}",
            )
    for kind, resource in release.resources.items():
        if kind in kinds:
            verbs = (*sorted(resource.verbs), "operations")
            calls = ", ".join(f"{verb} *" for verb in verbs)
            position = positions[kinds[kind]]
            yield Alias(position, "#operations", calls, "operations")
    yield from _gate_aliases(release, positions)


def _names(release: Release, kind: GroupVersionKind) -> Iterator[str]:
    """What people call a kind."""
    yield kind.kind
    yield _initials(kind.kind)
    resource = release.resources.get(kind)
    if resource is not None:
        yield from (resource.plural, *resource.short_names)


def _initials(name: str) -> str:
    return "".join(filter(str.isupper, name))


def _has_path(release: Release, definition: str, path: str) -> bool:
    is_page = not path or path.startswith("#")
    return is_page or has_field(release, definition, path)


def _gate_aliases(release: Release, positions: Mapping[str, int]) -> Iterator[Alias]:
    """The feature gates that guard a field or did, until the release."""
    for definition, field, gate in guarded_until(release.name):
        if definition in positions and _has_path(release, definition, field):
            stage = gate_in(gate, release.name)
            level = stage.level_name if stage else "removed"
            note = f"feature gate {gate}, {level}"
            yield Alias(positions[definition], field, gate, note)
