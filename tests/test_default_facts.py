"""The table of defaults beside a real API server: what it fills into starters and minimal
objects is in it, with its condition."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import pytest

from kubestencil.checking.paths import Path, keys_of, value_at
from kubestencil.schema import Release
from kubestencil.schema.kinds import definitions_of_kinds
from kubestencil.schema.knowledge.conditions import parse_term
from kubestencil.schema.knowledge.places import facts_in_kind
from kubestencil.schema.knowledge.values import NO_FACTS, server_facts
from kubestencil.schema.types import GroupVersionKind, group_version_kind
from specs.make.asking.objects import positions
from tests.api_server import Client
from tests.conftest import load
from tests.examples import examples
from tests.test_starters import values as starters

#: What a server fills in that is no default, by the last part of the definition's name and
#: the field, with the reason.
NOT_DEFAULTS: Mapping[str, set[tuple[str, str]]] = {
    "of this object: a name, a time, a number that is counted": {
        ("ObjectMeta", "creationTimestamp"),
        ("ObjectMeta", "generation"),
        ("ObjectMeta", "managedFields"),
        ("ObjectMeta", "namespace"),
        ("ObjectMeta", "resourceVersion"),
        ("ObjectMeta", "uid"),
        ("CertificateSigningRequestSpec", "groups"),
        ("CertificateSigningRequestSpec", "uid"),
        ("CertificateSigningRequestSpec", "username"),
        ("DeviceTaint", "timeAdded"),
        ("JobSpec", "manualSelector"),
        ("JobSpec", "selector"),
        ("PodTemplateSpec", "metadata"),
        ("ServiceSpec", "clusterIP"),
        ("ServiceSpec", "clusterIPs"),
        ("ServiceSpec", "ipFamilies"),
    },
    "of this kind: labels, annotations and finalizers that its strategy adds": {
        ("Namespace", "spec"),
        ("Node", "spec"),
        ("ObjectMeta", "annotations"),
        ("ObjectMeta", "finalizers"),
        ("ObjectMeta", "labels"),
    },
    "made of other fields": {
        ("CustomResourceDefinitionNames", "listKind"),
        ("Secret", "data"),
        ("ServicePort", "targetPort"),
    },
    "an admission plugin's, by the priority class and the service account": {
        ("PodSpec", "preemptionPolicy"),
        ("PodSpec", "priority"),
        ("PodSpec", "tolerations"),
    },
    "written by Go without a meaning": {
        ("JobTemplateSpec", "metadata"),
        ("NetworkPolicy", "spec"),
        ("PersistentVolumeClaim", "apiVersion"),
        ("PersistentVolumeClaim", "kind"),
        ("PersistentVolumeClaim", "status"),
        ("ResourceClaimSpec", "devices"),
        ("ResourceClaimTemplateSpec", "metadata"),
    },
}


class Filled(NamedTuple):
    """A value that a server filled in, and the object around it."""

    kind: GroupVersionKind
    path: str
    definition: str
    field: str
    value: Any
    beside: Mapping[str, Any]


def _filled(release: Release, before: Any, after: Any) -> Iterator[Filled]:
    kind = group_version_kind(before["apiVersion"], before["kind"])
    names = definitions_of_kinds(release)
    for position in positions(release, names[kind], after):
        path = position.path
        if position.is_item or not isinstance(path[-1], str):
            continue
        old, new = _at(before, path[:-1]), value_at(after, path[:-1])
        if isinstance(old, dict) and path[-1] not in old:
            words = {key: part for key, part in new.items() if isinstance(part, str)}
            beside = {**words, **old}
            yield Filled(kind, keys_of(path), *position[1:3], new[path[-1]], beside)


def _at(value: Any, path: Path) -> Any:
    try:
        return value_at(value, path)
    except (LookupError, TypeError):
        return None


def _is_in_table(release: str, filled: Filled) -> bool:
    facts = server_facts(release)
    here = facts_in_kind(release, filled.kind).get(filled.path, NO_FACTS)
    defaults = here.defaults or facts.of(filled.definition, filled.field).defaults
    return any(
        default.value == filled.value
        and all(
            parse_term(term).holds(filled.beside) for term in default.condition.split()
        )
        for default in defaults
    )


@pytest.mark.server
@pytest.mark.parametrize(
    ("release", "server"), [("1.35", "api_server"), ("1.29", "old_api_server")]
)
def test_what_a_server_fills_in_is_in_the_table(
    release: str, server: str, request: pytest.FixtureRequest
) -> None:
    client: Client = request.getfixturevalue(server)
    document = load(release)
    objects = [*starters(document).values(), *examples(document, "required").values()]
    left_out = set[tuple[str, str]]().union(*NOT_DEFAULTS.values())
    missing, count = {}, 0
    for value, reply in zip(objects, client.submit_all(objects), strict=True):
        if not reply.accepted:
            continue
        for filled in _filled(document, value, reply.body):
            name = filled.definition.rpartition(".")[2], filled.field
            if name not in left_out and filled.value not in ({}, "", None, []):
                count += 1
                if not _is_in_table(release, filled):
                    missing[name] = (filled.path, json.dumps(filled.value)[:80])
    assert missing == {}
    assert count > 100
