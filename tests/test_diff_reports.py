"""Reports: their content, the marks in changed text, and histories."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import replace
from itertools import chain, pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubestencil.diff import Comparison, compare, history, timeline
from kubestencil.diff.rules.audience import SEVERITY_MEANINGS
from kubestencil.schema import Release
from kubestencil.targets.reports.changes import FormattedChange
from kubestencil.targets.reports.report_variables import comparison_variables
from kubestencil.targets.reports.word_diff import (
    diff_words,
    shorten,
    with_spaces_outside,
)
from tests.conftest import FULL_RELEASES as RELEASES
from tests.conftest import NEWEST
from tests.diff_specs import PAIRS, document, embedded, pod, release
from tests.report_pages import check_page
from tests.reports import comparison_report, history_report, timeline_report


def test_json_report_has_the_documented_keys() -> None:
    comparison = json.loads(
        comparison_report(compare(release("1.29"), release("1.35")), "json")
    )
    assert (comparison["from"], comparison["to"]) == ("1.29", "1.35")
    assert list(comparison["summary"]) == ["breaking", "warning", "safe", "docs"]
    graduated = (item["changes"] for item in comparison["graduations"])
    names = "changes", "notices", "gates", "metrics", "flags"
    judged = (*(comparison[name] for name in names), *graduated)
    for severity, count in comparison["summary"].items():
        found = [item for item in chain(*judged) if item["severity"] == severity]
        assert len(found) == count
    (added,) = (
        change
        for change in comparison["changes"]
        if change["definition"] == "io.k8s.api.core.v1.PodSpec"
        and change["field"] == "resources"
    )
    assert added["change"] == "field-added"
    assert added["severity"] == "safe"
    assert added["before"] is None
    reference = "#/definitions/io.k8s.api.core.v1.ResourceRequirements"
    assert added["after"]["$ref"] == reference
    assert {"v1/Pod", "apps/v1/Deployment"} <= set(added["kinds"])
    for change in comparison["changes"]:
        assert change["rule"] in comparison["rules"]
    assert comparison["versions"].keys() == {"added", "removed"}
    graduation_keys = {"id", "group", "from", "to", "left", "kinds", "changes"}
    assert comparison["graduations"][0].keys() == graduation_keys


def entries(comparison: Comparison) -> list[FormattedChange]:
    """What a report has an entry for: changes, those of several versions together."""
    variables = comparison_variables(comparison)
    return [
        change
        for group in (*variables["groups"], *variables["alpha"])
        for kind in group.kinds
        for change in (*kind.changes, *kind.minor)
    ] + [
        change
        for graduation in variables["graduations"]
        for change in graduation.changes
    ]


@pytest.mark.parametrize("format_name", ["text", "markdown", "html"])
def test_every_change_is_in_every_report(format_name: Any) -> None:
    """As many entries as changes, those of graduations included, where the same change
    of several versions is one."""
    comparison = compare(release("1.29"), release("1.35"))
    generated = comparison_report(comparison, format_name)
    in_graduations = sum(
        len(graduation.changes) for graduation in comparison.graduations
    )
    listed = entries(comparison)
    total = len(comparison.changes) + len(comparison.notices) + in_graduations
    assert sum(1 + len(change.other_anchors) for change in listed) == total
    entry = {
        "text": r"(?m)^ +(breaking|warning|safe|docs) {2,}",
        "markdown": r"(?m)^- (breaking|warning|safe|docs): ",
        "html": r"<li id=",
    }[format_name]
    if format_name == "markdown":
        # The others are in the report as HTML: see docs/diff-reference.md.
        listed = [item for item in listed if item.severity in ("breaking", "warning")]
    assert len(re.findall(entry, generated)) == len(listed)


def test_the_same_change_of_several_versions_is_one_entry() -> None:
    def side(limit: int) -> Release:
        return document(
            {
                f"io.k8s.api.apps.{version}.Thing": {
                    "type": "object",
                    "properties": {"size": {"type": "integer", "maximum": limit}},
                    "x-kubernetes-group-version-kind": [
                        {"group": "apps", "version": version, "kind": "Thing"}
                    ],
                }
                for version in ("v1beta1", "v1", "v2")
            }
        )

    comparison = compare(side(5), side(4))
    assert len(comparison.changes) == 3
    (change,) = entries(comparison)
    assert (change.path, change.versions) == ("Thing.size", "v2, v1, v1beta1")
    page = check_page(comparison_report(comparison, "html"))
    anchors = {value for name, value in page.attributes if name == "id"}
    for version in ("v1beta1", "v1", "v2"):
        assert f"io.k8s.api.apps.{version}.Thing:size:maximum-changed" in anchors


def removed_kind(version: str) -> Comparison:
    """A comparison in which a kind of an API version goes away, and one remains."""
    gvk = {"group": "", "version": version, "kind": "Gadget"}
    gadget = {
        f"io.k8s.api.core.{version}.Gadget": {
            "type": "object",
            "x-kubernetes-group-version-kind": [gvk],
        }
    }
    return compare(document({**pod(), **gadget}), document(pod()))


@pytest.mark.parametrize("version", ["v1alpha1", "v2"])
@pytest.mark.parametrize("format_name", ["text", "markdown", "html", "release-note"])
def test_removals_come_first_and_are_never_called_zero_breaking(
    version: str, format_name: Any
) -> None:
    generated = comparison_report(removed_kind(version), format_name)
    headline = "1 API version removed, 1 kind removed in a version"
    assert headline in generated
    assert "0 breaking" not in generated.replace("<b>0</b>", "")
    assert generated.index("Gadget") < generated.index("API versions")
    nothing = compare(document(pod()), document(pod(a={"type": "string"})))
    assert "0 breaking" in comparison_report(nothing, "text")


def test_upgrade_lists_name_replacements_and_releases() -> None:
    """Facts about kinds: what replaces those that are no longer served."""
    comparison = compare(release("1.31"), release("1.32"))
    generated = comparison_report(comparison, "text")
    listed = generated.partition("API versions\n")[0]
    line = next(line for line in listed.splitlines() if "FlowSchema" in line)
    assert "flowcontrol.apiserver.k8s.io/v1beta3" in line
    assert "no longer served; use flowcontrol.apiserver.k8s.io/v1/FlowSchema" in line


def test_no_server_is_said_to_serve_configuration_files() -> None:
    comparison = compare(release("1.34"), release(NEWEST))
    generated = comparison_report(comparison, "text")
    change = generated.partition("ClusterConfiguration: kind removed")[2]
    reason = change.splitlines()[1].strip()
    assert reason.startswith("The component no longer reads files of this kind")
    listed = generated.partition("API versions\n")[0]
    line = next(line for line in listed.splitlines() if "ClusterConfiguration " in line)
    assert "no longer read; use kubeadm.k8s.io/v1beta4/ClusterConfiguration" in line


def test_groups_and_kinds_with_severe_changes_come_first() -> None:
    def kinds(first: Any, second: Any, third: Any) -> Release:
        return document(
            {
                f"io.k8s.api.{group}.v1.{kind}": {
                    "type": "object",
                    "properties": {"a": schema},
                    "x-kubernetes-group-version-kind": [
                        {"group": group, "version": "v1", "kind": kind}
                    ],
                }
                for group, kind, schema in (
                    ("apps", "A", first),
                    ("batch", "B", second),
                    ("batch", "C", third),
                )
            }
        )

    text, number = {"type": "string"}, {"type": "integer"}
    described = {"type": "string", "description": "x"}
    comparison = compare(kinds(text, text, text), kinds(described, described, number))
    groups = comparison_variables(comparison)["groups"]
    assert [
        (group.title, [kind.title for kind in group.kinds]) for group in groups
    ] == [
        ("batch", ["C", "B"]),
        ("apps", ["A"]),
    ]


def test_alpha_is_apart_from_other_changes() -> None:
    variables = comparison_variables(compare(release("1.34"), release("1.35")))
    levels = {
        change.stability
        for group in variables["groups"]
        for kind in group.kinds
        for change in kind.changes
        if not change.stages
    }
    assert "alpha" not in levels
    alpha = {kind.title for group in variables["alpha"] for kind in group.kinds}
    assert "DeviceTaintRule" in alpha


def test_a_range_has_the_release_of_each_change() -> None:
    releases = [release(f"1.{minor}") for minor in (30, 31, 32)]
    steps = [compare(old, new) for old, new in pairwise(releases)]
    comparison = compare(releases[0], releases[-1])
    generated = comparison_report(comparison, "text", steps=steps)
    assert "Release by release" in generated
    assert "  1.30 → 1.31: " in generated
    assert "  1.31 → 1.32: " in generated
    upgrade = generated.partition("API versions\n")[0]
    line = next(line for line in upgrade.splitlines() if "FlowSchema" in line)
    assert line.endswith("  in 1.32")
    ended = next(line for line in upgrade.splitlines() if "volumes.rbd" in line)
    assert "no longer works" in ended and ended.endswith("  in 1.31")
    document = json.loads(comparison_report(comparison, "json", steps=steps))
    assert [step["to"] for step in document["steps"]] == ["1.31", "1.32"]


def test_paths_are_those_that_users_write() -> None:
    comparison = compare(release("1.34"), release("1.35"))
    for format_name in ("text", "markdown", "html", "release-note", "github"):
        generated = comparison_report(comparison, format_name)
        generated = generated.replace("<wbr>", "")
        if format_name not in ("release-note", "github"):
            assert "Node.status.declaredFeatures" in generated
            assert "NodeStatus" in generated
        assert "Job.spec.podFailurePolicy" in generated or format_name == "release-note"


def test_the_text_format_has_reasons() -> None:
    comparison = compare(document(pod(a={"type": "string"})), document(pod()))
    generated = comparison_report(comparison, "text")
    (change,) = comparison.changes
    assert f"\n              {change.reason}\n" in generated


def test_annotations_of_github_are_commands_on_one_line() -> None:
    hostile = "x\n::error::y%0A\r,:\u202e"
    sides = (document(pod(**{hostile: {"type": "string"}})), document(pod()))
    generated = comparison_report(compare(*sides), "github")
    lines = generated.splitlines()
    assert [line.partition(" ")[0] for line in lines] == ["::notice", "::error"]
    assert lines[1].startswith("::error title=kubestencil field-removed::Pod.x ")
    assert "%250A" in lines[1]
    assert "\u202e" not in generated


def test_a_release_note_has_only_lists() -> None:
    comparison = compare(release("1.34"), release("1.35"))
    generated = comparison_report(comparison, "release-note")
    assert generated.startswith("## API changes: 1.34 → 1.35\n")
    assert "\n### Removed, and not served by default before: 3\n" in generated
    assert "\n### Added\n" in generated
    assert "|" not in generated
    assert "description changed" not in generated
    assert len(generated.splitlines()) < 130
    assert len(generated) < 11_000


def test_report_explains_severities() -> None:
    comparison = compare(document(pod()), document(pod(a={"type": "string"})))
    for format_name in ("markdown", "html"):
        generated = comparison_report(comparison, format_name)
        assert "How severities are assigned" in generated
        assert "Backward compatible" in generated
        assert SEVERITY_MEANINGS["warning"] in generated


def test_only_the_served_kinds_that_differ_are_listed() -> None:
    """DeleteOptions is served in each of some sixty API versions."""

    def served(*versions: str) -> Any:
        return document(
            {
                "a.v1.Options": {
                    "x-kubernetes-group-version-kind": [
                        {"group": "apps", "version": version, "kind": "Options"}
                        for version in versions
                    ]
                }
            }
        )

    both = compare(served("v1", "v1beta1"), served("v1", "v2"))
    generated = comparison_report(both, "text")
    assert "[-apps/v1beta1/Options-] {+apps/v2/Options+}" in generated
    added = compare(served("v1"), served("v1", "v2"))
    generated = comparison_report(added, "text")
    assert "served kinds changed  {+apps/v2/Options+}" in generated


def test_what_a_feature_gate_guards_is_listed_with_the_gate() -> None:
    comparison = compare(release("1.34"), release("1.35"))
    text = comparison_report(comparison, "text")
    gates = text.partition("Behaviour")[2].partition("API versions")[0]
    (line,) = (line for line in gates.splitlines() if "VerticalScaling  " in line)
    assert "Pod.spec.containers.resizePolicy, Pod.status.container" in line
    promoted = text.partition("Promoted")[2].partition("Behaviour")[0]
    assert "resizePolicy" not in promoted
    whole = comparison_report(compare(release("1.29"), release("1.35")), "text")
    promotions = whole.partition("Promoted")[2].partition("Behaviour")[0]
    (line,) = (line for line in promotions.splitlines() if " IPAddress" in line)
    assert "networking.k8s.io/v1, v1beta1  alpha → GA" in line


def test_a_gate_that_was_never_alpha_or_beta_guards_nothing_new() -> None:
    """It is there to turn off what had been on before it, or what is deprecated."""
    text = comparison_report(compare(release("1.33"), release("1.34")), "text")
    new, _, rest = text.partition("New gates, on by default")[2].partition(
        "to turn off something old or a fix"
    )
    name = "KubeletPodResourcesListUseActivePods  kubelet"
    assert name not in new and name in rest.partition("Locked")[0]


def test_a_deprecated_field_is_not_promoted_with_the_gate_that_it_had() -> None:
    comparison = compare(release("1.34"), release("1.35"))
    judged = (*comparison.changes, *comparison.notices)
    promoted = [item for item in judged if item.rule.topic == "promoted"]
    paths = {item.users_path for item in promoted}
    assert "Pod.spec.containers.resizePolicy" in paths
    assert "Pod.status.resize" not in paths


def test_a_release_note_lists_what_was_promoted_once() -> None:
    note = comparison_report(compare(release("1.34"), release("1.35")), "release-note")
    assert note.count("**PodCertificateRequest** (certificates.k8s.io/v1beta1)") == 1
    assert "**CSIDriver.spec.serviceAccountTokenInSecrets**" in note


def test_steps_do_not_change_the_counts_of_the_headline() -> None:
    releases = [release(name) for name in ("1.29", "1.31", "1.33", "1.35")]
    whole = compare(releases[0], releases[-1])
    steps = tuple(compare(*pair) for pair in pairwise(releases))
    alone, ranged = (
        comparison_variables(whole, steps=of)["headline"] for of in ((), steps)
    )
    assert alone == ranged


def test_history_says_what_became_of_a_volume_plugin() -> None:
    releases = [release(name) for name in ("1.29", "1.35")]
    text = history_report(history(releases, "Pod", "spec.volumes.gitRepo"), "text")
    assert "deprecated since 1.11, no longer works since 1.33" in text


def test_kinds_that_a_newer_server_cannot_read_are_deleted_first() -> None:
    text = comparison_report(compare(release("1.31"), release("1.32")), "text")
    removed = text.partition("not served by default before")[2].splitlines()[1]
    hinted = re.findall(r"(\w+) \([^,)]*stored objects first", removed)
    # Those of flowcontrol and admissionregistration are read, and reviews not stored.
    assert hinted == ["LeaseCandidate", "PodSchedulingContext"]


def test_a_removal_that_is_planned_is_not_said_to_have_happened() -> None:
    comparison = compare(release("1.34"), release("1.35"))
    text = comparison_report(comparison, "text")
    assert "Removal planned for 1.38." in text
    assert "since 1.35; removal planned for 1.38" in text
    assert not re.search(r"emoved in 1\.(3[89]|4)", text)


def test_a_removal_that_has_happened_is_no_plan() -> None:
    text = comparison_report(compare(release("1.29"), release("1.30")), "text")
    deprecated = text.partition("\n  Deprecated\n")[2].splitlines()
    line = next(line for line in deprecated if "SelfSubjectReview" in line)
    assert "since 1.30; removed in 1.33" in line


def test_fields_are_not_dated_where_releases_are_in_between() -> None:
    """The document does not say in which of them the description changed."""
    by_path = {
        change.users_path: change
        for change in compare(release("1.29"), release("1.35")).changes
        if change.rule.name == "deprecated"
    }
    assert by_path["Pod.status.resize"].deprecated_in is None
    assert by_path["Endpoints"].deprecated_in == "1.33"
    assert "ServiceAccount.secrets" not in by_path


def test_what_ends_within_three_releases_is_removed_soon() -> None:
    text = comparison_report(compare(release("1.34"), release("1.35")), "text")
    soon = text.partition("Removed soon")[2].partition("Promoted")[0]
    assert (
        "IPAddress  networking.k8s.io/v1beta1  deprecated in 1.34; removed in 1.37"
        in soon
    )
    assert "1.38" not in soon


def test_words_beside_a_change_keep_their_spaces_in_markdown() -> None:
    sides = [
        document(pod(a={"type": "string", "description": f"at most {limit} items"}))
        for limit in (32, 256)
    ]
    generated = comparison_report(compare(*sides), "markdown")
    assert "at most <del>32</del><ins>256</ins> items" in generated


@pytest.mark.parametrize(("before", "after"), [("1.34", "1.35"), ("1.27", "1.28")])
def test_no_words_are_joined_in_markdown(before: str, after: str) -> None:
    comparison = compare(release(before), release(after))
    generated = comparison_report(comparison, "markdown")
    assert "<ins>" in generated
    assert not re.findall(r"\w</?(?:del|ins)>\w", generated)
    assert not re.findall(r"<(?:del|ins)>\s|\s</(?:del|ins)>", generated)


@given(st.text("ab .\n<", max_size=30), st.text("ab .\n<", max_size=30))
def test_spaces_outside_of_changes_keep_all_words(before: str, after: str) -> None:
    moved = with_spaces_outside(diff_words(before, after))
    if [segment.role for segment in moved] == ["gap"]:
        assert before.split() == after.split()
        return
    for role, text in (("ins", before), ("del", after)):
        kept = "".join(s.text for s in moved if s.role != role)
        assert "".join(kept.split()) == "".join(text.split())
    for segment in moved:
        if segment.role in ("del", "ins"):
            assert segment.text.strip() == segment.text


def test_anchors_are_unique_and_links_to_them_resolve() -> None:
    page = check_page(
        comparison_report(compare(release("1.29"), release("1.35")), "html")
    )
    anchors = [value for name, value in page.attributes if name == "id"]
    assert len(anchors) == len(set(anchors))
    links = {value for name, value in page.attributes if name == "href"}
    assert {link[1:] for link in links if link and link.startswith("#")} <= set(anchors)


def test_anchors_do_not_depend_on_other_changes() -> None:
    text = {"type": "string"}
    few = compare(document(pod(a=text)), document(pod()))
    more = compare(document(pod(a=text, b=text)), document(pod(c=text)))
    anchor = 'id="io.k8s.api.core.v1.Pod:a:field-removed"'
    assert anchor in comparison_report(few, "html")
    assert anchor in comparison_report(more, "html")


@pytest.mark.parametrize(("before", "after"), PAIRS[:1] + PAIRS[5:6])
def test_page_size_is_below_three_megabytes(before: str, after: str) -> None:
    page = comparison_report(compare(release(before), release(after)), "html")
    assert len(page.encode()) < 3_000_000


# --- word by word


def test_a_changed_number_in_a_description_is_marked() -> None:
    # Upstream changed it in a patch release of 1.32; the embedded document is older.
    comparison = compare(embedded("1.32"), embedded("1.33"))
    generated = comparison_report(comparison, "text")
    assert "There can be at most [-32-]{+256+} such" in generated


@given(st.text("ab .\n<", max_size=30), st.text("ab .\n<", max_size=30))
def test_segments_make_up_both_texts(before: str, after: str) -> None:
    segments = diff_words(before, after)
    assert "".join(s.text for s in segments if s.role != "ins") == before
    assert "".join(s.text for s in segments if s.role != "del") == after
    marked = [s for s in segments if s.role in ("del", "ins")]
    assert [s for s in shorten(segments) if s.role in ("del", "ins")] == marked


def test_very_long_texts_are_not_compared_word_by_word() -> None:
    """The comparison takes time with the square of the length."""
    before, after = (f"{word} " * 20_000 for word in ("a", "b"))
    roles = [segment.role for segment in diff_words(before, after)]
    assert roles[:2] == ["del", "ins"]


# --- history


def test_history_of_resource_claim_status() -> None:
    releases = [embedded(name) for name in RELEASES]
    (status,) = history(releases, "ResourceClaimStatus")
    columns = [(column.release, column.version) for column in status.columns]
    versions = list(dict.fromkeys(version for _, version in columns))
    assert versions == ["v1alpha2", "v1alpha3", "v1beta1", "v1beta2", "v1"]
    periods = {
        row.field: (columns[row.first], columns[row.last]) for row in status.rows
    }
    assert periods["driverName"] == (("1.29", "v1alpha2"), ("1.30", "v1alpha2"))
    assert periods["deallocationRequested"][1] == ("1.31", "v1alpha3")
    assert periods["devices"] == (("1.32", "v1alpha3"), (RELEASES[-1], "v1"))
    (reserved_for,) = (row for row in status.rows if row.field == "reservedFor")
    marks = {
        column: cell.mark
        for column, cell in zip(columns, reserved_for.cells, strict=True)
        if cell and cell.mark
    }
    assert marks["1.33", "v1beta1"] == "docs"


def test_an_event_of_a_history_is_a_change_of_the_comparison() -> None:
    releases = [embedded("1.34"), embedded("1.35")]
    comparison = compare(*releases)
    changes = {
        (change.key, change.severity, change.reason, change.users_path)
        for change in (*comparison.changes, *comparison.notices)
    }
    (pod,) = history(releases, "Pod")
    assert pod.events
    for event in pod.events:
        facts = event.key, event.severity, event.reason, event.users_path
        assert facts in changes


def test_a_field_of_what_was_removed_has_the_event_of_that() -> None:
    inner = {"io.k8s.api.core.v1.Inner": {"properties": {"x": {"type": "string"}}}}
    reference = {"$ref": "#/definitions/io.k8s.api.core.v1.Inner"}
    releases = [
        replace(document({**pod(**fields), **inner}), name=name)
        for name, fields in (("a", {"spec": reference}), ("b", {}))
    ]
    (found,) = history(releases, "Pod", "spec.x")
    (event,) = found.events
    assert (event.field, event.change, event.column) == ("spec", "field-removed", 1)
    assert "spec: field removed" in history_report([found], "text")


def test_timeline_has_the_releases_that_serve_each_version() -> None:
    releases = [release(name) for name in RELEASES]
    periods = {
        (kind.kind, version.version): (version.releases[0], version.releases[-1])
        for kind in timeline(releases).kinds
        for version in kind.versions
    }
    assert periods["FlowSchema", "v1beta3"] == ("1.29", "1.31")
    assert periods["FlowSchema", "v1"] == ("1.29", RELEASES[-1])
    assert periods["ResourceClaim", "v1"] == ("1.34", RELEASES[-1])
    assert ("PodList", "v1") not in periods


HISTORY_RELEASES = ("1.25", "1.31", "1.32", "1.34", "1.35")


@pytest.mark.parametrize(
    ("query", "field", "title"),
    [
        ("Deployment", None, "apps Deployment"),
        ("deployment", None, "apps Deployment"),
        ("deploy", None, "apps Deployment"),
        ("deployments.apps", None, "apps Deployment"),
        ("deployments.v1.apps", None, "apps Deployment"),
        ("apps/Deployment", None, "apps Deployment"),
        ("apps/v1/Deployment", None, "apps Deployment"),
        ("v1/Pod", None, "core Pod"),
        ("core/v1/Pod", None, "core Pod"),
        ("hpa", None, "autoscaling HorizontalPodAutoscaler"),
        ("hpa.v2beta2", None, "autoscaling HorizontalPodAutoscaler"),
        ("hpa/v2beta2", None, "autoscaling HorizontalPodAutoscaler"),
        ("vap", None, "admissionregistration.k8s.io ValidatingAdmissionPolicy"),
        ("podspec", None, "core PodSpec"),
        ("io.k8s.api.core.v1.PodSpec", None, "core PodSpec"),
        ("Pod", "spec.resources", "core Pod.spec.resources"),
        ("Pod", ".spec.resources", "core Pod.spec.resources"),
        (
            "pod.spec.containers[].livenessProbe",
            None,
            "core Pod.spec.containers.livenessProbe",
        ),
        ("v1/Pod.spec", "nodeName", "core Pod.spec.nodeName"),
        ("deploy.spec.template.spec.dnsConfig", None, "apps Deployment.spec.template"),
    ],
)
def test_history_finds_what_people_type(
    query: str, field: str | None, title: str
) -> None:
    releases = [embedded(name) for name in HISTORY_RELEASES]
    generated = history_report(history(releases, query, field), "text")
    assert generated.startswith(title)


def test_history_limited_to_an_api_version_has_only_its_columns() -> None:
    releases = [embedded(name) for name in HISTORY_RELEASES]
    (limited,) = history(releases, "autoscaling/v1/HorizontalPodAutoscaler")
    assert {column.version for column in limited.columns} == {"v1"}


def test_kinds_come_before_parts_of_other_kinds() -> None:
    """The core group has a part called ResourceClaim, of a container's resources."""
    releases = [embedded("1.34"), embedded("1.35")]
    groups = [found.group for found in history(releases, "ResourceClaim")]
    assert groups == ["resource.k8s.io", "core"]


def test_history_follows_the_types_below_a_kind() -> None:
    releases = [embedded(name) for name in HISTORY_RELEASES]
    (deployment,) = history(releases, "Deployment")
    (added,) = (
        event
        for event in deployment.events
        if event.field == "spec.template.spec.resources"
        and event.change == "field-added"
    )
    assert deployment.columns[added.column].release == "1.32"
    rows = {row.field: row for row in deployment.rows}
    assert rows["spec.template.spec.resources"].first == added.column
    # A shorter path to the type appeared in 1.32; that of the containers remains.
    claims = rows["spec.template.spec.containers.resources.claims"]
    assert claims.last == len(deployment.columns) - 1
    # Where nothing but the description changed, there is no row.
    assert "spec.template.spec.nodeName" not in rows


def test_history_shows_stages_gates_and_lifecycles() -> None:
    releases = [embedded(f"1.{minor}") for minor in range(31, 36)]
    generated = history_report(history(releases, "Pod", "spec.resources"), "text")
    stages = "alpha 1.32..1.33 (off), beta 1.34..1.35 (on), gate PodLevelResources"
    assert stages in generated
    releases = [embedded("1.28"), embedded("1.29")]
    generated = history_report(history(releases, "FlowSchema"), "markdown")
    note = (
        "- **v1beta2**: deprecated in 1.26, removed in 1.29, "
        "replaced by flowcontrol.apiserver.k8s.io/v1beta3 FlowSchema"
    )
    assert note in generated


def test_newer_versions_come_first_and_follow_their_predecessors() -> None:
    releases = [embedded(name) for name in HISTORY_RELEASES]
    histories = history(releases, "hpa")
    (autoscaler,) = histories
    versions = list(dict.fromkeys(column.version for column in autoscaler.columns))
    assert versions == ["v1", "v2beta2", "v2"]
    page = history_report(histories, "html")
    assert re.findall(r'class="version">(\w+)', page) == ["v2", "v1", "v2beta2"]
    kinds = timeline_report(timeline(releases), "text")
    order = re.findall(r"(?m)^autoscaling/(v\w+)/HorizontalPodAutoscaler", kinds)
    assert order == ["v2", "v1", "v2beta2"]


def test_a_beginning_before_the_first_release_is_not_stated_as_known() -> None:
    texts = [pod(a={"type": "string"}), pod(a={"type": "string"}, b={"type": "string"})]
    sides = [document(definitions) for definitions in texts]
    releases = [
        replace(side, name=name) for side, name in zip(sides, "xy", strict=True)
    ]
    generated = history_report(history(releases, "Pod"), "text")
    assert re.search(r"(?m)^a .*since ≤ x$", generated)
    assert re.search(r"(?m)^b .*since y$", generated)


def test_a_change_is_a_value_with_a_stable_id() -> None:
    before, after = release("1.34"), release("1.35")
    comparison = compare(before, after)
    changes = (*comparison.changes, *comparison.notices)
    document = json.loads(comparison_report(comparison, "json"))
    assert [change.to_dict() for change in changes] == (
        document["changes"] + document["notices"]
    )
    assert len(set(changes)) == len({change.id for change in changes}) == len(changes)
    assert {change.id for change in compare(before, after).changes} <= {
        change.id for change in changes
    }
    assert all("\n" not in repr(change) for change in changes)


def test_changes_of_a_range_have_their_releases_in_json() -> None:
    releases = [release(f"1.{minor}") for minor in (30, 31, 32)]
    steps = [compare(old, new) for old, new in pairwise(releases)]
    comparison = compare(releases[0], releases[-1])
    document = json.loads(comparison_report(comparison, "json", steps=steps))
    dated = {change["path"]: change.get("releases") for change in document["notices"]}
    assert dated["Pod.spec.volumes.rbd"] == ["1.31"]


@pytest.mark.parametrize("minor", range(25, 37))
def test_markdown_of_neighbours_fits_into_a_comment(minor: int) -> None:
    comparison = compare(release(f"1.{minor}"), release(f"1.{minor + 1}"))
    assert len(comparison_report(comparison, "markdown")) < 65536


def test_what_stops_components_comes_first_and_the_kubelet_before_others() -> None:
    text = comparison_report(compare(embedded("1.36"), embedded("1.37")), "text")
    lists = re.findall(r"\n  ([A-Z][^\n]*)\n    ", text.partition("Behaviour")[0])
    titles = [title.partition(":")[0] for title in lists]
    assert titles[:3] == ["Flags removed", "Gates removed", "Removed"]
    assert titles.index("Deprecated") < titles.index("Promoted")
    flags = text.partition("Flags removed")[2].partition("Gates removed")[0]
    components = [line.split()[1] for line in flags.splitlines()[1:] if line.strip()]
    assert components == sorted(components, key=lambda name: name != "kubelet")


def test_a_table_has_gates_flags_and_metrics() -> None:
    generated = comparison_report(compare(embedded("1.36"), embedded("1.37")), "csv")
    rows = list(csv.DictReader(generated.splitlines()))
    by_rule = {row["rule"]: row for row in rows}
    assert by_rule["flags-removed"]["severity"] == "breaking"
    assert by_rule["gate-removed"]["path"] and by_rule["metrics"]["words"]
    assert not [row for row in rows if None in row or None in row.values()]


def test_the_report_on_a_patch_repeats_no_plans() -> None:
    assert compare(embedded("1.34"), embedded("1.35")).going_soon
    patch = replace(embedded("1.35"), name="1.35.4")
    assert not compare(embedded("1.35"), patch).going_soon
