"""Feature gates and the fields that they guard."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import replace

import pytest

from kubestencil.diff import compare
from kubestencil.schema.knowledge.gates import (
    GateStage,
    gate_in,
    gate_of,
    gate_rows,
    gated_field_rows,
    gated_fields,
)
from kubestencil.schema.knowledge.snapshots import snapshots
from kubestencil.source import embedded
from tests.conftest import load

POD_SPEC = "io.k8s.api.core.v1.PodSpec"


def test_a_gate_changes_its_stage_with_the_release() -> None:
    stages = [gate_in("SidecarContainers", f"1.{minor}") for minor in (27, 28, 29, 33)]
    assert stages == [
        None,
        GateStage("SidecarContainers", "alpha", enabled=False, locked=False),
        GateStage("SidecarContainers", "beta", enabled=True, locked=False),
        GateStage("SidecarContainers", "stable", enabled=True, locked=True),
    ]


@pytest.mark.parametrize(
    ("definition", "field", "release", "stage"),
    [
        # By a marker.
        (POD_SPEC, "hostnameOverride", "1.34", "HostnameOverride alpha off"),
        # By the comment of the field.
        (
            "io.k8s.api.batch.v1.CronJobSpec",
            "timeZone",
            "1.25",
            "CronJobTimeZone beta on",
        ),
        # By the code that drops it.
        ("io.k8s.api.batch.v1.JobSpec", "managedBy", "1.31", "JobManagedBy alpha off"),
        ("io.k8s.api.batch.v1.JobSpec", "managedBy", "1.32", "JobManagedBy beta on"),
        # In another struct than the one of the internal types.
        (POD_SPEC, "hostUsers", "1.33", "UserNamespacesSupport beta on"),
        # A kind.
        (
            "io.k8s.api.certificates.v1beta1.ClusterTrustBundle",
            "",
            "1.33",
            "ClusterTrustBundle beta off",
        ),
        # In a struct that is inlined.
        ("io.k8s.api.core.v1.Volume", "image", "1.31", "ImageVolume alpha off"),
    ],
)
def test_a_field_has_the_gate_that_guards_it(
    definition: str, field: str, release: str, stage: str
) -> None:
    gate = gate_of(definition, field, release)
    assert gate is not None
    default = "on" if gate.enabled else "off"
    assert f"{gate.gate} {gate.level} {default}" == stage


def test_of_several_gates_the_one_that_is_off_decides() -> None:
    # It needs DRAResourceClaimDeviceStatus, too, which is on.
    gate = gate_of("io.k8s.api.resource.v1.Device", "bindsToNode", "1.34")
    assert gate == GateStage(
        "DRADeviceBindingConditions", "alpha", enabled=False, locked=False
    )


@pytest.mark.parametrize(
    ("field", "release"),
    [("hostUsers", "1.24"), ("containers", "1.35"), ("workloadRef", "1.36")],
)
def test_other_fields_have_no_gate(field: str, release: str) -> None:
    assert gate_of(POD_SPEC, field, release) is None


@pytest.mark.parametrize("release", embedded.releases())
def test_gated_fields_are_in_the_document_of_the_release(release: str) -> None:
    definitions = load(release).definitions
    for (definition, field), _ in gated_fields(release).items():
        fields = {value.name for value in definitions[definition].fields}
        assert not field or field in fields


def test_every_gated_field_names_a_gate_of_its_releases() -> None:
    *_, newest = snapshots()
    for row in gated_field_rows():
        for gate in row.gates:
            assert gate_in(gate, row.releases.first) is not None
            assert gate_in(gate, row.releases.last or newest) is not None


def test_the_ranges_of_a_gate_do_not_overlap() -> None:
    for release in embedded.releases():
        gates = [row.gate for row in gate_rows() if row.releases.includes(release)]
        assert len(gates) == len(set(gates)) > 100


# What a description says of a field that is gated; independent of the words by which
# the table was made.
_STAGE = re.compile(r"\bthis (?:field )?is an? (alpha|beta)[ -]", re.IGNORECASE)
# Gates whose fields were described as of an earlier stage for some releases.
_OUTDATED = {
    "CustomResourceValidationExpressions",
    "DRAAdminAccess",
    "DRADeviceTaints",
    "DynamicResourceAllocation",
    "ExpandCSIVolumes",
    "HPAContainerMetrics",
    "PersistentVolumeLastPhaseTransitionTime",
    "PodLevelResources",
    "PodObservedGenerationTracking",
    "PreferSameTrafficDistribution",
    "ProbeTerminationGracePeriod",
    "RecoverVolumeExpansionFailure",
    "ServiceTrafficDistribution",
}


def test_stages_agree_with_descriptions() -> None:
    agreed, outdated = 0, set()
    for release in embedded.releases():
        for gate, described in _described_stages(release):
            if described == gate.level:
                agreed += 1
            else:
                assert (described, gate.level) in {
                    ("alpha", "beta"),
                    ("alpha", "ga"),
                    ("beta", "ga"),
                }
                outdated.add(gate.gate)
    assert agreed > 300
    assert outdated == _OUTDATED


def _described_stages(release: str) -> Iterator[tuple[GateStage, str]]:
    """The gates of fields whose descriptions name a stage, with that."""
    definitions = load(release).definitions
    for (definition, name), gate in gated_fields(release).items():
        for field in definitions[definition].fields:
            match = _STAGE.search(field.schema.description)
            if field.name == name and match:
                yield gate, match[1].lower()


def test_gates_agree_with_the_help_of_a_real_server() -> None:
    binary = os.environ.get("KUBESTENCIL_APISERVER")
    if not binary:
        pytest.skip("KUBESTENCIL_APISERVER names no kube-apiserver")
    text = subprocess.run(
        [binary, "--help"], capture_output=True, text=True, check=True
    ).stdout
    version = subprocess.run(
        [binary, "--version"], capture_output=True, text=True, check=True
    ).stdout
    match = re.search(r"v(\d+\.\d+\.\d+)", version)
    assert match is not None
    listed = re.findall(
        r"(?:kube:)?(\w+)=true\|false \((ALPHA|BETA) - default=(true|false)\)", text
    )
    assert len(listed) > 100
    # Others are gates of libraries, which guard no fields.
    table = {row.gate for row in gate_rows()}
    for name, stage, default in listed:
        if name in table:
            gate = gate_in(name, match[1])
            assert gate is not None
            assert (gate.level, gate.enabled) == (stage.lower(), default == "true")


def test_gates_of_component_base_are_in_the_table() -> None:
    """They stand in functions, and one had a constant for its default."""
    stages = [gate_in("ContextualLogging", release) for release in ("1.29", "1.30")]
    assert [stage and (stage.level, stage.enabled) for stage in stages] == [
        ("alpha", False),
        ("beta", True),
    ]
    assert gate_in("LoggingBetaOptions", "1.35")
    assert gate_in("ComponentSLIs", "1.34") and not gate_in("ComponentSLIs", "1.35")


def test_a_patch_can_take_a_default_back() -> None:
    """Patches of 1.32, 1.34 and 1.35 did; their minor versions are as the newest patch."""
    field = "io.k8s.api.apps.v1.RollingUpdateStatefulSetStrategy", "maxUnavailable"
    enabled = {
        release: (gate := gate_of(*field, release)) and gate.enabled
        for release in ("1.35", "1.35.3", "1.35.4", "1.35.9", "1.36")
    }
    assert enabled == {
        "1.35": False, "1.35.3": True, "1.35.4": False, "1.35.9": False, "1.36": False,
    }  # fmt: skip
    before, after = (replace(load("1.35"), name=f"1.35.{patch}") for patch in (3, 4))
    changed = [gate.gate for gate in compare(before, after).gates]
    assert changed == ["MaxUnavailableStatefulSet", "SchedulerAsyncAPICalls"]
