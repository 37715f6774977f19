"""The table ``gated-fields``: the fields, values and kinds about which gates decide.

``python -m specs.make.gated_fields 1.37=PROGRAM 1.36=PROGRAM --sources DIR`` asks the
programs of releases (gate_answers.py). What cannot be asked is read: kinds that are not
served while a gate is off, and ``+featureGate`` markers of fields whose gate is locked, that
only a component heeds, or that no object has. Rows of the release, or of the one before it,
stay while it has the field and the gate.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from kubestencil.errors import KubestencilError
from kubestencil.schema import Release
from kubestencil.schema.kinds import definitions_of_kinds
from kubestencil.schema.knowledge.gates import gate_rows, gated_field_rows
from kubestencil.schema.knowledge.snapshots import base_of, snapshots
from kubestencil.source.releases import version_name
from kubestencil.validator.process import Validator
from specs.make.checkouts import Checkout
from specs.make.default_server import gated_resources
from specs.make.documents import operated_kinds, parsed_document
from specs.make.facts import write_facts
from specs.make.gate_answers import Gated, gated_by
from specs.make.gate_switches import GatedValidator, Switches
from specs.make.gates import gate_names
from specs.make.go_types import API_FOLDERS, json_fields, read_structs
from specs.make.values.declared import declared
from specs.make.values.pool import (
    Objects,
    accepted_objects,
    examples,
    seed_objects,
)

_MARKER = "featureGate"

#: A definition, its field, what gates decide about it, these gates, and how that was found.
Row = tuple[str, str, str, str, str]


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
        exists = schema and (not field or field in schema.get("properties", {}))
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
    yield from _present(checkout.release)
    for module, (pattern, prefix) in API_FOLDERS.items():
        for folder in sorted(checkout.module(module).glob(pattern)):
            structs = read_structs(folder)
            package = f"{prefix}{folder.parent.name}.{folder.name}"
            for struct in structs.values():
                for field in json_fields(struct, structs):
                    gates = [
                        gate
                        for name, value in field.markers
                        if name == _MARKER
                        for gate in value.split(",")
                    ]
                    definition = f"{package}.{struct.name}"
                    yield definition, field.json_name, "", " ".join(gates)
    for definition, gate in _gated_kinds(checkout):
        yield definition, "", "", gate


def _present(release: str) -> Iterator[tuple[str, str, str, str]]:
    """What the table has of a release, or of the one that it is based on."""
    known = snapshots()
    is_known = release in known and "gated-fields" in known[release].sections
    of_release = release if is_known else base_of(release, known) or ""
    for row in gated_field_rows():
        if row.releases.includes(of_release):
            yield row.definition, row.field, row.decides, " ".join(row.gates)


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


def ask(checkout: Checkout, program: Path) -> list[Gated]:
    """What gates of a release decide about, by its API server's code."""
    release = parsed_document(checkout)
    free = [
        row.gate
        for row in gate_rows()
        if not row.locked and row.releases.includes(checkout.release)
    ]
    with Validator(program) as validator:
        switches = Switches(validator, free)
        with GatedValidator(program, switches.only(switches.names)) as gated:
            objects = accepted_objects(release, gated, _objects(release))
        constants = declared(checkout).enums
        return list(gated_by(release, validator, switches, objects, constants))


def _objects(release: Release) -> Objects:
    """The objects that proved facts, and examples of each kind."""
    objects = seed_objects()
    for kind, name in definitions_of_kinds(release).items():
        objects.setdefault(kind, []).extend(examples(release, name))
    return objects


def main(arguments: Sequence[str]) -> None:
    """Ask the programs of releases, and write what they answer."""
    parser = argparse.ArgumentParser(prog="python -m specs.make.gated_fields")
    parser.add_argument("programs", nargs="+", metavar="RELEASE=PROGRAM")
    parser.add_argument("--sources", type=Path, required=True, metavar="DIR")
    options = parser.parse_args(arguments)
    try:
        for text in options.programs:
            name, _, program = text.partition("=")
            checkout = Checkout(options.sources, version_name(name))
            rows = list(make_rows(checkout, ask(checkout, Path(program))))
            write_facts("gated-fields", {checkout.release: rows})
    except KubestencilError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main(sys.argv[1:])
