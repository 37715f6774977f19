"""Where the files that travel with the code are: templates and the release list."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent
_INSTALLED = _PACKAGE / "_resources"


def resource(name: str) -> Path:
    """The path of ``templates`` or ``specs/releases.toml``.

    In a checkout they lie beside the package, in an installed wheel inside it
    (``force-include`` in pyproject.toml).
    """
    installed = _INSTALLED / name
    return installed if installed.exists() else _PACKAGE.parent / name
