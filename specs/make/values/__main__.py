"""The command ``python -m specs.make.values``."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from kubestencil.errors import KubestencilError
from kubestencil.schema import parse
from kubestencil.source import locate
from kubestencil.source.releases import listed_releases, release_order
from kubestencil.validator.process import Validator
from specs.make.checkouts import Checkout
from specs.make.tables import write_table
from specs.make.values import headers
from specs.make.values.harvest import (
    Facts,
    accepted_objects,
    facts_of_release,
    given_objects,
)
from specs.make.values.markers import marked_enums
from specs.make.values.rows import joined

_HEADERS = {
    "enums": headers.ENUMS,
    "defaults": headers.DEFAULTS,
    "limits": headers.LIMITS,
}


def main(arguments: Sequence[str]) -> None:
    """Ask programs, and make the tables of what they and those before answered."""
    parser = argparse.ArgumentParser(
        prog="python -m specs.make.values", description=__doc__
    )
    parser.add_argument(
        "programs",
        nargs="*",
        metavar="RELEASE=PATH",
        help="what `kubestencil validator path RELEASE` prints",
    )
    parser.add_argument(
        "--answers",
        type=Path,
        required=True,
        metavar="DIR",
        help="where the facts of each release are kept: the tables have those of all",
    )
    parser.add_argument(
        "--objects",
        type=Path,
        action="append",
        default=[],
        metavar="DIR",
        help="manifests to begin with, besides examples",
    )
    parser.add_argument(
        "--sources", type=Path, required=True, metavar="DIR", help="`go env GOMODCACHE`"
    )
    options = parser.parse_args(arguments)
    options.answers.mkdir(parents=True, exist_ok=True)
    try:
        for text in options.programs:
            release, _, path = text.partition("=")
            facts = _ask(release, Path(path), options.objects, options.sources)
            _save(options.answers / f"{release}.json", facts)
    except KubestencilError as error:
        sys.exit(str(error))
    found = _with_gaps(
        {path.stem: _read(path) for path in options.answers.glob("*.json")}
    )
    for table, header in _HEADERS.items():
        rows = joined({release: facts[table] for release, facts in found.items()})
        if table == "enums":
            rows = ((*row[:4], *row[5:]) for row in rows)
        write_table(table, header, rows)


def _with_gaps(answers: Mapping[str, Facts]) -> dict[str, Facts]:
    """The facts of all releases from the first that was asked to the last: a release
    that was not asked has those of the one before, of the fields that its document has.

    So rows begin at releases that were asked only, which ``proven_facts`` relies on.
    """
    found: dict[str, Facts] = {}
    facts: Facts = {}
    last = max(answers, key=release_order)
    for name in sorted(listed_releases(), key=release_order):
        if name in answers:
            facts = answers[name]
        elif release_order(name) > release_order(last):
            break
        elif facts:
            definitions = parse(locate(name, None)).definitions
            fields = {
                (definition.name, field.name)
                for definition in definitions.values()
                for field in definition.fields
            }
            facts = {
                table: {key: value for key, value in rows.items() if key[:2] in fields}
                for table, rows in facts.items()
            }
        if facts:
            found[name] = facts
    return found


def _ask(name: str, program: Path, folders: Sequence[Path], sources: Path) -> Facts:
    release = parse(locate(name, None))
    with Validator(program) as validator:
        objects = accepted_objects(release, validator, folders, _report)
        marked = list(marked_enums(Checkout(sources, name)))
        others = given_objects(folders)
        return facts_of_release(release, validator, objects, others, marked, _report)


def _report(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _save(path: Path, facts: Facts) -> None:
    rows = {
        table: [[*key, *value] for key, value in found.items()]
        for table, found in facts.items()
    }
    path.write_text(json.dumps(rows), "utf-8")


def _read(path: Path) -> Facts:
    rows = json.loads(path.read_text("utf-8"))
    return {
        table: {tuple(cells[:4]): tuple(cells[4:]) for cells in found}
        for table, found in rows.items()
    }


main(sys.argv[1:])
