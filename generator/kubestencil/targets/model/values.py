"""The values that templates of the view ``model`` begin with: a release and its groups.

Everything that they lead to is in ``linked``. Docstrings are part of the reference that
``kubestencil targets NAME`` prints.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field as dataclass_field

from kubestencil.errors import SpecError
from kubestencil.schema import Release
from kubestencil.schema.kinds import precedence, shown_kind
from kubestencil.schema.knowledge.places import kinds_with_immutable
from kubestencil.schema.knowledge.values import NO_FACTS
from kubestencil.targets.languages.modules import ModuleName, module_names
from kubestencil.targets.model.linked import (
    DefinitionLinks,
    GroupVersion,
    LinkedDefinition,
    LinkedOperation,
)

_DEPLOYMENT = "io.k8s.api.apps.v1.Deployment"

__all__ = ["Group", "LinkedDefinition", "Model", "make_model"]


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """A group with its ``versions``, the one that Kubernetes prefers first."""

    name: str
    versions: tuple[GroupVersion, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """A release: all groups, versions and definitions.

    ``name`` is the name of the release (``1.35``). ``groups`` are sorted by name.
    """

    name: str
    groups: tuple[Group, ...]
    _links: DefinitionLinks = dataclass_field(repr=False)

    @property
    def definitions(self) -> tuple[LinkedDefinition, ...]:
        """All definitions, in the order of the document."""
        return tuple(self._links.definitions.values())

    @property
    def group_versions(self) -> tuple[GroupVersion, ...]:
        """All groups and versions, sorted by group, the preferred version first."""
        return tuple(version for group in self.groups for version in group.versions)

    @property
    def operations(self) -> tuple[LinkedOperation, ...]:
        """All operations, those of discovery included."""
        return self._links.operations

    @property
    def has_deployment(self) -> bool:
        """Whether there is the Deployment of apps/v1, which READMEs of packages show."""
        return shown_kind(self._links.release, _DEPLOYMENT) == _DEPLOYMENT

    @property
    def shown_kind(self) -> LinkedDefinition | None:
        """What they show where there is none: the first kind with metadata, if there is
        an example of it."""
        name = shown_kind(self._links.release, _DEPLOYMENT)
        kind = None if name is None else self._links.definitions[name]
        return kind if kind is not None and kind.example else None

    def definition(self, name: str) -> LinkedDefinition | None:
        """The definition with a full name, none where the release does not have it."""
        return self._links.definitions.get(name)


def make_model(release: Release) -> Model:
    """The model of a release.

    Raises SpecError where two definitions have the same group, version and kind.
    """
    links = DefinitionLinks(release, kinds_with_immutable(release))
    for name, definition in release.definitions.items():
        links.definitions[name] = LinkedDefinition(
            definition.schema, links, NO_FACTS, name, definition.kind, definition.kinds
        )
    modules = module_names(release.definitions)
    group_versions = _group_versions(modules, links.definitions)
    for name, module in modules.items():
        links.group_versions[name] = group_versions[module]
    return Model(release.name, tuple(_groups(group_versions)), links)


def _group_versions(
    modules: Mapping[str, ModuleName], definitions: Mapping[str, LinkedDefinition]
) -> Mapping[ModuleName, GroupVersion]:
    members: dict[ModuleName, dict[str, LinkedDefinition]] = {}
    for name, module in modules.items():
        definition = definitions[name]
        kinds = members.setdefault(module, {})
        other = kinds.setdefault(definition.kind, definition)
        if other is not definition:
            raise SpecError(
                f"two definitions are called {definition.kind} in "
                f"{'/'.join(module)}: {other.name} and {name}",
                hint="rename one of them in the spec",
            )
    return {
        module: GroupVersion(*module, tuple(kinds.values()))
        for module, kinds in members.items()
    }


def _groups(group_versions: Mapping[ModuleName, GroupVersion]) -> list[Group]:
    versions: dict[str, list[GroupVersion]] = {}
    for group_version in group_versions.values():
        versions.setdefault(group_version.group, []).append(group_version)
    for members in versions.values():
        members.sort(key=lambda member: precedence(member.version), reverse=True)
    return [Group(name, tuple(versions[name])) for name in sorted(versions)]
