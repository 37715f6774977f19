"""Describes fields of kinds, and lists what can be written at a place."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import NamedTuple

from kubestencil.checking.hints.schemas import KindSchemas
from kubestencil.checking.release import CheckedRelease
from kubestencil.diff.labels import coverage_of
from kubestencil.lsp.cursor import Cursor
from kubestencil.schema.knowledge.configurations import is_configuration_group
from kubestencil.schema.knowledge.coverage import Aspect
from kubestencil.schema.knowledge.fields import (
    FieldName,
    KnownField,
    changed_field,
    known_field,
    usage_weight,
)
from kubestencil.schema.knowledge.kinds import known_kind
from kubestencil.schema.knowledge.places import known_place
from kubestencil.schema.knowledge.words import (
    changes_in_words,
    field_in_words,
    kind_in_words,
    rules_in_words,
    type_in_words,
)
from kubestencil.schema.types import Field, Schema, group_version_kind
from kubestencil.source.releases import version_in

_MAX_DESCRIPTION = 2_000


class CompletionWord(NamedTuple):
    """A word that can be written; ``detail`` says what it is. ``weight`` is how much a
    kind is used, and ``api_version`` what has to be written beside it."""

    word: str
    detail: str
    is_required: bool = False
    is_field: bool = False
    weight: int = 0
    api_version: str = ""


# The facts that a description has.
_ASPECTS: frozenset[Aspect] = frozenset(
    ["fields", "gates", "limits", "defaults", "values", "lifecycle"]
)


def describe(cursor: Cursor, release: CheckedRelease) -> str:
    """What is known of the field that a cursor is at, and what is not known of the release;
    empty where nothing is."""
    text = _describe(cursor, release)
    caveats = coverage_of([release.release], _ASPECTS).sentences
    return "\n".join([text, "", *caveats]) if text and caveats else text


def _describe(cursor: Cursor, release: CheckedRelease) -> str:
    if not cursor.path and cursor.key in ("apiVersion", "kind"):
        return _describe_kind(cursor, release)
    place = _place(cursor, release)
    if place is None or not cursor.key:
        return ""
    schemas, holder = place
    field = next((field for field in holder.fields if field.name == cursor.key), None)
    if field is None:
        changed = changed_field(schemas.type_at(cursor.path), cursor.key)
        lines = list(map(str, changes_in_words(changed)))
        return "\n".join([f"No field of {release.name}", *lines]) if lines else ""
    known = _known(field, cursor, schemas)
    phrases = *field_in_words(known, holder.field_names), *rules_in_words(known)
    lines = list(map(str, phrases))
    heading = f"{field.name}: {type_in_words(field.schema)} ({release.name})"
    return "\n".join([heading, *lines, "", _description(field, schemas)]).rstrip()


def _known(field: Field, cursor: Cursor, schemas: KindSchemas) -> KnownField:
    """What is known of a field of the object that a cursor is in, at its place in the
    kind."""
    kind = group_version_kind(cursor.api_version, cursor.kind)
    path = (*(step for step in cursor.path if isinstance(step, str)), field.name)
    release = schemas.release
    known = known_place(release, schemas.definition, kind, path)
    return known or known_field(release.name, schemas.type_at(cursor.path), field)


def suggest(cursor: Cursor, release: CheckedRelease) -> list[CompletionWord]:
    """What can be written at a cursor."""
    if not cursor.path and cursor.key in ("apiVersion", "kind") and cursor.is_value:
        words = sorted(set(_kinds(cursor, release)))
        return sorted(words, key=lambda word: -word.weight)
    place = _place(cursor, release)
    if place is None:
        names = {"apiVersion", "kind"} - cursor.siblings
        is_start = not cursor.path and not cursor.is_value
        return [
            CompletionWord(name, "string", True, True) for name in sorted(names)
        ] * is_start
    schemas, holder = place
    if cursor.is_value:
        return list(_values(cursor, holder, schemas))
    return [
        CompletionWord(
            field.name,
            type_in_words(field.schema),
            _known(field, cursor, schemas).required,
            True,
        )
        for field in holder.fields
        if field.name not in cursor.siblings
        and not (field.schema.read_only or (not cursor.path and field.name == "status"))
    ]


def _place(
    cursor: Cursor, release: CheckedRelease
) -> tuple[KindSchemas, Schema] | None:
    """The schemas of the kind, and that of the object that a cursor is in."""
    if not (cursor.api_version and cursor.kind):
        return None
    kind = group_version_kind(cursor.api_version, cursor.kind)
    definition = release.kinds.get(kind)
    if definition is None:
        return None
    schemas = KindSchemas(release.release, definition)
    holder = schemas.at(cursor.path)
    return None if holder is None else (schemas, holder)


def _describe_kind(cursor: Cursor, release: CheckedRelease) -> str:
    if not (cursor.api_version and cursor.kind):
        return ""
    kind = group_version_kind(cursor.api_version, cursor.kind)
    definition = release.kinds.get(kind)
    is_served = "Served" if release.serves(kind) else "Not served"
    lines = [f"{kind.kind} of {kind.api_version}", f"{is_served} in {release.name}"]
    if definition and not release.serves(kind):
        lines[1] += " without its CustomResourceDefinition"
    known = known_kind(kind, version_in(release.name))
    lines += map(str, kind_in_words(known))
    if definition:
        description = release.release.definitions[definition].schema.description
        lines += ["", description[:_MAX_DESCRIPTION]]
    return "\n".join(lines).rstrip()


def _kinds(cursor: Cursor, release: CheckedRelease) -> Iterator[CompletionWord]:
    """The values of apiVersion or kind, as the other one allows: of kinds whose objects
    are stored, are in configuration files, or are custom resources."""
    resources = release.release.resources
    for kind in release.kinds:
        resource = resources.get(kind)
        is_stored = resource is not None and {"create", "get"} <= {*resource.verbs}
        is_written = is_configuration_group(kind.group) or not release.serves(kind)
        if not (is_stored or is_written):
            continue
        if cursor.key == "kind" and cursor.api_version in ("", kind.api_version):
            group = kind.group.partition(".")[0] or "core"
            weight = usage_weight(FieldName(group, kind.kind, ""))
            is_alone = "apiVersion" not in cursor.siblings
            api_version = kind.api_version if is_alone else ""
            word = CompletionWord(kind.kind, kind.api_version, weight=weight)
            yield word._replace(api_version=api_version)
        if cursor.key == "apiVersion" and cursor.kind in ("", kind.kind):
            yield CompletionWord(kind.api_version, cursor.kind)


def _values(
    cursor: Cursor, holder: Schema, schemas: KindSchemas
) -> Iterator[CompletionWord]:
    for field in holder.fields:
        if field.name == cursor.key:
            facts = _known(field, cursor, schemas).facts
            default = facts.default and facts.default.value
            is_boolean = field.schema.type == "boolean"
            for word in ("true", "false") if is_boolean else facts.enum:
                is_default = word in (default, json.dumps(default))
                yield CompletionWord(word, "default" if is_default else "")


def _description(field: Field, schemas: KindSchemas) -> str:
    own = field.schema.description or schemas.release.resolve(field.schema).description
    return own[:_MAX_DESCRIPTION]
