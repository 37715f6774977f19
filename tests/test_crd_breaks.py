"""Changes of CustomResourceDefinitions, in both directions: what the API server's code no
longer accepts or keeps is breaking in the report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from kubestencil.validator.process import Validator
from kubestencil.validator.protocol import Request
from tests.conftest import Command
from tests.test_crd import WIDGET
from tests.validators import built_validator

Json = Any
RULE = "x-kubernetes-validations"
KEEP = "x-kubernetes-preserve-unknown-fields"
LIST_TYPE = "x-kubernetes-list-type"


class Case(NamedTuple):
    """Two schemas of a field, with a value that each accepts."""

    before: Json
    after: Json
    value: Json
    value_after: Json


def string(**more: Json) -> Json:
    return {"type": "string", **more}


def integer(**more: Json) -> Json:
    return {"type": "integer", **more}


def obj(required: str = "", **fields: Json) -> Json:
    schema: Json = {"type": "object", "properties": fields}
    return schema | ({"required": required.split()} if required else {})


def items(schema: Json, **more: Json) -> Json:
    return {"type": "array", "items": schema, **more}


def values(schema: Json, **more: Json) -> Json:
    return {"type": "object", "additionalProperties": schema, **more}


def keyed(*keys: str) -> Json:
    item = obj(" ".join(keys), name=STRING, port=INTEGER)
    return items(item, **{LIST_TYPE: "map", "x-kubernetes-list-map-keys": [*keys]})


def with_rule(rule: str, schema: Json, **more: Json) -> Json:
    return {**schema, RULE: [{"rule": rule, **more}]}


STRING, INTEGER = string(), integer()
A_AND_B = {"a": STRING, "b": STRING}
PAIR = obj(**A_AND_B)
OPEN = {"type": "object", KEEP: True}
EMBEDDED = {**OPEN, "x-kubernetes-embedded-resource": True}
OBJECT = {"apiVersion": "v1", "kind": "A", "metadata": {"name": "a"}}
PORTS = [{"name": "a", "port": 1}]
A, B = {"required": ["a"]}, {"required": ["b"]}
X, Y, BOTH = {"a": "x"}, {"b": "x"}, {"a": "x", "b": "x"}
TWO_TO_FIVE = integer(minimum=2, maximum=5)
CASES: dict[str, Case] = {
    "type": Case(STRING, INTEGER, "a", 1),
    "number": Case(INTEGER, {"type": "number"}, 1, 1.5),
    "int-or-string": Case(INTEGER, {"x-kubernetes-int-or-string": True}, 1, "a"),
    "int32": Case(integer(format="int64"), integer(format="int32"), 2**40, 1),
    "format": Case(STRING, string(format="date"), "a", "2020-01-01"),
    "other-format": Case(string(format="ipv4"), string(format="ipv6"), "10.0.0.1", "::1"),
    "unknown-format": Case(string(format="unknown"), STRING, "a", "b"),
    "maximum": Case(integer(maximum=5), integer(maximum=3), 5, 3),
    "minimum": Case(integer(minimum=0), integer(minimum=1), 0, 1),
    "bounds-swapped": Case(TWO_TO_FIVE, integer(minimum=3, maximum=9), 2, 9),
    "exclusive": Case(integer(maximum=5), integer(maximum=5, exclusiveMaximum=True), 5, 4),
    "exclusive-minimum": Case(integer(minimum=5, exclusiveMinimum=True), integer(minimum=5), 6, 5),
    "multiple": Case(integer(multipleOf=2), integer(multipleOf=4), 2, 4),
    "max-length": Case(string(maxLength=5), string(maxLength=2), "abcd", "a"),
    "min-length": Case(STRING, string(minLength=1), "", "a"),
    "pattern": Case(STRING, string(pattern="^a$"), "b", "a"),
    "other-pattern": Case(string(pattern="^b$"), string(pattern="^a$"), "b", "a"),
    "enum-shrinks": Case(string(enum=["a", "b"]), string(enum=["a"]), "b", "a"),
    "enum-replaced": Case(string(enum=["a", "b"]), string(enum=["a", "c"]), "b", "c"),
    "enum-appears": Case(STRING, string(enum=["a"]), "b", "a"),
    "enum-order": Case(string(enum=["a", "b"]), string(enum=["b", "a"]), "b", "a"),
    "nullable": Case(string(nullable=True), STRING, None, "a"),
    "required": Case(PAIR, obj("a", **A_AND_B), Y, X),
    "required-with-default": Case(PAIR, obj("a", a=string(default="x"), b=STRING), Y, X),
    "field-removed": Case(PAIR, obj(a=STRING), Y, X),
    "field-renamed": Case(obj(a=STRING), obj(b=STRING), X, Y),
    "field-moved-in": Case(obj(a=STRING), obj(c=obj(a=STRING)), X, {"c": X}),
    "field-kept-unlisted": Case(PAIR, {**obj(a=STRING), KEEP: True}, Y, {"a": "x", "c": 1}),
    "object-to-map": Case(PAIR, values(STRING), X, {"c": "x"}),
    "map-values": Case(values(STRING), values(INTEGER), X, {"a": 1}),
    "map-value-limit": Case(values(STRING), values(string(maxLength=1)), {"a": "xx"}, X),
    "items": Case(items(STRING), items(INTEGER), ["a"], [1]),
    "item-limit": Case(items(STRING), items(string(minLength=1)), [""], ["a"]),
    "item-field": Case(items(PAIR), items(obj(a=STRING)), [Y], [X]),
    "item-required": Case(items(PAIR), items(obj("a", **A_AND_B)), [Y], [X]),
    "max-items": Case(items(STRING), items(STRING, maxItems=1), ["a", "b"], ["a"]),
    "min-items": Case(items(STRING), items(STRING, minItems=1), [], ["a"]),
    "max-properties": Case(values(STRING), values(STRING, maxProperties=1), BOTH, {}),
    "min-properties": Case(values(STRING), values(STRING, minProperties=1), {}, X),
    "set": Case(items(STRING), items(STRING, **{LIST_TYPE: "set"}), ["a", "a"], ["a"]),
    "list-map": Case(items(keyed("name")["items"]), keyed("name"), [{"name": "a"}] * 2, [{"name": "a"}]),
    "list-map-key": Case(
        {**keyed("name", "port"), "x-kubernetes-list-map-keys": ["name"]},
        keyed("name", "port"),
        PORTS,
        [*PORTS, {"name": "a", "port": 2}],
    ),
    "rule": Case(INTEGER, with_rule("self < 5", INTEGER), 5, 4),
    "rule-tightened": Case(with_rule("self < 5", INTEGER), with_rule("self < 3", INTEGER), 4, 2),
    "rule-of-object": Case(PAIR, with_rule("has(self.a) != has(self.b)", PAIR), BOTH, X),
    "rule-message": Case(
        with_rule("self < 5", INTEGER, message="a"),
        with_rule("self < 5", INTEGER, message="b"),
        4,
        4,
    ),
    "all-of": Case(STRING, string(allOf=[{"minLength": 2}]), "a", "ab"),
    "any-of": Case({**PAIR, "anyOf": [A, B]}, {**PAIR, "anyOf": [A]}, Y, X),
    "one-of": Case(PAIR, {**PAIR, "oneOf": [A, B]}, BOTH, X),
    "not": Case(STRING, {**STRING, "not": {"enum": ["a"]}}, "a", "b"),
    "keeps-unknown": Case({**obj(a=STRING), KEEP: True}, obj(a=STRING), {"c": 1}, X),
    "keeps-nothing-nested": Case(OPEN, obj(a=STRING), {"c": {"d": 1}}, X),
    "embedded": Case(OPEN, EMBEDDED, {"c": 1}, OBJECT),
    "description": Case(STRING, string(description="A text."), "a", "a"),
    "title": Case(string(title="a"), string(title="b"), "a", "a"),
}  # fmt: skip
#: Breaking in the report, though a server accepts the object: clients read other numbers
#: (int32), null is dropped here and refused in lists, patches mean other items, a server
#: knows few formats, and what an expression or a map of any names accepts is not worked
#: out.
CAUTIOUS = {
    ("int32", "forward"),
    ("nullable", "forward"),
    ("list-map-key", "forward"),
    ("unknown-format", "backward"),
    ("rule-tightened", "backward"),
    ("object-to-map", "forward"),
    ("field-kept-unlisted", "forward"),
    ("embedded", "backward"),
}
PAIRS = [(name, way) for name in CASES for way in ("forward", "backward")]
# Each pair installs two definitions in a server, which takes seconds: every tenth in each
# run.
PAIRS_OF_EACH_RUN = [
    pair if i % 10 == 0 else pytest.param(*pair, marks=pytest.mark.nightly)
    for i, pair in enumerate(PAIRS)
]


def crd(schema: Json) -> Json:
    document = json.loads(json.dumps(WIDGET))
    version = document["spec"]["versions"][0]
    document["spec"]["versions"] = [version]
    spec = obj(field=schema, other=STRING)
    version["schema"]["openAPIV3Schema"] = obj(spec=spec)
    document["spec"]["names"] = {
        **{"plural": "widgets", "singular": "widget"},
        **{"kind": "Widget", "listKind": "WidgetList"},
    }
    return document


def stored(schema: Json, value: Json) -> str | None:
    """What a server with a schema keeps of a value, as text; None where it refuses it."""
    widget = {
        "apiVersion": "example.com/v1",
        "kind": "Widget",
        "metadata": {"name": "a", "namespace": "a"},
        "spec": {"field": value},
    }
    program = built_validator("1.35.0")
    with Validator(program, definitions=[crd(schema)]) as validator:
        created, pruned = validator.ask(
            [Request("create", widget), Request("default", widget)]
        )
    assert created.code in (201, 400, 422), created
    if created.code != 201:
        return None
    assert pruned.object is not None, pruned
    return json.dumps(pruned.object["spec"].get("field"), sort_keys=True)


def breaks(before: Json, after: Json, value: Json) -> bool:
    """Whether a value that a server accepts is refused, or loses something, later."""
    old, new = stored(before, value), stored(after, value)
    assert old is not None
    return new is None or not _has_all(json.loads(new), json.loads(old))


def _has_all(value: Json, former: Json) -> bool:
    """Whether a value has all that another one has; defaults may be more."""
    if isinstance(value, dict) and isinstance(former, dict):
        return all(
            name in value and _has_all(value[name], inner)
            for name, inner in former.items()
        )
    if isinstance(value, list) and isinstance(former, list):
        return len(value) == len(former) and all(map(_has_all, value, former))
    return bool(value == former)


@pytest.mark.server
@pytest.mark.parametrize(("name", "way"), PAIRS_OF_EACH_RUN)
def test_what_breaks_objects_is_breaking(
    run: Command, tmp_path: Path, name: str, way: str
) -> None:
    before, after, given, given_after = CASES[name]
    if way == "backward":
        before, after, given = after, before, given_after
    for file, schema in (("a.json", before), ("b.json", after)):
        (tmp_path / file).write_text(json.dumps(crd(schema)))
    result = run("diff", "a.json", "b.json", "--audience", "apply", "-f", "json")
    found = {change["severity"] for change in json.loads(result.stdout)["changes"]}
    if breaks(before, after, given):
        assert "breaking" in found
        assert (name, way) not in CAUTIOUS
    else:
        assert ("breaking" in found) is ((name, way) in CAUTIOUS)
