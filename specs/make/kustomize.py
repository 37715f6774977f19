"""The table ``kustomize``: the types of kustomize's own files, as ``configurations`` has
those of Kubernetes' programs.

kustomize has releases of its own, and reads files of older ones: the newest types are right
for all releases of Kubernetes.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from specs.make.configurations import constants_of
from specs.make.go_types import GoField, structs_in
from specs.make.tables import write_rows
from specs.make.type_tables import (
    RELEASES,
    SCALARS,
    newest_module,
    source_of,
    type_rows,
)

_MODULES = "sigs.k8s.io/kustomize"
_PREFIX = "sigs.kustomize.api.types."
_KINDS = ("Kustomization", "Component")
_TEXT = re.compile(r"^type (\w+) string$", re.MULTILINE)
_VERSION = r'\b{}Version\s*=\s*"([^"]+)"'


def make_rows(modules: Path) -> Iterator[tuple[str, ...]]:
    """The rows of the table, from the newest modules in a folder."""
    types = newest_module(modules, f"{_MODULES}/api") / "types"
    source = source_of(types)
    # Those of another package are written with its name.
    resid = newest_module(modules, f"{_MODULES}/kyaml") / "resid"
    inner = structs_in(source_of(resid))
    structs = {
        **structs_in(source),
        **inner,
        **{f"resid.{name}": struct for name, struct in inner.items()},
    }
    scalars = {**SCALARS, **dict.fromkeys(_TEXT.findall(source), "string")}
    texts = constants_of(types)

    def values(field: GoField) -> str:
        return " ".join(texts.get(field.element, ()))

    struct = [field for field in structs["Kustomization"] if field.name != "TypeMeta"]
    reached: set[str] = set()
    for kind in _KINDS:
        version = re.search(_VERSION.format(kind), source)
        assert version is not None
        yield _PREFIX + kind, "", f"{version[1]} {kind}", "", "", ""
        for name, *cells in type_rows(kind, struct, structs, scalars, values, reached):
            yield _PREFIX + name, *cells


if __name__ == "__main__":
    rows = ((RELEASES, *row) for row in make_rows(Path(sys.argv[1])))
    write_rows("kustomize", rows)
