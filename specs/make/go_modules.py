"""The table ``go-modules``: what a Go module that imports k8s.io/kubernetes needs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from specs.make.checkouts import Checkout

_GO = re.compile(r"^go (\S+)$", re.M)
# Modules of staging/ have this version, and are replaced by a folder.
_STAGING = re.compile(r"^\s*(k8s\.io/\S+) v0\.0\.0$", re.M)


def make_rows(checkout: Checkout) -> Iterator[tuple[str, ...]]:
    """The rows of the table for a release."""
    source = (checkout.module("kubernetes") / "go.mod").read_text("utf-8")
    yield from (("go", version) for version in _GO.findall(source))
    yield from ((module, "") for module in _STAGING.findall(source))
