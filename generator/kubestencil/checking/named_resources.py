"""Finds resources that RBAC rules and webhook configurations name, and that a release
does not serve any more, and versions that custom resources are stored in.

The API server accepts such a rule, which then has no effect.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from kubestencil.checking.findings import Path, Problem
from kubestencil.checking.release import CheckedRelease
from kubestencil.schema.facts.lifecycle import lifecycles, replacement
from kubestencil.schema.types import GroupVersionKind
from kubestencil.source.releases import minor_version_in, release_order

_RBAC_KINDS = ("ClusterRole", "Role")
_OF_CRD = "apiextensions.k8s.io", "CustomResourceDefinition"
_WEBHOOK_KINDS = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")


def removed_resources(
    value: Mapping[str, Any], kind: GroupVersionKind, release: CheckedRelease
) -> Iterator[Problem]:
    """A problem for each group, version or resource that rules in an object name and
    that was removed in ``release`` or before."""
    minor = minor_version_in(release.name)
    if minor is None:
        return
    if kind.group == "rbac.authorization.k8s.io" and kind.kind in _RBAC_KINDS:
        for path, rule in _rules(value, ()):
            yield from _of_rbac_rule(rule, path, minor)
    elif kind.group == "admissionregistration.k8s.io" and kind.kind in _WEBHOOK_KINDS:
        webhooks = value.get("webhooks")
        for index, webhook in enumerate(webhooks if type(webhooks) is list else ()):
            if type(webhook) is dict:
                for path, rule in _rules(webhook, ("webhooks", index)):
                    yield from _of_webhook_rule(rule, path, minor)


def stored_versions(
    value: Mapping[str, Any], kind: GroupVersionKind
) -> Iterator[Problem]:
    """A problem for each version that a CustomResourceDefinition of a cluster has
    objects in, and does not serve or deprecates."""
    spec, status = value.get("spec"), value.get("status")
    if (kind.group, kind.kind) != _OF_CRD or not (
        isinstance(spec, dict) and isinstance(status, dict)
    ):
        return
    versions = spec.get("versions")
    served = {
        str(version.get("name")): version
        for version in (versions if isinstance(versions, list) else ())
        if isinstance(version, dict) and version.get("served") is True
    }
    for index, name in _strings(status, "storedVersions"):
        if name not in served:
            what = "which is not served"
        elif served[name].get("deprecated") is True:
            what = "which is deprecated"
        else:
            continue
        yield Problem(
            "stored-version",
            ("status", "storedVersions", index),
            f"objects may be stored in {name}, {what}",
            f"write each object again, and take {name} out of status.storedVersions",
        )


def _of_rbac_rule(rule: Mapping[str, Any], path: Path, minor: str) -> Iterator[Problem]:
    groups = list(_strings(rule, "apiGroups"))
    resources = list(_strings(rule, "resources"))
    names = [name.partition("/")[0] for _, name in resources]
    for index, group in groups:
        of_group = _kinds_of_group(group)
        if _all_removed(of_group, minor):
            named = [kind for kind in of_group if _plural(kind) in names]
            yield _problem(
                (*path, "apiGroups", index),
                f"the group {group} was removed in {_last_removal(of_group)}",
                _replacements(named, minor),
            )
    for (index, name), plural in zip(resources, names, strict=True):
        for _, group in groups:
            of_group = _kinds_of_group(group)
            kinds = [kind for kind in of_group if _plural(kind) == plural]
            # A group without any kind is reported itself.
            if _all_removed(kinds, minor) and not _all_removed(of_group, minor):
                yield _problem(
                    (*path, "resources", index),
                    f"{name} of {group} was removed in {_last_removal(kinds)}",
                    _replacements(kinds, minor),
                )


def _of_webhook_rule(
    rule: Mapping[str, Any], path: Path, minor: str
) -> Iterator[Problem]:
    resources = {name.partition("/")[0] for _, name in _strings(rule, "resources")}
    for index, version in _strings(rule, "apiVersions"):
        for _, group in _strings(rule, "apiGroups"):
            kinds = [
                kind
                for kind in _kinds_of_group(group)
                if kind.version == version
                and (_plural(kind) in resources or resources & {"*", "*/*"})
            ]
            if _all_removed(kinds, minor):
                named = " and ".join(sorted({_plural(kind) for kind in kinds})[:3])
                yield _problem(
                    (*path, "apiVersions", index),
                    f"{named} of {kinds[0].api_version} "
                    f"{'was' if len(kinds) == 1 else 'were'} removed in "
                    f"{_last_removal(kinds)}",
                    _replacements(kinds, minor),
                )


def _problem(path: Path, message: str, hint: str) -> Problem:
    return Problem("removed-resource", path, message, hint or "remove it from the rule")


def _rules(
    value: Mapping[str, Any], path: Path
) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    rules = value.get("rules")
    for index, rule in enumerate(rules if type(rules) is list else ()):
        if type(rule) is dict:
            yield (*path, "rules", index), rule


def _strings(rule: Mapping[str, Any], key: str) -> Iterator[tuple[int, str]]:
    values = rule.get(key)
    for index, text in enumerate(values if type(values) is list else ()):
        if type(text) is str:
            yield index, text


@cache
def _kinds_of_group(group: str) -> tuple[GroupVersionKind, ...]:
    """The kinds that a group of Kubernetes has or had."""
    return tuple(kind for kind in lifecycles() if kind.group == group)


def _all_removed(kinds: Sequence[GroupVersionKind], minor: str) -> bool:
    """Whether there are kinds, and no release from ``minor`` on serves any of them."""
    removals = [lifecycles()[kind].removed for kind in kinds]
    return bool(removals) and all(
        removed is not None and release_order(removed) <= release_order(minor)
        for removed in removals
    )


def _last_removal(kinds: Iterable[GroupVersionKind]) -> str:
    """The release that removed the last of some removed kinds."""
    removed = (lifecycles()[kind].removed for kind in kinds)
    return max((release for release in removed if release), key=release_order)


def _replacements(kinds: Iterable[GroupVersionKind], minor: str) -> str:
    """A hint which resources to name instead."""
    successors = {kind: replacement(kind, minor) for kind in kinds}
    texts = dict.fromkeys(
        f"{_plural(successor)} of {successor.api_version}"
        for successor in successors.values()
        if successor is not None
    )
    return f"name {', '.join(texts)}" if texts else ""


def _plural(kind: GroupVersionKind) -> str:
    """The plural of a kind of Kubernetes (apimachinery, UnsafeGuessKindToResource)."""
    name = kind.kind.lower()
    if name.endswith("endpoints"):
        return name
    if name.endswith("s"):
        return f"{name}es"
    return f"{name[:-1]}ies" if name.endswith("y") else f"{name}s"
