"""Fields that the API server required before documents listed them, as the facts of the
older release say, beside documents and a real server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

import pytest

from kubestencil.schema.knowledge.values import server_facts
from kubestencil.source import embedded
from kubestencil.source.releases import release_order
from tests.api_server import Client, Reply
from tests.conftest import load

_STEPS = [*pairwise(sorted(embedded.releases(), key=release_order))]

# Definitions that only the server writes: of lists and of statuses.
_SERVER_WRITTEN = (
    "Condition",
    "HostIP",
    "List",
    "PodIP",
    "ServerStorageVersion",
)


@pytest.mark.parametrize(("before", "after"), _STEPS)
def test_fields_that_a_document_begins_to_list_were_required_before(
    before: str, after: str
) -> None:
    facts = server_facts(before)
    unknown = [
        field for field in _newly_listed(before, after) if not facts.of(*field).required
    ]
    assert unknown == []


def _newly_listed(before: str, after: str) -> Iterator[tuple[str, str]]:
    old = load(before).definitions
    for name, definition in load(after).definitions.items():
        if name in old:
            fields = {field.name: field.required for field in old[name].fields}
            for field in definition.fields:
                is_new = field.required and fields.get(field.name) is False
                if is_new and not name.endswith(_SERVER_WRITTEN):
                    yield name, field.name


def _object(api_version: str, kind: str, **fields: Any) -> dict[str, Any]:
    return {
        "apiVersion": api_version,
        "kind": kind,
        "metadata": {"name": "a"},
        **fields,
    }


_CONTAINERS = [{"name": "a", "image": "a"}]
_ADMISSION = "admissionregistration.k8s.io/v1"
_FLOW_CONTROL = "flowcontrol.apiserver.k8s.io/v1"
# An object without the field, for each one of a version that a default server serves.
OBJECTS = {
    "admissionregistration.v1.ValidatingAdmissionPolicyBinding.spec": _object(
        _ADMISSION, "ValidatingAdmissionPolicyBinding"
    ),
    "admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec.policyName": _object(
        _ADMISSION,
        "ValidatingAdmissionPolicyBinding",
        spec={"validationActions": ["Deny"]},
    ),
    "admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec.validationActions": (
        _object(
            _ADMISSION,
            "ValidatingAdmissionPolicyBinding",
            spec={"policyName": "a.example.com"},
        )
    ),
    "apps.v1.ControllerRevision.data": _object(
        "apps/v1", "ControllerRevision", revision=1
    ),
    "apps.v1.DaemonSet.spec": _object("apps/v1", "DaemonSet"),
    "apps.v1.Deployment.spec": _object("apps/v1", "Deployment"),
    "apps.v1.ReplicaSet.spec": _object("apps/v1", "ReplicaSet"),
    "apps.v1.StatefulSet.spec": _object("apps/v1", "StatefulSet"),
    "authentication.v1.TokenReviewSpec.token": _object(
        "authentication.k8s.io/v1", "TokenReview", spec={}
    ),
    "autoscaling.v1.HorizontalPodAutoscaler.spec": _object(
        "autoscaling/v1", "HorizontalPodAutoscaler"
    ),
    "autoscaling.v2.HorizontalPodAutoscaler.spec": _object(
        "autoscaling/v2", "HorizontalPodAutoscaler"
    ),
    "batch.v1.CronJob.spec": _object("batch/v1", "CronJob"),
    "core.v1.HostAlias.ip": _object(
        "v1",
        "Pod",
        spec={"containers": _CONTAINERS, "hostAliases": [{"hostnames": ["a"]}]},
    ),
    "flowcontrol.v1.FlowSchema.spec": _object(_FLOW_CONTROL, "FlowSchema"),
    "flowcontrol.v1.LimitedPriorityLevelConfiguration.limitResponse": _object(
        _FLOW_CONTROL,
        "PriorityLevelConfiguration",
        spec={"type": "Limited", "limited": {"nominalConcurrencyShares": 1}},
    ),
    "flowcontrol.v1.PriorityLevelConfiguration.spec": _object(
        _FLOW_CONTROL, "PriorityLevelConfiguration"
    ),
    "networking.v1.IPAddress.spec": {
        **_object("networking.k8s.io/v1", "IPAddress"),
        "metadata": {"name": "10.0.0.1"},
    },
}


def test_there_is_an_object_for_every_field_of_a_stable_version() -> None:
    newly_listed = (_newly_listed(*step) for step in _STEPS)
    fields = {".".join(field) for found in newly_listed for field in found}
    stable = {field for field in fields if "alpha" not in field and "beta" not in field}
    assert stable == {f"io.k8s.api.{name}" for name in OBJECTS}


@pytest.fixture(scope="module")
def replies(api_server: Client) -> Mapping[str, Reply]:
    """What a real API server of 1.35 answers to each object."""
    return dict(zip(OBJECTS, api_server.submit_all(OBJECTS.values()), strict=True))


@pytest.mark.parametrize("field", OBJECTS)
def test_a_real_server_refuses_an_object_without_the_field(
    field: str, replies: Mapping[str, Reply]
) -> None:
    reply = replies[field]
    assert reply.status in (400, 422), reply
    name = field.rpartition(".")[2]
    # The message names the field, or one that the missing spec would have.
    assert name in reply.message or f"{name}." in str(reply.causes), reply.message
