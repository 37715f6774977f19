"""The tables in ``specs/`` that are not about a release: how their rows are made again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kubestencil import atomic
from kubestencil.data_files import data_file
from specs.make.corrections import line_of


def write_rows(name: str, rows: Iterable[Sequence[str]]) -> None:
    """Write the rows of ``specs/<name>.tsv``, cells, below its comments."""
    path = data_file(f"specs/{name}.tsv")
    lines = path.read_text("utf-8").splitlines()
    comments = [line for line in lines if line.startswith("#")]
    atomic.write(path, "\n".join([*comments, *map(line_of, rows), ""]).encode())
