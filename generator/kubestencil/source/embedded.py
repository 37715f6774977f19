"""The embedded documents: those in the PyPI package ``kubernetes-validate``.

The package has the definitions of every minor release from 1.25 on, at the first
patch, converted to JSON Schema. Each step of the conversion is reverted by a function
here, and a step that has no effect is an error: a newer version of the package may
convert in another way.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from kubestencil.errors import SourceError
from kubestencil.source.document import Source
from kubestencil.source.releases import release_order

PACKAGE = "kubernetes-validate"
_FOLDER = re.compile(r"v(\d+\.\d+)\.\d+-local\Z")
_STRING_TYPES: Mapping[str, Mapping[str, str]] = {
    "io.k8s.apimachinery.pkg.api.resource.Quantity": {"type": "string"},
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": {
        "type": "string",
        "format": "int-or-string",
    },
}

Definitions = dict[str, Any]


@cache
def releases() -> Mapping[str, Path]:
    """The file of each release in the installed package, oldest release first."""
    spec = find_spec("kubernetes_validate")
    if spec is None or not spec.submodule_search_locations:
        return {}
    root = Path(spec.submodule_search_locations[0]) / "kubernetes-json-schema"
    matches = ((folder, _FOLDER.match(folder.name)) for folder in root.glob("v*-local"))
    files = {
        match[1]: folder / "_definitions.json" for folder, match in matches if match
    }
    return dict(sorted(files.items(), key=lambda item: release_order(item[0])))


def read(release: str) -> Source:
    """The embedded document of ``release``, which is one of ``releases()``.

    Its ``document()`` raises SourceError where the conversion cannot be reverted.
    """
    path = releases()[release]
    origin = f"{PACKAGE}, {path.parent.name.removesuffix('-local')}"
    return Source(release, origin, path.read_bytes(), revert=_revert)


@cache
def standard_types() -> bytes:
    """An OpenAPI document, as JSON, with the types of custom resources' standard fields.

    These are ObjectMeta and ListMeta of the newest release, with what they refer to.
    Pod and PodList are there with the standard fields only, which describe them.
    Raises SourceError where ``kubernetes-validate`` is missing.
    """
    if not releases():
        raise SourceError(
            "is not installed: custom resources need its ObjectMeta",
            where=PACKAGE,
            hint=f"pip install {PACKAGE}",
        )
    document = read(list(releases())[-1]).document()
    definitions = document["definitions"]
    kinds = {}
    for name in ("io.k8s.api.core.v1.Pod", "io.k8s.api.core.v1.PodList"):
        fields = definitions[name]["properties"]
        standard = {
            field: fields[field] for field in ("apiVersion", "kind", "metadata")
        }
        kinds[name] = {"type": "object", "properties": standard}
    pending = list(_references(kinds))
    names: set[str] = set()
    while pending:
        name = pending.pop()
        if name not in names:
            names.add(name)
            pending += _references(definitions[name])
    types = {name: definitions[name] for name in definitions if name in names}
    return json.dumps({**document, "definitions": {**types, **kinds}}).encode()


def _references(value: Any) -> Iterator[str]:
    """The names of the definitions that a value refers to."""
    if isinstance(value, dict):
        reference = value.get("$ref")
        if isinstance(reference, str):
            yield reference.removeprefix("#/definitions/")
        for inner in value.values():
            yield from _references(inner)


def _revert(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """A document with the published definitions; the package has nothing else."""
    definitions = _revert_schema(document["$defs"])
    for step in _STEPS:
        if not step(definitions):
            raise SourceError(
                f"the correction {step.__name__} never applied",
                where=PACKAGE,
                hint="this version of the package is newer than kubestencil supports: "
                "install an older one, or use --specs",
            )
    return {
        "swagger": "2.0",
        "info": {"title": "Kubernetes", "version": "unversioned"},
        "paths": {},
        "definitions": definitions,
    }


def _revert_schema(schema: Any) -> Any:
    """A schema with ``"type": "T"`` for ``"type": ["T", "null"]``, and references to
    ``#/definitions/X`` for those to ``#/$defs/X``."""
    if isinstance(schema, dict):
        result = {key: _revert_schema(value) for key, value in schema.items()}
        type_, reference = schema.get("type"), schema.get("$ref")
        if isinstance(type_, list) and type_[1:] == ["null"]:
            result["type"] = type_[0]
        if isinstance(reference, str):
            result["$ref"] = reference.replace("#/$defs/", "#/definitions/", 1)
        return result
    return [*map(_revert_schema, schema)] if isinstance(schema, list) else schema


def _revert_kind_enums(definitions: Definitions) -> bool:
    """Remove the ``enum`` of ``apiVersion`` and ``kind``, which has the served kinds."""
    changed = False
    for definition in definitions.values():
        kinds = definition.get("x-kubernetes-group-version-kind", ())
        properties = definition.get("properties", {})
        for name, served in (
            ("apiVersion", {_api_version(kind) for kind in kinds}),
            ("kind", {kind["kind"] for kind in kinds}),
        ):
            schema = properties.get(name)
            if schema and served and set(schema.get("enum", ())) == served:
                del schema["enum"]
                changed = True
    return changed


def _revert_types(definitions: Definitions) -> bool:
    """Make Quantity and IntOrString the strings that they are published as; their
    descriptions are not in the package."""
    for name, original in _STRING_TYPES.items():
        if "oneOf" not in definitions.get(name, {}):
            return False
        definitions[name] = dict(original)
    return True


_STEPS: tuple[Callable[[Definitions], bool], ...] = (
    _revert_kind_enums,
    _revert_types,
)


def _api_version(kind: Mapping[str, str]) -> str:
    return f"{kind['group']}/{kind['version']}" if kind["group"] else kind["version"]
