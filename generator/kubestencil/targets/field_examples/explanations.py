"""Why the field of a kind has no example that an API server keeps, and what it takes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property
from typing import NamedTuple

from kubestencil.schema import Definition, Release
from kubestencil.schema.field_paths import field_at_path, fields_along
from kubestencil.schema.graph import reference_graph
from kubestencil.schema.knowledge.conditions import refused_fields, refused_places
from kubestencil.schema.knowledge.gates import (
    gate_dependencies,
    gate_in,
    gates_of,
    with_dependencies,
)
from kubestencil.schema.well_known import OBJECT_META
from kubestencil.source.releases import version_in
from kubestencil.targets.examples.fields import SERVER_METADATA

#: By the path of a field.
Reasons = Mapping[str, str]

#: What is said of the fields in the status of a kind.
STATUS_NOTE = "written through the subresource status, by a controller"
#: What is said of a kind such as TokenReview.
REQUEST_NOTE = "the server answers such an object, and stores none"
_SET_BY_SERVER = "set by the server"


def explanation(release: Release, definition: Definition, path: str) -> str:
    """Why no example of a field is kept, in words; empty for a field that has one."""
    reasons = reasons_of_kind(release, definition)
    if "" in reasons:
        return reasons[""]
    of_types = reasons_of_types(release.name)
    chain = [*fields_along(definition, release, path)]
    for index, (_, _, owner) in enumerate(chain):
        inner = [step.field.name for step in chain[index:]]
        for length in range(1, len(inner) + 1):
            place = ".".join(inner[:length])
            if index == 0 and place in reasons:
                return reasons[place]
            if place in of_types.get(owner, {}):
                return of_types[owner][place]
    return ""


def reasons_of_kind(release: Release, definition: Definition) -> Reasons:
    """Why fields of a kind have no example, but for what holds wherever their types are;
    of an empty path where it has none at all."""
    kind = definition.served_kind
    resource = release.resources.get(kind) if kind else None
    if resource is None or "create" not in resource.verbs:
        return {"": "no objects of this kind are stored"}
    reasons = {}
    if is_request(release, definition):
        reasons["status"] = _SET_BY_SERVER
    if not resource.namespaced:
        reasons["metadata.namespace"] = "objects of this kind are in no namespace"
    metadata = definition.schema.field("metadata")
    if metadata is not None and metadata.ref == OBJECT_META:
        reasons |= SERVER_REASONS
    return reasons


def is_request(release: Release, definition: Definition) -> bool:
    """Whether objects of a kind are only sent, and answered: none can be read again."""
    kind = definition.served_kind
    resource = release.resources.get(kind) if kind else None
    verbs = resource.verbs if resource else ()
    return "create" in verbs and "get" not in verbs


# In the metadata of lists only.
_OF_LISTS = ("continue", "remainingItemCount")
#: Why the metadata of a kind has no example that the server writes.
SERVER_REASONS: Reasons = {
    f"metadata.{name}": _SET_BY_SERVER
    for name in sorted(SERVER_METADATA.difference(_OF_LISTS))
}


@cache
def reasons_of_types(release: str) -> Mapping[str, Reasons]:
    """Why fields have no example wherever their type is, by the names of definitions; a
    path may begin further outside."""
    reasons: dict[str, dict[str, str]] = defaultdict(dict)
    for owner, name in sorted(refused_fields(release)):
        reasons[owner][name] = "refused in every new object"
    for (owner, path), reason in refused_places(release).items():
        reasons[owner][path] = reason
    return reasons


class ExplainedFields(NamedTuple):
    """The fields of a kind that have no example for one reason; without ``paths``, all."""

    reason: str
    paths: tuple[str, ...]


class ReleaseExplanations:
    """The fields of the kinds of a release that have no example."""

    def __init__(self, release: Release) -> None:
        self._release = release
        self._reasons = reasons_of_types(release.name)

    def of(self, definition: Definition) -> tuple[ExplainedFields, ...]:
        """Those of a kind, by reason; nothing is said of what is inside of another one."""
        reasons = dict(reasons_of_kind(self._release, definition))
        if "" in reasons:
            return (ExplainedFields(reasons[""], ()),)
        if "status" in definition.schema.field_names:
            reasons.setdefault("status", STATUS_NOTE)
        reasons.update(self._inside(definition.name, "", frozenset()))
        found = defaultdict(list)
        for path, reason in reasons.items():
            names = path.split(".")
            outer = (".".join(names[:length]) for length in range(1, len(names)))
            if not reasons.keys() & set(outer):
                found[reason].append(path)
        return tuple(ExplainedFields(reason, tuple(p)) for reason, p in found.items())

    def _inside(
        self, name: str, prefix: str, outer: frozenset[str]
    ) -> Iterator[tuple[str, str]]:
        """The paths of fields inside of a type, and the reasons."""
        definition = self._release.definitions[name]
        for path, reason in self._reasons.get(name, {}).items():
            if field_at_path(name, path, self._release.schema_named):
                yield f"{prefix}{path}", reason
        for field in definition.fields:
            ref = field.schema.innermost().ref
            if ref in self._leading and ref not in outer:
                inner = f"{prefix}{field.name}."
                yield from self._inside(ref, inner, outer | {ref})

    @cached_property
    def _leading(self) -> frozenset[str]:
        """The definitions with such fields, and those with types that have some inside."""
        referrers = defaultdict(set)
        for name, references in reference_graph(self._release.definitions).items():
            for reference in references:
                referrers[reference].add(name)
        found, new = set[str](), {*self._reasons}
        while new:
            found |= new
            new = {name for each in new for name in referrers[each]} - found
        return frozenset(found)


def needed_gates(release: Release, definition: Definition, path: str) -> Sequence[str]:
    """The feature gates, off by default, without which the server drops or refuses a
    field, or does not serve its kind, with those that they depend on."""
    steps = fields_along(definition, release, path)
    names = [(definition.name, ""), *((owner, field.name) for _, field, owner in steps)]
    needed = (gate for name in names for gate in disabled_gates(release, *name))
    return [*dict.fromkeys(needed)]


def disabled_gates(release: Release, definition: str, field: str) -> Sequence[str]:
    """The gates of a field, or without one of a kind, and those that they depend on, that
    are off by default."""
    version = version_in(release.name)
    if version is None:
        return ()
    guards = (stage.gate for stage in gates_of(definition, field, version))
    needed = with_dependencies(guards, gate_dependencies(version))
    stages = (gate_in(gate, version) for gate in needed)
    return [s.gate for s in stages if s and not (s.enabled or s.locked)]


def gate_note(gate: str) -> str:
    """What is said of a field that needs a gate."""
    return f"needs the feature gate {gate}, which is off by default"
