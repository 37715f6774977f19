"""Makes the table ``combinations`` of a release."""

from __future__ import annotations

from kubestencil.schema.knowledge.conditions import Combination, combination_rows
from kubestencil.schema.types import Release
from kubestencil.source.releases import ReleaseRange
from kubestencil.validator.binaries import require_binary
from kubestencil.validator.process import Validator
from specs.make.asking.pool import accepted_objects, add_proofs, seed_objects
from specs.make.checkouts import Checkout
from specs.make.combinations.parts import Corpus
from specs.make.combinations.proofs import PROOFS, proof_objects
from specs.make.combinations.rules import cells, rules_of
from specs.make.combinations.tags import declared_rules
from specs.make.documents import known_release, listed_release

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


def ask_tables(checkout: Checkout) -> dict[str, list[tuple[str, ...]]]:
    """The rows of a release, by asking its program about objects that it accepts. The
    objects that prove rules are saved. New rules are looked for in types that have other
    fields than in the release before."""
    release = known_release(checkout)
    with Validator(require_binary(checkout.release)) as validator:
        objects = accepted_objects(release, validator, proof_objects())
        corpus = Corpus(release, validator, objects)
        own, known = _known_rules(checkout)
        changed = _changed(release, checkout.base.release)
        found = [*rules_of(corpus, own, known, changed)]
    proofs = [proven.proofs[0][0].root for proven in found if proven.proofs]
    # Those that other facts are proven with are there.
    kept = [value for values in seed_objects().values() for value in values]
    add_proofs(PROOFS, (value for value in proofs if value not in kept))
    return {"combinations": [cells(proven.rule) for proven in found]}


def _changed(release: Release, base: str) -> set[str]:
    """The definitions that have other fields than in another release; all where that has
    no document."""
    former = listed_release(base)
    definitions = former.definitions if former else {}
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
