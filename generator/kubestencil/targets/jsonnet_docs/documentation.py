"""The documentation of a library, from its ``#…`` fields: those of the generated builders,
and with an overlay those that it evaluates to.

The rules are those of https://github.com/jsonnet-libs/docsonnet (pkg/docsonnet), and
of its doc-util, whose functions return the values of ``#…`` fields.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kubestencil.engine.manifest import Target
from kubestencil.engine.options import read_options
from kubestencil.errors import TargetError
from kubestencil.targets.jsonnet_docs.pages import (
    FieldDocs,
    LibraryPackage,
    ObjectDocs,
    PackageLink,
    sort_fields,
)
from kubestencil.targets.languages.jsonnet import spelling as jsonnet
from kubestencil.targets.languages.jsonnet.library import JsonnetOptions, Library
from kubestencil.targets.languages.jsonnet.members import (
    Function,
    Member,
    Members,
    NestedObject,
)
from kubestencil.targets.languages.jsonnet.overlay import (
    DocumentationTree,
    OverlayFile,
    generated_member,
    read_documentation,
)
from kubestencil.text import markdown


class GeneratedDocs:
    """The documentation of the builders of a library, as ``#…`` fields.

    A path has the names of a group, a version and a type, and may have that of an object
    at the top of the type. ``open_tags`` are HTML elements that are not escaped in
    descriptions.
    """

    def __init__(self, library: Library, open_tags: frozenset[str]) -> None:
        self._types = {type_.path: type_ for type_ in library.types}
        self._open_tags = open_tags
        # Every kind has those of ObjectMeta.
        self._fields: dict[Members, DocumentationTree] = {}

    def fields(self, path: Sequence[str]) -> DocumentationTree:
        """The ``#…`` fields of a type or object, and its objects with those inside."""
        group, version, name, *objects = path
        type_ = self._types[group, version, name]
        if objects:
            return next(
                self._doc_fields(member.members)
                for member in type_.members.entries
                if isinstance(member, NestedObject) and member.name == objects[0]
            )
        package = {"name": name, "import": "", "help": self._help(type_.help)}
        return {"#": package, **self._doc_fields(type_.members)}

    def source(self, path: Sequence[str]) -> str:
        """The same fields in Jsonnet, as the library has them
        (``overlay.GeneratedSource``)."""
        fields = self.fields(path)
        if len(path) > 3:
            return json.dumps(fields)
        members = (
            (
                f"{jsonnet.string_literal(name)}: {json.dumps(value)}"
                if name.startswith("#")
                else generated_member(name, (*path, name))
            )
            for name, value in fields.items()
        )
        return f"{{ {', '.join(members)} }}"

    def _help(self, text: str) -> str:
        return markdown.inline(text, self._open_tags)

    def _doc_fields(self, members: Members) -> DocumentationTree:
        if members in self._fields:
            return self._fields[members]
        fields: dict[str, Any] = {}
        for member in members.entries:
            fields[f"#{member.name}"] = self._doc_value(member)
            if isinstance(member, NestedObject):
                fields[member.name] = self._doc_fields(member.members)
        self._fields[members] = fields
        return fields

    def _doc_value(self, member: Member) -> Mapping[str, Any]:
        """The value of a ``#…`` field, as the functions of doc-util return it."""
        help_ = self._help(member.help)
        if isinstance(member, NestedObject):
            return {"object": {"help": help_, "fields": {}}}
        type_ = member.type if isinstance(member, Function) else "string"
        parameter = {"name": member.parameter, "type": type_, "default": None}
        parameters = [parameter] if member.parameter else []
        return {"function": {"help": help_, "args": parameters}}


# Groups, versions and types.
_TYPE_LEVEL = 3

_Path = tuple[str, ...]


def library_packages(
    library: Library,
    generated: GeneratedDocs,
    target: Target,
    files: Sequence[OverlayFile],
) -> Iterator[LibraryPackage]:
    """The packages of a library with the ``files`` of an overlay, if there are any.

    Raises TargetError for a mistake in the overlay, and for documentation that is not
    as doc-util returns it.
    """
    fields = (
        read_documentation(target, files, library.object_tree(), generated.source)
        if files
        else _documentation_tree(library)
    )
    package = _package(library.name, library.url, library.description)
    overlay = read_options(target, JsonnetOptions).overlay
    yield from _EvaluatedDocs(generated, overlay).packages({"#": package, **fields})


def _documentation_tree(library: Library) -> DocumentationTree:
    """What a library without an overlay documents."""
    tree: dict[str, dict[str, Any]] = {}
    for group, version, types in library.versions():
        versions = tree.setdefault(group, {"#": _package(group)})
        names = dict.fromkeys(type_.name for type_ in types)
        versions[version] = {"#": _package(version), **names}
    return tree


def _package(name: str, url: str = "", help_: str = "") -> Mapping[str, str]:
    """A package as ``d.pkg`` of doc-util returns it."""
    return {"name": name, "import": url, "help": help_}


@dataclass(frozen=True, slots=True)
class _EvaluatedDocs:
    """Reads packages from a ``DocumentationTree``.

    A ``path`` has the names of the fields that lead to an object. It differs from the
    path of a package, which has the names that packages document for themselves.
    ``overlay`` is the name of the overlay, for error messages.
    """

    generated: GeneratedDocs
    overlay: str

    def packages(
        self, fields: DocumentationTree, package_path: _Path = (), path: _Path = ()
    ) -> Iterator[LibraryPackage]:
        """A package and all packages inside of it."""
        _, url, help_ = self._package_value(fields["#"], path)
        inner: dict[str, list[LibraryPackage]] = {}
        for name, field in fields.items():
            if name.startswith("#"):
                continue
            inner_path = (*path, name)
            if field is None and len(inner_path) == _TYPE_LEVEL:
                field = self.generated.fields(inner_path)
            if field is not None and "#" in field:
                package_name, *_ = self._package_value(field["#"], inner_path)
                inner_package_path = (*package_path, package_name)
                inner[package_name] = list(
                    self.packages(field, inner_package_path, inner_path)
                )
        yield LibraryPackage(
            path=package_path,
            url=url,
            help=help_,
            packages=tuple(
                _link(name, packages[0]) for name, packages in sorted(inner.items())
            ),
            docs=self._object_docs(fields, path),
        )
        for packages in inner.values():
            yield from packages

    def _object_docs(self, fields: DocumentationTree, path: _Path) -> ObjectDocs:
        docs: list[FieldDocs] = []
        for name, field in fields.items():
            if name.startswith("#"):
                if name != "#":
                    docs.append(self._field_docs(name[1:], field, fields, path))
            elif field is not None and "#" not in field and f"#{name}" not in fields:
                inner = self._object_docs(field, (*path, name))
                printable = jsonnet.printable_name(name)
                docs.append(FieldDocs("obj", printable, "", "", "", inner))
        return sort_fields(docs)

    def _field_docs(
        self, name: str, value: Any, fields: DocumentationTree, path: _Path
    ) -> FieldDocs:
        printable = jsonnet.printable_name(name)
        try:
            (form, attributes), *_ = value.items()
            help_ = _text(attributes["help"])
            if form == "object":
                inner = self._inner_docs(name, fields, path)
                return FieldDocs("obj", printable, "", help_, "", inner)
            if form == "function":
                parameters = ", ".join(map(_parameter, attributes["args"] or ()))
                return FieldDocs("fn", printable, parameters, help_, "", None)
            default = attributes.get("default")
            literal = "" if default is None else jsonnet.json_literal(default)
            type_ = _text(attributes["type"])
            return FieldDocs(type_, printable, "", help_, literal, None)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise self._malformed((*path, f"#{name}")) from error

    def _inner_docs(
        self, name: str, fields: DocumentationTree, path: _Path
    ) -> ObjectDocs:
        inner_path = (*path, name)
        inner = fields.get(name, {})
        if inner is None:
            inner = self.generated.fields(inner_path)
        return self._object_docs(inner, inner_path)

    def _package_value(self, value: Any, path: _Path) -> tuple[str, str, str]:
        """The name, the URL and the help of a package, as ``d.pkg`` of doc-util returns
        them."""
        try:
            name, url, help_ = value["name"], value["import"], value["help"]
            return _text(name), _text(url), _text(help_)
        except (KeyError, TypeError) as error:
            raise self._malformed((*path, "#")) from error

    def _malformed(self, path: _Path) -> TargetError:
        return TargetError(
            f"{'.'.join(path)} is not documentation as doc-util returns it",
            where=f"the overlay {self.overlay}",
            hint="use d.fn, d.obj, d.val or d.pkg",
        )


def _link(name: str, package: LibraryPackage) -> PackageLink:
    page = f"{name}/index.md" if package.packages else f"{name}.md"
    return PackageLink(jsonnet.printable_name(name), page)


def _parameter(parameter: Mapping[str, Any]) -> str:
    name = jsonnet.printable_name(_text(parameter["name"]))
    default = parameter.get("default")
    return name if default is None else f"{name}={jsonnet.json_literal(default)}"


def _text(value: object) -> str:
    """``value``, which must be a string: raises TypeError."""
    if not isinstance(value, str):
        raise TypeError
    return value
