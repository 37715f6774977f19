"""How changes are judged: release notes, a reviewed list of what breaks, lifecycles."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import pytest
from jsonschema import Draft202012Validator

from kubestencil.diff import Change, Comparison, GateChange, compare, history
from kubestencil.diff.rules.audience import SEVERITIES
from kubestencil.diff.rules.table import read_rule
from kubestencil.errors import UsageError
from kubestencil.schema.knowledge.configurations import configuration_types
from kubestencil.schema.knowledge.kinds import lifecycles
from kubestencil.source.releases import is_after, release_order
from tests.conftest import EMBEDDED, EMBEDDED_PAIRS, ROOT
from tests.diff_specs import document, embedded, pod

#: The oldest and the newest document, and the newest neighbours.
WHOLE = EMBEDDED[0], EMBEDDED[-1]
LAST = EMBEDDED_PAIRS[-1]


@cache
def between(before: str, after: str) -> Comparison:
    return compare(embedded(before), embedded(after))


def everything(comparison: Comparison) -> tuple[Change, ...]:
    """All changes but those of configuration files (test_configurations.py)."""
    return tuple(
        change
        for change in (*comparison.changes, *comparison.notices)
        if change.definition not in configuration_types()
    )


# --- release notes


class Rating(NamedTuple):
    """How a change may be reported for a claim of the release notes."""

    changes: frozenset[str]
    rules: frozenset[str]


def rating(changes: str, rules: str) -> Rating:
    return Rating(frozenset(changes.split()), frozenset(rules.split()))


RATINGS = {
    "added": rating("kind-added field-added", "added"),
    "removed": rating(
        "kind-removed field-removed",
        "kind-removed removed-with-replacement field-removed field-moved alpha",
    ),
    "deprecated": rating(
        "description-changed kind-deprecated field-deprecated",
        "deprecated no-longer-functional",
    ),
    "without-effect": rating("description-changed", "no-longer-functional"),
    "promoted": rating(
        "description-changed kind-added stage-changed", "stage-changed gate-on"
    ),
    "limit": rating(
        "description-changed minimum-changed text-format-changed",
        "limit-changed looser text-format-relaxed",
    ),
    "values": rating(
        "enum-changed description-changed", "enum-grown gated-values looser"
    ),
    "mutable": rating("field-mutable description-changed", "mutable gated-values"),
    "gated": rating("stage-lowered", "stage-lowered"),
    "retyped": rating("reference-changed", "type-renamed"),
    "ended": rating("field-ended", "ended"),
    "migrated": rating("field-migrated", "migrated"),
    "optional": rating("field-optional", "still-sent"),
    "always-required": rating("field-required", "document-catches-up"),
    "server-written": rating("field-required", "server-written"),
    "merge": rating(
        "list-type-changed patch-strategy-added", "merge-changed server-written"
    ),
    "operation": rating("operation-added parameter-added", "operation-added"),
}


class Claim(NamedTuple):
    """What the notes of a release say; see the table."""

    release: str
    subject: str
    field: str | None
    what: str

    def is_made_by(self, change: Change) -> bool:
        if self.what == "operation":
            return change.users_path == self.subject
        return change.field == self.field and change.definition.endswith(
            f".{self.subject}"
        )

    def is_in(self, comparison: Comparison) -> bool:
        """Whether a report has the claim, and judges it as the notes do."""
        source, _, event = self.what.partition("-")
        if source == "gate":
            return any(
                event in _events_of(gate)
                for gate in comparison.gates
                if gate.gate == self.subject
            )
        if source == "flag":
            flags = comparison.flags
            return (self.subject, self.field, event) in {
                (flag.component, flag.name, flag.event) for flag in flags
            }
        if source == "metric":
            return (self.subject, event) in {
                (metric.name, word)
                for metric in comparison.metrics
                for word in (metric.event, metric.after and metric.after.stability)
            }
        expected = RATINGS[self.what]
        return any(
            change.change in expected.changes and change.rule.name in expected.rules
            for change in everything(comparison)
            if self.is_made_by(change)
        )


def _events_of(gate: GateChange) -> set[str]:
    """What happened to a gate; the notes may name any of it."""
    events: set[str] = {gate.event, *([gate.after.level] if gate.after else [])}
    if gate.after is not None and gate.after.locked:
        events.add("locked")
    if gate.after is not None and gate.before is None:
        events.add("added")
    return events


def claims() -> Iterator[Claim]:
    for line in (ROOT / "tests/release_notes.tsv").read_text("utf-8").splitlines():
        if not line.startswith("#"):
            release, subject, field, what = line.split("\t")
            yield Claim(release, subject, None if field == "-" else field, what)


# What 1.35.4 took back: a minor version is as its newest patch.
_TAKEN_BACK = {"MaxUnavailableStatefulSet", "SchedulerAsyncAPICalls"}


@pytest.mark.parametrize("pair", EMBEDDED_PAIRS, ids="..".join)
def test_changes_are_rated_as_release_notes_rate_them(pair: tuple[str, str]) -> None:
    of_release = [
        claim
        for claim in claims()
        if claim.release == pair[1] and claim.subject not in _TAKEN_BACK
    ]
    assert [claim for claim in of_release if not claim.is_in(between(*pair))] == []


def test_the_claims_are_of_many_releases() -> None:
    assert len({claim.release for claim in claims()} & set(EMBEDDED)) >= 10


# --- what breaks


def test_what_breaks_between_neighbours_is_in_the_reviewed_list() -> None:
    """Each breaking change was judged by hand, with the reason; there are no others."""
    reviewed = tomllib.loads((ROOT / "tests/breaking_changes.toml").read_text("utf-8"))
    last = max(reviewed, key=release_order)
    for before, after in EMBEDDED_PAIRS:
        if is_after(after, last):
            break
        comparison = between(before, after)
        found = {
            f"{change.definition.removeprefix('io.k8s.api.')} {change.field or '-'}"
            for change in everything(comparison)
            if change.severity == "breaking"
        }
        moves = {
            f"{graduation.before} {change.definition.removeprefix('io.k8s.api.')} "
            f"{change.field or '-'}"
            for graduation in comparison.graduations
            for change in graduation.changes
            if change.severity == "breaking"
            and change.definition not in configuration_types()
        }
        expected = reviewed.get(after, {})
        assert found == expected.get("changes", {}).keys(), after
        assert moves == expected.get("moves", {}).keys(), after


@pytest.mark.parametrize("pair", [("1.29", "1.35"), WHOLE], ids="..".join)
def test_only_removed_kinds_and_volumes_break_over_several_releases(
    pair: tuple[str, str],
) -> None:
    changes = everything(between(*pair))
    breaking = {change.change for change in changes if change.severity == "breaking"}
    # Since 1.36 addresses are those that all programs read alike; names of StatefulSets
    # are labels since 1.27 (ValidateStatefulSetName).
    values = {"text-format-changed", "max-length-changed"}
    assert breaking - values == {"kind-removed", "field-ended"}


def test_a_value_that_a_gate_is_needed_for_is_no_change_for_others() -> None:
    comparison = between("1.36", "1.37")
    field = "StatefulSet.spec.updateStrategy.type"
    assert field not in {change.users_path for change in everything(comparison)}
    (gate,) = (
        change
        for change in comparison.gates
        if change.gate == "StatefulSetRecreateStrategy"
    )
    assert gate.severity == "safe" and gate.event == "added"


def test_nothing_is_said_of_manifests_that_facts_do_not_know() -> None:
    found = {
        change.users_path: change
        for change in everything(between("1.35", "1.36"))
        if change.change == "field-optional"
    }
    status = found["PodDisruptionBudget.status.expectedPods"]
    assert "anifests" not in status.reason and "never send it" in status.reason
    assert "anifests" not in found["TokenRequest.spec.audiences"].reason
    assert found["EndpointSlice.endpoints"].detail.startswith(
        "Manifests could leave it out"
    )


def test_fields_that_are_accepted_now_name_those_that_they_need() -> None:
    changes = everything(between("1.34", "1.35"))
    found = {
        change.users_path: change.detail
        for change in changes
        if change.change == "combination-added"
    }
    assert found["Pod.spec.hostnameOverride"] == (
        "Without hostnameOverride where hostNetwork is true."
    )
    assert "fileKeyRef" in found["Pod.spec.containers.env.valueFrom.fileKeyRef"]


def test_a_list_in_place_of_a_map_is_one_breaking_change() -> None:
    moves = between("1.36", "1.37").graduations
    changes = next(move.changes for move in moves if move.group == "kubeadm.k8s.io")
    of_field = [
        (change.change, change.severity)
        for change in changes
        if change.users_path == "ClusterConfiguration.etcd.local.extraArgs"
        and change.severity != "docs"
    ]
    assert sorted(of_field) == [
        ("items-added", "safe"),
        ("type-changed", "breaking"),
        ("values-removed", "safe"),
    ]


# --- lifecycles


@pytest.mark.parametrize("pair", EMBEDDED_PAIRS, ids="..".join)
def test_removals_and_deprecations_agree_with_the_lifecycles(
    pair: tuple[str, str],
) -> None:
    changes = everything(between(*pair))
    kinds = {
        kind
        for release in map(embedded, pair)
        for definition in release.definitions.values()
        for kind in definition.kinds
        if len(definition.kinds) == 1
    }
    removed, deprecated = set(), set()
    for kind, facts in lifecycles().items():
        if kind in kinds and facts.removed == pair[1]:
            removed.add(kind)
        if (
            kind in kinds
            and facts.deprecated == pair[1]
            and release_order(facts.introduced) < release_order(pair[1])
            and facts.removed != pair[1]
        ):
            deprecated.add(kind)
    assert removed == {
        kind
        for change in changes
        if change.change == "kind-removed" and change.rule.name != "part-of-kind"
        for kind in change.kinds
    }
    assert deprecated == {
        change.owner
        for change in changes
        if change.rule.name == "deprecated" and change.field is None
    }
    for change in changes:
        if change.rule.name == "removed-with-replacement":
            assert change.replacement is not None
            assert change.removed_in == pair[1]


# --- audiences, stages, paths


@pytest.mark.parametrize("pair", [("1.34", "1.35"), LAST], ids="..".join)
def test_the_headline_is_the_most_severe_of_the_audiences(
    pair: tuple[str, str],
) -> None:
    for change in everything(between(*pair)):
        severities = [impact.severity for impact in change.audience]
        assert change.severity == min(severities, key=SEVERITIES.index)
        assert change.reason.endswith(".")
        assert all(impact.meaning.endswith(".") for impact in change.audience)


def test_a_path_is_what_users_write() -> None:
    changes = everything(between("1.34", "1.35"))
    paths = {change.users_path for change in changes}
    assert "Node.status.declaredFeatures" in paths
    assert "Pod.spec.workloadRef" in paths
    assert "Deployment.status.terminatingReplicas" in paths


def test_the_stage_of_a_field_is_that_of_its_gate_not_that_of_its_description() -> None:
    """The description of hostUsers calls it alpha until 1.35."""
    stages = {
        (change.users_path, change.stage)
        for pair in (("1.29", "1.30"), ("1.35", "1.36"))
        for change in everything(between(*pair))
        if change.users_path == "Pod.spec.hostUsers"
    }
    levels = {
        (stage.before.level, stage.after.level)
        for _, stage in stages
        if stage and stage.before and stage.after
    }
    assert levels == {("alpha", "beta"), ("beta", "ga")}


def test_a_field_inside_of_an_alpha_field_is_alpha() -> None:
    (change,) = (
        change
        for change in between("1.30", "1.31").changes
        if (change.owner and change.field)
        and (change.users_path == "Pod.spec.resourceClaims.source")
    )
    assert (change.stability, change.severity) == ("alpha", "warning")


def test_the_history_of_a_moved_field_says_where_it_is() -> None:
    releases = [embedded(release) for release in ("1.32", "1.33")]
    (found,) = history(releases, "ResourceClaim", "spec.devices.requests.count")
    (event,) = (event for event in found.events if event.change == "field-removed")
    assert event.replacement == "exactly.count"


def test_kinds_that_every_group_serves_are_no_warning() -> None:
    for pair in EMBEDDED_PAIRS:
        for change in between(*pair).changes:
            if change.keyword == "x-kubernetes-group-version-kind":
                assert change.severity in ("safe", "docs")


def test_the_lists_and_parts_of_a_kind_are_folded_into_it() -> None:
    changes = between("1.28", "1.29").changes
    removed = {
        change.definition.rpartition(".")[2]: change.rule.name
        for change in changes
        if change.definition.startswith("io.k8s.api.flowcontrol.v1beta2.")
    }
    assert removed.pop("FlowSchema") == "removed-with-replacement"
    assert removed.pop("PriorityLevelConfiguration") == "removed-with-replacement"
    assert set(removed.values()) == {"part-of-kind"}


def test_versions_of_a_kind_are_compared_within_the_newer_release() -> None:
    """v1 of 1.34 is v1beta2 of 1.34, though v1beta2 of 1.33 had fewer fields."""
    (graduation,) = (
        graduation
        for graduation in between("1.33", "1.34").graduations
        if (graduation.before, graduation.after) == ("v1beta2", "v1")
        and graduation.group == "resource.k8s.io"
    )
    assert graduation.changes == ()


def test_moved_fields_say_where_their_values_are() -> None:
    moved = {
        change.field: change.replacement
        for graduation in between("1.32", "1.33").graduations
        for change in graduation.changes
        if change.rule.name == "field-moved"
    }
    assert moved["allocationMode"] == "exactly.allocationMode"
    assert "attributes" in (moved["basic"] or "")


@pytest.mark.parametrize(
    ("before", "after", "rule"),
    [
        ("Size.", "Size. Deprecated: use colour instead.", "deprecated"),
        ("Size.", "Size. It is not deprecated.", "wording"),
        ("At most 4 of them.", "At most 8 of them.", "limit-changed"),
        ("Made of 4 parts.", "Made of 8 parts.", "wording"),
        ("Defaults to 5.", "Defaults to 6.", "stated-default-changed"),
        ("Size.", "Size. The field has no effect.", "no-longer-functional"),
        ("This is an alpha field.", "This field  is beta-level.", "stage-changed"),
        ("(Alpha) Size.", "Size.", "stage-changed"),
        ("This is a beta feature.", "This is an alpha feature.", "stage-lowered"),
    ],
)
def test_what_descriptions_state(before: str, after: str, rule: str) -> None:
    (change,) = compare(
        *(
            document(pod(size={"type": "string", "description": text}, colour={}))
            for text in (before, after)
        )
    ).changes
    assert change.rule.name == rule
    if rule == "deprecated":
        assert change.replacement == "colour"


def test_an_optional_key_of_list_items_is_safe() -> None:
    def keyed(*keys: str, required: tuple[str, ...] = ()) -> Any:
        properties = {"a": {"type": "string"}, "b": {"type": "string"}}
        items = {"type": "object", "properties": properties, "required": [*required]}
        keyword = {"x-kubernetes-list-map-keys": [*keys]}
        return document(pod(field={"type": "array", "items": items, **keyword}))

    (optional,) = compare(keyed("a"), keyed("a", "b")).changes
    assert optional.severity == "safe"
    needed = keyed("a", required=("b",)), keyed("a", "b", required=("b",))
    (required,) = compare(*needed).changes
    assert required.severity == "breaking"


# --- JSON


@pytest.mark.parametrize(
    "pair", [WHOLE, ("1.34", "1.35"), ("1.35", "1.34")], ids="..".join
)
def test_the_json_report_is_as_its_schema_says(pair: tuple[str, str]) -> None:
    schema = json.loads((ROOT / "docs/diff-report.schema.json").read_text("utf-8"))
    Draft202012Validator.check_schema(schema)
    report = json.loads(json.dumps(between(*pair).to_dict()))
    Draft202012Validator(schema).validate(report)
    rules = {change["rule"] for change in report["changes"] + report["notices"]}
    assert rules <= report["rules"].keys()
    assert [document["label"] for document in report["documents"]] == [*pair]


def test_the_json_report_of_a_range_is_as_its_schema_says() -> None:
    schema = json.loads((ROOT / "docs/diff-report.schema.json").read_text("utf-8"))
    report = between("1.34", "1.35").to_dict()
    whole = report | {"steps": [report]}
    Draft202012Validator(schema).validate(json.loads(json.dumps(whole)))


@pytest.mark.parametrize(
    ("key", "value", "meant"),
    [
        ("condition", "is_part_of_kinds", "is_part_of_kind"),
        ("detail", "limit", "limits"),
        ("severities", ["safe", "braking", "safe"], "breaking"),
        ("changes", ["kind-aded"], "kind-added"),
        ("policy", "round-trip", "round-trips"),
        ("lable", "", "label"),
    ],
)
def test_a_misspelt_name_in_the_table_of_rules_is_named_with_what_is_meant(
    key: str, value: object, meant: str
) -> None:
    row = {"severity": "safe", "changes": ["kind-added"], "reason": "", key: value}
    with pytest.raises(UsageError, match=r"rules\.toml: rules\.mine: unknown") as error:
        read_rule("mine", row)
    assert f"did you mean {meant}" in error.value.hint
