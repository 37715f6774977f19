"""Rules about fields of one object are found by asking; those that a server breaks are
not."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, cast

from kubestencil.schema import parse
from kubestencil.schema.knowledge.conditions import Combination
from kubestencil.schema.types import group_version_kind
from kubestencil.source import Source
from kubestencil.source.releases import ReleaseRange
from kubestencil.validator.process import Validator
from kubestencil.validator.protocol import Answer, Cause, Request
from specs.make.combinations.parts import Corpus
from specs.make.combinations.rules import rules_of

_SPEC = "io.example.v1.ThingSpec"
_DOCUMENT = {
    "swagger": "2.0",
    "info": {"title": "Kubernetes", "version": "v1.99.0"},
    "paths": {},
    "definitions": {
        "io.example.v1.Thing": {
            "type": "object",
            "properties": {
                "apiVersion": {"type": "string"},
                "kind": {"type": "string"},
                "spec": {"$ref": f"#/definitions/{_SPEC}"},
            },
            "x-kubernetes-group-version-kind": [
                {"group": "example.io", "version": "v1", "kind": "Thing"}
            ],
        },
        _SPEC: {
            "type": "object",
            "properties": {name: {"type": "string"} for name in "abcde"},
        },
    },
}


class _Server:
    """Needs one of a and b, and d beside c."""

    def ask(self, requests: Iterable[Request]) -> Iterator[Answer]:
        for request in requests:
            assert request.object is not None
            spec = request.object["spec"]
            causes = []
            if ("a" in spec) + ("b" in spec) != 1:
                causes.append(Cause("", "spec", "exactly one of a, b is required"))
            if "c" in spec and "d" not in spec:
                causes.append(Cause("FieldValueRequired", "spec.d", "Required value"))
            yield Answer(422 if causes else 201, causes=tuple(causes))


def _rule(condition: str, name: str, fields: str) -> Combination:
    terms = tuple(condition.split())
    return Combination(ReleaseRange("1.99"), _SPEC, terms, name, tuple(fields.split()))


def _found(*own: Combination) -> set[Combination]:
    release = parse(Source("1.99", "-", json.dumps(_DOCUMENT).encode()))
    specs: list[dict[str, Any]] = [
        {"a": "1"},
        {"b": "1", "e": "1"},
        {"a": "2", "d": "1"},
    ]
    kind = group_version_kind("example.io/v1", "Thing")
    objects = [
        {"apiVersion": "example.io/v1", "kind": "Thing", "spec": spec}
        for spec in (*specs, {"b": "2", "c": "1", "d": "2"})
    ]
    corpus = Corpus(release, cast(Validator, _Server()), {kind: objects})
    return {each.rule for each in rules_of(corpus, own, [], {_SPEC})}


_RULES = {_rule("", "exactly-one-of", "a b"), _rule("c", "needs", "d")}


def test_rules_are_found_by_asking() -> None:
    assert _found() == _RULES


def test_a_known_rule_is_dropped_once_a_server_breaks_it() -> None:
    known = _rule("a", "forbids", "b")
    assert _found(known, _rule("", "at-most-one-of", "a e")) == {known, *_RULES}
