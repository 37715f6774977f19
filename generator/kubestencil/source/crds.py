"""Reads files with CustomResourceDefinitions, and finds these in them."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kubestencil.errors import SourceError, SpecError
from kubestencil.source.decoding import decode_json, decode_text, list_items
from kubestencil.source.document import SourceFile
from kubestencil.source.folder import read_bytes, read_file, scan
from kubestencil.source.helm import OCI, chart_crds, crds_folders

if TYPE_CHECKING:
    from kubestencil.source.yaml import Document

#: The suffixes of the files that are read in a folder.
SUFFIXES = (".yaml", ".yml", ".json")
_KIND = "CustomResourceDefinition"
# An action of a Go template where YAML has a line, a key or a plain scalar.
_TEMPLATE_ACTION = re.compile(
    r"^[ \t]*(?:- +)?(?:[\w./\"'-]+:[ \t]+)?\{\{", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class CrdObject:
    """A CustomResourceDefinition. ``where`` is its file, with the line on which its
    document begins, and its index in a list."""

    where: str
    value: Mapping[str, Any]


#: The CustomResourceDefinitions of a file, and the kinds of its other objects.
FileContents = tuple[list[CrdObject], list[str]]


def read_crd_files(location: str) -> list[SourceFile]:
    """The files at ``location``: a file, a folder (recursively), a URL, or ``-``; of a
    Helm chart, those of its CustomResourceDefinitions.

    Files of a folder come in the order of their paths; hidden ones are left out.
    Raises SourceError where something cannot be read, or a folder has no YAML or JSON.
    """
    if location.startswith(OCI):
        return [chart_crds(location)]
    path = Path(location)
    if path.is_dir():
        return [file for folder in crds_folders(path) for file in files_in(folder)]
    return [read_file(location)]


def files_in(folder: Path) -> list[SourceFile]:
    """The YAML and JSON files of a folder, in the order of their paths.

    Raises SourceError where there is none, or one cannot be read.
    """
    paths = sorted(map(Path, _paths_in(folder)))
    if not paths:
        raise SourceError(
            "has no .yaml, .yml or .json file",
            where=str(folder),
            hint="name the file or folder that has the CustomResourceDefinitions or specs",
        )
    return [SourceFile(str(path), read_bytes(path)) for path in paths]


def _paths_in(folder: Path) -> Iterator[str]:
    """The YAML and JSON files in a folder, however deep; hidden ones are left out."""
    folders = [str(folder)]
    while folders:
        for entry in scan(folders.pop()):
            if entry.name.startswith("."):
                continue
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.path)
            elif entry.is_file() and entry.name.endswith(SUFFIXES):
                yield entry.path


def read_objects(file: SourceFile) -> FileContents:
    """The objects of a file, those of lists included.

    Raises SpecError for a file that is not YAML or JSON, or has something else than
    objects.
    """
    crds: list[CrdObject] = []
    ignored: list[str] = []
    for position, value in _objects(file):
        where = f"{file.origin}:{position}"
        if not isinstance(value, Mapping):
            raise SpecError("is not a Kubernetes object", where=where)
        kind = value.get("kind")
        if kind == _KIND:
            crds.append(CrdObject(where, value))
        else:
            ignored.append(_printable_kind(kind))
    return crds, ignored


def _objects(file: SourceFile) -> Iterator[tuple[str, Any]]:
    for document in _documents(file):
        items = list_items(document.value)
        if items is None:
            yield f"{document.line}", document.value
        else:
            for index, item in enumerate(items):
                yield f"{document.line}[{index}]", item


def _printable_kind(kind: object) -> str:
    """The kind of an object for a message; objects may have none."""
    is_name = isinstance(kind, str) and kind.isprintable() and 0 < len(kind) <= 63
    return str(kind) if is_name else "no kind"


def _documents(file: SourceFile) -> Iterator[Document]:
    # Imported here, since few runs have custom resources.
    from kubestencil.source.yaml import Document, documents

    text = decode_text(file.data, file.origin)
    if text.lstrip()[:1] == "{":
        # JSON is read by its own, faster reader. The reader of YAML, of which JSON is
        # a part, says what is wrong with anything else, and on which line.
        with contextlib.suppress(SpecError):
            yield Document(decode_json(text, file.origin, _unique_keys), 1)
            return
    try:
        # One at a time: the positions of a text's values take more than these.
        yield from documents(text, file.origin)
    except SpecError as error:
        if _TEMPLATE_ACTION.search(text):
            raise SpecError(
                f"is an unrendered template ({error.what})",
                where=error.where,
                hint="render the chart first: helm template --include-crds CHART",
            ) from error
        raise


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON; raises ValueError where a key is duplicated."""
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError
    return value
