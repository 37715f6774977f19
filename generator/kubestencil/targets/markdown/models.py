"""The models of a release as openapi-generator has them: the quirk ``inline-models``.

kubernetes-client/gen shortens the names of definitions, openapi-generator makes models
of them and of the objects inside (``kubestencil.targets.markdown.inline_models``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from kubestencil.schema import Definition, Release, Schema
from kubestencil.schema.documents.inline import with_inline_objects
from kubestencil.schema.documents.published import published_definition
from kubestencil.schema.well_known import is_built_in
from kubestencil.targets.languages.python.spelling import (
    class_name,
    class_names,
    short_names,
)
from kubestencil.targets.markdown.inline_models import Version, name_inline_models

# What kubernetes-client/gen shortens: also custom resources in groups of k8s.io.
_SHORTENED = "io.k8s."


def published_models(
    release: Release, version: Version
) -> tuple[Release, Mapping[str, str]]:
    """``release`` with the models of openapi-generator instead of definitions, and the
    class of each.

    Raises SpecError where two definitions get the same class, but not for the document
    of a cluster.
    """
    if not (release.inline_definitions or release.from_openapi3):
        return release, class_names(release.definitions)
    schemas = dict(_published_schemas(release))
    short = short_names(schemas, is_shortened=lambda name: name.startswith(_SHORTENED))
    models = name_inline_models(schemas, short, _in_order(schemas), version)
    definitions = dict(_definitions(release, schemas, models))
    return replace(release, definitions=definitions), _classes(definitions, short)


def _published_schemas(release: Release) -> Iterator[tuple[str, Schema]]:
    """The definitions as an API server publishes them in OpenAPI 2.0."""
    definitions = with_inline_objects(release).definitions
    for name in sorted(definitions) if release.from_openapi3 else definitions:
        schema = definitions[name].schema
        if release.from_openapi3:
            schema = published_definition(name, schema)
        yield name, schema


def _in_order(names: Iterable[str]) -> list[str]:
    """The definitions that may have inline objects, as openapi-generator reads them:
    kubernetes-client/gen moves those that it shortens behind the others."""
    custom = [name for name in names if not is_built_in(name)]
    return sorted(custom, key=lambda name: name.startswith(_SHORTENED))


def _definitions(
    release: Release,
    schemas: Mapping[str, Schema],
    models: Mapping[str, Mapping[str, Schema]],
) -> Iterator[tuple[str, Definition]]:
    """The definitions of the document, and then the inline models."""
    for name, schema in schemas.items():
        definition = release.definitions[name]
        model = models[name].get(name, schema) if name in models else schema
        yield name, replace(definition, schema=model)
    for owner, added in models.items():
        for name, model in added.items():
            if name != owner:
                yield name, replace(
                    release.definitions[owner],
                    name=name,
                    kind=name,
                    kinds=(),
                    schema=model,
                )


def _classes(
    definitions: Iterable[str], short_names: Mapping[str, str]
) -> Mapping[str, str]:
    """The class of each model: definitions of the document, and then inline models.

    Each definition has a page of its own, on file systems that ignore case, too: a
    class that is taken gets a number. openapi-generator writes models of the same
    class to one page, the last one of which is left.
    """
    classes: dict[str, str] = {}
    spellings: dict[str, str] = {}
    for name in definitions:
        is_inline = name not in short_names
        base = candidate = class_name(short_names.get(name, name))
        number = 1
        while (other := spellings.get(candidate.casefold())) is not None:
            if is_inline and other == candidate:
                break
            candidate, number = f"{base}{number}", number + 1
        spellings[candidate.casefold()] = candidate
        classes[name] = candidate
    return classes
