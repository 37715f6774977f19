"""Reads manifests: the objects in a file, with the positions of their values."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from kubestencil.checking.files.kustomize import implied_fields, is_json_patch
from kubestencil.checking.files.placeholders import (
    ENCRYPTED_FILE,
    has_sops,
    is_encrypted_file,
    is_template,
)
from kubestencil.checking.findings import Problem, Subject, shorten
from kubestencil.checking.paths import Path, field_path, text_at
from kubestencil.shards import WHOLE, Shard
from kubestencil.source.decoding import decode_characters, list_items
from kubestencil.source.json_text import JsonDocument, json_documents, json_mistake
from kubestencil.source.yaml import (
    Document,
    Position,
    YamlError,
    compose,
    split_documents,
)

_SOURCE = re.compile(r"^# Source: (\S.*)", re.MULTILINE)


class Positions(Protocol):
    """A document that has the positions of its values."""

    @property
    def text(self) -> str:
        """The text that it is in."""

    def position(self, path: Sequence[str | int], *, of_key: bool = False) -> Position:
        """Where the value at a path begins, or its key."""

    def origin(self, path: Path) -> Hashable:
        """What identifies the text of the value at a path: paths that lead to one text,
        by aliases and merge keys, have the same."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """An object of Kubernetes in a file.

    ``path`` leads to it from the document: empty, but for the items of a list, and what
    is inside of another object; ``is_patch`` says that this is a patch. One that
    ``is_encrypted`` cannot be decrypted any more once any of it is edited: its ciphertext
    belongs to names, paths and other values.
    """

    subject: Subject
    value: Mapping[str, Any]
    document: Positions
    path: Path = ()
    is_patch: bool = False
    is_encrypted: bool = False

    def position(self, path: Sequence[str | int], *, of_key: bool = False) -> Position:
        """Where the value at ``path`` of the object begins, or its key."""
        return self.document.position((*self.path, *path), of_key=of_key)

    def origin(self, path: Path) -> Hashable:
        """What identifies the text of the value at ``path`` of the object."""
        return self.document.origin((*self.path, *path))


class Mistake(NamedTuple):
    """A document that cannot be read, or a key that it has twice."""

    subject: Subject
    problem: Problem
    at: Position
    is_template: bool = False


class NoObject(NamedTuple):
    """A document, or an item of a list, that is no object of Kubernetes."""

    subject: Subject
    reason: str
    at: Position
    value: Any = None


# What no text of an object lacks, in any encoding of strings that people write.
_NAMES_OF_OBJECTS = re.compile(r"apiVersion|\bkind\b", re.IGNORECASE)

Item = Manifest | Mistake | NoObject


def read_manifests(data: bytes, file: str) -> Iterator[Item]:
    """What is in a file, in its order. A mistake in a document leaves the others
    readable."""
    if is_encrypted_file(data):
        yield NoObject(Subject(), ENCRYPTED_FILE, Position(1, 1))
        return
    try:
        text = decode_characters(data)
    except UnicodeDecodeError as error:
        message = f"is not UTF-8 text (byte {error.start})"
        at = Position(data.count(b"\n", 0, error.start) + 1, 1)
        yield _unreadable(0, message, "save it as UTF-8", at)
        return
    may_have_objects = _NAMES_OF_OBJECTS.search(text) is not None
    for item in _documents(text, file):
        if isinstance(item, Mistake) and not (may_have_objects or item.is_template):
            item = NoObject(item.subject, "no apiVersion and kind", item.at)
        yield item


# What is parsed takes nine times the memory of its text.
_MAX_KEPT_BYTES = 50_000_000


class ParsedManifests:
    """What is in files that are read for something else before they are checked. It is
    kept for that, so that they are parsed once: of the files of ``shard``, as long as
    their text together is no longer than ``max_bytes``."""

    def __init__(self, shard: Shard = WHOLE, max_bytes: int = _MAX_KEPT_BYTES) -> None:
        self._items: dict[tuple[str, bytes], Sequence[Item]] = {}
        self._shard = shard
        self._bytes_left = max_bytes

    def parse(self, data: bytes, file: str) -> Sequence[Item]:
        """What is in a file, as of ``read_manifests``."""
        items = self._items.get((file, data))
        if items is None:
            items = tuple(read_manifests(data, file))
            if len(data) <= self._bytes_left and self._shard.has(file):
                self._items[file, data] = items
                self._bytes_left -= len(data)
        return items

    def take(self, data: bytes, file: str) -> Iterable[Item]:
        """The same, which is not kept any longer."""
        items = self._items.pop((file, data), None)
        return read_manifests(data, file) if items is None else items


def _documents(text: str, file: str) -> Iterator[Item]:
    if text.lstrip()[:1] == "{":
        documents = json_documents(text)
        if documents is not None:
            for index, document in enumerate(documents):
                yield from _items(index, document, "", implied_fields(file))
            return
    items = _yaml_documents(text, file)
    mistake = json_mistake(text) if file.endswith(".json") else None
    for item in items:
        if mistake and isinstance(item, Mistake) and item.problem.rule == "syntax":
            yield _unreadable(0, *mistake, item.is_template)
            return
        yield item


def _yaml_documents(text: str, file: str) -> Iterator[Item]:
    try:
        for index, (line, part) in enumerate(split_documents(text, file)):
            yield from _document(index, line, part, file)
    except YamlError as error:
        yield _unreadable(0, error.what, error.hint, error.at, is_template(text))


def _document(index: int, line: int, text: str, file: str) -> Iterator[Item]:
    try:
        document = compose(text, file, line)
    except YamlError as error:
        yield _unreadable(index, error.what, error.hint, error.at, is_template(text))
        return
    if document is None:
        return
    source = _SOURCE.search(text, 0, 500) if "# Source: " in text else None
    source_file = shorten(source[1].rstrip()) if source else ""
    yield from _items(index, document, source_file, implied_fields(file))


def _unreadable(
    index: int, message: str, hint: str, at: Position, is_template: bool = False
) -> Mistake:
    return Mistake(
        Subject(index), Problem("syntax", (), message, hint), at, is_template
    )


def _items(
    index: int,
    document: Document | JsonDocument,
    source: str,
    implied: Mapping[str, str],
) -> Iterator[Item]:
    """What is in a document; ``implied`` are fields that it has where it has no others."""
    subject = Subject(index, source=source)
    for path, at, first in document.repeated:
        message, hint = f'duplicate field "{field_path(path)}"', "remove one of the two"
        if first is not None:
            hint += f": the other one is on line {first.line}"
        yield Mistake(Subject(index), Problem("duplicate-key", path, message, hint), at)
    value = document.value
    if not isinstance(value, dict):
        if is_json_patch(value):
            yield NoObject(subject, "JSON patches", document.position(()))
        else:
            yield NoObject(subject, "no object", document.position(()), value)
        return
    items = list_items(value)
    if items is None:
        yield manifest_of(subject, {**implied, **value}, document, ())
        return
    is_encrypted = has_sops(value)
    if not items:
        yield NoObject(subject, "an empty list", document.position(()))
    for number, item in enumerate(items):
        path = "items", number
        if isinstance(item, dict):
            named = subject._replace(item=number)
            yield manifest_of(named, item, document, path, is_encrypted=is_encrypted)
        else:
            yield NoObject(subject, "no object", document.position(path))


def manifest_of(
    subject: Subject,
    value: dict[str, Any],
    document: Positions,
    path: Path,
    *,
    is_encrypted: bool = False,
) -> Manifest | NoObject:
    """The object at a path of a document, which ``subject`` names."""
    if has_sops(value):
        is_encrypted = True
        value = {key: part for key, part in value.items() if key != "sops"}
    api_version, kind = value.get("apiVersion"), value.get("kind")
    if not (isinstance(api_version, str) and isinstance(kind, str)):
        at = document.position(path)
        if is_encrypted:
            return NoObject(subject, ENCRYPTED_FILE, at)
        return NoObject(subject, "no apiVersion and kind", at, value)
    is_sealed = kind == "SealedSecret" and api_version.startswith("bitnami.com/")
    name, generated, namespace = (
        shorten(text_at(value, "metadata", key))
        for key in ("name", "generateName", "namespace")
    )
    named = subject._replace(
        api_version=shorten(api_version),
        kind=shorten(kind),
        name=name or generated,
        namespace=namespace,
    )
    return Manifest(
        named, value, document, path, is_encrypted=is_encrypted or is_sealed
    )
