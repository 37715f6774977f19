"""API versions: how stable one is, and its definitions apart from the others."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from generator.diff.reach import references
from generator.errors import UsageError, nearest
from generator.model import Definition, GroupVersionKind, Release
from generator.model.types import Raw

_VERSION = re.compile(r"v(\d+)(?:(alpha|beta)(\d+))?\Z")
_REF = "#/definitions/"
_KINDS = "x-kubernetes-group-version-kind"

#: How far an API version has come, the least first.
LEVELS = ("alpha", "beta", "stable")


def level(version: str) -> str:
    """The stability of an API version, by its name.

    Types without a version (IntOrString, Quantity) are part of every stable kind.
    """
    match = _VERSION.match(version)
    return (match[2] if match else None) or "stable"


def precedence(version: str) -> tuple[int, int, int, str]:
    """A key that sorts v1alpha1, v1beta1, v1, v2: what Kubernetes prefers, last."""
    match = _VERSION.match(version)
    if match is None:
        return (-1, 0, 0, version)
    return (
        LEVELS.index(match[2] or "stable"),
        int(match[1]),
        int(match[3] or 0),
        version,
    )


def served(release: Release) -> Iterator[tuple[GroupVersionKind, Definition]]:
    """The kinds of a release, each with its definition.

    What every group serves (DeleteOptions, WatchEvent) is no kind of its own.
    """
    for definition in release.definitions.values():
        if len(definition.kinds) == 1:
            yield definition.kinds[0], definition


def own_kinds(release: Release) -> Iterator[GroupVersionKind]:
    """The kinds that are not lists of others, which come and go with those."""
    kinds = {kind for kind, each in served(release) if each.kind == kind.kind}
    for kind in sorted(kinds):
        item = replace(kind, kind=kind.kind.removesuffix("List"))
        if item == kind or item not in kinds:
            yield kind


def kind_definitions(release: Release) -> Mapping[str, GroupVersionKind]:
    """The definitions of the kinds that are their own, by full name."""
    kinds = set(own_kinds(release))
    return {each.name: kind for kind, each in served(release) if kind in kinds}


def group_names(release: Release) -> Mapping[str, str]:
    """What the API calls the group of each package: ``core``, ``resource.k8s.io``."""
    return {
        definition.name.rpartition(".")[0]: kind.group or "core"
        for kind, definition in served(release)
    }


def named(name: str, known: Iterable[str]) -> str:
    """A hint that names the nearest of many kinds, however they are written."""
    by_case = {each.lower(): each for each in sorted(known)}
    if name.lower() in by_case:
        return f"did you mean {by_case[name.lower()]}?"
    hint = nearest(name, sorted(by_case.values()))
    return hint if hint.startswith("did") else "kubestencil history lists all kinds"


def api_versions(release: Release) -> set[str]:
    """Every group and version that a release has kinds of: ``v1``, ``apps/v1``."""
    return {kind.api_version for kind, _ in served(release)}


@dataclass(frozen=True, slots=True)
class Side:
    """One end of a comparison.

    ``label`` is what it is called, ``fragments`` the schemas by the names that
    they are compared under, and ``names`` leads from those to the document's.
    """

    label: str
    release: Release
    fragments: Mapping[str, Raw]
    names: Mapping[str, str]


def whole(release: Release) -> Side:
    """Every definition of a release, under its own name."""
    definitions = release.definitions
    return Side(
        release.name,
        release,
        {name: each.schema.raw for name, each in definitions.items()},
        {name: name for name in definitions},
    )


def one(release: Release, api_version: str) -> Side:
    """The definitions of one API version: its kinds, and their parts, those included
    that it has from another version of its group.

    Raises UsageError where the release does not have it.
    """
    names = _with_siblings(release, _members(release, api_version))
    return Side(
        f"{release.name}/{api_version}",
        release,
        {name: release.definitions[name].schema.raw for name in names},
        {name: name for name in names},
    )


def renamed(side: Side, other: Side) -> Side:
    """``side``, an API version, under the names that ``other`` has for its types.

    So a type of v1beta1 stands against that of v1, and a reference between two
    types of the version is no difference. A type that ``other`` does not have
    keeps its name's last part.
    """
    theirs = {name.rpartition(".")[2]: name for name in other.fragments}
    package = _package(other)
    mapping: dict[str, str] = {}
    # A name that both have stands for itself, before any is matched by its end.
    for name in sorted(side.fragments, key=lambda name: name not in other.fragments):
        kind = name.rpartition(".")[2]
        found = name if name in other.fragments else theirs.get(kind)
        new = found or f"{package}.{kind}"
        mapping[name] = name if new in mapping.values() else new
    references = {f"{_REF}{old}": f"{_REF}{new}" for old, new in mapping.items()}
    fragments: dict[str, Raw] = {}
    for old, new in mapping.items():
        raw = dict(retold(side.fragments[old], references))
        kinds = other.fragments.get(new, {}).get(_KINDS)
        # The version is what the two are asked to differ in.
        if _KINDS in raw and kinds:
            raw[_KINDS] = kinds
        fragments[new] = raw
    names = {new: side.names[old] for old, new in mapping.items()}
    return Side(side.label, side.release, fragments, names)


def _members(release: Release, api_version: str) -> list[str]:
    wanted = api_version.removeprefix("core/")
    found = [each for kind, each in served(release) if kind.api_version == wanted]
    # A type that every version shares is in a package of another version: it counts
    # only where the version has no package of its own.
    version = wanted.rpartition("/")[2]
    own = [each for each in found if each.version == version] or found
    packages = {definition.name.rpartition(".")[0] for definition in own}
    if not packages:
        raise UsageError(
            f"{release.name} has no API version {api_version!r}",
            hint=nearest(wanted, sorted(api_versions(release))),
        )
    return [name for name in release.definitions if name.rpartition(".")[0] in packages]


def _with_siblings(release: Release, names: list[str]) -> list[str]:
    found = dict.fromkeys(names)
    groups = {_group(name) for name in names}
    pending = list(names)
    while pending:
        for each in references(release.definitions[pending.pop()].schema):
            if each not in found and _group(each) in groups:
                found[each] = None
                pending.append(each)
    return list(found)


def _group(name: str) -> str:
    """The part of a full name that all versions of a group have in common."""
    return name.rsplit(".", 2)[0]


def _package(side: Side) -> str:
    packages = [name.rpartition(".")[0] for name in side.fragments]
    return max(sorted(set(packages)), key=packages.count, default="")


def retold(value: Any, references: Mapping[str, str]) -> Any:
    """A schema with some references (``#/definitions/…``) replaced by others."""
    if isinstance(value, dict):
        return {
            key: (
                references.get(inner, inner)
                if key == "$ref" and isinstance(inner, str)
                else retold(inner, references)
            )
            for key, inner in value.items()
        }
    if isinstance(value, list):
        return [retold(inner, references) for inner in value]
    return value
