"""Facts in words: the one vocabulary of pages, hover, comments of languages and reports.

Every fact is a phrase: ``default 10``, ``HTTP or HTTPS``, ``1 to 65535``, ``fixed once the
Pod exists``. Where it stands alone, its first letter is a capital.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal, NamedTuple

from kubestencil.schema.keyword_values import NO_LIMITS, ValueLimits
from kubestencil.schema.knowledge.conditions import combinations, parse_term
from kubestencil.schema.knowledge.fields import ChangedField, KnownField
from kubestencil.schema.knowledge.gates import GateStage
from kubestencil.schema.knowledge.kinds import KnownKind
from kubestencil.schema.knowledge.values import FORMATS, Default, FieldFacts
from kubestencil.schema.types import GroupVersionKind, Schema

_MAX_VALUE = 300  # characters

#: What a phrase is about.
Fact = Literal[
    "required", "values", "default", "range", "length", "items", "format", "keys",
    "unique", "immutable", "deprecated", "effect", "added", "removed", "replaced", "gate",
    "properties", "rules",
]  # fmt: skip


class Phrase(NamedTuple):
    """A fact in words: ``text``, the ``values`` after it, which are code, and what comes
    ``after`` these; each may be empty. ``detail`` is what only the long form says."""

    fact: Fact
    text: str
    values: tuple[str, ...] = ()
    detail: str = ""
    after: str = ""

    def spelled(self, spell: Callable[[str], str]) -> Phrase:
        """The same with what may be hostile text of documents spelled for a format."""
        fact, text, values, detail, after = self
        texts = spell(text), tuple(map(spell, values)), spell(detail), spell(after)
        return Phrase(fact, *texts)

    @property
    def short(self) -> str:
        """The fact beside others: ``1 to 63 characters``."""
        joined = (
            listed(self.values) if self.fact == "values" else ", ".join(self.values)
        )
        return " ".join(filter(None, (self.text, joined, self.after)))

    @property
    def title(self) -> str:
        """The text where it begins a line: with a capital letter."""
        return f"{self.text[:1].upper()}{self.text[1:]}"

    def __str__(self) -> str:
        """The whole fact as a line of its own: ``1 to 63 characters: lower-case …``."""
        line = self._replace(text=self.title).short
        return ": ".join(filter(None, (line, self.detail)))


def value_in_words(value: object) -> str:
    """A value as JSON, a non-empty string without quotes; long ones are shortened."""
    if isinstance(value, str) and value:
        return shortened(value)
    return shortened(json.dumps(value, ensure_ascii=False, sort_keys=True))


def shortened(text: str) -> str:
    """The beginning of a long text."""
    return text if len(text) <= _MAX_VALUE else f"{text[: _MAX_VALUE - 1]}…"


def listed(words: Sequence[str], last: str = "or") -> str:
    """Words with commas between them, and ``or`` before the last one."""
    *others, end = words or ("",)
    return f"{', '.join(others)} {last} {end}" if others else end


def name_of(definition: str) -> str:
    """The last part of a definition's full name."""
    return definition.rpartition(".")[2]


def type_in_words(schema: Schema, name: Callable[[str], str] = name_of) -> str:
    """The type of a schema: ``list of Container``, ``map of Quantity``, ``integer or
    string``, ``string (date-time)``. ``name`` spells that of a definition."""
    around, value = container_in_words(schema)
    return f"{around}{name(value.ref) if value.ref else scalar_in_words(value)}"


def container_in_words(schema: Schema) -> tuple[str, Schema]:
    """The lists and maps around a value, ``list of map of ``, and the value's schema."""
    *outer, value = schema.levels()
    around = ("list of " if level.items else "map of " for level in outer)
    return "".join(around), value


def scalar_in_words(schema: Schema) -> str:
    """The name of a type that is no reference: ``string``, ``integer (int32)``."""
    if schema.int_or_string:
        return "integer or string"
    name = schema.type or "any value"
    return f"{name} ({schema.format})" if schema.format else name


def subjects(schema: Schema) -> list[str]:
    """What is said of each of these levels begins with: nothing, ``items: ``,
    ``values: ``."""
    levels = schema.levels()[:-1]
    return ["", *("items: " if level.items else "values: " for level in levels)]


def facts_in_words(schema: Schema, facts: FieldFacts) -> Iterator[Phrase]:
    """What is known of the values of a field with a schema."""
    levels = schema.levels()
    if facts.required:
        yield Phrase("required", "required")
    yield from values_in_words(facts.enum or levels[-1].enum)
    # What the server gives a required field without a value is no default.
    if not facts.required or facts.origin.get("defaults") == "document":
        yield from _defaults(facts.defaults, schema)
    last = len(levels) - 1
    for index, (level, subject) in enumerate(
        zip(levels, subjects(schema), strict=True)
    ):
        # Facts are about what is inside of lists and maps, but for their length.
        names = [*(["max_items"] if index == 0 else []), *(_SCALARS * (index == last))]
        limits = _with_facts(level.limits, facts, names)
        format = facts.format if index == last else None
        for phrase in limits_in_words(limits, format):
            yield (
                phrase._replace(text=f"{subject}{phrase.text}") if subject else phrase
            )
    if facts.key_format:
        yield Phrase("keys", f"keys: {FORMATS[facts.key_format].in_words}")
    yield from _unique(facts.unique)


def default_in_words(value: Any) -> str:
    """A default as a line of its own, its value as JSON: ``Default "Always"``."""
    return f"Default {json.dumps(value, ensure_ascii=False)}"


def values_in_words(values: Sequence[Any]) -> Iterator[Phrase]:
    """The values that are allowed: ``HTTP or HTTPS``."""
    if values:
        yield Phrase("values", "", tuple(map(value_in_words, values)))


def facts_limits_in_words(facts: FieldFacts) -> Iterator[Phrase]:
    """The limits of numbers and texts, for languages whose types have none."""
    yield from limits_in_words(_with_facts(NO_LIMITS, facts, _SCALARS), facts.format)


def limits_in_words(limits: ValueLimits, format: str | None = None) -> Iterator[Phrase]:
    """The limits of a value: ``1 to 63 characters``; ``format`` is that of a text."""
    if limits is NO_LIMITS and format is None:
        return
    form = FORMATS[format] if format else None
    low, high = limits.minimum, limits.maximum
    if low is not None and limits.exclusive_minimum:
        yield Phrase("range", f"more than {value_in_words(low)}")
        low = None
    if high is not None and limits.exclusive_maximum:
        yield Phrase("range", f"less than {value_in_words(high)}")
        high = None
    for phrase in _between("range", low, high):
        # An integer, or a text.
        either = f"{phrase.text}, or {form.in_words}" if form else phrase.text
        yield phrase._replace(text=either)
        form = None
    longest = [int(form.longest)] if form and form.longest else []
    longest += [] if limits.max_length is None else [limits.max_length]
    most = min(longest, default=None)
    for phrase in _between("length", limits.min_length, most, " characters"):
        yield phrase._replace(detail=form.meaning if form else "")
        form = None
    if form:
        yield Phrase("format", form.meaning)
    yield from _between("items", limits.min_items, limits.max_items)
    properties = limits.min_properties, limits.max_properties
    yield from _between("properties", *properties, " fields")
    if limits.multiple_of is not None:
        yield Phrase("range", f"a multiple of {value_in_words(limits.multiple_of)}")
    if limits.pattern is not None:
        yield Phrase("format", "matches", (shortened(limits.pattern),))


_SCALARS = ("minimum", "maximum", "min_length", "max_length")


def _with_facts(
    limits: ValueLimits, facts: FieldFacts, names: Iterable[str]
) -> ValueLimits:
    """Limits with those of some names that facts have."""
    known = {name: getattr(facts, name) for name in names}
    stated = {name: limit for name, limit in known.items() if limit is not None}
    return limits._replace(**stated) if stated else limits


def _between(
    fact: Fact, low: float | None, high: float | None, unit: str = ""
) -> Iterator[Phrase]:
    """A range, both ends included: ``1 to 63 characters``, ``0 or more``, ``up to 20``."""
    texts = [None if end is None else value_in_words(end) for end in (low, high)]
    match texts:
        case [None, None]:
            return
        case [str(first), None]:
            text = f"{first} or more{unit}"
        case [None, last]:
            text = f"up to {last}{unit}"
        case [first, last]:
            text = f"{first}{unit}" if first == last else f"{first} to {last}{unit}"
    yield Phrase(fact, text)


def _unique(keys: tuple[str, ...]) -> Iterator[Phrase]:
    if keys == ("",):
        yield Phrase("unique", "items are unique")
    elif keys == ("name",):
        yield Phrase("unique", "names are unique")
    elif keys:
        yield Phrase("unique", "one for each", (listed(keys, "and"),))


def _defaults(defaults: Iterable[Default], schema: Schema) -> Iterator[Phrase]:
    """Each value with its conditions: ``default Cluster if type is LoadBalancer``."""
    conditions: dict[str, list[str]] = {}
    for default in defaults:
        # Documents have the default {} for each field that is a struct in Go.
        if schema.ref and default.value == {}:
            continue
        texts = conditions.setdefault(value_in_words(default.value), [])
        terms = map(parse_term, default.condition.split())
        texts += [" and ".join(map(str, terms))] if default.condition else []
    for value, texts in conditions.items():
        after = f"if {' or '.join(texts)}" if texts else ""
        yield Phrase("default", "default", (value,), after=after)


def immutable_in_words(kinds: Iterable[GroupVersionKind]) -> Phrase:
    """That a field cannot change in objects of some kinds."""
    names = sorted({kind.kind for kind in kinds})
    return Phrase("immutable", f"fixed once the {listed(names)} exists")


def mostly_immutable_in_words(kind: GroupVersionKind) -> Phrase:
    """The same of most fields of an object, said once where this is."""
    return Phrase("immutable", f"most fields are fixed once the {kind.kind} exists")


def in_kinds(phrase: Phrase, kinds: Iterable[str]) -> Phrase:
    """A phrase that holds in some kinds only: ``Never or OnFailure in CronJob or Job``."""
    names = f"in {listed(sorted(kinds))}"
    return phrase._replace(after=" ".join(filter(None, (phrase.after, names))))


def changed_in_words(
    phrase: Phrase, release: str, former: Sequence[str], current: Sequence[str]
) -> Phrase:
    """A fact with the release that changed it, and the ``former`` values, where these
    are known: ``(before 1.35 only Always)``."""
    after = f"since {release}"
    if former:
        only = "only " if {*former} < {*current} else ""
        after = f"(before {release} {only}{listed(former)})"
    return phrase._replace(after=" ".join(filter(None, (phrase.after, after))))


def gate_in_words(gate: GateStage) -> Phrase:
    """The stage of what a gate guards: ``alpha, off unless the gate X is on``."""
    default = ("on", "off") if gate.enabled else ("off", "on")
    text = f"{gate.level_name}, {default[0]}"
    if not gate.locked:
        text += f" unless the gate {gate.gate} is {default[1]}"
    return Phrase("gate", text)


def kind_in_words(known: KnownKind) -> Iterator[Phrase]:
    """When a kind came and goes, and what to use instead."""
    if (facts := known.lifecycle) is None:
        return
    yield Phrase("added", "added in", (facts.introduced,))
    if known.deprecated:
        yield _event("deprecated", "deprecation", known.deprecated, known)
    if known.removed:
        yield _event("removed", "removal", known.removed, known)
    if (successor := known.replacement) is not None:
        name = f"{successor.api_version} {successor.kind}"
        yield Phrase("replaced", "replaced by", (name,))


def _event(fact: Fact, noun: str, release: str, known: KnownKind) -> Phrase:
    is_planned = bool(known.release) and not known.has_reached(release)
    return Phrase(
        fact, f"{noun} planned for" if is_planned else f"{fact} in", (release,)
    )


def field_in_words(known: KnownField, siblings: Iterable[str]) -> Iterator[Phrase]:
    """All that is known of a field; ``siblings`` are the names of the fields beside it."""
    yield from changes_in_words(known.changed, known.added_in)
    if known.gate is not None:
        yield gate_in_words(known.gate)
    yield from deprecation_in_words(known, siblings)
    yield from facts_in_words(known.schema, known.facts)
    yield from stated_in_words(known)


def changes_in_words(
    changed: ChangedField | None, added: str | None = None
) -> Iterator[Phrase]:
    """The releases that added and removed a field; it was ``added`` later where what it is
    in was."""
    added = added or (changed and changed.added)
    if added:
        yield Phrase("added", "added in", (added,))
    if changed and changed.removed:
        yield Phrase("removed", "removed in", (changed.removed,))


def rules_in_words(known: KnownField) -> Iterator[Phrase]:
    """The rules about a field and those beside it."""
    for rule in combinations(known.release).get(known.definition, ()):
        if known.name in rule.names:
            yield Phrase("rules", rule.in_words)


def stated_in_words(known: KnownField) -> Iterator[Phrase]:
    """What only the description states of the values of a field."""
    yield from values_in_words(known.stated_values)
    if known.stated_default:
        yield Phrase("default", "default", (known.stated_default,))


def deprecation_in_words(
    known: KnownField, siblings: Iterable[str]
) -> Iterator[Phrase]:
    """That a field is deprecated, and which of the fields beside it to use instead."""
    if known.loss_of_effect:
        yield Phrase("effect", "no effect")
    if known.deprecation or known.warned:
        instead = known.replacement(siblings) or (known.warned and known.warned.instead)
        yield Phrase(
            "deprecated", "deprecated", detail=f"use {instead}" * bool(instead)
        )
