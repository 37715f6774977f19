"""Reads files with CustomResourceDefinitions, and finds these in them."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kubestencil.errors import SourceError, SpecError
from kubestencil.source.document import SourceFile, decode_text
from kubestencil.source.folder import read_bytes
from kubestencil.source.remote import read_file
from kubestencil.source.yaml import Document, documents

_SUFFIXES = (".yaml", ".yml", ".json")
_KIND = "CustomResourceDefinition"


@dataclass(frozen=True, slots=True)
class CrdObject:
    """A CustomResourceDefinition. ``where`` is its file, with the line on which its
    document begins."""

    where: str
    value: Mapping[str, Any]


def read_crd_files(location: str) -> list[SourceFile]:
    """The files at ``location``: a file, a folder (recursively), a URL, or ``-``.

    Files of a folder come in the order of their paths; hidden ones are left out.
    Raises SourceError where something cannot be read, or a folder has no YAML or JSON.
    """
    path = Path(location)
    return files_in(path) if path.is_dir() else [read_file(location)]


def files_in(folder: Path) -> list[SourceFile]:
    """The YAML and JSON files of a folder, in the order of their paths.

    Raises SourceError where there is none, or one cannot be read.
    """
    paths = sorted(
        path
        for path in folder.rglob("*")
        if path.suffix in _SUFFIXES and path.is_file() and not _is_hidden(path, folder)
    )
    if not paths:
        raise SourceError("has no .yaml, .yml or .json file", where=str(folder))
    return [SourceFile(str(path), read_bytes(path)) for path in paths]


def crd_objects(file: SourceFile) -> Iterator[CrdObject]:
    """The CustomResourceDefinitions in a file, those of lists included; objects of
    other kinds are ignored.

    Raises SpecError for a file that is not YAML or JSON.
    """
    for line, value in _objects(file):
        where = f"{file.origin}:{line}"
        if not isinstance(value, Mapping):
            raise SpecError("is not a Kubernetes object", where=where)
        if value.get("kind") == _KIND:
            yield CrdObject(where, value)


def _objects(file: SourceFile) -> Iterator[tuple[int, Any]]:
    for document in _documents(file):
        value = document.value
        kind = value.get("kind") if isinstance(value, Mapping) else None
        items = value.get("items") if isinstance(value, Mapping) else None
        if isinstance(kind, str) and kind.endswith("List") and isinstance(items, list):
            # A list of the API server does not repeat apiVersion and kind in its items.
            implied = {
                "apiVersion": value.get("apiVersion"),
                "kind": kind[: -len("List")],
            }
            for item in items:
                yield document.line, _with_type(item, implied)
        else:
            yield document.line, value


def _with_type(item: Any, implied: Mapping[str, Any]) -> Any:
    if isinstance(item, Mapping) and "kind" not in item and implied["kind"]:
        return {**implied, **item}
    return item


def _documents(file: SourceFile) -> list[Document]:
    text = decode_text(file.data, file.origin)
    with contextlib.suppress(ValueError):
        # JSON is read by its own, faster reader; what it refuses may still be YAML.
        if text.lstrip()[:1] == "{":
            return [Document(json.loads(text), 1)]
    try:
        return list(documents(text, file.origin))
    except SpecError as error:
        if "{{" in text:
            raise SpecError(
                "is an unrendered template",
                where=error.where,
                hint="render the chart first: helm template --include-crds CHART",
            ) from error
        raise


def _is_hidden(path: Path, folder: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(folder).parts)
