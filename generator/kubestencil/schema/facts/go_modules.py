"""The Go modules of Kubernetes by release: ``specs/go-modules.tsv``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kubestencil.schema.facts.tables import ReleaseRange, rows


class GoModule(NamedTuple):
    """A module that is published from k8s.io/kubernetes, with the release's version;
    ``go`` is the version of Go that the release needs, the only one with a ``version``.
    """

    releases: ReleaseRange
    name: str
    version: str


def go_module_rows() -> Iterator[GoModule]:
    """The rows of the table, sorted by name and release."""
    return rows("go-modules", GoModule)
