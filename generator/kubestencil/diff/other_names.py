"""What a name may mean that is not that of a type of some releases."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice

from kubestencil.diff.releases.stages import DEFAULT_NAMES, FieldStage
from kubestencil.schema import Release
from kubestencil.schema.facts.components import flags
from kubestencil.schema.facts.feature_gates import gate_rows, gated_field_rows
from kubestencil.schema.facts.lifecycle import lifecycles
from kubestencil.schema.facts.resources import resource_facts
from kubestencil.schema.lookup import initials, split_query

_MAX_HINTS = 5
# Shorter texts are in the names of too many gates.
_MIN_GATE = 4


def meaning_of(name: str, releases: Sequence[Release]) -> str:
    """What the tables know of a kind, flag or feature gate of this name, or the types that
    have such a field; empty where there is nothing."""
    return (
        _facts_about(name)
        or _types_with_field(name, releases)
        or "; ".join(_flags_called(name, releases[-1].name))
        or "; ".join(islice(_gates_called(name), _MAX_HINTS))
    )


def _facts_about(name: str) -> str:
    """What the tables know of a kind that none of the releases serves, of those of an
    API version that were removed, or of a subresource (``pods/resize``); empty where they
    have none."""
    prefix, last = split_query(name)
    sentences = [
        f"{kind.api_version}/{kind.kind} was introduced in {facts.introduced}"
        + (f", deprecated in {facts.deprecated}" if facts.deprecated else "")
        + (f", removed in {facts.removed}" if facts.removed else "")
        for kind, facts in lifecycles().items()
        if (
            last.lower() in _resource_names(kind.kind)
            and prefix in ("", kind.api_version, kind.group, kind.version)
        )
        or (name == kind.api_version and facts.removed)
    ]
    sentences += [
        f"{row.api_version} has the subresource {row.name} "
        + (
            f"from {row.releases.first} to {row.releases.last}"
            if row.releases.last
            else f"since {row.releases.first}"
        )
        + f" ({', '.join(row.verbs)})"
        for row in resource_facts()
        if row.subresource and row.name == name
    ]
    return "; ".join(sentences)


def _flags_called(name: str, release: str) -> Iterator[str]:
    """What the tables know of the command line flags of a name in a release."""
    for flag in flags(release).values():
        if flag.name == name:
            yield f"{flag}{f', field {flag.field}' if flag.field else ''}"


def _gates_called(name: str) -> Iterator[str]:
    """What the tables know of the feature gates with a text in their names."""
    if len(name) < _MIN_GATE:
        return
    found = (row for row in gate_rows() if name.lower() in row.gate.lower())
    for gate, rows in groupby(found, key=lambda row: row.gate):
        stages = ", ".join(
            f"{FieldStage.of_gate(row.stage).in_words(DEFAULT_NAMES)} from "
            f"{row.releases.first}"
            for row in rows
        )
        guarded = {
            f"{row.definition.rpartition('.')[2]}.{row.field}".rstrip(".")
            for row in gated_field_rows()
            if gate in row.gates
        }
        guards = f"; guards {', '.join(sorted(guarded))}" if guarded else ""
        yield f"feature gate {gate}: {stages}{guards}"


def _resource_names(kind: str) -> tuple[str, ...]:
    """What users call a kind: itself, and what can be its plural, in lower case, or its
    initials."""
    name = kind.lower()
    return name, f"{name}s", f"{name}es", f"{name[:-1]}ies", initials(kind)


def _types_with_field(name: str, releases: Iterable[Release]) -> str:
    """A hint with the types that have a field of this name, or of the first one of a
    path; empty where none has it."""
    first, dot, rest = name.partition(".")
    paths = {
        f"{definition.kind}.{field.name}{dot}{rest}"
        for release in releases
        for definition in release.definitions.values()
        for field in definition.schema.fields
        if field.name.lower() == first.lower()
    }
    if not paths:
        return ""
    shown = " or ".join(sorted(paths)[:_MAX_HINTS])
    more = len(paths) - _MAX_HINTS
    return f"did you mean {shown}{f' or {more} more' if more > 0 else ''}?"
