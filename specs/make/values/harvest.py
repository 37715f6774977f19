"""What the programs of releases answer, as facts of their fields."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from itertools import chain
from typing import Any, NamedTuple

from kubestencil.schema.kinds import definitions_of_kinds, kind_definitions
from kubestencil.schema.knowledge.values import FORMATS
from kubestencil.schema.types import GroupVersionKind, Release
from kubestencil.validator.process import Validator
from specs.make.tables import report
from specs.make.values.defaults import default_facts, observations, removals
from specs.make.values.markers import MarkedEnum
from specs.make.values.objects import (
    general,
    object_definition,
    path_of_field,
    positions,
    value_at,
)
from specs.make.values.proofs import (
    Limit,
    Occurrences,
    holds,
    is_unvalidated,
    proof_of_limit,
)
from specs.make.values.questions import (
    Fact,
    Occurrence,
    Questions,
    Sampling,
    basic_facts,
)
from specs.make.values.reviewed import CONDITIONAL, CONSTANTS
from specs.make.values.rows import (
    Found,
    Key,
    default_rows_of,
    enum_facts,
    limit_facts,
)
from specs.make.values.workers import in_parallel

#: Accepted objects by kind.
Objects = Mapping[GroupVersionKind, Sequence[Any]]
#: The facts of a release by table.
Facts = Mapping[str, Mapping[Key, Found]]

# In how many objects a field is asked about at length.
_OBJECTS_OF_FIELD = 2
# Follows the name of a map's field where its keys are meant.
_KEYS = "/keys"

#: A definition, a field, and whether its items are meant.
_FieldKey = tuple[str, str, bool]
#: Rules and values of a field.
Known = set[tuple[str, str]]


class Findings(NamedTuple):
    """What is known of a release before other releases are looked at."""

    limits: Mapping[Key, Found]
    defaults: Mapping[Key, Found]
    #: The definitions and fields of which some object shows what is filled in.
    shown: Set[tuple[str, str]]
    #: What was found of fields, or of their items, in the last object.
    known: Mapping[_FieldKey, Known]


class Proven(NamedTuple):
    """An enum or a limit, and the object that proves it."""

    key: Key
    found: Found
    object: Any


class Asked:
    """A release, and what was found out about it: ``objects`` are accepted ones of which
    facts are found, ``others`` may disprove some. What
    is known of another release is not looked for again where it holds here, too."""

    def __init__(
        self,
        release: Release,
        validators: Sequence[Validator],
        objects: Objects,
        others: Objects,
        marked: Sequence[MarkedEnum],
        other: Mapping[_FieldKey, Known] | None,
    ) -> None:
        self.release = release
        self.known: dict[_FieldKey, Known] = {}
        self._validators = validators
        names = definitions_of_kinds(release)
        constants: dict[tuple[str, str], Sequence[str]] = dict(CONSTANTS)
        constants.update(
            ((enum.definition, enum.field), enum.values) for enum in marked
        )
        sampling = Sampling(release)
        by_kind = {
            kind: [*sampling.occurrences(kind, names[kind], values)]
            for kind, values in objects.items()
        }
        asked = [
            fact
            for facts in in_parallel(
                validators,
                lambda validator, found: [*basic_facts(validator, found, constants)],
                by_kind.values(),
            )
            for fact in facts
        ]
        report(f"{release.name}: {len(asked)} basic facts")
        asked += self._detailed(by_kind.values(), asked, other)
        asked = [fact for fact in asked if not self._is_ignored(fact.kind, fact.path)]
        self._accepted: dict[tuple[str, str], set[Any]] = defaultdict(set)
        self._absent: set[tuple[str, str, str]] = {
            (fact.definition, fact.field, "required")
            for fact in asked
            if fact.value == "?accepted"
        }
        for kind, values in chain(objects.items(), others.items()):
            for value in values:
                self._add_accepted(kind, names[kind], value)
        enums = enum_facts(
            asked, (enum for enum in marked if enum.definition in release.definitions)
        )
        allowed = {key[:2]: value.split() for key, (value, _) in enums.items()}
        counts: Counter[tuple[str, str]] = Counter()
        cases = [
            (kind, removals(release, names[kind], values, counts))
            for kind, values in objects.items()
        ]
        report(f"{release.name}: {sum(counts.values())} fields removed")

        def observe(validator: Validator, case: tuple[GroupVersionKind, Any]) -> Any:
            kind, made = case
            name = names[kind]
            return [*observations(release, validator, kind, name, made, allowed)]

        observed = [*chain.from_iterable(in_parallel(validators, observe, cases))]
        self._shown = {(item.definition, item.field) for item in observed}
        problems: list[str] = []
        self.defaults = default_rows_of(default_facts(release, observed, problems))
        for problem in problems:
            report(problem)
        limits = {**enums, **limit_facts(asked)}
        limits.update(self._not_required())
        self.limits: Mapping[Key, Found] = limits
        self._occurrences = Occurrences(release, objects)

    @property
    def findings(self) -> Findings:
        """What was found."""
        return Findings(self.limits, self.defaults, self._shown, self.known)

    def proven(self, others: Iterable[Mapping[Key, Found]]) -> Iterator[Proven]:
        """The enums and limits, those of other releases included, that are proven in
        this one: not where an accepted object disproves them."""
        candidates: dict[Key, list[Found]] = defaultdict(list)
        kinds = {
            f"{kind.api_version}/{kind.kind}"
            for kind in kind_definitions(self.release).values()
        }
        for limits in (*others, self.limits):
            for key, found in limits.items():
                # The server's code reads kinds that it no longer serves, too.
                kind = key[2].partition(":")[0]
                is_here = key[0] in self.release.definitions and kind in {"", *kinds}
                if is_here and found[1] == "asked" and found not in candidates[key]:
                    # Answers name the values of enums; others are the same for all.
                    is_first = key[3] == "enum" and limits is self.limits
                    candidates[key].insert(
                        0 if is_first else len(candidates[key]), found
                    )
        marked = {k: found for k, found in self.limits.items() if found[1] != "asked"}
        proofs = in_parallel(self._validators, self._proof, candidates.items())
        for (key, _), proof in zip(candidates.items(), proofs, strict=True):
            if proof is not None:
                yield Proven(key, *proof)
                marked.pop(key, None)
            elif self.limits.get(key, ("", "marker"))[1] == "asked":
                report(f"{self.release.name}: no proof of {key} {self.limits[key][0]}")
        yield from (Proven(key, found, None) for key, found in marked.items())

    def _proof(
        self, validator: Validator, candidate: tuple[Key, Sequence[Found]]
    ) -> tuple[Found, Any] | None:
        """The first of some facts about a field that is proven, and the object."""
        (definition, field, context, rule), facts = candidate
        for found in facts:
            if context or not self._is_disproved(candidate[0], found[0]):
                limit = Limit(definition, field, context, rule, found[0])
                proof = proof_of_limit(validator, self._occurrences, limit)
                if proof is not None:
                    return found, proof.object
        return None

    def _is_ignored(self, kind: GroupVersionKind, path: str) -> bool:
        return is_unvalidated(self.release.name, kind, path)

    def _detailed(
        self,
        found: Iterable[Sequence[Occurrence]],
        asked: Sequence[Fact],
        other: Mapping[_FieldKey, Known] | None,
    ) -> Iterator[Fact]:
        """What more questions find about fields in some objects."""
        refused = {
            (fact.definition, fact.field)
            for fact in asked
            if fact.rule.startswith("probe") and fact.value == "refused"
        }
        counts: Counter[tuple[str, str, bool, str]] = Counter()
        chosen: list[tuple[Occurrence, _FieldKey, Known | None, bool]] = []
        for entry in chain.from_iterable(found):
            kind, _, position, _ = entry
            # A server does not serve alpha versions unless it is told to.
            is_alpha = "alpha" in kind.version
            if is_alpha or self._is_ignored(kind, general(path_of_field(position))):
                continue
            # Names of objects depend on the kind.
            place = kind.kind if position.path == ("metadata", "name") else ""
            key = position.definition, position.field, position.is_item, place
            if counts[key] == (1 if other else _OBJECTS_OF_FIELD):
                continue
            counts[key] += 1
            known = other.get(key[:3]) if other and not place else None
            is_new = key[:2] in refused and counts[key] == 1
            chosen.append((entry, key[:3], known, is_new))
        report(f"{self.release.name}: {len(chosen)} fields in detail")

        def ask(
            validator: Validator,
            choice: tuple[Occurrence, _FieldKey, Known | None, bool],
        ) -> list[Fact]:
            entry, _, known, is_new = choice
            questions = Questions(self.release, validator)
            facts = self._still_true(validator, questions, entry, known or ())
            if known is None or len(facts) < len(known) or (not facts and is_new):
                facts = [*questions.facts(entry)]
            return facts

        answers = in_parallel(self._validators, ask, chosen)
        for count, ((_, field, *_), facts) in enumerate(
            zip(chosen, answers, strict=True)
        ):
            if count % 500 == 0:
                report(f"{self.release.name}: {count} of {len(chosen)}")
            self.known[field] = {(fact.rule, fact.value) for fact in facts}
            yield from facts

    def _still_true(
        self,
        validator: Validator,
        questions: Questions,
        entry: Occurrence,
        known: Iterable[tuple[str, str]],
    ) -> list[Fact]:
        """Those of the facts of another release that hold for an occurrence, too."""
        return [
            entry.fact(rule, value)
            for rule, value in sorted(known)
            if (
                questions.format_of(entry, rule) == value
                if rule in ("format", "key_format")
                else holds(validator, entry, rule, value)
            )
        ]

    def _add_accepted(self, kind: GroupVersionKind, name: str, value: Any) -> None:
        """Remember what an accepted object disproves: values beyond limits, and that
        fields are required which it does not have, or not empty."""
        release = self.release
        objects = [(name, value, "")]
        for position in positions(release, name, value):
            path = general(path_of_field(position))
            if self._is_ignored(kind, path):
                continue
            part = value_at(value, position.path)
            field = position.definition, position.field
            if part == "":
                self._absent.add((*field, "min_length"))
            if type(part) in (str, int):
                self._accepted[field].add(part)
            elif isinstance(part, dict):
                if position.schema.values is not None:
                    self._accepted[field[0], f"{field[1]}{_KEYS}"].update(part)
                if inner := object_definition(release, position.schema):
                    objects.append((inner, part, f"{path}."))
        for definition, part, path in objects:
            for other in release.definitions[definition].fields:
                inner_path = f"{path}{other.name}"
                if other.name not in part and not self._is_ignored(kind, inner_path):
                    self._absent.add((definition, other.name, "required"))

    def _is_disproved(self, key: Key, limit: str) -> bool:
        """Whether an accepted object has a value beyond a limit."""
        definition, field, _, rule = key
        if rule == "min_length" or (rule == "required" and limit == "true"):
            return (definition, field, rule) in self._absent
        if rule == "key_format":
            keys = self._accepted.get((definition, f"{field}{_KEYS}"), ())
            return not all(map(FORMATS[limit].accepts, filter(None, keys)))
        checks: Mapping[str, Callable[[Any], bool]] = {
            "minimum": lambda value: type(value) is int and value < int(limit),
            "maximum": lambda value: type(value) is int and value > int(limit),
            "max_length": lambda value: type(value) is str and len(value) > int(limit),
            "format": lambda value: (
                type(value) is str and value != "" and not FORMATS[limit].accepts(value)
            ),
        }
        check = checks.get(rule)
        accepted = self._accepted.get((definition, field), ())
        return check is not None and any(map(check, accepted))

    def _not_required(self) -> Iterator[tuple[Key, Found]]:
        """What documents list as required, and accepted objects do not have."""
        for definition, field, rule in self._absent:
            if (definition.rpartition(".")[2], field, rule) in CONDITIONAL:
                continue
            fields = self.release.definitions[definition].fields
            if rule == "required" and any(
                f.required and f.name == field for f in fields
            ):
                yield (definition, field, "", rule), ("false", "asked")
