"""The times and memory of every target over a growing catalogue of custom resources.

    python -m benchmarks.crds CATALOGUE [--sizes 250 500 1000] [--targets python site …]

CATALOGUE is a folder of files with CustomResourceDefinitions, such as crd-catalog/ of
metio/kube-custom-resources-rs. Files that kubestencil refuses are left out, and those
that define a kind again. For each size, and for all files, a command reads that many of
them, chosen with a fixed seed, and generates one target in one process. Its processor
time and its peak memory are printed, both also per 1,000 schema nodes: where they grow
in proportion, these columns stay the same or shrink.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.measuring import ROOT, Usage, usage_of

sys.path.insert(0, str(ROOT / "generator"))

from kubestencil.engine import load_targets
from kubestencil.errors import KubestencilError
from kubestencil.schema.load import load_release
from kubestencil.source.crds import files_in, read_objects
from kubestencil.source.document import CrdSet, SourceFile
from kubestencil.source.inputs import crds_alone

_NESTED = ("items", "additionalProperties")


class CatalogueFile(NamedTuple):
    """A file of the catalogue, and how many schemas and fields it has."""

    path: Path
    nodes: int


def main() -> None:
    options = parser().parse_args()
    files, refused = read_catalogue(options.catalogue)
    print(f"{len(files)} files, {refused} refused or repeated")
    random.Random(7).shuffle(files)
    sizes = [size for size in options.sizes if size < len(files)]
    targets = options.targets or [
        name for name, target in load_targets(None).items() if target.min_releases < 2
    ]
    for target in targets:
        for size in [*sizes, len(files)]:
            print(measure(target, files[:size]), flush=True)


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("catalogue", type=Path)
    parser.add_argument("--sizes", type=int, nargs="*", default=[250, 500, 1000])
    parser.add_argument("--targets", nargs="*")
    return parser


def read_catalogue(folder: Path) -> tuple[list[CatalogueFile], int]:
    """The files that can be read together, and the number of the others."""
    files: list[CatalogueFile] = []
    kinds: set[tuple[str, str]] = set()
    sources = files_in(folder)
    for file in sources:
        try:
            release = load_release(crds_alone("file", CrdSet((file.origin,), (file,))))
        except KubestencilError:
            continue
        file_kinds = {(kind.group, kind.kind) for kind in release.resources}
        if kinds.isdisjoint(file_kinds):
            kinds |= file_kinds
            files.append(CatalogueFile(Path(file.origin), count_nodes(file)))
    return files, len(sources) - len(files)


def count_nodes(file: SourceFile) -> int:
    schemas = (
        version.get("schema", {}).get("openAPIV3Schema")
        for crd in read_objects(file)[0]
        for version in crd.value["spec"]["versions"]
    )
    return sum(1 for schema in schemas for _ in nodes(schema))


def nodes(schema: Any) -> Iterator[Any]:
    """A schema, and those of its fields, items and values."""
    if isinstance(schema, dict):
        yield schema
        inner = [schema.get(keyword) for keyword in _NESTED]
        inner += (schema.get("properties") or {}).values()
        for value in inner:
            yield from nodes(value)


def measure(target: str, files: Sequence[CatalogueFile]) -> str:
    """A line of the table."""
    count = sum(file.nodes for file in files)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "crds"
        folder.mkdir()
        for index, file in enumerate(files):
            name = f"{index}{file.path.suffix}"
            (folder / name).symlink_to(file.path.absolute())
        usage = run(target, folder, Path(temporary) / "out")
    return (
        f"{target:12} {len(files):5} files {count:7} nodes "
        f"{usage.seconds:7.1f} s {usage.memory / 2**20:6.0f} MiB   "
        f"{usage.seconds / count * 1e6:6.0f} ms and "
        f"{usage.memory / count * 1000 / 1024:6.0f} KiB per 1,000 nodes"
    )


def run(target: str, crds: Path, out: Path) -> Usage:
    command = [sys.executable, "-m", "kubestencil", "render", "--crds", str(crds)]
    options = ["-t", target, "-o", str(out), "-q", "-j", "1"]
    return usage_of([*command, *options])


if __name__ == "__main__":
    main()
