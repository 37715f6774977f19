"""The table ``gated-fields``: the fields, values and kinds about which gates decide.

The program of a release is asked (``answers``). What cannot be asked is read: kinds that
are not served while a gate is off, and ``+featureGate`` markers of fields whose gate is
locked, that only a component heeds, or that no object has. Rows of the release, or of the
one before it, stay while it has the field and the gate.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from kubestencil.schema.kinds import definitions_of_kinds
from kubestencil.schema.knowledge.gates import gate_dependencies, gate_rows
from kubestencil.validator.binaries import find_binary
from kubestencil.validator.process import Validator
from specs.make.asking.pool import accepted_objects, examples, seed_objects
from specs.make.checkouts import Checkout
from specs.make.corrections import without_corrections
from specs.make.default_server import gated_resources
from specs.make.documents import operated_kinds, parsed_document
from specs.make.gated.answers import Gated, gated_by
from specs.make.gated.switches import Switches
from specs.make.gates import gate_names
from specs.make.go_types import api_packages
from specs.make.values.declared import declared
from specs.make.values.rows import rows_of

_MARKER = "featureGate"

#: A definition, its field, what gates decide about it, these gates, and how that was found.
Row = tuple[str, str, str, str, str]


def ask_tables(checkout: Checkout) -> dict[str, list[Row]]:
    """The rows of a release, by asking its program; what is only read without one."""
    program = find_binary(checkout.release)
    asked = _ask(checkout, program) if program else ()
    return {"gated-fields": [*make_rows(checkout, asked)]}


def make_rows(checkout: Checkout, asked: Sequence[Gated] = ()) -> Iterator[Row]:
    """The rows of the table for a release: what its API server's code says, and what is
    only read."""
    names = gate_names(checkout)
    gates = set(names.values())
    definitions = checkout.document["definitions"]
    gates_of: dict[tuple[str, str, str], list[str]] = {}
    for fact in asked:
        effect = "" if fact.effect == "field" else fact.effect
        gates_of[fact.definition, fact.field, effect] = sorted(fact.gates)
    asked_of = frozenset(gates_of)
    for definition, field, decides, needed in _read(checkout):
        schema = definitions.get(definition)
        # The name of a kind is a field of its metadata.
        outermost = field.partition(".")[0]
        exists = schema and (not field or outermost in schema.get("properties", {}))
        # A marker may outlive its gate.
        still = [gate for gate in needed.split() if gate in gates]
        key = definition, field, decides
        # Those that are locked, or that another one needs, are not asked about.
        if exists and still and (decides == "" or key not in gates_of):
            gates_of[key] = [*dict.fromkeys([*still, *gates_of.get(key, ())])]
    for key, needs in gates_of.items():
        found = "asked" if key in asked_of else "read"
        yield *key, " ".join(needs), found


def _read(checkout: Checkout) -> Iterator[tuple[str, str, str, str]]:
    """What is read in the sources of a release, and what the table has."""
    known = rows_of(checkout.release, "gated-fields", 3)
    for cells in without_corrections("gated-fields", known):
        definition, field, decides, gates, _ = cells
        yield definition, field, decides, gates
    for package in api_packages(checkout):
        for definition, marked in package.fields():
            needed = [value for name, value in marked.markers if name == _MARKER]
            text = " ".join(needed).replace(",", " ")
            yield definition, marked.json_name, "", text
    for definition, gate in _gated_kinds(checkout):
        yield definition, "", "", gate


def _gated_kinds(checkout: Checkout) -> Iterator[tuple[str, str]]:
    """The definitions of kinds that are not served while a gate is off."""
    gates = {
        resource: gate
        for resource, gate in gated_resources(checkout)
        if not resource.subresource
    }
    names = gate_names(checkout)
    definitions = {
        (kind["group"], kind["version"], kind["kind"]): name
        for name, schema in checkout.document["definitions"].items()
        for kind in schema.get("x-kubernetes-group-version-kind", ())
    }
    for kind, resources in operated_kinds(checkout.document).items():
        for resource in resources & gates.keys():
            yield definitions[kind.group, kind.version, kind.kind], names[
                gates[resource]
            ]


def _ask(checkout: Checkout, program: Path) -> list[Gated]:
    """What gates of a release decide about, by its API server's code."""
    release = parsed_document(checkout)
    free = [
        row.gate
        for row in gate_rows()
        if not row.locked and row.releases.includes(checkout.release)
    ]
    given = seed_objects()
    for kind, name in definitions_of_kinds(release).items():
        given[kind] += examples(release, name)
    with Validator(program) as validator:
        switches = Switches(validator, free, gate_dependencies(checkout.release))
        gates = switches.only(switches.names)
        objects = accepted_objects(release, validator, given, gates)
        constants = declared(checkout).enums
        return list(gated_by(release, validator, switches, objects, constants))
