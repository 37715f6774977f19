"""The view ``jsonnet``: the files of a Jsonnet library of builders.

They are formatted as k8s-gen and jsonnetfmt leave them
(https://github.com/jsonnet-libs/k8s, pkg/render).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import starmap
from typing import Annotated, Literal, NamedTuple

from kubestencil.engine.manifest import Target
from kubestencil.engine.view import Contexts, Each, FileContext
from kubestencil.schema import Release
from kubestencil.schema.kinds import shown_kind
from kubestencil.targets.languages.jsonnet import spelling as jsonnet
from kubestencil.targets.languages.jsonnet.library import (
    LIBRARY_QUIRKS,
    Library,
    make_library,
)
from kubestencil.targets.languages.jsonnet.members import (
    Function,
    LibraryType,
    Members,
    NestedObject,
)
from kubestencil.targets.languages.jsonnet.overlay import (
    OverlayFile,
    check_overlay,
    read_overlay,
)

#: The accidents of the published library that this view can reproduce.
QUIRKS = LIBRARY_QUIRKS

_POD = "io.k8s.api.core.v1.Pod"

LineForm = Literal["function", "new", "object", "empty", "end"]


class Import(NamedTuple):
    """A field of a library, group or version whose value is imported.

    ``key`` is its name, quoted where Jsonnet requires it, ``path`` the file.
    """

    key: str
    path: str


class ExampleType(NamedTuple):
    """The kind that the README shows: its ``path`` in the library (``core.v1.pod``), and its
    ``api_version`` and ``kind`` as string literals."""

    path: str
    api_version: str
    kind: str


class MemberLine(NamedTuple):
    """One member in the file of a type, or the end of an object.

    ``form`` is ``function``, ``new``, ``object`` (its members follow, up to the line
    with the form ``end``) or ``empty`` (an object without members). ``indent`` is the
    white space before each line. All other attributes are Jsonnet, empty where the
    form does not have them: ``cluster_scoped`` is the one of ``new``; ``key`` is the member's name, ``doc_key`` that of the
    field with its documentation and ``help`` a string literal; ``parameter`` is a
    function's parameter, ``type`` its name in ``d.T`` and ``body`` what the function
    returns; ``api_version`` and ``kind`` are string literals.
    """

    form: LineForm
    indent: str
    doc_key: str = ""
    key: str = ""
    help: str = ""
    parameter: str = ""
    type: str = ""
    body: str = ""
    api_version: str = ""
    kind: str = ""
    cluster_scoped: bool = False


#: The values that ``each`` can have in a manifest.
EACH: Mapping[str, Each] = {
    "release": Each(
        summary="the library; name, url and help are string literals of Jsonnet, overlay "
        "has those of the paths of the overlay's files",
        variables={
            "name": str,
            "url": str,
            "help": str,
            "imports": tuple[Import, ...],
            "overlay": tuple[str, ...],
            "example": Annotated[
                ExampleType | None, "what the README shows, none without kinds"
            ],
        },
    ),
    "group": Each(
        summary="a group, such as apps; name is a string literal of Jsonnet",
        placeholders={"group": "the group's field in the library"},
        variables={"name": str, "imports": tuple[Import, ...]},
    ),
    "group-version": Each(
        summary="a version of a group, such as apps.v1; name is a string literal of "
        "Jsonnet",
        placeholders={
            "group": "the group's field in the library",
            "version": "the version's field in the group",
        },
        variables={"name": str, "imports": tuple[Import, ...]},
    ),
    "definition": Each(
        summary="a type, such as apps.v1.deployment; name and help are string literals "
        "of Jsonnet",
        placeholders={
            "group": "the group's field in the library",
            "version": "the version's field in the group",
            "name": "the type's field in the version",
        },
        variables={"name": str, "help": str, "lines": list[MemberLine]},
    ),
    "overlay": Each(
        summary="a file of the overlay, which is copied",
        placeholders={"name": "the name of the file"},
        variables={"text": str},
    ),
}


def make_contexts(release: Release, target: Target) -> Contexts:
    """The contexts of the files of a library.

    Raises SpecError for two builders with one name and for a type that is too large,
    UsageError for an option that is wrong, TargetError for a mistake in the overlay.
    """
    library = make_library(release, target)
    objects = library.object_tree()
    overlay = read_overlay(target, objects).files
    check_overlay(target, overlay, objects)
    files = _LibraryFiles(library, "html-escapes-with-apostrophe" in target.quirks)
    return Contexts(
        files={
            "definition": lambda: map(files.type_context, library.types),
            "group-version": lambda: starmap(files.version_context, library.versions()),
            "group": lambda: starmap(files.group_context, library.groups()),
            "overlay": lambda: (
                FileContext(file.path, {"name": file.name}, {"text": file.text})
                for file in overlay
            ),
            "release": lambda: [
                files.library_context(overlay, _example(release, library))
            ],
        }
    )


def _example(release: Release, library: Library) -> ExampleType | None:
    name = shown_kind(release, _POD)
    for type_ in library.types:
        if type_.definition == name:
            kind = release.definitions[type_.definition].kinds[0]
            return ExampleType(
                "".join(map(jsonnet.field_access, type_.path)),
                jsonnet.string_literal(kind.api_version),
                jsonnet.string_literal(kind.kind),
            )
    return None


@dataclass(frozen=True, slots=True)
class _LibraryFiles:
    """Makes the contexts of a library's files."""

    library: Library
    html_escapes: bool

    def library_context(
        self, overlay: tuple[OverlayFile, ...], example: ExampleType | None
    ) -> FileContext:
        library = self.library
        variables = {
            "name": self._literal(library.name),
            "url": self._literal(library.url),
            "help": self._literal(library.description),
            "imports": _imports(
                (group for group, _ in library.groups()), "_gen/{}/main.libsonnet"
            ),
            "overlay": tuple(
                jsonnet.string_literal(file.import_path) for file in overlay
            ),
            "example": example,
        }
        return FileContext(library.release, {}, variables)

    def group_context(self, group: str, versions: tuple[str, ...]) -> FileContext:
        imports = _imports(versions, "{}/main.libsonnet")
        variables = {"name": self._literal(group), "imports": imports}
        return FileContext(group, {"group": group}, variables)

    def version_context(
        self, group: str, version: str, types: tuple[LibraryType, ...]
    ) -> FileContext:
        placeholders = {"group": group, "version": version}
        imports = _imports((type_.name for type_ in types), "{}.libsonnet")
        variables = {"name": self._literal(version), "imports": imports}
        return FileContext(f"{group}/{version}", placeholders, variables)

    def type_context(self, type_: LibraryType) -> FileContext:
        placeholders = {
            "group": type_.group,
            "version": type_.version,
            "name": type_.name,
        }
        variables = {
            "name": self._literal(type_.name),
            "help": self._literal(type_.help),
            "lines": self._member_lines(type_.members, (), 1),
        }
        return FileContext(type_.definition, placeholders, variables)

    def _literal(self, text: str) -> str:
        return jsonnet.string_literal(text, html_escapes=self.html_escapes)

    def _member_lines(
        self, members: Members, path: tuple[str, ...], depth: int
    ) -> list[MemberLine]:
        """The lines of an object that sets what is inside the field at ``path``."""
        lines: list[MemberLine] = []
        indent = "  " * depth
        for member in members.entries:
            doc_key = jsonnet.string_literal(f"#{member.name}")
            key, help_ = jsonnet.field_name(member.name), self._literal(member.help)
            if isinstance(member, Function):
                lines.append(
                    MemberLine(
                        "function",
                        indent,
                        doc_key,
                        key,
                        help_,
                        member.parameter,
                        member.type,
                        _body(member, path),
                    )
                )
            elif isinstance(member, NestedObject):
                inner_path = () if member.path is None else path + member.path
                inner = self._member_lines(member.members, inner_path, depth + 1)
                form: LineForm = "object" if inner else "empty"
                lines += (MemberLine(form, indent, doc_key, key, help_), *inner)
                lines += [MemberLine("end", indent)] if inner else []
            else:
                lines.append(
                    MemberLine(
                        "new",
                        indent,
                        help=help_,
                        parameter=member.parameter,
                        api_version=self._literal(member.kind.api_version),
                        kind=self._literal(member.kind.kind),
                        cluster_scoped=member.cluster_scoped,
                    )
                )
        return lines


def _body(function: Function, path: tuple[str, ...]) -> str:
    """What a function in an object that sets what is inside the field at ``path``
    returns."""
    value = function.parameter
    if function.type == "array":
        value = f"if std.isArray(v={value}) then {value} else [{value}]"
    *parents, field = function.field
    opening, closing = jsonnet.patch_braces((*path, *parents))
    plus = "+" if function.appends else ""
    return f"{opening}{jsonnet.field_name(field)}{plus}: {value}{closing}"


def _imports(names: Iterable[str], path: str) -> tuple[Import, ...]:
    """The imports of fields; ``{}`` in their path is their name."""
    return tuple(
        Import(jsonnet.field_name(name), path.replace("{}", name)) for name in names
    )
