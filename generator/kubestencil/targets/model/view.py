"""The view ``model``: hands templates the parsed release in Kubernetes' own words.

With it a target is a folder: ``target.toml`` and templates, no code. The table
``[types]`` of the manifest is handed to the templates as it is, as ``types``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from kubestencil.engine import Contexts, Each, FileContext, Target
from kubestencil.engine.view import PublicName
from kubestencil.schema import GroupVersionKind, Release
from kubestencil.source.releases import package_version
from kubestencil.targets.model.linked import (
    Component,
    GroupVersion,
    LinkedDefinition,
    LinkedSchema,
)
from kubestencil.targets.model.values import Group, Model, make_model

_GROUP = "the group: core, apps, resource.k8s.io, meta"
_VERSION = "the version: v1, v1beta1, or unversioned"
_DEFINITION = {
    "name": "the full name: io.k8s.api.apps.v1.Deployment",
    "kind": "the last part of the name: Deployment",
    "group": _GROUP,
    "version": _VERSION,
}
_SHARED = {
    "model": Annotated[Model, "the whole release"],
    "types": Annotated[Mapping[str, str], "the table [types] of the manifest"],
    "package_version": Annotated[
        str, "the version of a package for the release: 1.35.0, or 0.0.0"
    ],
}

#: The values that ``each`` can have in a manifest.
EACH: Mapping[str, Each] = {
    "definition": Each(
        "a definition, which is any named type of the spec",
        _DEFINITION,
        {"definition": LinkedDefinition, **_SHARED},
    ),
    "kind": Each(
        "a definition that manifests can be written for: it has one apiVersion and kind",
        {
            **_DEFINITION,
            "api_version": 'the apiVersion with "-" for "/": apps-v1, v1',
        },
        {"definition": LinkedDefinition, **_SHARED},
    ),
    "group-version": Each(
        "a version of a group; every definition is in exactly one",
        {"group": _GROUP, "version": _VERSION},
        {"group_version": GroupVersion, **_SHARED},
    ),
    "component": Each(
        "custom kinds of a group and version that refer to each other, with their parts",
        {"group": _GROUP, "version": _VERSION, "kind": "the first of the kinds"},
        {"component": Component, **_SHARED},
    ),
    "group": Each(
        "a group with all its versions",
        {"group": _GROUP},
        {"group": Group, **_SHARED},
    ),
    "release": Each("the release, once", {}, _SHARED),
}


def make_contexts(release: Release, target: Target) -> Contexts:
    """The contexts of the files of one release.

    Raises SpecError where two definitions have the same group, version and kind,
    TargetError for a manifest with something that this view does not read.
    """
    _check_manifest(target)
    model = make_model(release)
    return Contexts(
        files={
            "definition": lambda: map(_definition_context, model.definitions),
            "kind": lambda: (
                _kind_context(definition, definition.served_kind)
                for definition in model.definitions
                if definition.served_kind is not None
            ),
            "group-version": lambda: map(_group_version_context, model.group_versions),
            "component": lambda: (
                _component_context(component)
                for group_version in model.group_versions
                for component in group_version.components
            ),
            "group": lambda: map(_group_context, model.groups),
            "release": lambda: [FileContext(f"the release {release.name}", {}, {})],
        },
        shared_variables={
            "model": model,
            "types": target.types,
            "package_version": package_version(release.name),
        },
    )


def public_names(release: Release, target: Target) -> Mapping[str, PublicName]:
    """The definitions and their fields, in Kubernetes' words: what a template prints for
    them is its own affair."""
    del target
    names: dict[str, PublicName] = {}
    for definition in make_model(release).definitions:
        name = f"{definition.group_version.name} {definition.kind}"
        names[name] = PublicName(_type_of(definition))
        for field in definition.fields:
            names[f"{name}.{field.name}"] = PublicName(_type_of(field), field.required)
    return names


def _type_of(schema: LinkedSchema) -> str:
    """A type in the notation of Go, with the values that are allowed; empty for an object
    whose fields have names of their own."""
    if schema.reference is not None:
        reference = schema.reference
        return f"{reference.group_version.name} {reference.kind}"
    if schema.items is not None:
        return f"[]{_type_of(schema.items)}"
    if schema.values is not None:
        return f"map[string]{_type_of(schema.values)}"
    if schema.is_object:
        return ""
    values = f" ({', '.join(map(str, schema.enum))})" if schema.enum else ""
    return f"{schema.type or 'any'}{values}"


def _definition_context(
    definition: LinkedDefinition, placeholders: Mapping[str, str] | None = None
) -> FileContext:
    own = {key: getattr(definition, key) for key in _DEFINITION}
    placeholders = {**own, **(placeholders or {})}
    return FileContext(definition.name, placeholders, {"definition": definition})


def _kind_context(definition: LinkedDefinition, kind: GroupVersionKind) -> FileContext:
    api_version = kind.api_version.replace("/", "-")
    return _definition_context(definition, {"api_version": api_version})


def _group_version_context(version: GroupVersion) -> FileContext:
    placeholders = {"group": version.group, "version": version.version}
    return FileContext(version.name, placeholders, {"group_version": version})


def _component_context(component: Component) -> FileContext:
    version = component.group_version
    placeholders = {
        "group": version.group,
        "version": version.version,
        "kind": component.kind,
    }
    name = f"{version.name} {component.kind}"
    return FileContext(name, placeholders, {"component": component})


def _group_context(group: Group) -> FileContext:
    name = group.name
    return FileContext(f"the group {name}", {"group": name}, {"group": group})


def _check_manifest(target: Target) -> None:
    for key in target.spelling:
        raise target.error(
            "is not read by this view",
            f"spelling.{key}",
            "filters spell names: {{ name | camel }}",
        )
    for name, spelled in target.types.items():
        if not isinstance(spelled, str):
            raise target.error("must be a string", f"types.{name}")
