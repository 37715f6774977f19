"""Finds rules that may hold between the fields of a definition: of accepted objects, one
field is changed, and where that is refused, another one, too."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from typing import NamedTuple

from kubestencil.schema.knowledge.conditions import Combination, is_set, parse_term
from kubestencil.source.releases import ReleaseRange
from specs.make.asking.objects import object_definition
from specs.make.combinations.parts import Changes, Corpus, Part

# How many parts of a definition are changed at a time, and how often.
_MOST_PARTS = 4
_TURNS = 2
# What is said of fields that cannot be there, whatever their value is.
_FORBIDDEN = re.compile(
    r"\b(?:(?:may|must|can|should) ?not|forbidden|exclusive|one of|only (?:one|be)"
    r"|more than|not supported|not allowed|simultaneously)\b",
    re.IGNORECASE,
)
_OF_KINDS = {"apiVersion", "kind", "metadata", "status"}

#: A condition, a rule and its fields.
Rule = tuple[tuple[str, ...], str, tuple[str, ...]]


class Refusal(NamedTuple):
    """A part that is refused with another value of a field, the messages, and the changes
    of others with which it is accepted; those of ``relieving`` end these causes."""

    part: Part
    field: str
    refused: Part
    messages: str
    repairs: Sequence[Changes]
    relieving: Sequence[Changes]


def refusals(corpus: Corpus, definition: str) -> Iterator[Refusal]:
    """What is refused of various parts of a definition."""
    done: list[Part] = []
    fields = [*corpus.release.definitions[definition].fields]
    for _ in range(_TURNS):
        various = corpus.various(definition, 2 * _TURNS * _MOST_PARTS)
        new = [part for part in various if part not in done][:_MOST_PARTS]
        done += new
        for part in new:
            changes = {
                field.name: [*corpus.changes(part, field)]
                for field in fields
                if part.path or field.name not in _OF_KINDS
            }
            # Where a field says which of the others is there, that is another one.
            objects = dict.fromkeys(
                field.name
                for field in fields
                if object_definition(corpus.release, field.schema)
                and not field.required
            )
            for name in changes:
                yield from _refusals(corpus, part, name, changes, objects)


def _refusals(
    corpus: Corpus,
    part: Part,
    name: str,
    changes: dict[str, list[Changes]],
    objects: Changes,
) -> Iterator[Refusal]:
    others = {field: choices for field, choices in changes.items() if field != name}
    answers = corpus.ask([part.changed(change) for change in changes[name]])
    was_set = is_set(part.value.get(name))
    if not was_set and not all(map(part.is_refused, answers)):
        return
    for change, answer in zip(changes[name], answers, strict=True):
        is_switch = was_set and change[name] is not None
        if is_switch and part.is_refused(answer):
            alone = {**objects, **change}
            arms = [
                arm for field in others if field in objects for arm in others[field]
            ]
            corpus.ask([part.changed({**alone, **arm}) for arm in ({}, *arms)])
        elif part.is_refused(answer) and (
            not was_set or corpus.is_optional(part.definition, name)
        ):
            beside = [other for choices in others.values() for other in choices]
            replies = corpus.ask(
                [part.changed({**other, **change}) for other in beside]
            )
            pairs = [*zip(beside, replies, strict=True)]
            causes = {cause[:2] for cause in answer.causes}
            yield Refusal(
                part,
                name,
                part.changed(change),
                " ".join(cause.message for cause in answer.causes),
                [other for other, reply in pairs if reply.accepted],
                [
                    other
                    for other, reply in pairs
                    if not causes <= {cause[:2] for cause in reply.causes}
                ],
            )


def candidates(
    corpus: Corpus, definition: str, found: Sequence[Refusal]
) -> list[Combination]:
    """The rules that refusals suggest, and no accepted part breaks; first those about
    most fields, and about values."""
    release = ReleaseRange(corpus.release.name)

    def possible(rules: Iterable[Rule]) -> list[Combination]:
        made = [Combination(release, definition, *rule) for rule in rules]
        known = [rule for rule in made if _is_known(corpus, rule)]
        return [rule for rule in known if corpus.disproof(rule) is None]

    suggested = {rule for refusal in found for rule in _suggestions(corpus, refusal)}
    rules = possible(sorted(suggested, key=_rank))
    pairs = {rule.fields for rule in rules if rule.rule == "at-most-one-of"}
    groups = possible(((), "at-most-one-of", group) for group in _groups(pairs))
    needed = {rule.fields for rule in rules if rule.rule == "at-least-one-of"}
    exactly = [
        rule._replace(rule="exactly-one-of") for rule in groups if rule.fields in needed
    ]
    return [*exactly, *groups, *rules]


def _rank(rule: Rule) -> tuple[bool, bool, int, Rule]:
    terms = " ".join(rule[0])
    return "=" not in terms, "!=" not in terms, -len(rule[2]), rule


def _is_known(corpus: Corpus, rule: Combination) -> bool:
    """Whether a server accepts each value that a rule may be about, in some part."""
    for term in map(parse_term, rule.condition):
        if term.operator == "!=":
            parts = corpus.parts[rule.definition]
            seen = {term.given(part.value) for part in parts if term.given(part.value)}
            if not seen.issuperset(corpus.enum(rule.definition, term.field)):
                return False
    return True


def _groups(pairs: Set[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """The largest groups of fields each of which excludes all others."""
    groups: set[tuple[str, ...]] = set()
    for pair in pairs:
        group = set(pair)
        for name in sorted({name for other in pairs for name in other}):
            if all(tuple(sorted((name, each))) in pairs for each in group - {name}):
                group.add(name)
        groups.add(tuple(sorted(group)))
    return sorted(groups, key=lambda group: (-len(group), group))


def _suggestions(corpus: Corpus, refusal: Refusal) -> Iterator[Rule]:
    part, name = refusal.part, refusal.field
    value = refusal.refused.value.get(name)
    rule = "needs" if value is None else "forbids"
    if value is not None and not _FORBIDDEN.search(refusal.messages):
        return
    repairs = dict(item for repair in refusal.repairs for item in repair.items())
    added = {
        other
        for repair in refusal.relieving
        for other in repair
        if not is_set(part.value.get(other))
    }
    for other, new in repairs.items():
        old = part.value.get(other)
        if not is_set(old):
            if value is not None:
                yield (name,), "needs", (other,)
        elif isinstance(old, bool):
            yield (f"{other}={str(old).lower()}",), rule, (name,)
        elif new is None and value is not None:
            yield (), "at-most-one-of", tuple(sorted((name, other)))
            if type(value) is int:
                yield (name, f"{name}!=0"), "forbids", (other,)
        elif new is None and not added:
            yield (other,), "needs", (name,)
    if value is None and not added.isdisjoint(repairs):
        yield (), "at-least-one-of", tuple(sorted({name, *added}))
    for other, old in part.value.items():
        values = corpus.enum(part.definition, other)
        if other != name and old in values:
            yield (f"{other}={old}",), rule, (name,)
            yield from (((f"{other}!={each}",), rule, (name,)) for each in values)
