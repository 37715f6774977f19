"""Loads a release: reads its document and its CustomResourceDefinitions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from kubestencil.errors import SpecError
from kubestencil.schema.custom_resources.standard_fields import StandardFields
from kubestencil.schema.documents.inline import name_inline_objects, notes_on_numbers
from kubestencil.schema.documents.openapi2 import ParsedDefinitions, parse_document
from kubestencil.schema.documents.openapi3 import as_openapi2
from kubestencil.schema.documents.validate import validate
from kubestencil.schema.facts.configurations.join import with_configurations
from kubestencil.schema.frozen import FrozenObject, frozen
from kubestencil.schema.graph import reachable, reference_graph
from kubestencil.schema.keyword_values import json_object
from kubestencil.schema.keywords import KINDS_KEYWORD
from kubestencil.schema.pointer import (
    Pointer,
    extended,
    pointer_tokens,
    printable_pointer,
)
from kubestencil.schema.resources.served import ServedResources
from kubestencil.schema.select import select
from kubestencil.schema.types import JsonObject, Release
from kubestencil.schema.well_known import is_built_in
from kubestencil.source import Source
from kubestencil.source.document import CrdSet


class _Parsed(NamedTuple):
    """A document of OpenAPI 2.0 and what was read of it, as attributes of ``Release``."""

    document: JsonObject
    definitions: ParsedDefinitions
    inline_definitions: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()
    from_openapi3: bool = False


def load_release(source: Source) -> Release:
    """The release in ``source``, parsed and validated.

    Documents with custom resources, and of OpenAPI 3.0, are checked by their readers
    only: custom resources have patterns in the syntax of RE2 (``(?i)``), which the
    validator refuses. Raises SpecError for a document that is not valid, or contradicts
    itself, UsageError for a selected group or kind that it does not have.
    """
    document = frozen(source.document())
    if "openapi" in document:
        converted = as_openapi2(document, source.origin)
        parsed = _parse_cluster(
            source, converted, ("schemas", ("components", None)), from_openapi3=True
        )
    elif _has_custom_resources(document):
        parsed = _parse_cluster(source, document, ("definitions", None))
    else:
        parsed = _Parsed(document, parse_document(document, source.origin))
        # Embedded documents are valid.
        if source.revert is None and (source.crds is None or not source.crds.alone):
            # The digest of a valid document is remembered: that of the document alone.
            base = source if source.crds is None else replace(source, crds=None)
            validate(document, base.sha256, source.origin)
    release = (
        _release(source, parsed)
        if source.crds is None
        else _release_with_crds(source, parsed, source.crds)
    )
    if source.selection is None:
        return release
    return select(with_configurations(release), source.selection)


def parse(source: Source) -> Release:
    """The release in the OpenAPI 2.0 document of ``source``, which is not validated;
    raises as ``parse_document``."""
    document = source.document()
    return _release(source, _Parsed(document, parse_document(document, source.origin)))


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


def _parse_cluster(
    source: Source,
    document: JsonObject,
    schemas: Pointer,
    *,
    from_openapi3: bool = False,
) -> _Parsed:
    """Parse a document that has inline objects.

    ``schemas`` is where the definitions are in the document of the source.
    """
    definitions = document.get("definitions")
    if not isinstance(definitions, dict):
        return _Parsed(document, parse_document(document, source.origin))
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

    document = frozen({**document, "definitions": named.definitions})
    return _Parsed(
        document,
        parse_document(document, source.origin, locate),
        frozenset(named.pointers),
        tuple(notes_on_numbers(named, locate)),
        from_openapi3,
    )


def _release(source: Source, parsed: _Parsed) -> Release:
    definitions = parsed.definitions.definitions
    return Release(
        name=source.release,
        origin=source.origin,
        sha256=source.sha256,
        definitions=definitions,
        unknown_keywords=parsed.definitions.unknown_keywords,
        document=parsed.document,
        resources=ServedResources(source, parsed.document, definitions),
        inline_definitions=parsed.inline_definitions,
        notes=parsed.notes,
        from_openapi3=parsed.from_openapi3,
    )


def _release_with_crds(source: Source, base: _Parsed, crds: CrdSet) -> Release:
    """A release with the definitions of custom resources beside those of ``base``, or
    these alone.

    Raises SpecError where one of them has the name of a definition of ``base``.
    """
    from kubestencil.schema.custom_resources.definitions import (
        InvalidCrdsError,
        custom_resources,
    )

    others = base.definitions.definitions
    schemas = {name: json_object(value.schema) for name, value in others.items()}
    custom = custom_resources(crds, StandardFields.of(schemas), others)
    clashes = []
    for name in custom.definitions:
        if name in others:
            where = custom.origins.get(name, ", ".join(crds.locations))
            message = f"defines {name}, as {source.origin} does"
            clashes.append((where, SpecError(message, where=where)))
    if clashes:
        raise InvalidCrdsError(clashes)
    definitions = {**others, **custom.definitions}
    if crds.alone:
        reached = reachable(reference_graph(definitions), custom.definitions)
        definitions = {
            name: value for name, value in definitions.items() if name in reached
        }
    release = replace(
        _release(source, base),
        unknown_keywords=(
            *base.definitions.unknown_keywords,
            *custom.unknown_keywords,
        ),
        resources=(
            FrozenObject(custom.resources)
            if crds.alone
            else ServedResources(source, base.document, others, custom.resources)
        ),
        projects=FrozenObject(custom.projects),
        custom_kinds=FrozenObject(custom.custom_kinds),
        inline_definitions=base.inline_definitions | custom.inline_definitions,
        notes=(*base.notes, *custom.notes),
        from_openapi3=True,
        is_limited=crds.alone,
    )
    return release.with_definitions(definitions)
