"""The view ``jsonschema``: schemas for validators and editors, as files without a
template.

Those of Kubernetes' own kinds are what openapi2jsonschema prints, or have what the API
server knows of values; those of custom resources have what OpenAPI 3.0 says of them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Annotated, NamedTuple

from kubestencil.engine.manifest import Target
from kubestencil.engine.options import read_options
from kubestencil.engine.view import Contexts, Each, FileContext
from kubestencil.schema import Definition, Release
from kubestencil.schema.kinds import shown_kind
from kubestencil.schema.knowledge.configurations import (
    configuration_types,
    with_configurations,
)
from kubestencil.schema.well_known import is_built_in
from kubestencil.targets.jsonschema.flavours import (
    Flavour,
    JsonSchemaOptions,
    chosen_flavours,
    kubernetes_version,
)
from kubestencil.targets.jsonschema.kinds import SchemaKind, any_kind, schema_kinds
from kubestencil.targets.jsonschema.published import PublishedSchemas, catalog_schema
from kubestencil.targets.jsonschema.schemas import FileSchemas
from kubestencil.targets.jsonschema.writer import DefinitionSchema

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

_DEPLOYMENT = "io.k8s.api.apps.v1.Deployment"
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
            "shown_file": Annotated[
                str,
                "the name of the schema of a kind of Kubernetes, without .json: "
                "deployment-apps-v1; empty without one",
            ],
            "folders": tuple[Flavour, ...],
            "custom_kinds": tuple[SchemaKind, ...],
            "configurations": Annotated[
                tuple[SchemaKind, ...], "kinds of configuration files of programs"
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
    kinds = schema_kinds(release, lambda name: not is_built_in(name))
    is_catalog = options.custom_resources == "crds-catalog"
    if is_catalog:
        kinds = tuple(kind for kind in kinds if release.custom_kinds.get(kind.key))
    definitions = _published_definitions(release, kinds)
    folders = flavours if definitions else ()
    published = [
        PublishedSchemas(definitions, flavour, target.quirks, options.recursive)
        for flavour in folders
        if flavour.published
    ]
    editors = [folder for folder in folders if not folder.published]
    # What others publish is without them. Programs refuse fields that are unknown.
    configured = with_configurations(release) if editors else release
    files = schema_kinds(configured, configuration_types().__contains__)
    schemas: list[PublishedSchemas | _EditorSchemas] = [
        *published,
        *(_EditorSchemas(release, flavour, (*kinds, *files)) for flavour in editors),
    ]
    strict = any(flavour.strict for flavour in flavours)
    custom = FileSchemas(release, strict=strict, refers=False)
    configuration = FileSchemas(configured, strict=True, refers=False)

    def custom_contexts() -> Iterator[FileContext]:
        for kind in kinds:
            if is_catalog:
                schema = release.custom_kinds[kind.key]
                yield _kind_context(kind, catalog_schema(schema, target.quirks))
            else:
                yield _kind_context(kind, custom.file(kind.definition, kind.key))
        for kind in files:
            yield _kind_context(kind, configuration.file(kind.definition, kind.key))

    shown = shown_kind(release, _DEPLOYMENT)
    own_kinds = schema_kinds(release, is_built_in)
    variables = {
        "kubernetes_version": version,
        "shown_file": next(
            (kind.file for kind in own_kinds if kind.definition == shown),
            own_kinds[0].file if own_kinds else "",
        ),
        "folders": folders,
        "custom_kinds": kinds,
        "configurations": files,
    }
    return Contexts(
        files={
            "schema": lambda: (
                FileContext(
                    file.definition,
                    {"folder": each.flavour.name, "name": file.name},
                    {},
                    file.data,
                )
                for each in schemas
                for file in each.schemas()
            ),
            "definitions": lambda: (
                _folder_context(each.flavour, each.definitions_file())
                for each in published
            ),
            "all": lambda: (
                _folder_context(each.flavour, each.all_file()) for each in schemas
            ),
            "custom-kind": custom_contexts,
            "release": lambda: [FileContext(release.name, {}, variables)],
        }
    )


def _published_definitions(
    release: Release, custom: Collection[SchemaKind]
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


class _EditorSchemas(NamedTuple):
    """The files of the flavour ``editor``; ``others`` are the kinds that are not
    Kubernetes' own."""

    release: Release
    flavour: Flavour
    others: Collection[SchemaKind]

    def schemas(self) -> Iterator[DefinitionSchema]:
        """The schemas of the kinds of Kubernetes."""
        schemas = FileSchemas(self.release, strict=self.flavour.strict, refers=True)
        for kind in schema_kinds(self.release, is_built_in):
            data = schemas.file(kind.definition, kind.key)
            yield DefinitionSchema(kind.file, kind.definition, data)

    def all_file(self) -> bytes:
        """The schema of an object of any kind."""
        return any_kind(self.release, self.others)


def _folder_context(flavour: Flavour, data: bytes) -> FileContext:
    return FileContext("all definitions", {"folder": flavour.name}, {}, data)


def _kind_context(kind: SchemaKind, data: bytes) -> FileContext:
    placeholders = {
        "group": kind.folder,
        "kind": kind.key.kind.lower(),
        "version": kind.key.version,
    }
    return FileContext(kind.definition, placeholders, {}, data)
