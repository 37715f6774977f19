"""The program of a release that tables are made with."""

from __future__ import annotations

import subprocess
import sys

from kubestencil.errors import KubestencilError
from kubestencil.source.releases import full_version
from kubestencil.validator.binaries import find_binary
from specs.make.checkouts import unpublished_modules


def build(release: str) -> None:
    """Build the program of a release where there is none. Raises KubestencilError where
    that fails, as it does without all modules of the release."""
    if find_binary(release) is not None:
        return
    command = [sys.executable, "-m", "kubestencil", "validator", "build", "--quiet"]
    run = subprocess.run(
        [*command, full_version(release)], stderr=subprocess.PIPE, text=True
    )
    if run.returncode:
        lines = [line.strip() for line in run.stderr.splitlines() if line.strip()]
        refused = ", ".join(unpublished_modules(run.stderr))
        last = lines[-1] if lines else f"exit code {run.returncode}"
        raise KubestencilError(
            f"needs {refused}" if refused else last, where="kubestencil validator build"
        )
