"""Addresses of type pages, such as ``/1.35/apps/v1/Deployment/``, and of the fields on
them: permalinks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import quote

from kubestencil.file_names import portable
from kubestencil.schema import Definition, Release
from kubestencil.schema.kinds import group_names

# The types of these packages belong to all groups, although the API serves some of
# them in one group (Status, in the core group).
_SHARED_PACKAGES = "io.k8s.apimachinery."
# Most paths, and quote() would not change them.
_PLAIN_PATH = re.compile(r"[A-Za-z0-9.]+\Z")
_GROUP = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?\Z")

#: The group of a type whose definition name has no package.
UNGROUPED = "other"

#: The version of a type that has none.
UNVERSIONED = "unversioned"


class PageAddress(NamedTuple):
    """The address of a type's page in the folder of a release: always three parts."""

    group: str
    version: str
    kind: str

    @property
    def path(self) -> str:
        """The path in the folder of a release: ``apps/v1/Deployment``."""
        return "/".join(self)

    @property
    def group_version(self) -> str:
        """``apps/v1``, and ``core/v1`` for the core group."""
        return f"{self.group}/{self.version}"

    @property
    def href(self) -> str:
        """The link from the page of another type of the same release."""
        return f"../../../{self.path}/"


def page_address(path: str) -> PageAddress:
    """The address that a path such as ``apps/v1/Deployment`` stands for."""
    return PageAddress(*path.split("/"))


def page_address_of(group: str, version: str, kind: str) -> PageAddress:
    """The address of a type, with names that folders can have."""
    return PageAddress(portable(group), portable(version), portable(kind))


def page_addresses(release: Release) -> Mapping[str, PageAddress]:
    """The address of each definition's page, by the definition's full name."""
    names = group_names(release)
    return {
        name: page_address_of(
            _group(definition, names),
            definition.version or UNVERSIONED,
            definition.kind,
        )
        for name, definition in release.definitions.items()
    }


def _group(definition: Definition, names: Mapping[str, str]) -> str:
    """The API's name of the group, if it can be part of an address; else the package's
    last part but one."""
    package_group = definition.group_label or UNGROUPED
    if definition.name.startswith(_SHARED_PACKAGES):
        return package_group
    group = names.get(definition.name.rpartition(".")[0], package_group)
    return group if _GROUP.match(group) else package_group


def anchor(path: str) -> str:
    """The path of a field as the fragment of a URL."""
    return path if _PLAIN_PATH.match(path) else quote(path, safe="$-_.~")
