"""The conditions of rules: predicates on a difference and the definitions around it."""

from __future__ import annotations

import json
from typing import Any

from kubestencil.diff.differences.definitions import Difference
from kubestencil.diff.rules.rule_context import RuleContext, resolved
from kubestencil.schema.acceptance import is_looser, is_looser_keyword
from kubestencil.schema.equality import (
    DOCUMENTATION,
    differing_keywords,
    same_but_documentation,
)
from kubestencil.schema.keywords import INT_OR_STRING, PRESERVE
from kubestencil.schema.knowledge.values import FORMATS
from kubestencil.schema.types import ANY_VALUE, Schema
from kubestencil.schema.well_known import is_built_in

# What says how a value is merged, and not which values there are.
_MERGING = frozenset(
    f"x-kubernetes-{keyword}"
    for keyword in (
        "list-type",
        "list-map-keys",
        "map-type",
        "patch-strategy",
        "patch-merge-key",
    )
)
# What a definition says of its fields, apart from which values they may have.
_STRUCTURE = ("$ref", "type", "properties", "default", "nullable", PRESERVE)


def always(_: Difference, __: RuleContext) -> bool:
    """The condition of a rule for all of its changes."""
    return True


def is_compatible_rename(difference: Difference, context: RuleContext) -> bool:
    """Whether a reference, or that of the items of a list or the values of a map, leads to a
    type that accepts all that the former one does, except for alpha fields."""
    keyword = difference.keyword or ""
    old, new = (schema.content_of(keyword) or schema for schema in difference.schemas)
    if old.ref is None or new.ref is None:
        return False
    return _accepts_all(old.ref, new.ref, context, set())


def _accepts_all(
    old_name: str,
    new_name: str,
    context: RuleContext,
    compared: set[tuple[str, str]],
) -> bool:
    """Whether a definition accepts all that another one does, alpha fields excepted.

    ``compared`` are the pairs that are being compared, which references may lead to
    again.
    """
    if old_name == new_name or (old_name, new_name) in compared:
        return True
    compared.add((old_name, new_name))
    old = context.before.get(old_name, ANY_VALUE)
    new = context.after.get(new_name, ANY_VALUE)
    fields = {field.name: field.schema for field in new.fields}
    return (
        (old.type, old.format) == (new.type, new.format)
        and set(new.required) <= set(old.required)
        and all(
            (
                _accepts_field(schema, fields[name], context, compared)
                if name in fields
                else _is_alpha(old_name, name, schema, context)
            )
            for name, schema, _ in old.fields
        )
    )


def _accepts_field(
    old: Schema,
    new: Schema,
    context: RuleContext,
    compared: set[tuple[str, str]],
) -> bool:
    """Whether a field differs in its documentation, or in references to definitions of
    which the new one accepts all, in its items and values as well."""
    differing = differing_keywords(old, new) - DOCUMENTATION - _MERGING
    if "$ref" in differing:
        if old.ref is None or new.ref is None:
            return False
        differing.remove("$ref")
        if not _accepts_all(old.ref, new.ref, context, compared):
            return False
    for keyword in differing:
        inner, other = old.content_of(keyword), new.content_of(keyword)
        if inner is None or other is None:
            return False
        if not _accepts_field(inner, other, context, compared):
            return False
    return True


def _is_alpha(
    definition: str, field: str, schema: Schema, context: RuleContext
) -> bool:
    name = context.names[0].get(definition, definition)
    stage = context.facts[0].stages.field_stage(name, field, schema)
    return stage is not None and stage.level == "alpha"


def changes_only_documentation(difference: Difference, _: RuleContext) -> bool:
    """Whether two nested schemas differ only in their documentation, at any depth."""
    return same_but_documentation(*difference.values)


def widens_type(difference: Difference, _: RuleContext) -> bool:
    """Whether every value of the old type or format is one of the new one."""
    before, after = difference.values
    if difference.keyword == "format" and after is None:
        # Other formats refuse values; this one says how a text is decoded.
        return bool(before != "byte")
    return _becomes_int_or_string(difference) or (before, after) in _WIDER


def _becomes_int_or_string(difference: Difference) -> bool:
    before, after = difference.schemas
    is_part = before.type in ("integer", "string")
    return is_part and after.value_of(INT_OR_STRING) is True


_WIDER = (("int32", "int64"), ("float", "double"), ("integer", "number"))


def loosens(difference: Difference, _: RuleContext) -> bool:
    """Whether the keyword accepts every value that it accepted before."""
    if difference.change == "any-of-added" and _becomes_int_or_string(difference):
        return True
    return is_looser_keyword(difference.keyword or "", *difference.values)


def relaxes_format(difference: Difference, _: RuleContext) -> bool:
    """Whether every text of the old format is one of the new format."""
    before, after = difference.values
    return FORMATS[before].is_within(after)


def narrows_format(difference: Difference, _: RuleContext) -> bool:
    """Whether every text of the new format is one of the old format."""
    before, after = difference.values
    return FORMATS[after].is_within(before)


def changes_type_too(difference: Difference, _: RuleContext) -> bool:
    """Whether the type of the value differs as well, which says what this does."""
    before, after = difference.schemas
    return before.type != after.type


def names_object(difference: Difference, context: RuleContext) -> bool:
    """Whether an object became a reference to a definition, or the other way round,
    and accepts every value that it accepted before."""
    before, after = difference.schemas
    old = resolved(before, context.before)
    new = resolved(after, context.after)
    if (before.ref is None) is (after.ref is None):
        return False
    if not old.type == new.type == "object":
        return False
    # An object that lists no fields keeps none, unless it preserves them.
    keeps_fields = new.is_object or not old.fields or new.preserves_unknown_fields
    rest_before, rest_after = (schema.without(*_STRUCTURE) for schema in (old, new))
    return keeps_fields and is_looser(rest_before.raw, rest_after.raw)


def has_default(difference: Difference, _: RuleContext) -> bool:
    """Whether the API server fills in a field that became required: it does so for
    custom resources, whose schemas have the default."""
    if is_built_in(difference.definition):
        return False
    name = (difference.field or "").rpartition(".")[2]
    field = difference.schemas[1].field(name)
    return field is not None and field.default is not None


def preserves_unknown_fields(difference: Difference, _: RuleContext) -> bool:
    """Whether the object of an added field kept such a field before, whatever it was."""
    return difference.schemas[0].preserves_unknown_fields


def lacks_field(difference: Difference, _: RuleContext) -> bool:
    """Whether the object no longer has the field, in whose list of required ones it
    was."""
    name = (difference.field or "").rpartition(".")[2]
    after = difference.schemas[1]
    return bool(after.fields) and after.field(name) is None


def is_part_of_kubernetes(difference: Difference, _: RuleContext) -> bool:
    """Whether a field is one of Kubernetes' own types, of which the server sends what the
    tag in Go has without ``omitempty``. All 41 fields that became optional in 1.30 to 1.37,
    and are still there, kept it so (k8s.io/api v0.33.0 to v0.37.0).
    """
    return is_built_in(difference.definition)


def requires_unique_items(difference: Difference, _: RuleContext) -> bool:
    """Whether the API server refuses lists with equal items: it does so for lists of
    custom resources that are sets or maps."""
    return not is_built_in(difference.definition) and difference.values[1] in (
        "set",
        "map",
    )


def removes_element(difference: Difference, _: RuleContext) -> bool:
    """Whether a list has lost an element."""
    before, after = map(_elements, difference.values)
    return not before <= after


def becomes(difference: Difference, _: RuleContext, *, value: object) -> bool:
    """Whether the keyword has a value now: the key ``after`` of a rule."""
    return bool(difference.values[1] == value)


def unsets_keyword(difference: Difference, _: RuleContext) -> bool:
    """Whether a boolean keyword is false now, or a list has no elements any more."""
    return not difference.values[1]


def states_assumed_list_type(difference: Difference, _: RuleContext) -> bool:
    """Whether the list type is the one that server-side apply assumed without it.

    A list without a type is atomic. One with the patch strategy "merge" is a map with
    the merge key as its key, or a set where it has no merge key
    (``https://kubernetes.io/docs/reference/using-api/server-side-apply/#merge-strategy``).
    """
    old, new = difference.schemas
    if old.list_type is not None:
        return False
    merges, key = "merge" in old.patch_strategy, old.patch_merge_key
    assumed = ("map" if key else "set") if merges else "atomic"
    keys = (key,) if assumed == "map" else ()
    return (new.list_type, new.list_map_keys) == (assumed, keys)


def states_assumed_map_type(difference: Difference, _: RuleContext) -> bool:
    """Whether only the map type "granular", which is the default, was added or
    removed."""
    return set(difference.values) == {None, "granular"}


def _elements(values: Any) -> set[str]:
    return {json.dumps(value, sort_keys=True) for value in values or ()}
