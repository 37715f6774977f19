"""What an API server warns of in an object that it accepts: annotations and labels that
have been replaced, variables of an environment that hide others, unreadable PEM."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kubestencil.checking.files.placeholders import has_placeholder
from kubestencil.checking.findings import Problem
from kubestencil.checking.paths import Path, items_at, object_at, value_at
from kubestencil.checking.values.relations import pods_of
from kubestencil.checking.values.scalars import base64_error
from kubestencil.schema.knowledge.warnings import (
    NODE_LABELS,
    POD_ANNOTATIONS,
    Warned,
    warned,
    warned_annotations,
)
from kubestencil.schema.types import GroupVersionKind

_PEM = re.compile(r"-----BEGIN ([A-Z0-9 ]+)-----([^-]+)-----END \1-----")
_CONTAINERS = ("initContainers", "containers", "ephemeralContainers")


def warnings_of(
    value: Mapping[str, Any], kind: GroupVersionKind, release: str
) -> Iterator[Problem]:
    """The problems that a server of a release warns of."""
    keys = warned(release)
    yield from _annotations(value, (), warned_annotations(kind.kind, release))
    if (kind.kind, value.get("type")) == ("Secret", "kubernetes.io/tls"):
        yield from _unreadable_pem(value)
    pods = pods_of(kind)
    labels = {
        row.key: row for row in keys.get(NODE_LABELS, ()) if row.is_key_of_metadata
    }
    for path in _node_labels(value, pods or ("scheduling",)):
        name = path[-1] if path[-2] == "nodeSelector" else value_at(value, path)
        if isinstance(name, str) and name in labels:
            yield _problem(labels[name], name, path)
    if pods is not None:
        rows = keys.get(POD_ANNOTATIONS, ())
        yield from _annotations(value_at(value, pods[:-1]), pods[:-1], rows)
        ports: set[tuple[str, ...]] = set()
        for name in _CONTAINERS:
            for path, container in items_at(value, (*pods, name)):
                yield from _hidden_variables(container, path)
                if name != "ephemeralContainers":
                    yield from _repeated_ports(container, path, ports)


def _node_labels(value: Any, spec: Path) -> Iterator[Path]:
    """Where the specification of pods names labels of nodes."""
    for name in object_at(value, *spec, "nodeSelector"):
        yield *spec, "nodeSelector", name
    affinity = (*spec, "affinity", "nodeAffinity")
    required = "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms"
    preferred = "preferredDuringSchedulingIgnoredDuringExecution"
    terms = [path for path, _ in items_at(value, (*affinity, *required))]
    for path, _ in items_at(value, (*affinity, preferred)):
        terms.append((*path, "preference"))
    for term in terms:
        for path, _ in items_at(value, (*term, "matchExpressions")):
            yield *path, "key"
    for path, _ in items_at(value, (*spec, "topologySpreadConstraints")):
        yield *path, "topologyKey"


def _annotations(value: Any, path: Path, keys: Sequence[Warned]) -> Iterator[Problem]:
    place = ("metadata", "annotations")
    annotations = object_at(value, *place)
    if not annotations:
        return
    containers = {
        str(container.get("name")): container
        for name in _CONTAINERS
        for _, container in items_at(value, ("spec", name))
    }
    for row in keys:
        names = [row.key]
        context = ("securityContext", row.unless)
        is_superfluous = row.unless and value_at(value, ("spec", *context))
        if row.key.endswith("/"):
            is_superfluous = is_superfluous and row.unless != "seccompProfile"
            names = [
                f"{row.key}{name}"
                for name, container in containers.items()
                if value_at(container, context) is None
            ]
        for name in () if is_superfluous else names:
            if name in annotations:
                yield _problem(row, name, (*path, *place, name))


def _problem(row: Warned, key: str, path: Path) -> Problem:
    since = f" since {row.since}" if row.since else ""
    hint = f"use {row.instead}" if row.instead else "remove it"
    return Problem("server-warning", path, f"{key} is deprecated{since}", hint, True)


def _unreadable_pem(value: Mapping[str, Any]) -> Iterator[Problem]:
    """The certificate or the key that a server cannot read; it names the first."""
    for name, what in (("tls.crt", "CERTIFICATE"), ("tls.key", "PRIVATE KEY")):
        plain = value_at(value, ("stringData", name))
        text = value_at(value, ("data", name)) if plain is None else plain
        text = "" if text is None else text
        if not isinstance(text, str):
            return
        if plain is None and not has_placeholder(text):
            if base64_error(text) is not None:
                return  # A finding of its own.
            text = b64decode(text).decode("latin-1")
        if has_placeholder(text):
            return
        blocks = _PEM.findall(text)
        if not any(
            label.endswith(what) and base64_error(body.replace(" ", "")) is None
            for label, body in blocks
        ):
            path = "data" if plain is None else "stringData", name
            hint = f"begin it with -----BEGIN {what}-----"
            message = f"{name} has no {what.lower()} in PEM"
            yield Problem("server-warning", path, message, hint)
            return


def _hidden_variables(container: Mapping[str, Any], path: Path) -> Iterator[Problem]:
    """Variables that hide earlier ones without using their values."""
    seen: set[str] = set()
    for at, variable in items_at(container, ("env",)):
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


def _repeated_ports(
    container: Mapping[str, Any], path: Path, seen: set[tuple[str, ...]]
) -> Iterator[Problem]:
    """Ports of a container that another one, or the same one, has already."""
    for at, port in items_at(container, ("ports",)):
        number, protocol = port.get("containerPort"), port.get("protocol") or "TCP"
        key = tuple(
            map(str, (number, protocol, port.get("hostPort"), port.get("hostIP")))
        )
        if key in seen:
            message = f"the port {number} of {protocol} is defined before"
            yield Problem("server-warning", (*path, *at), message)
        seen.add(key)
