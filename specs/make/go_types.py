"""The structs in Go sources of an API version: fields with their JSON names, types,
markers and comments."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from specs.make.checkouts import Checkout

#: Folders of types by the module that has them, with the prefix of their definitions.
API_FOLDERS = {
    "api": ("*/v*", "io.k8s.api."),
    "apimachinery": ("pkg/apis/meta/v1", "io.k8s.apimachinery.pkg.apis."),
    "apiextensions-apiserver": (
        "pkg/apis/apiextensions/v1",
        "io.k8s.apiextensions-apiserver.pkg.apis.",
    ),
}
_GROUP = re.compile(r'\bGroupName\s*=\s*"([^"]*)"')
_STRUCT = re.compile(r"^type (\w+) struct ?\{(\})?$")
_FIELD = re.compile(r'^(?:(\w+)\s+)?(\S+)\s+`.*\bjson:"([^",]*)((?:,\w+)*)"')
_MARKER = re.compile(r"\+([\w:]+)(?:=(.*))?\Z")
_ELEMENT = re.compile(r"(?:\*|\[\]|map\[[^\]]*\])+")


class GoField(NamedTuple):
    """A field of a struct.

    ``name`` is the name in Go, ``json_name`` that in JSON, empty for a struct whose
    fields are inlined. ``element`` is the name of its type without pointers, slices and
    maps; it has a package before a dot if it is of another one. ``markers`` are the
    comments that begin with "+", ``comment`` is the text of the others, in one line.
    ``type`` is its whole type, ``tags`` are the declarative validation tags.
    """

    name: str
    json_name: str
    element: str
    markers: tuple[tuple[str, str], ...]
    comment: str
    type: str
    tags: tuple[str, ...] = ()


class GoStruct(NamedTuple):
    """A struct. ``fields`` are in the order of the source."""

    name: str
    fields: tuple[GoField, ...]


class ApiPackage(NamedTuple):
    """The Go package of an API version. ``name`` is that of its definitions:
    ``io.k8s.api.apps.v1``; ``source`` has its files of types."""

    folder: Path
    name: str
    source: str
    structs: Mapping[str, GoStruct]

    def fields(self) -> Iterator[tuple[str, GoField]]:
        """The fields in JSON of all definitions, each with the definition that has it."""
        for struct in self.structs.values():
            for field in json_fields(struct, self.structs):
                yield f"{self.name}.{struct.name}", field


def api_packages(
    checkout: Checkout, folders: Mapping[str, tuple[str, str]] = API_FOLDERS
) -> Iterator[ApiPackage]:
    """The packages of all API versions of a release."""
    for module, (pattern, prefix) in folders.items():
        root = checkout.module(module)
        for folder in sorted(path for path in root.glob(pattern) if path.is_dir()):
            name = f"{prefix}{folder.parent.name}.{folder.name}"
            files = sorted(folder.glob("types*.go"))
            source = "\n".join(path.read_text("utf-8") for path in files)
            yield ApiPackage(folder, name, source, structs_in(source))


def structs_in(source: str) -> dict[str, GoStruct]:
    """The structs of a source, by name."""
    return {struct.name: struct for struct in _structs(source)}


def group_of(folder: Path) -> str | None:
    """The group that ``register.go`` of a folder names; None where there is none."""
    path = folder / "register.go"
    name = _GROUP.search(path.read_text("utf-8")) if path.is_file() else None
    return name[1] if name else None


def json_fields(struct: GoStruct, structs: Mapping[str, GoStruct]) -> Iterator[GoField]:
    """The fields of a struct in JSON, with those of structs that are inlined."""
    for field in struct.fields:
        if field.json_name:
            yield field
        elif field.element in structs:
            yield from json_fields(structs[field.element], structs)


def _structs(source: str) -> Iterator[GoStruct]:
    name = None
    comments: list[str] = []
    fields: list[GoField] = []
    for line in map(str.strip, source.splitlines()):
        if match := _STRUCT.match(line):
            name, fields = match[1], []
            if match[2]:
                yield GoStruct(name, ())
                name = None
        elif name is not None and line == "}":
            yield GoStruct(name, tuple(fields))
            name = None
        elif name is not None and (match := _FIELD.match(line)):
            fields.append(_field(match, comments))
        if line.startswith("//"):
            comments.append(line.removeprefix("//").strip())
        elif line:
            comments = []


def _field(match: re.Match[str], comments: list[str]) -> GoField:
    go_name, go_type, json_name, options = match.groups()
    element = _ELEMENT.sub("", go_type)
    is_inlined = "inline" in options
    return GoField(
        name=go_name or element.rpartition(".")[2],
        json_name="" if is_inlined or json_name == "-" else json_name,
        element=element if is_inlined or json_name != "-" else "",
        markers=tuple(
            (marker[1], marker[2] or "")
            for comment in comments
            if (marker := _MARKER.match(comment))
        ),
        comment=" ".join(text for text in comments if not text.startswith("+")),
        type=go_type,
        tags=tuple(text for text in comments if text.startswith("+k8s:")),
    )
