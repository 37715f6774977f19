"""The schemas of one folder, as openapi2jsonschema prints them, and those of custom
resources that CRDs-catalog publishes."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from kubestencil.engine.manifest import ReasonTable
from kubestencil.errors import SpecError
from kubestencil.schema import Definition
from kubestencil.schema.graph import Graph, cyclic_edges, reachable, reverse
from kubestencil.schema.keywords import REFERENCE_PREFIX
from kubestencil.schema.types import JsonObject
from kubestencil.targets.jsonschema.definitions import (
    Definitions,
    PreparedDefinitions,
    closed,
    prepare,
    reference_graph,
    referenced,
)
from kubestencil.targets.jsonschema.flavours import Flavour
from kubestencil.targets.jsonschema.writer import (
    MAX_LENGTH,
    DefinitionSchema,
    SchemaWriter,
    TooLargeError,
)

_DIALECT = "http://json-schema.org/schema#"
# The files of a folder that are about no single definition.
_RESERVED = frozenset({"_definitions", "all"})
# The schemas of a real release have some 60 MB in a folder.
_MAX_TOTAL = 16 * MAX_LENGTH


class _SchemaFile(NamedTuple):
    """A file about one definition.

    ``with_api_version`` says whether the schema of a kind lists its API versions.
    """

    definition: str
    with_api_version: bool


@dataclass(frozen=True, eq=False)
class PublishedSchemas:
    """Makes the files of one flavour.

    ``definitions`` are Kubernetes' own, in the order of the document. ``quirks`` are
    the accidents that are reproduced; with ``recursive``, those kinds that contain
    themselves are there, too.
    """

    definitions: Mapping[str, Definition]
    flavour: Flavour
    quirks: Mapping[str, ReasonTable]
    recursive: bool

    @cached_property
    def _prepared(self) -> PreparedDefinitions:
        return prepare(self.definitions, strict=self.flavour.strict)

    @cached_property
    def _graph(self) -> Graph:
        return reference_graph(self._prepared.by_kind)

    def definitions_file(self) -> bytes:
        """The file with all definitions, which refer to each other."""
        return self._plain({"definitions": self._prepared.by_kind})

    def all_file(self) -> bytes:
        """The schema of a value that is of one of the definitions."""
        prefix = f"{self.flavour.prefix}{REFERENCE_PREFIX}"
        references = [{"$ref": f"{prefix}{name}"} for name in self.definitions]
        return self._plain({"oneOf": references})

    def schemas(self) -> Iterator[DefinitionSchema]:
        """The schemas of the definitions.

        Raises SpecError where one is too large, since each contains what it refers to.
        """
        texts: dict[_SchemaFile, bytes] = {}
        total = 0
        for name, file in _schema_files(self.definitions, self.quirks).items():
            if self._is_left_out(file.definition):
                continue
            if file.definition not in self._with_api_versions:
                file = file._replace(with_api_version=False)
            data = texts.get(file)
            if data is None:
                data = texts[file] = self._data(file)
            total += len(data)
            if total > _MAX_TOTAL:
                raise self._size_error(file.definition, "all schemas together")
            yield DefinitionSchema(name, file.definition, data)

    def _is_left_out(self, name: str) -> bool:
        if not self.flavour.standalone or self.recursive:
            return False
        kinds = self.quirks.get("unsupported-kinds", {}).get("kinds", ())
        kind = self.definitions[name].kind.lower()
        return kind in kinds or name in self._containing_cycles

    @cached_property
    def _cyclic(self) -> frozenset[str]:
        return frozenset(cyclic_edges(self._graph))

    @cached_property
    def _containing_cycles(self) -> frozenset[str]:
        return frozenset(reachable(reverse(self._graph), self._cyclic))

    @cached_property
    def _with_api_versions(self) -> frozenset[str]:
        """The definitions whose schema has API versions, of itself or of a part."""
        kinds = self._prepared.differing
        if not self.flavour.standalone:
            return kinds
        return frozenset(reachable(reverse(self._graph), kinds))

    @cached_property
    def _writers(self) -> Mapping[bool, SchemaWriter]:
        """The writers of what refers to definitions, by whether these have their API
        versions."""
        return {
            with_api_version: SchemaWriter(
                self._forms[with_api_version] if self.flavour.standalone else {},
                local=self._cyclic,
                prefix="" if self.flavour.standalone else self.flavour.prefix,
                ascii_only="ascii-only" in self.quirks,
                keeps_siblings="dropped-siblings" not in self.quirks,
            )
            for with_api_version in self._forms
        }

    @cached_property
    def _forms(self) -> Mapping[bool, Definitions]:
        return {False: self._prepared.by_kind, True: self._prepared.by_api_version}

    def _plain(self, value: JsonObject) -> bytes:
        writer = SchemaWriter({}, ascii_only="ascii-only" in self.quirks)
        return self._encoded(writer.plain(value))

    def _encoded(self, text: str) -> bytes:
        return (text if "no-final-newline" in self.quirks else f"{text}\n").encode()

    def _data(self, file: _SchemaFile) -> bytes:
        try:
            return self._encoded(self._schema(file))
        except TooLargeError as error:
            raise self._size_error(file.definition, "its schema") from error
        except RecursionError as error:
            raise SpecError(
                f"the references of {file.definition} are nested too deeply",
                hint="leave out its standalone schema: --set jsonschema.flavours=local",
            ) from error

    def _size_error(self, definition: str, what: str) -> SpecError:
        return SpecError(
            f"{what} would be too large, since each contains all that it refers to: "
            f"{definition}",
            hint="generate schemas that refer to each other: "
            "--set jsonschema.flavours=local",
        )

    def _schema(self, file: _SchemaFile) -> str:
        writer = self._writers[file.with_api_version]
        definitions = self._forms[file.with_api_version]
        schema = self._top_level(definitions, file.definition)
        parent = None if "required-may-be-null" in self.quirks else schema
        texts = {
            key: (
                writer.properties(value, parent)
                if key == "properties"
                else writer.plain(value, "  ")
            )
            for key, value in schema.items()
        }
        cycles = self._cyclic & reachable(self._graph, [file.definition])
        if self.flavour.standalone and cycles:
            local = {
                name: writer.definition(name).replace("\n", "\n    ")
                for name in sorted(cycles)
            }
            texts["definitions"] = writer.members(local, "  ")
        return writer.members(texts)

    def _top_level(self, definitions: Definitions, name: str) -> JsonObject:
        """The schema of a definition with the keywords that only a file has."""
        flavour, quirks = self.flavour, self.quirks
        schema = definitions[name]
        if flavour.standalone:
            schema = definitions[referenced(schema, definitions) or name]
        dialect = {"$schema": _DIALECT}
        if "schema-last" in quirks:
            schema = {**schema, **dialect}
        else:
            schema = {**dialect, **schema}
        if "objects-only" in quirks:
            schema = {**schema, "type": schema.get("type", "object")}
            if flavour.strict:
                schema["additionalProperties"] = False
        return schema


def catalog_schema(schema: JsonObject, quirks: Container[str]) -> bytes:
    """The file of a custom resource as https://github.com/datreeio/CRDs-catalog publishes
    it, which has ``schema`` in its CustomResourceDefinition."""
    names_fields = "field-called-properties" not in quirks
    text = SchemaWriter({}).plain(closed(schema, names_fields=names_fields))
    return f"{text}\n".encode()


def _schema_files(
    definitions: Mapping[str, Definition], quirks: Iterable[str]
) -> Mapping[str, _SchemaFile]:
    """The files by name, without ``.json``: ``deployment-apps-v1``, ``deployment``.

    Two definitions with one name in lower case have one file: that of the last one.
    """
    by_position = "position-in-name" in quirks
    files = {
        _name_with_group(definition, by_position): _SchemaFile(definition.name, True)
        for definition in definitions.values()
    }
    by_kind: dict[str, list[str]] = {}
    for definition in definitions.values():
        by_kind.setdefault(definition.kind.lower(), []).append(definition.name)
    for kind, names in by_kind.items():
        if "last-definition-wins" in quirks or len(names) == 1:
            files[kind] = _SchemaFile(names[-1], False)
    return {name: file for name, file in files.items() if name not in _RESERVED}


def _name_with_group(definition: Definition, by_position: bool) -> str:
    group, version = definition.group_label, definition.version
    if by_position:
        _, group, version, _ = ("", "", "", *definition.name.rsplit(".", 3))[-4:]
    if group.lower() in ("api", "core"):
        group = ""
    return "-".join(filter(None, (definition.kind, group, version))).lower()
