"""What pages show of fields that the API server knows and documents do not say."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

import pytest

from kubestencil.schema import Release
from kubestencil.schema.kinds import kind_definitions
from kubestencil.schema.knowledge.places import (
    facts_in_kind,
    immutable_fields,
    known_place,
)
from kubestencil.schema.well_known import OBJECT_META
from kubestencil.targets.site.addresses import page_addresses
from kubestencil.targets.site.fields.rows import FieldRow, ReleaseFields
from kubestencil.targets.site.release_context import ReleaseContexts
from kubestencil.validator.process import Validator
from kubestencil.validator.protocol import Request
from tests.conftest import load
from tests.test_starters import values as starters
from tests.validators import built_validator

CORE = "io.k8s.api.core.v1"


@cache
def fields() -> ReleaseFields:
    release: Release = load("1.35")
    return ReleaseFields(release, page_addresses(release), {})


def facts(definition: str, name: str) -> set[str]:
    """What the page of a type says of a field."""
    rows = {row.name: row for row in fields().of(definition).rows}
    return said(rows[name])


def said(row: FieldRow) -> set[str]:
    beside = [row.facts.beside] if row.facts.beside else []
    texts = {str(phrase) for phrase in (*beside, *row.facts.lines, *row.elsewhere)}
    texts |= {
        text for item in (*row.facts.details, *row.changes) for text in item.values
    }
    if row.facts.default:
        texts.add(f"Default {row.facts.default}")
    return texts | ({"Required"} if row.facts.required else set())


@pytest.mark.parametrize(
    ("definition", "name", "expected"),
    [
        (
            "Container",
            "imagePullPolicy",
            {
                "Always, IfNotPresent or Never",
                "Default IfNotPresent if image has another tag than latest, or a digest",
                "Default Always if image has the tag latest, or neither tag nor digest",
            },
        ),
        ("ContainerPort", "containerPort", {"1 to 65535"}),
        (
            "PodSpec",
            "restartPolicy",
            {
                "Always, Never or OnFailure",
                "Never or OnFailure in CronJob or Job",
                "Required in CronJob or Job",
                "Default Always",
            },
        ),
        (
            "ServiceSpec",
            "type",
            {"ClusterIP, ExternalName, LoadBalancer or NodePort"},
        ),
        (
            "ServiceSpec",
            "externalTrafficPolicy",
            {"Default Cluster if type is LoadBalancer or type is NodePort"},
        ),
        ("Secret", "type", {"Fixed once the Secret exists"}),
        ("PersistentVolumeSpec", "csi", {"fixed once the PersistentVolume exists"}),
        ("Container", "resizePolicy", {"One for each resourceName"}),
        ("ServiceSpec", "loadBalancerClass", {"fixed once the Service exists"}),
        ("PodOS", "name", {"linux or windows"}),
    ],
)  # fmt: skip
def test_facts_of_fields(definition: str, name: str, expected: set[str]) -> None:
    assert expected <= facts(f"{CORE}.{definition}", name)


def test_what_the_server_requires_is_required() -> None:
    rows = {row.name: row for row in fields().of(f"{CORE}.Container").rows}
    assert rows["image"].facts.required


def test_values_that_hold_in_a_deployment_only() -> None:
    (text,) = (
        text
        for text in facts(f"{CORE}.PodSpec", "restartPolicy")
        if text.startswith("Always in ")
    )
    assert "DaemonSet, Deployment, " in text


def places(kind: str) -> dict[str, FieldRow]:
    """The rows of what holds at places of a kind only, by path."""
    return {row.path: row for row in fields().places(kind)}


def test_facts_hold_at_the_places_of_a_kind() -> None:
    """Job takes two of the three policies, and a name of a Service is short."""
    job = "io.k8s.api.batch.v1.Job"
    policy = said(places(job)["spec.template.spec.restartPolicy"])
    assert {"Required", "Never or OnFailure"} <= policy
    assert not any(text.startswith("Default") for text in policy)
    (name,) = said(places(f"{CORE}.Service")["metadata.name"])
    assert name.startswith("Up to 63 characters: ")
    # Every kind has this type; its own page does not list what each of them needs.
    everywhere = facts("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta", "name")
    assert not any(" in " in text for text in everywhere)


def shown_rows(rows: Iterable[FieldRow]) -> Iterator[FieldRow]:
    for row in rows:
        yield row
        yield from shown_rows(row.fields)


def test_pages_of_kinds_say_nothing_of_other_kinds() -> None:
    """825 facts did; and each fact of a place is on the page of its kind."""
    release = load("1.35")
    for definition, kind in kind_definitions(release).items():
        rows = [*shown_rows(fields().of(definition).rows), *fields().places(definition)]
        for row in rows:
            assert not row.elsewhere, (kind, row.path)
            for text in said(row):
                about = re.fullmatch(r"(?:F|.* f)ixed once the (\w+) exists", text)
                assert about is None or about[1] == kind.kind, (kind, row.path)
        shown = {row.path: row for row in rows}
        known = {*facts_in_kind("1.35", kind), *immutable_fields("1.35").get(kind, ())}
        known -= {*fields().fixed(release.definitions[definition])}
        for path in known:
            place = known_place(release, definition, kind, path.split("."))
            assert place is None or shown[path].facts.required == place.required, path


def test_what_holds_for_most_fields_is_said_once() -> None:
    spec, *_ = fields().of(f"{CORE}.Pod").rows
    assert "Most fields are fixed once the Pod exists" in said(spec)
    lines = [str(line) for row in spec.fields for line in row.facts.lines]
    assert not any("fixed once" in line.lower() for line in lines)
    tolerations = next(row for row in spec.fields if row.name == "tolerations")
    assert "fixed once the Pod exists" not in said(tolerations)


def test_facts_and_descriptions_do_not_contradict() -> None:
    """A description of defaultMode says 0644, which is 420 in JSON, and a deadline of
    600 is no 600s."""
    for row in all_rows():
        defaults = [text for text in said(row) if re.match(r"Default [^ ]+\Z", text)]
        assert len(defaults) <= 1, row
        if row.type == "integer" and not row.container and defaults:
            assert defaults[0].removeprefix("Default ").lstrip("-").isdigit(), row
    assert "Default 420" in facts(f"{CORE}.SecretVolumeSource", "defaultMode")


def all_rows() -> list[FieldRow]:
    return [row for name in load("1.35").definitions for row in fields().of(name).rows]


def test_no_row_says_the_same_twice() -> None:
    for row in all_rows():
        lines = [str(line) for line in (*row.facts.lines, *row.elsewhere)]
        assert len(lines) == len(set(lines)), row


@pytest.mark.parametrize(("release", "mark"), [("1.29", ""), ("1.35", " since 1.35")])
def test_a_fact_has_the_release_that_changed_it(release: str, mark: str) -> None:
    releases = [load("1.29"), load("1.35")]
    changes = ReleaseContexts(releases).of(release).changes
    chosen = releases[release == "1.35"]
    rows = ReleaseFields(chosen, page_addresses(chosen), changes, "1.29")
    by_name = {row.name: row for row in rows.of(f"{CORE}.EnvVar").rows}
    name = said(by_name["name"])
    assert any(mark in text for text in name), name
    assert any("since" in text for text in name) is bool(mark)


# What the server computes for one object.
COMPUTED = {
    ("CertificateSigningRequestSpec", "username"),
    ("CustomResourceDefinitionNames", "listKind"),
    ("DeviceTaint", "timeAdded"),
    ("JobSpec", "manualSelector"),
    ("PersistentVolumeClaim", "apiVersion"),
    ("PersistentVolumeClaim", "kind"),
}


@pytest.mark.server
def test_pages_show_each_default_that_the_server_fills_into_starters() -> None:
    release = load("1.35")
    kinds = {
        f"{kind.api_version} {kind.kind}": definition
        for definition, kind in kind_definitions(release).items()
    }
    found: set[tuple[str, str]] = set()
    with Validator(built_validator("1.35")) as validator:
        for kind, starter in starters(release).items():
            stored = validator.submit(Request("default", starter)).result().object
            # Bindings and the like are not stored.
            if stored is not None:
                found |= set(filled_in(release, kinds[kind], starter, stored))
    assert len(found) > 60
    shown = {
        (definition, row.name)
        for definition in release.definitions
        for row in fields().of(definition).rows
        if any(text.startswith("Default") for text in said(row))
    }
    names = {(name.rpartition(".")[2], field) for name, field in found - shown}
    assert names <= COMPUTED


def filled_in(
    release: Release,
    definition: str,
    sent: Mapping[str, Any],
    stored: Mapping[str, Any],
) -> Iterator[tuple[str, str]]:
    """The fields with texts, numbers and booleans that only the stored object has."""
    for item in release.definitions[definition].fields:
        value: Any = stored.get(item.name)
        schema = item.schema.items or item.schema
        if item.name not in sent:
            if value not in (None, "") and not isinstance(value, (dict, list)):
                yield definition, item.name
        elif schema.ref and schema.ref != OBJECT_META:
            old, new = sent[item.name], value
            pairs = (
                zip(old, new, strict=True) if isinstance(new, list) else [(old, new)]
            )
            for before, after in pairs:
                if isinstance(before, dict):
                    yield from filled_in(release, schema.ref, before, after)
