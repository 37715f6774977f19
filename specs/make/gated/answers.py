"""Asks the API server's own code which feature gates decide about fields, values of them and
changes, with all gates on and all off.

Fields are added to objects with all gates on, so that what is inside of a gated field is
asked about, too. Of an answer that differs, the gates that it needs are found by bisection:
gates are turned on in an order in which each comes after those that it depends on.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, groupby
from typing import Any, Literal, NamedTuple

from kubestencil.checking.paths import Path
from kubestencil.checking.verdicts.internal_paths import located
from kubestencil.schema.kinds import STAGES, definitions_of_kinds, version_stage
from kubestencil.schema.types import GroupVersionKind, Release
from kubestencil.validator.process import Validator
from kubestencil.validator.protocol import Answer, Request
from specs.make.asking.objects import removed
from specs.make.asking.pool import Objects
from specs.make.gated.questions import (
    DEPTH,
    TRIES,
    Field,
    Question,
    Subject,
    is_there,
    other_spellings,
    other_values,
    places_in,
    spread,
    stored,
    values_of,
    with_absent_fields,
    with_statuses,
    written,
)
from specs.make.gated.switches import Gates, Switches
from specs.make.progress import report

#: What a gate decides about a field: whether it can be set at all, which values it can
#: have, which values it can no longer have, and which changes are accepted.
Effect = Literal["field", "values", "fewer", "changes"]

# In how many places of a field its values are asked about.
_PLACES = 8
# How many gates a field can need.
_MOST_GATES = 4
# Removals until an object is accepted with all gates off.
_ROUNDS = 12


class Gated(NamedTuple):
    """A field of a definition about which gates decide: all of them are needed."""

    definition: str
    field: str
    effect: Effect
    gates: Gates


def gated_by(
    release: Release,
    validator: Validator,
    switches: Switches,
    objects: Objects,
    constants: Mapping[Field, Sequence[str]],
) -> Iterator[Gated]:
    """What gates of a release decide about: in objects of which a part is accepted, and in
    these with each field that they lack. ``constants`` are those of the types of fields.
    """
    asker = _Asker(validator, switches)
    names = definitions_of_kinds(release)
    subjects = [
        Subject(names[kind], value, refused)
        for kind, values in with_statuses(objects).items()
        for value, refused in asker.isolated(values)
    ]
    # Of small ones answers come sooner.
    subjects.sort(key=lambda subject: len(str(subject.value)))
    grown = [*subjects, *asker.grown(release, subjects)]
    report(f"{release.name}: {len(subjects)} objects, {len(grown)} with more fields")
    kept = [*chain.from_iterable(values_of(release, *subject) for subject in grown)]
    yield from asker.fields(spread(kept, _PLACES), kept)
    stable = {name for kind, name in names.items() if _is_most_stable(kind, names)}
    accepted = [
        (subject.definition, subject.value)
        for subject in grown
        if subject.refused is None and subject.definition in stable
    ]
    others = chain.from_iterable(
        other_values(release, *each, constants) for each in accepted
    )
    spelled = chain.from_iterable(other_spellings(release, *each) for each in accepted)
    yield from asker.values([*spread(others, 1), *spread(spelled, 1)])


def _is_most_stable(kind: GroupVersionKind, kinds: Iterable[GroupVersionKind]) -> bool:
    """Whether no version of a kind is more stable: the same code validates all of them."""
    stages = [
        STAGES.index(version_stage(other.version))
        for other in kinds
        if (other.group, other.kind) == (kind.group, kind.kind)
    ]
    return STAGES.index(version_stage(kind.version)) == max(stages)


class _Asker:
    """Asks about objects with gates in other states."""

    def __init__(self, validator: Validator, switches: Switches) -> None:
        self._validator = validator
        self._switches = switches
        self._on = switches.only(switches.names)
        self._off = switches.only(())
        #: The gates of fields that can be set only with them.
        self._guarded: dict[Field, Gates] = {}

    def isolated(self, values: Iterable[Any]) -> Iterator[tuple[Any, Path | None]]:
        """Objects that are accepted with all gates on and all off, with None, and what
        only gates make acceptable, with the path of the one value that is refused."""
        for value in values:
            current = value
            taken: list[Path] = []
            for _ in range(_ROUNDS):
                answer = self._ask(written(current), self._off)
                path: Path = ()
                rest = ""
                if not answer.accepted and answer.causes:
                    path, rest = located(answer.causes[0].field, current)
                if not path or rest:
                    break
                taken.append(path)
                current = removed(current, path)
            if not self._accepts(current, self._off):
                continue
            if self._accepts(current, self._on):
                yield current, None
            for path in taken:
                alone = _without(value, taken, path)
                if self._accepts(alone, self._on) and not self._accepts(
                    alone, self._off
                ):
                    yield alone, path

    def grown(self, release: Release, subjects: Sequence[Subject]) -> Iterator[Subject]:
        """Objects with fields that these lack, and with fields in these."""
        seen: Counter[Field] = Counter()
        for subject in subjects:
            for place in places_in(release, subject.definition, subject.value):
                seen[place.definition, place.field] = TRIES
        for _ in range(DEPTH):
            tried = [
                candidate
                for subject in subjects
                for candidate in with_absent_fields(release, subject, seen)
            ]
            values = [subject.value for subject in tried]
            on, off = self._accepted(values, self._on), self._accepted(
                values, self._off
            )
            subjects = [
                subject._replace(refused=None) if without else subject
                for subject, with_all, without in zip(tried, on, off, strict=True)
                if with_all
            ]
            yield from subjects

    def fields(
        self, questions: Sequence[Question], places: Iterable[Question]
    ) -> Iterator[Gated]:
        """The fields whose values are dropped or refused with all gates off: always or,
        where they are kept elsewhere, with some values. ``places`` are all in the same
        objects: one in which a gate decides about a field can be refused for that."""
        on, off = self._states(questions, self._on), self._states(questions, self._off)
        report(f"{len(questions)} questions about fields")
        states = [*zip(questions, on, off, strict=True)]
        always = {question.place for question, _, kept in states if kept}
        lost = {
            (id(question.request), question.path): question
            for question, with_all, without in states
            if with_all and not without
        }
        best: dict[Field, tuple[int, Question]] = {}
        for question in lost.values():
            count = sum((id(question.request), at) in lost for at, _ in question.outer)
            if question.place not in best or count < best[question.place][0]:
                best[question.place] = count, question
        chosen = [question for _, question in best.values()]
        report(f"{len(chosen)} of them depend on gates")
        needed = zip(chosen, self._search(chosen, True), strict=True)
        found = self._guarded
        in_object: dict[int, list[tuple[Path, Field]]] = defaultdict(list)
        for question in places:
            in_object[id(question.request)].append((question.path, question.place))
        # Outer ones come first: what guards them guards what is inside, too. Of others,
        # it is known by then whether a field beside them is what is refused.
        for question, gates in sorted(
            needed, key=lambda each: (each[0].place in always, len(each[0].path))
        ):
            around = [at for at, field in question.outer if field in found]
            outer = dict(question.outer)
            own = gates - self._switches.with_needed(
                chain.from_iterable(found[outer[at]] for at in around)
            )
            dropped = [
                at
                for at in outer
                if (id(question.request), at) in lost
                and not any(at[: len(path)] == path for path in around)
            ]
            if not own:
                continue
            if question.place in always:
                others = [
                    path
                    for path, field in in_object[id(question.request)]
                    if own & found.get(field, frozenset())
                ]
                if not dropped and self._is_decided_without(question, others):
                    yield Gated(*question.place, "values", own)
            elif self._is_the_reason(question, dropped):
                found[question.place] = own
                yield Gated(*question.place, "field", own)

    def _is_the_reason(self, question: Question, outer: Sequence[Path]) -> bool:
        """Whether what a value is inside of is kept without the value."""
        if not outer:
            return True
        smaller = removed(question.request.object, question.path)
        (answer,) = self._validator.ask(
            [replace(stored(smaller), feature_gates=self._off)]
        )
        return answer.accepted and all(is_there(answer.object, path) for path in outer)

    def _is_decided_without(self, question: Question, paths: Sequence[Path]) -> bool:
        """Whether gates decide about a value in an object without those at some paths."""
        if not paths:
            return True
        smaller = _without(question.request.object, paths, question.path)
        alone = [question._replace(request=stored(smaller))]
        states = *self._states(alone, self._on), *self._states(alone, self._off)
        return states == (True, False)

    def values(self, questions: Sequence[Question]) -> Iterator[Gated]:
        """The fields of which gates make more or fewer values or changes acceptable."""
        on, off = self._states(questions, self._on), self._states(questions, self._off)
        report(f"{len(questions)} questions about values")
        found: set[tuple[Field, bool]] = set()
        for is_on in (True, False):
            differing = {
                question[:2]: question
                for question, with_all, without in zip(questions, on, off, strict=True)
                if with_all != without and with_all is is_on
            }
            chosen = list(differing.values())
            # A value that is refused is refused in a changed object, too.
            chosen.sort(key=lambda question: question.aspect, reverse=True)
            for question, gates in zip(
                chosen, self._search(chosen, is_on), strict=True
            ):
                is_change = question.aspect == "changes"
                places = [*(field for _, field in question.outer), question.place]
                guards = (self._guarded.get(field, ()) for field in places)
                # What is dropped without a gate is not looked at.
                gates -= self._switches.with_needed(chain.from_iterable(guards))
                if not gates or (is_change and (question.place, is_on) in found):
                    continue
                found.add((question.place, is_on))
                refused = self._off if is_on else self._on
                place = (
                    self._refused(question, refused) if is_change else question.place
                )
                effect: Effect = "changes" if is_change else "values"
                yield Gated(*place, effect if is_on else "fewer", gates)

    def _refused(self, question: Question, gates: Mapping[str, bool]) -> Field:
        """The field that the server names of a change that it refuses: what cannot change
        can be further out than the value that was changed."""
        answer = self._ask(question.request, gates)
        for cause in answer.causes[:1]:
            path, _ = located(cause.field, question.request.object)
            return dict(question.outer).get(path, question.place)
        return question.place

    def _search(self, questions: Sequence[Question], state: bool) -> list[Gates]:
        """The gates that have to be on for the state that questions have with all gates
        on; none where these are not found."""
        order = self._switches.order
        needed: dict[int, Gates] = dict.fromkeys(range(len(questions)), frozenset())
        unsure = list(needed)
        for _ in range(_MOST_GATES):
            low, high = dict.fromkeys(unsure, 0), dict.fromkeys(unsure, len(order))
            while middle := {
                i: (low[i] + high[i]) // 2 for i in unsure if high[i] - low[i] > 1
            }:
                for i, found in self._with_prefix(questions, middle, needed):
                    (high if found is state else low)[i] = middle[i]
            for i in unsure:
                needed[i] |= {order[high[i] - 1]}
            states = self._with_prefix(questions, dict.fromkeys(unsure, 0), needed)
            unsure = [i for i, found in states if found is not state]
        return [
            frozenset() if i in unsure else self._switches.without_needed(gates)
            for i, gates in needed.items()
        ]

    def _with_prefix(
        self,
        questions: Sequence[Question],
        lengths: Mapping[int, int],
        needed: Mapping[int, Gates],
    ) -> list[tuple[int, bool]]:
        """The states of questions, by their indexes, each with so many of the gates in
        order on, and those that it needs."""
        requests = (
            replace(
                questions[i].request,
                feature_gates=self._switches.only(
                    needed[i].union(self._switches.order[:length])
                ),
            )
            for i, length in lengths.items()
        )
        answers = self._validator.ask(requests)
        return [
            (i, questions[i].state(answer))
            for i, answer in zip(lengths, answers, strict=True)
        ]

    def _states(
        self, questions: Sequence[Question], gates: Mapping[str, bool]
    ) -> list[bool]:
        # One answer tells of all places of an object.
        groups = [
            list(group)
            for _, group in groupby(questions, lambda each: id(each.request))
        ]
        requests = (replace(group[0].request, feature_gates=gates) for group in groups)
        return [
            question.state(answer)
            for group, answer in zip(groups, self._validator.ask(requests), strict=True)
            for question in group
        ]

    def _accepted(self, values: Sequence[Any], gates: Mapping[str, bool]) -> list[bool]:
        requests = (replace(written(value), feature_gates=gates) for value in values)
        return [answer.accepted for answer in self._validator.ask(requests)]

    def _accepts(self, value: Any, gates: Mapping[str, bool]) -> bool:
        return self._ask(written(value), gates).accepted

    def _ask(self, request: Request, gates: Mapping[str, bool]) -> Answer:
        (answer,) = self._validator.ask([replace(request, feature_gates=gates)])
        return answer


def _without(value: Any, paths: Iterable[Path], kept: Path) -> Any:
    """An object without the values at some paths but one, of which none is inside."""
    for path in reversed([*paths]):
        if path != kept and is_there(value, path):
            value = removed(value, path)
    return value
