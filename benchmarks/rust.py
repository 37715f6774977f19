"""Compares the generated crate with k8s-openapi: generate, check, build, read pods.

    python -m benchmarks.rust [--specs DIR] [--codegen PROGRAM] [--rounds N]

``--codegen`` is k8s-openapi-codegen, built in a clone of its repository (it writes into
that clone); note whether it is a release build or the debug build that the upstream
documentation runs. Both are measured in turns in one run. The output has the medians
of both, ours first, and their ratio.
"""

from __future__ import annotations

import argparse
import ast
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent
RELEASE, K8S_OPENAPI = "1.35", "0.29.0"
NAMES = ("kubernetes-types", "k8s-openapi")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--specs", type=Path, default=os.environ.get("KUBESTENCIL_SPECS")
    )
    parser.add_argument("--codegen", type=Path, action="append", default=[])
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        measure_generation(folder, arguments.specs, arguments.codegen, arguments.rounds)
        measure_compilation(folder, arguments.rounds)


def measure_generation(
    folder: Path, specs: Path | None, codegens: Sequence[Path], rounds: int
) -> None:
    def ours() -> None:
        command = [sys.executable, "-m", "kubestencil", "render", RELEASE, "-t", "rust"]
        if specs:
            command += ["--spec-dir", str(specs)]
        out = folder / f"out-{time.monotonic_ns()}"
        run([*command, "-o", str(out)], folder, PYTHONPATH=str(ROOT / "generator"))
        (folder / "out").unlink(missing_ok=True)
        (folder / "out").symlink_to(out)

    ours()  # the first run validates the document and compiles the templates
    if not specs or not codegens:
        print(f"generate {RELEASE}: {median(rounds, ours)[0]:.2f} s")
        return
    for codegen in codegens:
        document = (specs / f"{RELEASE}.json").resolve().as_uri()
        theirs = [str(codegen), "--generate", f"{RELEASE}:{document}"]
        times = median(rounds, ours, lambda theirs=theirs: run(theirs, folder))
        report(f"generate {RELEASE} ({codegen.name})", times)


def measure_compilation(folder: Path, rounds: int) -> None:
    crate = folder / "out" / RELEASE / "rust"
    program = folder / "pods"
    (program / "src").mkdir(parents=True)
    source = (ROOT / "benchmarks" / "rust" / "pods.rs").read_text()
    (program / "src" / "main.rs").write_text(source)
    feature = "v" + RELEASE.replace(".", "_")
    (program / "Cargo.toml").write_text(
        f'[package]\nname = "pods"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\n'
        f'ours = {{ package = "{NAMES[0]}", path = "{crate}" }}\n'
        f'theirs = {{ package = "{NAMES[1]}", version = "={K8S_OPENAPI}", '
        f'features = ["{feature}"] }}\nserde_json = "1"\n[workspace]\n'
    )
    cargo(program, "check")

    def check(package: str) -> Callable[[], float]:
        """A function that measures ``cargo check`` of one package, in seconds."""

        def measure() -> float:
            cargo(program, "clean", "-p", package)
            start = time.perf_counter()
            cargo(program, "check", "-p", package)
            return time.perf_counter() - start

        return measure

    report("cargo check of the crate alone", median(rounds, *map(check, NAMES)))
    cargo(program, "build", "--release")
    release_folder = folder / "target" / "release"
    output = run([str(release_folder / "pods")], folder)
    seconds = [microseconds / 1e6 for microseconds in ast.literal_eval(output)]
    report("read 1,000 pods", seconds[:2])
    report("write 1,000 pods", seconds[2:])
    sizes = [
        sum(
            path.stat().st_size
            for path in (release_folder / "deps").glob(
                f"lib{name.replace('-', '_')}-*.rlib"
            )
        )
        for name in NAMES
    ]
    print(f"rlib: {sizes[0] / 1e6:.1f} MB / {sizes[1] / 1e6:.1f} MB")


def cargo(folder: Path, *arguments: str) -> None:
    target = str(folder.parent / "target")
    run(["cargo", *arguments, "--quiet"], folder, CARGO_TARGET_DIR=target)


def run(command: Sequence[str], folder: Path, **environment: str) -> str:
    completed = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **environment},
        text=True,
        capture_output=True,
    )
    if completed.returncode:
        sys.exit(f"{' '.join(command)}\n{completed.stderr[-3000:]}")
    return completed.stdout


def median(rounds: int, *functions: Callable[[], object]) -> list[float]:
    """The median time in seconds of each function; they are called in turns. A function
    that returns a float has measured its time by itself."""
    times: list[list[float]] = [[] for _ in functions]
    for _ in range(rounds):
        for measured, function in zip(times, functions, strict=True):
            start = time.perf_counter()
            result = function()
            elapsed = time.perf_counter() - start
            measured.append(result if isinstance(result, float) else elapsed)
    return [statistics.median(measured) for measured in times]


def report(title: str, times: Sequence[float]) -> None:
    ours, theirs = times
    print(f"{title}: {ours:.3f} s / {theirs:.3f} s = {ours / theirs:.2f}")


if __name__ == "__main__":
    main()
