"""The rules of a release: those that were known and are proven, and new ones."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from kubestencil.checking.paths import keys_of
from kubestencil.schema.knowledge.conditions import Combination
from kubestencil.schema.knowledge.fields import server_values
from specs.make.combinations.mine import candidates, refusals
from specs.make.combinations.parts import Corpus, Part, breaks
from specs.make.combinations.proofs import applies, verdict_on
from specs.make.progress import report

# In how many different parts a rule is proven that only the asking suggests.
_FEWEST_PROOFS = 2


class Proven(NamedTuple):
    """A rule that holds, and its proofs; none of a reviewed one."""

    rule: Combination
    proofs: Sequence[tuple[Part, Part]]

    def says_more_than(self, rules: Iterable[Combination]) -> bool:
        """Whether it refuses a part that it applies to, and that no other rule does."""
        others = [rule for rule in rules if rule != self.rule]
        return any(
            not any(breaks(rule, refused.value) for rule in others)
            for accepted, refused in self.proofs
            if applies(self.rule, accepted)
        )


def rules_of(
    corpus: Corpus,
    own: Sequence[Combination],
    others: Sequence[Combination],
    changed: Collection[str],
) -> Iterator[Proven]:
    """The rules that hold in a release: of those that are said to, its ``own``, and of
    ``others``, and of what is found in definitions that changed, those that say more.
    """
    for definition in sorted(corpus.release.definitions):
        found = [*refusals(corpus, definition)] if definition in changed else []
        said, known = (
            [rule for rule in rules if rule.definition == definition]
            for rules in (own, others)
        )
        held = [*_held(corpus, said)]
        new: list[Proven] = []
        for rule in (*known, *candidates(corpus, definition, found)):
            rules = [proven.rule for proven in (*held, *new)]
            if rule in known or any(
                breaks(rule, refusal.refused.value)
                and not any(breaks(other, refusal.refused.value) for other in rules)
                for refusal in found
            ):
                fewest = 1 if rule in known else _FEWEST_PROOFS
                holding = _proven(corpus, rule, fewest)
                new += [proven for proven in holding if proven.says_more_than(rules)]
        for proven in new[::-1]:
            if not proven.says_more_than(other.rule for other in (*held, *new)):
                new.remove(proven)
        for proven in new:
            _report("new", proven.rule)
        yield from (*held, *new)


def _held(corpus: Corpus, own: Iterable[Combination]) -> Iterator[Proven]:
    """Those of some rules that hold; says which do not."""
    for rule in own:
        verdict, is_reviewed = verdict_on(corpus, rule), rule.found == "reviewed"
        if verdict.disproof is not None:
            _report("disproved", rule, dict(verdict.disproof.value))
        elif verdict.proofs or is_reviewed:
            yield Proven(rule, verdict.proofs)
        if verdict.disproof is None and bool(verdict.proofs) == is_reviewed:
            _report("reviewed, but proven" if is_reviewed else "not proven", rule)


def _proven(corpus: Corpus, rule: Combination, fewest: int) -> Iterator[Proven]:
    """A rule with its proofs, where it has as many, and its condition matters."""
    always = rule._replace(condition=())
    if (rule.condition and corpus.disproof(always) is None) or _is_limit(corpus, rule):
        return
    verdict = verdict_on(corpus, rule)
    different = {
        (keys_of(part.path), json.dumps(part.value, sort_keys=True))
        for part, _ in verdict.proofs
    }
    if verdict.disproof is None and len(different) >= fewest:
        yield Proven(rule, verdict.proofs)


def _is_limit(corpus: Corpus, rule: Combination) -> bool:
    """Whether one of the fields is always required, as the limits say."""
    release, definition = corpus.release.name, rule.definition
    facts = (server_values(release, definition, field) for field in rule.fields)
    return rule.rule.endswith("one-of") and any(fact.required for fact in facts)


def _report(what: str, rule: Combination, *details: object) -> None:
    report(" ".join(map(str, (f"{what}:", *cells(rule), *details))))


def cells(rule: Combination) -> tuple[str, ...]:
    """The cells of a row of the table."""
    _, definition, condition, name, fields, found = rule
    return definition, " ".join(condition), name, " ".join(fields), found
