"""The time of the target jsonschema beside openapi2jsonschema, which it replaces.

    KUBESTENCIL_SPECS=… python -m benchmarks.jsonschema PYTHON [RELEASE] [FLAVOUR]

PYTHON is an interpreter that can import openapi2jsonschema (a checkout of
yannh/openapi2jsonschema on its path) and what that needs: ``pip install pyyaml jsonref
click``. FLAVOUR is standalone-strict, standalone or local. The tool runs twice for a
folder, as build.sh of kubernetes-json-schema does, which takes minutes; kubestencil runs
before and after it, with a cold process and an empty output folder. Both write the same
bytes, which is checked.
"""

from __future__ import annotations

import filecmp
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.measuring import Times, child_times, environment

OPTIONS = {
    "standalone-strict": ("--stand-alone", "--strict"),
    "standalone": ("--stand-alone",),
    "local": (),
}


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    python = sys.argv[1]
    release = sys.argv[2] if len(sys.argv) > 2 else "1.35"
    flavour = sys.argv[3] if len(sys.argv) > 3 else "standalone-strict"
    if "KUBESTENCIL_SPECS" not in os.environ:
        sys.exit("KUBESTENCIL_SPECS has to name the folder with the full documents")
    spec = Path(os.environ["KUBESTENCIL_SPECS"]).resolve() / f"{release}.json"
    name = f"v{release}.0-{flavour}"
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        first = child_times(lambda: kubestencil(folder / "first", release, flavour))
        tool = child_times(lambda: openapi2jsonschema(python, folder, name, spec))
        second = child_times(lambda: kubestencil(folder / "second", release, flavour))
        generated = folder / "second" / release / "jsonschema" / name
        differing = differences(folder / name, generated)
    report(release, flavour, tool, (first, second))
    if differing:
        sys.exit(f"{len(differing)} files differ: {', '.join(differing[:5])}")


def report(release: str, flavour: str, tool: Times, runs: tuple[Times, Times]) -> None:
    """Print the times, and how many times less the slower run takes."""
    print(f"{release}, {flavour}")
    for name, times in (
        ("openapi2jsonschema", tool),
        *(("kubestencil", r) for r in runs),
    ):
        print(
            f"{name:<20} {times.elapsed:8.2f} s elapsed, "
            f"{times.processor:8.2f} s processor"
        )
    slower = Times(*(max(column) for column in zip(*runs, strict=True)))
    print(
        f"1/{tool.elapsed / slower.elapsed:.0f} of the elapsed time, "
        f"1/{tool.processor / slower.processor:.0f} of the processor time"
    )


def openapi2jsonschema(python: str, folder: Path, name: str, spec: Path) -> None:
    flavour = name.partition("-")[2]
    for form in ("--expanded", ""):
        options = [option for option in (form, *OPTIONS[flavour]) if option]
        run(
            [python, "-m", "openapi2jsonschema.command", "-o", name, "--kubernetes",
             *options, str(spec)],
            folder,
        )  # fmt: skip


def kubestencil(out: Path, release: str, flavour: str) -> None:
    run(
        [sys.executable, "-m", "kubestencil", "render", release, "-t", "jsonschema",
         "-q", "-o", str(out), "--set", f"jsonschema.flavours={flavour}"],
        out.parent,
    )  # fmt: skip


def differences(published: Path, generated: Path) -> list[str]:
    """The names of the files that one folder has, or has with other bytes."""
    names = {
        path.name for folder in (published, generated) for path in folder.iterdir()
    }
    _, mismatch, errors = filecmp.cmpfiles(published, generated, names, shallow=False)
    return sorted([*mismatch, *errors])


def run(command: list[str], folder: Path) -> None:
    variables = dict(environment(with_specs=True))
    subprocess.run(
        command, check=True, cwd=folder, env=variables, stdout=subprocess.DEVNULL
    )


if __name__ == "__main__":
    main()
