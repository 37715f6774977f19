"""What is known under a name: of kinds that no document has any more, subresources, flags
and feature gates."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby, islice

from kubestencil.schema.knowledge.components import flags
from kubestencil.schema.knowledge.gates import gate_rows, gated_field_rows
from kubestencil.schema.knowledge.kinds import lifecycles
from kubestencil.schema.knowledge.resources import resource_facts
from kubestencil.schema.lookup import initials, split_query

_MAX_GATES = 5
# Shorter texts are in the names of too many gates.
_MIN_GATE = 4


def flags_called(name: str, release: str) -> str:
    """What is known of the command line flags of a name in a release; empty where there
    are none."""
    return "; ".join(
        f"{flag}"
        + (f", default {flag.default}" if flag.default else "")
        + (f", field {flag.field}" if flag.field else "")
        for flag in flags(release).values()
        if flag.name == name
    )


def gates_called(name: str) -> str:
    """What is known of the feature gates with a text in their names; empty where there are
    none."""
    return "; ".join(islice(_gates_called(name), _MAX_GATES))


def kinds_called(name: str) -> str:
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


def _gates_called(name: str) -> Iterator[str]:
    """What the tables know of the feature gates with a text in their names."""
    if len(name) < _MIN_GATE:
        return
    found = (row for row in gate_rows() if name.lower() in row.gate.lower())
    for gate, rows in groupby(found, key=lambda row: row.gate):
        stages = ", ".join(
            f"{row.stage.in_words} from {row.releases.first}" for row in rows
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
