"""The conditions of rules: predicates on a difference and the definitions around it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kubestencil.diff.differences import Definitions, Difference, differing_keywords
from kubestencil.schema.keywords import REFERENCE_PREFIX

# What describes a schema without constraining its values.
_DOCUMENTATION = frozenset({"description", "title", "example", "externalDocs"})


@dataclass(frozen=True, slots=True)
class ComparedDefinitions:
    """The definitions of both sides, in which a condition can follow references."""

    before: Definitions
    after: Definitions


Condition = Callable[[Difference, ComparedDefinitions], bool]


def is_compatible_rename(
    difference: Difference, definitions: ComparedDefinitions
) -> bool:
    """Whether a reference leads to a type that accepts all that the former one does."""
    old = _referenced(definitions.before, _old_value(difference))
    new = _referenced(definitions.after, _new_value(difference))
    fields = new.get("properties", {})
    return (
        old.get("type") == new.get("type")
        and old.get("format") == new.get("format")
        and set(new.get("required", ())) <= set(old.get("required", ()))
        and all(
            name in fields
            and differing_keywords(schema, fields[name]) <= _DOCUMENTATION
            for name, schema in old.get("properties", {}).items()
        )
    )


def changes_only_documentation(difference: Difference, _: ComparedDefinitions) -> bool:
    """Whether two nested schemas differ only in their documentation, at any depth."""
    return _same_but_documentation(_old_value(difference), _new_value(difference))


def widens_number_format(difference: Difference, _: ComparedDefinitions) -> bool:
    """Whether every number of the old format is one of the new format."""
    return (_old_value(difference), _new_value(difference)) in (
        ("int32", "int64"),
        ("float", "double"),
    )


def removes_enum_value(difference: Difference, _: ComparedDefinitions) -> bool:
    """Whether a value is no longer listed."""
    new = [repr(value) for value in _new_value(difference)]
    return any(repr(value) not in new for value in _old_value(difference))


def loosens_bound(difference: Difference, _: ComparedDefinitions) -> bool:
    """Whether an upper or lower bound was removed or moved outwards."""
    old, new = _old_value(difference), _new_value(difference)
    if new is None or old is None:
        return new is None
    is_upper = (difference.keyword or "").startswith("max")
    return bool(new > old if is_upper else new < old)


def sets_keyword(difference: Difference, _: ComparedDefinitions) -> bool:
    """Whether a boolean keyword is true now."""
    return bool(_new_value(difference))


def states_assumed_list_type(difference: Difference, _: ComparedDefinitions) -> bool:
    """Whether the list type is the one that server-side apply assumed without it.

    A list without a type is atomic. One with the patch strategy "merge" is a map with
    the merge key as its key, or a set where it has no merge key
    (``https://kubernetes.io/docs/reference/using-api/server-side-apply/#merge-strategy``).
    """
    old, new = difference.schemas
    if "x-kubernetes-list-type" in old:
        return False
    merges = "merge" in old.get("x-kubernetes-patch-strategy", "").split(",")
    key = old.get("x-kubernetes-patch-merge-key")
    assumed = ("map" if key else "set") if merges else "atomic"
    keys = [key] if assumed == "map" else None
    return (
        new.get("x-kubernetes-list-type") == assumed
        and new.get("x-kubernetes-list-map-keys") == keys
    )


def states_assumed_map_type(difference: Difference, _: ComparedDefinitions) -> bool:
    """Whether only the map type "granular", which is the default, was added or
    removed."""
    return {_old_value(difference), _new_value(difference)} == {None, "granular"}


def removes_served_kind(difference: Difference, _: ComparedDefinitions) -> bool:
    """Whether a definition is no longer served as one of its kinds."""
    new = [repr(kind) for kind in _new_value(difference) or ()]
    return any(repr(kind) not in new for kind in _old_value(difference) or ())


def removes_all_served_kinds(difference: Difference, _: ComparedDefinitions) -> bool:
    """Whether a definition is no longer served as a kind at all."""
    return not _new_value(difference)


def _old_value(difference: Difference) -> Any:
    return (difference.before or {}).get(difference.keyword or "")


def _new_value(difference: Difference) -> Any:
    return (difference.after or {}).get(difference.keyword or "")


def _referenced(definitions: Definitions, reference: str) -> Any:
    """The fragment that a reference leads to; an empty one where there is none."""
    return definitions.get(reference.removeprefix(REFERENCE_PREFIX), {})


def _same_but_documentation(old: Any, new: Any) -> bool:
    if not (isinstance(old, dict) and isinstance(new, dict)):
        return bool(old == new)
    return all(
        keyword in _DOCUMENTATION
        or _same_but_documentation(old.get(keyword), new.get(keyword))
        for keyword in differing_keywords(old, new)
    )
