"""Values at places of an object: what its facts name where another value is not accepted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kubestencil.schema.knowledge.values import FORMATS, FieldFacts
from kubestencil.targets.examples.objects import Object, values_at


def put_at_places(obj: Object, places: Mapping[str, FieldFacts]) -> None:
    """Change an object to have accepted values at some paths, in all items of the lists on
    the way and at their ends."""
    for path, facts in places.items():
        *outer, name = path.split(".")
        for holder in values_at(obj, outer):
            if not isinstance(holder, dict):
                continue
            if name in holder:
                holder[name] = _accepted(holder[name], facts)
            elif facts.required and (text := accepted_text(facts)):
                holder[name] = text


def _accepted(value: Any, facts: FieldFacts) -> Any:
    """The value at a place, or where it is not accepted, one that the facts name."""
    if isinstance(value, list):
        return [_accepted(item, facts) for item in value]
    is_wrong = isinstance(value, str) and not _accepts(facts, value)
    return accepted_text(facts) if is_wrong else value


def _accepts(facts: FieldFacts, text: str) -> bool:
    if facts.enum:
        return text in facts.enum
    return facts.format is None or FORMATS[facts.format].accepts(text)


def default_first(facts: FieldFacts) -> list[str]:
    """The allowed values of a field, beginning with its default."""
    default = facts.default.value if facts.default else None
    return sorted(facts.enum, key=lambda value: value != default)


def accepted_text(facts: FieldFacts) -> str:
    """The text of a field that has a format or an enum; empty for any other one."""
    if facts.enum:
        return default_first(facts)[0]
    return FORMATS[facts.format].example if facts.format else ""
