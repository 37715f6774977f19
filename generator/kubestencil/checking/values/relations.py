"""Checks values in different parts of an object against each other: what a selector
matches, and what names something else."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from kubestencil.checking.files.placeholders import has_placeholder
from kubestencil.checking.findings import Path, Problem
from kubestencil.schema.types import GroupVersionKind

#: The problems of an object.
_Relation = Callable[[Mapping[str, Any]], Iterator[Problem]]

_APPS = ("DaemonSet", "Deployment", "ReplicaSet", "StatefulSet")
# Where the pods of a group and kind are. Those of a StatefulSet are left out: they have
# volumes of claims, too.
_PODS: Mapping[tuple[str, str], Path] = {
    ("", "Pod"): ("spec",),
    ("", "PodTemplate"): ("template", "spec"),
    ("", "ReplicationController"): ("spec", "template", "spec"),
    ("apps", "DaemonSet"): ("spec", "template", "spec"),
    ("apps", "Deployment"): ("spec", "template", "spec"),
    ("apps", "ReplicaSet"): ("spec", "template", "spec"),
    ("batch", "Job"): ("spec", "template", "spec"),
    ("batch", "CronJob"): ("spec", "jobTemplate", "spec", "template", "spec"),
}


def related_problems(
    value: Mapping[str, Any], kind: GroupVersionKind
) -> Iterator[Problem]:
    """What does not fit together in an object of a kind."""
    key = kind.group, kind.kind
    if key in _PODS:
        yield from _unknown_volumes(value, _PODS[key])
    relation = _RELATIONS.get(key)
    if relation is not None:
        yield from relation(value)


def _selector(value: Mapping[str, Any]) -> Iterator[Problem]:
    selector = _at(value, ("spec", "selector"))
    labels = selector.get("matchLabels") if isinstance(selector, dict) else None
    yield from _unmatched(value, labels)


def _simple_selector(value: Mapping[str, Any]) -> Iterator[Problem]:
    yield from _unmatched(value, _at(value, ("spec", "selector")))


def _unmatched(value: Mapping[str, Any], wanted: Any) -> Iterator[Problem]:
    """The problem of a template whose labels a selector does not match."""
    path = ("spec", "template", "metadata", "labels")
    labels = _at(value, path) or {}
    if not isinstance(wanted, dict) or not isinstance(labels, dict):
        return
    if not isinstance(_at(value, ("spec", "template")), dict):
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
    spec = _at(value, pods)
    volumes = _items(spec, "volumes")
    names = {volume.get("name") for _, volume in volumes}
    if not all(map(_is_known, names)):
        return
    for containers in ("initContainers", "containers"):
        for index, container in _items(spec, containers):
            for mount, entry in _items(container, "volumeMounts"):
                name = entry.get("name")
                if _is_known(name) and name and name not in names:
                    step = (containers, index, "volumeMounts", mount, "name")
                    message = f"the pod has no volume called {name!r}"
                    yield Problem("invalid-value", (*pods, *step), message)


def _subjects(value: Mapping[str, Any]) -> Iterator[Problem]:
    """A role binding gives its namespace to its subjects; others have none to give."""
    for index, subject in _items(value, "subjects"):
        if subject.get("kind") == "ServiceAccount" and not subject.get("namespace"):
            message = "required field 'namespace' is missing: kind is ServiceAccount"
            path = ("subjects", index, "namespace")
            yield Problem("missing-field", path, message, "add namespace")


def _ports(value: Mapping[str, Any]) -> Iterator[Problem]:
    spec = value.get("spec")
    ports = _items(spec, "ports")
    seen = set()
    for index, port in ports:
        path = ("spec", "ports", index)
        if len(ports) > 1 and not port.get("name"):
            message = "required field 'name' is missing: there are several ports"
            yield Problem("missing-field", (*path, "name"), message, "add name")
        key = port.get("port"), port.get("protocol") or "TCP"
        if key in seen and type(key[0]) is int:
            message = f"another port is {key[0]} of {key[1]}, too"
            yield Problem("duplicate-item", path, message)
        seen.add(key)


def _names_of_crd(value: Mapping[str, Any]) -> Iterator[Problem]:
    plural, group = (
        _at(value, ("spec", "names", "plural")),
        _at(value, ("spec", "group")),
    )
    name = _at(value, ("metadata", "name"))
    is_known = all(map(_is_known, (plural, group, name)))
    if is_known and name != f"{plural}.{group}":
        message = f"must be {plural}.{group}: the plural name and the group"
        yield Problem("invalid-name", ("metadata", "name"), message)
    stored = [
        entry.get("storage") for _, entry in _items(value.get("spec"), "versions")
    ]
    if stored and stored.count(True) != 1:
        message = "exactly one version must have storage: true"
        yield Problem("invalid-value", ("spec", "versions"), message)


_RELATIONS: Mapping[tuple[str, str], _Relation] = {
    **{("apps", kind): _selector for kind in _APPS},
    ("", "ReplicationController"): _simple_selector,
    ("", "Service"): _ports,
    ("rbac.authorization.k8s.io", "ClusterRoleBinding"): _subjects,
    ("apiextensions.k8s.io", "CustomResourceDefinition"): _names_of_crd,
}


def _is_known(value: Any) -> bool:
    """Whether a value is a text, and nothing is filled into it later."""
    return isinstance(value, str) and not has_placeholder(value)


def _at(value: Any, path: Path) -> Any:
    """The value at a path; None where there is none."""
    for step in path:
        if not isinstance(value, dict):
            return None
        value = value.get(step)
    return value


def _items(value: Any, name: str) -> list[tuple[int, dict[str, Any]]]:
    """The objects in a list of an object, with their indexes."""
    items = value.get(name) if isinstance(value, dict) else None
    if not isinstance(items, list):
        return []
    return [(index, item) for index, item in enumerate(items) if isinstance(item, dict)]
