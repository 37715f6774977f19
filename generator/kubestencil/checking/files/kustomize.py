"""Recognizes kustomize's own files, and the patches that they list."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from kubestencil import regular_file
from kubestencil.checking.files.find import ManifestFile
from kubestencil.checking.paths import all_values, object_at
from kubestencil.errors import SpecError
from kubestencil.source.limits import max_bytes
from kubestencil.source.yaml import documents

NAMES = ("kustomization.yaml", "kustomization.yml", "Kustomization")
_GROUP = "kustomize.config.k8s.io"
_LISTS = ("patchesStrategicMerge", "patchesJson6902", "patches")
# The directives of strategic merge patches, whole and with the field that they are for.
_DIRECTIVES = ("$patch", "$retainKeys")
_DIRECTIVE_PREFIXES = ("$setElementOrder/", "$deleteFromPrimitiveList/")
# A file that is named may be listed by a kustomization of a folder above.
_MAX_LEVELS = 8


def is_kustomize_kind(group: str) -> bool:
    """Whether objects of a group are kustomize's own configuration."""
    return group == _GROUP or group == "builtin"


def listed_patches(files: Iterable[ManifestFile]) -> frozenset[str]:
    """The absolute paths of the patches that kustomizations list: those among the
    files, and those in the folders of the files and above.

    A kustomization that cannot be read lists none; it is reported where it is checked.
    """
    folders: set[Path] = set()
    for file in files:
        if file.path == "-" or file.content is not None:
            continue
        parents = Path(os.path.abspath(file.path)).parents  # noqa: PTH100
        for folder in parents[:_MAX_LEVELS]:
            if folder in folders:
                break
            folders.add(folder)
            if (folder / ".git").exists():
                break
    return frozenset(
        patch for folder in folders for patch in _patches_listed_in(folder)
    )


def is_json_patch(value: object) -> bool:
    """Whether a document is a JSON patch (RFC 6902): a list of operations."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(
            isinstance(step, dict) and {"op", "path"} <= step.keys() for step in value
        )
    )


def may_have_directive(data: bytes) -> bool:
    """Whether the text of a file names a directive. Searching the objects of every file
    would take a fifth of the time of a check."""
    # JSON may write the slash of a prefix as an escape sequence.
    names = (*_DIRECTIVES, *(prefix[:-1] for prefix in _DIRECTIVE_PREFIXES))
    return any(name.encode() in data for name in names)


def has_directive(value: Any) -> bool:
    """Whether an object has a directive of a strategic merge patch: ``$patch``."""
    return any(
        any(map(is_directive, object_at(current))) for current in all_values(value)
    )


def is_directive(key: str) -> bool:
    """Whether a key is a directive of strategic merge patches (apimachinery,
    pkg/util/strategicpatch/patch.go)."""
    return key in _DIRECTIVES or key.startswith(_DIRECTIVE_PREFIXES)


def _patches_listed_in(folder: Path) -> Iterator[str]:
    for name in NAMES:
        try:
            text = regular_file.read(folder / name, max_bytes()).decode("utf-8-sig")
            values = [document.value for document in documents(text, str(folder))]
        except (OSError, UnicodeDecodeError, SpecError):
            continue
        for value in values:
            if isinstance(value, dict):
                for path in _listed(value):
                    yield os.path.normpath(folder / path)


def _listed(kustomization: Mapping[str, Any]) -> Iterator[str]:
    for key in _LISTS:
        entries = kustomization.get(key)
        for entry in entries if isinstance(entries, list) else ():
            path = entry.get("path") if isinstance(entry, dict) else entry
            # An entry may also be the text of a patch.
            if isinstance(path, str) and "\n" not in path and "\0" not in path:
                yield path
