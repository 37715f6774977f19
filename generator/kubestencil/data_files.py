"""Paths of the data files that ship with kubestencil."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent
_INSTALLED = _PACKAGE / "_data"


def data_file(name: str) -> Path:
    """The path of ``templates`` or ``specs/releases.toml``.

    In a checkout they lie at the top of the repository; in an installed wheel they
    lie inside the package (``force-include`` in pyproject.toml).
    """
    installed = _INSTALLED / name
    return installed if installed.exists() else _PACKAGE.parents[1] / name
