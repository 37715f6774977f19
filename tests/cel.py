"""The CEL rules of CustomResourceDefinitions, and what a server says that break them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


def cel_rules(schema: Any) -> Iterator[Mapping[str, Any]]:
    """The CEL rules at any depth of a schema."""
    if isinstance(schema, list):
        for item in schema:
            yield from cel_rules(item)
    elif isinstance(schema, dict):
        rules = schema.get("x-kubernetes-validations")
        if isinstance(rules, list):  # Else it is a field of that name.
            yield from rules
        for inner in schema.values():
            yield from cel_rules(inner)


def is_failure(rule: Mapping[str, Any], message: str) -> bool:
    """Whether the message of the server is that of a rule. A message that is itself an
    expression cannot be compared."""
    if "messageExpression" in rule:
        return True
    return str(rule.get("message") or rule["rule"]).strip() in message
