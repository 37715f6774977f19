"""Finds resources that RBAC rules and webhook configurations name, and that a release
does not serve any more, and versions that custom resources are stored in.

The API server accepts such a rule, which then has no effect. What the object also names
under the name that replaces it is left for older releases, and no problem.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from kubestencil.checking.findings import Problem
from kubestencil.checking.paths import Path, items_at, texts_at
from kubestencil.checking.release import CheckedRelease
from kubestencil.schema.knowledge.coverage import covers
from kubestencil.schema.knowledge.kinds import (
    kinds_of_group,
    known_kind,
    lifecycles,
    plural_of,
)
from kubestencil.schema.types import GroupVersionKind
from kubestencil.source.releases import has_reached, release_order, version_in

_RBAC_KINDS = ("ClusterRole", "Role")
_OF_CRD = "apiextensions.k8s.io", "CustomResourceDefinition"
_REMOVE = "remove it from the rule"
_WEBHOOK_KINDS = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")


def removed_resources(
    value: Mapping[str, Any], kind: GroupVersionKind, release: CheckedRelease
) -> Iterator[Problem]:
    """A problem for each group, version or resource that rules in an object name and
    that was removed in ``release`` or before."""
    version = version_in(release.name)
    if version is None:
        return
    if kind.group == "rbac.authorization.k8s.io" and kind.kind in _RBAC_KINDS:
        yield from _of_rules(value, ("rules",), _of_rbac_rule, version)
    elif kind.group == "admissionregistration.k8s.io" and kind.kind in _WEBHOOK_KINDS:
        for webhook, _ in items_at(value, ("webhooks",)):
            yield from _of_rules(value, (*webhook, "rules"), _of_webhook_rule, version)


def stored_versions(
    value: Mapping[str, Any], kind: GroupVersionKind
) -> Iterator[Problem]:
    """A problem for each version that a CustomResourceDefinition of a cluster has
    objects in, and does not serve or deprecates."""
    if (kind.group, kind.kind) != _OF_CRD:
        return
    served = {
        str(version.get("name")): version
        for _, version in items_at(value, ("spec", "versions"))
        if version.get("served") is True
    }
    for at, name in texts_at(value, ("status", "storedVersions")):
        if name not in served:
            what = "which is not served"
        elif served[name].get("deprecated") is True:
            what = "which is deprecated"
        else:
            continue
        yield Problem(
            "stored-version",
            at,
            f"objects may be stored in {name}, {what}",
            f"write each object again, and take {name} out of status.storedVersions",
        )


class _Removed(NamedTuple):
    """The place where a rule names what was removed, which kinds those are, and what the
    problem with it is."""

    path: Path
    message: str
    kinds: Sequence[GroupVersionKind]


def _of_rules(
    value: Mapping[str, Any],
    at: Path,
    removed_in: Callable[[Mapping[str, Any], str], Iterator[_Removed]],
    minor: str,
) -> Iterator[Problem]:
    """The problems of the rules at a path, with what to name instead."""
    rules = [*items_at(value, at)]
    for path, rule in rules:
        for found in removed_in(rule, minor):
            successors = [known_kind(kind, minor).replacement for kind in found.kinds]
            unnamed = dict.fromkeys(
                f"{plural_of(kind)} of {kind.api_version}"
                for kind in filter(None, successors)
                if not any(_is_named(kind, other) for _, other in rules)
            )
            if unnamed or not all(successors) or not successors:
                hint = f"name {', '.join(unnamed)}" if unnamed else _REMOVE
                place = *path, *found.path
                yield Problem("removed-resource", place, found.message, hint)


def _is_named(kind: GroupVersionKind, rule: Mapping[str, Any]) -> bool:
    """Whether a rule is about a kind. Only those of webhooks name versions."""
    resources = {name.partition("/")[0] for name in _texts(rule, "resources")}
    versions = _texts(rule, "apiVersions") or {"*"}
    return all(
        (
            _texts(rule, "apiGroups") & {kind.group, "*"},
            versions & {kind.version, "*"},
            resources & {plural_of(kind), "*"},
        )
    )


def _texts(rule: Mapping[str, Any], field: str) -> set[str]:
    return {text for _, text in texts_at(rule, (field,))}


def _of_rbac_rule(rule: Mapping[str, Any], minor: str) -> Iterator[_Removed]:
    resources = texts_at(rule, ("resources",))
    names = {name.partition("/")[0] for _, name in resources}
    for at, group in texts_at(rule, ("apiGroups",)):
        of_group = kinds_of_group(group)
        if removal := _removal(of_group, minor):
            message = f"the group {group} was removed in {removal}"
            named = [kind for kind in of_group if plural_of(kind) in names]
            yield _Removed(at, message, named)
            continue
        for place, name in resources:
            plural = name.partition("/")[0]
            kinds = [kind for kind in of_group if plural_of(kind) == plural]
            if removal := _removal(kinds, minor):
                message = f"{name} of {group} was removed in {removal}"
                yield _Removed(place, message, kinds)


def _of_webhook_rule(rule: Mapping[str, Any], minor: str) -> Iterator[_Removed]:
    resources = {name.partition("/")[0] for name in _texts(rule, "resources")}
    for at, version in texts_at(rule, ("apiVersions",)):
        for group in sorted(_texts(rule, "apiGroups")):
            kinds = [
                kind
                for kind in kinds_of_group(group)
                if kind.version == version
                and (plural_of(kind) in resources or resources & {"*", "*/*"})
            ]
            if removal := _removal(kinds, minor):
                named = " and ".join(sorted(set(map(plural_of, kinds)))[:3])
                verb = "was" if len(kinds) == 1 else "were"
                what = f"{named} of {kinds[0].api_version} {verb} removed in {removal}"
                yield _Removed(at, what, kinds)


def _removal(kinds: Sequence[GroupVersionKind], version: str) -> str:
    """The release that removed the last of some kinds; empty where there are none, and
    where ``version`` or a later release serves one."""
    removals = [lifecycles()[kind].removed or "" for kind in kinds]
    if not removals or "" in removals:
        return ""
    last = max(removals, key=release_order)
    # What was planned for a release that nobody looked at may be served still.
    return last if has_reached(version, last) and covers("lifecycle", last) else ""
