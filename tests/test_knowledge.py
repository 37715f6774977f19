"""One answer to a question about a field, whoever is asked: hover, the site, the website,
editor schemas, the view ``model`` and check; and the words that they share."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

import pytest

from kubestencil import field_facts
from kubestencil.checking.release import CheckedRelease, prepare
from kubestencil.errors import UsageError
from kubestencil.lsp.cursor import Cursor
from kubestencil.lsp.fields import describe, suggest
from kubestencil.schema import Release
from kubestencil.schema.field_paths import field_paths
from kubestencil.schema.kinds import kind_definitions
from kubestencil.schema.knowledge.fields import KnownField, known_fields
from kubestencil.schema.knowledge.gates import gate_in
from kubestencil.schema.knowledge.places import facts_in_kind, known_place
from kubestencil.schema.knowledge.values import Default, FieldFacts
from kubestencil.schema.knowledge.words import (
    Phrase,
    facts_in_words,
    field_in_words,
    gate_in_words,
    immutable_in_words,
    listed,
    type_in_words,
    value_in_words,
)
from kubestencil.schema.types import GroupVersionKind, group_version_kind, schema_of
from kubestencil.schema.well_known import EVENT, is_built_in
from kubestencil.targets.jsonschema.kinds import schema_kinds
from kubestencil.targets.jsonschema.schemas import FileSchemas
from kubestencil.targets.model.values import make_model
from kubestencil.targets.site.addresses import page_addresses
from kubestencil.targets.site.fields.rows import ReleaseFields
from tests.cluster import load_crds
from tests.conftest import NEWEST, Command, load
from tests.test_crd import PACKAGE, WIDGET, write


def test_the_facts_of_a_field_say_whether_it_is_required_as_the_field_does() -> None:
    """Also where something else can take its place, of which a document does not know."""
    release = load(NEWEST)
    known = [
        field for name in release.definitions for field in known_fields(release, name)
    ]
    assert [field for field in known if field.facts.required != field.required] == []
    assert any(field.field.required and not field.required for field in known)


@pytest.mark.parametrize(
    ("schema", "facts", "words"),
    [
        ({"type": "integer"}, {"minimum": 0}, ["0 or more"]),
        ({"type": "integer"}, {"minimum": 1, "maximum": 65535}, ["1 to 65535"]),
        (
            {"type": "string", "format": "int-or-string"},
            {"minimum": 1, "maximum": 65535, "format": "port-name"},
            [
                "1 to 65535, or the name of a port: lower-case letters, digits and '-', "
                "with a letter, up to 15 characters"
            ],
        ),
        (
            {"type": "string"},
            {"min_length": 1, "format": "dns-label"},
            ["1 to 63 characters: lower-case letters, digits and '-'"],
        ),
        ({"type": "string"}, {"enum": ("HTTP", "HTTPS")}, ["HTTP or HTTPS"]),
        ({"type": "integer"}, {"defaults": (Default(10),)}, ["Default 10"]),
        (
            {"type": "array", "items": {"type": "string"}},
            {"max_items": 20, "max_length": 5, "unique": ("",)},
            ["Up to 20", "Items: up to 5 characters", "Items are unique"],
        ),
        ({"type": "array"}, {"unique": ("name",)}, ["Names are unique"]),
        ({"type": "number", "minimum": 0, "exclusiveMinimum": True}, {}, ["More than 0"]),
    ],
)  # fmt: skip
def test_words(schema: Any, facts: Any, words: list[str]) -> None:
    phrases = facts_in_words(schema_of(schema), FieldFacts(**facts))
    assert list(map(str, phrases)) == words


def test_the_python_api_knows_the_place() -> None:
    """Job takes two of the values that its type has (cases/answers/02)."""
    job = "io.k8s.api.batch.v1.Job"
    facts = field_facts(job, "spec.template.spec.restartPolicy", release())
    assert (facts.enum, facts.default) == (("Never", "OnFailure"), None)
    for name in ("spec.restartPolicy", "nothing"):
        with pytest.raises(UsageError, match="has no field"):
            field_facts(job, name, release())


def test_everybody_says_the_same_of_the_name_of_a_custom_resource(run: Command) -> None:
    (run.folder / "widgets").mkdir()
    write(run.folder, WIDGET)
    about = {"apiVersion": "example.com/v1", "kind": "Widget"}
    write(run.folder / "widgets", {**about, "metadata": {"name": "A_b"}, "spec": {}})
    kind = group_version_kind(*about.values())
    release = load_crds(WIDGET)
    place = known_place(release, f"{PACKAGE}.Widget", kind, ("metadata", "name"))
    assert place is not None and place.facts.format == "dns-subdomain"
    words = str(next(iter(facts_in_words(place.schema, place.facts))))

    cursor = Cursor(("metadata",), "name", False, frozenset(), *about.values())
    assert words in describe(cursor, prepare(release)).splitlines()
    history = run("history", "Widget.metadata.name", "--crds", "crds.yaml")
    assert words in history.stdout
    done = run("render", "--crds", "crds.yaml", "-t", "site", "-o", "out")
    assert done.returncode == 0, done.stderr
    page = run.folder / "out" / "site" / "crds" / kind.api_version / "Widget"
    assert words.partition(":")[0] in (page / "index.html").read_text()
    schemas = FileSchemas(release, strict=True, refers=True)
    schema = schemas.file(f"{PACKAGE}.Widget", kind).decode()
    assert json.dumps(place.facts.pattern)[1:-1] in schema
    done = run("check", "widgets", "--crds", "crds.yaml", "--to", NEWEST, "-f", "json")
    rules = [
        (each["rule"], each["path"]) for each in json.loads(done.stdout)["findings"]
    ]
    assert rules == [("invalid-name", "metadata.name")]


def test_hover_and_histories_have_the_rules_between_fields(run: Command) -> None:
    place = ("spec", "strategy"), "rollingUpdate"
    cursor = Cursor(*place, False, frozenset(), "apps/v1", "Deployment")
    rule = "Without rollingUpdate where type is Recreate"
    assert rule in describe(cursor, prepare(release())).splitlines()
    for field in ("rollingUpdate", "type"):
        history = run("history", f"deploy.spec.strategy.{field}")
        assert f"  {rule}" in history.stdout.splitlines()
    assert "where type" not in run("history", "deploy.spec.replicas").stdout


def test_words_of_types_gates_and_immutable_fields() -> None:
    quantities = {"additionalProperties": {"$ref": "#/definitions/io.k8s.Quantity"}}
    lists = {"type": "array", "items": {"type": "object", **quantities}}
    assert type_in_words(schema_of(lists)) == "list of map of Quantity"
    kinds = [GroupVersionKind("", "v1", "Pod"), GroupVersionKind("batch", "v1", "Job")]
    assert str(immutable_in_words(kinds)) == "Fixed once the Job or Pod exists"
    gate = gate_in("HostnameOverride", "1.35")
    assert gate is not None
    assert (
        str(gate_in_words(gate)) == "Beta, on unless the gate HostnameOverride is off"
    )


class Said(NamedTuple):
    """What somebody says of a field."""

    required: bool
    deprecated: bool
    values: str
    default: str


def in_words(phrases: Iterator[Phrase], *, is_required: bool) -> Said:
    said = {phrase.fact: phrase for phrase in phrases}
    values, default = said.get("values"), said.get("default")
    return Said(
        is_required,
        "deprecated" in said,
        values.short if values else "",
        default.short.removeprefix("default ") if default else "",
    )


def known(release: Release, name: str) -> Mapping[str, KnownField]:
    return {field.name: field for field in known_fields(release, name)}


@cache
def release() -> Release:
    return load("1.35")


@pytest.mark.nightly
def test_everybody_says_the_same_of_every_field() -> None:
    site = ReleaseFields(release(), page_addresses(release()), {})
    model = make_model(release())
    editor = editor_definitions()
    for definition in release().definitions.values():
        linked_definition = model.definition(definition.name)
        assert linked_definition is not None
        linked = {field.name: field for field in linked_definition.fields}
        rows = {row.name: row for row in site.of(definition.name).rows}
        for name, field in known(release(), definition.name).items():
            at = (definition.name, name)
            phrases = field_in_words(field, definition.schema.field_names)
            expected = in_words(phrases, is_required=field.required)
            row = rows[name]
            shown = [row.facts.beside, *row.facts.lines]
            values = [each for each in shown if each and each.fact == "values"]
            assert expected == Said(
                row.facts.required,
                any(text.startswith("deprecated") for text in row.facts.stages),
                values[0].short if values else "",
                row.facts.default if not row.facts.varies else expected.default,
            ), at
            if definition.name != EVENT:
                assert linked[name].is_needed == field.required, at
                assert linked[name].facts == field.facts, at
                assert linked[name].is_deprecated == expected.deprecated, at
            if definition.name in editor:
                schema = editor[definition.name]
                is_required = name in schema.get("required", ())
                assert is_required == field.required, at
                default = field.facts.default
                stated = schema["properties"][name].get("default")
                assert stated == (default.value if default else None), at


def editor_definitions() -> dict[str, Any]:
    """The types in the schemas for editors that are no kinds."""
    found: dict[str, Any] = {}
    schemas = FileSchemas(release(), strict=True, refers=True)
    for kind in schema_kinds(release(), is_built_in):
        found |= json.loads(schemas.file(kind.definition, kind.key))["definitions"]
    return found


@pytest.mark.nightly
def test_hover_and_completion_offer_what_check_accepts() -> None:
    """At each place of each kind that a path without keys of maps leads to."""
    checked = prepare(release())
    seen: set[tuple[str, str]] = set()
    for definition, kind in kind_definitions(release()).items():
        own = set(facts_in_kind("1.35", kind))
        for path, field, owner in field_paths(
            release().definitions[definition], release()
        ):
            if (owner, field.name) in seen and path not in own:
                continue
            seen.add((owner, field.name))
            place = known_place(release(), definition, kind, path.split("."))
            if place is not None:
                check_place(checked, kind, definition, path, place)
    assert len(seen) > 2_500


def check_place(
    checked: CheckedRelease,
    kind: GroupVersionKind,
    definition: str,
    path: str,
    place: KnownField,
) -> None:
    *outer, name = path.split(".")
    steps: list[str | int] = []
    schema = release().definitions[definition].schema
    for step in outer:
        inner = schema.field(step)
        assert inner is not None
        steps.append(step)
        while content := inner.items:
            inner = content
            steps.append(0)
        if inner.values is not None:
            return
        schema = release().resolve(inner)
    cursor = Cursor(tuple(steps), name, False, frozenset(), kind.api_version, kind.kind)
    lines = describe(cursor, checked).partition("\n\n")[0].splitlines()
    if not outer and name in ("apiVersion", "kind"):
        return
    allowed = place.server.enforced.enum
    if allowed:
        assert listed(list(map(value_in_words, allowed))) in lines, path
        words = suggest(cursor._replace(is_value=True), checked)
        assert {word.word for word in words} <= set(allowed), path
    assert ("Required" in lines) == bool(place.facts.required), path
