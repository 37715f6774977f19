"""What programs find of what an API server refuses, and what it costs.

    python -m benchmarks.validator FOLDER VERDICTS [--release 1.35]
        [--kubeconform PATH] [--kubectl-validate PATH] [--kube-linter PATH] [--pluto PATH]
        [--kubectl PATH --kubeconfig FILE]

FOLDER has manifests, VERDICTS is a file of lines of JSON with what a real server said
about each object in them: ``file``, ``status`` (201 accepted, 400 and 422 refused, 0 not
served) and ``message``. A file counts as refused where an object in it is, as accepted
where all are; what depends on the cluster that was asked, files with kinds that it does
not serve, and patches of kustomize, which are no objects, are left out. kubestencil uses the validator of the release
(``kubestencil validator build``). ``--kubectl`` applies the folder as a dry run of the
server in ``--kubeconfig``.
"""

from __future__ import annotations

import argparse
import json
import lzma
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from benchmarks.check import write_schemas
from benchmarks.measuring import child_times, environment

_OF_THE_CLUSTER = (
    "failed to allocate",
    "provided IP is",
    "provided port is already",
    " not found",
    "already exists",
)


class Program(NamedTuple):
    """A command, and how the names of files that it has errors for are read of its
    output."""

    command: Sequence[str]
    errors: Callable[[str], set[str]]


def main() -> None:
    options = _options()
    refused, accepted = _expected(options.verdicts)
    patches = _patches(options.folder)
    refused, accepted = refused - patches, accepted - patches
    print(f"{len(refused)} files are refused, {len(accepted)} accepted")
    with tempfile.TemporaryDirectory() as temporary:
        for name, program in _programs(options, Path(temporary)).items():
            output = Path(temporary, "output")
            times = child_times(partial(run, program, output))
            found = {
                (
                    str(Path(file).relative_to(options.folder))
                    if Path(file).is_absolute()
                    else file
                )
                for file in program.errors(output.read_text(errors="replace"))
            }
            print(
                f"{name:18} {len(found & refused):4} found, "
                f"{len(found & accepted):4} false, {times.processor:7.2f} s CPU, "
                f"{times.elapsed:7.2f} s elapsed, {_memory(program, output):6.0f} MB"
            )


def run(program: Program, output: Path) -> None:
    """Run a program, and write what it says to a file."""
    with output.open("w") as file:
        subprocess.run(
            program.command, stdout=file, stderr=subprocess.STDOUT, env=environment()
        )


def _memory(program: Program, output: Path) -> float:
    """The largest process of a program in MB; it runs once more."""
    code = (
        "import resource, subprocess, sys; "
        "subprocess.run(sys.argv[2:], stdout=open(sys.argv[1], 'w'), stderr=-2); "
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)"
    )
    measured = subprocess.run(
        [sys.executable, "-c", code, output, *program.command],
        stdout=subprocess.PIPE,
        env=environment(),
    )
    return float(measured.stdout)


def _expected(verdicts: Path) -> tuple[set[str], set[str]]:
    """The files that the server refuses, and those that it accepts."""
    statuses: dict[str, set[int]] = {}
    opened = lzma.open if verdicts.suffix == ".xz" else open
    with opened(verdicts, "rt") as lines:
        for row in map(json.loads, lines):
            of_cluster = any(text in row.get("message", "") for text in _OF_THE_CLUSTER)
            statuses.setdefault(row["file"], set()).add(
                0 if of_cluster else row["status"]
            )
    return (
        {file for file, found in statuses.items() if found & {400, 422}},
        {file for file, found in statuses.items() if found == {201}},
    )


def _patches(folder: Path) -> set[str]:
    from kubestencil.checking.files.find import find_files
    from kubestencil.checking.files.kustomize import read_kustomizations

    listed = read_kustomizations(find_files([str(folder)])).patches
    return {str(Path(path).relative_to(folder)) for path in listed}


def _programs(options: argparse.Namespace, folder: Path) -> Mapping[str, Program]:
    release, manifests = options.release, str(options.folder)
    kubestencil = [sys.executable, "-m", "kubestencil", "check", manifests, "-q"]
    programs = {
        "kubestencil": Program(
            [*kubestencil, "--to", release, "--exact", "require", "-f", "json"],
            _findings,
        ),
        "kubestencil, schema": Program(
            [*kubestencil, "--to", release, "--exact", "off", "-f", "json"], _findings
        ),
    }
    if options.kubeconform:
        schemas = folder / "schemas"
        schemas.mkdir()
        write_schemas(release, schemas)
        location = f"{schemas}/{{{{ .ResourceKind }}}}{{{{ .KindSuffix }}}}.json"
        programs["kubeconform"] = Program(
            [
                *(options.kubeconform, "-strict", "-output", "json"),
                *("-ignore-missing-schemas", "-schema-location", location, manifests),
            ],
            _kubeconform,
        )
    if options.kubectl_validate:
        programs["kubectl-validate"] = Program(
            # Of the newest release whose schemas it has.
            [options.kubectl_validate, "-o", "json", manifests],
            _kubectl_validate,
        )
    if options.kube_linter:
        programs["kube-linter"] = Program(
            [options.kube_linter, "lint", "--format", "json", manifests], _kube_linter
        )
    if options.pluto:
        programs["pluto"] = Program(
            [
                *(options.pluto, "detect-files", "-d", manifests, "-o", "json"),
                *("--target-versions", f"k8s=v{release}.0"),
            ],
            lambda text: {item["filePath"] for item in json.loads(text)["items"]},
        )
    if options.kubectl:
        programs["kubectl"] = Program(
            [
                *(options.kubectl, "--kubeconfig", str(options.kubeconfig), "apply"),
                *("--dry-run=server", "--validate=strict", "-R", "-f", manifests),
            ],
            lambda text: set(re.findall(r'(?m)error.*"(/[^"]+\.\w+)"', text, re.I)),
        )
    return programs


def _findings(text: str) -> set[str]:
    return {
        finding["file"]
        for finding in json.loads(text)["findings"]
        if finding["severity"] == "error"
    }


def _kubeconform(text: str) -> set[str]:
    return {
        resource["filename"]
        for resource in json.loads(text)["resources"]
        if resource["status"] in ("statusInvalid", "statusError")
    }


def _kubectl_validate(text: str) -> set[str]:
    results = json.loads(text[text.index("{\n") : text.rindex("}") + 1])
    return {
        file
        for file, statuses in results.items()
        # An internal error says that it has no schema.
        if any(
            status.get("status") == "Failure"
            and status.get("reason") != "InternalError"
            for status in statuses
        )
    }


def _kube_linter(text: str) -> set[str]:
    reports = json.loads(text[text.index("{") : text.rindex("}") + 1])["Reports"] or ()
    return {report["Object"]["Metadata"]["FilePath"] for report in reports}


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=lambda text: Path(text).resolve())
    parser.add_argument("verdicts", type=Path)
    parser.add_argument("--release", default="1.35")
    for name in ("kubeconform", "kubectl-validate", "kube-linter", "pluto", "kubectl"):
        parser.add_argument(f"--{name}", type=shutil.which)
    parser.add_argument("--kubeconfig", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    main()
