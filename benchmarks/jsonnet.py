"""The Jsonnet targets against the programs that they replace, and against cp -r.

    KUBESTENCIL_SPECS=… python benchmarks/jsonnet.py [RELEASE] [RUNS]

Needs k8s-gen and docsonnet on the PATH (go build in jsonnet-libs/k8s and
jsonnet-libs/docsonnet). Runs take turns, so that a busy machine is unfair to
nobody; the medians of elapsed and of processor time are compared.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parent.parent
TARGETS = ("jsonnet", "jsonnet-docs")

# An installed package is compiled once; measure that, not the compiler.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
WRITES = {
    "k8s-gen": "go",
    "docsonnet": "docs",
    "kubestencil": "ours",
    "kubestencil, overlay": "ours",
    "cp -r": "copy",
}
PREFIX = r"^io\.k8s\.(api|(kube-aggregator|apimachinery)\.pkg\.apis)\..*"


def main() -> None:
    release = sys.argv[1] if len(sys.argv) > 1 else "1.35"
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    if "KUBESTENCIL_SPECS" not in os.environ:
        sys.exit("KUBESTENCIL_SPECS has to name the folder with the full specs")
    spec = Path(os.environ["KUBESTENCIL_SPECS"]).resolve() / f"{release}.json"
    for program in ("k8s-gen", "docsonnet"):
        if shutil.which(program) is None:
            sys.exit(f"{program} is not on the PATH")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        jobs: dict[str, Callable[[], None]] = {
            "k8s-gen": lambda: k8s_gen(folder, spec, release),
            "docsonnet": lambda: docsonnet(folder, release),
            "kubestencil": lambda: kubestencil(folder, release, ""),
            "kubestencil, overlay": lambda: kubestencil(folder, release, "default"),
            "cp -r": lambda: copy(folder),
        }
        times: dict[str, list[tuple[float, float]]] = {job: [] for job in jobs}
        for _ in range(runs):
            for job, function in jobs.items():
                shutil.rmtree(folder / WRITES[job], ignore_errors=True)
                times[job].append(timed(function))
    report(times)


def report(times: dict[str, list[tuple[float, float]]]) -> None:
    medians = {
        job: tuple(statistics.median(column) for column in zip(*found, strict=True))
        for job, found in times.items()
    }
    for job, (elapsed, processor) in medians.items():
        print(f"{job:<22} {elapsed:6.3f} s elapsed, {processor:6.3f} s processor")
    for number, what in enumerate(("elapsed", "processor")):
        go = medians["k8s-gen"][number] + medians["docsonnet"][number]
        for ours in ("kubestencil", "kubestencil, overlay"):
            mine = medians[ours][number]
            print(
                f"{what}: {ours} takes 1/{go / mine:.1f} of k8s-gen and docsonnet, "
                f"{mine / medians['cp -r'][number]:.1f} times cp -r"
            )


def timed(function: Callable[[], None]) -> tuple[float, float]:
    """Elapsed and processor seconds of the processes that a function starts."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    function()
    elapsed = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return elapsed, used


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
    arguments = ["-o", str(folder / "ours")]
    for target in TARGETS:
        arguments += ["-t", target, "--set", f"{target}.overlay={overlay}"]
    run(sys.executable, "-m", "kubestencil", "render", release, "-q", *arguments)


def copy(folder: Path) -> None:
    run("cp", "-r", str(folder / "ours"), str(folder / "copy"))


def run(*command: str) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "generator")}
    subprocess.run(
        command,
        check=True,
        cwd=ROOT,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


if __name__ == "__main__":
    main()
