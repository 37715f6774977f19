"""The values of the pages: what their templates print."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from kubestencil.schema import Field
from kubestencil.schema.knowledge.words import Phrase, name_of
from kubestencil.targets.website import text
from kubestencil.targets.website.facts import KnownFacts, OtherReleasePage
from kubestencil.targets.website.links import DEFINITIONS, Links, TypeText, reference_of
from kubestencil.targets.website.operations import TitledOperation
from kubestencil.targets.website.types import DocumentedType, Reference

_LISTS = "List"
# The least parts of a full name with a Go package: domain, path, type.
_LEAST_PARTS = 4


class DescribedField(NamedTuple):
    """A field in the table of a section. ``name`` is its path from the type of the
    section, ``patch_strategy`` and ``patch_merge_key`` are empty without one, and so are
    ``facts`` without the option."""

    name: str
    type: TypeText
    description: str
    required: bool
    patch_strategy: str
    patch_merge_key: str
    facts: tuple[Phrase, ...]


class Section(NamedTuple):
    """A type on a page, with its fields sorted by name."""

    title: str
    anchor: str
    description: str
    fields: tuple[DescribedField, ...]


class DescribedParameter(NamedTuple):
    """A parameter of an operation."""

    name: str
    type: TypeText
    description: str


class DescribedResponse(NamedTuple):
    """A response of an operation with a body."""

    code: str
    type: TypeText
    description: str


class OperationSection(NamedTuple):
    """An operation. ``verb`` is the method in lower case."""

    verb: str
    title: str
    path: str
    path_parameters: tuple[DescribedParameter, ...]
    query_parameters: tuple[DescribedParameter, ...]
    body_parameters: tuple[DescribedParameter, ...]
    responses: tuple[DescribedResponse, ...]


class ReferencePage(NamedTuple):
    """The page of a type.

    ``package`` is the Go package, empty where none is known. ``summary`` is the
    description for the front matter, to be quoted. ``weight`` orders the pages of a folder.
    """

    api_version: str
    package: str
    kind: str
    summary: str
    weight: int
    sections: tuple[Section, ...]
    operations: tuple[OperationSection, ...]
    facts: tuple[Phrase, ...]
    other_releases: tuple[OtherReleasePage, ...]


@dataclass(frozen=True, slots=True)
class PageMaker:
    """Makes the pages of a reference. ``escape_asterisks`` changes descriptions of types and
    fields, ``escape_description`` those of types for HTML, but not where ``is_literal``
    says that every character of a type's descriptions is shown. ``facts`` are added
    where they are not None."""

    reference: Reference
    links: Links
    escape_asterisks: Callable[[str], str]
    escape_description: Callable[[str], str]
    is_literal: Callable[[DocumentedType], bool]
    facts: KnownFacts | None

    def page(self, type_: DocumentedType, folder: str, weight: int) -> ReferencePage:
        """The page of a type; ``operations`` only for a resource in its group."""
        name, facts = type_.definition.name, self.facts
        operations = self.reference.operations.get(name, ())
        of_resource = () if folder == DEFINITIONS else operations
        return ReferencePage(
            api_version=text.name(type_.api_version),
            package=text.name(_go_package(name)),
            kind=text.name(type_.kind),
            summary=self._spelling(type_).summary(self._description(type_)),
            weight=weight,
            sections=tuple(self._sections(type_, folder)),
            operations=tuple(
                self.operation(item, folder, self._spelling(type_))
                for item in of_resource
            ),
            facts=tuple(facts.of_type(type_)) if facts else (),
            other_releases=tuple(facts.other_releases(type_)) if facts else (),
        )

    def operation(
        self,
        operation: TitledOperation,
        folder: str,
        spelling: text.DescriptionSpelling,
    ) -> OperationSection:
        """An operation on a page in a folder."""
        title, details = operation
        parameters = (*details.path_parameters, *details.parameters)

        def rows(location: str) -> tuple[DescribedParameter, ...]:
            return tuple(
                DescribedParameter(
                    text.name(parameter.name),
                    self.links.type(parameter.schema, folder),
                    spelling.html_cell(parameter.description),
                )
                for parameter in parameters
                if parameter.location == location
            )

        return OperationSection(
            details.operation.method,
            title,
            text.name(details.operation.path),
            rows("path"),
            rows("query"),
            rows("body"),
            tuple(
                DescribedResponse(
                    text.name(response.code),
                    self.links.type(response.schema, folder),
                    spelling.cell(response.description),
                )
                for response in sorted(details.responses)
                if response.schema is not None
            ),
        )

    def _sections(self, type_: DocumentedType, folder: str) -> Iterator[Section]:
        """The type itself, the parts that its fields have, its list, and the types
        that are nearest to it."""
        name, parts = type_.definition.name, self._all_parts(type_)
        types = self.reference.types
        own = (field.schema for field in _fields(type_))
        sections = dict.fromkeys(
            (
                *(ref for ref in map(reference_of, own) if ref in parts),
                *(
                    part.definition.name
                    for part in self.reference.parts[name]
                    if part.kind == f"{type_.kind}{_LISTS}"
                ),
                *(
                    other.definition.name
                    for other in self.reference.nearest.get(name, ())
                ),
            )
        )
        for section in (name, *sections):
            shown = types[section]
            visited = {name, section}
            yield Section(
                text.name(shown.kind),
                text.anchor(shown.kind),
                self._spelling(shown).body(self._description(shown)),
                tuple(
                    self._rows(shown, _PageParts(folder, parts, sections), "", visited)
                ),
            )

    def _rows(
        self, type_: DocumentedType, page: _PageParts, prefix: str, visited: set[str]
    ) -> Iterator[DescribedField]:
        """The fields of a type, with those of its parts that are no sections."""
        for field in _fields(type_):
            ref = reference_of(field.schema)
            yield self._row(type_, field, page, prefix)
            if ref in page.parts and ref not in page.sections and ref not in visited:
                visited.add(ref)
                path = f"{prefix}{field.name}."
                yield from self._rows(self.reference.types[ref], page, path, visited)

    def _row(
        self, type_: DocumentedType, field: Field, page: _PageParts, prefix: str
    ) -> DescribedField:
        schema = field.schema
        type_text = self.links.type(schema, page.folder)
        ref = reference_of(schema)
        if ref in page.sections:
            type_text = type_text._replace(href=f"#{text.anchor(name_of(ref))}")
        return DescribedField(
            name=text.name(f"{prefix}{field.name}"),
            type=type_text,
            description=self._spelling(type_).html_cell(
                schema.description
                if self.is_literal(type_)
                else self.escape_asterisks(schema.description)
            ),
            required=field.required,
            patch_strategy=text.name(",".join(schema.patch_strategy)),
            patch_merge_key=text.name(schema.patch_merge_key or ""),
            facts=tuple(self.facts.of_field(type_, field)) if self.facts else (),
        )

    def _all_parts(self, type_: DocumentedType) -> frozenset[str]:
        """The full names of the parts of a type, and of their parts."""
        names: set[str] = set()
        pending = [type_]
        while pending:
            for part in self.reference.parts[pending.pop().definition.name]:
                if part.definition.name not in names:
                    names.add(part.definition.name)
                    pending.append(part)
        return frozenset(names)

    def _spelling(self, type_: DocumentedType) -> text.DescriptionSpelling:
        return text.LITERAL if self.is_literal(type_) else text.PUBLISHED

    def _description(self, type_: DocumentedType) -> str:
        if self.is_literal(type_):
            return type_.definition.description
        description = self.escape_asterisks(type_.definition.description)
        return self.escape_description(description)


class _PageParts(NamedTuple):
    """The page that fields are described on: its folder, the parts of its type, and
    those that have a section, by full name."""

    folder: str
    parts: Collection[str]
    sections: Collection[str]


def _fields(type_: DocumentedType) -> list[Field]:
    return sorted(type_.definition.fields, key=lambda field: field.name)


def _go_package(full_name: str) -> str:
    """The Go package of a type: ``k8s.io/api/apps/v1`` of ``io.k8s.api.apps.v1.Scale``;
    empty for a name without one."""
    parts = full_name.split(".")
    if len(parts) < _LEAST_PARTS:
        return ""
    return "/".join((f"{parts[1]}.{parts[0]}", *parts[2:-1]))
