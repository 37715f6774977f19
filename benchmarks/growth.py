"""How time and memory of commands grow with their input.

    python -m benchmarks.growth [--sizes 500 1000 2000] [--plot FILE.svg]

Five commands read invented files, of which there are as many as each size says: models of a
catalogue of CustomResourceDefinitions, the same as a project with a table for some of them
each, its site, the report on two states of it, and a check of ten times as many manifests.
Each runs in one process, without anything of an earlier run. Printed are seconds of
processor time and the peak of memory; ``--plot`` draws both.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import jinja2

from benchmarks.measuring import Usage, usage_of
from tests.crd_schemas import definition, version

MANIFESTS_OF_A_DEFINITION = 10
DEFINITIONS_OF_A_TABLE = 2
_FIELDS, _DEPTH = 5, 3
_WIDTH, _HEIGHT = 320, 200
_COLOURS = ("#1d53c0", "#b3261e", "#855000", "#2e7d32", "#6a1b9a")


class Growth(NamedTuple):
    """What a command needed for each size."""

    command: str
    usages: tuple[Usage, ...]


class Line(NamedTuple):
    """The line of a command in a chart: ``points`` are those of an SVG polyline."""

    command: str
    colour: str
    points: str


class Chart(NamedTuple):
    """A chart of ``unit`` over sizes, whose highest value is ``most``."""

    unit: str
    most: int
    lines: Sequence[Line]


def main() -> None:
    options = _parser().parse_args()
    sizes = sorted(options.sizes)
    measured = [growth(command, sizes) for command in COMMANDS]
    for command, usages in measured:
        for size, usage in zip(sizes, usages, strict=True):
            print(
                f"{command:10} {size:6} {usage.seconds:7.1f} s {usage.megabytes:6.0f} MB"
            )
    if options.plot is not None:
        options.plot.write_text(plot(sizes, measured), encoding="utf-8")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[500, 1000, 2000])
    parser.add_argument("--plot", type=Path)
    return parser


def growth(command: str, sizes: Sequence[int]) -> Growth:
    """What a command needs for each size, in a folder of its own."""
    usages = []
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            arguments = COMMANDS[command](Path(folder), size)
            usages.append(
                usage_of([sys.executable, "-m", "kubestencil", *arguments], folder)
            )
    return Growth(command, tuple(usages))


def _models(folder: Path, size: int) -> list[str]:
    crds = _write(folder / "crds", map(widget, range(size)))
    targets = [f"--target={name}" for name in ("python", "jsonschema", "typescript")]
    return ["render", "--crds", crds, *targets, "-q", "-j", "1", "-o", f"{folder}/out"]


def _project(folder: Path, size: int) -> list[str]:
    tables = []
    for start in range(0, size, DEFINITIONS_OF_A_TABLE):
        numbers = range(start, min(size, start + DEFINITIONS_OF_A_TABLE))
        _write(folder / f"crds{start}", map(widget, numbers))
        tables.append(
            f'[[generate]]\ncrds = ["crds{start}"]\n'
            'target = ["python", "jsonschema", "typescript"]\n'
            f'output = "out/{start}/{{target}}"\n'
        )
    (folder / "kubestencil.toml").write_text("\n".join(tables), encoding="utf-8")
    return ["render", "-q", "-j", "1"]


def _site(folder: Path, size: int) -> list[str]:
    crds = _write(folder / "crds", map(widget, range(size)))
    return [
        "render",
        "--crds",
        crds,
        "-t",
        "site",
        "-q",
        "-j",
        "1",
        "-o",
        f"{folder}/o",
    ]


def _diff(folder: Path, size: int) -> list[str]:
    old = _write(folder / "old", map(widget, range(size)))
    changed = (widget(number, changed="number") for number in range(size))
    return [
        "diff",
        old,
        _write(folder / "new", changed),
        "-f",
        "json",
        "-o",
        os.devnull,
    ]


def _check(folder: Path, size: int) -> list[str]:
    count = size * MANIFESTS_OF_A_DEFINITION
    manifests = _write(folder / "manifests", map(deployment, range(count)))
    return ["check", "--from", "1.29", "--to", "1.35", manifests, "-o", os.devnull]


#: Writes the input of a size into a folder, and returns the arguments of the command.
COMMANDS: Mapping[str, Callable[[Path, int], list[str]]] = {
    "models": _models,
    "project": _project,
    "site": _site,
    "diff": _diff,
    "check": _check,
}


def widget(number: int, changed: str = "string") -> dict[str, Any]:
    """A CustomResourceDefinition, with some 160 fields, of which one has another type."""
    spec = _schema(number, _DEPTH)
    spec["properties"]["last"] = {"type": changed, "description": "The last field."}
    schema = {"type": "object", "properties": {"spec": spec}}
    group = f"group{number // 20}.example.com"
    return definition(
        f"Widget{number}", version("v1", schema, storage=True), group=group
    )


def _schema(number: int, depth: int) -> dict[str, Any]:
    if depth == 0:
        text = f"The value that widget {number} has here, or nothing."
        return {"type": "string", "description": text, "maxLength": 10 + number}
    fields = {f"field{each}": _schema(number, depth - 1) for each in range(_FIELDS)}
    return {"type": "object", "description": "A part.", "properties": fields}


def deployment(number: int) -> dict[str, Any]:
    """A Deployment that the API server accepts."""
    labels = {"app": f"web-{number}"}
    container = {"name": "web", "image": f"registry.example.com/web:{number}"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": f"web-{number}", "namespace": "default"},
        "spec": {"selector": {"matchLabels": labels}, "template": template},
    }


def _write(folder: Path, objects: Iterator[Mapping[str, Any]]) -> str:
    folder.mkdir()
    for number, value in enumerate(objects):
        (folder / f"{number}.json").write_text(json.dumps(value), encoding="utf-8")
    return str(folder)


def plot(sizes: Sequence[int], measured: Sequence[Growth]) -> str:
    """An SVG image of two charts: seconds and MB of the commands over the sizes."""
    charts = [
        _chart("seconds", sizes, {name: _seconds(usages) for name, usages in measured}),
        _chart("MB", sizes, {name: _megabytes(usages) for name, usages in measured}),
    ]
    template = Path(__file__).with_name("growth.svg.j2").read_text(encoding="utf-8")
    environment = jinja2.Environment(trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(template).render(
        charts=charts, most=sizes[-1], width=_WIDTH, height=_HEIGHT
    )


def _seconds(usages: Sequence[Usage]) -> Sequence[float]:
    return [usage.seconds for usage in usages]


def _megabytes(usages: Sequence[Usage]) -> Sequence[float]:
    return [usage.megabytes for usage in usages]


def _chart(
    unit: str, sizes: Sequence[int], values: Mapping[str, Sequence[float]]
) -> Chart:
    most = max(map(max, values.values()))
    lines = []
    for colour, (command, of_sizes) in zip(_COLOURS, values.items(), strict=False):
        points = (
            (_WIDTH * size / sizes[-1], _HEIGHT * (1 - value / most))
            for size, value in zip(sizes, of_sizes, strict=True)
        )
        text = " ".join(f"{x:.0f},{y:.0f}" for x, y in points)
        lines.append(Line(command, colour, text))
    return Chart(unit, round(most), lines)


if __name__ == "__main__":
    main()
