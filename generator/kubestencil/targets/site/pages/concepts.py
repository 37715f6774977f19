"""The pages of kubernetes.io that explain kinds: ``specs/concepts.tsv``."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from kubestencil.schema import GroupVersionKind
from kubestencil.schema.facts.tables import read_cells

_SITE = "https://kubernetes.io/docs/"


@cache
def _pages() -> Mapping[tuple[str, str], str]:
    return {(group, kind): page for group, kind, page in read_cells("concepts")}


def concept_page(kind: GroupVersionKind) -> str:
    """The address of the page about a kind, in any of its versions; empty for a kind
    without one."""
    page = _pages().get((kind.group, kind.kind))
    return f"{_SITE}{page}" if page else ""
