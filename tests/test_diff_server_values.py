"""Changes of what the API server accepts and fills in, which come from tables of facts:
what is reported of them, and that nothing is that the tables do not prove."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from kubestencil.diff import Change, compare, history
from kubestencil.diff.differences import server_values
from kubestencil.schema import Release, parse
from kubestencil.schema.knowledge import coverage, values
from kubestencil.schema.knowledge.values import (
    Default,
    FactRow,
    FieldFacts,
)
from kubestencil.source import Source
from kubestencil.source.releases import ReleaseRange
from kubestencil.validator.process import Validator
from kubestencil.validator.protocol import Request
from tests.diff_specs import embedded, pod, text
from tests.validators import built_validator

POD = "io.k8s.api.core.v1.Pod"
_STRING = {"type": "string", "description": "Must be at most 63 characters."}

UseFacts = Callable[..., None]


@pytest.fixture
def use_facts(monkeypatch: pytest.MonkeyPatch) -> Iterator[UseFacts]:
    """Replaces the facts of the field ``field`` of v1 Pod."""

    def use(before: FieldFacts, after: FieldFacts, found: str = "asked") -> None:
        facts = {"1.34": before, "1.35": after}

        def proven(release: str, how: str) -> Mapping[tuple[str, str], FieldFacts]:
            is_known = how == found and release in facts
            return {(POD, "field"): facts[release]} if is_known else {}

        monkeypatch.setattr(server_values, "proven_facts", proven)
        server_values.value_changes.cache_clear()

    yield use
    server_values.value_changes.cache_clear()


def named(name: str, field: Any) -> Release:
    return parse(Source(name, f"{name}.json", text(pod(field=field)).encode()))


def notices(
    before: Any = _STRING,
    after: Any = _STRING,
    names: tuple[str, str] = ("1.34", "1.35"),
) -> tuple[Change, ...]:
    old, new = (
        named(name, field) for name, field in zip(names, (before, after), strict=True)
    )
    return compare(old, new).notices


def severities(change: Change) -> list[str]:
    return [impact.severity for impact in change.audience]


@pytest.mark.parametrize(
    ("before", "after", "change", "rule", "severity", "detail"),
    [
        ({"enum": ("A",)}, {"enum": ("A", "", "B")}, "enum-changed", "enum-grown", "safe",
         'Values added: "", B.'),
        ({"enum": ("A", "B")}, {"enum": ("B", "C")}, "enum-changed", "enum-shrunk",
         "breaking", "Values removed: A. Values added: C."),
        ({"max_length": 63}, {"max_length": 253}, "max-length-changed", "looser", "safe",
         ""),
        ({"max_length": 253}, {"max_length": 63}, "max-length-changed", "stricter",
         "breaking", ""),
        ({"minimum": 1}, {"minimum": 0}, "minimum-changed", "looser", "safe", ""),
        ({"maximum": 2}, {"maximum": 1}, "maximum-changed", "stricter", "breaking", ""),
        ({"max_items": 2}, {"max_items": 1}, "max-items-changed", "stricter", "breaking",
         ""),
        ({"defaults": (Default("A"),)}, {"defaults": (Default("B"),)}, "default-changed",
         "default-changed", "warning", ""),
        ({"format": "env-name"}, {"format": "relaxed-env-name"}, "text-format-changed",
         "text-format-relaxed", "safe", "now: printable ASCII characters but '='."),
        ({"format": "dns-label"}, {"format": "ip"}, "text-format-changed",
         "text-format-changed", "warning", "now: an IP address."),
    ],
)  # fmt: skip
def test_changes_are_judged_for_those_who_apply_manifests(
    use_facts: UseFacts,
    before: dict[str, Any],
    after: dict[str, Any],
    change: str,
    rule: str,
    severity: str,
    detail: str,
) -> None:
    use_facts(FieldFacts(**before), FieldFacts(**after))
    (notice,) = notices()
    assert (notice.change, notice.rule.name) == (change, rule)
    assert severities(notice)[0] == severity
    assert notice.detail.endswith(detail)
    assert notice.users_path == "Pod.field"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"enum": ("A", "B")}, {"enum": ("B", "A")}),
        ({"enum": ()}, {"enum": ("A",)}),
        ({"max_length": None}, {"max_length": 63}),
        ({"minimum": 0}, {"minimum": None}),
        ({"required": False}, {"required": True}),
        ({"defaults": (Default({"a": None}),)}, {"defaults": (Default({}),)}),
        ({"defaults": (Default(1, "type=A"),)}, {"defaults": (Default(2, "type=A"),)}),
    ],
)
def test_what_may_be_due_to_the_questions_is_no_change(
    use_facts: UseFacts, before: dict[str, Any], after: dict[str, Any]
) -> None:
    use_facts(FieldFacts(**before), FieldFacts(**after))
    assert not notices()


def test_constants_show_only_what_was_added(use_facts: UseFacts) -> None:
    """Go's constants do not say that the server refuses other values."""
    one, two = FieldFacts(enum=("A",)), FieldFacts(enum=("A", "B"))
    use_facts(one, two, "marker")
    assert [notice.rule.name for notice in notices()] == ["enum-grown"]
    use_facts(two, one, "marker")
    assert not notices()


def test_what_documents_state_is_reported_once(use_facts: UseFacts) -> None:
    use_facts(FieldFacts(enum=("A",)), FieldFacts(enum=("A", "B")))
    old, new = ({"type": "string", "enum": enum} for enum in (["A"], ["A", "B"]))
    result = compare(named("1.34", old), named("1.35", new))
    assert [change.change for change in result.changes] == ["enum-changed"]
    assert not result.notices


def test_a_fact_stands_in_for_the_sentence_about_it(use_facts: UseFacts) -> None:
    """A limit that a description states as well is one change, with its numbers."""
    raised = {**_STRING, "description": "Must be at most 253 characters."}
    pair = named("1.34", _STRING), named("1.35", raised)
    use_facts(FieldFacts(max_length=63), FieldFacts(max_length=63))
    assert [change.rule.name for change in compare(*pair).changes] == ["limit-changed"]
    use_facts(FieldFacts(max_length=63), FieldFacts(max_length=253))
    result = compare(*pair)
    assert [change.rule.name for change in result.changes] == ["wording"]
    (notice,) = result.notices
    assert (notice.before, notice.after) == ({"maxLength": 63}, {"maxLength": 253})


def test_facts_of_items_are_about_the_items(use_facts: UseFacts) -> None:
    use_facts(FieldFacts(enum=("A",)), FieldFacts(enum=("A", "B")))
    strings = {"type": "array", "items": {"type": "string"}}
    (notice,) = notices(strings, strings)
    assert notice.schema_path == ("properties", "field", "items")


def test_documents_that_are_no_release_have_no_facts(use_facts: UseFacts) -> None:
    use_facts(FieldFacts(enum=("A",)), FieldFacts(enum=("A", "B")))
    assert not notices(names=("1.34", "my-cluster"))
    assert not notices(names=("1.33", "1.35"))


def test_the_history_of_a_field_has_them(use_facts: UseFacts) -> None:
    use_facts(FieldFacts(enum=("A",)), FieldFacts(enum=("A", "B")))
    (found,) = history([named("1.34", _STRING), named("1.35", _STRING)], "Pod", "field")
    (event,) = found.events
    assert (event.field, event.column, event.change) == ("field", 1, "enum-changed")
    (cell,) = [row.cells[1] for row in found.rows]
    assert cell is not None and cell.mark == "changed"


# --- which releases the tables have facts of


def test_facts_are_proven_between_releases_that_were_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A row that ends before a release that was asked says nothing of the releases that
    were not: what it has may have ended earlier."""

    def row(releases: str, name: str, value: Any) -> FactRow:
        covered = ReleaseRange.parse(releases)
        return FactRow(covered, POD, "a", "", name, value, "asked")

    table = (
        row("1.29..1.34", "enum", ("A",)),
        row("1.35..", "enum", ("B",)),
        row("1.29..", "maximum", 5),
    )
    monkeypatch.setattr(values, "fact_rows", lambda: table)
    monkeypatch.setattr(coverage, "looked_at", lambda _: ("1.29", "1.35"))

    def facts(release: str) -> tuple[tuple[str, ...], int | None]:
        found = values._proven.__wrapped__(release, "asked").fields
        of_field = found.get((POD, "a"), FieldFacts())
        return of_field.enum, of_field.maximum

    assert facts("1.29") == (("A",), 5)
    assert facts("1.34") == ((), 5)
    assert facts("1.35") == (("B",), 5)
    assert facts("1.36") == ((), None)


# Changes between 1.29 and 1.35, each with an object that 1.29 refuses and 1.35 accepts.
KNOWN = {
    ("Container", "restartPolicy"): "enum-grown",
    ("EnvFromSource", "prefix"): "text-format-relaxed",
    ("EnvVar", "name"): "text-format-relaxed",
    ("LimitedPriorityLevelConfiguration", "nominalConcurrencyShares"): "looser",
    ("ResourceQuotaSpec", "scopes"): "enum-grown",
    ("ScopedResourceSelectorRequirement", "scopeName"): "enum-grown",
}


def _object(api_version: str, kind: str, spec: Any) -> Any:
    metadata = {"name": "a", "namespace": "a"}
    if kind == "PriorityLevelConfiguration":
        del metadata["namespace"]
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": spec}


def _pod(**container: Any) -> Any:
    item = {"name": "a", "image": "a", **container}
    return _object("v1", "Pod", {"containers": [item]})


def _quota(**spec: Any) -> Any:
    hard = {"persistentvolumeclaims": "1"}
    return _object("v1", "ResourceQuota", {"hard": hard, **spec})


PROOFS = {
    ("Container", "restartPolicy"): _pod(restartPolicy="Never"),
    ("EnvFromSource", "prefix"): _pod(
        envFrom=[{"prefix": "1 ", "configMapRef": {"name": "a"}}]
    ),
    ("EnvVar", "name"): _pod(env=[{"name": "1 a"}]),
    ("LimitedPriorityLevelConfiguration", "nominalConcurrencyShares"): _object(
        "flowcontrol.apiserver.k8s.io/v1",
        "PriorityLevelConfiguration",
        {
            "type": "Limited",
            "limited": {
                "nominalConcurrencyShares": 0,
                "limitResponse": {"type": "Reject"},
            },
        },
    ),
    ("ResourceQuotaSpec", "scopes"): _quota(scopes=["VolumeAttributesClass"]),
    ("ScopedResourceSelectorRequirement", "scopeName"): _quota(
        scopeSelector={
            "matchExpressions": [
                {
                    "scopeName": "VolumeAttributesClass",
                    "operator": "In",
                    "values": ["a"],
                }
            ]
        }
    ),
}


@pytest.mark.server
@pytest.mark.parametrize("release", ["1.29", "1.35"])
def test_the_servers_code_says_the_same(release: str) -> None:
    assert PROOFS.keys() == KNOWN.keys()
    with Validator(built_validator(release)) as validator:
        requests = [Request("create", value) for value in PROOFS.values()]
        answers = zip(PROOFS, validator.ask(requests), strict=True)
        codes = {key: answer.code for key, answer in answers}
    assert codes == dict.fromkeys(KNOWN, 201 if release == "1.35" else 422)


# Fields that a server needs, although no document of these releases says so, each with an
# object without it.
NEEDED = {
    ("events.v1.Event", "reason"): {
        "apiVersion": "events.k8s.io/v1",
        "kind": "Event",
        "metadata": {"name": "a", "namespace": "a"},
        "eventTime": "2026-01-15T08:30:00.000000Z",
        "action": "Start",
        "type": "Normal",
        "reportingController": "example.com/a",
        "reportingInstance": "a",
        "regarding": {"kind": "Pod", "name": "a", "namespace": "a"},
    },
    **{
        (f"core.v1.{name}VolumeSource", field): _object(
            "v1",
            "Pod",
            {
                "containers": [{"name": "a", "image": "a"}],
                "volumes": [{"name": "a", key: without}],
            },
        )
        for name, field, key, without in (
            ("ConfigMap", "name", "configMap", {}),
            ("ScaleIO", "volumeName", "scaleIO", {"gateway": "a", "system": "a"}),
            ("Secret", "secretName", "secret", {}),
            ("StorageOS", "volumeName", "storageos", {}),
        )
    },
}


@pytest.mark.parametrize("release", ["1.29", "1.35"])
def test_what_servers_need_is_known_where_documents_list_it_later(release: str) -> None:
    facts = values.server_facts(release)
    for definition, field in NEEDED:
        assert facts.of(f"io.k8s.api.{definition}", field).required, definition


@pytest.mark.server
@pytest.mark.parametrize("release", ["1.29", "1.35"])
def test_the_servers_code_needs_them(release: str) -> None:
    with Validator(built_validator(release)) as validator:
        requests = [Request("create", value) for value in NEEDED.values()]
        for (_, field), answer in zip(NEEDED, validator.ask(requests), strict=True):
            assert answer.code == 422
            assert [cause.field.rpartition(".")[2] for cause in answer.causes] == [
                field
            ]


# An address that only the rule about addresses of this type refuses.
NARROWED = {
    "apiVersion": "discovery.k8s.io/v1",
    "kind": "EndpointSlice",
    "metadata": {"name": "a", "namespace": "a"},
    "addressType": "IPv6",
    "endpoints": [{"addresses": ["::010.0.0.1"]}],
    "ports": [],
}


@pytest.mark.server
@pytest.mark.parametrize(("release", "code"), [("1.29", 201), ("1.35", 422)])
def test_the_servers_code_narrows_a_format_under_a_condition(
    release: str, code: int
) -> None:
    with Validator(built_validator(release)) as validator:
        (answer,) = validator.ask([Request("create", NARROWED)])
    assert answer.code == code


def value_notices(before: str, after: str) -> Iterator[Change]:
    for notice in compare(embedded(before), embedded(after)).notices:
        if notice.keyword is not None:
            yield notice


def test_known_changes_between_releases_are_reported() -> None:
    found = {
        (notice.definition.rpartition(".")[2], notice.field): notice.rule.name
        for notice in value_notices("1.29", "1.35")
    }
    assert KNOWN.items() <= found.items()


def test_formats_that_depend_on_other_fields_or_the_kind_are_reported() -> None:
    """`check` knows them, too: the table ``combinations``, and rows of ``limits`` with a
    context."""
    found = {
        notice.users_path: notice
        for notice in value_notices("1.32", "1.36")
        if notice.change == "text-format-changed"
    }
    rules = {path: notice.rule.name for path, notice in found.items()}
    assert rules.items() >= {
        ("EndpointSlice.endpoints.addresses", "text-format-narrowed"),
        ("Node.spec.podCIDR", "text-format-narrowed"),
        ("Service.metadata.name", "text-format-relaxed"),
        ("Service.spec.clusterIP", "text-format-narrowed"),
    }
    cluster_ip = found["Service.spec.clusterIP"]
    assert cluster_ip.definition == "io.k8s.api.core.v1.ServiceSpec"
    assert cluster_ip.detail.endswith(
        "Where clusterIP is not None and type is not ExternalName."
    )
    name = found["Service.metadata.name"]
    assert [kind.kind for kind in name.kinds] == ["Service"]


def test_json_has_the_values() -> None:
    report = compare(embedded("1.29"), embedded("1.35")).to_dict()
    (notice,) = [
        change
        for change in report["notices"]
        if change["path"] == "Pod.spec.containers.restartPolicy" and change["keyword"]
    ]
    assert notice["keyword"] == "enum"
    assert notice["before"] == {"enum": ["Always"]}
    assert notice["reason"].endswith("Values added: Never, OnFailure.")
