"""The target ``website`` beside gen-apidocs of kubernetes-sigs/reference-docs, in one run.

    python -m benchmarks.website SWAGGER GEN_APIDOCS CONFIGURATION

``SWAGGER`` is the document of 1.36, ``GEN_APIDOCS`` the program and ``CONFIGURATION`` the
``config.yaml`` that its repository has for the release. Both make their pages in turns;
each time is the shortest of several. Pages that are not the same are listed: groups that
gen-apidocs sorts by chance make some.
"""

from __future__ import annotations

import argparse
import filecmp
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from benchmarks.measuring import Times, child_times, environment, row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("swagger", type=Path)
    parser.add_argument("gen_apidocs", type=Path)
    parser.add_argument("configuration", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="kubestencil-") as scratch:
        for line in measure(options, Path(scratch)):
            print(line, flush=True)


def measure(options: argparse.Namespace, scratch: Path) -> Iterator[str]:
    config = scratch / "config" / "v1_36"
    config.mkdir(parents=True)
    shutil.copyfile(options.swagger, config / "swagger.json")
    shutil.copyfile(options.configuration, config / "config.yaml")
    theirs = [
        *(str(options.gen_apidocs.absolute()), "--kubernetes-release=1_36"),
        *(f"--work-dir={scratch}", "--auto-detect", "--backend=hugo-md"),
    ]
    ours = [
        *(sys.executable, "-m", "kubestencil", "render", "1.36", "-t", "website"),
        *("--spec", str(options.swagger.absolute()), "-o", str(scratch / "out"), "-q"),
    ]
    times: dict[str, list[Times]] = {"kubestencil": [], "gen-apidocs": []}
    for _ in range(options.runs):
        for folder in ("out", "build"):
            shutil.rmtree(scratch / folder, ignore_errors=True)
        for name, command in zip(times, (ours, theirs), strict=True):
            times[name].append(child_times(partial(execute, command, scratch)))
    for kind in Times._fields:
        best = {name: min(getattr(t, kind) for t in of) for name, of in times.items()}
        for name, seconds in best.items():
            yield row(f"{name}, {kind}", seconds, best["kubestencil"])
    built, rendered = scratch / "build/hugo-md", scratch / "out/1.36/website"
    pages = sorted(
        path.relative_to(rendered).as_posix() for path in rendered.rglob("*.md")
    )
    _, different, missing = filecmp.cmpfiles(built, rendered, pages, shallow=False)
    yield f"{len(pages)} pages, not the same: {[*different, *missing]}"


def execute(command: list[str], folder: Path) -> None:
    subprocess.run(
        command,
        check=True,
        cwd=folder,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


if __name__ == "__main__":
    main()
