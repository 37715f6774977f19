"""Finds manifests inside of objects: the inline patches and values of kustomize, Flux
and Argo CD."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from kubestencil.checking.files.manifests import (
    Item,
    Manifest,
    Positions,
    manifest_of,
    read_manifests,
)
from kubestencil.checking.findings import Subject
from kubestencil.checking.paths import Path, parts_of
from kubestencil.source.yaml import Position, split_lines

_GROUPS = (
    "argoproj.io/",
    "helm.toolkit.fluxcd.io/",
    "kustomize.config.k8s.io/",
    "kustomize.toolkit.fluxcd.io/",
)
_NAMES = ("apiVersion", "kind")


@dataclass(frozen=True, slots=True)
class _InlineText:
    """A document in a text that a field has."""

    document: Positions
    outer: Manifest
    at: Path

    @property
    def text(self) -> str:
        return self.document.text

    def position(self, path: Sequence[str | int], *, of_key: bool = False) -> Position:
        """The position in the file; that of the whole text where it is not written line
        by line (``|``)."""
        start = self.outer.position(self.at)
        document = self.outer.document
        lines = split_lines(document.text)
        row = start.line - getattr(document, "first_line", 1)
        if not lines[row][start.column - 1 :].startswith("|"):
            return start
        first = next((line for line in lines[row + 1 :] if line.strip()), "")
        indent = len(first) - len(first.lstrip(" "))
        inner = self.document.position(path, of_key=of_key)
        return Position(start.line + inner.line, indent + inner.column)

    def origin(self, path: Path) -> Hashable:
        """What identifies the value at ``path`` in the text."""
        return self.document.origin(path)


def inline_manifests(manifest: Manifest) -> Iterator[Manifest]:
    """The manifests in an object of kustomize, Flux or Argo CD: objects, and texts of
    objects, that say what they are."""
    if not manifest.value["apiVersion"].startswith(_GROUPS):
        return
    document, number, *_ = manifest.subject
    pending: list[tuple[Path, Any]] = [((), manifest.value)]
    for path, value in pending:
        found: list[Item] = []
        pending += (((*path, step), inner) for step, inner in parts_of(value))
        if isinstance(value, dict):
            # References have no metadata.
            if path and isinstance(value.get("metadata"), dict):
                whole = (*manifest.path, *path)
                found = [manifest_of(Subject(), value, manifest.document, whole)]
        elif isinstance(value, str) and all(name in value for name in _NAMES):
            found = [*read_manifests(value.encode("utf-8", "replace"), "")]
        for item in found:
            if isinstance(item, Manifest):
                where = item.document
                if isinstance(value, str):
                    where = _InlineText(where, manifest, path)
                subject = item.subject._replace(document=document, item=number)
                is_patch = any(str(step).startswith("patch") for step in path)
                yield Manifest(subject, item.value, where, item.path, is_patch)
