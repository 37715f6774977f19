"""The conditions of rules for lifecycles: what tables of facts and descriptions say."""

from __future__ import annotations

from typing import Literal

from kubestencil.diff.differences.definitions import Difference, Schemas
from kubestencil.diff.releases import facts
from kubestencil.diff.rules.rule_context import RuleContext, resolved, turns_on
from kubestencil.schema.kinds import only_kind, stated_kinds
from kubestencil.schema.knowledge.conditions import refused_fields
from kubestencil.schema.knowledge.configurations import is_configuration_kind
from kubestencil.schema.knowledge.coverage import covers_both
from kubestencil.schema.knowledge.descriptions import (
    changed_defaults,
    changed_limits,
    deprecation,
    loss_of_effect,
    removed_in,
    stated_replacement,
)
from kubestencil.schema.knowledge.gates import gate_in, relaxing_gates
from kubestencil.schema.knowledge.kinds import lifecycle
from kubestencil.schema.knowledge.values import server_facts
from kubestencil.schema.knowledge.warnings import volume_plugin
from kubestencil.schema.types import ANY_VALUE, GroupVersionKind, Schema
from kubestencil.schema.well_known import META_V1, is_built_in

_LIST = "List"
_LIMITS = frozenset({"minimum", "maximum", "minLength", "maxLength", "maxItems"})
_SCALARS = frozenset({"string", "integer", "number", "boolean"})


def is_part_of_kind(difference: Difference, context: RuleContext) -> bool:
    """Whether a list kind or a part of kinds came, went or was deprecated with the
    kinds, where that is reported."""
    name = difference.definition
    if not context.is_whole:
        return False
    if difference.is_removed or difference.is_added:
        side, other = (0, 1) if difference.is_removed else (1, 0)
        kinds = _items_or_roots(name, side, context)
        is_there = kinds <= context.facts[side].kinds
        return is_there and kinds.isdisjoint(context.facts[other].kinds)
    if difference.field is not None or not deprecation(new_text(difference)):
        return False
    kinds = _items_or_roots(name, 1, context)
    new_kinds = stated_kinds(difference.schemas[1])
    is_part = not new_kinds or new_kinds[0].kind.endswith(_LIST)
    return is_part and all(newly_deprecated(kind, context) for kind in kinds)


def _items_or_roots(
    name: str, side: int, context: RuleContext
) -> frozenset[GroupVersionKind]:
    """The kinds that a part is in; that of the items for a list kind. For a kind itself
    a set that is in no other."""
    schema = (context.after if side else context.before).get(name, ANY_VALUE)
    kinds = frozenset(context.facts[side].roots.of(name))
    if not stated_kinds(schema):
        return kinds or frozenset({_NO_KIND})
    items = frozenset(
        GroupVersionKind(kind.group, kind.version, kind.kind.removesuffix(_LIST))
        for kind in kinds
        if kind.kind.endswith(_LIST) and "items" in schema.field_names
    )
    return items or frozenset({_NO_KIND})


_NO_KIND = GroupVersionKind("", "", "")


def is_refused(difference: Difference, context: RuleContext) -> bool:
    """Whether the API server of the second release refuses the field always."""
    return context.releases is not None and (
        context.name(difference, 1),
        difference.field,
    ) in refused_fields(context.releases[1])


def is_gated_value(difference: Difference, context: RuleContext) -> bool:
    """Whether a gate that makes the API server accept more in the field was added, or is
    at another stage, and was not on by default before."""
    name = context.name(difference, 1) or ""
    if context.releases is None:
        return False
    for gate in relaxing_gates().get((name, difference.field or ""), ()):
        before, after = (gate_in(gate, release) for release in context.releases)
        if before != after and not (before is not None and before.enabled):
            return True
    return False


def successor(difference: Difference, context: RuleContext) -> GroupVersionKind | None:
    """The kind to use instead of the one that a definition is served as: its most
    stable version in the second release, or that of another kind, by the facts."""
    kind = served_kind(difference)
    if kind is None:
        return None
    release = context.facts[1].stages.kubernetes
    return facts.successor(kind, release, context.versions(1))


def is_configuration(difference: Difference, _: RuleContext) -> bool:
    """Whether a definition is that of a configuration file, which no server serves."""
    return is_configuration_kind(served_kind(difference))


def is_not_enabled(difference: Difference, context: RuleContext) -> bool:
    """Whether both releases can serve the kind that a definition is served as, and only
    where it is enabled, so that one of the documents does not have it."""
    kind = served_kind(difference)
    return kind is not None and is_optional(kind, context.releases)


def is_optional(kind: GroupVersionKind, releases: tuple[str, str] | None) -> bool:
    """Whether both releases serve a kind where it is enabled."""
    known = lifecycle(kind) if releases else None
    return known is not None and all(map(known.is_optional_in, releases or ()))


def served_kind(difference: Difference) -> GroupVersionKind | None:
    """The kind that a definition is served as; None for other types."""
    if difference.field is not None:
        return None
    before, after = difference.schemas
    return only_kind(after if stated_kinds(after) else before)


def newly_deprecated(kind: GroupVersionKind, context: RuleContext) -> bool:
    """Whether the facts have a kind deprecated after the first release, and not after
    the second."""
    facts = lifecycle(kind)
    if facts is None or context.releases is None:
        return False
    return facts.is_deprecated_between(*context.releases)


def moved_to(difference: Difference, context: RuleContext) -> str | None:
    """Where the value of a removed field is now, by the facts or by the definitions;
    None where it is not known."""
    return context.renamed(difference) or _moved_beside(difference, context)


def _moved_beside(difference: Difference, context: RuleContext) -> str | None:
    """The path of a field beside the removed one that has its value.

    A field may be inside of an added one, or have given its own fields to the object
    that it was in.
    """
    before = difference.schemas[0]
    name = (difference.field or "").rpartition(".")[2]
    parent_before = _parent(difference, context.before)
    parent_after = _parent(difference, context.after)
    if not name or not parent_before or not parent_after:
        return None
    path = context.moved_fields.path(difference.definition, name, before.type)
    if path is not None:
        return path
    old, new = parent_before.field_names, parent_after.field_names
    inner = resolved(before, context.before).field_names
    if inner and inner <= new and not inner & old:
        return ", ".join(sorted(inner))
    return None


def _parent(difference: Difference, schemas: Schemas) -> Schema | None:
    """The object that has the field, where it is the definition itself."""
    if len(difference.schema_path) != 2:
        return None
    return schemas.get(difference.definition)


def was_always_required(difference: Difference, context: RuleContext) -> bool:
    """Whether the API server refused objects without the field before."""
    name, release = context.name(difference, 0), context.facts[0].stages.kubernetes
    if name is None or release is None:
        return False
    return server_facts(release).of(name, difference.field or "").required is True


def is_requirement_unknown(difference: Difference, context: RuleContext) -> bool:
    """Whether nobody has looked at what the API server requires of the fields that the
    second release's document lists, where that is one of Kubernetes."""
    is_known = context.releases is None or covers_both("limits", *context.releases)
    return not is_known and is_built_in(difference.definition)


def is_alternative(difference: Difference, _: RuleContext) -> bool:
    """Whether a field became required that replaces others, which were required and are
    still accepted instead of it."""
    before, after = difference.schemas
    name = difference.field or ""
    if name in before.field_names:
        return False
    replaced = map(after.field, set(before.required) - set(after.required))
    return any(
        stated_replacement(field.description, [name]) == name
        for field in replaced
        if field is not None
    )


def is_server_written(difference: Difference, context: RuleContext) -> bool:
    """Whether clients send no values of the field."""
    name = context.name(difference, 1)
    stages = context.facts[1].stages
    return name is not None and stages.is_server_written(name, difference.field)


def has_no_items(difference: Difference, context: RuleContext) -> bool:
    """Whether a strategy to merge is that of a value that is never merged: of a string,
    or of the items of a list kind."""
    schemas = difference.schemas
    types = {schema.type for schema in schemas}
    if difference.keyword == "x-kubernetes-map-type":
        return types <= _SCALARS
    is_list_kind = difference.field == "items" and any(
        stated_kinds(schemas.get(difference.definition, ANY_VALUE))
        and difference.definition.endswith(_LIST)
        for schemas in (context.before, context.after)
    )
    return is_list_kind or types <= {*_SCALARS, "object"}


def adds_optional_keys(difference: Difference, context: RuleContext) -> bool:
    """Whether list items are identified by more fields than before, which are
    optional: items without them are the same items as before."""
    before, after = difference.schemas
    old, new = set(before.list_map_keys), set(after.list_map_keys)
    if not old or not old < new:
        return False
    items = resolved(after.items or ANY_VALUE, context.after)
    added = new - old
    with_default = {field.name for field in items.fields if field.schema.has_default}
    return not added & set(items.required) - with_default


def is_shared_by_groups(difference: Difference, _: RuleContext) -> bool:
    """Whether a type is one that every group serves, such as DeleteOptions."""
    return difference.definition.startswith(f"{META_V1}.")


def adds_union_members(difference: Difference, _: RuleContext) -> bool:
    """Whether unions have all members that they had before."""
    before, after = difference.schemas
    return before.union_members <= after.union_members


def old_text(difference: Difference) -> str:
    """The former description, empty where there was none."""
    return _text(difference, 0)


def new_text(difference: Difference) -> str:
    """The new description, empty where there is none."""
    return _text(difference, 1)


def _text(difference: Difference, side: Literal[0, 1]) -> str:
    is_stated = difference.keyword in (None, "description")
    return difference.schemas[side].description if is_stated else ""


def loses_effect(difference: Difference, context: RuleContext) -> bool:
    """Whether the new description says that the field does nothing any more. Of volume
    plugins facts say since when."""
    if _is_volume_plugin(difference, context):
        return False
    old, new = old_text(difference), new_text(difference)
    is_removed = bool(removed_in(old)) and not removed_in(new) and "removed" in new
    return is_removed or bool(loss_of_effect(new) and not loss_of_effect(old))


def _is_volume_plugin(difference: Difference, context: RuleContext) -> bool:
    name = context.name(difference, 1) or ""
    return volume_plugin(name, difference.field or "") is not None


def is_newly_deprecated(difference: Difference, context: RuleContext) -> bool:
    """Whether something is deprecated that was not before; see ``loses_effect``."""
    if _is_volume_plugin(difference, context):
        return False
    if difference.keyword == "deprecated":
        return bool(difference.values[1])
    return bool(deprecation(new_text(difference))) and not deprecation(
        old_text(difference)
    )


def changes_limit(difference: Difference, context: RuleContext) -> bool:
    """Whether the descriptions state different limits, and no facts do."""
    if context.changed_by_facts(difference) & _LIMITS:
        return False
    return any(changed_limits(old_text(difference), new_text(difference)))


def changes_stated_default(difference: Difference, context: RuleContext) -> bool:
    """Whether the descriptions state different defaults, and no facts do."""
    if "default" in context.changed_by_facts(difference):
        return False
    return any(changed_defaults(old_text(difference), new_text(difference)))


def lowers_stage(difference: Difference, context: RuleContext) -> bool:
    """Whether a field is less stable than before, or its gate is off by default now."""
    return context.stage_trend(difference) == "lower"


def turns_gate_on(difference: Difference, context: RuleContext) -> bool:
    """Whether the gate of a field that clients send is on by default now, and was off."""
    stages = context.stage_change(difference) if difference.field else None
    if stages is None or not turns_on(stages):
        return False
    return not is_server_written(difference, context)


def changes_stage(difference: Difference, context: RuleContext) -> bool:
    """Whether a field is at another stage than before, or a kind is served in a more
    stable version than before."""
    return context.stage_trend(difference) is not None
