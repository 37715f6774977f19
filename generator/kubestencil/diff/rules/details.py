"""What the reason of a change says beside that of its rule: what is known of this one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

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

#: One or two sentences on a difference, empty where nothing is known.
Detail = Callable[[Difference, StageChange | None, Deprecation], str]


def nothing(_: Difference, __: StageChange | None, ___: Deprecation) -> str:
    """The reason of the rule says it all."""
    return ""


def deprecation(_: Difference, __: StageChange | None, known: Deprecation) -> str:
    """When something is deprecated and removed, and what replaces it."""
    return " ".join(_deprecation_sentences(known))


def removed_version(
    difference: Difference, stages_: StageChange | None, known: Deprecation
) -> str:
    """What ``deprecation`` says, and of a kind what to do with stored objects."""
    text = deprecation(difference, stages_, known)
    if difference.change != "kind-removed":
        return text
    if is_built_in(difference.definition):
        if served_kind(difference) not in unreadable_kinds():
            return text
        return (
            f"{text} The newer API server cannot read objects that are stored in this "
            "version: delete or migrate them first."
        ).lstrip()
    return (
        f"{text} The API server refuses the CustomResourceDefinition while its "
        "status.storedVersions names the version: migrate stored objects first."
    ).lstrip()


def _deprecation_sentences(known: Deprecation) -> Iterator[str]:
    if known.deprecated_in:
        yield f"Deprecated in {known.deprecated_in}."
    if known.removed_in:
        yield f"{removal(known.removed_in).capitalize()}."
    if known.replacement:
        yield f"Use {known.replacement}."


def replacement(_: Difference, __: StageChange | None, known: Deprecation) -> str:
    """What replaces something."""
    return f"Use {known.replacement}." if known.replacement else ""


def alternatives(difference: Difference, _: StageChange | None, __: Deprecation) -> str:
    """The fields of which the API server needs one, where a field that became optional
    is among them."""
    for row in combination_rows():
        if (
            row.definition == difference.definition
            and difference.field in row.fields
            and row.rule in ("exactly-one-of", "at-least-one-of")
            and not row.condition
        ):
            return f"It needs {' or '.join(row.fields)}."
    return ""


def limits(difference: Difference, _: StageChange | None, __: Deprecation) -> str:
    """The limits that only one of two descriptions states."""
    numbers = changed_limits(old_text(difference), new_text(difference))
    return f"Limits {_numbers(numbers)}."


def defaults(difference: Difference, _: StageChange | None, __: Deprecation) -> str:
    """The defaults that only one of two descriptions states."""
    numbers = changed_defaults(old_text(difference), new_text(difference))
    return f"Defaults {_numbers(numbers)}."


def enum_values(difference: Difference, _: StageChange | None, __: Deprecation) -> str:
    """The allowed values that only one of two lists has."""
    before, after = (list(map(_value, values or ())) for values in difference.values)
    if not before or not after:
        return ""
    removed = [value for value in before if value not in after]
    added = [value for value in after if value not in before]
    lists = (("Values removed", removed), ("Values added", added))
    return " ".join(
        f"{words}: {', '.join(values)}." for words, values in lists if values
    )


def text_formats(difference: Difference, _: StageChange | None, __: Deprecation) -> str:
    """What texts are accepted, before and after."""
    before, after = (FORMATS[name].meaning for name in difference.values)
    return f"Before: {before}; now: {after}."


def stages(_: Difference, change: StageChange | None, __: Deprecation) -> str:
    """The stages of a field or kind: "From alpha to beta, feature gate Name."."""
    if change is None:
        return ""
    before, after = change
    words = [stage.in_words(_DEFAULTS) for stage in change if stage is not None]
    gate = (after and after.gate) or (before and before.gate)
    return f"From {' to '.join(words)}{f', feature gate {gate}' if gate else ''}."


def _value(value: Any) -> str:
    return value if value and isinstance(value, str) else json.dumps(value)


def _numbers(changed: StatedNumbers) -> str:
    parts: Sequence[tuple[str, Sequence[str]]] = (
        ("no longer stated:", changed.before),
        ("stated now:", changed.after),
    )
    return "; ".join(f"{verb} {', '.join(words)}" for verb, words in parts if words)
