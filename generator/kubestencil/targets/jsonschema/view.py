"""The view ``jsonschema``: schemas for validators and editors, as files without a
template.

Those of Kubernetes' own kinds are what openapi2jsonschema prints, or have what the API
server knows of values; those of custom resources have what OpenAPI 3.0 says of them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import chain
from typing import Annotated

from kubestencil.engine.manifest import Target
from kubestencil.engine.options import read_options
from kubestencil.engine.view import Contexts, Each, FileContext
from kubestencil.schema import Definition, Release
from kubestencil.schema.knowledge.configurations import with_configurations
from kubestencil.schema.well_known import is_built_in
from kubestencil.targets.jsonschema.catalog import catalog_schema
from kubestencil.targets.jsonschema.custom import (
    CustomKind,
    CustomSchemas,
    configurations,
    custom_kinds,
)
from kubestencil.targets.jsonschema.editor import EditorSchemas, any_kind
from kubestencil.targets.jsonschema.flavours import (
    Flavour,
    JsonSchemaOptions,
    chosen_flavours,
    kubernetes_version,
)
from kubestencil.targets.jsonschema.published import PublishedSchemas

#: What openapi2jsonschema makes of a document, where a manifest asks for it.
QUIRKS: Mapping[str, str] = {
    "ascii-only": "characters outside of ASCII are escaped",
    "dropped-siblings": "a type that is put in for its reference has its own "
    "description, not that of the field",
    "field-called-properties": "in a schema of CRDs-catalog, fields of which one is "
    "called properties have one more, called additionalProperties",
    "last-definition-wins": "KIND.json is that of the last definition of that name",
    "no-final-newline": "files do not end in a newline",
    "objects-only": "a definition without a type is an object, and strict schemas "
    "forbid additional properties of every definition, also of a string",
    "position-in-name": "the group in a file name is the third last part of the "
    "definition's name",
    "required-may-be-null": "null is allowed in the fields of a schema's top level, "
    "also in required ones",
    "schema-last": "$schema comes last",
    "unsupported-kinds": "these kinds have no schema where references are replaced",
}

_FOLDER = {"folder": "the version and the flavour: v1.35.0-standalone-strict"}


#: The values that ``each`` can have in a manifest.
EACH: Mapping[str, Each] = {
    "schema": Each(
        "a definition of Kubernetes in a flavour, twice: with group and version in the "
        "name, and without; in the flavour editor a kind, with them; the view provides "
        "the bytes",
        {**_FOLDER, "name": "kind, group and version: deployment-apps-v1, deployment"},
    ),
    "definitions": Each(
        "all definitions in a flavour; the view provides the bytes", _FOLDER
    ),
    "all": Each(
        "a schema that refers to all definitions in a flavour, or in the flavour editor "
        "to that of an object's kind, configuration files included; the view provides "
        "the bytes",
        _FOLDER,
    ),
    "custom-kind": Each(
        "a kind of a custom resource, and beside the flavour editor of a configuration "
        "file; the view provides the bytes",
        {
            "group": "the group: example.com",
            "kind": "the kind in lower case: widget",
            "version": "the version: v1",
        },
    ),
    "release": Each(
        "the release, once",
        variables={
            "kubernetes_version": Annotated[
                str, "the version in the names of folders, such as v1.35.0"
            ],
            "folders": tuple[Flavour, ...],
            "custom_kinds": tuple[CustomKind, ...],
            "configurations": Annotated[
                tuple[CustomKind, ...], "kinds of configuration files of programs"
            ],
        },
    ),
}


def make_contexts(release: Release, target: Target) -> Contexts:
    """The contexts of the schemas of a release.

    Raises ``option_error`` for an option that is wrong, SpecError for a schema that is too
    large.
    """
    options = read_options(target, JsonSchemaOptions)
    version = kubernetes_version(release.name, target, options)
    flavours = chosen_flavours(target, options, version)
    kinds = custom_kinds(release)
    is_catalog = options.custom_resources == "crds-catalog"
    if is_catalog:
        kinds = tuple(kind for kind in kinds if release.custom_kinds.get(kind.key))
    strict = any(flavour.strict for flavour in flavours)
    definitions = _published_definitions(release, kinds)
    folders = flavours if definitions else ()
    published = [
        PublishedSchemas(definitions, flavour, target.quirks, options.recursive)
        for flavour in folders
        if flavour.published
    ]
    editors = [folder.name for folder in folders if not folder.published]
    # What others publish is without them. Programs refuse fields that are unknown.
    configured = with_configurations(release) if editors else release
    files = configurations(configured)

    def published_schema(kind: CustomKind) -> bytes:
        return catalog_schema(release.custom_kinds[kind.key], target.quirks)

    variables = {
        "kubernetes_version": version,
        "folders": folders,
        "custom_kinds": kinds,
        "configurations": files,
    }
    return Contexts(
        files={
            "schema": lambda: _schemas(
                [
                    *((each.flavour.name, each) for each in published),
                    *((folder, EditorSchemas(release)) for folder in editors),
                ]
            ),
            "definitions": lambda: _files(published, PublishedSchemas.definitions_file),
            "all": lambda: chain(
                _files(published, PublishedSchemas.all_file),
                (
                    FileContext(
                        "all kinds",
                        {"folder": folder},
                        {},
                        any_kind(release, (*kinds, *files)),
                    )
                    for folder in editors
                ),
            ),
            "custom-kind": lambda: chain(
                _custom_contexts(
                    kinds,
                    (
                        published_schema
                        if is_catalog
                        else CustomSchemas(release, strict=strict).schema
                    ),
                ),
                _custom_contexts(files, CustomSchemas(configured, strict=True).schema),
            ),
            "release": lambda: [FileContext(release.name, {}, variables)],
        }
    )


def _published_definitions(
    release: Release, custom: Collection[CustomKind]
) -> Mapping[str, Definition]:
    """The definitions in the folders of the flavours: with custom resources, only those
    of Kubernetes, whose files so have the same content as without; none where these
    are but parts of custom resources."""
    if not custom:
        return release.definitions
    definitions = {
        name: definition
        for name, definition in release.definitions.items()
        if is_built_in(name)
    }
    has_kinds = any(definition.kinds for definition in definitions.values())
    return definitions if has_kinds else {}


def _custom_contexts(
    kinds: Iterable[CustomKind], schema_of: Callable[[CustomKind], bytes]
) -> Iterator[FileContext]:
    for kind in kinds:
        placeholders = {
            "group": kind.group,
            "kind": kind.kind.lower(),
            "version": kind.version,
        }
        yield FileContext(kind.definition, placeholders, {}, schema_of(kind))


def _schemas(
    folders: Iterable[tuple[str, PublishedSchemas | EditorSchemas]],
) -> Iterator[FileContext]:
    """The contexts of the schemas of all definitions in all flavours."""
    for folder, schemas in folders:
        for schema in schemas.schemas():
            placeholders = {"folder": folder, "name": schema.name}
            yield FileContext(schema.definition, placeholders, {}, schema.data)


def _files(
    published: Iterable[PublishedSchemas],
    make_file: Callable[[PublishedSchemas], bytes],
) -> Iterator[FileContext]:
    """The context of one file about all definitions for each flavour."""
    for each in published:
        placeholders = {"folder": each.flavour.name}
        yield FileContext("all definitions", placeholders, {}, make_file(each))
