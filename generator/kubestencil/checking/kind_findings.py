"""Findings about the kind of an object: removed, deprecated, not served."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from difflib import SequenceMatcher, get_close_matches
from functools import cache
from typing import Any

from kubestencil.checking.edits import Fix, Move, Put
from kubestencil.checking.findings import Problem
from kubestencil.checking.paths import Path, value_at
from kubestencil.checking.release import CheckedRelease
from kubestencil.checking.rules import RuleId
from kubestencil.errors import is_one_edit
from kubestencil.schema.kinds import precedence, version_stage
from kubestencil.schema.knowledge.configurations import is_configuration_group
from kubestencil.schema.knowledge.kinds import (
    KnownKind,
    built_in_groups,
    changed_meanings,
    custom_kinds,
    known_kind,
    lifecycles,
)
from kubestencil.schema.types import GroupVersionKind, group_version_kind
from kubestencil.source.releases import version_in

#: Configuration files of programs that look like objects, by group.
_CONFIGURATION = re.compile(
    r"(?:.*\.)?(?:config\.k8s\.io|kind\.x-k8s\.io|kubeadm\.k8s\.io)\Z|skaffold\Z|"
    r"(?:audit|client\.authentication)\.k8s\.io\Z"
)


# k8s.io/client-go/tools/clientcmd/api/v1.
_KUBECONFIG = group_version_kind("v1", "Config")


def kind_problem(kind: GroupVersionKind, release: CheckedRelease) -> Problem:
    """Why a release does not serve a kind of Kubernetes."""
    known = _known(kind, release)
    facts = known.lifecycle
    name = f"{kind.kind} of {kind.api_version}"
    custom = custom_kinds_of(kind.group, release)
    if custom:
        return _of_custom_kind(kind, custom)
    rule: RuleId = "unknown-kind"
    if (
        facts is None
        and is_of_kubernetes(kind)
        and not is_configuration_group(kind.group)
    ):
        message = f"no release has {name}"
    elif facts and known.is_removed:
        rule, message = "removed-kind", f"{name} was removed in {facts.removed}"
    elif facts and known.is_future:
        rule, message = "future-kind", f"{name} was added in {facts.introduced}"
    elif is_configuration_group(kind.group):
        message = f"no program of {release.name} reads {name}"
    else:
        message = f"{release.name} does not serve {name}"
    problem = _of_kind(rule, message, kind, _other_kind(kind, release))
    if "." in kind.group and not (
        is_of_kubernetes(kind) or _is_nearly_of_kubernetes(kind)
    ):
        hint = f"{problem.hint}, or name its CustomResourceDefinition with --crds"
        return problem._replace(hint=hint, fixes=())
    return problem


def custom_kinds_of(group: str, release: CheckedRelease) -> list[GroupVersionKind]:
    """The kinds of the CustomResourceDefinitions of a group; none of one that may have
    others."""
    if group in release.release.open_groups:
        return []
    return [kind for kind in release.release.custom_kinds if kind.group == group]


def _of_custom_kind(kind: GroupVersionKind, custom: list[GroupVersionKind]) -> Problem:
    """The problem of a kind or version that the CustomResourceDefinitions of its group
    do not have."""
    versions = [other for other in custom if other.kind == kind.kind]
    if versions:
        newest = max(versions, key=_rank)
        listed = ", ".join(sorted(other.version for other in versions))
        message = f"the CustomResourceDefinition of {kind.kind} has no {kind.version}: {listed}"
        return _of_kind("unknown-kind", message, kind, newest)
    names = sorted({other.kind for other in custom})
    message = f"no CustomResourceDefinition of {kind.group} has {kind.kind}"
    similar = _similar(kind.kind, names)
    meant = [other for other in custom if other.kind in similar]
    if meant:
        return _of_kind("unknown-kind", message, kind, max(meant, key=_rank))
    hint = f"they have {', '.join(names)}; name that of {kind.kind} with --crds"
    return Problem("unknown-kind", ("apiVersion",), message, hint)


_OLD_DEFAULTS = {
    ("Ingress", "pathType"): "ImplementationSpecific",
    ("CustomResourceDefinition", "scope"): "Namespaced",
}
# Versions that select pods by the labels of the template where nothing else is said.
_WITH_SELECTORS = ("extensions/v1beta1", "apps/v1beta1")


def other_meanings(
    value: Mapping[str, Any], kind: GroupVersionKind, successor: GroupVersionKind
) -> Iterator[Problem]:
    """What means something else in the kind that replaces that of an object."""
    for row in changed_meanings():
        path = tuple(row.path.split("."))
        if (
            (row.api_version, row.kind) == (kind.api_version, kind.kind)
            and successor.version != kind.version
            and value_at(value, path) == json.loads(row.value)
        ):
            yield Problem("changed-meaning", path, row.message)


def with_old_default(
    problem: Problem, value: Mapping[str, Any], kind: GroupVersionKind
) -> Problem:
    """A problem of an object as one of the kind that replaces its own; where a field is
    missing that servers filled in before (defaults.go beside the conversions), with
    that."""
    if problem.rule != "missing-field":
        return problem
    default: Any = _OLD_DEFAULTS.get((kind.kind, str(problem.path[-1])))
    what = default
    if problem.path == ("spec", "selector") and kind.api_version in _WITH_SELECTORS:
        labels = value_at(value, ("spec", "template", "metadata", "labels"))
        if labels and isinstance(labels, dict):
            default, what = {"matchLabels": labels}, "matchLabels as in the template"
    if default is None:
        return problem
    hint = f"{problem.hint}: servers filled in {what}"
    return problem._replace(hint=hint, fixes=((Put(problem.path, default),),))


def remarks_on_kind(
    kind: GroupVersionKind, release: CheckedRelease
) -> Iterator[Problem]:
    """Findings about a kind that the release can serve."""
    known = _known(kind, release)
    facts = known.lifecycle
    # Reading the resources of a release reads all of its kinds.
    resource = None if facts else release.release.resources.get(kind)
    if resource is not None and resource.deprecated:
        message = resource.deprecation_warning or f"{kind.api_version} is deprecated"
        newer = _newer_version(kind, release)
        yield _of_kind("deprecated-kind", message, kind, newer)
        return
    is_optional = not _is_default(kind, release)
    if facts and known.is_deprecated:
        message = (
            f"{kind.kind} of {kind.api_version} is deprecated since {known.deprecated}"
        )
        if known.removed:
            message += f", and not served from {known.removed} on"
        yield _of_kind("deprecated-kind", message, kind, _other_kind(kind, release))
    elif not is_optional and (newer := _newer_version(kind, release)):
        message = f"{release.name} serves {kind.kind} in {newer.api_version}, too"
        yield _of_kind("newer-version", message, kind, newer)
    if is_optional:
        message = (
            f"a server of {release.name} serves {kind.api_version} only if "
            "--runtime-config enables it"
        )
        other = _other_kind(kind, release)
        yield _of_kind("not-served-by-default", message, kind, other)


def meant_kind(
    kind: GroupVersionKind, release: CheckedRelease
) -> GroupVersionKind | None:
    """The kind of Kubernetes that is meant by one of a group that is nearly right, or of
    a name that no custom resource has; None for kinds that may exist."""
    if is_of_kubernetes(kind) or not has_name_of_kubernetes(kind):
        return None
    if "." not in kind.group or _is_nearly_of_kubernetes(kind):
        return _other_kind(kind, release)
    if kind.kind in {name for _, name in custom_kinds()}:
        return None
    meant = _other_kind(kind, release)
    return meant if meant and meant.kind == kind.kind else None


def has_name_of_kubernetes(kind: GroupVersionKind) -> bool:
    """Whether a kind of Kubernetes has the same name."""
    return kind.kind in _kind_names()


def _is_nearly_of_kubernetes(kind: GroupVersionKind) -> bool:
    """Whether a group is nearly one that has such a kind, or is in a domain that only
    Kubernetes has."""
    if (kind.group, kind.kind) in custom_kinds():
        return False
    domain = ".".join(kind.group.split(".")[-2:])
    is_upstream = domain == "kubernetes.io" or _is_like(domain, "k8s.io", 0.75)
    return (is_upstream and domain != "x-k8s.io") or any(
        _is_like(kind.group, other.group, 0.8)
        for other in lifecycles()
        if other.kind == kind.kind
    )


def _is_like(text: str, other: str, ratio: float) -> bool:
    return SequenceMatcher(None, text, other).ratio() >= ratio


def missing_kind(value: Any) -> Problem | None:
    """The problem of a document that is meant as an object: its apiVersion or kind is
    missing or misspelt, or it is a list of objects."""
    if isinstance(value, list):
        if value and all(isinstance(item, dict) and _is_named(item) for item in value):
            message = "is a list of objects, which no client reads"
            hint = "write each as a document of its own, after a line ---"
            return Problem("missing-kind", (), message, hint)
        return None
    if not isinstance(value, dict):
        return None
    missing = [name for name in _NAMES if not isinstance(value.get(name), str)]
    if len(missing) != 1 or not value.keys() & {"metadata", "spec", "data"}:
        return None
    (name,) = missing
    if name == "kind":
        is_known = value["apiVersion"] in _versions()
    else:
        is_known = value["kind"] in _kind_names()
    if not is_known:
        return None
    if name in value:
        message = "must be a string"
        return Problem("missing-kind", (name,), message, "write a string")
    for key in value:
        if (
            key not in _NAMES
            and SequenceMatcher(None, key.lower(), name.lower()).ratio() > 0.8
        ):
            fix: Fix = (Move((key,), (name,)),)
            hint = f"did you mean {name}?"
            return Problem("missing-kind", (key,), f"has no {name}", hint, True, (fix,))
    kinds = [kind for kind in lifecycles() if kind.kind == value.get("kind")]
    newest = max(kinds, key=_rank, default=None)
    hint = f"add apiVersion: {newest.api_version}" if newest else f"add {name}"
    return Problem("missing-kind", (), f"has no {name}", hint)


def refused_document(value: Any) -> Problem | None:
    """The problem of a document that is no object, beside others that are: a text, a
    list, a number, or an empty mapping, for which kubectl refuses the file."""
    if value is None or (isinstance(value, dict) and value):
        return None
    what: Mapping[type, str] = {
        dict: "an empty mapping",
        list: "a list",
        str: "a text",
    }
    message = f"the document is {what.get(type(value), 'a value')}, and no object"
    hint = "remove it, or indent it: a line --- ends a document, also inside of a text"
    return Problem("no-object", (), message, hint)


def is_of_kubernetes(kind: GroupVersionKind) -> bool:
    """Whether a kind is in a group of Kubernetes, whether or not it exists."""
    return kind.group in built_in_groups() or is_configuration_group(kind.group)


def is_unknown_configuration(kind: GroupVersionKind) -> bool:
    """Whether a kind is that of a configuration file of which no table has the fields."""
    is_known = is_configuration_group(kind.group)
    is_other = not kind.group and kind.version != "v1"
    return not is_known and (
        kind == _KUBECONFIG
        or _CONFIGURATION.match(kind.group) is not None
        # No version of the core group is another one than v1, as Talos' are.
        or (is_other and not has_name_of_kubernetes(kind))
    )


_NAMES = ("apiVersion", "kind")


def _is_named(value: Mapping[str, Any]) -> bool:
    return all(isinstance(value.get(name), str) for name in _NAMES)


@cache
def _kind_names() -> frozenset[str]:
    return frozenset(kind.kind for kind in lifecycles())


@cache
def _versions() -> frozenset[str]:
    return frozenset(kind.api_version for kind in lifecycles())


def _other_kind(
    kind: GroupVersionKind, release: CheckedRelease
) -> GroupVersionKind | None:
    """The kind to use instead, None where there is none."""
    successor = _known(kind, release).replacement
    if successor is not None and _is_default(successor, release):
        return successor
    same = sorted(
        (served for served in release.kinds if served.kind == kind.kind),
        key=lambda served: (served.group == kind.group, _rank(served)),
    )
    by_default = [served for served in same if _is_default(served, release)]
    if by_default:
        return by_default[-1] if by_default[-1] != kind else None
    if kind in release.kinds:
        return None
    # A kind that some release serves is no misspelt name of another one.
    if _known(kind, release).lifecycle is None:
        return _nearest_kind(kind, release)
    return same[-1] if same else None


def _nearest_kind(
    kind: GroupVersionKind, release: CheckedRelease
) -> GroupVersionKind | None:
    """The kind that a resource's name means (``pods``, ``po``), or that of a similar
    name, in the same group where that has it."""
    name = kind.kind.lower()
    names = {served.kind for served in release.kinds}
    similar = sorted(
        {
            resource.kind.kind
            for resource in release.release.resources.values()
            if name in (resource.plural, resource.singular, *resource.short_names)
        }
        & names
    ) or _similar(kind.kind, names)
    return max(
        (served for served in release.kinds if served.kind in similar),
        key=lambda served: (served.group == kind.group, _rank(served)),
        default=None,
    )


def _similar(name: str, names: Collection[str]) -> list[str]:
    """The name that is meant by a misspelt one; none where that is not clear."""
    near = [other for other in names if is_one_edit(name, other)]
    return get_close_matches(name, names, n=1, cutoff=0.8) or near * (len(near) == 1)


def _newer_version(
    kind: GroupVersionKind, release: CheckedRelease
) -> GroupVersionKind | None:
    """The preferred version of the same kind, where it is preferred to this one."""
    versions = release.versions(kind.group, kind.kind)
    others = (kind._replace(version=version) for version in versions)
    newer = (other for other in others if _rank(other) > _rank(kind))
    candidates = (other for other in newer if _is_default(other, release))
    return max(candidates, key=_rank, default=None)


def _is_default(kind: GroupVersionKind, release: CheckedRelease) -> bool:
    """Whether a server serves a kind without flags, as far as that is known."""
    return _known(kind, release).served_by_default is not False


def _known(kind: GroupVersionKind, release: CheckedRelease) -> KnownKind:
    return known_kind(kind, version_in(release.name))


def _rank(kind: GroupVersionKind) -> tuple[bool, tuple[int, int, int, str]]:
    return version_stage(kind.version) == "stable", precedence(kind.version)


def _of_kind(
    rule: RuleId,
    message: str,
    kind: GroupVersionKind,
    meant: GroupVersionKind | None,
) -> Problem:
    path: Path = ("apiVersion",)
    if meant is None:
        return Problem(rule, path, message)
    hint = f"use {meant.api_version}"
    fix: Fix = (Put(path, meant.api_version),)
    if meant.kind != kind.kind:
        hint = f"use {meant.kind} of {meant.api_version}"
        fix = (*fix, Put(("kind",), meant.kind))
        if meant.api_version == kind.api_version:
            path = ("kind",)
    return Problem(rule, path, message, hint, fixes=(fix,))
