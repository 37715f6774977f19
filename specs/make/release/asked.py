"""The tables that are made by asking the API server's own code, and the program of a
release that answers."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from kubestencil.errors import KubestencilError
from kubestencil.source.releases import full_version
from kubestencil.validator.binaries import find_binary
from specs.make.checkouts import unpublished_modules

#: What makes tables by asking: a module, and options of which each is given the folder of
#: sources. It gets RELEASE=PROGRAM, too.
COMMANDS: Mapping[tuple[str, ...], Sequence[str]] = {
    ("defaults", "enums", "limits", "immutable-fields"): (
        "specs.make.values",
        "--sources",
    ),
    ("gated-fields",): ("specs.make.gated_fields", "--sources"),
    ("warnings",): ("specs.make.server_warnings", "--sources"),
    ("combinations",): ("specs.make.combinations", "--sources"),
}


def ask(command: Sequence[str], release: str, sources: Path) -> None:
    """Make the tables of one of ``COMMANDS`` for a release. Raises KubestencilError where
    it has no program, or the command fails."""
    program = find_binary(release)
    if program is None:
        raise KubestencilError("there is no program that could be asked")
    module, *options = command
    folders = [text for option in options for text in (option, str(sources))]
    _run(module, [f"{release}={program}", *folders])


def build(release: str) -> None:
    """Build the program of a release where there is none. Raises KubestencilError where
    that fails, as it does without all modules of the release."""
    if find_binary(release) is None:
        _run("kubestencil", ["validator", "build", full_version(release), "--quiet"])


def _run(module: str, arguments: Sequence[str]) -> None:
    command = [sys.executable, "-m", module, *arguments]
    run = subprocess.run(command, stderr=subprocess.PIPE, text=True)
    if run.returncode:
        lines = [line.strip() for line in run.stderr.splitlines() if line.strip()]
        refused = ", ".join(unpublished_modules(run.stderr))
        last = lines[-1] if lines else f"exit code {run.returncode}"
        raise KubestencilError(f"needs {refused}" if refused else last, where=module)
