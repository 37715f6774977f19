"""Loads a release: reads its document and its CustomResourceDefinitions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from kubestencil.errors import SpecError
from kubestencil.schema.crd import CustomResource, StandardFields, custom_resource
from kubestencil.schema.graph import reachable, reference_graph
from kubestencil.schema.inline import name_inline_objects
from kubestencil.schema.openapi2 import parse_document
from kubestencil.schema.openapi3 import as_openapi2
from kubestencil.schema.types import Release
from kubestencil.schema.validate import validate
from kubestencil.schema.well_known import is_built_in
from kubestencil.source import Source
from kubestencil.source.crds import crd_objects
from kubestencil.source.document import CrdSet


def load_release(source: Source) -> Release:
    """The release in ``source``, parsed and validated.

    Documents with custom resources, and of OpenAPI 3.0, are checked by their readers
    only: custom resources have patterns in the syntax of RE2 (``(?i)``), which the
    validator refuses. Raises SpecError for a document that is not valid, or contradicts
    itself.
    """
    document = source.document()
    if "openapi" in document:
        document = as_openapi2(document, source.origin)
        definitions = name_inline_objects(document["definitions"])
        release = parse_document(source, {**document, "definitions": definitions})
    else:
        # The digest of a valid document is remembered: that of the document alone.
        release = parse_document(replace(source, crds=None), document)
        if _has_custom_resources(release):
            definitions = name_inline_objects(document["definitions"])
            release = parse_document(source, {**document, "definitions": definitions})
        else:
            validate(release)
    return release if source.crds is None else _with_crds(source, release, source.crds)


def _has_custom_resources(release: Release) -> bool:
    """Whether the document is that of a cluster with kinds besides Kubernetes' own."""
    return any(
        definition.kinds and definition.name.count(".") > 1 and not is_built_in(name)
        for name, definition in release.definitions.items()
    )


def _with_crds(source: Source, base: Release, crds: CrdSet) -> Release:
    """``base`` with the definitions of custom resources, or these alone."""
    resources = list(_custom_resources(base, crds))
    custom = {
        name: schema
        for resource in resources
        for name, schema in resource.definitions.items()
    }
    definitions = {**base.document["definitions"], **name_inline_objects(custom)}
    release = replace(
        parse_document(source, {**base.document, "definitions": definitions}),
        resources={
            **base.resources,
            **{
                version.kind: version
                for resource in resources
                for version in resource.resources
            },
        },
    )
    if not crds.alone:
        return release
    reached = reachable(reference_graph(release.definitions), custom)
    return replace(
        release,
        definitions={
            name: definition
            for name, definition in release.definitions.items()
            if name in reached
        },
    )


def _custom_resources(base: Release, crds: CrdSet) -> Iterator[CustomResource]:
    """What each CustomResourceDefinition adds.

    Raises SpecError where two define the same kind, or there is none.
    """
    origins: dict[str, str] = {}
    standard = StandardFields.of(base.document["definitions"])
    for file in crds.files:
        for crd in crd_objects(file):
            resource = custom_resource(
                crd.value, crd.where, standard, unserved=crds.unserved
            )
            for name in resource.definitions:
                if name in origins or name in base.definitions:
                    other = origins.get(name, base.origin)
                    raise SpecError(f"defines {name}, as {other} does", where=crd.where)
            origins |= dict.fromkeys(resource.definitions, crd.where)
            yield resource
    if not origins:
        raise SpecError("has no CustomResourceDefinition", where=crds.files[0].origin)
