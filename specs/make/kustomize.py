"""The table ``kustomize``: the types of kustomize's own files, as ``configurations`` has
those of Kubernetes' programs.

kustomize has releases of its own, and reads files of older ones: the newest types are right
for all releases of Kubernetes.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from kubestencil.schema.knowledge.snapshots import snapshots
from kubestencil.source.releases import release_order
from specs.make.checkouts import go_sources
from specs.make.configurations import constants_of
from specs.make.go_types import GoField, GoStruct, json_fields, structs_in
from specs.make.tables import write_table

HEADER = """\
The types of kustomize's files: releases, definition, field, type, required, values, default,
as in the table configurations of specs/facts/README.md. They are right for all releases.

Made by `python -m specs.make.kustomize DIR` from the modules sigs.k8s.io/kustomize/api and
kyaml in DIR, that of `go env GOMODCACHE`.
"""
_RELEASES = f"{min(snapshots(), key=release_order)}.."
_PREFIX = "sigs.kustomize.api.types."
_KINDS = ("Kustomization", "Component")
_VERSION = r'\b{}Version\s*=\s*"([^"]+)"'
_SCALARS = {
    "string": "string",
    "bool": "boolean",
    "int": "integer",
    "int64": "integer",
    "interface{}": "any",
}
_TEXT = re.compile(r"^type (\w+) string$", re.MULTILINE)
_NESTED = re.compile(r"\*|\[\]|map\[string\]")


def make_rows(modules: Path) -> Iterator[tuple[str, ...]]:
    """The rows of the table, from the newest modules in a folder."""
    types = _newest(modules, "api") / "types"
    source = _source(types)
    # Those of another package are written with its name.
    inner = structs_in(_source(_newest(modules, "kyaml") / "resid"))
    structs = {
        **structs_in(source),
        **inner,
        **{f"resid.{name}": struct for name, struct in inner.items()},
    }
    scalars = _SCALARS | dict.fromkeys(_TEXT.findall(source), "string")
    texts = constants_of(types)
    reached: set[str] = set()
    for kind in _KINDS:
        version = re.search(_VERSION.format(kind), source)
        assert version is not None
        yield _PREFIX + kind, "", f"{version[1]} {kind}", "", "", ""
        for name, field in _fields(kind, structs["Kustomization"], structs, reached):
            values = " ".join(texts.get(field.element, ()))
            type_name = _type(field, structs, scalars)
            yield _PREFIX + name, field.json_name, type_name, "", values, ""


def _newest(modules: Path, name: str) -> Path:
    folders = (modules / "sigs.k8s.io/kustomize").glob(f"{name}@v*")
    return max(folders, key=lambda path: release_order(path.name.partition("@v")[2]))


def _source(folder: Path) -> str:
    return "\n".join(go_sources(folder))


def _fields(
    name: str, struct: GoStruct, structs: Mapping[str, GoStruct], reached: set[str]
) -> Iterator[tuple[str, GoField]]:
    """The fields of a struct, and of those that it refers to and no other has before, each
    with the name of its own."""
    reached.add(name)
    fields = [
        field
        for field in json_fields(struct, structs)
        if name not in _KINDS or field.json_name not in ("apiVersion", "kind")
    ]
    yield from ((name, field) for field in fields)
    for field in fields:
        element = field.element
        if element in structs and element not in reached:
            yield from _fields(element, structs[element], structs, reached)


def _type(field: GoField, structs: Collection[str], scalars: Mapping[str, str]) -> str:
    """The type of a field as the table has it: ``[]Label``, ``map string``."""
    prefix = "".join(_NESTED.findall(field.type)).replace("*", "")
    element = _NESTED.sub("", field.type)
    name = element if element in structs else scalars[element]
    return prefix.replace("map[string]", "map ") + name


if __name__ == "__main__":
    rows = ((_RELEASES, *row) for row in make_rows(Path(sys.argv[1])))
    write_table("kustomize", HEADER, rows)
