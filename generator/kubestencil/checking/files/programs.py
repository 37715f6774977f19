"""Runs the user's own programs: kubectl, and what renders manifests."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence

from kubestencil.checking.files.find import ManifestFile
from kubestencil.errors import SourceError
from kubestencil.source.limits import max_bytes, too_large


def output_of(command: Sequence[str]) -> bytes:
    """What a program prints.

    Raises SourceError where it cannot be run, fails, or prints more than a document may
    have.
    """
    name = command[0]
    with tempfile.TemporaryFile() as errors:
        try:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors
            )
        except OSError as error:
            raise SourceError("cannot be run", where=name, hint="install it") from error
        with process:
            assert process.stdout is not None
            data = process.stdout.read(max_bytes() + 1)
            if len(data) > max_bytes():
                process.kill()
                raise too_large(f"the output of {name}", "more")
        if process.returncode:
            errors.seek(0)
            lines = errors.read(100_000).decode("utf-8", "replace").strip().splitlines()
            raise SourceError(lines[-1] if lines else "failed", where=name)
    return data


def rendered_files(
    charts: Sequence[str], kustomizations: Sequence[str], release: str | None
) -> Iterator[ManifestFile]:
    """What helm and kustomize render of charts and of folders with a kustomization.

    Charts see ``release``, 1.36, as the version of the cluster. Raises as ``output_of``.
    """
    version = [f"--kube-version={release}"] if release else []
    helm = ["helm", "template", "--include-crds", *version, "--"]
    is_alone = shutil.which("kustomize") is not None
    kustomize = ["kustomize", "build"] if is_alone else ["kubectl", "kustomize"]
    commands = {f"<helm {chart}>": [*helm, chart] for chart in charts}
    commands |= {
        f"<kustomize {folder}>": [*kustomize, "--", folder] for folder in kustomizations
    }
    for name, command in commands.items():
        shown = os.fsencode(name).decode("utf-8", "backslashreplace")
        yield ManifestFile(shown, content=output_of(command))
