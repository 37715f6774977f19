"""The addresses of types on the pages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from kubestencil.schema import Schema
from kubestencil.schema.kinds import precedence
from kubestencil.targets.website.text import anchor, kebab, name, slug
from kubestencil.targets.website.types import DocumentedType, Reference, has_no_version

#: The folder of the types that belong to no resource.
DEFINITIONS = "definitions"


class TypeText(NamedTuple):
    """The type of a value; ``href`` is the address of its description, empty without
    one."""

    text: str
    href: str


class _Address(NamedTuple):
    """Where a type is described: folder, file, section, and the type's version."""

    folder: str
    page: str
    anchor: str
    version: str


def resource_page(type_: DocumentedType) -> str:
    """The file of a resource, without its suffix."""
    return f"{kebab(type_.kind)}-{type_.version}"


def definition_page(type_: DocumentedType) -> str:
    """The file of a type in ``definitions``, without its suffix."""
    page = resource_page(type_)
    return page if type_.group == "core" else f"{page}-{type_.group}"


def reference_of(schema: Schema) -> str:
    """The full name of the type of a value, or of the items of a list; empty for
    others."""
    while schema.ref is None and schema.items is not None:
        schema = schema.items
    return schema.ref or ""


class Links:
    """Finds where a type is described.

    ``by_name``: all types with one name are described in one place (``links-by-name``).
    ``nameless``: types of packages without a version have no name (``nameless-types``).
    """

    def __init__(
        self,
        reference: Reference,
        groups: Sequence[str],
        *,
        by_name: bool,
        nameless: bool,
    ) -> None:
        self._reference = reference
        self._nameless = nameless
        self._addresses = dict(_addresses(reference, groups))
        if by_name:
            names = _by_name(reference, self._addresses)
            self._addresses |= {
                full_name: names[type_.kind]
                for full_name, type_ in reference.types.items()
                if type_.kind in names and not type_.is_custom
            }

    def type(self, schema: Schema, folder: str) -> TypeText:
        """The type of a value on a page in a folder."""
        return TypeText(self._text(schema), self._href(reference_of(schema), folder))

    def _text(self, schema: Schema) -> str:
        if schema.ref is not None:
            return self._name(schema.ref)
        if schema.items is not None:
            return f"{self._text(schema.items)} array"
        return name(schema.type or "any")

    def _name(self, full_name: str) -> str:
        if self._nameless and has_no_version(full_name):
            return ""
        return name(full_name.rpartition(".")[2])

    def _href(self, full_name: str, folder: str) -> str:
        address = self._addresses.get(full_name)
        if address is None:
            return ""
        up = "" if address.folder == folder else f"../{address.folder}/"
        return f"{up}{address.page}#{address.anchor}"


def _addresses(
    reference: Reference, groups: Sequence[str]
) -> Iterator[tuple[str, _Address]]:
    """The address of each type by full name, in the order in which gen-apidocs finds
    them."""
    for group in groups:
        for resource in reference.resources[group]:
            name = resource.definition.name
            page = resource_page(resource)
            for type_ in (
                resource, *reference.parts[name], *reference.nearest.get(name, ())
            ):  # fmt: skip
                yield type_.definition.name, _address(type_, slug(group), page)
    for type_ in reference.standalone:
        yield type_.definition.name, _address(
            type_, DEFINITIONS, definition_page(type_)
        )


def _address(type_: DocumentedType, folder: str, page: str) -> _Address:
    return _Address(folder, page, anchor(type_.kind), type_.version)


def _by_name(
    reference: Reference, addresses: Mapping[str, _Address]
) -> dict[str, _Address]:
    """One address for each name of a built-in type: that of a resource rather than of another type, and
    of the newest version in a folder."""
    names: dict[str, _Address] = {}
    for full_name, address in addresses.items():
        kind = reference.types[full_name].kind
        if reference.types[full_name].is_custom:
            continue
        earlier = names.get(kind)
        if earlier is not None:
            if earlier.folder != DEFINITIONS and address.folder == DEFINITIONS:
                continue
            is_newer = precedence(earlier.version) > precedence(address.version)
            if earlier.folder == address.folder and is_newer:
                continue
        names[kind] = address
    return names
