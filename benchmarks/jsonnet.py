"""The times of the Jsonnet targets, of the programs they replace, and of ``cp -r``.

    KUBESTENCIL_SPECS=… python -m benchmarks.jsonnet [RELEASE] [RUNS]

Needs k8s-gen and docsonnet on the PATH (go build in jsonnet-libs/k8s and
jsonnet-libs/docsonnet). All are run in turns, so that other work on the machine affects
all alike; the medians of elapsed and of processor time are compared.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks.measuring import ROOT, Times, child_times, environment

TARGETS = ("jsonnet", "jsonnet-docs")

#: The folder that each program writes.
FOLDERS = {
    "k8s-gen": "go",
    "docsonnet": "docs",
    "kubestencil": "kubestencil",
    "kubestencil, overlay": "kubestencil",
    "cp -r": "copy",
}
PREFIX = r"^io\.k8s\.(api|(kube-aggregator|apimachinery)\.pkg\.apis)\..*"


def main() -> None:
    release = sys.argv[1] if len(sys.argv) > 1 else "1.35"
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    if "KUBESTENCIL_SPECS" not in os.environ:
        sys.exit("KUBESTENCIL_SPECS has to name the folder with the full documents")
    spec = Path(os.environ["KUBESTENCIL_SPECS"]).resolve() / f"{release}.json"
    for program in ("k8s-gen", "docsonnet"):
        if shutil.which(program) is None:
            sys.exit(f"{program} is not on the PATH")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        programs: dict[str, Callable[[], None]] = {
            "k8s-gen": lambda: k8s_gen(folder, spec, release),
            "docsonnet": lambda: docsonnet(folder, release),
            "kubestencil": lambda: kubestencil(folder, release, ""),
            "kubestencil, overlay": lambda: kubestencil(folder, release, "default"),
            "cp -r": lambda: copy(folder),
        }
        times: dict[str, list[Times]] = {name: [] for name in programs}
        for _ in range(runs):
            for name, function in programs.items():
                shutil.rmtree(folder / FOLDERS[name], ignore_errors=True)
                times[name].append(child_times(function))
    report(times)


def report(times: dict[str, list[Times]]) -> None:
    """Print the medians, and the ratios of the times."""
    medians = {
        name: Times(*(statistics.median(column) for column in zip(*runs, strict=True)))
        for name, runs in times.items()
    }
    for name, (elapsed, processor) in medians.items():
        print(f"{name:<22} {elapsed:6.3f} s elapsed, {processor:6.3f} s processor")
    for index, kind in enumerate(Times._fields):
        replaced = medians["k8s-gen"][index] + medians["docsonnet"][index]
        for name in ("kubestencil", "kubestencil, overlay"):
            seconds = medians[name][index]
            print(
                f"{kind}: {name} takes 1/{replaced / seconds:.1f} of k8s-gen and "
                f"docsonnet, {seconds / medians['cp -r'][index]:.1f} times cp -r"
            )


def k8s_gen(folder: Path, spec: Path, release: str) -> None:
    config = {
        "output": release,
        "openapi": str(spec),
        "prefix": PREFIX,
        "localName": "k",
        "repository": "github.com/jsonnet-libs/k8s-libsonnet",
        "description": f"Generated Jsonnet library for Kubernetes v{release}",
    }
    (folder / "config.json").write_text(json.dumps({"specs": [config]}))
    run("k8s-gen", "-c", str(folder / "config.json"), "-o", str(folder / "go"))


def docsonnet(folder: Path, release: str) -> None:
    library = folder / "go" / release / "main.libsonnet"
    run("docsonnet", "-o", str(folder / "docs"), "--urlPrefix", release, str(library))


def kubestencil(folder: Path, release: str, overlay: str) -> None:
    arguments = ["-o", str(folder / "kubestencil")]
    for target in TARGETS:
        arguments += ["-t", target, "--set", f"{target}.overlay={overlay}"]
    run(sys.executable, "-m", "kubestencil", "render", release, "-q", *arguments)


def copy(folder: Path) -> None:
    run("cp", "-r", str(folder / "kubestencil"), str(folder / "copy"))


def run(*command: str) -> None:
    subprocess.run(
        command,
        check=True,
        cwd=ROOT,
        env=environment(with_specs=True),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


if __name__ == "__main__":
    main()
