"""A printed Jsonnet library, and ways to look at it with real engines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kubestencil.data_files import data_file
from kubestencil.engine import Target, load_targets
from kubestencil.schema import Release
from kubestencil.targets import print_files
from kubestencil.targets.jsonnet import spelling as jsonnet
from kubestencil.targets.jsonnet.view import (
    Constructor,
    Function,
    Library,
    Members,
    Nested,
)

SHARED = data_file("templates") / "_jsonnet"

#: What a builder is called with, by the type of its argument.
MARKERS: dict[str, Any] = {"array": ["x", 1], "object": {"k": "v"}, "boolean": True}


def target(name: str, overlay: str = "") -> Target:
    """The target ``jsonnet`` or ``jsonnet-docs``, without an overlay unless one is
    given."""
    return load_targets(None)[name].with_options({"overlay": overlay})


def files(release: Release, name: str, overlay: str = "") -> dict[str, bytes]:
    printed = print_files(release, target(name, overlay))
    return {file.path: file.data for file in printed}


def write(folder: Path, printed: dict[str, bytes]) -> Path:
    """The printed files in ``folder``; returns the library's main file."""
    for path, data in printed.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    return folder / "main.libsonnet"


def evaluate(code: str) -> Any:
    """The value of ``code``, as the engine that is quickest has it."""
    import rjsonnet

    return json.loads(rjsonnet.evaluate_snippet("test", code, jpathdir=[str(SHARED)]))


def types(release: Release) -> Library:
    return Library(release, target("jsonnet"))


def calls(
    members: Members, at: str, path: tuple[str, ...] = ()
) -> Iterator[tuple[str, Any]]:
    """Every builder called with a marker: the expression, and what it has to give."""
    for each in members.entries:
        place = f"{at}[{jsonnet.string(each.name)}]"
        if isinstance(each, Function):
            marker = MARKERS.get(each.type, "marker")
            where = [*path, *each.field]
            value = marker
            for name in reversed(where):
                value = {name: value}
            yield f"{place}({json.dumps(marker)})", value
            if each.type == "array":
                yield f"{place}(7)", _with(value, where, [7])
        elif isinstance(each, Nested):
            below = () if each.path is None else path + each.path
            yield from calls(each.members, place, below)
        elif isinstance(each, Constructor) and any(map(is_named, members.entries)):
            api = {"apiVersion": each.kind.api_version, "kind": each.kind.kind}
            yield f"{place}('n')", {**api, "metadata": {"name": "n"}}


def is_named(member: Any) -> bool:
    return member.name == "metadata" and any(
        inner.name == "withName" for inner in member.members.entries
    )


def all_calls(library: Library) -> list[tuple[str, Any]]:
    return [
        call
        for each in library.types
        for call in calls(
            each.members, f"k[{each.group!r}][{each.version!r}][{each.name!r}]"
        )
    ]


def results(main: Path, expressions: list[str]) -> list[Any]:
    """What the expressions give, ``k`` being the library."""
    lines = ",\n".join(expressions)
    found: list[Any] = evaluate(f"local k = import {json.dumps(str(main))};\n[{lines}]")
    return found


def _with(value: Any, path: list[str], new: Any) -> Any:
    if not path:
        return new
    return {path[0]: _with(value[path[0]], path[1:], new)}
