"""Makes the list of enums in upstream's reference pages, which a test compares with the
table ``enums``: ``python -m tests.upstream_enums CHECKOUT`` of kubernetes-sigs/reference-docs,
whose documents have enums since 1.34."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from kubestencil.schema.knowledge.snapshots import ranged
from specs.make.facts import changes_of
from specs.make.values.rows import cell_of_values

HEADER = """\
# The enums that upstream lists for its reference pages, by release, tab-separated:
# releases, definition, field, values. Made by `python -m tests.upstream_enums`.
"""
PATH = Path("tests/upstream_enums.tsv")


def main(checkout: Path) -> None:
    """Write the list of all releases of a checkout whose documents have enums."""
    lines = {}
    folders = sorted(
        (checkout / "gen-apidocs/config").glob("v1_*"),
        key=lambda folder: int(folder.name.partition("_")[2]),
    )
    for folder in folders:
        document = json.loads((folder / "swagger.json").read_bytes())
        found = {
            f"{definition}\t{field}\t{cell_of_values(values)}": None
            for definition, schema in document["definitions"].items()
            for field, part in schema.get("properties", {}).items()
            for values in [part.get("enum") or part.get("items", {}).get("enum")]
            if values
        }
        if found:
            lines[folder.name[1:].replace("_", ".")] = found
    rows = (f"{releases}\t{line}" for releases, line in ranged(changes_of(lines)))
    PATH.write_text(HEADER + "\n".join([*rows, ""]), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
