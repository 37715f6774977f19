"""Paths of the API server as fields of the object that it was given: its code validates
objects in a form of its own, whose fields may be called otherwise than in a version."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from kubestencil.checking.paths import Path, value_at
from kubestencil.validator.protocol import Cause

#: The path of a whole custom resource.
WHOLE = "<nil>"
_MAX_DIGITS = 10
_NAME: Path = ("metadata", "name")
# A step of a path of the server: a name, an index, or a key in brackets.
STEP = re.compile(r"\.?([A-Za-z_][\w-]*)|\[([^\]]*)\]")


class _Rename(NamedTuple):
    """The beginning of a path that a kind of an API version has under another name."""

    api_version: str
    kind: str
    internal: str
    written: str


# From the conversions of k8s.io/kubernetes (pkg/apis/*/v*/conversion.go), and of
# apiextensions-apiserver, which has once for all versions what is the same in all.
_RENAMES = (
    *(
        _Rename(
            "apiextensions.k8s.io/v1",
            "CustomResourceDefinition",
            f"spec.{internal}",
            f"spec.versions[0].{written}",
        )
        for internal, written in (
            ("validation", "schema"),
            ("subresources", "subresources"),
            ("additionalPrinterColumns", "additionalPrinterColumns"),
            ("selectableFields", "selectableFields"),
            ("version", "name"),
        )
    ),
    *(
        _Rename("events.k8s.io/v1", "Event", internal, written)
        for internal, written in (
            ("count", "deprecatedCount"),
            ("firstTimestamp", "deprecatedFirstTimestamp"),
            ("lastTimestamp", "deprecatedLastTimestamp"),
            ("source", "deprecatedSource"),
            ("message", "note"),
            ("involvedObject", "regarding"),
        )
    ),
    _Rename(
        "autoscaling/v1",
        "HorizontalPodAutoscaler",
        "spec.metrics[0].resource.target.averageUtilization",
        "spec.targetCPUUtilizationPercentage",
    ),
    _Rename("v1", "Node", "metadata.taints", "spec.taints"),
    # The server copies the one value to the list of all.
    _Rename("v1", "Node", "spec.podCIDRs[0]", "spec.podCIDR"),
    _Rename("v1", "Service", "spec.clusterIPs[0]", "spec.clusterIP"),
    # The server merges what is text into the data.
    _Rename("v1", "Secret", "data", "stringData"),
)
# Of the templates of Pods, metadata is left out.
_OF_TEMPLATE = re.compile(r"(\btemplate)\.(?=labels\b|annotations\b)")


# A path that only the message has: "spec.addresses[1]" must validate at least one schema.
_IN_MESSAGE = re.compile(
    r'Invalid value: (?:.{0,100}?: )?"([\w.\[\]-]{1,300})" must validate'
    r'|.{0,300}?: unknown field "([\w.\[\]-]{1,300})"'
)


# What Go prints of a struct, list or map, in the names of the server's own code:
# ``{"MinAvailable":1}``, and in older releases ``policy.PodDisruptionBudgetSpec{
# MinAvailable:(*intstr.IntOrString)(0xc0004d2a00)}``, whose addresses differ each time.
_PRINTED = re.compile(
    r"\A(\w+ value): [\w.*&\[\]()]{0,100}[{\[(].*?[}\])](?=: |\Z)", re.DOTALL
)


def as_written(cause: Cause, value: Mapping[str, Any]) -> Cause:
    """A cause with the path that its field has in the version of an object, and without
    what Go prints of objects, lists and maps."""
    cause = cause._replace(message=_PRINTED.sub(r"\1", cause.message))
    named = _IN_MESSAGE.match(cause.message)
    if named and cause.field in ("", WHOLE):
        return cause._replace(field=named[1] or named[2])
    if _is_of_name(cause, value):
        return cause._replace(field="metadata.name")
    return cause._replace(field=written_field(cause.field, value))


def written_field(field: str, value: Mapping[str, Any]) -> str:
    """The path that a field has in the version of an object."""
    if not located(field, value)[1]:
        return field
    field = _OF_TEMPLATE.sub(r"\1.metadata.", field)
    kind = value.get("apiVersion"), value.get("kind")
    for rename in _RENAMES:
        rest = field.removeprefix(rename.internal)
        is_same = kind == (rename.api_version, rename.kind)
        if is_same and rest != field and rest[:1] in ("", ".", "["):
            return f"{rename.written}{rest}"
    return field


def _is_of_name(cause: Cause, value: Mapping[str, Any]) -> bool:
    """Whether the server refuses the label that a Namespace gets of its name."""
    is_label = value.get("kind") == "Namespace" and cause.field == "metadata.labels"
    return is_label and cause.bad_value == json.dumps(value_at(value, _NAME))


def located(field: str, value: Any) -> tuple[Path, str]:
    """The part of a path of the server that an object has, and the rest of it:
    ``spec.containers[0].image`` of a container without an image is
    ``("spec", "containers", 0)`` and ``.image``.

    Some paths have other capitals, or leave out the list that has an item.
    """
    path: list[str | int] = []
    position = 0
    while match := STEP.match(field, position):
        steps = _steps(match[1], match[2], value)
        if not steps:
            break
        for step in steps:
            path.append(step)
            value = value[step]
        position = match.end()
    return tuple(path), field[position:]


def _steps(name: str | None, key: str | None, value: Any) -> Sequence[str | int]:
    """The steps of an object that one of the server means; none where it has none."""
    if isinstance(value, list):
        is_index = (key or "").isdecimal() and len(key or "") < _MAX_DIGITS
        return (int(key),) if is_index and key and int(key) < len(value) else ()
    wanted = name or key
    if not isinstance(value, Mapping) or not wanted:
        return ()
    if wanted in value:
        return (wanted,)
    alike = [other for other in value if str(other).lower() == wanted.lower()]
    if alike:
        return (alike[0],)
    items = list(_items_with(wanted, value)) if name else []
    return (*items[0], wanted) if len(items) == 1 else ()


def _items_with(name: str, value: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    for key, items in value.items():
        for index, item in enumerate(items if isinstance(items, list) else ()):
            if isinstance(item, Mapping) and name in item:
                yield key, index
