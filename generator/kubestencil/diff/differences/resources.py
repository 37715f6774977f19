"""Finds what differs in how kinds are served.

Of custom resources these are versions, names and columns, which are parts of a
CustomResourceDefinition beside its schemas, so that the keywords of the differences are
its fields. Of others these are the operations.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict
from typing import Any, NamedTuple

from kubestencil.diff.differences.definitions import Difference, presence
from kubestencil.diff.differences.names import (
    RESOURCE_PARTS,
    ChangeName,
    camel_case,
)
from kubestencil.schema import GroupVersionKind, Release
from kubestencil.schema.knowledge.resources import parameters_of
from kubestencil.schema.types import Resource
from kubestencil.source.releases import is_version

#: How kinds are served, by the names of their definitions.
Resources = Mapping[str, Resource]

# What is a matter of one version, and says nothing where two versions are compared.
_OF_VERSION = frozenset({"served", "storage", "deprecated", "deprecationWarning"})
# How names of changes spell the keys of a resource.
_SPELLINGS = {
    **{camel_case(part): part for part in RESOURCE_PARTS},
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
                f"{_SPELLINGS[key]}-{presence(key, old, new)}",
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


class OperationChange(NamedTuple):
    """A subresource, verbs or a parameter that only one release has.

    ``name`` names the change (``operation-added``, ``parameter-removed``), ``kind`` is
    the kind of the resource, None for a parameter of all resources. ``path`` is what
    changed, as in ``kubectl`` and in requests: ``pods/resize``, ``pods/log?stream``.
    ``detail`` is a sentence on it.
    """

    name: ChangeName
    kind: GroupVersionKind | None
    path: str
    detail: str

    @property
    def is_added(self) -> bool:
        """Whether the second release has it."""
        return self.name.endswith("-added")


def operation_changes(
    before: Release, after: Release, kinds: Collection[GroupVersionKind]
) -> Iterator[OperationChange]:
    """The changes of operations on some kinds, which both releases serve.

    None where a document has no paths and the tables of facts do not have its release.
    Those of custom resources are differences between their definitions.
    """
    if not (_has_resources(before) and _has_resources(after)):
        return
    custom = {**before.custom_kinds, **after.custom_kinds}
    for kind in sorted(set(kinds) - custom.keys()):
        old, new = before.resources.get(kind), after.resources.get(kind)
        if old is not None and new is not None and old != new:
            yield from _resource_changes(old, new)
    releases = before.kubernetes, after.kubernetes
    if releases[0] is not None and releases[1] is not None:
        plurals = {
            after.resources[kind].plural: kind
            for kind in sorted(kinds)
            if kind in after.resources
        }
        yield from _parameter_changes(releases[0], releases[1], plurals)


def _has_resources(release: Release) -> bool:
    return release.has_paths or is_version(release.name)


def _resource_changes(before: Resource, after: Resource) -> Iterator[OperationChange]:
    old = {"": before.verbs} | {item.name: item.verbs for item in before.subresources}
    new = {"": after.verbs} | {item.name: item.verbs for item in after.subresources}
    for name in sorted(old.keys() | new.keys()):
        path = f"{after.plural}/{name}" if name else after.plural
        former, later = set(old.get(name, ())), set(new.get(name, ()))
        changes: Mapping[ChangeName, set[str]] = {
            "operation-removed": former - later,
            "operation-added": later - former,
        }
        for change, verbs in changes.items():
            if verbs:
                detail = f"Verbs: {', '.join(sorted(verbs))}."
                yield OperationChange(change, after.kind, path, detail)


def _parameter_changes(
    before: str, after: str, plurals: Mapping[str, GroupVersionKind]
) -> Iterator[OperationChange]:
    """The query parameters that only one release has, by the tables of facts."""
    old, new = parameters_of(before), parameters_of(after)
    for resource, action, parameter in sorted(old ^ new):
        plural = resource.partition("/")[0]
        if plural and plural not in plurals:
            continue
        is_added = (resource, action, parameter) in new
        yield OperationChange(
            "parameter-added" if is_added else "parameter-removed",
            plurals.get(plural),
            f"{resource or action}?{parameter}",
            f"Parameter of the action {action}.",
        )
