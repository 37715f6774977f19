"""Finds what differs in how custom resources are served: versions, names, columns.

These are parts of a CustomResourceDefinition beside its schemas, so that the keywords
of the differences are its fields.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any, get_args

from kubestencil.diff.differences.definitions import Difference, presence
from kubestencil.diff.differences.names import (
    ChangeName,
    Keyword,
    ResourcePart,
    camel_case,
    change_name,
)
from kubestencil.schema.resource import Resource

#: How kinds are served, by the names of their definitions.
Resources = Mapping[str, Resource]

# What is a matter of one version, and says nothing where two versions are compared.
_OF_VERSION = frozenset({"served", "storage", "deprecated", "deprecationWarning"})
# How names of changes spell the keys of a resource.
_SPELLINGS: Mapping[str, Keyword] = {
    **{camel_case(part): part for part in get_args(ResourcePart)},
    "additionalPrinterColumns": "printer-columns",
}


def resource_differences(before: Resources, after: Resources) -> Iterator[Difference]:
    """The differences between kinds that both sides serve, in the order of the names
    of their definitions."""
    for name in sorted(before.keys() & after.keys()):
        if before[name] != after[name]:
            yield from _differences(name, before[name], after[name])


def resource_facts(resource: Resource) -> Mapping[str, Any]:
    """How a resource is served, as a CustomResourceDefinition has it; what is not
    stated is left out. Selectable fields are part of the schema."""
    facts = {
        "scope": "Namespaced" if resource.namespaced else "Cluster",
        "plural": resource.plural,
        "shortNames": [resource.singular, *resource.short_names],
        "categories": list(resource.categories),
        "served": resource.served,
        "storage": resource.storage,
        "deprecated": resource.deprecated,
        "conversion": resource.conversion,
        "deprecationWarning": resource.deprecation_warning,
        "subresources": [subresource.name for subresource in resource.subresources],
        "additionalPrinterColumns": list(map(asdict, resource.printer_columns)),
    }
    return {key: value for key, value in facts.items() if value not in (None, [])}


def _differences(name: str, before: Resource, after: Resource) -> Iterator[Difference]:
    old, new = resource_facts(before), resource_facts(after)
    is_other_version = before.kind.version != after.kind.version
    for key in sorted(old.keys() | new.keys()):
        if is_other_version and key in _OF_VERSION:
            continue
        if key == "subresources":
            former, later = set(old.get(key, ())), set(new.get(key, ()))
            for subresource in sorted(former ^ later):
                fragment = {key: [subresource]}
                if subresource in former:
                    yield _difference("subresource-removed", name, fragment, None)
                else:
                    yield _difference("subresource-added", name, None, fragment)
        elif old.get(key) != new.get(key):
            yield _difference(
                change_name(_SPELLINGS[key], presence(key, old, new)),
                name,
                {key: old[key]} if key in old else None,
                {key: new[key]} if key in new else None,
            )


def _difference(
    change: ChangeName,
    name: str,
    before: Mapping[str, Any] | None,
    after: Mapping[str, Any] | None,
) -> Difference:
    keyword = next(iter(before or after or {}))
    return Difference(change, name, None, (), keyword, before, after)
