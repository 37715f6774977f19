"""What the reason of a change says beside that of its rule: what is known of this one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from kubestencil.diff.differences.definitions import Difference
from kubestencil.diff.labels import removal
from kubestencil.diff.releases.descriptions import (
    StatedNumbers,
    changed_defaults,
    changed_limits,
)
from kubestencil.diff.releases.stages import StageChange
from kubestencil.diff.rules.deprecation import Deprecation
from kubestencil.diff.rules.lifecycle_conditions import new_text, old_text, served_kind
from kubestencil.schema.facts.combinations import combination_rows
from kubestencil.schema.facts.formats import FORMATS
from kubestencil.schema.facts.lifecycle import unreadable_kinds
from kubestencil.schema.well_known import is_built_in

_DEFAULTS = {True: "enabled by default", False: "disabled by default"}


class JudgedDifference(NamedTuple):
    """A difference with the stages of its field or kind, None where neither is known,
    and when it was deprecated."""

    difference: Difference
    stage: StageChange | None
    deprecation: Deprecation


#: One or two sentences on a difference, empty where nothing is known.
Detail = Callable[[JudgedDifference], str]


def nothing(_: JudgedDifference) -> str:
    """The reason of the rule says it all."""
    return ""


def deprecation(judged: JudgedDifference) -> str:
    """When something is deprecated and removed, and what replaces it."""
    return " ".join(_deprecation_sentences(judged.deprecation))


def removed_version(judged: JudgedDifference) -> str:
    """What ``deprecation`` says, and of a kind what to do with stored objects."""
    text = deprecation(judged)
    if judged.difference.change != "kind-removed":
        return text
    if not is_built_in(judged.difference.definition):
        stored = (
            "The API server refuses the CustomResourceDefinition while its "
            "status.storedVersions names the version: migrate stored objects first."
        )
    elif served_kind(judged.difference) in unreadable_kinds():
        stored = (
            "The newer API server cannot read objects that are stored in this version: "
            "delete or migrate them first."
        )
    else:
        return text
    return f"{text} {stored}".lstrip()


def _deprecation_sentences(known: Deprecation) -> Iterator[str]:
    if known.deprecated_in:
        yield f"Deprecated in {known.deprecated_in}."
    if known.removed_in:
        yield f"{removal(known.removed_in).capitalize()}."
    if known.replacement:
        yield f"Use {known.replacement}."


def replacement(judged: JudgedDifference) -> str:
    """What replaces something."""
    other = judged.deprecation.replacement
    return f"Use {other}." if other else ""


def alternatives(judged: JudgedDifference) -> str:
    """The fields of which the API server needs one, where a field that became optional
    is among them."""
    difference = judged.difference
    for row in combination_rows():
        if (
            row.definition == difference.definition
            and difference.field in row.fields
            and row.rule in ("exactly-one-of", "at-least-one-of")
            and not row.condition
        ):
            return f"It needs {' or '.join(row.fields)}."
    return ""


def limits(judged: JudgedDifference) -> str:
    """The limits that only one of two descriptions states."""
    return f"Limits {_numbers(changed_limits, judged)}."


def defaults(judged: JudgedDifference) -> str:
    """The defaults that only one of two descriptions states."""
    return f"Defaults {_numbers(changed_defaults, judged)}."


def enum_values(judged: JudgedDifference) -> str:
    """The allowed values that only one of two lists has."""
    before, after = (
        list(map(_value, values or ())) for values in judged.difference.values
    )
    if not before or not after:
        return ""
    removed = [value for value in before if value not in after]
    added = [value for value in after if value not in before]
    lists = (("Values removed", removed), ("Values added", added))
    return " ".join(
        f"{words}: {', '.join(values)}." for words, values in lists if values
    )


def text_formats(judged: JudgedDifference) -> str:
    """What texts are accepted, before and after."""
    before, after = (FORMATS[name].meaning for name in judged.difference.values)
    return f"Before: {before}; now: {after}."


def stages(judged: JudgedDifference) -> str:
    """The stages of a field or kind: "From alpha to beta, feature gate Name."."""
    known = [stage for stage in judged.stage or () if stage is not None]
    if not known:
        return ""
    words = [stage.in_words(_DEFAULTS) for stage in known]
    gate = next((stage.gate for stage in reversed(known) if stage.gate), None)
    return f"From {' to '.join(words)}{f', feature gate {gate}' if gate else ''}."


def _value(value: Any) -> str:
    return value if value and isinstance(value, str) else json.dumps(value)


def _numbers(
    changed: Callable[[str, str], StatedNumbers], judged: JudgedDifference
) -> str:
    before, after = changed(old_text(judged.difference), new_text(judged.difference))
    parts = (("no longer stated", before), ("stated now", after))
    return "; ".join(f"{verb}: {', '.join(words)}" for verb, words in parts if words)
