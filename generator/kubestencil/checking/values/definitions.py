"""What a CustomResourceDefinition is refused for, as far as that is known without the API
server's code: names, versions, and schemas that are not structural."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kubestencil.checking.findings import Problem
from kubestencil.checking.paths import Path
from kubestencil.errors import SpecError
from kubestencil.schema.types import GroupVersionKind

_KIND = GroupVersionKind("apiextensions.k8s.io", "v1", "CustomResourceDefinition")


def definition_problems(
    value: Mapping[str, Any], kind: GroupVersionKind
) -> Iterator[Problem]:
    """The first problem of a CustomResourceDefinition: of others, nothing is known before
    it is solved."""
    if kind != _KIND:
        return
    # Few manifests have any.
    from kubestencil.schema.custom_resources.crd import custom_resource
    from kubestencil.schema.custom_resources.standard_fields import StandardFields

    try:
        custom_resource(value, "", StandardFields.of({}), unserved=True)
    except SpecError as error:
        pointer = error.where.partition("#")[2]
        message = f"{pointer.rpartition('/')[2]} {error.what}"
        yield Problem("invalid-value", _path(pointer, value), message, error.hint)


def _path(pointer: str, value: Any) -> Path:
    """The part of a JSON pointer that an object has, as a path."""
    path: list[str | int] = []
    for token in pointer.split("/")[1:]:
        step: str | int = token.replace("~1", "/").replace("~0", "~")
        if isinstance(value, list) and token.isdecimal() and int(token) < len(value):
            step = int(token)
            value = value[step]
        elif isinstance(value, Mapping) and step in value:
            value = value[step]
        else:
            break
        path.append(step)
    return tuple(path)
