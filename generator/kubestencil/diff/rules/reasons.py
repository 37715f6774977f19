"""The reason of a change in words: that of its rule, with what is known of this one."""

from __future__ import annotations

from collections.abc import Sequence

from kubestencil.diff.differences.definitions import Difference
from kubestencil.diff.releases.descriptions import changed_defaults, changed_limits
from kubestencil.diff.releases.stages import STAGE_NAMES, Stage, StageChange
from kubestencil.diff.rules.lifecycle_conditions import new_text, old_text
from kubestencil.diff.rules.replacement import Outlook
from kubestencil.diff.rules.rule import Rule


def change_reason(
    rule: Rule, difference: Difference, stage: StageChange | None, outlook: Outlook
) -> str:
    """What a change does to users of the API, in one or two sentences."""
    match rule.name:
        case "stage-changed" | "stage-lowered" if stage is not None:
            return f"{rule.reason} {stage_words(stage)}"
        case "limit-changed":
            numbers = changed_limits(old_text(difference), new_text(difference))
            return f"{rule.reason} {_numbers('Limits', *numbers)}"
        case "stated-default-changed":
            numbers = changed_defaults(old_text(difference), new_text(difference))
            return f"{rule.reason} {_numbers('Defaults', *numbers)}"
        case "deprecated" | "removed-with-replacement" | "kind-removed" | "alpha":
            is_removed = difference.change.endswith("-removed")
            return " ".join([rule.reason, *outlook_words(outlook, is_removed)])
        case "field-moved" | "no-longer-functional" if outlook.replacement:
            return f"{rule.reason} Use {outlook.replacement}."
    return rule.reason


def outlook_words(outlook: Outlook, is_removed: bool) -> Sequence[str]:
    """Sentences on when something is deprecated and removed, and what replaces it.

    The removal of what is still there (``is_removed`` is false) is a plan.
    """
    sentences = []
    if outlook.deprecated_in:
        sentences.append(f"Deprecated in {outlook.deprecated_in}.")
    if outlook.removed_in:
        verb = "Removed in" if is_removed else "Removal planned for"
        sentences.append(f"{verb} {outlook.removed_in}.")
    if outlook.replacement:
        sentences.append(f"Use {outlook.replacement}.")
    return sentences


def stage_words(stage: StageChange) -> str:
    """The stages of a field or kind: "From alpha to beta, enabled by default."."""
    before, after = stage
    words = [_stage_name(item) for item in (before, after) if item is not None]
    gate = (after and after.gate) or (before and before.gate)
    return f"From {' to '.join(words)}{f', feature gate {gate}' if gate else ''}."


def _stage_name(stage: Stage) -> str:
    name = STAGE_NAMES[stage.level]
    if stage.enabled is None or stage.level == "ga":
        return name
    return f"{name} ({'enabled' if stage.enabled else 'disabled'} by default)"


def _numbers(noun: str, before: Sequence[str], after: Sequence[str]) -> str:
    parts = [
        f"{verb} {', '.join(numbers)}"
        for verb, numbers in (("no longer stated:", before), ("stated now:", after))
        if numbers
    ]
    return f"{noun} {'; '.join(parts)}."
