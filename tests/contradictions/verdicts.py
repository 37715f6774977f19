"""What ``check`` says of objects, compared with what the code of API servers says."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from kubestencil.checking.findings import Problem
from kubestencil.checking.paths import field_path
from kubestencil.checking.release import prepare
from kubestencil.checking.rules import RULES, Change
from kubestencil.checking.upgrade import ObjectResult, Upgrade
from kubestencil.schema.kinds import definitions_of_kinds
from kubestencil.schema.types import GroupVersionKind, Release
from kubestencil.validator.process import PendingAnswer, Validator
from kubestencil.validator.protocol import Answer, Request
from tests.contradictions.model import Contradiction
from tests.contradictions.objects import Case

#: Whose code ``check`` has: of no server, of both, or of one of them.
Mode = Literal["tables", "both", "old", "new"]
MODES: Mapping[Mode, tuple[bool, bool]] = {
    "tables": (False, False),
    "both": (True, True),
    "old": (True, False),
    "new": (False, True),
}
_BATCH = 64
_INDEX = re.compile(r"\[([^\]]*)\]")
# What is said of a kind or of a name, whatever the value is.
_OF_NAMES = {"removed-kind", "future-kind", "unknown-kind", "unknown-field"}
_PRESENT: frozenset[Change | None] = frozenset({"new", "both", "unknown"})

State = Literal["accepted", "refused", "undecodable", "unserved", ""]


class Verdict(NamedTuple):
    """What a server says of an object; its ``state`` is empty where the server's code
    does not decide."""

    state: State
    answer: Answer

    @property
    def refuses(self) -> bool:
        """Whether the server does not take the object."""
        return self.state != "accepted"

    def names(self, problem: Problem) -> bool:
        """Whether the server refuses the object at the place of a problem."""
        if self.state == "undecodable":
            return problem.message in self.answer.message
        path = _normal(field_path(problem.path))
        causes = self.answer.causes if self.state == "refused" else ()
        return any(path == _normal(cause.field) for cause in causes)


class Judged(NamedTuple):
    """An object, the verdicts of both servers, and what ``check`` says by mode."""

    case: Case
    before: Verdict
    after: Verdict
    results: Mapping[Mode, ObjectResult]


class _Recorded(Validator):
    """A validator that is asked each question once."""

    def __init__(self, program: Path) -> None:
        super().__init__(program)
        self._answers: dict[bytes, PendingAnswer] = {}

    def submit(self, request: Request) -> PendingAnswer:
        line = request.line()
        if line not in self._answers:
            if len(self._answers) > 4 * _BATCH:
                self._answers.clear()
            self._answers[line] = super().submit(request)
        return self._answers[line]


def judge(
    releases: tuple[Release, Release], programs: Sequence[Path], cases: Sequence[Case]
) -> Iterator[Judged]:
    """What servers and ``check`` say of objects; ``programs`` are the validators of both
    releases, or none: then it is what tables say."""
    before, after = releases
    validators = [_Recorded(program) for program in programs]
    kinds = [definitions_of_kinds(release) for release in releases]
    upgrades: dict[Mode, Upgrade] = {}
    for mode, uses in MODES.items():
        if validators or mode == "tables":
            old, new = (
                prepare(release, validators[index] if uses[index] else None)
                for index, release in enumerate((before, after))
            )
            upgrades[mode] = Upgrade(old, new)
    try:
        for start in range(0, len(cases), _BATCH):
            part = cases[start : start + _BATCH]
            asked = [
                [validator.submit(Request("create", case.value)) for case in part]
                for validator in validators
            ]
            for index, case in enumerate(part):
                results = {
                    mode: upgrade.start(case.value, case.kind, is_patch=False)()
                    for mode, upgrade in upgrades.items()
                }
                answers = [pending[index].result() for pending in asked]
                old_verdict, new_verdict = (
                    _verdict(served, case, answers[position] if answers else None)
                    for position, served in enumerate(kinds)
                )
                yield Judged(case, old_verdict, new_verdict, results)
    finally:
        for validator in validators:
            validator.close()


def _verdict(
    kinds: Collection[GroupVersionKind], case: Case, answer: Answer | None
) -> Verdict:
    """What an answer means of a release that has some kinds."""
    answer = answer or Answer(0)
    if case.kind not in kinds:
        return Verdict("unserved", answer)
    states: Mapping[int, State] = {
        200: "accepted", 201: "accepted", 400: "undecodable", 422: "refused",
    }  # fmt: skip
    return Verdict(states.get(answer.code, ""), answer)


def of_verdicts(judged: Judged) -> Iterator[Contradiction]:
    """Where ``check`` contradicts the servers, or does not find what they say."""
    case, before, after, results = judged
    for mode, result in results.items():
        errors = {
            change: [
                item.problem
                for item in result.differences
                if item.change == change
                and RULES[item.problem.rule].severity == "error"
            ]
            for change in ("new", "both", "fixed", "unknown", "not-found")
        }
        found = [*_alone(errors)]
        if "" not in (before.state, after.state) and not (
            before.state == after.state == "unserved"
        ):
            found += _contradictions(mode, before, after, errors)
        for kind, problem in found:
            group: Literal["verdict", "gap"] = "gap" if problem is None else "verdict"
            text = (
                f"{problem.rule} {field_path(problem.path)}: {problem.message}"
                if problem
                else ""
            )
            servers = " | ".join(
                f"{verdict.state} {verdict.answer.message[:200]}"
                for verdict in (before, after)
            )
            if problem is None and mode in ("both", "new") and "refuses" in kind:
                group = "verdict"
            yield Contradiction(
                group, f"{mode}: {kind}", case.name, f"{text[:300]} || {servers}"
            )
    if "both" in results and before.state == after.state == "accepted":
        yield from _of_warnings(judged)


_Errors = Mapping[str, Sequence[Problem]]
_Found = tuple[str, Problem | None]


def _alone(errors: _Errors) -> Iterator[_Found]:
    """What contradicts itself in one report, whatever servers say."""
    for problem in errors["fixed"]:
        for other in errors["new"]:
            is_of_value = not {problem.rule, other.rule} & _OF_NAMES
            if problem.path == other.path and is_of_value:
                yield "one place is fixed and new", problem


def _contradictions(
    mode: Mode, before: Verdict, after: Verdict, errors: _Errors
) -> Iterator[_Found]:
    present = [*errors["new"], *errors["both"], *errors["unknown"]]
    fixed, new = errors["fixed"], errors["new"]
    for problem in fixed:
        if after.names(problem) and problem.rule not in _OF_NAMES:
            yield "fixed at a place that the newer server refuses", problem
    if fixed and not present and after.refuses:
        yield "only fixed errors, and the newer server refuses the object", fixed[0]
    for problem in new:
        if before.names(problem) and problem.rule not in _OF_NAMES:
            yield "new at a place that the older server refuses", problem
    if not after.refuses and present:
        yield "an error in what the newer server accepts", present[0]
    if not before.refuses and (gone := [*fixed, *errors["not-found"]]):
        yield "gone, and the older server accepts the object", gone[0]
    if not before.refuses and errors["both"]:
        yield "in both, and the older server accepts the object", errors["both"][0]
    if after.refuses and not present and not (after.state == "unserved" and fixed):
        how = "accepts" if not before.refuses else "refuses"
        yield f"no error: the older server {how} the object, the newer one refuses it", None
    if before.refuses and not after.refuses and not fixed and mode == "both":
        yield "the newer server accepts what the older one refuses: not fixed", None


def _of_warnings(judged: Judged) -> Iterator[Contradiction]:
    """Where the warnings of servers are not those of ``check``."""
    texts = [
        {text.partition(": ")[0] for text in verdict.answer.warnings}
        for verdict in (judged.before, judged.after)
    ]
    both = judged.results["both"]
    warned = [
        item for item in both.differences if item.problem.rule == "server-warning"
    ]
    changes = {item.change for item in both.differences}
    kinds = {
        "warnings: the newer server alone warns, nothing is new": (
            bool(texts[1]) and not texts[0] and "new" not in changes
        ),
        "warnings: the older server alone warns, nothing is fixed": (
            bool(texts[0]) and not texts[1] and "fixed" not in changes
        ),
        "warnings: no server warns, check does": not any(texts) and bool(warned),
        "warnings: both servers warn, check says new or fixed": any(
            item.change != "both"
            and item.problem.message.partition(": ")[0] in texts[0] & texts[1]
            for item in warned
        ),
    }
    for kind, is_wrong in kinds.items():
        if is_wrong:
            detail = f"{texts} || {[(i.change, i.problem.message) for i in both.differences][:4]}"
            yield Contradiction("verdict", kind, judged.case.name, detail)


def _normal(path: str) -> str:
    return _INDEX.sub(r".\1", path).strip(".")
