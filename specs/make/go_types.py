"""What Go sources declare: the structs of API versions, their fields with JSON names, types
and markers, and constants."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from specs.make.checkouts import Checkout, imports

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
_STRUCT = re.compile(r"^type (\w+) struct ?\{(\})?(?:\s*//.*)?$")
_FIELD = re.compile(r'^(?:(\w+)\s+)?(\S+)\s+`.*\bjson:"([^",]*)((?:,\w+)*)"')
_MARKER = re.compile(r"\+([\w:]+)(?:=(.*))?\Z")
_TAG = re.compile(r"\+k8s:(\w+)(?:\(([^)]*)\))?(?:=(.*))?\Z")
# What says when a tag holds: a stage of it, or a gate.
_CONDITIONS = ("alpha", "beta", "ifEnabled", "ifDisabled")
_ELEMENT = re.compile(r"(?:\*|\[\]|map\[[^\]]*\])+")
_CONSTANT = re.compile(
    r'^\s*(?:const\s+)?(\w+)(?:\s+([\w.]+))?\s*=\s*(?:([\w.]+)\()?"([^"]*)"', re.M
)
_NAMES = re.compile(r"(?<![\w.])(?:(\w+)\.)?([A-Z]\w*)")


class Tag(NamedTuple):
    """A declarative validation tag: ``+k8s:name(argument)=value``."""

    name: str
    argument: str
    value: str


class GoField(NamedTuple):
    """A field of a struct.

    ``name`` is the name in Go, ``json_name`` that in JSON, empty for a struct whose
    fields are inlined. ``type`` is its type, ``element`` the name of that without pointers,
    slices and maps; it has a package before a dot if it is of another one. ``markers`` are
    the comments that begin with "+". ``tags`` are the declarative validation tags, each with
    those that are its value (``+k8s:eachVal=+k8s:maxLength=5``), without conditions.
    """

    name: str
    json_name: str
    type: str
    element: str
    markers: tuple[tuple[str, str], ...]
    tags: tuple[tuple[Tag, ...], ...]


class Constant(NamedTuple):
    """A constant that is a text; ``type`` is the name of its type, empty for none."""

    name: str
    type: str
    value: str


#: The fields of structs by name, in the order of the source.
Structs = Mapping[str, Sequence[GoField]]


@dataclass(frozen=True)
class ApiPackage:
    """The Go package of an API version. ``prefix`` is what its definitions begin with:
    ``io.k8s.api.apps.v1.``; ``source`` has its files of types."""

    folder: Path
    prefix: str
    source: str

    @property
    def name(self) -> str:
        """What it is called where it is imported: ``corev1``."""
        return "".join(self.folder.parts[-2:])

    @cached_property
    def structs(self) -> Structs:
        """Its structs."""
        return structs_in(self.source)

    def fields(self) -> Iterator[tuple[str, GoField]]:
        """The fields in JSON of all definitions, each with the definition that has it."""
        for name, fields in self.structs.items():
            for field in json_fields(fields, self.structs):
                yield f"{self.prefix}{name}", field

    def qualified(self, text: str) -> str:
        """A type with the package of each name."""
        return _NAMES.sub(
            lambda match: (
                f"{self._imports.get(match[1], match[1]) if match[1] else self.name}"
                f".{match[2]}"
            ),
            text,
        )

    @cached_property
    def _imports(self) -> Mapping[str, str]:
        return {
            name: _package_name(path)
            for name, path in imports(self.source).items()
            if path.startswith("k8s.io/")
        }


def api_packages(
    checkout: Checkout, folders: Mapping[str, tuple[str, str]] = API_FOLDERS
) -> Iterator[ApiPackage]:
    """The packages of all API versions of a release."""
    for module, (pattern, prefix) in folders.items():
        root = checkout.module(module)
        for folder in sorted(path for path in root.glob(pattern) if path.is_dir()):
            files = sorted(folder.glob("types*.go"))
            source = "\n".join(path.read_text("utf-8") for path in files)
            name = f"{prefix}{folder.parent.name}.{folder.name}."
            yield ApiPackage(folder, name, source)


def _package_name(path: str) -> str:
    """``corev1`` for k8s.io/api/core/v1, ``resource`` for …/pkg/api/resource."""
    *_, group, name = path.split("/")
    return f"{group}{name}" if re.match(r"v\d", name) else name


def string_constants(source: str) -> Iterator[Constant]:
    """The constants of a source that are texts: ``A T = "a"``, ``A = T("a")``."""
    for name, type_name, conversion, value in _CONSTANT.findall(source):
        yield Constant(name, (type_name or conversion).rpartition(".")[2], value)


def group_of(folder: Path) -> str | None:
    """The group that ``register.go`` of a folder names; None where there is none."""
    path = folder / "register.go"
    name = _GROUP.search(path.read_text("utf-8")) if path.is_file() else None
    return name[1] if name else None


def json_fields(fields: Iterable[GoField], structs: Structs) -> Iterator[GoField]:
    """The fields of a struct in JSON, with those of structs that are inlined."""
    for field in fields:
        if field.json_name:
            yield field
        elif field.element in structs:
            yield from json_fields(structs[field.element], structs)


def structs_in(source: str) -> dict[str, list[GoField]]:
    """The structs of a source."""
    structs: dict[str, list[GoField]] = {}
    fields: list[GoField] | None = None
    comments: list[str] = []
    for line in map(str.strip, source.splitlines()):
        if match := _STRUCT.match(line):
            structs[match[1]] = []
            fields = None if match[2] else structs[match[1]]
        elif line == "}":
            fields = None
        elif fields is not None and (match := _FIELD.match(line)):
            fields.append(_field(match, comments))
        if line.startswith("//"):
            comments.append(line.removeprefix("//").strip())
        elif line:
            comments = []
    return structs


def _field(match: re.Match[str], comments: Sequence[str]) -> GoField:
    go_name, go_type, json_name, options = match.groups()
    element = _ELEMENT.sub("", go_type)
    is_inlined = "inline" in options
    markers = map(_MARKER.match, comments)
    return GoField(
        name=go_name or element.rpartition(".")[2],
        json_name="" if is_inlined or json_name == "-" else json_name,
        type=go_type,
        element=element if is_inlined or json_name != "-" else "",
        markers=tuple((found[1], found[2] or "") for found in markers if found),
        tags=tuple(tag for comment in comments if (tag := tuple(_tags(comment)))),
    )


def _tags(comment: str) -> Iterator[Tag]:
    """The tag of a comment, and those that are its value, each in the one before."""
    text = comment.partition(" #")[0].strip()
    while match := _TAG.match(text):
        name, argument, text = match[1], match[2] or "", match[3] or ""
        if name not in _CONDITIONS:
            yield Tag(name, argument.strip('"'), text)
