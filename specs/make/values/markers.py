"""Enums of Go: the fields of k8s.io/api whose types have the marker ``+enum``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from specs.make.checkouts import Checkout
from specs.make.go_types import json_fields, read_structs

# Folders of types by the module that has them, with the prefix of their definitions.
_FOLDERS = {
    "api": ("*/v*", "io.k8s.api"),
    "apiextensions-apiserver": (
        "pkg/apis/apiextensions/v1",
        "io.k8s.apiextensions-apiserver.pkg.apis",
    ),
}
_ENUM = re.compile(r"^// \+enum\s*\n(?:^//.*\n)*^type (\w+) string", re.M)
_CONSTANT = re.compile(
    r'^\s*(?:const\s+)?\w+\s+(\w+)\s*=\s*"([^"]*)"'
    r'|^\s*(?:const\s+)?\w+\s*=\s*(\w+)\("([^"]*)"\)',
    re.M,
)


class MarkedEnum(NamedTuple):
    """A field whose type is an enum, with its constants."""

    definition: str
    field: str
    values: tuple[str, ...]


def marked_enums(checkout: Checkout) -> Iterator[MarkedEnum]:
    """The fields of all API versions whose type is marked, or a list of such."""
    for module, (pattern, prefix) in _FOLDERS.items():
        root = checkout.module(module)
        folders = sorted(
            path for path in root.glob(pattern) if (path / "types.go").is_file()
        )
        enums = {folder: _enums(folder) for folder in folders}
        for folder in folders:
            package = f"{prefix}.{folder.parent.name}.{folder.name}"
            structs = read_structs(folder)
            for struct in structs.values():
                for field in json_fields(struct, structs):
                    values = _values(field.element, folder, enums, root)
                    if values:
                        yield MarkedEnum(
                            f"{package}.{struct.name}", field.json_name, values
                        )


def _enums(folder: Path) -> dict[str, tuple[str, ...]]:
    source = "\n".join(
        path.read_text("utf-8") for path in sorted(folder.glob("types*.go"))
    )
    names = set(_ENUM.findall(source))
    values: dict[str, list[str]] = {name: [] for name in names}
    for match in _CONSTANT.finditer(source):
        name, value = match[1] or match[3], match[2] if match[1] else match[4]
        if name in names and value not in values[name]:
            values[name].append(value)
    return {name: tuple(sorted(found)) for name, found in values.items()}


def _values(
    element: str,
    folder: Path,
    enums: dict[Path, dict[str, tuple[str, ...]]],
    root: Path,
) -> tuple[str, ...]:
    """The values of a type, which can be of another package: ``v1.Protocol``,
    ``corev1.Protocol``."""
    package, dot, name = element.rpartition(".")
    if not dot:
        return enums[folder].get(name, ())
    if package in ("v1", "corev1", "core"):
        return enums.get(root / "core" / "v1", {}).get(name, ())
    return ()
