"""Loads a release whose definitions are parsed when they are needed.

A check of manifests needs some tens of a thousand definitions. Only embedded documents
are loaded like that: they are valid, so that nothing is left to be refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kubestencil.schema.documents.openapi2 import parse_definitions
from kubestencil.schema.keywords import KINDS_KEYWORD
from kubestencil.schema.knowledge.configurations import (
    configuration_definitions,
    with_configurations,
)
from kubestencil.schema.load import load_release
from kubestencil.schema.pointer import SourceMap
from kubestencil.schema.resources.served import ServedResources
from kubestencil.schema.types import Definition, GroupVersionKind, Release
from kubestencil.source import Source


class LazyDefinitions(Mapping[str, Definition]):
    """Definitions by full name, each parsed when it is first read."""

    def __init__(self, raw: Mapping[str, Any], origin: str) -> None:
        self._raw = raw
        self._origin = origin
        self._parsed: dict[str, Definition] = {}

    def __getitem__(self, name: str) -> Definition:
        definition = self._parsed.get(name)
        if definition is None:
            raw = {name: self._raw[name]}
            # What it refers to is in the document, which was checked as a whole.
            others: Any = self._raw
            parsed = parse_definitions(raw, others, SourceMap(self._origin))
            definition = self._parsed[name] = parsed.definitions[name]
        return definition

    def __iter__(self) -> Iterator[str]:
        return iter(self._raw)

    def __len__(self) -> int:
        return len(self._raw)

    def kinds(self) -> Iterator[tuple[GroupVersionKind, str]]:
        """The kinds that are served as one definition, each with its full name."""
        for name, schema in self._raw.items():
            kinds = schema.get(KINDS_KEYWORD, ())
            if len(kinds) == 1:
                kind = kinds[0]
                yield (
                    GroupVersionKind(kind["group"], kind["version"], kind["kind"]),
                    name,
                )


def load_lazily(source: Source) -> Release:
    """The release in ``source`` with configuration files; raises as ``load_release``.

    What is not embedded, or has custom resources, is parsed as a whole.
    """
    if not source.is_embedded or source.crds or source.selection:
        return with_configurations(load_release(source))
    document = source.document()
    raw = {**configuration_definitions(source.release), **document["definitions"]}
    definitions = LazyDefinitions(raw, source.origin)
    return Release(
        name=source.release,
        origin=source.origin,
        sha256=source.sha256,
        definitions=definitions,
        unknown_keywords=(),
        document=document,
        resources=ServedResources(source, document, definitions),
        notes=source.notes,
    )
