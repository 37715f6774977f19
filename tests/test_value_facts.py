"""What the API server knows of values (the tables ``enums``, ``defaults``,
``limits``): the reader, and the tables against documents."""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import product

import pytest

from kubestencil import field_facts
from kubestencil.errors import UsageError
from kubestencil.schema.knowledge.conditions import combinations
from kubestencil.schema.knowledge.places import facts_in_kind
from kubestencil.schema.knowledge.values import (
    FORMATS,
    Default,
    FieldFacts,
    fact_rows,
    server_facts,
)
from kubestencil.schema.types import GroupVersionKind
from tests.cluster import served_document
from tests.conftest import RELEASES, load

POD_SPEC = "io.k8s.api.core.v1.PodSpec"
CONTAINER = "io.k8s.api.core.v1.Container"


def known(definition: str, name: str) -> FieldFacts:
    """What is known of a field in the newest release."""
    return field_facts(definition, name, load(RELEASES[-1]))


def test_facts_of_unknown_fields_are_refused() -> None:
    for definition, name in ((CONTAINER, "nothing"), ("nothing", "name")):
        with pytest.raises(UsageError, match="nothing"):
            known(definition, name)


def test_facts_have_their_origin() -> None:
    facts = known(CONTAINER, "imagePullPolicy")
    assert facts.enum == ("Always", "IfNotPresent", "Never")
    assert facts.origin["enum"] == "server"
    assert facts.default is None
    assert facts.defaults == (
        Default("IfNotPresent", "image!~latest"),
        Default("Always", "image~latest"),
    )
    name = known(CONTAINER, "name")
    assert (name.required, name.format) == (True, "dns-label")


def test_a_default_without_a_condition_always_holds() -> None:
    facts = known("io.k8s.api.apps.v1.DeploymentSpec", "replicas")
    assert (facts.default, facts.minimum) == (Default(1), 0)


def test_facts_of_a_place_are_of_one_kind() -> None:
    kind = GroupVersionKind("rbac.authorization.k8s.io", "v1", "ClusterRoleBinding")
    place = facts_in_kind(RELEASES[-1], kind)["roleRef.kind"]
    assert place.enum == ("ClusterRole",)
    general = server_facts(RELEASES[-1]).of("io.k8s.api.rbac.v1.RoleRef", "kind")
    assert general.enum == ("ClusterRole", "Role")


def test_other_fields_have_no_facts() -> None:
    facts = server_facts(RELEASES[-1]).of(CONTAINER, "nothing")
    assert facts.origin == {} and not facts.enum


@pytest.mark.parametrize("release", RELEASES)
def test_tables_name_fields_that_documents_have(release: str) -> None:
    definitions = load(release).definitions
    rows = fact_rows()
    assert [
        (row.definition, row.field)
        for row in rows
        if row.releases.includes(release)
        and row.definition in definitions
        and row.field not in {f.name for f in definitions[row.definition].fields}
    ] == []


@pytest.mark.parametrize("release", RELEASES)
def test_facts_of_a_kind_end_with_the_kind(release: str) -> None:
    served = {
        f"{kind.api_version}/{kind.kind}"
        for definition in load(release).definitions.values()
        for kind in definition.kinds
    }
    rows = fact_rows()
    named = {row.context for row in rows if row.releases.includes(release)} - {""}
    assert named
    assert {name.partition(":")[0] for name in named} <= served


def test_tables_name_types_that_some_release_has() -> None:
    types = {name for release in RELEASES for name in load(release).definitions}
    rows = fact_rows()
    assert {row.definition for row in rows} <= types


@pytest.mark.parametrize("release", RELEASES)
def test_a_release_has_one_row_for_what_is_said_of_a_field(release: str) -> None:
    subjects = Counter(
        (
            row.definition,
            row.field,
            row.context,
            row.name,
            getattr(row.value, "condition", ""),
        )
        for row in fact_rows()
        if row.releases.includes(release)
    )
    assert [subject for subject, count in subjects.items() if count > 1] == []


@pytest.mark.parametrize("release", RELEASES)
def test_limits_of_a_field_do_not_contradict_each_other(release: str) -> None:
    for place, facts in server_facts(release).fields.items():
        for least, most in (
            (facts.minimum, facts.maximum),
            (facts.min_length, facts.max_length),
        ):
            assert least is None or most is None or least <= most, place


@pytest.mark.parametrize("release", RELEASES)
def test_no_field_is_always_required_that_a_condition_forbids_or_needs(
    release: str,
) -> None:
    facts = server_facts(release)
    contradicting = {
        (definition, field)
        for definition, rules in combinations(release).items()
        for rule in rules
        if (rule.condition and rule.rule in ("needs", "forbids"))
        or (rule.rule.endswith("one-of") and len(rule.fields) > 1)
        for field in rule.fields
        if facts.of(definition, field).required
    }
    assert contradicting == set()


def test_all_enums_of_a_real_server_are_in_the_table() -> None:
    """A server's /openapi/v2 has enums, those of Go types with the marker +enum."""
    document = json.loads(served_document("openapi-v2.json", "bare"))
    facts = server_facts("1.35")
    missing = {
        (definition, field)
        for definition, schema in document["definitions"].items()
        for field, value in schema.get("properties", {}).items()
        for values in [value.get("enum") or value.get("items", {}).get("enum")]
        if values and not facts.of(definition, field).enum
    }
    assert not missing


def test_formats_are_those_that_the_reader_knows() -> None:
    formats = {row.value for row in fact_rows() if row.name == "format"}
    assert formats <= FORMATS.keys()


#: Texts at the borders of formats.
TEXTS = tuple(
    "".join(parts)
    for length in range(1, 5)
    for parts in product(("a", "Z", "0", "-", "_", ".", "/", "*."), repeat=length)
)


@pytest.mark.parametrize("name", [name for name in FORMATS if FORMATS[name].expression])
def test_expressions_of_formats_accept_the_same_texts(name: str) -> None:
    """They are in JSON Schemas, where nothing else says what a text has to be."""
    text_format = FORMATS[name]
    match = re.compile(text_format.expression).fullmatch
    for text in (*TEXTS, "a.b.c", "a.b/c", "/a/../b", "é", " ", "=", "a%", "a\n", ":"):
        assert (match(text) is not None) == text_format.accepts(text), text


@pytest.mark.parametrize(
    ("name", "accepted", "refused"),
    [
        ("dns-label", "a" * 63, "a" * 64),
        ("dns-label", "a-0", "a-"),
        ("dns-subdomain", "a." * 126 + "a", "a." * 127),
        ("dns-search", f"{'a.' * 126}a.", "a.."),
        ("dns-subdomain-or-wildcard", "*." + "a" * 253, "*." + "a" * 254),
        ("qualified-name", f"{'a' * 253}/{'a' * 63}", f"a/{'a' * 64}"),
        ("port-name", "a" * 15, "a" * 16),
        ("port-name", "0-a", "0-1"),
        ("config-key", "a" * 253, "a" * 254),
        ("config-key", "..-".removeprefix("."), "..a"),
        ("c-identifier", "_a", "é"),
        ("absolute-path", "/a\nb", "a"),
        ("relative-path", "a/...", "a/.."),
        ("non-resource-url", "*", "/*a"),
        ("webhook-path", "/a.b/c/", "/a_b"),
        ("domain-path", "a/b%2", "a/b c"),
        ("dns-subdomain-prefix", "a.b-", "a."),
        ("path-segment", "...", "a%"),
        ("label-value", "a", "a\n"),
    ],
)
def test_borders_of_formats(name: str, accepted: str, refused: str) -> None:
    assert FORMATS[name].accepts(accepted)
    assert not FORMATS[name].accepts(refused)
