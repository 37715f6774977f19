"""The validators that were built on this machine."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kubestencil.validator.binaries import find_binary

#: The releases whose code the tables of values are proven by.
PROVEN_RELEASES = ("1.25", "1.29", "1.33", "1.35", "1.36", "1.37")


def built_validator(release: str) -> Path:
    """The program of a release in the folder KUBESTENCIL_BUILT_VALIDATORS.

    A test is skipped where there is none.
    """
    folder = os.environ.get("KUBESTENCIL_BUILT_VALIDATORS")
    if not folder:
        pytest.skip("KUBESTENCIL_BUILT_VALIDATORS names no folder of validators")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KUBESTENCIL_VALIDATORS", folder)
        path = find_binary(release)
    if path is None:
        pytest.skip(f"{folder} has no current validator of {release}")
    return path
