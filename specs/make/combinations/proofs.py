"""Asks whether rules about fields hold: objects that obey one are accepted, and refused
once they differ in its fields only, and do not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from kubestencil.schema.knowledge.conditions import Combination, is_set, parse_term
from specs.make.asking.pool import PROOFS as VALUE_PROOFS
from specs.make.asking.pool import Objects, seed_objects
from specs.make.combinations.parts import Changes, Corpus, Part, breaks
from specs.make.values.proofs import outside_of

#: The objects of proofs that no other file of tests has, one a line.
PROOFS = Path(__file__).parents[3] / "tests/combination_proofs.jsonl"

# In how many parts a rule is broken.
_MOST_PARTS = 16


class Verdict(NamedTuple):
    """What a server says of a rule: accepted parts, each with what was refused of it as it
    broke the rule, and one that was accepted though it breaks it."""

    proofs: Sequence[tuple[Part, Part]]
    disproof: Part | None


def verdict_on(corpus: Corpus, rule: Combination) -> Verdict:
    """Break a rule in various accepted parts: by its fields, and where it does not apply
    by those of its condition."""
    proofs: list[tuple[Part, Part]] = []
    disproof = corpus.disproof(rule)
    counts = Counter[bool]()
    for part in [] if disproof else corpus.various(rule.definition, 200):
        is_inside = applies(rule, part)
        changes = (
            breaking(corpus, rule, part.value) if is_inside else _entering(corpus, rule)
        )
        changed = [part.changed(change) for change in changes]
        broken = [other for other in changed if breaks(rule, other.value)]
        counts[is_inside] += bool(broken)
        if counts[is_inside] > _MOST_PARTS:
            continue
        for other, answer in zip(broken, corpus.ask(broken), strict=True):
            disproof = disproof or (other if answer.accepted else None)
            proofs += [(part, other)] * part.is_refused(answer)
    return Verdict(proofs, disproof)


def applies(rule: Combination, part: Part) -> bool:
    """Whether the condition of a rule holds for a part."""
    return all(parse_term(term).holds(part.value) for term in rule.condition)


def _entering(corpus: Corpus, rule: Combination) -> Iterator[Changes]:
    """Changes of the fields of a condition, one at a time."""
    for term in map(parse_term, rule.condition):
        if "." not in term.field:
            if corpus.is_optional(rule.definition, term.field):
                yield {term.field: None}
            for value in corpus.values(rule.definition, term.field):
                yield {term.field: value}


def breaking(
    corpus: Corpus, rule: Combination, given: Mapping[str, Any]
) -> Iterator[Changes]:
    """Changes of the fields of an object that break a rule, in no other field."""
    present = [name for name in rule.fields if is_set(given.get(name))]
    if rule.rule == "format":
        yield from _misformatted(rule, given)
    elif "." in rule.fields[0]:
        yield from _inside(rule, given)
    elif rule.rule == "needs":
        yield from ({name: None} for name in present)
    elif rule.rule in ("at-most", "at-least"):
        yield from _beyond(rule, given)
    else:
        if rule.rule == "forbids" or (present and rule.rule != "at-least-one-of"):
            for name in rule.fields:
                if name not in present:
                    for value in corpus.values(rule.definition, name):
                        yield {name: value}
        if rule.rule in ("exactly-one-of", "at-least-one-of") and present:
            yield dict.fromkeys(present)


def _inside(rule: Combination, given: Mapping[str, Any]) -> Iterator[Changes]:
    """The change of fields inside of another one."""
    outer = rule.fields[0].partition(".")[0]
    names = [name.partition(".")[2] for name in rule.fields]
    if part := given.get(outer):
        rest = {name: value for name, value in part.items() if name not in names}
        beyond = {names[0]: int(rule.fields[1]) + 1} if not names[-1] else {}
        yield {outer: {**rest, **beyond}}


def _misformatted(rule: Combination, given: Mapping[str, Any]) -> Iterator[Changes]:
    """Texts of other formats in the place of the first one of a field."""
    path, name = rule.fields
    outer, *steps = path.split(".")
    for probe in outside_of(name):
        yield {outer: _with_text(given.get(outer), steps, probe)}


def _with_text(value: Any, steps: Sequence[str], text: str) -> Any:
    """A value with another text at the names of ``steps``, in the first items of lists."""
    if isinstance(value, list):
        return [_with_text(item, steps, text) for item in value[:1]] + value[1:]
    if steps and isinstance(value, dict):
        name, *inner = steps
        return {**value, name: _with_text(value.get(name), inner, text)}
    return text


def _beyond(rule: Combination, given: Mapping[str, Any]) -> Iterator[Changes]:
    """The first amount on the wrong side of the second one."""
    second = given.get(rule.fields[1])
    if rule.fields[1].isdigit():
        second = int(rule.fields[1])
    if isinstance(second, int):
        yield {rule.fields[0]: second + (1 if rule.rule == "at-most" else -1)}
    elif isinstance(second, dict):
        yield {rule.fields[0]: dict.fromkeys(second, "1000000Gi")}


def proof_objects() -> Objects:
    """The objects that rules are proven with: those of other facts, and their own."""
    return seed_objects(proofs=(VALUE_PROOFS, PROOFS))
