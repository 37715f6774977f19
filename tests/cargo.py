"""Runs cargo on generated crates."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from kubestencil.engine import load_targets
from kubestencil.schema import Release
from kubestencil.targets import generate_files


class Cargo:
    """cargo, with one build folder for all crates, so that it builds dependencies once.

    Skips the test where the registry of crates cannot be reached.
    """

    def __init__(self, build: Path) -> None:
        self.build = build

    def __call__(self, folder: Path, *arguments: str, timeout: int = 600) -> str:
        """Run cargo in ``folder``; the output, which must be that of a success.
        ``timeout`` is in seconds."""
        environment = {
            **os.environ,
            "CARGO_TARGET_DIR": str(self.build),
            "CARGO_TERM_COLOR": "never",
        }
        completed = subprocess.run(
            ["cargo", *arguments],
            cwd=folder,
            env=environment,
            text=True,
            capture_output=True,
            timeout=timeout,
        )
        output = completed.stdout + completed.stderr
        if "failed to get" in output or "Could not resolve host" in output:
            pytest.skip("the registry of crates cannot be reached")
        assert completed.returncode == 0, output[-5000:]
        return output


def write_crate(release: Release, folder: Path, **options: str) -> Path:
    """Write the crate of a release to ``folder``."""
    target = load_targets(None)["rust"].with_options(options)
    for file in generate_files(release, target):
        write_if_changed(folder / file.path, file.data.decode())
    return folder


def write_if_changed(path: Path, text: str) -> None:
    """Write a file, unless it has that text: cargo rebuilds what is newer."""
    if not path.is_file() or path.read_text("utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
