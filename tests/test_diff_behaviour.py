"""What feature gates change: each row of the table is in the reports."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from itertools import pairwise

import pytest

from kubestencil.diff import compare
from tests.conftest import EMBEDDED_PAIRS, RELEASES, load
from tests.diff_specs import embedded
from tests.facts import rows_of
from tests.reports import comparison_report

#: Over several releases; what changed between these is known.
WIDE = "1.29", "1.35"


def table(release: str) -> Mapping[str, tuple[str, ...]]:
    """The gates of a release, read without the package."""
    rows = rows_of("feature-gates", release)
    gates = {gate: (stage, default, locked) for gate, stage, default, locked, _ in rows}
    assert len(gates) == len(rows)
    return gates


@pytest.mark.parametrize("pair", [*EMBEDDED_PAIRS, WIDE], ids="..".join)
def test_no_change_of_a_gate_is_missing(pair: tuple[str, str]) -> None:
    minors = range(*(int(name.partition(".")[2]) for name in pair))
    tables = [table(f"1.{minor}") for minor in (*minors, minors.stop)]
    differing = {
        gate
        for before, after in pairwise(tables)
        for gate in before.keys() | after.keys()
        if before.get(gate) != after.get(gate)
    }
    comparison = compare(*map(embedded, pair))
    assert {gate.gate for gate in comparison.gates} == differing
    for format_name in ("markdown", "text", "release-note", "html"):
        report = comparison_report(comparison, format_name).replace("<wbr>", "")
        assert not [gate for gate in differing if gate not in report], format_name
    data = json.loads(comparison_report(comparison, "json"))
    assert [gate["gate"] for gate in data["gates"]] == [
        gate.gate for gate in comparison.gates
    ]


@pytest.mark.parametrize("pair", [*pairwise(RELEASES), WIDE], ids="..".join)
def test_paths_are_those_that_servers_accept(pair: tuple[str, str]) -> None:
    """Pods have claims in containers only, and ephemeral containers have no probes, ports
    or restarts. The fields that people use lead to what several have in common."""
    refused = re.compile(
        r"Pod\.spec\.(resources\.claims|ephemeralContainers\.(lifecycle|\w+Probe|ports|"
        r"res\w+))\b"
    )
    comparison = compare(*map(embedded, pair))
    guarded = [guard.path for gate in comparison.gates for guard in gate.guards]
    paths = [change.users_path for change in comparison.notices]
    assert not list(filter(refused.match, (*guarded, *paths)))
    text = comparison_report(comparison, "text").partition("\nAPI versions\n")[0]
    assert not refused.search(text)
    assert not refused.search(comparison_report(comparison, "release-note"))


def test_paths_are_the_most_used_ones() -> None:
    comparison = compare(embedded("1.29"), embedded("1.35"))
    paths = {change.users_path for change in (*comparison.changes, *comparison.notices)}
    assert {
        "Pod.spec.containers.resources.claims",
        "Pod.spec.containers.lifecycle.preStop.sleep",
        "Ingress.spec.rules.http.paths.backend.service.port",
    } <= paths


@pytest.mark.parametrize("pair", EMBEDDED_PAIRS, ids="..".join)
def test_what_happened_to_a_gate_follows_from_the_table(pair: tuple[str, str]) -> None:
    old, new = map(table, pair)
    expected = {}
    for gate in old.keys() | new.keys():
        was_on = old.get(gate, ("", "off", ""))[1] == "on"
        is_on = new.get(gate, old.get(gate, ("", "", "")))[1] == "on"
        if old.get(gate) == new.get(gate):
            continue
        if is_on is not was_on:
            expected[gate] = "on" if is_on else "off"
        elif gate not in new:
            expected[gate] = "removed"
        elif gate not in old:
            expected[gate] = "added"
        else:
            newly_locked = new[gate][2] == "locked" != old[gate][2]
            expected[gate] = "locked" if newly_locked else "stage"
    changes = compare(*map(embedded, pair)).gates
    assert {change.gate: change.event for change in changes} == expected


def test_gates_that_guard_no_field_have_their_components() -> None:
    """Each was missing while only gates of fields were reported."""
    gates = {
        change.gate: change
        for pair in pairwise(RELEASES)
        for change in compare(*map(embedded, pair)).gates
        if change.event == "on"
    }
    for gate, component in (
        ("AuthorizePodWebsocketUpgradeCreatePermission", "kube-apiserver"),
        ("PreventStaticPodAPIReferences", "kubelet"),
        ("KubeletEnsureSecretPulledImages", "kubelet"),
        ("DisableCPUQuotaWithExclusiveCPUs", "kubelet"),
        ("SchedulerQueueingHints", "kube-scheduler"),
        ("StreamingCollectionEncodingToJSON", "kube-apiserver"),
        ("WatchListClient", "client-go"),
        ("NodeLocalCRISocket", "kubeadm"),
    ):
        assert component in gates[gate].components


def test_a_range_has_a_row_for_each_gate_with_its_releases() -> None:
    comparison = compare(embedded("1.29"), embedded("1.35"))
    assert max(Counter(change.gate for change in comparison.gates).values()) == 1
    report = comparison_report(comparison, "markdown")
    (line,) = re.findall(r"^- \*\*SidecarContainers\*\*.*", report, re.MULTILINE)
    assert "): beta (on) → GA (on, locked) in 1.33; guards Pod.spec" in line
    # Of those that were removed the names are enough.
    assert ", PodIndexLabel (kube-controller-manager), " in report
    page = comparison_report(comparison, "html")
    assert "beta (on) → GA (on, locked) in 1.32 → removed in 1.35" in page


def test_a_gate_is_part_of_the_kinds_that_it_guards() -> None:
    comparison = compare(embedded("1.34"), embedded("1.35"))
    of_jobs = {gate.gate for gate in comparison.filter(kind="Job").gates}
    assert "JobManagedBy" in of_jobs
    assert "SystemdWatchdog" not in of_jobs
    removed = comparison.filter(severities=["breaking"]).gates
    assert {gate.event for gate in removed} == {"removed"}


def test_documents_before_the_table_have_no_gates() -> None:
    comparison = compare(embedded("1.25"), embedded("1.25"))
    assert comparison.gates == ()


def test_every_change_of_a_stable_or_beta_metric_is_reported() -> None:
    rows = rows_of("metrics", "1.29") ^ rows_of("metrics", "1.35")
    differing = {name for name, *_ in rows}
    comparison = compare(embedded("1.29"), embedded("1.35"))
    assert {metric.name for metric in comparison.metrics} == differing
    assert len(differing) > 10
    removed = "scheduler_pod_scheduling_duration_seconds"
    events = {metric.name: metric.event for metric in comparison.metrics}
    assert events[removed] == "removed"
    assert events["apiserver_storage_objects"] == "deprecated"
    for name in ("text", "markdown", "html", "release-note", "json"):
        report = comparison_report(comparison, name).replace("<wbr>", "")
        assert not [metric for metric in differing if metric not in report], name
    # A document that is none of Kubernetes has no metrics.
    assert not compare(embedded("1.25"), embedded("1.35")).metrics


def test_every_change_of_a_flag_is_reported_with_its_components() -> None:
    comparison = compare(embedded("1.29"), embedded("1.35"))
    events = {(flag.component, flag.name): flag for flag in comparison.flags}
    assert events["kubelet", "pod-infra-container-image"].event == "removed"
    assert events["kube-apiserver", "cloud-provider"].severity == "breaking"
    assert events["kube-apiserver", "emulated-version"].event == "added"
    assert ("kubelet", "cloud-provider") not in events
    for name in ("text", "markdown", "html", "release-note"):
        report = comparison_report(comparison, name).replace("<wbr>", "")
        assert not [flag for flag in comparison.flags if f"--{flag.name}" not in report]
    text = comparison_report(comparison, "text")
    assert "    --cloud-config  kube-apiserver, kubelet  deprecated → removed\n" in text
    assert text.index("Flags removed") < text.index("On by default now")
    kept = compare(embedded("1.36"), embedded("1.37"))
    changed = {flag.name for flag in kept.flags if flag.event == "changed"}
    assert changed == {"enable-logs-handler"}
    line = "    --enable-logs-handler  kube-apiserver  no longer deprecated\n"
    assert line in comparison_report(kept, "text")
    # A document that is older than the table has none.
    assert not compare(embedded("1.25"), embedded("1.35")).flags


def test_reports_name_the_field_that_says_what_a_flag_says() -> None:
    comparison = compare(load("1.27"), load("1.28"))
    fields = {flag.name: flag.to_dict()["field"] for flag in comparison.flags}
    field = "KubeSchedulerConfiguration.leaderElection.resourceName"
    assert fields["lock-object-name"] == field
    assert fields["volume-host-cidr-denylist"] is None
    line = f"--lock-object-name  kube-scheduler  deprecated → removed; field {field}\n"
    assert line in comparison_report(comparison, "text")
    comparison = compare(embedded("1.30"), embedded("1.31"))
    (flag,) = (flag for flag in comparison.flags if flag.event == "changed")
    assert (flag.name, flag.field) == (
        "anonymous-auth",
        "AuthenticationConfiguration.anonymous.enabled",
    )


def test_other_defaults_of_flags_are_reported() -> None:
    comparison = compare(embedded("1.35"), embedded("1.36"))
    changes = {
        flag.name: flag.to_dict()
        for flag in comparison.flags
        if flag.event == "default-changed"
    }
    audit = {"audit-log-maxage", "audit-log-maxbackup", "audit-log-maxsize"}
    assert changes.keys() == audit
    sides = [
        changes["audit-log-maxage"][side]["default"] for side in ("before", "after")
    ]
    assert (*sides, changes["audit-log-maxage"]["severity"]) == ("0", "366", "warning")
    line = "    --audit-log-maxage  kube-apiserver  default 0 → 366\n"
    assert line in comparison_report(comparison, "text")


def test_heads_name_what_to_do() -> None:
    report = comparison_report(compare(embedded("1.30"), embedded("1.31")), "text")
    assert "Other breaking changes" not in report
    title = "Handed over to CSI drivers, which have to be installed"
    assert f"{title}\n    PersistentVolume.spec.portworxVolume  v1" in report
    assert "ResourceClass (resource.k8s.io/v1alpha2" in report
    # A field that got a gate of its own was not "on": its kind was not served.
    report = comparison_report(compare(embedded("1.31"), embedded("1.32")), "text")
    assert "(alpha, without a gate of its own → alpha (off), gate DRAAdm" in report
    # An alpha field that was moved says where to.
    report = comparison_report(compare(embedded("1.33"), embedded("1.34")), "text")
    count = report.partition("devices.requests.count: field removed (alpha)")[2]
    assert "without notice. Use exactly.count." in count.splitlines()[1]


# What CHANGELOG-1.27.md to 1.35.md say of flags. That of 1.32 has two of kube-proxy as
# removed, healthz-port and metrics-port, which all later releases have.
_FLAGS_OF_NOTES = {
    "1.27": "kubelet -container-runtime -master-service-namespace; kube-apiserver "
    "-master-service-namespace; kube-controller-manager -enable-taint-manager "
    "-pod-eviction-timeout",
    "1.28": "kube-proxy +logging-format; kube-scheduler -lock-object-namespace "
    "-lock-object-name; kube-controller-manager +concurrent-cron-job-syncs "
    "+concurrent-job-syncs",
    "1.29": "kube-apiserver +authentication-config +authorization-config; kube-proxy "
    "+init-only +conntrack-tcp-be-liberal",
    "1.31": "kubelet -iptables-masquerade-bit -iptables-drop-bit +fail-cgroupv1; "
    "kube-controller-manager -volume-host-cidr-denylist -volume-host-allow-local-loopback;"
    " kube-proxy -proxy-port-range; kube-apiserver +disable-http2-serving",
    "1.32": "kube-controller-manager +concurrent-daemonset-syncs; kube-apiserver "
    "+service-account-signing-endpoint +requestheader-uid-headers",
    "1.33": "kube-apiserver -cloud-provider -cloud-config +emulation-forward-compatible",
    "1.34": "kubelet -register-schedulable",
    "1.35": "kube-apiserver +min-compatibility-version; kube-scheduler "
    "+min-compatibility-version; kube-controller-manager +min-compatibility-version",
}


@pytest.mark.parametrize("release", _FLAGS_OF_NOTES)
def test_flags_of_release_notes_are_reported(release: str) -> None:
    before = f"1.{int(release.partition('.')[2]) - 1}"
    comparison = compare(load(before), load(release))
    reported = {
        (flag.component, f"{'-' if flag.event == 'removed' else '+'}{flag.name}")
        for flag in comparison.flags
    }
    for claim in _FLAGS_OF_NOTES[release].split(";"):
        component, *names = claim.split()
        assert {(component, name) for name in names} <= reported
