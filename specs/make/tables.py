"""The tables in ``specs/``: how they are written."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

from kubestencil import atomic
from kubestencil.data_files import data_file
from specs.make.corrections import line_of


def write_table(name: str, header: str, rows: Iterable[Sequence[str]]) -> None:
    """Write ``specs/<name>.tsv``: the header as comments, and rows of cells."""
    comments = [f"# {line}".rstrip() for line in header.strip().splitlines()]
    lines = [line_of(row) for row in rows]
    data = "\n".join([*comments, *lines, ""]).encode()
    atomic.write(data_file(f"specs/{name}.tsv"), data)


def report(line: str) -> None:
    """Say what a command is doing."""
    print(line, file=sys.stderr, flush=True)
