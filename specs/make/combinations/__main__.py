"""The command ``python -m specs.make.combinations``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from kubestencil.errors import KubestencilError
from kubestencil.schema import parse
from kubestencil.schema.knowledge.conditions import Combination, combination_rows
from kubestencil.schema.types import Release
from kubestencil.source import locate
from kubestencil.source.releases import ReleaseRange
from kubestencil.validator.process import Validator
from specs.make.checkouts import Checkout
from specs.make.combinations.parts import Corpus
from specs.make.combinations.proofs import add_proofs, proof_objects
from specs.make.combinations.rules import cells, rules_of
from specs.make.combinations.tags import declared_rules
from specs.make.documents import known_release
from specs.make.facts import write_facts
from specs.make.values.pool import accepted_objects, given_objects

#: Rules that hold, though no object that can be created proves them: their definition,
#: condition, rule and fields.
REVIEWED = {
    # Pods get ephemeral containers later (k8s.io/kubernetes/pkg/apis/core/validation,
    # allowedEphemeralContainerFields).
    (
        "io.k8s.api.core.v1.EphemeralContainer",
        "",
        "forbids",
        "lifecycle livenessProbe ports readinessProbe resizePolicy resources "
        "restartPolicy restartPolicyRules startupProbe",
    ),
}


def main(arguments: Sequence[str]) -> None:
    """Ask the program of a release, and write its section of the table."""
    parser = argparse.ArgumentParser(
        prog="python -m specs.make.combinations", description=__doc__
    )
    parser.add_argument("program", metavar="RELEASE=PATH")
    parser.add_argument(
        "--objects", type=Path, action="append", default=[], metavar="DIR"
    )
    parser.add_argument("--sources", type=Path, required=True, metavar="DIR")
    parser.add_argument(
        "--like",
        metavar="RELEASE",
        help="look for new rules only in types that have other fields than there",
    )
    options = parser.parse_args(arguments)
    name, _, program = options.program.partition("=")
    try:
        checkout = Checkout(options.sources, name)
        release = known_release(checkout)
        with Validator(Path(program)) as validator:
            objects, others = (
                accepted_objects(release, validator, given)
                for given in (proof_objects(), given_objects(options.objects))
            )
            corpus = Corpus(release, validator, objects, others)
            own, known = _known_rules(checkout)
            changed = _changed(release, options.like)
            found = [*rules_of(corpus, own, known, changed)]
    except KubestencilError as error:
        sys.exit(str(error))
    write_facts("combinations", {name: [cells(proven.rule) for proven in found]})
    add_proofs(proven.proofs[0][0].root for proven in found if proven.proofs)


def _changed(release: Release, other: str | None) -> set[str]:
    """The definitions that have other fields than in another release."""
    definitions = parse(locate(other, None)).definitions if other else {}
    return {
        name
        for name, definition in release.definitions.items()
        if name not in definitions or definition.fields != definitions[name].fields
    }


def _known_rules(
    checkout: Checkout,
) -> tuple[list[Combination], list[Combination]]:
    """The rules that a release is said to have, and those of others, and of Go types."""
    name, others = checkout.release, [*declared_rules(checkout)]
    own: list[Combination] = []
    for row in combination_rows():
        if row.found == "asked":
            (own if row.releases.includes(name) else others).append(row)
    for definition, condition, rule, fields in REVIEWED:
        terms, names = tuple(condition.split()), tuple(fields.split())
        releases = ReleaseRange(name)
        own.append(Combination(releases, definition, terms, rule, names, "reviewed"))
    said = {row[1:] for row in own}
    # That one field is always required, the limits say.
    others = [row for row in others if row.condition or row.fields[1:]]
    return own, [row for row in others if row[1:] not in said]


main(sys.argv[1:])
