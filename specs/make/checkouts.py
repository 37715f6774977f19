"""The folders with the sources of Kubernetes, one of each module and release."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from kubestencil.errors import SourceError
from kubestencil.source.releases import (
    full_version,
    is_version,
    minor_of_patch,
    minor_version_in,
    previous_minor_version,
    release_order,
)

#: Where k8s.io/kubernetes has the OpenAPI document of a server with all versions enabled.
DOCUMENT = "api/openapi-spec/swagger.json"
#: A group and a version of it: ``("apps", "v1")``. The core group's name is empty.
GroupVersion = tuple[str, str]

_IMPORT = re.compile(r'^\s*(?:import\s+)?(\w*)\s*"([^"]+)"\s*$', re.MULTILINE)
# The last parts of a definition's name, k8s.io/api/apps/v1 and its older homes
# k8s.io/kubernetes/pkg/apis/apps/v1, k8s.io/client-go/pkg/apis/apps/v1.
_PACKAGE = re.compile(r"([\w-]+)[./](v\d\w*)(?:\.\w+)?\Z")
_GROUP_VERSION = re.compile(r"/apis/([^/]+)/(v[^/]+)/")


# What Go says of a module that the registry refuses, or does not have.
_UNPUBLISHED = re.compile(
    r"\b([\w./-]+@v\S+): (?:reading |invalid version|unknown revision)"
)


def unpublished_modules(text: str) -> list[str]:
    """The modules that Go could not get, by what it says: ``k8s.io/api@v0.38.0-beta.0``."""
    return list(dict.fromkeys(_UNPUBLISHED.findall(text)))


@dataclass(frozen=True)
class Checkout:
    """The sources of one release: the modules in a folder such as Go's module cache.

    ``folder`` has one folder for each module and version,
    ``k8s.io/api@v0.35.0``. ``release`` is a minor version, ``1.35``, a patch, or a
    pre-release, ``1.38.0-beta.0``.
    """

    folder: Path
    release: str

    def module(self, name: str) -> Path:
        """The folder of the module ``k8s.io/<name>``; of a minor version, at the first
        patch there is.

        Raises SourceError where the folder has none.
        """
        folders = {
            release: path
            for path in (self.folder / "k8s.io").glob(f"{name}@v*")
            # k8s.io/api v0.35.2 is of 1.35.2.
            if is_version(release := f"1.{path.name.partition('@v')[2][2:]}")
            and self.release in (release, minor_of_patch(release))
        }
        if not folders:
            major = "1" if name == "kubernetes" else "0"
            version = f"v{major}{full_version(self.release)[1:]}"
            raise SourceError(
                f"has no module k8s.io/{name} of {self.release}",
                where=str(self.folder),
                hint=f"go mod download k8s.io/{name}@{version}",
            )
        return folders[min(folders, key=release_order)]

    def has_module(self, name: str) -> bool:
        """Whether the folder has the module ``k8s.io/<name>`` of the release."""
        try:
            self.module(name)
        except SourceError:
            return False
        return True

    @property
    def minor_version(self) -> str:
        """The minor version of the release: what comes in a pre-release comes in that."""
        return minor_version_in(self.release) or self.release

    @property
    def base(self) -> Checkout:
        """The sources of the release whose facts those of this one are compared with:
        the minor version of a patch, or else the one before."""
        minor = minor_of_patch(self.release)
        is_patch = minor != self.release
        name = minor if is_patch else previous_minor_version(self.release)
        return Checkout(self.folder, name)

    @cached_property
    def document(self) -> dict[str, Any]:
        """The OpenAPI document of a server with all versions enabled."""
        path = self.module("kubernetes") / DOCUMENT
        document: dict[str, Any] = json.loads(path.read_bytes())
        return document

    @cached_property
    def group_versions(self) -> dict[GroupVersion, GroupVersion]:
        """The groups and versions by the last folders of their package:
        ``("flowcontrol", "v1")`` is ``("flowcontrol.apiserver.k8s.io", "v1")``."""
        served: dict[GroupVersion, GroupVersion] = {
            ("core", "v1"): ("", "v1"),
            ("api", "v1"): ("", "v1"),
        }
        # Most packages have the first part of the group's name.
        for path in self.document["paths"]:
            if match := _GROUP_VERSION.match(path):
                served[match[1].partition(".")[0], match[2]] = (match[1], match[2])
        for name, schema in self.document["definitions"].items():
            kinds = schema.get("x-kubernetes-group-version-kind", ())
            match = _PACKAGE.search(name)
            if match and len(kinds) == 1 and "group" in kinds[0]:
                served[match[1], match[2]] = (kinds[0]["group"], kinds[0]["version"])
        return served

    def imported_group_versions(self, source: str) -> dict[str, GroupVersion]:
        """The groups and versions that a Go file imports, by local name."""
        found = {}
        for name, path in imports(source).items():
            match = _PACKAGE.search(path)
            if match and (served := self.group_versions.get((match[1], match[2]))):
                found[name] = served
        return found


def imports(source: str) -> dict[str, str]:
    """The paths of the packages that Go files import, by local name."""
    return {
        name or path.rpartition("/")[2]: path for name, path in _IMPORT.findall(source)
    }


def go_sources(folder: Path) -> Iterator[str]:
    """The Go files of a folder, and of those in it, but for tests."""
    for path in sorted(folder.rglob("*.go")):
        if not path.name.endswith("_test.go"):
            yield path.read_text("utf-8")
