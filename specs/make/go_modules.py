"""The table ``go-modules.tsv``: what a Go module that imports k8s.io/kubernetes needs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kubestencil.schema.knowledge.components import go_module_rows
from specs.make.checkouts import Checkout
from specs.make.ranges import Ranges

HEADER = """
What a Go module that imports k8s.io/kubernetes needs, by release, tab-separated:

  releases  FIRST..LAST, or FIRST.. until the newest release of the table
  name      `go`, or a module that is published from k8s.io/kubernetes itself: with the
            version of the release, 0.35.2 for 1.35.2
  version   of Go; - for a module

Made by `python -m specs.make go-modules` (specs/README.md) from go.mod of
k8s.io/kubernetes.
"""

_GO = re.compile(r"^go (\S+)$", re.M)
# Modules of staging/ have this version, and are replaced by a folder.
_STAGING = re.compile(r"^\s*(k8s\.io/\S+) v0\.0\.0$", re.M)


def make_rows(checkouts: Sequence[Checkout], *, append: bool) -> list[tuple[str, ...]]:
    """The rows of the table for these releases, oldest first.

    With ``append`` they continue the table that there is.
    """
    ranges: Ranges[str, str] = Ranges()
    if append:
        for row in go_module_rows():
            ranges.add(row.releases, row.name, row.version)
    for checkout in checkouts:
        ranges.advance(checkout.release, dict(_facts(checkout)))
    return [
        (str(releases), name, version)
        for name, releases, version in ranges.rows(lambda name: name)
    ]


def _facts(checkout: Checkout) -> Iterator[tuple[str, str]]:
    source = (checkout.module("kubernetes") / "go.mod").read_text("utf-8")
    yield from (("go", version) for version in _GO.findall(source))
    yield from ((module, "") for module in _STAGING.findall(source))
