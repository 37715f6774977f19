"""The names of the published files: ``deployment-apps-v1.json``, ``deployment.json``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from kubestencil.schema import Definition

# The files of a folder that are about no single definition.
_RESERVED = frozenset({"_definitions", "all"})


class SchemaFile(NamedTuple):
    """A file about one definition.

    ``with_api_version`` says whether the schema of a kind lists its API versions.
    """

    definition: str
    with_api_version: bool


def schema_files(
    definitions: Mapping[str, Definition], quirks: Iterable[str]
) -> Mapping[str, SchemaFile]:
    """The files by name, without ``.json``.

    Two definitions with one name in lower case have one file: that of the last one.
    """
    by_position = "position-in-name" in quirks
    files = {
        _name_with_group(definition, by_position): SchemaFile(definition.name, True)
        for definition in definitions.values()
    }
    by_kind: dict[str, list[str]] = {}
    for definition in definitions.values():
        by_kind.setdefault(definition.kind.lower(), []).append(definition.name)
    for kind, names in by_kind.items():
        if "last-definition-wins" in quirks or len(names) == 1:
            files[kind] = SchemaFile(names[-1], False)
    return {name: file for name, file in files.items() if name not in _RESERVED}


def _name_with_group(definition: Definition, by_position: bool) -> str:
    parts = _group_and_version(definition, by_position)
    return "-".join((definition.kind, *parts)).lower()


def _group_and_version(definition: Definition, by_position: bool) -> Iterator[str]:
    """The parts of the name between kind and extension; the core group has none."""
    group, version = definition.group, definition.version
    if by_position:
        _, group, version, _ = ("", "", "", *definition.name.rsplit(".", 3))[-4:]
    if group.lower() not in ("", "api", "core"):
        yield group
    if version:
        yield version
