"""Rules about fields of one object are proven: the API server's code accepts an object
that obeys one, and refuses it once it does not, which ``check`` says without a validator,
at the same path; what it accepts nevertheless is no error."""

from __future__ import annotations

from itertools import islice

import pytest

from kubestencil.checking.judgement import kind_of
from kubestencil.checking.release import prepare
from kubestencil.checking.upgrade import Upgrade
from kubestencil.schema.knowledge.conditions import combinations
from kubestencil.validator.process import Validator
from specs.make.asking.pool import accepted_objects
from specs.make.combinations.parts import Corpus
from specs.make.combinations.proofs import proof_objects, verdict_on
from tests.conftest import load
from tests.validators import PROVEN_RELEASES, built_validator
from tests.value_mutations import errors_of

_MOST_PROOFS = 4
#: Rules of what a release drops, as its feature gate is off.
_DROPPED = {
    "1.25": {
        ("ContainerResourceMetricSource", "at-least-one-of"),
        ("MetricSpec", "needs"),
    }
}


@pytest.mark.nightly
@pytest.mark.server
@pytest.mark.parametrize("name", PROVEN_RELEASES)
def test_combinations_are_proven_by_the_servers_code(name: str) -> None:
    release = load(name)
    upgrade = Upgrade(None, prepare(release))
    unproven = []
    with Validator(built_validator(name)) as validator:
        objects = accepted_objects(release, validator, proof_objects())
        corpus = Corpus(release, validator, objects)
        for definition in combinations(name).keys() & release.definitions.keys():
            for rule in combinations(name)[definition]:
                verdict = verdict_on(corpus, rule)
                assert verdict.disproof is None, (rule, verdict.disproof)
                if not verdict.proofs and rule.found != "reviewed":
                    unproven.append((definition.rpartition(".")[2], rule.rule))
                for accepted, refused in islice(verdict.proofs, _MOST_PROOFS):
                    for part, is_accepted in ((accepted, True), (refused, False)):
                        kind = kind_of(part.root)
                        result = upgrade.start(part.root, kind, is_patch=False)()
                        assert bool(errors_of(result)) != is_accepted, (rule, part)
    assert set(unproven) <= _DROPPED.get(name, set())
