"""Aligns the definitions of two documents or API versions before they are compared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from kubestencil.errors import UsageError, nearest
from kubestencil.schema import Release
from kubestencil.schema.graph import references
from kubestencil.schema.kinds import api_versions, served_kinds
from kubestencil.schema.types import Raw

_REF = "#/definitions/"
_KINDS = "x-kubernetes-group-version-kind"


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


def all_definitions(release: Release) -> Side:
    """Every definition of a release, under its own name."""
    definitions = release.definitions
    return Side(
        release.name,
        release,
        {name: each.schema.raw for name, each in definitions.items()},
        {name: name for name in definitions},
    )


def api_version_subset(release: Release, api_version: str) -> Side:
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


def align_names(side: Side, other: Side) -> Side:
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
        raw = dict(rewrite_refs(side.fragments[old], references))
        kinds = other.fragments.get(new, {}).get(_KINDS)
        # The version is what the two are asked to differ in.
        if _KINDS in raw and kinds:
            raw[_KINDS] = kinds
        fragments[new] = raw
    names = {new: side.names[old] for old, new in mapping.items()}
    return Side(side.label, side.release, fragments, names)


def _members(release: Release, api_version: str) -> list[str]:
    wanted = api_version.removeprefix("core/")
    found = [each for kind, each in served_kinds(release) if kind.api_version == wanted]
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


def rewrite_refs(value: Any, references: Mapping[str, str]) -> Any:
    """A schema with some references (``#/definitions/…``) replaced by others."""
    if isinstance(value, dict):
        return {
            key: (
                references.get(inner, inner)
                if key == "$ref" and isinstance(inner, str)
                else rewrite_refs(inner, references)
            )
            for key, inner in value.items()
        }
    if isinstance(value, list):
        return [rewrite_refs(inner, references) for inner in value]
    return value


def kind_hint(name: str, known: Iterable[str]) -> str:
    """A hint that names the nearest of many kinds, however they are written."""
    by_case = {each.lower(): each for each in sorted(known)}
    if name.lower() in by_case:
        return f"did you mean {by_case[name.lower()]}?"
    hint = nearest(name, sorted(by_case.values()))
    return hint if hint.startswith("did") else "kubestencil history lists all kinds"
