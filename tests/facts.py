"""The facts of releases in ``specs/facts``, read without the package."""

from __future__ import annotations

from itertools import takewhile
from pathlib import Path

_FOLDER = Path(__file__).parent.parent / "specs/facts"


def rows_of(table: str, release: str) -> set[tuple[str, ...]]:
    """The rows of a table of a minor version: what its file, those before it and that of
    its newest patch add up to."""
    lines: set[str] = set()
    minors = (f"1.{minor}" for minor in range(int(release.partition(".")[2]) + 1))
    patches = (path.stem for path in _FOLDER.glob(f"{release}.*.tsv"))
    newest = sorted(
        (
            name
            for name in patches
            if name.rpartition(".")[2].isdigit() and "-" not in name
        ),
        key=lambda name: int(name.rpartition(".")[2]),
    )[-1:]
    for name in (*minors, *newest):
        path = _FOLDER / f"{name}.tsv"
        text = path.read_text("utf-8") if path.exists() else ""
        section = text.partition(f"\n[{table}]\n")[2].splitlines()
        for line in takewhile(lambda line: line[0] in "+-", section):
            (lines.add if line[0] == "+" else lines.remove)(line[2:])
    return {tuple(line.split("\t")) for line in lines}
