"""The command ``python -m specs.make.values``."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from kubestencil.errors import KubestencilError
from kubestencil.schema import parse
from kubestencil.schema.knowledge.tables import ranged_cells
from kubestencil.schema.types import Release
from kubestencil.source import Source, available, locate
from kubestencil.source.releases import listed_releases, release_order
from kubestencil.validator.process import Validator
from specs.make.checkouts import Checkout
from specs.make.facts import write_facts
from specs.make.tables import report
from specs.make.values.harvest import Asked, Findings, Proven
from specs.make.values.markers import marked_enums
from specs.make.values.pool import (
    PROOFS,
    accepted_objects,
    given_objects,
    grown_objects,
    seed_objects,
    with_others,
)
from specs.make.values.rows import Found, Key, cells, joined
from specs.make.values.seeds import Samples
from specs.make.values.workers import WORKERS


def main(arguments: Sequence[str]) -> None:
    """Ask the programs of releases, and make the tables of what they answered."""
    parser = argparse.ArgumentParser(
        prog="python -m specs.make.values", description=__doc__
    )
    parser.add_argument(
        "programs",
        nargs="+",
        metavar="RELEASE=PATH",
        help="what `kubestencil validator path RELEASE` prints; the first release is "
        "asked most",
    )
    parser.add_argument(
        "--objects",
        type=Path,
        action="append",
        default=[],
        metavar="DIR",
        help="more manifests, which may disprove what the others say",
    )
    parser.add_argument(
        "--sources", type=Path, required=True, metavar="DIR", help="`go env GOMODCACHE`"
    )
    options = parser.parse_args(arguments)
    programs = dict(text.split("=", 1) for text in options.programs)
    try:
        _make_tables(programs, options)
    except KubestencilError as error:
        sys.exit(str(error))


def _make_tables(programs: Mapping[str, str], options: argparse.Namespace) -> None:
    samples = Samples()
    releases = {name: _release(name, options.sources) for name in programs}
    seeds = seed_objects()
    pools = {}
    for name, program in programs.items():
        with _validators(program) as validators:
            pools[name] = grown_objects(releases[name], validators, seeds, samples)
    given = given_objects(options.objects)

    def ask(name: str, connection: Connection) -> None:
        """What a process does for a release, in steps with those of other releases."""
        release = releases[name]
        others = [pool for other, pool in pools.items() if other != name]
        with _validators(programs[name]) as validators:
            objects = with_others(release, validators[0], [pools[name], *others])
            disproving = accepted_objects(release, validators[0], given)
            marked = list(marked_enums(Checkout(options.sources, name)))
            report(f"{name}: {sum(map(len, objects.values()))} objects")
            other = connection.recv()
            asked = Asked(release, validators, objects, disproving, marked, other)
            connection.send(asked.findings)
            report(f"{name}: {len(asked.limits)} limits")
            connection.send([*asked.proven(connection.recv())])
            report(f"{name}: proven")

    connections = {name: _started(ask, name) for name in programs}
    names = sorted(programs, key=release_order)
    findings: dict[str, Findings] = {}
    for name, connection in connections.items():
        connection.send(None if not findings else findings[next(iter(programs))].known)
        if not findings:
            findings[name] = connection.recv()
    for name in list(programs)[1:]:
        findings[name] = connections[name].recv()
    for name in names:
        # What is true of releases next to it comes first.
        near = sorted(names, key=lambda o: abs(names.index(o) - names.index(name)))
        others = [findings[other].limits for other in near]
        connections[name].send([_table("limits", name), *others, _table("enums", name)])
    oldest = release_order(next(iter(listed_releases())))
    # Of older releases, types that no supported one has are of no use.
    types = {
        definition
        for name in names
        if release_order(name) >= oldest
        for definition in releases[name].definitions
    }
    proven = {
        name: [fact for fact in connections[name].recv() if fact.key[0] in types]
        for name in names
    }
    for name in names:
        defaults = findings[name].defaults
        of_types = {key: v for key, v in defaults.items() if key[0] in types}
        findings[name] = findings[name]._replace(defaults=of_types)
    _write_tables({name: findings[name] for name in names}, proven)


@contextmanager
def _validators(program: str) -> Iterator[Sequence[Validator]]:
    with ExitStack() as stack:
        yield [stack.enter_context(Validator(Path(program))) for _ in range(WORKERS)]


def _started(ask: Callable[[str, Connection], None], name: str) -> Connection:
    """A process that asks the programs of a release, and the connection to it."""
    context = get_context("fork")
    connection, other = context.Pipe()
    context.Process(target=ask, args=(name, other), daemon=True).start()
    other.close()
    return connection


def _release(name: str, sources: Path) -> Release:
    """A release that is supported, or that is about to be: modules have its document."""
    if name in available(None):
        return parse(locate(name, None))
    path = (
        Checkout(sources, name).module("kubernetes") / "api/openapi-spec/swagger.json"
    )
    return parse(Source(name, str(path), path.read_bytes()))


def _write_tables(
    findings: Mapping[str, Findings], proven: Mapping[str, Sequence[Proven]]
) -> None:
    _write_proofs(proven)
    limits = {
        name: {fact.key: fact.found for fact in facts} for name, facts in proven.items()
    }
    defaults = {}
    for name, found in findings.items():
        present = _table("defaults", name)
        unseen = {key: v for key, v in present.items() if key[:2] not in found.shown}
        reviewed = {key: v for key, v in present.items() if v[1] == "reviewed"}
        defaults[name] = {**unseen, **found.defaults, **reviewed}
    write_tables(limits, defaults)


def write_tables(
    limits: Mapping[str, Mapping[Key, Found]],
    defaults: Mapping[str, Mapping[Key, Found]],
) -> None:
    """Write the tables of the facts of releases, the oldest first."""
    of_table: dict[str, dict[str, dict[Key, Found]]] = {"enums": {}, "limits": {}}
    for name, found in limits.items():
        for key, value in found.items():
            table = "enums" if key[3] == "enum" else "limits"
            of_table[table].setdefault(name, {})[key] = value
    of_table["defaults"] = {name: dict(found) for name, found in defaults.items()}
    for table, of_releases in of_table.items():
        rows = {
            name: list(cells(facts))
            for name, facts in joined(of_releases, partial(_table, table)).items()
        }
        if table == "enums":
            rows = {
                name: [(*row[:3], *row[4:]) for row in of_release]
                for name, of_release in rows.items()
            }
        write_facts(table, rows)


def _table(table: str, release: str) -> dict[Any, Any]:
    """What the present table says of a release: facts with a value and how it was found."""
    found: dict[Any, Any] = {}
    for releases, row in ranged_cells(table, 4):
        if releases.includes(release):
            key = row[:3] if table == "enums" else row[:-2]
            found[(*key, *(["enum"] if table == "enums" else []))] = tuple(row[-2:])
    return found


def _write_proofs(proven: Mapping[str, Sequence[Proven]]) -> None:
    """Save the objects that prove facts, for the tests and the next run."""
    objects = {
        json.dumps(fact.object, sort_keys=True)
        for facts in proven.values()
        for fact in facts
        if fact.object is not None
    }
    PROOFS.write_text("\n".join([*sorted(objects), ""]), "utf-8")


main(sys.argv[1:])
