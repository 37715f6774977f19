"""Templates decide nothing: what is asked of a value is an attribute of it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

import jinja2
from jinja2 import nodes

from tests.conftest import ROOT

TEMPLATES = ROOT / "templates"
# A value that an attribute is of: field.nullable and schema.nullable are one question.
_OWNER = re.compile(r"(?<=Getattr\(node=)Name\(name='\w+'")


def conditions() -> Iterator[tuple[str, nodes.Node]]:
    """Each condition in the templates, with the place that it is at."""
    for path in sorted(TEMPLATES.rglob("*.j2")):
        syntax = jinja2.Environment().parse(path.read_text())
        for node in syntax.find_all((nodes.If, nodes.CondExpr, nodes.For)):
            assert isinstance(node, (nodes.If, nodes.CondExpr, nodes.For))
            if node.test is not None:
                name = path.relative_to(TEMPLATES)
                yield f"{name}:{node.lineno}", node.test


def terms(condition: nodes.Node) -> int:
    """The number of questions that ``and`` and ``or`` join."""
    if isinstance(condition, nodes.Not):
        return terms(condition.node)
    if isinstance(condition, (nodes.And, nodes.Or)):
        return terms(condition.left) + terms(condition.right)
    return 1


def is_name(condition: nodes.Node) -> bool:
    """Whether a condition is a variable or an attribute, whether there is one, or the
    opposite of either."""
    if isinstance(condition, nodes.Test) and condition.name in ("none", "defined"):
        condition = condition.node
    while isinstance(condition, (nodes.Not, nodes.Getattr)):
        condition = condition.node
    return isinstance(condition, nodes.Name)


def test_no_condition_of_a_template_has_more_than_two_terms() -> None:
    assert [where for where, test in conditions() if terms(test) > 2] == []


def test_no_condition_stands_in_two_targets() -> None:
    places: dict[str, set[str]] = defaultdict(set)
    for where, test in conditions():
        if not is_name(test):
            places[_OWNER.sub("Name(name='_'", repr(test))].add(where)
    repeated = [
        sorted(where)
        for where in places.values()
        if len({place.partition("/")[0] for place in where}) > 1
    ]
    assert repeated == []
