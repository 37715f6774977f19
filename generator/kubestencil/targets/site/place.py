"""Where a type's page is: ``/1.35/apps/v1/Deployment/``, an address that stays."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from kubestencil.schema import Definition, Release
from kubestencil.schema.kinds import group_names

# The types of these packages are parts of every group, though some are served (a
# Status, in the core group).
_SHARED = "io.k8s.apimachinery."
_GROUP = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?\Z")

#: What stands for the group of a type whose name has no package.
UNGROUPED = "other"

#: What stands for the version of a type that has none.
UNVERSIONED = "unversioned"


class Place(NamedTuple):
    """A type's address below a release: always three parts."""

    group: str
    version: str
    kind: str

    @property
    def path(self) -> str:
        """``apps/v1/Deployment``."""
        return "/".join(self)

    @property
    def api(self) -> str:
        """``apps/v1``."""
        return f"{self.group}/{self.version}"

    @property
    def href(self) -> str:
        """The way to it from the page of another type of its release."""
        return f"../../../{self.path}/"


def place(path: str) -> Place:
    """The place that a path names."""
    return Place(*path.split("/"))


def places(release: Release) -> Mapping[str, Place]:
    """The place of every definition, by its full name."""
    names = group_names(release)
    return {
        name: Place(
            _group(definition, names),
            definition.version or UNVERSIONED,
            definition.kind,
        )
        for name, definition in release.definitions.items()
    }


def _group(definition: Definition, names: Mapping[str, str]) -> str:
    """The group as the API calls it, if an address can hold that."""
    own = definition.group or UNGROUPED
    if definition.name.startswith(_SHARED):
        return own
    group = names.get(definition.name.rpartition(".")[0], own)
    return group if _GROUP.match(group) else own
