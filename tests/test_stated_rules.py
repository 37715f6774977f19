"""Rules that schemas of custom resources state, as examples follow them."""

from __future__ import annotations

import pytest

from kubestencil.schema.custom_resources.stated_rules import stated_rules
from kubestencil.schema.types import schema_of


@pytest.mark.parametrize(
    ("expression", "rules"),
    [
        ("!(has(self.cors) && self.type != 'CORS')", ["type!=CORS forbids cors"]),
        ("!(!has(self.cors) && self.type == 'CORS')", ["type=CORS needs cors"]),
        ('!has(self.a) || (has(self.b))', ["a needs b"]),
        ("!(has(self.a) && has(self.b))", [" at-most-one-of a b"]),
        (
            "(has(self.a) ? 1 : 0) + (has(self.b) ? 1 : 0) <= 1",
            [" at-most-one-of a b"],
        ),
        ("[has(self.a), has(self.b)].exists_one(x, x)", [" exactly-one-of a b"]),
        (
            "self.type == 'A' ? has(self.a) : !has(self.a)",
            ["type=A needs a", "type!=A forbids a"],
        ),
        (
            "(has(self.a) && size(self.a) > 0) || has(self.b)",
            [" at-least-one-of a b"],
        ),
        ("(size(self.g) == 0 && self.k == 'S') ? has(self.port) : true", [" needs port"]),
        ("self.low <= self.high", [" needs low high"]),
        ("self.all(x, x.matches('a'))", []),
        ("((((((", []),
    ],
)  # fmt: skip
def test_rules_in_cel_of_usual_forms_are_read(
    expression: str, rules: list[str]
) -> None:
    schema = schema_of({"x-kubernetes-validations": [{"rule": expression}]})
    found = stated_rules("Widget", schema)
    assert [
        f"{' '.join(row.condition)} {row.rule} {' '.join(row.fields)}" for row in found
    ] == rules


def test_choices_of_required_fields_are_read() -> None:
    branches = [{"required": ["a"]}, {"required": ["b"]}]
    none = {"not": {"anyOf": branches}}
    for schema, rule in (
        ({"oneOf": branches}, "exactly-one-of"),
        ({"oneOf": [none, *branches]}, "at-most-one-of"),
        ({"anyOf": branches}, "at-least-one-of"),
    ):
        (row,) = stated_rules("Widget", schema_of(schema))
        assert (row.rule, row.fields) == (rule, ("a", "b"))
