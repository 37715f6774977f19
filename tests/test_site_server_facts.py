"""What pages show of fields that the API server knows and documents do not say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import pytest

from kubestencil.schema import Field, Release
from kubestencil.schema.facts.values import Default, FieldFacts
from kubestencil.schema.kinds import kind_definitions
from kubestencil.schema.types import schema_of
from kubestencil.schema.well_known import OBJECT_META
from kubestencil.targets.site.addresses import page_addresses
from kubestencil.targets.site.fields.rows import FieldRow, ReleaseFields
from kubestencil.targets.site.fields.schema_labels import attributes_of
from kubestencil.targets.site.fields.server_facts import (
    changed_in,
    server_attributes,
    without_repetition,
)
from kubestencil.targets.site.release_context import ReleaseContexts, TypeChange
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


def facts(definition: str, name: str) -> dict[str, tuple[str, ...]]:
    """What only the server knows of a field."""
    rows = {row.name: row for row in fields().of(definition).rows}
    return dict(rows[name].facts)


@pytest.mark.parametrize(
    ("definition", "name", "expected"),
    [
        (
            "Container",
            "imagePullPolicy",
            {
                "allowed values": ("Always", "IfNotPresent", "Never"),
                "default": (
                    "IfNotPresent if image has another tag than latest, or a digest",
                    "Always if image has the tag latest, or neither tag nor digest",
                ),
            },
        ),
        (
            "ContainerPort",
            "containerPort",
            {"minimum": ("1",), "maximum": ("65535",)},
        ),
        (
            "PodSpec",
            "restartPolicy",
            {
                "allowed values": ("Always", "Never", "OnFailure"),
                "allowed values in CronJob, Job": ("Never", "OnFailure"),
                "required in CronJob, Job": (),
                "default": ("Always",),
            },
        ),
        (
            "ServiceSpec",
            "type",
            {
                "allowed values": (
                    "ClusterIP", "ExternalName", "LoadBalancer", "NodePort",
                ),
            },
        ),
        (
            "ServiceSpec",
            "externalTrafficPolicy",
            {
                "default": (
                    "Cluster if type is LoadBalancer or type is NodePort",
                )
            },
        ),
        ("Secret", "type", {"immutable": ()}),
        (
            "PersistentVolumeSpec",
            "csi",
            {"immutable in PersistentVolume": ()},
        ),
        ("Container", "image", {"required": ()}),
        ("Container", "resizePolicy", {"unique keys": ("resourceName",)}),
    ],
)  # fmt: skip
def test_facts_of_fields(
    definition: str, name: str, expected: dict[str, tuple[str, ...]]
) -> None:
    assert expected.items() <= facts(f"{CORE}.{definition}", name).items()


def test_values_that_hold_in_a_deployment_only() -> None:
    names = [
        name
        for name, values in facts(f"{CORE}.PodSpec", "restartPolicy").items()
        if values == ("Always",) and name.startswith("allowed values in")
    ]
    (name,) = names
    assert "DaemonSet, Deployment, " in name


def test_names_of_objects_are_facts_of_their_kind() -> None:
    metadata = facts(f"{CORE}.Service", "metadata")
    assert metadata["name: format"][0].startswith("dns-1035-label: ")
    assert not any(name.startswith("name: required") for name in metadata)
    # Every kind has this type; its own page does not list what each of them needs.
    name = facts("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta", "name")
    assert not any(" in " in attribute for attribute in name)


def test_facts_and_descriptions_do_not_contradict() -> None:
    """A description of defaultMode says 0644, which is 420 in JSON, and a deadline of
    600 is no 600s."""
    for row in all_rows():
        known, stated = dict(row.facts).keys(), dict(row.attributes)
        assert "stated values" not in stated or "allowed values" not in known, row
        assert "stated default" not in stated or "default" not in known, row
        assert "allowed values" not in stated or "allowed values" not in known, row
        if row.type.startswith("integer ("):
            for value in stated.get("stated default", ()):
                assert value.removeprefix("-").isdigit(), row
    mode = facts(f"{CORE}.SecretVolumeSource", "defaultMode")
    assert mode["default"] == ("420",)


def all_rows() -> list[FieldRow]:
    return [row for name in load("1.35").definitions for row in fields().of(name).rows]


def test_the_server_does_not_repeat_the_document() -> None:
    enum = {"type": "string", "enum": ["B", "A"], "maxLength": 3}
    item = Field("a", schema_of(enum), False)
    known = FieldFacts(enum=("A", "B"), max_length=2, defaults=(Default("A"),))
    document, server = without_repetition(
        tuple(attributes_of(item.schema)), server_attributes(item, known)
    )
    assert document == [("allowed values", ("B", "A"))]
    assert server == [("default", ("A",)), ("max length", ("2",))]


def test_no_row_says_the_same_twice() -> None:
    for row in all_rows():
        names = [name for name, _ in (*row.attributes, *row.facts)]
        assert len(names) == len(set(names)), row
        assert sum(name.startswith("immutable") for name in names) <= 1, row


@pytest.mark.parametrize(("release", "mark"), [("1.29", ""), ("1.35", " since 1.35")])
def test_a_fact_has_the_release_that_changed_it(release: str, mark: str) -> None:
    releases = [load("1.29"), load("1.35")]
    changes = ReleaseContexts(releases).of(release).changes
    chosen = releases[release == "1.35"]
    rows = ReleaseFields(chosen, page_addresses(chosen), changes)
    env = {row.name: dict(row.facts) for row in rows.of(f"{CORE}.EnvVar").rows}
    assert f"format{mark}" in env["name"]
    # Pods of StatefulSets were not checked in 1.29: no reason to say "required: no".
    assert "required" not in env["name"]


def test_a_fact_has_the_last_release_that_changed_it_up_to_that_of_the_page() -> None:
    change = TypeChange(
        "1.30", "a", "a", "minimum-changed", "warning", "minimum changed", (), ""
    )
    assert changed_in([change, change._replace(release="1.36")], "1.35") == {
        "minimum": "1.30"
    }


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
        if any(name.startswith("default") for name, _ in row.facts)
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
