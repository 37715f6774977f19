"""Checks values in different parts of an object against each other: what a selector
matches, and what names something else."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from kubestencil.checking.files.placeholders import has_placeholder
from kubestencil.checking.findings import Problem
from kubestencil.checking.paths import Path, items_at, value_at
from kubestencil.schema.types import GroupVersionKind

#: The problems of an object.
_Relation = Callable[[Mapping[str, Any]], Iterator[Problem]]

_APPS = ("DaemonSet", "Deployment", "ReplicaSet", "StatefulSet")
_TEMPLATE: Path = ("spec", "template", "spec")
_MATCH_LABELS: Path = ("spec", "selector", "matchLabels")
# Where the pods of a group and kind are.
_PODS: Mapping[tuple[str, str], Path] = {
    ("", "Pod"): ("spec",),
    ("", "PodTemplate"): ("template", "spec"),
    ("", "ReplicationController"): _TEMPLATE,
    **{("apps", kind): _TEMPLATE for kind in _APPS},
    ("batch", "Job"): _TEMPLATE,
    ("batch", "CronJob"): ("spec", "jobTemplate", *_TEMPLATE),
}


def related_problems(
    value: Mapping[str, Any], kind: GroupVersionKind
) -> Iterator[Problem]:
    """What does not fit together in an object of a kind."""
    if pods := pods_of(kind):
        yield from _unknown_volumes(value, pods)
    if relation := _RELATIONS.get((kind.group, kind.kind)):
        yield from relation(value)


def pods_of(kind: GroupVersionKind) -> Path | None:
    """Where a kind has the specification of pods; None where it has none."""
    return _PODS.get((kind.group, kind.kind))


def _unmatched(value: Mapping[str, Any], selector: Path) -> Iterator[Problem]:
    """The problem of a template whose labels a selector does not match."""
    path = ("spec", "template", "metadata", "labels")
    wanted, labels = value_at(value, selector), value_at(value, path) or {}
    template = value_at(value, _TEMPLATE[:-1])
    if not all(isinstance(part, dict) for part in (wanted, labels, template)):
        return
    texts = (*wanted.values(), *labels, *labels.values())
    if not all(map(_is_known, texts)):
        return
    for name, text in wanted.items():
        if labels.get(name) != text:
            message = f"the selector wants the label {name}: {text}"
            yield Problem("mismatched-selector", path, message)
            return


def _unknown_volumes(value: Mapping[str, Any], pods: Path) -> Iterator[Problem]:
    names = [volume.get("name") for _, volume in items_at(value, (*pods, "volumes"))]
    # Those of a StatefulSet have the volumes of its claims, too.
    for _, claim in items_at(value, ("spec", "volumeClaimTemplates")):
        names.append(value_at(claim, ("metadata", "name")))
    if not all(map(_is_known, names)):
        return
    for containers in ("initContainers", "containers"):
        for path, container in items_at(value, (*pods, containers)):
            for at, entry in items_at(container, ("volumeMounts",)):
                name = entry.get("name")
                if _is_known(name) and name and name not in names:
                    message = f"the pod has no volume called {name!r}"
                    yield Problem("invalid-value", (*path, *at, "name"), message)


def _subjects(value: Mapping[str, Any]) -> Iterator[Problem]:
    """A role binding gives its namespace to its subjects; others have none to give."""
    for path, subject in items_at(value, ("subjects",)):
        if subject.get("kind") == "ServiceAccount" and not subject.get("namespace"):
            message = "required field 'namespace' is missing: kind is ServiceAccount"
            path = (*path, "namespace")
            yield Problem("missing-field", path, message, "add namespace")


def _ports(value: Mapping[str, Any]) -> Iterator[Problem]:
    ports = items_at(value, ("spec", "ports"))
    is_internal = value_at(value, ("spec", "type")) in (None, "", "ClusterIP")
    seen = set()
    for path, port in ports:
        if len(ports) > 1 and not port.get("name"):
            message = "required field 'name' is missing: there are several ports"
            yield Problem("missing-field", (*path, "name"), message, "add name")
        if is_internal and port.get("nodePort"):
            message, place = "must not be set: type is ClusterIP", (*path, "nodePort")
            yield Problem("forbidden-field", place, message, of_key=True)
        number, protocol = port.get("port"), port.get("protocol") or "TCP"
        if type(number) is int and type(protocol) is str:
            if (number, protocol) in seen:
                message = f"another port is {number} of {protocol}, too"
                yield Problem("duplicate-item", path, message)
            seen.add((number, protocol))


def _names_of_crd(value: Mapping[str, Any]) -> Iterator[Problem]:
    plural = value_at(value, ("spec", "names", "plural"))
    group = value_at(value, ("spec", "group"))
    name = value_at(value, ("metadata", "name"))
    is_known = name and all(map(_is_known, (plural, group, name)))
    if is_known and name != f"{plural}.{group}":
        message = f"must be {plural}.{group}: the plural name and the group"
        yield Problem("invalid-name", ("metadata", "name"), message)
    versions = items_at(value, ("spec", "versions"))
    stored = [entry.get("storage") for _, entry in versions]
    if stored and stored.count(True) != 1:
        message = "exactly one version must have storage: true"
        yield Problem("invalid-value", ("spec", "versions"), message)


_RELATIONS: Mapping[tuple[str, str], _Relation] = {
    **{("apps", kind): partial(_unmatched, selector=_MATCH_LABELS) for kind in _APPS},
    ("", "ReplicationController"): partial(_unmatched, selector=_MATCH_LABELS[:-1]),
    ("", "Service"): _ports,
    ("rbac.authorization.k8s.io", "ClusterRoleBinding"): _subjects,
    ("apiextensions.k8s.io", "CustomResourceDefinition"): _names_of_crd,
}


def _is_known(value: Any) -> bool:
    """Whether a value is a text, and nothing is filled into it later."""
    return isinstance(value, str) and not has_placeholder(value)
