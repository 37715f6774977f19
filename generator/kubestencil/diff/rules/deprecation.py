"""When something that changed was deprecated and removed, and what replaces it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from kubestencil.diff.differences.definitions import Difference
from kubestencil.diff.labels import kind_name
from kubestencil.diff.releases.descriptions import (
    deprecated_in,
    mentions_deprecation,
    removed_in,
    stated_replacement,
)
from kubestencil.diff.rules.lifecycle_conditions import (
    kind_facts,
    moved_to,
    new_text,
    served_kind,
    successor,
)
from kubestencil.diff.rules.rule_context import RuleContext
from kubestencil.schema.types import ANY_VALUE
from kubestencil.source.releases import release_order


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
    if served_kind(difference) is None:
        return None
    facts = kind_facts(difference) if context.releases else None
    is_leaving = difference.is_removed or (facts and facts.deprecated)
    target = successor(difference, context) if is_leaving else None
    if facts is None and target is None:
        return None
    return Deprecation(
        None if facts is None else facts.deprecated,
        None if facts is None else facts.removed,
        None if target is None else kind_name(target),
    )


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
    if mentions_deprecation(text):
        deprecated = deprecated_in(text) or _only_release(context)
    return Deprecation(deprecated, removed_in(text), _stated(difference, context, text))


def _only_release(context: RuleContext) -> str | None:
    """The release in which all changes between two neighbours happened; None where
    there are others in between, or these are no releases of Kubernetes."""
    if context.releases is None:
        return None
    (old_major, old_minor, _), (major, minor, _) = map(release_order, context.releases)
    return context.releases[1] if (major, minor) == (old_major, old_minor + 1) else None


def _stated(difference: Difference, context: RuleContext, text: str) -> str | None:
    """The field beside the one that differs that its description names instead."""
    name = (difference.field or "").rpartition(".")[2]
    fields = context.after.get(difference.definition, ANY_VALUE).fields
    names = (field.name for field in fields if field.name != name)
    return stated_replacement(text, names)
