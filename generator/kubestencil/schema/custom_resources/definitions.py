"""Custom resources: all CustomResourceDefinitions of a run, read once.

Several releases may have the same custom resources, and what is read of them is the
same in each, so that the last result is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from typing import Any

from kubestencil.errors import SpecError
from kubestencil.schema.custom_resources.crd import CustomResource, custom_resource
from kubestencil.schema.custom_resources.default_values import default_mistakes
from kubestencil.schema.custom_resources.standard_fields import StandardFields
from kubestencil.schema.custom_resources.structural import CrdDefault, schema_error
from kubestencil.schema.documents.inline import (
    name_inline_objects,
    notes_on_numbers,
)
from kubestencil.schema.documents.openapi2 import parse_definitions
from kubestencil.schema.frozen import Known, frozen_once
from kubestencil.schema.pointer import Pointer, SourceMap
from kubestencil.schema.types import (
    Definition,
    GroupVersionKind,
    JsonObject,
    Resource,
    UnknownKeyword,
)
from kubestencil.source.crds import CrdObject, FileContents, read_objects
from kubestencil.source.document import CrdSet, SourceFile

_MAX_ERRORS = 10


class InvalidCrdsError(SpecError):
    """The first of several errors, whose hint lists others. ``errors`` has all, with the
    file or the object that each is in."""

    def __init__(self, errors: Iterable[tuple[str, SpecError]]) -> None:
        self.errors = tuple(errors)
        first, *others = (error for _, error in self.errors)
        listed = [f"{error.where}: {error.what}" for error in others[:_MAX_ERRORS]]
        if others:
            listed.insert(0, f"and {len(others)} more (render --keep-going lists all):")
        if len(others) > _MAX_ERRORS:
            listed.append("…")
        hints = [hint for hint in (first.hint, *listed) if hint]
        super().__init__(first.what, where=first.where, hint="\n  ".join(hints))

    def __reduce__(self) -> tuple[object, ...]:
        return InvalidCrdsError, (self.errors,)


@dataclass(frozen=True, slots=True)
class CustomResources:
    """What all CustomResourceDefinitions of a run define.

    ``origins`` has the file and line of each kind and list kind. The other attributes
    are as those of ``Release``.
    """

    definitions: Mapping[str, Definition]
    inline_definitions: frozenset[str]
    resources: Mapping[GroupVersionKind, Resource]
    unknown_keywords: tuple[UnknownKeyword, ...]
    notes: tuple[str, ...]
    origins: Mapping[str, str]
    projects: Mapping[str, str]
    custom_kinds: Mapping[GroupVersionKind, JsonObject]


def custom_resources(
    crds: CrdSet, standard: StandardFields, others: Mapping[str, Definition]
) -> CustomResources:
    """The custom resources of ``crds``, with the standard fields of a release whose
    definitions are ``others``.

    Raises SpecError where a file cannot be read, an object is no valid
    CustomResourceDefinition, two define the same kind, or there is none.
    """
    key = f"{crds.sha256} {standard!r}"
    if key not in _last:
        _last.clear()
        _last[key] = _read(crds, standard, others)
    return _last[key]


_last: dict[str, CustomResources] = {}


def _read(
    crds: CrdSet, standard: StandardFields, others: Mapping[str, Definition]
) -> CustomResources:
    objects, read_notes = decode_crds(crds)
    notes = list(read_notes)
    defaults: list[tuple[str, Sequence[CrdDefault]]] = []
    projects: dict[str, str] = {}
    schemas: dict[str, JsonObject] = {}
    origins: dict[str, str] = {}
    pointers: dict[str, Pointer] = {}
    resources: dict[GroupVersionKind, Resource] = {}
    kinds: dict[GroupVersionKind, JsonObject] = {}
    for crd, resource in _read_all(objects, standard, crds.unserved):
        defaults.append((crd.where, resource.defaults))
        projects[resource.group] = crds.project(crd.where)
        schemas.update(resource.definitions)
        origins.update(dict.fromkeys(resource.definitions, crd.where))
        pointers.update(resource.pointers)
        resources.update((version.kind, version) for version in resource.resources)
        kinds.update(resource.schemas)
        notes += resource.notes
    named = name_inline_objects(schemas)
    # Of a large catalogue, these are a hundred megabytes.
    del schemas
    sources = SourceMap(
        "", None, origins, dict.fromkeys(origins) | pointers, named.pointers
    )
    try:
        parsed = parse_definitions(named.definitions, others, sources)
    except SpecError as error:
        places = (where for where, _ in defaults if error.where.startswith(f"{where}#"))
        raise InvalidCrdsError([(next(places, error.where), error)]) from error
    _check_defaults(defaults)
    notes += notes_on_numbers(named.numbered, sources)
    return CustomResources(
        parsed.definitions,
        frozenset(named.pointers),
        resources,
        parsed.unknown_keywords,
        tuple(notes),
        origins,
        projects,
        kinds,
    )


def decode_crds(crds: CrdSet) -> tuple[tuple[CrdObject, ...], tuple[str, ...]]:
    """The CustomResourceDefinitions of all files, and a note on other objects; raises as
    ``custom_resources`` where a file cannot be read, or there is none."""
    objects: list[CrdObject] = []
    ignored: dict[str, int] = {}
    errors: list[tuple[str, SpecError]] = []
    for file, contents in zip(crds.files, _read_files(crds.files), strict=True):
        if file.origin in crds.refused:
            continue
        if isinstance(contents, SpecError):
            errors.append((file.origin, contents))
            continue
        found, others = contents
        objects += [crd for crd in found if crd.where not in crds.refused]
        for kind in others:
            ignored[kind] = ignored.get(kind, 0) + 1
    if errors:
        raise InvalidCrdsError(errors)
    if not objects:
        but = f", but {_in_words(ignored)}" if ignored else ""
        raise SpecError(
            f"has no CustomResourceDefinition{but}",
            where=_common_origin(crds),
            hint=(
                "name the files that define kinds, such as those in a chart's crds/; "
                "kubestencil check reads objects"
                if ignored
                else "name a file or folder with some"
            ),
        )
    if ignored:
        note = f"{_common_origin(crds)}: ignored {_in_words(ignored)}"
        return tuple(objects), (note,)
    return tuple(objects), ()


@lru_cache(maxsize=1)
def _read_files(files: tuple[SourceFile, ...]) -> tuple[FileContents | SpecError, ...]:
    """What each file has, or why it cannot be read."""
    contents: list[FileContents | SpecError] = []
    known: Known = {}
    for file in files:
        try:
            crds, others = read_objects(file)
        except SpecError as error:
            contents.append(error)
        else:
            shared = [replace(crd, value=frozen_once(crd.value, known)) for crd in crds]
            contents.append((shared, others))
    return tuple(contents)


def crd_values(crds: CrdSet) -> Iterator[Mapping[str, Any]]:
    """The CustomResourceDefinitions of all files, as they are written; raises as
    ``decode_crds``."""
    return (crd.value for crd in decode_crds(crds)[0])


def _in_words(counts: Mapping[str, int]) -> str:
    """Numbers of objects by kind: ``3 objects of other kinds (ConfigMap, Service)``."""
    total = sum(counts.values())
    kinds = sorted(counts)
    more = ", …" if len(kinds) > 5 else ""
    noun = "object of another kind" if total == 1 else "objects of other kinds"
    return f"{total} {noun} ({', '.join(kinds[:5])}{more})"


def _common_origin(crds: CrdSet) -> str:
    """What a user gave: the locations of the files."""
    return ", ".join(crds.locations) or crds.files[0].origin


def _read_all(
    objects: Iterable[CrdObject],
    standard: StandardFields,
    unserved: bool,
) -> Iterator[tuple[CrdObject, CustomResource]]:
    """Each CustomResourceDefinition with what it adds.

    A kind may be defined by several, each with versions of its own. Raises SpecError
    for the first that is not valid, or defines what another one does; its hint lists
    further ones.
    """
    errors: list[tuple[str, SpecError]] = []
    first: dict[tuple[str, str], tuple[CrdObject, Resource]] = {}
    origins: dict[str, str] = {}
    for crd in objects:
        try:
            resource = custom_resource(
                crd.value, crd.where, standard, unserved=unserved
            )
            _check_unique(resource, crd, origins, first)
        except SpecError as error:
            errors.append((crd.where, error))
        else:
            yield crd, resource
    if errors:
        raise InvalidCrdsError(errors)


def _check_defaults(read: Iterable[tuple[str, Sequence[CrdDefault]]]) -> None:
    """Raise SpecError for defaults that do not fit their schemas, whose keywords have
    been checked; those of each definition come after its place."""
    errors: list[tuple[str, SpecError]] = []
    for where, defaults in read:
        for default in defaults:
            for pointer, message in islice(default_mistakes(default), 1):
                errors.append((where, schema_error(where, message, pointer)))
    if errors:
        raise InvalidCrdsError(errors)


def _check_unique(
    resource: CustomResource,
    crd: CrdObject,
    origins: dict[str, str],
    first: dict[tuple[str, str], tuple[CrdObject, Resource]],
) -> None:
    """Raise SpecError where another object defines the same version of a kind, or other
    versions of it under other names."""
    for name in resource.definitions:
        if name in origins:
            raise SpecError(f"defines {name}, as {origins[name]} does", where=crd.where)
        origins[name] = crd.where
    for version in resource.resources:
        key = version.kind.group, version.kind.kind
        other_crd, other = first.setdefault(key, (crd, version))
        if (version.plural, version.namespaced) != (other.plural, other.namespaced):
            raise SpecError(
                f"defines the kind {version.kind.kind} of {version.kind.group}, as "
                f"{other_crd.where} does, with another plural or scope",
                where=crd.where,
            )
