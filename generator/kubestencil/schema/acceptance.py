"""Decides whether a schema accepts everything that another one accepts.

The answer is that of a comparison keyword by keyword: yes only where each keyword shows
it. Values are those of Kubernetes: fields that a schema does not list are dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from kubestencil.schema.equality import DOCUMENTATION, json_equal
from kubestencil.schema.keywords import CONTENT, PRESERVE, VALIDATIONS

# Takes the values of a keyword before and after; None where it was absent before.
_Comparison = Callable[[Any, Any], object]


def is_looser(before: Any, after: Any) -> bool:
    """Whether the schema ``after`` accepts every value that ``before`` accepts."""
    if not isinstance(before, Mapping) or not isinstance(after, Mapping):
        return json_equal(before, after)
    return all(
        is_looser_keyword(keyword, before.get(keyword), after.get(keyword))
        for keyword in before.keys() | after.keys()
    )


def is_looser_keyword(keyword: str, before: Any, after: Any) -> bool:
    """Whether a keyword accepts everything that it accepted; None is no keyword."""
    if keyword in DOCUMENTATION or keyword == "default" or json_equal(before, after):
        return True
    if keyword in _PERMISSIONS:
        return bool(after)
    comparison = _CONSTRAINTS.get(keyword)
    try:
        return comparison is not None and (
            after is None or bool(comparison(before, after))
        )
    except (AttributeError, TypeError):
        # The schemas in allOf, anyOf, oneOf and not are not checked by the reader of
        # OpenAPI documents.
        return False


def _has_all_values(before: Any, after: Any) -> bool:
    return before is not None and all(
        any(json_equal(value, other) for other in after) for value in before
    )


def _are_fields_looser(before: Any, after: Any) -> bool:
    """Whether no field of a branch of allOf, … is constrained more than before."""
    old = before or {}
    return all(
        name in old and is_looser(old[name], schema) for name, schema in after.items()
    )


def _is_any_of_looser(before: Any, after: Any) -> bool:
    return before is not None and all(
        any(is_looser(old, new) for new in after) for old in before
    )


def _has_no_other_rules(before: Any, after: Any) -> bool:
    rules = [rule.get("rule") for rule in before or ()]
    return all(rule.get("rule") in rules for rule in after)


# What accepts more where it is set.
_PERMISSIONS = frozenset({"nullable", "x-nullable", PRESERVE})
# What accepts more where it is absent.
_CONSTRAINTS: Mapping[str, _Comparison] = {
    **dict.fromkeys(
        ("maximum", "maxLength", "maxItems", "maxProperties"),
        lambda before, after: before is not None and after >= before,
    ),
    # Of lengths and numbers of items, 0 is no bound.
    **dict.fromkeys(
        ("minLength", "minItems", "minProperties"),
        lambda before, after: after <= (before or 0),
    ),
    **dict.fromkeys(
        ("exclusiveMaximum", "exclusiveMinimum", "uniqueItems"),
        lambda _, after: not after,
    ),
    **dict.fromkeys(("pattern", "oneOf"), lambda _, __: False),
    **dict.fromkeys(
        CONTENT,
        lambda before, after: after is True
        or (isinstance(before, Mapping) and is_looser(before, after)),
    ),
    "minimum": lambda before, after: before is not None and after <= before,
    "multipleOf": lambda before, after: before is not None
    and after
    and before % after == 0,
    "enum": _has_all_values,
    "required": lambda before, after: set(after) <= set(before or ()),
    "properties": _are_fields_looser,
    "allOf": lambda before, after: all(
        any(is_looser(old, new) for old in before or ()) for new in after
    ),
    "anyOf": _is_any_of_looser,
    "not": lambda before, after: before is not None and is_looser(after, before),
    VALIDATIONS: _has_no_other_rules,
}
