"""What is known of a field, in the order in which its row shows it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from kubestencil.schema import GroupVersionKind, Release, Schema
from kubestencil.schema.graph import Graph, breadth_first
from kubestencil.schema.kinds import definitions_of_kinds
from kubestencil.schema.knowledge.fields import KnownField
from kubestencil.schema.knowledge.gates import gate_history
from kubestencil.schema.knowledge.places import (
    field_at,
    immutable_fields,
    kinds_with_immutable,
)
from kubestencil.schema.knowledge.words import (
    Fact,
    Phrase,
    changed_in_words,
    deprecation_in_words,
    facts_in_words,
    immutable_in_words,
    in_kinds,
    limits_in_words,
    mostly_immutable_in_words,
    stated_in_words,
    subjects,
)
from kubestencil.schema.well_known import OBJECT_META
from kubestencil.source.releases import release_order
from kubestencil.targets.site.fields.schema_labels import (
    MERGING,
    Attribute,
    attributes_of,
    conditions_of,
    in_words,
)
from kubestencil.targets.site.release_context import TypeChange

# What fits beside the first line of a description, in characters.
_MAX_BESIDE = 26
# From so many fields on it is said of all at once that they cannot change.
_MIN_MOSTLY = 4
_MAX_DEFAULT = 40


# The facts that a change between releases is about.
_CHANGED_FACTS: Mapping[str, tuple[Fact, ...]] = {
    "enum-changed": ("values",),
    "minimum-changed": ("range",),
    "maximum-changed": ("range",),
    "min-length-changed": ("length",),
    "max-length-changed": ("length",),
    "max-items-changed": ("items",),
    "text-format-changed": ("format", "length"),
}


class RowFacts(NamedTuple):
    """What is known of a field at its place, in the order in which rows show it.

    ``required`` is whether the API server needs the field. ``default`` is what it fills
    in always, ``varies`` whether that depends on something. ``stages`` are alpha or
    beta, deprecated, no effect. What is ``beside`` the description is short; ``lines``
    are the other facts, and ``notes`` the releases and gates that they depend on.
    ``details`` are shown where the field is selected: how it is merged, and the stages
    of its gates.
    """

    required: bool
    default: str
    varies: bool
    stages: tuple[str, ...]
    beside: Phrase | None
    lines: tuple[Phrase, ...]
    notes: tuple[str, ...]
    details: tuple[Attribute, ...]

    @property
    def has_state(self) -> bool:
        """Whether anything is at the right of the first line."""
        return bool(self.required or self.default or self.varies or self.stages)

    @property
    def has_values(self) -> bool:
        """Whether anything is on a line of its own."""
        return bool(self.lines or self.notes)


class ObjectPlace(NamedTuple):
    """An object of a kind: ``path`` leads to it, with a dot at the end, or is empty."""

    kind: GroupVersionKind
    path: str


class _Fixed(NamedTuple):
    """That a field cannot change; ``is_usual`` where what it is in says so of most."""

    phrase: Phrase
    is_usual: bool


class ReleaseRowFacts:
    """What is known of the fields of a release, wherever they are and at places of kinds.

    ``oldest`` is the first release of the site, empty where it has one only.
    """

    def __init__(self, release: Release, graph: Graph, oldest: str) -> None:
        self._release = release
        self._kinds = definitions_of_kinds(release)
        self._immutable = _outermost(release, graph)
        self._fixed = immutable_fields(release.name)
        self._oldest = oldest

    def of(
        self,
        known: KnownField,
        value: Schema,
        changes: Sequence[TypeChange],
        siblings: Iterable[str],
        place: ObjectPlace | None,
    ) -> RowFacts:
        """What the row of a field shows; ``value`` is what is inside of its lists and
        maps, ``changes`` are those of the field, ``siblings`` the fields beside it."""
        attributes = tuple(self._document_attributes(known.schema, value))
        phrases = [*self._values(known, changes)]
        defaults = [phrase for phrase in phrases if phrase.fact == "default"]
        first = defaults[0] if len(defaults) == 1 else None
        default = first.values[0] if first and not first.after else ""
        if known.required or len(default) > _MAX_DEFAULT:
            default = ""
        elif default:
            phrases.remove(defaults[0])
        gate = known.gate
        stages: list[str] = [gate.stage] if gate and gate.stage != "stable" else []
        for phrase in deprecation_in_words(known, siblings):
            stages.append(phrase.text)
            if phrase.detail:
                phrases.append(Phrase("replaced", phrase.detail))
        details = [*(item for item in attributes if item.name in MERGING)]
        details += _gate_stages(known.definition, known.name)
        phrases += (
            Phrase("properties", item.name, item.values)
            for item in attributes
            if item.name not in MERGING
        )
        fixed = self._immutable_in_place(known, place) if place else None
        if fixed and fixed.is_usual:
            details.append(Attribute("changes", (fixed.phrase.text,)))
        elif fixed:
            phrases.append(fixed.phrase)
        added_here = next((one.release for one in changes if one.event == "added"), "")
        added = known.added_in or added_here
        if added:
            details.insert(0, Attribute("since", (added,)))
        is_short = len(phrases) == 1 and not phrases[0].detail
        is_beside = is_short and len(phrases[0].short) <= _MAX_BESIDE
        return RowFacts(
            required=known.required,
            default=default,
            varies=any(phrase.after for phrase in defaults),
            stages=tuple(stages),
            beside=phrases[0] if is_beside else None,
            lines=() if is_beside else tuple(phrases),
            notes=tuple(self._notes(known, changes, added_here)),
            details=tuple(details),
        )

    def _values(
        self, known: KnownField, changes: Sequence[TypeChange]
    ) -> Iterator[Phrase]:
        """What is known of the values of a field."""
        facts = known.facts
        changed = {
            fact: change
            for change in changes
            for fact in _CHANGED_FACTS.get(change.change, ())
            if release_order(change.release) <= release_order(self._release.name)
        }
        for phrase in facts_in_words(known.schema, facts):
            change = changed.get(phrase.fact)
            if change is not None:
                phrase = changed_in_words(
                    phrase, change.release, change.former, facts.enum
                )
            if phrase.fact != "required":
                yield phrase
        yield from stated_in_words(known)

    def _notes(
        self, known: KnownField, changes: Sequence[TypeChange], added: str
    ) -> Iterator[str]:
        """The releases and gates that a field depends on: what is new on this site."""
        oldest, first = self._oldest, known.added_in
        if oldest and first and release_order(first) > release_order(oldest):
            added = first
        if added:
            yield f"new in {added}"
        gate = known.gate
        if gate and not gate.enabled:
            yield f"off unless the gate {gate.gate} is on"
        for change in changes:
            is_past = release_order(change.release) <= release_order(known.release)
            is_said = is_past and change.change in _CHANGED_FACTS
            if change.change == "default-changed" and is_past:
                yield f"this default since {change.release}"
            elif change.event == "removed":
                yield f"removed in {change.release}"
            elif change.badge and not (change.event or change.is_promotion or is_said):
                yield f"{change.badge} in {change.release}"

    def elsewhere(self, known: KnownField) -> Iterator[Phrase]:
        """What holds in some kinds only."""
        if known.definition == OBJECT_META or not known.in_kinds:
            return
        everywhere = set(facts_in_words(known.schema, known.facts))
        kinds: dict[Phrase, list[str]] = {}
        for kind, facts in known.in_kinds.items():
            for phrase in facts_in_words(known.schema, facts):
                if phrase not in everywhere:
                    kinds.setdefault(phrase, []).append(kind.kind)
        for phrase, names in kinds.items():
            yield in_kinds(phrase, names)

    def changes(self, known: KnownField) -> Iterator[Attribute]:
        """The kinds in whose objects a field cannot change."""
        fixed = self._immutable.get((known.definition, known.name), ())
        if fixed:
            yield Attribute("changes", (immutable_in_words(fixed).text,))

    def _immutable_in_place(
        self, known: KnownField, place: ObjectPlace
    ) -> _Fixed | None:
        """That a field cannot change at its place, or that most fields inside of it
        cannot; None where neither holds, or what it is in says it."""
        paths = self._fixed.get(place.kind, frozenset())
        path = f"{place.path}{known.name}"
        if path in paths:
            is_usual = self.is_mostly_fixed(place.kind, place.path.rstrip("."))
            return _Fixed(immutable_in_words([place.kind]), is_usual)
        outer = place.path.partition(".")[0]
        is_said = bool(place.path) and self.is_mostly_fixed(place.kind, outer)
        if not is_said and self.is_mostly_fixed(place.kind, path):
            return _Fixed(mostly_immutable_in_words(place.kind), False)
        return None

    def is_mostly_fixed(self, kind: GroupVersionKind, path: str) -> bool:
        """Whether most of the fields of an object at a path of a kind cannot change."""
        paths = self._fixed.get(kind, frozenset())
        fixed = {fixed for fixed in paths if fixed.startswith(f"{path}.")}
        if len(fixed) < _MIN_MOSTLY or not path:
            return False
        inside = {fixed.removeprefix(f"{path}.").partition(".")[0] for fixed in fixed}
        found = field_at(self._release, self._kinds.get(kind, ""), path)
        schema = found and self._release.definitions[found[0]].schema.field(found[1])
        fields = self._release.resolve(schema.innermost()).fields if schema else ()
        return len(inside) * 2 > len(fields)

    def _document_attributes(
        self, schema: Schema, value: Schema
    ) -> Iterator[Attribute]:
        """The attributes of a field, and what the type of its value requires."""
        yield from attributes_of(schema)
        if value.ref is not None:
            inner = self._release.definitions[value.ref].schema
            *_, subject = subjects(schema)
            for item in in_words(limits_in_words(inner.limits)):
                yield item._replace(name=f"{subject}{item.name}")
            yield from conditions_of(inner, subject)


def _gate_stages(definition: str, field: str) -> Iterator[Attribute]:
    """The stages of the gates of a field: ``1.28 alpha``, ``1.29 beta (off)``,
    ``1.31 GA``. Alpha is off by default, and others are on, where nothing is said."""
    for gate, rows in gate_history(definition, field).items():
        stages = []
        for row in rows:
            is_usual = (row.level == "alpha") != (row.default == "on")
            default = "" if is_usual else f" ({row.default})"
            stages.append(f"{row.releases.first} {row.stage.level_name}{default}")
        yield Attribute(f"feature gate {gate}", tuple(dict.fromkeys(stages)))


def _outermost(
    release: Release, graph: Graph
) -> Mapping[tuple[str, str], Sequence[GroupVersionKind]]:
    """The kinds in whose objects a field cannot change, without those where its type is
    inside of another field that cannot: that is said of the outer field."""
    kinds_by_field = kinds_with_immutable(release)
    inside: dict[GroupVersionKind, set[str | None]] = {}
    for (owner, name), kinds in kinds_by_field.items():
        schema = release.definitions[owner].schema.field(name)
        ref = (schema.items or schema).ref if schema else None
        reached = {ref, *(inner for _, inner in breadth_first(graph, ref or ""))}
        for kind in kinds:
            inside.setdefault(kind, set()).update(reached)
    return {
        field: [kind for kind in kinds if field[0] not in inside[kind]]
        for field, kinds in kinds_by_field.items()
    }
