"""The data of which ``assets/example.js`` makes the examples of fields: what is merged into
objects that get a field, by the paths of the pages of their types."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

from kubestencil.schema import Definition, Release, Schema
from kubestencil.schema.kinds import kind_definitions
from kubestencil.schema.knowledge.gates import gated_fields
from kubestencil.schema.well_known import is_built_in
from kubestencil.source.releases import version_in
from kubestencil.targets.field_examples.additions import Additions, first_part
from kubestencil.targets.field_examples.explanations import (
    REQUEST_NOTE,
    SERVER_REASONS,
    STATUS_NOTE,
    Reasons,
    disabled_gates,
    gate_note,
    is_request,
    reasons_of_kind,
    reasons_of_types,
)
from kubestencil.targets.field_examples.objects import MAP_KEY, FieldExamples
from kubestencil.targets.site.addresses import PageAddress
from kubestencil.targets.site.data_scripts import data_script
from kubestencil.targets.site.fields.rows import type_label

# The type that stands for all kinds.
_ALL_KINDS = ""


def field_examples_script(
    release: Release, addresses: Mapping[str, PageAddress], examples: FieldExamples
) -> bytes:
    """The data of a release.

    ``types`` have, by the path of a page, the ``smallest`` object of a type, the
    ``values`` of fields, what is merged ``beside`` them, by names or paths, and the names
    of the fields that are ``int64``. Fields without a value have the smallest object of
    their type, or that of ``scalars`` by the type that rows show, in their lists and maps.
    ``kinds`` are ``KindAdditions``, ``reasons`` say why fields have no example, and
    ``notes`` what they need; those that all kinds have are
    of an empty path.
    """
    additions = Additions(examples)
    data = _FieldExamples(release, addresses, additions)
    return data_script(
        "kubestencilFieldExamples",
        {
            "scalars": data.scalars,
            "types": data.types(),
            "kinds": data.kinds(),
            "reasons": data.reasons(),
            "notes": data.notes(),
        },
    )


class _FieldExamples:
    """The parts of the data, with the paths of pages instead of names of definitions."""

    def __init__(
        self,
        release: Release,
        addresses: Mapping[str, PageAddress],
        additions: Additions,
    ) -> None:
        self._release = release
        self._addresses = addresses
        self._additions = additions
        self.scalars = self._scalars()

    def _scalars(self) -> Mapping[str, Any]:
        """The most frequent value of each type that is no object."""
        found: dict[str, Counter[str]] = defaultdict(Counter)
        for definition in self._release.definitions.values():
            values = self._additions.of(definition.name).fields
            for field in definition.fields:
                value = field.schema.innermost()
                if not self._is_object(value):
                    part = first_part(field.schema, values[field.name][field.name])
                    found[self._label(value)][json.dumps(part)] += 1
        return {
            label: json.loads(max(sorted(texts), key=texts.__getitem__))
            for label, texts in found.items()
        }

    def _is_object(self, schema: Schema) -> bool:
        ref = schema.ref
        return ref is not None and self._release.definitions[ref].is_object

    def _label(self, schema: Schema) -> str:
        return type_label(schema, self._addresses[schema.ref] if schema.ref else None)

    def _usual(self, schema: Schema) -> Any:
        """The value that a field has in a browser without data about it."""
        if schema.items is not None:
            return [self._usual(schema.items)]
        if schema.values is not None:
            return {MAP_KEY: self._usual(schema.values)}
        smallest = self._additions.of(schema.ref).smallest if schema.ref else None
        return smallest or self.scalars.get(self._label(schema), {})

    def types(self) -> Mapping[str, Any]:
        """What is known of types, but for those of which nothing is."""
        return {
            self._addresses[name].path: parts
            for name, definition in self._release.definitions.items()
            if (parts := self._type(definition))
        }

    def _type(self, definition: Definition) -> Mapping[str, Any]:
        additions = self._additions.of(definition.name)
        values, beside = {}, dict(additions.inner)
        for field in definition.fields:
            change = dict(additions.fields[field.name])
            value = change.pop(field.name)
            if value != self._usual(field.schema):
                values[field.name] = value
            if change:
                beside[field.name] = change
        long = [
            field.name
            for field in definition.fields
            if is_built_in(definition.name)
            and field.schema.innermost().format == "int64"
        ]
        parts = {
            "smallest": additions.smallest,
            "values": values,
            "beside": beside,
            "int64": long,
        }
        return _filled(parts)

    def kinds(self) -> Mapping[str, Any]:
        """What is known of kinds."""
        found = {}
        for name in kind_definitions(self._release):
            kind = self._additions.of_kind(self._release.definitions[name])
            if kind is not None:
                found[self._addresses[name].path] = _filled(kind._asdict())
        return found

    def reasons(self) -> Mapping[str, Reasons]:
        """Why fields have no example."""
        reasons = {
            self._addresses[name].path: paths
            for name, paths in reasons_of_types(self._release.name).items()
            if name in self._addresses
        }
        for name in kind_definitions(self._release):
            of_kind = reasons_of_kind(self._release, self._release.definitions[name])
            own = {
                path: reason
                for path, reason in of_kind.items()
                if SERVER_REASONS.get(path) != reason
            }
            if own:
                page = self._addresses[name].path
                reasons[page] = {**reasons.get(page, {}), **own}
        return {**reasons, _ALL_KINDS: SERVER_REASONS}

    def notes(self) -> Mapping[str, Mapping[str, str]]:
        """What fields and kinds need."""
        notes: dict[str, dict[str, str]] = {_ALL_KINDS: {"status": STATUS_NOTE}}
        for name, field in gated_fields(version_in(self._release.name) or ""):
            gates = disabled_gates(self._release, name, field)
            if gates and name in self._addresses:
                of_type = notes.setdefault(self._addresses[name].path, {})
                of_type[field] = ", ".join(map(gate_note, gates))
        for name in kind_definitions(self._release):
            if is_request(self._release, self._release.definitions[name]):
                notes.setdefault(self._addresses[name].path, {})[""] = REQUEST_NOTE
        return notes


def _filled(parts: Mapping[str, Any]) -> Mapping[str, Any]:
    """The parts that are not empty."""
    return {name: part for name, part in parts.items() if part}
