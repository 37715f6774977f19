"""The limits of the fields of a release, found by asking its programs.

Candidates for the limits of a field come from the facts of all releases, the nearest one
first, from declarations of Go types, and from the field itself: changed values of it.
Those stay that an object of the release proves, and none disproves.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from kubestencil.schema.kinds import definitions_of_kinds
from kubestencil.schema.knowledge.values import FORMATS
from kubestencil.schema.types import Release
from kubestencil.validator.process import Validator
from specs.make.asking.workers import in_parallel
from specs.make.tables import report
from specs.make.values.declared import Declared
from specs.make.values.proofs import Limit, Occurrences, Proof, proof_of_limit
from specs.make.values.questions import (
    PROBES,
    Candidate,
    Occurrence,
    accepted_names,
    basic_candidates,
    mutations,
)
from specs.make.values.reviewed import (
    BY_KIND,
    CONSTANTS,
    NO_ENUMS,
    NO_LIMITS,
)
from specs.make.values.rows import Key, Known, cell_of_values

#: The values that may hold, by what they are about.
_Candidates = dict[Key, list[str]]
# In how many objects a field is changed where nothing is known of it.
_MUTATED = 2


class Limits:
    """Looks for the limits of a release, the values of enums included, in ``stored``, and
    for fields that may be absent in ``accepted``; ``others`` may disprove some."""

    def __init__(
        self,
        release: Release,
        validators: Sequence[Validator],
        stored: Occurrences,
        accepted: Occurrences,
        others: Occurrences,
    ) -> None:
        self._release = release
        self._validators = validators
        self._stored = stored
        self._accepted = accepted
        self._others = others
        self._fields = [*stored.sample()]
        self._kinds = {
            f"{kind.api_version}/{kind.kind}" for kind in definitions_of_kinds(release)
        }

    def find(self, known: Known, declared: Declared) -> Mapping[Key, tuple[str, Proof]]:
        """What is proven, by what it is about: the value, and the proof."""
        candidates, refused = self._basic(declared)
        for key, values in known.limits.items():
            candidates[key] += values
        for field, limits in declared.limits.items():
            for rule, value in limits:
                candidates[(*field, "", rule)].append(value)
        self._add_not_required(candidates)
        found = self._proven(candidates)
        report(f"{self._release.name}: {len(found)} of {len(candidates)} candidates")
        explained = {key[:2] for key in found if key[3] != "required"}
        failed = {
            key[:2]
            for key in candidates
            if key not in found and key[3] not in ("required", "enum")
        }
        asked = [
            group[:_MUTATED]
            for group in self._fields
            if (field := group[0].field) in failed
            or (field in refused and field not in explained)
            or field not in known.fields
        ]
        report(f"{self._release.name}: {len(asked)} fields are changed")
        more = self._mutated(chain(*asked, self._names_of_new_kinds(known)))
        return {**self._proven(more), **found}

    def _names_of_new_kinds(self, known: Known) -> Iterator[Occurrence]:
        """The names of objects of kinds that nothing is known of: each kind has limits of
        its own for the one field."""
        types = {definition for definition, _ in known.fields}
        definitions = definitions_of_kinds(self._release)
        for entry in chain.from_iterable(self._fields):
            is_name = entry.position.path == ("metadata", "name")
            if is_name and definitions[entry.kind] not in types:
                yield entry

    def _basic(self, declared: Declared) -> tuple[_Candidates, set[tuple[str, str]]]:
        """What two questions about each field say, and the fields in which an odd value
        is refused."""
        constants = {**CONSTANTS, **declared.enums}

        def ask(
            validator: Validator, group: Sequence[Occurrence]
        ) -> list[tuple[Occurrence, Candidate]]:
            return [*basic_candidates(validator, group, constants)]

        refused: set[tuple[str, str]] = set()
        found: _Candidates = defaultdict(list)
        for answers in [*in_parallel(self._validators, ask, self._fields)]:
            names: dict[str, set[str]] = defaultdict(set)
            for occurrence, (rule, value) in answers:
                if rule == "refused":
                    refused.add(occurrence.field)
                elif rule == "enum":
                    names[occurrence.context] |= set(value.split("\n"))
                elif key := _key(occurrence, rule):
                    found[key].append(value)
            if names and _name(*answers[0][0].field) not in NO_ENUMS:
                union = set[str]().union(*names.values())
                key = (*answers[0][0].field, "", "enum")
                found[key].append(cell_of_values(union))
                self._add_names_of_places(found, [o for o, _ in answers], union)
        return found, refused

    def _add_names_of_places(
        self, found: _Candidates, answered: Sequence[Occurrence], names: set[str]
    ) -> None:
        """Add the values of an enum that depend on the kind."""
        if _name(*answered[0].field) not in BY_KIND:
            return
        here: dict[str, set[str]] = defaultdict(set)
        for entry in answered:
            accepted = accepted_names(self._validators[0], entry, sorted(names))
            here[entry.context] |= {*accepted}
        for context, accepted_there in here.items():
            if accepted_there != names:
                key = (*answered[0].field, context, "enum")
                found[key].append(cell_of_values(accepted_there))

    def _add_not_required(self, candidates: _Candidates) -> None:
        """What documents list as required, and accepted objects do not have."""
        for definition, field in self._accepted.absent | self._others.absent:
            listed = self._release.definitions[definition].schema.required
            if field in listed:
                candidates[definition, field, "", "required"].append("false")

    def _mutated(self, asked: Iterable[Occurrence]) -> _Candidates:
        found: _Candidates = defaultdict(list)

        def ask(validator: Validator, entry: Occurrence) -> list[tuple[Key, str]]:
            return [
                (key, value)
                for rule, value in mutations(self._release, validator, entry)
                if (key := _key(entry, rule))
            ]

        for candidates in in_parallel(self._validators, ask, asked):
            for key, value in candidates:
                found[key].append(value)
        return found

    def _proven(self, candidates: _Candidates) -> dict[Key, tuple[str, Proof]]:
        """Of each fact the first value that is proven."""
        possible = {
            key: values for key, values in candidates.items() if self._is_possible(key)
        }
        proofs = in_parallel(self._validators, self._proof, possible.items())
        return {
            key: proof
            for key, proof in zip(possible, proofs, strict=True)
            if proof is not None
        }

    def _is_possible(self, key: Key) -> bool:
        definition, field, context, rule = key
        kind = context.partition(":")[0]
        name = _name(definition, field)
        return (
            definition in self._release.definitions
            # The server's code reads kinds that it no longer serves, too.
            and kind in {"", *self._kinds}
            and name not in NO_LIMITS
            and (*name, rule) not in NO_LIMITS
        )

    def _proof(
        self, validator: Validator, candidate: tuple[Key, Sequence[str]]
    ) -> tuple[str, Proof] | None:
        key, values = candidate[0], [*dict.fromkeys(candidate[1])]
        if key[3].endswith("format"):
            # A weaker format holds where a stricter one does.
            values.sort(key=_looseness)
        for value in values:
            limit = Limit(*key, value)
            is_disproved = not limit.context and any(
                occurrences.disprove(limit)
                for occurrences in (self._stored, self._others)
            )
            if not is_disproved:
                objects = self._accepted if limit.is_absence else self._stored
                proof = proof_of_limit(validator, objects, limit)
                if proof is not None:
                    return value, proof
        return None


def _key(occurrence: Occurrence, rule: str) -> Key | None:
    """What a rule is about. Names of objects depend on the kind, and some other fields;
    elsewhere, a rule holds wherever the type is."""
    definition, field = name = _name(*occurrence.field)
    context = ""
    if definition == "ObjectMeta" and field in ("name", "namespace"):
        if occurrence.position.path != ("metadata", field):
            return None
        context = occurrence.context
    elif name in BY_KIND and rule == "required":
        context = occurrence.context
    return (*occurrence.field, context, rule)


def _name(definition: str, field: str) -> tuple[str, str]:
    return definition.rpartition(".")[2], field


def _looseness(name: str) -> int:
    return sum(map(FORMATS[name].accepts, filter(None, PROBES)))
