"""Generates Jsonnet libraries with overlays, and evaluates them with real engines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kubestencil.data_files import data_file
from kubestencil.engine import Target, load_targets
from kubestencil.schema import Release
from kubestencil.targets import generate_files
from kubestencil.targets.languages.jsonnet import spelling as jsonnet
from kubestencil.targets.languages.jsonnet.library import Library, make_library
from kubestencil.targets.languages.jsonnet.members import (
    Constructor,
    Function,
    Members,
    NestedObject,
    takes_name,
)

SHARED = data_file("templates") / "_jsonnet"

#: The argument that a function is called with, by the type of its parameter.
ARGUMENTS: dict[str, Any] = {"array": ["x", 1], "object": {"k": "v"}, "boolean": True}

#: Definitions that the tests of the library refer to.
FOO = "io.k8s.api.g.v1.Foo"
BAR = "io.k8s.api.g.v1.Bar"

#: The definitions of a kind and of its metadata, which the tests of overlays extend.
SMALL = {
    "io.k8s.api.core.v1.Pod": {
        "description": "A pod.",
        "properties": {
            "apiVersion": {"type": "string"},
            "kind": {"type": "string"},
            "metadata": {"$ref": "#/definitions/io.k8s.api.core.v1.Metadata"},
            "count": {"type": "integer", "description": "How many."},
        },
        "x-kubernetes-group-version-kind": [
            {"group": "", "version": "v1", "kind": "Pod"}
        ],
    },
    "io.k8s.api.core.v1.Metadata": {
        "description": "Its <b>metadata.",
        "properties": {"name": {"type": "string", "description": "Its name."}},
    },
}


def target(name: str, overlay: str = "") -> Target:
    """The target ``jsonnet`` or ``jsonnet-docs``, by default without an overlay."""
    return load_targets(None)[name].with_options({"overlay": overlay})


def files(release: Release, name: str, overlay: str = "") -> dict[str, bytes]:
    """The files of a target, by path."""
    return {
        file.path: file.data for file in generate_files(release, target(name, overlay))
    }


def write(folder: Path, generated: dict[str, bytes]) -> Path:
    """Write generated files into ``folder``; returns the library's main file."""
    for path, data in generated.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    return folder / "main.libsonnet"


def evaluate(code: str) -> Any:
    """The value of ``code`` according to jrsonnet, the fastest engine."""
    import rjsonnet

    return json.loads(rjsonnet.evaluate_snippet("test", code, jpathdir=[str(SHARED)]))


def library_of(release: Release) -> Library:
    """The library of a release, without an overlay."""
    return make_library(release, target("jsonnet"))


def calls(
    members: Members, access: str, path: tuple[str, ...] = ()
) -> Iterator[tuple[str, Any]]:
    """A call of every function: the expression, and the value that it must have.

    ``access`` is the expression for the object with ``members``, ``path`` the field
    inside of which they set fields.
    """
    for member in members.entries:
        member_access = f"{access}[{jsonnet.string_literal(member.name)}]"
        if isinstance(member, Function):
            argument = ARGUMENTS.get(member.type, "marker")
            field = [*path, *member.field]
            yield f"{member_access}({json.dumps(argument)})", _nested(field, argument)
            if member.type == "array":
                yield f"{member_access}(7)", _nested(field, [7])
        elif isinstance(member, NestedObject):
            inner_path = () if member.path is None else path + member.path
            yield from calls(member.members, member_access, inner_path)
        elif isinstance(member, Constructor) and takes_name(members.entries):
            kind = member.kind
            metadata: dict[str, Any] = {"name": "n"}
            if member.cluster_scoped:
                metadata["annotations"] = {"tanka.dev/namespaced": "false"}
            yield f"{member_access}('n')", {
                "apiVersion": kind.api_version,
                "kind": kind.kind,
                "metadata": metadata,
            }


def all_calls(library: Library) -> list[tuple[str, Any]]:
    """A call of every function in a library, which is called ``k``."""
    return [
        call
        for type_ in library.types
        for call in calls(
            type_.members, "k" + "".join(f"[{name!r}]" for name in type_.path)
        )
    ]


def results(main: Path, expressions: list[str]) -> list[Any]:
    """The values of expressions in which ``k`` is the library."""
    lines = ",\n".join(expressions)
    values: list[Any] = evaluate(
        f"local k = import {json.dumps(str(main))};\n[{lines}]"
    )
    return values


def _nested(path: list[str], value: Any) -> Any:
    """An object with ``value`` in the field at ``path``."""
    for name in reversed(path):
        value = {name: value}
    return value


def pages(spec: Release, folder: Path, **texts: str) -> dict[str, str]:
    """The pages with an overlay of the given files."""
    overlay(folder, **texts)
    generated = files(spec, "jsonnet-docs", str(folder))
    return {path: data.decode() for path, data in generated.items()}


def overlay(folder: Path, **texts: str) -> Path:
    """Write an overlay into ``folder``: the texts of its files, by name."""
    for name, text in texts.items():
        (folder / f"{name}.libsonnet").write_text(text)
    return folder


def extend(type_: str, body: str) -> str:
    """The text of an overlay file that adds ``body`` to a type of core.v1. The body
    begins in line 3."""
    return (
        "local d = import 'doc-util/main.libsonnet';\n"
        f"{{ core+: {{ v1+: {{ {type_}: {{\n{body}\n}} }} }} }}\n"
    )


def ref(name: str) -> dict[str, str]:
    """A reference to a definition."""
    return {"$ref": f"#/definitions/{name}"}
