"""Reads the tables of facts in ``specs/``: what no embedded document says."""

from __future__ import annotations

from collections.abc import Iterator

from kubestencil.data_files import data_file
from kubestencil.schema.types import GroupVersionKind


def rows(table: str) -> Iterator[list[str]]:
    """The cells of each row of ``specs/<table>.tsv``.

    Lines that begin with "#" are comments. A missing fact is an empty cell.
    """
    for line in data_file(f"specs/{table}.tsv").read_text("utf-8").splitlines():
        if not line.startswith("#"):
            yield line.split("\t")


def group_version_kind(api_version: str, kind: str) -> GroupVersionKind:
    """The kind of an ``apiVersion``: ``v1``, ``apps/v1``."""
    group, _, version = api_version.rpartition("/")
    return GroupVersionKind(group, version, kind)
