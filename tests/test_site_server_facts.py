"""What pages show of fields that the API server knows and documents do not say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import pytest

from kubestencil.schema import Release
from kubestencil.schema.kinds import kind_definitions
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
    """What is said of a field beside its name."""
    rows = {row.name: row for row in fields().of(definition).rows}
    return {" ".join((text, *values)).strip() for text, values in rows[name].attributes}


@pytest.mark.parametrize(
    ("definition", "name", "expected"),
    [
        (
            "Container",
            "imagePullPolicy",
            {
                "Always, IfNotPresent or Never",
                "default IfNotPresent if image has another tag than latest, or a digest "
                "Always if image has the tag latest, or neither tag nor digest",
            },
        ),
        ("ContainerPort", "containerPort", {"1 to 65535"}),
        (
            "PodSpec",
            "restartPolicy",
            {
                "Always, Never or OnFailure",
                "Never or OnFailure in CronJob or Job",
                "required in CronJob or Job",
                "default Always",
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
            {"default Cluster if type is LoadBalancer or type is NodePort"},
        ),
        ("Secret", "type", {"fixed once the Secret exists"}),
        ("PersistentVolumeSpec", "csi", {"fixed once the PersistentVolume exists"}),
        ("Container", "resizePolicy", {"resourceNames are unique"}),
        ("ServiceSpec", "loadBalancerClass", {"fixed once the Service exists"}),
        ("PodOS", "name", {"linux or windows"}),
    ],
)  # fmt: skip
def test_facts_of_fields(definition: str, name: str, expected: set[str]) -> None:
    assert expected <= facts(f"{CORE}.{definition}", name)


def test_what_the_server_requires_is_required() -> None:
    rows = {row.name: row for row in fields().of(f"{CORE}.Container").rows}
    assert rows["image"].required


def test_values_that_hold_in_a_deployment_only() -> None:
    (text,) = (
        text
        for text in facts(f"{CORE}.PodSpec", "restartPolicy")
        if text.startswith("Always in ")
    )
    assert "DaemonSet, Deployment, " in text


def test_names_of_objects_are_facts_of_their_kind() -> None:
    metadata = facts(f"{CORE}.Service", "metadata")
    assert any(text.startswith("name: up to 63 characters: ") for text in metadata)
    assert not any("name: required" in text for text in metadata)
    # Every kind has this type; its own page does not list what each of them needs.
    name = facts("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta", "name")
    assert not any(" in " in text for text in name)


def test_facts_and_descriptions_do_not_contradict() -> None:
    """A description of defaultMode says 0644, which is 420 in JSON, and a deadline of
    600 is no 600s."""
    for row in all_rows():
        defaults = [
            values
            for text, values in row.attributes
            if text == "default" and " in " not in values[0]
        ]
        assert len(defaults) <= 1, row
        if row.type.startswith("integer (") and defaults and len(defaults[0]) == 1:
            assert defaults[0][0].split(" ")[0].removeprefix("-").isdigit(), row
    assert "default 420" in facts(f"{CORE}.SecretVolumeSource", "defaultMode")


def all_rows() -> list[FieldRow]:
    return [row for name in load("1.35").definitions for row in fields().of(name).rows]


def test_no_row_says_the_same_twice() -> None:
    for row in all_rows():
        assert len(row.attributes) == len(set(row.attributes)), row
        names = [name for name, _ in row.attributes]
        assert sum(name.startswith("fixed once") for name in names) <= 1, row


@pytest.mark.parametrize(("release", "mark"), [("1.29", ""), ("1.35", " since 1.35")])
def test_a_fact_has_the_release_that_changed_it(release: str, mark: str) -> None:
    releases = [load("1.29"), load("1.35")]
    changes = ReleaseContexts(releases).of(release).changes
    chosen = releases[release == "1.35"]
    rows = ReleaseFields(chosen, page_addresses(chosen), changes)
    by_name = {row.name: row for row in rows.of(f"{CORE}.EnvVar").rows}
    name = by_name["name"]
    assert any(mark in text for text, _ in name.attributes), name
    assert any("since" in text for text, _ in name.attributes) is bool(mark)


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
        if any(name.startswith("default") for name, _ in row.attributes)
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
