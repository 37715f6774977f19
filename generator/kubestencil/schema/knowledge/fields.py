"""What is known of a field: by the document, by its description, by the API server."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from kubestencil.schema.keyword_values import NO_LIMITS
from kubestencil.schema.knowledge.conditions import alternatives_of
from kubestencil.schema.knowledge.descriptions import (
    deprecation,
    loss_of_effect,
    stated_default,
    stated_replacement,
    stated_values,
)
from kubestencil.schema.knowledge.gates import GateStage, gate_of
from kubestencil.schema.knowledge.tables import newest_rows, read_cells
from kubestencil.schema.knowledge.values import (
    NO_FACTS,
    Default,
    FieldFacts,
    Origin,
    server_facts,
)
from kubestencil.schema.knowledge.warnings import (
    Warned,
    volume_plugin,
    warned_fields,
)
from kubestencil.schema.types import Field, GroupVersionKind, Release, Schema
from kubestencil.schema.well_known import INT_OR_STRING, QUANTITY
from kubestencil.source.releases import release_order, version_in

_CHOICE = re.compile(r"\{([^}]*)\}")


class ChangedField(NamedTuple):
    """A field that a type got or lost.

    ``added`` is the first release that has the field, empty where that is the first
    release of its type; ``removed`` the first one that no longer has it, or empty.
    """

    definition: str
    field: str
    added: str
    removed: str


class FieldName(NamedTuple):
    """A field of a type in any version, or the type itself, where ``field`` is empty.

    ``group`` is that of the type's package: ``rbac``, not rbac.authorization.k8s.io.
    """

    group: str
    type: str
    field: str


def changed_field_rows() -> Iterator[ChangedField]:
    """The rows of the table ``changed-fields``."""
    return newest_rows("changed-fields", ChangedField)


class RenamedField(NamedTuple):
    """Where later versions of a kind have a field: ``path``, with ``[]`` for indexes of
    lists, and what has to be there as well, by path."""

    path: str
    beside: Mapping[str, str | bool]


class KnownField(NamedTuple):
    """A field of a definition in the release with a name, and all that is known of it.

    ``server`` are the facts that the tables have of its values; of a place in a kind those
    that hold there. ``place_added`` is the first release that has the place, where one of
    the fields that it is in was added. Everything else is asked for when it is needed.
    """

    release: str
    definition: str
    field: Field
    server: FieldFacts
    place_added: str = ""

    @property
    def name(self) -> str:
        """The JSON name."""
        return self.field.name

    @property
    def schema(self) -> Schema:
        """The schema, as the document has it."""
        return self.field.schema

    @property
    def facts(self) -> FieldFacts:
        """What is known of its values, with the origin of each fact: what the document
        states, and what the API server does, which is better where both have one."""
        return _with_document(self.server, self.field, self.required)

    @property
    def required(self) -> bool:
        """Whether an object needs the field: to the API server where that is known, or
        else by the document, which does not say what can take its place."""
        known = self.server.required
        if known is not None or not self.field.required:
            return bool(known)
        return len(alternatives_of(self.definition, self.name, self.release)) < 2

    @property
    def stated_values(self) -> tuple[str, ...]:
        """The values that only the description lists."""
        values, schema = stated_values(self.schema.description), self.schema.innermost()
        is_known = schema.type != "string" or schema.enum
        return () if not values or is_known or self.facts.enum else values

    @property
    def stated_default(self) -> str:
        """The default that only the description states, as it is written; or empty."""
        default = stated_default(self.schema.description)
        is_single = self.schema.content is None
        if not default or not is_single or not _has_type(default, self.schema):
            return ""
        facts = self.facts
        if facts.defaults or (facts.enum and default not in facts.enum):
            return ""
        return (
            _as_number(default, self.name) if self.schema.type == "integer" else default
        )

    @property
    def in_kinds(self) -> Mapping[GroupVersionKind, FieldFacts]:
        """What holds only where the field is part of some kinds."""
        facts = server_facts(self.release)
        return facts.by_kind.get((self.definition, self.name), {})

    @property
    def gate(self) -> GateStage | None:
        """The feature gate without which the API server drops or refuses the field; None
        where the release is no version."""
        version = version_in(self.release)
        return gate_of(self.definition, self.name, version) if version else None

    @property
    def changed(self) -> ChangedField | None:
        """When its type got or lost it; None where neither is known."""
        return changed_field(self.definition, self.name)

    @property
    def added_in(self) -> str | None:
        """The first release that has the field at its place; None where that is the first
        one of its type, or not known."""
        own = self.changed.added if self.changed else ""
        return later_release(own, self.place_added) or None

    @property
    def removed_in(self) -> str | None:
        """The first release that no longer has the field, or None."""
        return (self.changed.removed or None) if self.changed else None

    @property
    def deprecation(self) -> str:
        """The sentence that calls the field deprecated, empty where none does. Descriptions
        of volumes say it some releases later."""
        plugin = volume_plugin(self.definition, self.name)
        stated = deprecation(self.schema.description)
        return stated or (plugin.deprecation_in(self.release) if plugin else "")

    @property
    def warned(self) -> Warned | None:
        """What the API server of the release warns of, whatever the value is."""
        return warned_fields(self.release).get((self.definition, self.name))

    def replacement(self, siblings: Iterable[str]) -> str | None:
        """Which of the fields beside it to use instead; None where none is named."""
        return stated_replacement(self.schema.description, siblings)

    @property
    def loss_of_effect(self) -> str:
        """The sentence that says that the field does nothing any more, or empty."""
        plugin = volume_plugin(self.definition, self.name)
        stated = loss_of_effect(self.schema.description)
        return stated or (plugin.end_in(self.release) if plugin else "")


def later_release(*releases: str) -> str:
    """The latest of some releases; those without a name count as the first."""
    return max(filter(None, releases), key=release_order, default="")


def known_fields(release: Release, definition: str) -> Iterator[KnownField]:
    """The fields of a definition of a release, in the order of the document."""
    for field in release.definitions[definition].fields:
        yield known_field(release.name, definition, field)


def known_field(release: str, definition: str, field: Field) -> KnownField:
    """A field of a definition, wherever that occurs. ``release`` is its name: one that is
    no version has the facts of the newest one."""
    server = server_values(release, definition, field.name)
    return KnownField(release, definition, field, server)


def server_values(release: str, definition: str, field: str) -> FieldFacts:
    """What the API server does with the values of a field, wherever its definition
    occurs."""
    return server_facts(release).of(definition, field)


_NUMBER = re.compile(r"-?\d+(?: ?%| (?:second|minute|hour)s?)?\Z")
_SECONDS = re.compile(r"\d+s\Z")
_UNIT = re.compile(r"[ %a-z]+\Z")
_SECONDS_IN = {" minute": 60, " hour": 3600}
_TRUTH_VALUES = frozenset({"true", "false"})


def _has_type(default: str, schema: Schema) -> bool:
    """Whether a stated default can be a value of a schema."""
    if schema.ref in (INT_OR_STRING, QUANTITY):
        return bool(_NUMBER.match(default))
    if schema.type == "boolean":
        # A boolean is false where it is absent: only the other default says something.
        return default == "true"
    is_number = bool(_NUMBER.match(default))
    if schema.type in ("integer", "number"):
        return is_number or bool(_SECONDS.match(default))
    return schema.type == "string" and not is_number and default not in _TRUTH_VALUES


def _as_number(default: str, field: str) -> str:
    """The number of a stated default: 600 of 600s, and of a field for seconds 3600 of
    1 hour."""
    number, unit = _UNIT.sub("", default), _UNIT.search(default)
    factor = _SECONDS_IN.get(unit[0].rstrip("s")) if unit else None
    if factor is None:
        return number
    return str(int(number) * factor) if field.endswith("Seconds") else default


# All that is known of most fields: to share it saves 15 % of a run of TypeScript.
_ONLY_REQUIRED = {
    is_required: NO_FACTS._replace(
        required=is_required, origin={"required": "document"}
    )
    for is_required in (False, True)
}
_LIMITS = ("minimum", "maximum", "min_length", "max_length", "max_items")


def _with_document(facts: FieldFacts, field: Field, required: bool) -> FieldFacts:
    """Facts with those that a document states of a field; both agree, or the server's are
    better. ``required`` is whether an object needs it."""
    schema = field.schema
    stated: dict[str, Any] = {}
    if schema.enum and not facts.enum:
        stated["enum"] = schema.enum
    if schema.has_default and not facts.defaults:
        stated["defaults"] = (Default(schema.default),)
    if (limits := schema.limits) is not NO_LIMITS:
        for name in _LIMITS:
            limit = getattr(limits, name)
            if limit is not None and getattr(facts, name) is None:
                stated[name] = limit
    if facts.required is None:
        stated["required"] = required
    if not facts.unique and schema.list_type in ("map", "set"):
        stated["unique"] = schema.list_map_keys or ("",)
    if not stated:
        return facts
    if facts is NO_FACTS and len(stated) == 1:
        return _ONLY_REQUIRED[required]
    origin: dict[str, Origin] = {**facts.origin, **dict.fromkeys(stated, "document")}
    return facts._replace(**stated, origin=origin)


def changed_field(definition: str, field: str) -> ChangedField | None:
    """When a type got or lost a field; None for a field that all its releases have, and
    for one that none has."""
    return _changed().get((definition, field))


def renamed_field(kind: GroupVersionKind, path: str) -> RenamedField | None:
    """Where later versions of a kind have the field at ``path``, such as
    ``spec.backend``; None for a field that is not in the table.

    There are no indexes of lists in ``path``.
    """
    return renamed_fields().get((kind.group, kind.kind, path))


def renamed_inside(kind: GroupVersionKind, path: str) -> list[str]:
    """Where later versions of a kind have what is inside of an object at ``path``."""
    return [
        renamed.path
        for (group, name, field), renamed in renamed_fields().items()
        if (group, name) == (kind.group, kind.kind) and field.startswith(f"{path}.")
    ]


def usage_weight(name: FieldName) -> int:
    """1 + log2 of the number of manifests with a field, rounded down; 0 for a field
    that is in none of them, such as those of custom resources."""
    return _weights().get(name, 0)


@cache
def _changed() -> Mapping[tuple[str, str], ChangedField]:
    return {(row.definition, row.field): row for row in changed_field_rows()}


@cache
def renamed_fields() -> Mapping[tuple[str, str, str], RenamedField]:
    """Where later versions have fields, by group, kind and path."""
    renamed = {
        (group, kind, _without_indexes(path)): RenamedField(new_path, _values(beside))
        for group, kind, *cells in read_cells("renamed-fields")
        for path, new_path, beside in _alternatives(cells)
    }
    inside: dict[tuple[str, str, str], RenamedField] = {}
    for (group, kind, path), outer in renamed.items():
        moved_to = f"{_without_indexes(outer.path)}."
        for (other_group, other_kind, inner_path), inner in renamed.items():
            is_of_kind = (other_group, other_kind) == (group, kind)
            if is_of_kind and inner_path.startswith(moved_to):
                rest = inner_path.removeprefix(moved_to)
                inside[group, kind, f"{path}.{rest}"] = inner
    return {**inside, **renamed}


def _alternatives(cells: Sequence[str]) -> Iterator[Sequence[str]]:
    """The rows that one with ``{a,b}`` in its first cell stands for."""
    if choice := _CHOICE.search(cells[0]):
        for name in choice[1].split(","):
            yield [_CHOICE.sub(name, cell) for cell in cells]
    else:
        yield cells


def _without_indexes(path: str) -> str:
    return path.replace("[]", "")


def _values(cell: str) -> Mapping[str, str | bool]:
    texts = dict(text.split("=") for text in cell.split())
    return {path: text == "true" or text for path, text in texts.items()}


@cache
def _weights() -> Mapping[FieldName, int]:
    table = read_cells("field-usage")
    return {FieldName(*name): int(weight) for *name, weight in table}


class GoField(NamedTuple):
    """A field in Kubernetes' Go types, where name or type are not those that follow from
    the document (the table ``go-fields``)."""

    definition: str
    field: str
    name: str
    type: str


def go_fields() -> Iterator[GoField]:
    """The rows of the table, in their order."""
    return newest_rows("go-fields", GoField)
