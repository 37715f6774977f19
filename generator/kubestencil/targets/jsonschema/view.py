"""The view ``jsonschema``: schemas for validators and editors, as files without a
template.

Those of Kubernetes' own kinds are what openapi2jsonschema prints, those of custom
resources have what OpenAPI 3.0 says of them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain
from typing import Annotated, NamedTuple

from kubestencil.engine.manifest import Target
from kubestencil.engine.options import read_options
from kubestencil.engine.view import Contexts, Each, FileContext
from kubestencil.schema import Definition, Release
from kubestencil.schema.well_known import is_built_in
from kubestencil.targets.jsonschema.custom import (
    CustomKind,
    CustomSchemas,
    custom_kinds,
)
from kubestencil.targets.jsonschema.flavours import (
    JsonSchemaOptions,
    chosen_flavours,
    kubernetes_version,
)
from kubestencil.targets.jsonschema.published import PublishedSchemas
from kubestencil.targets.jsonschema.quirks import QUIRKS

__all__ = ["EACH", "QUIRKS", "make_contexts"]

_FOLDER = {"folder": "the version and the flavour: v1.35.0-standalone-strict"}


class Folder(NamedTuple):
    """A flavour of the schemas of Kubernetes' own kinds.

    ``name`` is its folder. ``standalone`` schemas contain what they refer to, ``strict``
    ones refuse unknown fields.
    """

    name: str
    standalone: bool
    strict: bool


#: The values that ``each`` can have in a manifest.
EACH: Mapping[str, Each] = {
    "schema": Each(
        "a definition of Kubernetes in a flavour, twice: with group and version in the "
        "name, and without; the view provides the bytes",
        {**_FOLDER, "name": "kind, group and version: deployment-apps-v1, deployment"},
    ),
    "definitions": Each(
        "all definitions in a flavour; the view provides the bytes", _FOLDER
    ),
    "all": Each(
        "a schema that refers to all definitions in a flavour; the view provides the "
        "bytes",
        _FOLDER,
    ),
    "custom-kind": Each(
        "a kind of a custom resource; the view provides the bytes",
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
            "folders": tuple[Folder, ...],
            "custom_kinds": tuple[CustomKind, ...],
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
    strict = any(flavour.strict for flavour in flavours.values())
    definitions = _published_definitions(release, kinds)
    folders = [
        _FolderContexts(
            Folder(f"{version}{flavour.suffix}", flavour.standalone, flavour.strict),
            PublishedSchemas(
                definitions, flavour, target.quirks, recursive=options.recursive
            ),
        )
        for flavour in flavours.values()
        if definitions
    ]
    variables = {
        "kubernetes_version": version,
        "folders": tuple(folder.folder for folder in folders),
        "custom_kinds": kinds,
    }
    return Contexts(
        files={
            "schema": lambda: chain.from_iterable(
                map(_FolderContexts.schemas, folders)
            ),
            "definitions": lambda: map(_FolderContexts.definitions, folders),
            "all": lambda: map(_FolderContexts.all, folders),
            "custom-kind": lambda: _custom_contexts(
                kinds, CustomSchemas(release, strict=strict)
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
    kinds: Iterable[CustomKind], schemas: CustomSchemas
) -> Iterator[FileContext]:
    for kind in kinds:
        placeholders = {
            "group": kind.group,
            "kind": kind.kind.lower(),
            "version": kind.version,
        }
        yield FileContext(kind.definition, placeholders, {}, schemas.schema(kind))


class _FolderContexts:
    """Makes the contexts of one flavour."""

    def __init__(self, folder: Folder, published: PublishedSchemas) -> None:
        self.folder = folder
        self._published = published

    def schemas(self) -> Iterator[FileContext]:
        """The contexts of the schemas of all definitions."""
        for schema in self._published.schemas():
            placeholders = {"folder": self.folder.name, "name": schema.name}
            yield FileContext(schema.definition, placeholders, {}, schema.data)

    def definitions(self) -> FileContext:
        """The context of the file with all definitions."""
        return self._context("all definitions", self._published.definitions_file())

    def all(self) -> FileContext:
        """The context of the schema that refers to all definitions."""
        return self._context("all definitions", self._published.all_file())

    def _context(self, subject: str, data: bytes) -> FileContext:
        return FileContext(subject, {"folder": self.folder.name}, {}, data)
