"""The command ``python -m specs.make.values``."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from kubestencil.errors import KubestencilError
from kubestencil.validator.process import Validator
from specs.make.checkouts import Checkout
from specs.make.documents import known_release
from specs.make.facts import write_facts
from specs.make.tables import report
from specs.make.values.declared import declared
from specs.make.values.harvest import Harvest, harvest
from specs.make.values.pool import (
    PROOFS,
    given_objects,
    grown_objects,
    seed_objects,
    stored_objects,
)
from specs.make.values.rows import Known
from specs.make.values.seeds import Samples
from specs.make.values.workers import WORKERS


def main(arguments: Sequence[str]) -> None:
    """Ask the programs of releases, one after the other, and write their facts."""
    parser = argparse.ArgumentParser(
        prog="python -m specs.make.values", description=__doc__
    )
    parser.add_argument(
        "programs",
        nargs="+",
        metavar="RELEASE=PATH",
        help="what `kubestencil validator path RELEASE` prints",
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
    try:
        found = {}
        for text in options.programs:
            name, _, program = text.partition("=")
            checkout = Checkout(options.sources, name)
            found[name] = ask(checkout, Path(program), options.objects)
            add_proofs(found[name])
        write(found)
    except KubestencilError as error:
        sys.exit(str(error))


def ask(checkout: Checkout, program: Path, folders: Sequence[Path]) -> Harvest:
    """The facts of a release: by asking its program about objects that it accepts, and
    those of manifests in folders, which may disprove some."""
    release, stated = known_release(checkout), declared(checkout)
    with ExitStack() as stack:
        validators = [stack.enter_context(Validator(program)) for _ in range(WORKERS)]
        samples = Samples()
        samples.done |= Known.of(release.name).fields - stated.limits.keys()
        grown = grown_objects(release, validators, seed_objects(), samples)
        objects = stored_objects(release, validators[0], grown)
        given = stored_objects(release, validators[0], given_objects(folders))
        report(f"{release.name}: {sum(map(len, objects.values()))} objects")
        return harvest(release, validators, objects, given, stated)


def write(found: dict[str, Harvest]) -> None:
    """Write the facts of releases into their files."""
    for name in ("enums", "limits", "defaults"):
        facts = {
            release: [(*key, *value) for key, value in getattr(harvested, name).items()]
            for release, harvested in found.items()
        }
        if name == "enums":
            facts = {
                release: [(*row[:3], *row[4:]) for row in rows]
                for release, rows in facts.items()
            }
        write_facts(name, facts)
    immutable = {
        release: [
            (kind.api_version, kind.kind, path, how)
            for (kind, path), how in harvested.immutable.items()
        ]
        for release, harvested in found.items()
    }
    write_facts("immutable-fields", immutable)


def add_proofs(found: Harvest) -> None:
    """Save the objects that prove facts, for the tests and for other releases."""
    objects = (json.dumps(value, sort_keys=True) for value in found.proofs)
    lines = {*PROOFS.read_text("utf-8").splitlines(), *objects}
    PROOFS.write_text("\n".join([*sorted(lines), ""]), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
