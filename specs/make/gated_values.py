"""Finds what feature gates make an API server accept, by asking its own code.

``python -m specs.make.gated_values 1.37=PROGRAM`` asks about the values on the wrong side
of the borders of the tables ``enums`` and ``limits``, and about changes of fields, with all
gates of the API server on. What is accepted then, or may have more values, and is not as
gates are by default, is printed with the gate that makes it so: candidates of
``specs/gated-values.tsv``. It is not all: a gate whose fields or values no object has
stays unseen.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from kubestencil.schema import parse
from kubestencil.schema.kinds import definitions_of_kinds
from kubestencil.schema.knowledge.gates import gate_in, gates
from kubestencil.schema.knowledge.places import field_at
from kubestencil.schema.knowledge.values import fact_rows
from kubestencil.schema.types import Release
from kubestencil.source import locate
from kubestencil.validator.process import Validator
from kubestencil.validator.protocol import Answer, Request
from specs.make.values.immutable_fields import all_changes
from specs.make.values.pool import accepted_objects, seed_objects
from specs.make.values.proofs import Limit, Occurrences, proof_of_limit

#: Whether an object is accepted, and which values would be.
_Outcome = tuple[bool, frozenset[str]]


class _Question(NamedTuple):
    """What is asked about a field: a request that is refused by default."""

    definition: str
    field: str
    accepts: str
    request: Request


def _outcome(answer: Answer) -> _Outcome | None:
    """What an answer says; None where gates cannot be set together: others depend on one
    that is off."""
    if answer.code == 400:
        return None
    messages = (cause.message for cause in answer.causes)
    return answer.accepted, frozenset(m for m in messages if "supported values" in m)


def main(arguments: Sequence[str]) -> None:
    """Print what gates make the programs of releases accept."""
    for argument in arguments:
        name, _, program = argument.partition("=")
        with Validator(Path(program)) as validator:
            questions = [*_questions(parse(locate(name, None)), validator)]
            for question, gates in _gated(name, validator, questions):
                cells = question.definition, question.field, question.accepts
                print(name, gates, *cells, sep="\t", flush=True)


def _questions(release: Release, validator: Validator) -> Iterator[_Question]:
    objects = accepted_objects(release, validator, seed_objects())
    names = definitions_of_kinds(release)
    occurrences = Occurrences(release, objects)
    for row in fact_rows():
        if row.releases.includes(release.name) and row.found == "asked":
            proof = proof_of_limit(validator, occurrences, Limit.of(row))
            if proof is not None and proof.pair.outside is not None:
                request = Request("create", proof.pair.outside)
                yield _Question(row.definition, row.field, "values", request)
    for kind, path, old, new, *_ in all_changes(release, [validator], objects):
        if field_of_kind := field_at(release, names[kind], path):
            yield _Question(*field_of_kind, "changes", Request("update", new, old=old))


def _gated(
    release: str, validator: Validator, questions: Sequence[_Question]
) -> Iterator[tuple[_Question, str]]:
    """The questions that are answered otherwise with gates on, each field once, with the
    gates without which they are not."""
    gates = dict.fromkeys(_settable(release, validator), True)
    usual = _asked(validator, questions, {})
    all_on = _asked(validator, questions, gates)
    seen = set()
    for question, before, after in zip(questions, usual, all_on, strict=True):
        if not before or not after or before[0] or before == after:
            continue
        if question[:3] in seen:
            continue
        seen.add(question[:3])
        needed = (
            gate
            for gate in gates
            for found in _asked(validator, [question], {**gates, gate: False})
            if found not in (None, after)
        )
        yield question, " ".join(needed)


def _settable(release: str, validator: Validator) -> Iterator[str]:
    """The gates of the API server that can be set, those that only others ask for, too:
    some depend on these."""
    metadata = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}
    for gate in gates():
        stage = gate_in(gate, release)
        if stage is not None and not stage.locked:
            request = Request("create", metadata, feature_gates={gate: True})
            (answer,) = validator.ask([request])
            if "has no feature gate" not in answer.message:
                yield gate


def _asked(
    validator: Validator, questions: Iterable[_Question], gates: Mapping[str, bool]
) -> Iterator[_Outcome | None]:
    requests = (
        replace(question.request, feature_gates=gates) for question in questions
    )
    return map(_outcome, validator.ask(requests))


main(sys.argv[1:])
