"""Findings about the kind of an object: removed, deprecated, not served."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches
from functools import cache

from kubestencil.checking.findings import Problem
from kubestencil.checking.release import CheckedRelease
from kubestencil.checking.rules import RuleId
from kubestencil.schema.facts.lifecycle import (
    Lifecycle,
    lifecycle,
    lifecycles,
    replacement,
    served_by_default,
)
from kubestencil.schema.kinds import precedence, version_stage
from kubestencil.schema.types import GroupVersionKind
from kubestencil.source.releases import minor_version_in, release_order

#: Configuration files of programs that look like objects, by group.
_CONFIGURATION = re.compile(
    r"(?:.*\.)?(?:config\.k8s\.io|kind\.x-k8s\.io|kubeadm\.k8s\.io)\Z|skaffold\Z|"
    r"(?:audit|client\.authentication)\.k8s\.io\Z"
)


def kind_problem(kind: GroupVersionKind, release: CheckedRelease) -> Problem:
    """Why a release does not serve a kind of Kubernetes."""
    facts = lifecycle(kind)
    minor = minor_version_in(release.name)
    name = f"{kind.kind} of {kind.api_version}"
    hint = _other_kind(kind, release)
    if facts is None and is_of_kubernetes(kind):
        return _of_kind("unknown-kind", f"no release has {name}", hint)
    if facts and facts.removed and minor and _reached(facts.removed, minor):
        return _of_kind("removed-kind", f"{name} was removed in {facts.removed}", hint)
    if facts and minor and not _reached(facts.introduced, minor):
        return _of_kind("future-kind", f"{name} was added in {facts.introduced}", hint)
    return _of_kind("unknown-kind", f"{release.name} does not serve {name}", hint)


def remarks_on_kind(
    kind: GroupVersionKind, release: CheckedRelease
) -> Iterator[Problem]:
    """Findings about a kind that the release can serve."""
    minor = minor_version_in(release.name)
    facts = lifecycle(kind)
    # Reading the resources of a release reads all of its kinds.
    resource = None if facts else release.release.resources.get(kind)
    if resource is not None and resource.deprecated:
        message = resource.deprecation_warning or f"{kind.api_version} is deprecated"
        newer = _newer_version(kind, release)
        hint = f"use {newer.api_version}" if newer else ""
        yield _of_kind("deprecated-kind", message, hint)
        return
    is_deprecated = (
        facts is not None
        and minor is not None
        and facts.deprecated is not None
        and _reached(facts.deprecated, minor)
    )
    if facts is not None and is_deprecated:
        message = _deprecation(kind, facts)
        yield _of_kind("deprecated-kind", message, _other_kind(kind, release))
    if minor and served_by_default(kind, minor) is False:
        yield _of_kind(
            "not-served-by-default",
            f"a server of {release.name} serves {kind.api_version} only if "
            "--runtime-config enables it",
            _other_kind(kind, release),
        )
    elif not is_deprecated:
        newer = _newer_version(kind, release)
        if newer is not None:
            yield _of_kind(
                "newer-version",
                f"{release.name} serves {kind.kind} in {newer.api_version}, too",
                f"use {newer.api_version}",
            )


def is_of_kubernetes(kind: GroupVersionKind) -> bool:
    """Whether a kind is in a group of Kubernetes, whether or not it exists."""
    return kind.group in _groups()


def is_configuration(kind: GroupVersionKind) -> bool:
    """Whether a kind is that of a configuration file, which no server serves."""
    return _CONFIGURATION.match(kind.group) is not None


@cache
def _groups() -> frozenset[str]:
    return frozenset(kind.group for kind in lifecycles())


def _reached(change: str, release: str) -> bool:
    return release_order(change) <= release_order(release)


def _deprecation(kind: GroupVersionKind, facts: Lifecycle) -> str:
    text = f"{kind.kind} of {kind.api_version} is deprecated since {facts.deprecated}"
    return f"{text}, and not served from {facts.removed} on" if facts.removed else text


def _other_kind(kind: GroupVersionKind, release: CheckedRelease) -> str:
    """A hint which kind to use instead."""
    minor = minor_version_in(release.name)
    successor = None if minor is None else replacement(kind, minor)
    if successor is None:
        same = [served for served in release.kinds if served.kind == kind.kind]
        same.sort(key=lambda served: (served.group == kind.group, _rank(served)))
        successor = same[-1] if same and same[-1] != kind else None
    if successor is None:
        return "" if kind in release.kinds else _nearest_kind(kind, release)
    if successor.kind == kind.kind:
        return f"use {successor.api_version}"
    return f"use {successor.kind} of {successor.api_version}"


def _nearest_kind(kind: GroupVersionKind, release: CheckedRelease) -> str:
    names = {served.kind for served in release.kinds}
    similar = get_close_matches(kind.kind, names, n=1, cutoff=0.8)
    return f"did you mean {similar[0]}?" if similar else ""


def _newer_version(
    kind: GroupVersionKind, release: CheckedRelease
) -> GroupVersionKind | None:
    """The preferred version of the same kind, where it is preferred to this one."""
    minor = minor_version_in(release.name)
    versions = release.versions(kind.group, kind.kind)
    candidates = [
        other
        for other in (kind._replace(version=version) for version in versions)
        if _rank(other) > _rank(kind)
        and (minor is None or served_by_default(other, minor) is not False)
    ]
    return max(candidates, key=_rank, default=None)


def _rank(kind: GroupVersionKind) -> tuple[bool, tuple[int, int, int, str]]:
    return version_stage(kind.version) == "stable", precedence(kind.version)


def _of_kind(rule: RuleId, message: str, hint: str) -> Problem:
    return Problem(rule, ("apiVersion",), message, hint)
