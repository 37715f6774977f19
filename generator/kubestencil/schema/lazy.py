"""Loads a release whose definitions are parsed when they are needed.

A check of manifests needs some tens of a thousand definitions. Only embedded documents
are loaded like that: they are valid, so that nothing is left to be refused.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any

from kubestencil.errors import SpecError
from kubestencil.schema.documents.openapi2 import parse_definitions
from kubestencil.schema.keywords import KINDS_KEYWORD
from kubestencil.schema.knowledge.configurations import (
    configuration_definitions,
    gitops_definitions,
    with_configurations,
    with_further,
)
from kubestencil.schema.load import load_release
from kubestencil.schema.pointer import SourceMap
from kubestencil.schema.resources.served import ServedResources
from kubestencil.schema.types import Definition, GroupVersionKind, Release
from kubestencil.source import Source
from kubestencil.source.document import CrdSet

#: What the origins of CustomResourceDefinitions begin with that nobody named.
FOUND = "<found>/"


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

    def beside(self, raw: Mapping[str, Any]) -> LazyDefinitions:
        """The definitions, with those of a valid document that they lack."""
        return LazyDefinitions({**raw, **self._raw}, self._origin)

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


def with_gitops_kinds(release: Release, kinds: Collection[GroupVersionKind]) -> Release:
    """``release`` with the kinds of Flux and Argo CD, but for those that are among its
    ``kinds`` in any version."""
    known = {(kind.group, kind.kind) for kind in kinds}
    raw = {
        name: schema
        for name, schema in gitops_definitions().items()
        if not any(
            (kind["group"], kind["kind"]) in known
            for kind in schema.get(KINDS_KEYWORD, ())
        )
    }
    definitions = release.definitions
    if isinstance(definitions, LazyDefinitions):
        return replace(release, definitions=definitions.beside(raw))
    return release if release.is_limited else with_further(release, raw)


def load_with_found(source: Source, found: CrdSet) -> tuple[Source, Release]:
    """``source`` with the CustomResourceDefinitions of ``found`` beside its own, and its
    release: those that are valid, of kinds that neither the source nor an earlier one of
    them defines.

    The origins of ``found`` begin with ``FOUND``. Its groups may lack kinds: they are the
    ``open_groups`` of the release. Raises as ``load_release``.
    """
    # Few runs have any.
    from kubestencil.schema.custom_resources.definitions import (
        InvalidCrdsError,
        crd_values,
    )
    from kubestencil.source.inputs import add_crds

    named = set(map(_group, crd_values(source.crds) if source.crds else ()))
    groups = frozenset(set(map(_group, crd_values(found))) - named)
    whole = add_crds(source, found)
    while True:
        try:
            release = load_lazily(whole)
        except InvalidCrdsError as error:
            places = {where for where, _ in error.errors}
            assert whole.crds is not None
            refused = whole.crds.refused | places
            if refused == whole.crds.refused or not all(
                place.startswith(FOUND) for place in places
            ):
                raise
            crds = replace(whole.crds, refused=refused)
            if not _has_objects(crds):
                return source, load_lazily(source)
            whole = replace(whole, crds=crds)
        else:
            notes = tuple(note for note in release.notes if FOUND not in note)
            return whole, replace(release, notes=notes, open_groups=groups)


def _has_objects(crds: CrdSet) -> bool:
    from kubestencil.schema.custom_resources.definitions import decode_crds

    try:
        return bool(decode_crds(crds))
    except SpecError:
        return False


def _group(definition: Mapping[str, Any]) -> str:
    spec = definition.get("spec")
    return str(spec.get("group")) if isinstance(spec, Mapping) else ""
