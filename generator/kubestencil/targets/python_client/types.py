"""The types of bodies, results and arguments: in stubs, and by name at runtime."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import NamedTuple

from kubestencil.schema import Definition, GroupVersionKind, Release, Schema
from kubestencil.targets.languages.python.modules import MODELS
from kubestencil.targets.languages.python.package import PythonPackage

_SCALARS: Mapping[str | None, str] = {
    "boolean": "bool",
    "integer": "int",
    "number": "float",
    "string": "str",
}
_ANY = "Any"


class ClientCustomModule(NamedTuple):
    """The package of a group and version of custom resources, as a stub imports it:
    ``from kubernetes_models.<package> import <name> as <alias>``."""

    package: str
    name: str
    alias: str


class BodyType(NamedTuple):
    """The type of a body or a result.

    ``annotation`` is the type hint in a stub, ``name`` what the client decodes
    (``_calls.py``, ``decode``): a class, ``text`` or ``json``. ``custom_module`` is
    what the annotation needs, None for other types.
    """

    annotation: str
    name: str
    custom_module: ClientCustomModule | None = None


TEXT_TYPE = BodyType("str", "text")
ANY_TYPE = BodyType(_ANY, "json")


class BodyTypes:
    """The types of bodies and results in a release."""

    def __init__(self, release: Release, package: PythonPackage) -> None:
        self._release = release
        self._package = package

    def spell(self, schema: Schema | None) -> BodyType:
        """The type for a schema; None where there is no body."""
        if schema is None:
            return TEXT_TYPE
        if schema.ref is None:
            return TEXT_TYPE if schema.type == "string" else ANY_TYPE
        location = self._package.classes.get(schema.ref)
        if location is None:
            return ANY_TYPE
        if location.package == MODELS:
            return BodyType(f"models.{location.name}", location.reference)
        group, version = location.package.split(".")
        alias = f"{group}_{version}"
        return BodyType(
            f"{alias}.{location.name}",
            location.reference,
            ClientCustomModule(group, version, alias),
        )

    def of_kind(self, kind: GroupVersionKind | None) -> Definition | None:
        """The definition of a kind."""
        return self._by_kind.get(kind) if kind else None

    @cached_property
    def _by_kind(self) -> Mapping[GroupVersionKind, Definition]:
        return {
            kind: definition
            for definition in self._release.definitions.values()
            for kind in definition.kinds
            if kind.kind == definition.kind or definition.served_kind
        }

    def kind_of(self, schema: Schema) -> str:
        """The kind of the objects that a schema allows, as ``v1 Pod``; ``object`` for
        several, or any."""
        kinds: Iterable[GroupVersionKind] = ()
        if schema.ref is not None:
            kinds = self._release.definitions[schema.ref].kinds
        names = {f"{kind.api_version} {kind.kind}" for kind in kinds}
        return names.pop() if len(names) == 1 else "object"


def argument_type(schema: Schema) -> str:
    """The type hint of a parameter in a path or a query."""
    if schema.type == "array":
        item = _SCALARS.get(schema.items.type if schema.items else None, "str")
        return f"list[{item}]"
    return _SCALARS.get(schema.type, "str")
