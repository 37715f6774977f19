"""The rows of tables of types, in the form of ``configurations``, from the Go modules of
projects that have releases of their own."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path

from kubestencil.schema.knowledge.snapshots import snapshots
from kubestencil.source.releases import release_order
from specs.make.checkouts import go_sources
from specs.make.go_types import GoField, Structs, json_fields

#: The newest types are right for all releases of Kubernetes.
RELEASES = f"{min(snapshots(), key=release_order)}.."
#: The types of Go that are none of a package, as the tables have them.
SCALARS: Mapping[str, str] = {
    "string": "string",
    "bool": "boolean",
    "int": "integer",
    "int64": "integer",
    "interface{}": "any",
}
_NESTED = re.compile(r"\*|\[\]|map\[string\]")


def newest_module(modules: Path, name: str) -> Path:
    """The newest module of a name in a folder such as Go's module cache."""
    folders = modules.glob(f"{name}@v*")
    return max(folders, key=lambda path: release_order(path.name.partition("@v")[2]))


def source_of(folder: Path) -> str:
    """The Go files of a package as one text."""
    return "\n".join(go_sources(folder))


def type_rows(
    name: str,
    struct: Sequence[GoField],
    structs: Structs,
    scalars: Mapping[str, str],
    values: Callable[[GoField], str],
    reached: set[str],
) -> Iterator[tuple[str, ...]]:
    """The rows of the fields of a struct, and of those that it refers to and no other has
    before: name of the struct, field, type, and its values; none is required, or has a
    default."""
    reached.add(name)
    fields = list(json_fields(struct, structs))
    for field in fields:
        type_name = _type(field, structs, scalars)
        yield name, field.json_name, type_name, "", values(field), ""
    for field in fields:
        inner = field.element
        if inner in structs and inner not in reached:
            yield from type_rows(
                inner, structs[inner], structs, scalars, values, reached
            )


def _type(field: GoField, structs: Collection[str], scalars: Mapping[str, str]) -> str:
    """The type of a field as the table has it: ``[]Label``, ``map string``."""
    prefix = "".join(_NESTED.findall(field.type)).replace("*", "")
    element = _NESTED.sub("", field.type)
    name = element if element in structs else scalars[element]
    return prefix.replace("map[string]", "map ") + name
