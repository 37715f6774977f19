"""What an API server warns of in an object that it accepts: annotations and labels that
have been replaced, and variables of an environment that hide others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kubestencil.checking.findings import Path, Problem
from kubestencil.schema.facts.warnings import WarnedKey, warned_keys
from kubestencil.schema.types import GroupVersionKind

# Where kinds have pods: the object with their metadata and spec.
_PODS: tuple[Path, ...] = (
    ("spec", "jobTemplate", "spec", "template"),
    ("spec", "template"),
    ("template",),
    (),
)
_CONTAINERS = ("initContainers", "containers", "ephemeralContainers")
_NODE_AFFINITY = ("spec", "affinity", "nodeAffinity")


def warnings_of(
    value: Mapping[str, Any], kind: GroupVersionKind, release: str
) -> Iterator[Problem]:
    """The problems that a server of a release warns of."""
    keys = warned_keys(release)
    yield from _annotations(value, (), keys.get(kind.kind, ()))
    for path in _PODS:
        pod = _at(value, path)
        if isinstance(_at(pod, ("spec", "containers")), list):
            yield from _of_pod(pod, path, keys)
            return
    labels = {row.key: row for row in keys.get("node-label", ())}
    for path in (("scheduling", "nodeSelector"),):
        yield from _labels(_at(value, path), path, labels)


def _of_pod(
    pod: Mapping[str, Any], path: Path, keys: Mapping[str, Sequence[WarnedKey]]
) -> Iterator[Problem]:
    yield from _annotations(pod, path, keys.get("pod-annotation", ()))
    labels = {row.key: row for row in keys.get("node-label", ())}
    selector = ("spec", "nodeSelector")
    yield from _labels(_at(pod, selector), (*path, *selector), labels)
    required = (
        *_NODE_AFFINITY,
        "requiredDuringSchedulingIgnoredDuringExecution",
        "nodeSelectorTerms",
    )
    preferred = (*_NODE_AFFINITY, "preferredDuringSchedulingIgnoredDuringExecution")
    for terms, inner in ((required, ()), (preferred, ("preference",))):
        for at, term in _items(pod, terms):
            for place, expression in _items(term, (*inner, "matchExpressions")):
                key_path = (*path, *at, *place, "key")
                yield from _label(expression.get("key"), key_path, labels)
    for at, constraint in _items(pod, ("spec", "topologySpreadConstraints")):
        key_path = (*path, *at, "topologyKey")
        yield from _label(constraint.get("topologyKey"), key_path, labels)
    for containers in _CONTAINERS:
        for at, container in _items(pod, ("spec", containers)):
            yield from _hidden_variables(container, (*path, *at))
    yield from _repeated_ports(pod, path)


def _annotations(
    value: Mapping[str, Any], path: Path, keys: Sequence[WarnedKey]
) -> Iterator[Problem]:
    place = ("metadata", "annotations")
    annotations = _at(value, place)
    if not keys or not isinstance(annotations, dict):
        return
    for row in keys:
        names = [row.key]
        contexts = [_at(value, ("spec", "securityContext"))]
        if row.key.endswith("/"):
            containers = {
                str(container.get("name")): container
                for name in _CONTAINERS
                for _, container in _items(value, ("spec", name))
            }
            names = [
                f"{row.key}{name}"
                for name, container in containers.items()
                if _at(container, ("securityContext", row.unless)) is None
            ]
            if row.unless == "seccompProfile":
                contexts = []
        if row.unless and any(_at(context, (row.unless,)) for context in contexts):
            continue
        for name in names:
            if name in annotations:
                yield _problem(row, name, (*path, *place, name))


def _labels(
    selector: Any, path: Path, labels: Mapping[str, WarnedKey]
) -> Iterator[Problem]:
    for key in selector if isinstance(selector, dict) else ():
        yield from _label(key, (*path, key), labels)


def _label(key: Any, path: Path, labels: Mapping[str, WarnedKey]) -> Iterator[Problem]:
    row = labels.get(key) if isinstance(key, str) else None
    if row is not None:
        yield _problem(row, row.key, path)


def _problem(row: WarnedKey, key: str, path: Path) -> Problem:
    since = f" since {row.since}" if row.since else ""
    hint = f"use {row.instead}" if row.instead else "remove it"
    return Problem("server-warning", path, f"{key} is deprecated{since}", hint, True)


def _hidden_variables(container: Mapping[str, Any], path: Path) -> Iterator[Problem]:
    """Variables that hide earlier ones without using their values."""
    seen: set[str] = set()
    for at, variable in _items(container, ("env",)):
        name, text = variable.get("name"), variable.get("value") or ""
        if not isinstance(name, str) or not isinstance(text, str):
            continue
        reference = f"$({name})"
        uses_other = reference in text and text != reference
        if name in seen and ("valueFrom" in variable or not uses_other):
            message = f"hides the variable {name} that is before it"
            hint = "remove one of the two: kubectl apply may drop either"
            yield Problem("server-warning", (*path, *at), message, hint)
        seen.add(name)


def _repeated_ports(pod: Mapping[str, Any], path: Path) -> Iterator[Problem]:
    """Ports of containers that another container, or the same one, has already."""
    seen: set[tuple[str, ...]] = set()
    for containers in _CONTAINERS[:2]:
        for at, container in _items(pod, ("spec", containers)):
            for place, port in _items(container, ("ports",)):
                key = str(port.get("containerPort")), str(port.get("protocol") or "TCP")
                host = str(port.get("hostPort")), str(port.get("hostIP"))
                if (*key, *host) in seen:
                    message = f"the port {key[0]} of {key[1]} is defined before"
                    yield Problem("server-warning", (*path, *at, *place), message)
                seen.add((*key, *host))


def _at(value: Any, path: Path) -> Any:
    """The value at a path; None where there is none."""
    for step in path:
        value = value.get(step) if isinstance(value, dict) else None
    return value


def _items(value: Any, path: Path) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """The objects in the list at a path, with their paths."""
    items = _at(value, path)
    for index, item in enumerate(items if isinstance(items, list) else ()):
        if isinstance(item, dict):
            yield (*path, index), item
