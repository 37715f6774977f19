"""Facts about values as keywords of JSON Schema."""

from __future__ import annotations

from typing import Any

from kubestencil.schema import Schema
from kubestencil.schema.knowledge.values import FORMATS, FieldFacts
from kubestencil.schema.types import JsonObject

_LIMITS = {
    "min_length": "minLength",
    "max_length": "maxLength",
    "minimum": "minimum",
    "maximum": "maximum",
}


def fact_keywords(
    schema: Schema, facts: FieldFacts, proposed: tuple[str, ...], *, null: bool
) -> dict[str, Any]:
    """Facts of the values that a schema, which is no reference, allows; those about items
    and values are in theirs. ``proposed`` are values that may not be all, ``null`` says
    whether a value may be null."""
    if schema.items is not None:
        keywords = {"items": _scalar_keywords(facts, proposed, null=True)}
        return {**keywords, **_list_keywords(facts)}
    if schema.values is not None:
        inner = _scalar_keywords(facts, proposed, null=True)
        names = _pattern(facts.key_format)
        return {
            "additionalProperties": inner,
            **({"propertyNames": names} if names else {}),
        }
    return _scalar_keywords(facts, proposed, null=null)


def _scalar_keywords(
    facts: FieldFacts, proposed: tuple[str, ...], *, null: bool
) -> dict[str, Any]:
    """What is known of a text or a number."""
    keywords: dict[str, Any] = {
        keyword: getattr(facts, name)
        for name, keyword in _LIMITS.items()
        if getattr(facts, name) is not None
    }
    keywords |= _pattern(facts.format)
    if facts.enum:
        # An empty text is the same as none to the server.
        empty = [] if facts.min_length or facts.required else [""]
        absent = [*empty, *([None] if null else [])]
        keywords["enum"] = list(dict.fromkeys([*facts.enum, *absent]))
    elif proposed:
        keywords["examples"] = list(proposed)
    return keywords


def _list_keywords(facts: FieldFacts) -> dict[str, Any]:
    keywords: dict[str, Any] = {}
    if facts.required:
        keywords["minItems"] = 1
    if facts.max_items is not None:
        keywords["maxItems"] = facts.max_items
    if facts.unique == ("",):
        keywords["uniqueItems"] = True
    return keywords


def _pattern(name: str | None) -> JsonObject:
    """The expression of a format, or an empty text, which is no matter of a format."""
    expression = FORMATS[name].expression if name is not None else ""
    return {"pattern": f"^(?:{expression})?$"} if expression else {}
