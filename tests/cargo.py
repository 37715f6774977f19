"""Printed crates under cargo."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from kubestencil.engine import load_targets
from kubestencil.schema import Release
from kubestencil.targets import print_files


class Cargo:
    """cargo, with one folder for what it builds, so that it builds it once."""

    def __init__(self, build: Path) -> None:
        self.build = build

    def __call__(self, folder: Path, *arguments: str, **more: str) -> str:
        environment = {
            **os.environ,
            "CARGO_TARGET_DIR": str(self.build),
            "CARGO_TERM_COLOR": "never",
            **more,
        }
        done = subprocess.run(
            ["cargo", *arguments],
            cwd=folder,
            env=environment,
            text=True,
            capture_output=True,
            timeout=600,
        )
        output = done.stdout + done.stderr
        if "failed to get" in output or "Could not resolve host" in output:
            pytest.skip("the registry of crates cannot be reached")
        assert done.returncode == 0, output[-5000:]
        return output


def write(printed: Release, folder: Path, **options: str) -> Path:
    """Print the crate of a release into ``folder``."""
    target = load_targets(None)["rust"].with_options(options)
    for file in print_files(printed, target):
        write_changed(folder / file.path, file.data.decode())
    return folder


def write_changed(path: Path, text: str) -> None:
    """Write a file, unless it says so already: cargo builds what is newer."""
    if not path.is_file() or path.read_text("utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
