"""The times of custom resources in Jsonnet and Markdown, and of what they replace.

    python -m benchmarks.crd_generators --crds DIR [--k8s-gen PROGRAM]
        [--document openapi-v2.json --jar openapi-generator-cli.jar] [--runs N]

``--crds`` is a folder of CustomResourceDefinitions, which kubestencil and k8s-gen read.
k8s-gen ends with an error where it prints Jsonnet that does not parse, for example for a
field called ``$ref``. It is run on each file first, and both read those that it takes.
``--document`` is what kubernetes-client/gen makes of a cluster's OpenAPI 2.0, which
kubestencil and openapi-generator read; the time of that preprocessing is not measured.
The programs are run in turns, so that other work on the machine affects all alike; the
medians of elapsed and of processor time are compared.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from benchmarks.measuring import Times, child_times, environment


def main() -> None:
    options = parser().parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        for line in measure(options, Path(temporary)):
            print(line, flush=True)


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--crds", type=Path, required=True)
    parser.add_argument("--k8s-gen", help="the program k8s-gen")
    parser.add_argument("--document", type=Path, help="a cluster's OpenAPI 2.0")
    parser.add_argument("--jar", type=Path, help="openapi-generator-cli.jar")
    parser.add_argument("--runs", type=int, default=3)
    return parser


def measure(options: argparse.Namespace, folder: Path) -> Iterator[str]:
    if options.k8s_gen:
        files = sorted(options.crds.rglob("*.yaml"))
        accepted = folder / "crds"
        accepted.mkdir()
        for index, file in enumerate(files):
            if is_accepted(folder, file, options.k8s_gen):
                (accepted / f"{index}.yaml").symlink_to(file.resolve())
        count = len(list(accepted.iterdir()))
        yield f"k8s-gen refuses {len(files) - count} of {len(files)} files"
        crds = ["--crds", str(accepted)]
        programs = {
            "kubestencil, jsonnet": lambda: render(folder, "jsonnet", crds),
            "k8s-gen": lambda: k8s_gen(folder, accepted.iterdir(), options.k8s_gen),
        }
        yield from rows(programs, options.runs, folder)
    if options.document and options.jar:
        spec = ["--spec", str(options.document)]
        programs = {
            "kubestencil, markdown": lambda: render(folder, "markdown", spec),
            "openapi-generator": lambda: openapi_generator(folder, options),
        }
        yield from rows(programs, options.runs, folder)


def rows(
    programs: Mapping[str, Callable[[], None]], runs: int, folder: Path
) -> Iterator[str]:
    """The medians of each program, and their ratio to those of the first."""
    times: dict[str, list[Times]] = {name: [] for name in programs}
    for _ in range(runs):
        for name, program in programs.items():
            shutil.rmtree(folder / "out", ignore_errors=True)
            times[name].append(child_times(program))
    medians = {
        name: Times(
            *(statistics.median(column) for column in zip(*values, strict=True))
        )
        for name, values in times.items()
    }
    first = next(iter(medians.values()))
    for name, (elapsed, processor) in medians.items():
        yield (
            f"{name:<22} {elapsed:8.3f} s elapsed x {elapsed / first.elapsed:6.2f}, "
            f"{processor:8.3f} s processor x {processor / first.processor:6.2f}"
        )


def render(folder: Path, target: str, document: list[str]) -> None:
    out = ["-t", target, "-o", str(folder / "out"), "-q"]
    release = ["measured"] if document[0] == "--spec" else []
    run(sys.executable, "-m", "kubestencil", "render", *release, *document, *out)


def is_accepted(folder: Path, crd: Path, program: str) -> bool:
    try:
        k8s_gen(folder, [crd], program)
    except subprocess.CalledProcessError:
        return False
    finally:
        shutil.rmtree(folder / "out", ignore_errors=True)
    return True


def k8s_gen(folder: Path, crds: Iterable[Path], program: str) -> None:
    spec = {
        "output": "out",
        "prefix": ".*",
        "crds": [str(path.resolve()) for path in sorted(crds)],
        "localName": "k",
        "repository": "github.com/jsonnet-libs/k8s-libsonnet",
        "description": "Measured",
    }
    config = folder / "config.json"
    config.write_text(json.dumps({"specs": [spec]}))
    run(program, "-c", str(config), "-o", str(folder))


def openapi_generator(folder: Path, options: argparse.Namespace) -> None:
    run(
        *("java", "-jar", str(options.jar), "generate", "-g", "python"),
        *("-i", str(options.document), "-o", str(folder / "out")),
        *("--skip-validate-spec", "--global-property"),
        "models,modelDocs=true,modelTests=false",
    )


def run(*command: str) -> None:
    subprocess.run(
        command,
        check=True,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


if __name__ == "__main__":
    main()
