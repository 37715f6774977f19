"""Makes the tables of the values of fields of a release: ``enums``, ``limits``,
``defaults`` and ``immutable-fields``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack

from kubestencil.schema.types import Release
from kubestencil.validator.binaries import require_binary
from kubestencil.validator.process import Validator
from specs.make.asking.pool import (
    PROOFS,
    add_proofs,
    grown_objects,
    seed_objects,
    stored_objects,
)
from specs.make.asking.seeds import Samples
from specs.make.asking.workers import WORKERS
from specs.make.checkouts import Checkout
from specs.make.documents import known_release
from specs.make.progress import report
from specs.make.values.declared import declared
from specs.make.values.defaults import default_facts, observations
from specs.make.values.immutable_fields import Place, immutable_places
from specs.make.values.limits import Limits
from specs.make.values.proofs import Occurrences, Proof
from specs.make.values.rows import Found, Key, Known, cell_of_values

Rows = Iterable[Sequence[str]]


def ask_tables(checkout: Checkout) -> dict[str, Rows]:
    """The rows of a release by table, by asking its program about objects that it accepts.
    The objects that prove limits are saved."""
    program = require_binary(checkout.release)
    release, stated = known_release(checkout), declared(checkout)
    known = Known.of(release.name)
    with ExitStack() as stack:
        validators = [stack.enter_context(Validator(program)) for _ in range(WORKERS)]
        samples = Samples(known.fields - stated.limits.keys())
        grown = grown_objects(release, validators, seed_objects(), samples)
        objects = stored_objects(release, validators[0], grown)
        report(f"{release.name}: {sum(map(len, objects.values()))} objects")
        asked = (Occurrences(release, values) for values in (objects, grown))
        proven = Limits(release, validators, *asked).find(known, stated)
        report(f"{release.name}: {len(proven)} limits are proven")
        enums = dict(_enums(release, stated.enums, proven))
        names = {key[:2]: value.split() for key, (value, _) in enums.items()}
        observed = observations(release, validators, objects, names)
        defaults = default_facts(release, observed, known.defaults)
        report(f"{release.name}: {len(defaults)} defaults")
        immutable = immutable_places(release, validators, objects)
        report(f"{release.name}: {len(immutable)} fields cannot change")
    add_proofs(PROOFS, (proof.object for _, proof in proven.values()))
    return {
        "enums": [(*key[:3], *fact) for key, fact in enums.items()],
        "limits": [
            (*key, value, "asked")
            for key, (value, _) in proven.items()
            if key not in enums
        ],
        "defaults": [(*key, *fact) for key, fact in defaults.items()],
        "immutable-fields": [*map(_cells, immutable.items())],
    }


def _enums(
    release: Release,
    declared: Mapping[tuple[str, str], Iterable[str]],
    proven: Mapping[Key, tuple[str, Proof]],
) -> Iterator[tuple[Key, Found]]:
    """The enums that Go types declare, and those that are proven, which are better."""
    for field, values in declared.items():
        if field[0] in release.definitions:
            yield (*field, "", "enum"), (cell_of_values(values), "marker")
    for key, (names, _) in proven.items():
        if key[3] == "enum":
            yield key, (names, "asked")


def _cells(immutable: tuple[Place, str]) -> Sequence[str]:
    (kind, path), found = immutable
    return kind.api_version, kind.kind, path, found
