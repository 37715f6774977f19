"""Printed packages for the tests: into a folder, and into this process."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

from kubestencil.engine import load_targets
from kubestencil.schema import Release
from kubestencil.targets import print_files


def print_package(release: Release, folder: Path, package: str) -> Path:
    """Print the Python package of a release under the name ``package``."""
    target = load_targets(None)["python"].with_options({"package": package})
    for file in print_files(release, target):
        path = folder / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.data)
    return folder


def imported(folder: Path, package: str) -> ModuleType:
    """Import a printed package into this process."""
    sys.path.insert(0, str(folder))
    try:
        return importlib.import_module(package)
    finally:
        sys.path.remove(str(folder))
