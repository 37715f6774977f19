"""Loads a release: reads its document and its CustomResourceDefinitions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from kubestencil.errors import SpecError
from kubestencil.schema.documents.inline import name_inline_objects, notes_on_numbers
from kubestencil.schema.documents.openapi2 import parse_document
from kubestencil.schema.documents.validate import validate
from kubestencil.schema.graph import reachable, reference_graph
from kubestencil.schema.keywords import KINDS_KEYWORD
from kubestencil.schema.pointer import (
    Pointer,
    extended,
    pointer_tokens,
    printable_pointer,
)
from kubestencil.schema.resources.served import ServedResources
from kubestencil.schema.types import JsonObject, Release
from kubestencil.schema.well_known import is_built_in
from kubestencil.source import Source
from kubestencil.source.document import CrdSet

if TYPE_CHECKING:
    from kubestencil.schema.custom_resources.definitions import CustomResources


def load_release(source: Source) -> Release:
    """The release in ``source``, parsed and validated.

    Documents with custom resources, and of OpenAPI 3.0, are checked by their readers
    only: custom resources have patterns in the syntax of RE2 (``(?i)``), which the
    validator refuses. Raises SpecError for a document that is not valid, or contradicts
    itself, UsageError for a selected group or kind that it does not have.
    """
    document = source.document()
    if "openapi" in document:
        # Imported here and below, since most runs read neither.
        from kubestencil.schema.documents.openapi3 import as_openapi2

        converted = as_openapi2(document, source.origin)
        release = _load_cluster(source, converted, ("schemas", ("components", None)))
        release = replace(release, from_openapi3=True)
    elif _has_custom_resources(document):
        release = _load_cluster(source, document, ("definitions", None))
    else:
        # The digest of a valid document is remembered: that of the document alone.
        base = replace(source, crds=None) if source.crds is not None else source
        release = parse_document(base, document)
        if source.crds is None or not source.crds.alone:
            validate(release)
    if source.crds is not None:
        release = _with_crds(source, release, source.crds)
    if source.selection is None:
        return release
    from kubestencil.schema.select import select

    return select(release, source.selection)


def _has_custom_resources(document: JsonObject) -> bool:
    """Whether an OpenAPI 2.0 document is that of a cluster with kinds besides
    Kubernetes' own."""
    definitions = document.get("definitions")
    return isinstance(definitions, Mapping) and any(
        name.count(".") > 1
        and not is_built_in(name)
        and isinstance(schema, Mapping)
        and KINDS_KEYWORD in schema
        for name, schema in definitions.items()
    )


def _load_cluster(source: Source, document: JsonObject, schemas: Pointer) -> Release:
    """The release of a document that has inline objects.

    ``schemas`` is where the definitions are in the document of the source.
    """
    definitions = document.get("definitions")
    if not isinstance(definitions, dict):
        return parse_document(source, document)
    named = name_inline_objects(definitions)

    def locate(pointer: Pointer) -> str:
        _, *tokens = pointer_tokens(pointer)
        inline = named.pointers.get(tokens[0]) if tokens else None
        if inline is not None:
            tokens = [*pointer_tokens(inline), *tokens[1:]]
        origin = source.origin
        if tokens:
            origin = source.definition_origins.get(tokens[0], origin)
        return f"{origin}#{printable_pointer(extended(schemas, tokens))}"

    release = parse_document(
        source, {**document, "definitions": named.definitions}, locate
    )
    return replace(
        release,
        inline_definitions=frozenset(named.pointers),
        notes=tuple(notes_on_numbers(named, locate)),
    )


def _with_crds(source: Source, base: Release, crds: CrdSet) -> Release:
    """``base`` with the definitions of custom resources, or these alone.

    Raises SpecError where one of them has the name of a definition of ``base``.
    """
    from kubestencil.schema.custom_resources.definitions import custom_resources
    from kubestencil.schema.custom_resources.standard_fields import StandardFields

    schemas = {name: value.schema.raw for name, value in base.definitions.items()}
    custom = custom_resources(crds, StandardFields.of(schemas), base.definitions)
    for name in custom.definitions:
        if name in base.definitions:
            where = custom.origins.get(name, ", ".join(crds.locations))
            raise SpecError(f"defines {name}, as {base.origin} does", where=where)
    definitions = {**base.definitions, **custom.definitions}
    if crds.alone:
        reached = reachable(reference_graph(definitions), custom.definitions)
        definitions = {
            name: value for name, value in definitions.items() if name in reached
        }
    release = replace(
        base,
        definitions=definitions,
        resources=(
            custom.resources if crds.alone else ServedResources(base, custom.resources)
        ),
    )
    return _combined(source, base, custom, release)


def _combined(
    source: Source, base: Release, custom: CustomResources, release: Release
) -> Release:
    definitions = {
        name: value.schema.raw for name, value in release.definitions.items()
    }
    return replace(
        release,
        name=source.release,
        origin=source.origin,
        sha256=source.sha256,
        unknown_keywords=(*base.unknown_keywords, *custom.unknown_keywords),
        document={**base.document, "definitions": definitions},
        custom_kinds=base.custom_kinds | custom.resources.keys(),
        inline_definitions=base.inline_definitions | custom.inline_definitions,
        notes=(*base.notes, *custom.notes),
        from_openapi3=True,
    )
