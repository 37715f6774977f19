"""Finds resources that RBAC rules and webhook configurations name, and that a release
does not serve any more, and versions that custom resources are stored in.

The API server accepts such a rule, which then has no effect.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

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
        for path, rule in items_at(value, ("rules",)):
            yield from _of_rbac_rule(rule, path, version)
    elif kind.group == "admissionregistration.k8s.io" and kind.kind in _WEBHOOK_KINDS:
        for webhook, _ in items_at(value, ("webhooks",)):
            for path, rule in items_at(value, (*webhook, "rules")):
                yield from _of_webhook_rule(rule, path, version)


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


def _of_rbac_rule(rule: Mapping[str, Any], path: Path, minor: str) -> Iterator[Problem]:
    resources = texts_at(rule, ("resources",))
    names = {name.partition("/")[0] for _, name in resources}
    for at, group in texts_at(rule, ("apiGroups",)):
        of_group = kinds_of_group(group)
        if removal := _removal(of_group, minor):
            message = f"the group {group} was removed in {removal}"
            named = [kind for kind in of_group if plural_of(kind) in names]
            yield _problem((*path, *at), message, named, minor)
            continue
        for place, name in resources:
            plural = name.partition("/")[0]
            kinds = [kind for kind in of_group if plural_of(kind) == plural]
            if removal := _removal(kinds, minor):
                message = f"{name} of {group} was removed in {removal}"
                yield _problem((*path, *place), message, kinds, minor)


def _of_webhook_rule(
    rule: Mapping[str, Any], path: Path, minor: str
) -> Iterator[Problem]:
    names = texts_at(rule, ("resources",))
    resources = {name.partition("/")[0] for _, name in names}
    for at, version in texts_at(rule, ("apiVersions",)):
        for _, group in texts_at(rule, ("apiGroups",)):
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
                yield _problem((*path, *at), what, kinds, minor)


def _problem(
    path: Path, message: str, kinds: Sequence[GroupVersionKind], minor: str
) -> Problem:
    """The problem of a rule that names removed kinds, with what to name instead."""
    successors = (known_kind(kind, minor).replacement for kind in kinds)
    texts = dict.fromkeys(
        f"{plural_of(kind)} of {kind.api_version}" for kind in successors if kind
    )
    hint = f"name {', '.join(texts)}" if texts else "remove it from the rule"
    return Problem("removed-resource", path, message, hint)


def _removal(kinds: Sequence[GroupVersionKind], version: str) -> str:
    """The release that removed the last of some kinds; empty where there are none, and
    where ``version`` or a later release serves one."""
    removals = [lifecycles()[kind].removed or "" for kind in kinds]
    if not removals or "" in removals:
        return ""
    last = max(removals, key=release_order)
    # What was planned for a release that nobody looked at may be served still.
    return last if has_reached(version, last) and covers("lifecycle", last) else ""
