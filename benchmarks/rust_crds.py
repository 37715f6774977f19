"""Compares Rust types of CustomResourceDefinitions with kopium's: generate them.

    python -m benchmarks.rust_crds CRDS --kopium PROGRAM [--rounds N] [--jobs N]

``CRDS`` is a file or folder of CustomResourceDefinitions, ``--kopium`` a release build
(``cargo install kopium``). kopium reads one version of one CustomResourceDefinition in
each run, so it is run once for each version that is served, ``--jobs`` runs at a time;
those that it refuses are counted. kubestencil generates a crate of all of them in one
run. Both read the same files, one CustomResourceDefinition in each, as YAML and as
JSON, in turns. The output has the medians of both, ours first, and their ratio, as
elapsed time and as CPU time.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from benchmarks.measuring import ROOT, Times, child_times, environment

sys.path.insert(0, str(ROOT / "generator"))


class Version(NamedTuple):
    """A version of the CustomResourceDefinition in a file."""

    file: Path
    name: str


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("crds")
    parser.add_argument("--kopium", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
    crds = read_crds(arguments.crds)
    with tempfile.TemporaryDirectory() as name:
        for suffix, dump in (("yaml", to_yaml), ("json", json.dumps)):
            folder = Path(name) / suffix
            versions = write_files(crds, folder, suffix, dump)
            compare(folder, versions, suffix, arguments)


def read_crds(location: str) -> list[dict[str, Any]]:
    from kubestencil.source.crds import read_crd_files, read_objects

    return [
        {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            **found.value,
        }
        for file in read_crd_files(location)
        for found in read_objects(file)[0]
    ]


def to_yaml(value: Any) -> str:
    return yaml.dump(value, Dumper=yaml.CSafeDumper, sort_keys=False)


def write_files(
    crds: Sequence[dict[str, Any]],
    folder: Path,
    suffix: str,
    dump: Callable[[Any], str],
) -> list[Version]:
    """Write a file for each CustomResourceDefinition; returns the served versions."""
    folder.mkdir()
    versions: list[Version] = []
    for number, crd in enumerate(crds):
        file = folder / f"{number}.{suffix}"
        file.write_text(dump(crd))
        versions += (
            Version(file, version["name"])
            for version in crd["spec"]["versions"]
            if version.get("served", True)
        )
    return versions


def compare(
    folder: Path,
    versions: Sequence[Version],
    suffix: str,
    arguments: argparse.Namespace,
) -> None:
    def ours() -> None:
        with tempfile.TemporaryDirectory() as out:
            command = [
                sys.executable,
                "-m",
                "kubestencil",
                "render",
                "-t",
                "rust",
                "-q",
            ]
            run([*command, "--crds", str(folder), "-o", out])

    refused: set[Version] = set()

    def generate(version: Version) -> None:
        file, name = str(version.file), version.name
        command = [str(arguments.kopium), "-A", "-f", file, "--api-version", name]
        with (folder.parent / f"{version.file.stem}-{name}.rs").open("w") as output:
            done = subprocess.run(command, stdout=output, stderr=subprocess.DEVNULL)
        if done.returncode:
            refused.add(version)

    def theirs() -> None:
        with ThreadPoolExecutor(arguments.jobs) as pool:
            list(pool.map(generate, versions))

    ours()  # compiles Python's bytecode
    medians = measure(arguments.rounds, ours, theirs)
    size = sum(file.stat().st_size for file in folder.iterdir())
    print(
        f"{suffix}: {size / 1e6:.1f} MB, {len(versions)} versions, "
        f"kopium refuses {len(refused)}, --jobs {arguments.jobs}"
    )
    for title, index in (("elapsed", 0), ("CPU", 1)):
        mine, other = (times[index] for times in medians)
        print(f"  {title}: {mine:.2f} s / {other:.2f} s = {mine / other:.2f}")


def measure(rounds: int, *functions: Callable[[], None]) -> list[Times]:
    """The median times of each function; they are called in turns."""
    measured: list[list[Times]] = [[] for _ in functions]
    for _ in range(rounds):
        for times, function in zip(measured, functions, strict=True):
            times.append(child_times(function))
    return [
        Times(*map(statistics.median, zip(*times, strict=True))) for times in measured
    ]


def run(command: Sequence[str]) -> None:
    done = subprocess.run(command, env=environment(), text=True, capture_output=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stderr[-3000:]}")


if __name__ == "__main__":
    main()
