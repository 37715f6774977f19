"""The view ``validator``: a Go module that runs the code of a release's API server."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import Annotated, NamedTuple

from kubestencil.engine.manifest import Target
from kubestencil.engine.view import Contexts, Each, FileContext
from kubestencil.schema import Release
from kubestencil.schema.knowledge.components import (
    StrategyFacts,
    go_module_rows,
    strategy_rows,
)
from kubestencil.schema.knowledge.resources import resource_facts
from kubestencil.schema.types import GroupVersionKind
from kubestencil.source.releases import full_version, has_reached, is_after, is_version

# The first release in the tables of facts.
_OLDEST = "1.25"


# The releases in which Go code that the module uses appeared under another name.
_CHANGES = (30, 32, 37)


class Package(NamedTuple):
    """A Go package, and the name by which the module imports it."""

    name: str
    path: str


class Strategy(NamedTuple):
    """The strategies of a kind in Go, of packages in ``packages``: ``expression``, and
    ``status`` for its subresource status, empty where it has none."""

    group: str
    kind: str
    expression: str
    status: str


_VARIABLES = {
    "version": Annotated[str, "of k8s.io/kubernetes: 1.35.0"],
    "module_version": Annotated[str, "of the modules beside it: 0.35.0"],
    "minor": Annotated[str, "the second number of the release: 35"],
    "go": Annotated[str, "the version of Go that the release needs"],
    "modules": Annotated[list[str], "the modules that are published with it"],
    "packages": Annotated[list[Package], "the packages of strategies"],
    "types": Annotated[list[Package], "the packages that add types to a scheme"],
    "served": Annotated[list[GroupVersionKind], "the kinds that a server can serve"],
    "strategies": Annotated[list[Strategy], "one for each kind"],
    "custom_strategy": Annotated[Strategy, "that of custom resources"],
}

#: The values that ``each`` can have in a manifest.
EACH: Mapping[str, Each] = {
    "release": Each(summary="the module", variables=_VARIABLES),
    **{
        f"since-1.{minor}": Each(
            summary=f"the module of 1.{minor} or newer", variables=_VARIABLES
        )
        for minor in _CHANGES
    },
    **{
        f"until-1.{minor - 1}": Each(
            summary=f"the module of 1.{minor - 1} or older", variables=_VARIABLES
        )
        for minor in _CHANGES
    },
}


def make_contexts(release: Release, _: Target) -> Contexts:
    """The contexts of the module's files: none for a document that is not one of the
    releases of Kubernetes whose code is known."""
    if not is_version(release.name) or not has_reached(release.name, _OLDEST):
        return Contexts(dict.fromkeys(EACH, list))
    module = _module(release)
    return Contexts({each: partial(_files, module, each) for each in EACH})


def _files(module: FileContext, each: str) -> list[FileContext]:
    """The module, where it is of a release that ``each`` is about."""
    word, _, border = each.partition("-")
    release = str(module.variables["version"])
    if word == "since" and not has_reached(release, border):
        return []
    if word == "until" and is_after(release, border):
        return []
    return [module]


def _module(release: Release) -> FileContext:
    name = release.name
    version = full_version(name)
    rows = [row for row in strategy_rows() if row.releases.includes(name)]
    modules = [row for row in go_module_rows() if row.releases.includes(name)]
    resources = [row for row in resource_facts() if row.releases.includes(name)]
    in_table = {row.kind for row in resources if not row.subresource}
    variables = {
        "version": version,
        "module_version": version.replace("1.", "0.", 1),
        "minor": version.split(".")[1],
        "go": next(row.version for row in modules if row.version),
        "modules": [row.name for row in modules if not row.version],
        "packages": _packages({row.package for row in rows}),
        "types": _packages({row.types for row in rows if row.types}),
        # A document may be of a release that is newer than the table.
        "served": sorted(in_table.union(release.resources)),
        "strategies": [_strategy(row) for row in rows if not row.is_custom],
        "custom_strategy": next(_strategy(row) for row in rows if row.is_custom),
    }
    return FileContext(name, {}, variables)


def _packages(paths: set[str]) -> list[Package]:
    return [Package(_package_name(path), path) for path in sorted(paths)]


def _package_name(path: str) -> str:
    """The last two parts of a path: packages of several groups have the same name."""
    return re.sub(r"\W", "_", "_".join(path.split("/")[-2:]))


def _strategy(row: StrategyFacts) -> Strategy:
    package = _package_name(row.package)
    status = f"{package}.{row.status}" if row.status else ""
    return Strategy(row.group, row.kind, f"{package}.{row.expression}", status)
