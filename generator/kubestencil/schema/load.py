"""Loads a release: reads its document and its CustomResourceDefinitions."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from kubestencil.errors import SpecError
from kubestencil.schema.custom_resources.standard_fields import StandardFields
from kubestencil.schema.documents.inline import (
    NamedObjects,
    name_inline_objects,
    notes_on_numbers,
)
from kubestencil.schema.documents.openapi2 import parse_definitions
from kubestencil.schema.documents.openapi3 import as_openapi2
from kubestencil.schema.documents.validate import validate
from kubestencil.schema.frozen import FrozenObject, frozen
from kubestencil.schema.graph import reachable, reference_graph
from kubestencil.schema.keyword_values import json_object
from kubestencil.schema.keywords import KINDS_KEYWORD
from kubestencil.schema.knowledge.configurations import with_configurations
from kubestencil.schema.pointer import Pointer, SourceMap
from kubestencil.schema.resources.served import ServedResources
from kubestencil.schema.select import select
from kubestencil.schema.types import (
    Definition,
    GroupVersionKind,
    JsonObject,
    Release,
)
from kubestencil.schema.well_known import is_built_in
from kubestencil.source import Source
from kubestencil.source.document import CrdSet

_DEFINITIONS: Pointer = ("definitions", None)
_SCHEMAS: Pointer = ("schemas", ("components", None))


def load_release(source: Source) -> Release:
    """The release in ``source``, parsed and validated, with its custom resources, and
    limited to its selection.

    Raises SpecError for a document that is not valid, or contradicts itself, UsageError
    for a selected group or kind that it does not have.
    """
    release = parse(source)
    if _needs_validation(source, release):
        # The digest of a valid document is remembered: that of the document alone.
        document = replace(source, crds=None)
        validate(release.document, document.sha256, source.origin)
    if source.crds is not None:
        release = _with_custom_resources(release, source, source.crds)
    if source.selection is not None:
        release = select(with_configurations(release), source.selection)
    return release


def parse(source: Source) -> Release:
    """The release in the document of ``source``, which is not validated, without what the
    source adds; raises SpecError as ``as_openapi2`` and ``parse_definitions``."""
    raw = frozen(source.document())
    document = as_openapi2(raw, source.origin)
    definitions = document["definitions"]
    from_openapi3 = document is not raw
    named = NamedObjects(definitions, {}, {})
    if from_openapi3 or _has_custom_resources(definitions):
        named = name_inline_objects(definitions)
        document = frozen({**document, "definitions": named.definitions})
    sources = SourceMap(
        source.origin,
        _SCHEMAS if from_openapi3 else _DEFINITIONS,
        source.definition_origins,
        inline=named.pointers,
    )
    parsed = parse_definitions(document["definitions"], {}, sources)
    return Release(
        name=source.release,
        origin=source.origin,
        sha256=source.sha256,
        definitions=parsed.definitions,
        unknown_keywords=parsed.unknown_keywords,
        document=document,
        resources=ServedResources(source, document, parsed.definitions),
        inline_definitions=frozenset(named.pointers),
        notes=(*source.notes, *notes_on_numbers(named.numbered, sources)),
        from_openapi3=from_openapi3,
    )


def _has_custom_resources(definitions: Mapping[str, object]) -> bool:
    """Whether definitions of OpenAPI 2.0 are those of a cluster with kinds besides
    Kubernetes' own."""
    return any(
        name.count(".") > 1
        and not is_built_in(name)
        and isinstance(schema, Mapping)
        and KINDS_KEYWORD in schema
        for name, schema in definitions.items()
    )


def _needs_validation(source: Source, release: Release) -> bool:
    """Whether a document may be other than valid. Embedded ones are not. Those of OpenAPI
    3.0, and with custom resources, are checked by their readers only: custom resources have
    patterns in the syntax of RE2 (``(?i)``), which the validator refuses."""
    is_embedded = source.is_embedded or source.is_of_crds_alone
    return not (
        is_embedded
        or release.from_openapi3
        or _has_custom_resources(release.document["definitions"])
    )


def _custom_types(
    definitions: Mapping[str, Definition], kinds: Collection[GroupVersionKind]
) -> frozenset[str]:
    """The definitions that only ``kinds``, none of Kubernetes' own, and their lists have."""
    items = {(kind.group, kind.version, kind.kind) for kind in kinds}
    starts = {
        name
        for name, item in definitions.items()
        if not is_built_in(name)
        and any(
            (*kind[:2], kind.kind.removesuffix("List")) in items for kind in item.kinds
        )
    }
    if not starts:
        return frozenset()
    graph = reference_graph(definitions)
    reached = reachable(graph, starts)
    others = reachable(graph, definitions.keys() - reached)
    return frozenset(reached - others) - {name for name in reached if is_built_in(name)}


def _notes(base: Release, replaced: Collection[str], crds: CrdSet) -> Iterator[str]:
    """The notes of a release, or that some of its types are replaced."""
    if not replaced:
        yield from base.notes
        return
    kinds = sum(len(base.definitions[name].kinds) for name in replaced)
    yield (
        f"{base.origin}: {kinds} kinds and lists of custom resources are as "
        f"{', '.join(crds.locations)} has them"
    )


def _with_custom_resources(base: Release, source: Source, crds: CrdSet) -> Release:
    """A release with the definitions of custom resources beside its own, or these
    alone. Kinds that a document of a cluster has are as the files define them.

    Raises SpecError where one of them has the name of another definition of ``base``.
    """
    from kubestencil.schema.custom_resources.definitions import (
        InvalidCrdsError,
        custom_resources,
    )

    schemas: dict[str, JsonObject] = {
        name: json_object(value.schema) for name, value in base.definitions.items()
    }
    custom = custom_resources(crds, StandardFields.of(schemas), base.definitions)
    replaced = _custom_types(base.definitions, custom.resources)
    clashes = []
    for name in custom.definitions:
        if name in base.definitions and name not in replaced:
            where = custom.origins.get(name, ", ".join(crds.locations))
            message = f"defines {name}, as {base.origin} does"
            clashes.append((where, SpecError(message, where=where)))
    if clashes:
        raise InvalidCrdsError(clashes)
    kept = {
        name: value for name, value in base.definitions.items() if name not in replaced
    }
    definitions = {**kept, **custom.definitions}
    if crds.alone:
        reached = reachable(reference_graph(definitions), custom.definitions)
        definitions = {
            name: value for name, value in definitions.items() if name in reached
        }
    release = replace(
        base,
        unknown_keywords=(*base.unknown_keywords, *custom.unknown_keywords),
        resources=(
            FrozenObject(custom.resources)
            if crds.alone
            else ServedResources(
                source, base.document, base.definitions, custom.resources
            )
        ),
        projects=FrozenObject(custom.projects),
        custom_kinds=FrozenObject(custom.custom_kinds),
        inline_definitions=(base.inline_definitions - replaced)
        | custom.inline_definitions,
        notes=(*_notes(base, replaced, crds), *custom.notes),
        from_openapi3=True,
        is_limited=crds.alone,
    )
    return release.with_definitions(definitions)
