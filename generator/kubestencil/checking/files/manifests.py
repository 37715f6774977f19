"""Reads manifests: the objects in a file, with the positions of their values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kubestencil.checking.files.kustomize import is_json_patch
from kubestencil.checking.files.placeholders import is_template
from kubestencil.checking.findings import Path, Subject
from kubestencil.source.decoding import decode_characters
from kubestencil.source.json_text import JsonDocument, json_documents, json_mistake
from kubestencil.source.lists import list_items
from kubestencil.source.yaml import (
    Document,
    Position,
    Repeated,
    YamlError,
    compose,
    split_documents,
)

_SOURCE = re.compile(r"^# Source: (\S.*)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Manifest:
    """An object of Kubernetes in a file.

    ``path`` leads to it from the document: empty, but for the items of a list.
    """

    subject: Subject
    value: Mapping[str, Any]
    document: Document | JsonDocument
    path: Path = ()

    def position(self, path: Sequence[str | int], *, of_key: bool = False) -> Position:
        """Where the value at ``path`` of the object begins, or its key."""
        return self.document.position((*self.path, *path), of_key=of_key)


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A document that cannot be read."""

    document: int
    message: str
    hint: str
    at: Position
    is_template: bool = False


@dataclass(frozen=True, slots=True)
class RepeatedKey:
    """A key that a document has twice."""

    document: int
    repeated: Repeated


@dataclass(frozen=True, slots=True)
class NoObject:
    """A document, or an item of a list, that is no object of Kubernetes."""

    document: int
    reason: str


Item = Manifest | Unreadable | RepeatedKey | NoObject


def read_manifests(data: bytes, file: str) -> Iterator[Item]:
    """What is in a file, in its order. A mistake in a document leaves the others
    readable."""
    try:
        text = decode_characters(data)
    except UnicodeDecodeError as error:
        yield Unreadable(
            0,
            f"is not UTF-8 text (byte {error.start})",
            "save it as UTF-8",
            Position(data.count(b"\n", 0, error.start) + 1, 1),
        )
        return
    yield from _documents(text, file)


def _documents(text: str, file: str) -> Iterator[Item]:
    if text.lstrip()[:1] == "{":
        documents = json_documents(text)
        if documents is not None:
            for index, document in enumerate(documents):
                yield from _items(index, document, "")
            return
    items = _yaml_documents(text, file)
    mistake = json_mistake(text) if file.endswith(".json") else None
    for item in items:
        if mistake is not None and isinstance(item, Unreadable):
            yield Unreadable(0, *mistake, is_template=item.is_template)
            return
        yield item


def _yaml_documents(text: str, file: str) -> Iterator[Item]:
    try:
        for index, (line, part) in enumerate(split_documents(text, file)):
            yield from _document(index, line, part, file)
    except YamlError as error:
        yield _unreadable(0, error, text)


def _document(index: int, line: int, text: str, file: str) -> Iterator[Item]:
    try:
        document = compose(text, file, line)
    except YamlError as error:
        yield _unreadable(index, error, text)
        return
    if document is None:
        return
    source = _SOURCE.search(text, 0, 500) if "# Source: " in text else None
    yield from _items(index, document, source[1].rstrip() if source else "")


def _unreadable(index: int, error: YamlError, text: str) -> Unreadable:
    return Unreadable(index, error.what, error.hint, error.at, is_template(text))


def _items(
    index: int, document: Document | JsonDocument, source: str
) -> Iterator[Item]:
    for repeated in document.repeated:
        yield RepeatedKey(index, repeated)
    value = document.value
    if not isinstance(value, dict):
        yield NoObject(index, "JSON patches" if is_json_patch(value) else "no object")
        return
    items = list_items(value)
    if items is None:
        yield _manifest(Subject(document=index, source=source), value, document, ())
        return
    if not items:
        yield NoObject(index, "an empty list")
    for number, item in enumerate(items):
        if isinstance(item, dict):
            subject = Subject(document=index, item=number, source=source)
            yield _manifest(subject, item, document, ("items", number))
        else:
            yield NoObject(index, "no object")


def _manifest(
    subject: Subject,
    value: dict[str, Any],
    document: Document | JsonDocument,
    path: Path,
) -> Manifest | NoObject:
    api_version, kind = value.get("apiVersion"), value.get("kind")
    if not (isinstance(api_version, str) and isinstance(kind, str)):
        return NoObject(subject.document, "no apiVersion and kind")
    metadata = value.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    named = subject._replace(
        api_version=api_version,
        kind=kind,
        name=_text(metadata.get("name") or metadata.get("generateName")),
        namespace=_text(metadata.get("namespace")),
    )
    return Manifest(named, value, document, path)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
