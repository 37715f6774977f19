"""What the reason of a change says beside that of its rule: what is known of this one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from kubestencil.diff.differences.definitions import Difference
from kubestencil.diff.labels import kind_name, removal
from kubestencil.diff.rules.lifecycle_conditions import (
    moved_to,
    new_text,
    old_text,
    served_kind,
    successor,
)
from kubestencil.diff.rules.rule_context import RuleContext
from kubestencil.schema.knowledge import descriptions
from kubestencil.schema.knowledge.conditions import alternatives_of
from kubestencil.schema.knowledge.coverage import covers_both
from kubestencil.schema.knowledge.descriptions import (
    StatedNumbers,
    changed_defaults,
    changed_limits,
    deprecated_in,
    removed_in,
    stated_replacement,
)
from kubestencil.schema.knowledge.kinds import KnownKind, lifecycle, unreadable_kinds
from kubestencil.schema.knowledge.values import FORMATS, server_facts
from kubestencil.schema.types import ANY_VALUE
from kubestencil.schema.well_known import is_built_in
from kubestencil.source.releases import minor_version_in, next_minor_version

if TYPE_CHECKING:
    from kubestencil.diff.rules.classify import Classification


class Deprecation(NamedTuple):
    """When something was or will be deprecated and removed, and what replaces it. Each
    is None where it is not known."""

    deprecated_in: str | None = None
    removed_in: str | None = None
    replacement: str | None = None


#: Finds the deprecation of what differs.
Finder = Callable[[Difference, RuleContext], Deprecation]


def unknown(_: Difference, __: RuleContext) -> Deprecation:
    """Nothing is known."""
    return Deprecation()


def of_kind(difference: Difference, context: RuleContext) -> Deprecation | None:
    """What the facts say of the kind that a definition is served as; None for what is
    no kind, and where nothing is known."""
    kind = served_kind(difference)
    if kind is None:
        return None
    release = context.releases and context.releases[1]
    known = KnownKind(kind, release, lifecycle(kind) if release else None)
    is_leaving = difference.is_removed or known.deprecated
    target = successor(difference, context) if is_leaving else None
    if known.lifecycle is None and target is None:
        return None
    removed = known.removed
    if difference.is_removed and known.lifecycle:
        # It is gone: a plan for this release came true, one for a later one did not.
        removed = known.lifecycle.removed if known.is_removed else None
    return Deprecation(known.deprecated, removed, target and kind_name(target))


def of_moved_field(difference: Difference, context: RuleContext) -> Deprecation:
    """Where the value of a removed field is now."""
    return Deprecation(replacement=moved_to(difference, context))


def of_removed_field(difference: Difference, context: RuleContext) -> Deprecation:
    """What the description of a removed field named instead of it."""
    if difference.field is None or not difference.is_removed:
        return Deprecation()
    text = difference.schemas[0].description
    return Deprecation(replacement=_stated(difference, context, text))


def as_described(difference: Difference, context: RuleContext) -> Deprecation:
    """What the new description of a field says of it."""
    text = new_text(difference)
    deprecated = None
    if descriptions.deprecation(text):
        deprecated = deprecated_in(text) or _only_release(context)
    return Deprecation(deprecated, removed_in(text), _stated(difference, context, text))


def _only_release(context: RuleContext) -> str | None:
    """The release in which all changes between two neighbours happened; None where
    there are others in between, or these are no releases of Kubernetes."""
    if context.releases is None:
        return None
    before, after = context.releases
    return after if minor_version_in(after) == next_minor_version(before) else None


def _stated(difference: Difference, context: RuleContext, text: str) -> str | None:
    """The field beside the one that differs that its description names instead."""
    name = (difference.field or "").rpartition(".")[2]
    fields = context.after.get(difference.definition, ANY_VALUE).fields
    names = (field.name for field in fields if field.name != name)
    return stated_replacement(text, names)


_DEFAULTS = {True: "enabled by default", False: "disabled by default"}


#: One or two sentences on a difference, empty where nothing is known.
Detail = Callable[["Classification"], str]


def nothing(_: Classification) -> str:
    """The reason of the rule says it all."""
    return ""


def deprecation(judged: Classification) -> str:
    """When something is deprecated and removed, and what replaces it."""
    if judged.rule.deprecates:
        # The rule says that it is.
        words = _deprecation_sentences(judged.deprecation, is_gone=False)
        return " ".join(words).replace("Deprecated in", "Since", 1)
    is_gone = judged.difference.is_removed
    return " ".join(_deprecation_sentences(judged.deprecation, is_gone))


def removed_version(judged: Classification) -> str:
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


def _deprecation_sentences(known: Deprecation, is_gone: bool) -> Iterator[str]:
    if known.deprecated_in:
        yield f"Deprecated in {known.deprecated_in}."
    if known.removed_in:
        words = (
            f"removed in {known.removed_in}" if is_gone else removal(known.removed_in)
        )
        yield f"{words.capitalize()}."
    if known.replacement:
        yield f"Use {known.replacement}."


def replacement(judged: Classification) -> str:
    """What replaces something."""
    other = judged.deprecation.replacement
    return f"Use {other}." if other else ""


def requirement(judged: Classification) -> str:
    """What the API servers of both releases need of a field that became optional, as far
    as it is known: the fields of which they need one, where it is among them."""
    difference = judged.difference
    key = difference.definition, difference.field or ""
    if fields := alternatives_of(*key):
        return f"Manifests need {' or '.join(fields)}."
    if judged.releases is None or not covers_both("limits", *judged.releases):
        return ""
    needed = [server_facts(release).of(*key).required for release in judged.releases]
    if needed[1]:
        return "The API server refuses objects without it, as before."
    words: Mapping[bool | None, str] = {
        True: "Manifests may leave it out now.",
        False: "Manifests could leave it out before, too.",
    }
    return words.get(needed[0], "")


def limits(judged: Classification) -> str:
    """The limits that only one of two descriptions states."""
    return f"Limits {_numbers(changed_limits, judged)}."


def defaults(judged: Classification) -> str:
    """The defaults that only one of two descriptions states."""
    return f"Defaults {_numbers(changed_defaults, judged)}."


def enum_values(judged: Classification) -> str:
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


def text_formats(judged: Classification) -> str:
    """What texts are accepted, before and after."""
    before, after = (FORMATS[name].meaning for name in judged.difference.values)
    words = f"Before: {before}; now: {after}."
    condition = judged.difference.condition
    return f"{words} Where {condition}." if condition else words


def stages(judged: Classification) -> str:
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
    changed: Callable[[str, str], StatedNumbers], judged: Classification
) -> str:
    before, after = changed(old_text(judged.difference), new_text(judged.difference))
    parts = (("no longer stated", before), ("stated now", after))
    return "; ".join(f"{verb}: {', '.join(words)}" for verb, words in parts if words)
