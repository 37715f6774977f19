"""The table ``field-usage``: how often public manifests set a field.

``python -m specs.make.field_usage DIR`` makes it from the manifests in a folder.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from kubestencil import load
from kubestencil.schema import Definition, GroupVersionKind, Release, Schema
from kubestencil.schema.knowledge.fields import FieldName
from kubestencil.schema.types import group_version_kind
from specs.make.tables import write_rows

_RELEASE = "1.35"
_SUFFIXES = (".yaml", ".yml", ".json")
# Larger files are CustomResourceDefinitions, and what programs print.
_MAX_SIZE = 60 * 1024
# Objects that no kind of Kubernetes has inside, one in the other.
_MAX_DEPTH = 40


def make_rows(folder: Path) -> list[tuple[str, ...]]:
    """The rows of the table for the manifests below a folder."""
    release = load(_RELEASE)
    kinds = {kind: each for each in release.definitions.values() for kind in each.kinds}
    counts: Counter[FieldName] = Counter()
    for file in sorted(folder.rglob("*")):
        if file.suffix in _SUFFIXES and file.stat().st_size <= _MAX_SIZE:
            counts.update(_names_in_file(file, kinds, release))
    return [
        (name.group, name.type, name.field, str(count.bit_length()))
        for name, count in sorted(counts.items())
    ]


def _names_in_file(
    file: Path, kinds: Mapping[GroupVersionKind, Definition], release: Release
) -> Collection[FieldName]:
    """The types and fields in a file, each once; none of a file that is a template."""
    try:
        documents = list(yaml.load_all(file.read_bytes(), yaml.CSafeLoader))
    except (yaml.YAMLError, ValueError):
        return ()
    return {
        name
        for document in documents
        for value in _objects(document)
        if (definition := kinds.get(_kind_of(value)))
        for name in _names(value, definition, release, 0)
    }


def _objects(document: Any) -> Iterator[Mapping[str, Any]]:
    """The object of a document, or those of a list."""
    if isinstance(document, dict):
        items = document.get("items")
        if isinstance(items, list):
            yield from (item for item in items if isinstance(item, dict))
        else:
            yield document


def _kind_of(value: Mapping[str, Any]) -> GroupVersionKind:
    return group_version_kind(str(value.get("apiVersion")), str(value.get("kind")))


def _names(
    value: Mapping[str, Any], definition: Definition, release: Release, depth: int
) -> Iterator[FieldName]:
    yield FieldName(definition.group_label, definition.kind, "")
    for field in definition.schema.fields:
        if field.name in value and depth < _MAX_DEPTH:
            yield FieldName(definition.group_label, definition.kind, field.name)
            for inner, ref in _inner_objects(value[field.name], field.schema):
                yield from _names(inner, release.definitions[ref], release, depth + 1)


def _inner_objects(
    value: Any, schema: Schema
) -> Iterator[tuple[Mapping[str, Any], str]]:
    """The objects of named types in a value, with the names of their definitions."""
    if schema.ref and isinstance(value, dict):
        yield value, schema.ref
    elif schema.items is not None and isinstance(value, list):
        for item in value:
            yield from _inner_objects(item, schema.items)
    elif schema.values is not None and isinstance(value, dict):
        for item in value.values():
            yield from _inner_objects(item, schema.values)


if __name__ == "__main__":
    write_rows("field-usage", make_rows(Path(sys.argv[1])))
