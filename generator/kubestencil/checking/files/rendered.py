"""What the user's helm and kustomize render."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence

from kubestencil.checking.files.find import ManifestFile
from kubestencil.programs import output_of
from kubestencil.source.limits import max_bytes


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
        yield ManifestFile(shown, content=output_of(command, max_bytes(), where=shown))
