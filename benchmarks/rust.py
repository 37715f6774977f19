"""The printed crate against k8s-openapi: printing, checking, building, reading pods.

    python benchmarks/rust.py [--specs DIR] [--codegen PROGRAM] [--rounds N]

``--codegen`` is k8s-openapi-codegen, built by yourself in a clone of its repository
(it writes into that clone); say whether it is the debug build that upstream's
documentation runs or a release build. Everything is measured in one run, in turn;
what is printed are medians and their ratio, ours first.
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
RELEASE, PEER = "1.35", "0.29.0"
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
        printing(folder, arguments.specs, arguments.codegen, arguments.rounds)
        compiling(folder, arguments.rounds)


def printing(
    folder: Path, specs: Path | None, codegens: Sequence[Path], rounds: int
) -> None:
    def ours() -> None:
        command = [sys.executable, "-m", "kubestencil", "render", RELEASE, "-t", "rust"]
        if specs:
            command += ["--specs", str(specs)]
        out = folder / f"out-{time.monotonic_ns()}"
        run([*command, "-o", str(out)], folder, PYTHONPATH=str(ROOT / "generator"))
        (folder / "out").unlink(missing_ok=True)
        (folder / "out").symlink_to(out)

    ours()  # the first run validates the document and compiles the templates
    if not specs or not codegens:
        print(f"printing {RELEASE}: {median(rounds, ours)[0]:.2f} s")
        return
    for codegen in codegens:
        document = (specs / f"{RELEASE}.json").resolve().as_uri()
        theirs = [str(codegen), "--generate", f"{RELEASE}:{document}"]
        times = median(rounds, ours, lambda theirs=theirs: run(theirs, folder))
        report(f"printing {RELEASE} ({codegen.name})", times)


def compiling(folder: Path, rounds: int) -> None:
    crate = folder / "out" / RELEASE / "rust"
    program = folder / "pods"
    (program / "src").mkdir(parents=True)
    source = (ROOT / "benchmarks" / "rust" / "pods.rs").read_text()
    (program / "src" / "main.rs").write_text(source)
    feature = "v" + RELEASE.replace(".", "_")
    (program / "Cargo.toml").write_text(
        f'[package]\nname = "pods"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\n'
        f'ours = {{ package = "{NAMES[0]}", path = "{crate}" }}\n'
        f'theirs = {{ package = "{NAMES[1]}", version = "={PEER}", '
        f'features = ["{feature}"] }}\nserde_json = "1"\n[workspace]\n'
    )
    cargo(program, "check")

    def check(package: str) -> Callable[[], float]:
        def timed() -> float:
            cargo(program, "clean", "-p", package)
            start = time.perf_counter()
            cargo(program, "check", "-p", package)
            return time.perf_counter() - start

        return timed

    report("cargo check, the crate alone", median(rounds, *map(check, NAMES)))
    cargo(program, "build", "--release")
    built = folder / "target" / "release"
    output = run([str(built / "pods")], folder)
    read = ast.literal_eval(output)
    report("reading 1,000 pods", [us / 1e6 for us in read[:2]])
    report("writing 1,000 pods", [us / 1e6 for us in read[2:]])
    sizes = [
        sum(path.stat().st_size for path in (built / "deps").glob(f"lib{name}-*.rlib"))
        for name in (each.replace("-", "_") for each in NAMES)
    ]
    print(f"rlib: {sizes[0] / 1e6:.1f} MB / {sizes[1] / 1e6:.1f} MB")


def cargo(folder: Path, *arguments: str) -> None:
    target = str(folder.parent / "target")
    run(["cargo", *arguments, "--quiet"], folder, CARGO_TARGET_DIR=target)


def run(command: Sequence[str], folder: Path, **environment: str) -> str:
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **environment},
        text=True,
        capture_output=True,
    )
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stderr[-3000:]}")
    return done.stdout


def median(rounds: int, *works: Callable[[], object]) -> list[float]:
    """The median of each, all in turn; a work may return its own time."""
    times: list[list[float]] = [[] for _ in works]
    for _ in range(rounds):
        for each, work in zip(times, works, strict=True):
            start = time.perf_counter()
            own = work()
            each.append(own if isinstance(own, float) else time.perf_counter() - start)
    return [statistics.median(each) for each in times]


def report(what: str, times: Sequence[float]) -> None:
    ours, theirs = times
    print(f"{what}: {ours:.3f} s / {theirs:.3f} s = {ours / theirs:.2f}")


if __name__ == "__main__":
    main()
