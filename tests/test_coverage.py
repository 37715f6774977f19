"""How far the facts go, and that every answer says it: an invented release stands for one
that nobody has looked at."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from kubestencil.checking.run import check
from kubestencil.diff import Change, compare, component_changes, history, timeline
from kubestencil.schema import Release, parse
from kubestencil.schema.knowledge import coverage
from kubestencil.schema.knowledge.coverage import Coverage, looked_at
from kubestencil.schema.knowledge.snapshots import snapshots
from kubestencil.schema.knowledge.values import server_facts
from kubestencil.source import Source
from kubestencil.source.releases import minor_of_patch, newest_of, shown_name
from tests.conftest import RELEASES, ROOT, load
from tests.diff_specs import embedded

NEWEST = RELEASES[-1]
PREVIEW = "1.99.0-beta.0"  # of which no table has anything
SPEC = "io.k8s.api.networking.v1.IngressClassSpec"


def preview() -> Release:
    """The newest document, under the name of the invented release."""
    return replace(embedded(NEWEST), name=PREVIEW)


@pytest.fixture
def tables(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {"metrics": ("1.29", "1.36"), "flags": ("1.26", "1.37", "1.37.2")}
    monkeypatch.setattr(coverage, "looked_at", lambda name: known.get(name, ("1.37",)))


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize(
    ("releases", "sentences"),
    [
        ("1.35 1.36", []),
        ("1.35 1.36.0", []),
        ("my-cluster", []),
        (
            "1.35 1.37",
            ["Facts on metrics end at 1.36: what changed later is not known"],
        ),
        (
            "1.28 1.36",
            ["Facts on metrics begin at 1.29: what was there before is not known"],
        ),
        (
            "1.37 1.38.0-beta.0",
            [
                "1.38.0-beta.0 is a preview of 1.38, and can differ from it",
                "Facts on metrics end at 1.36, on lifecycles of kinds at 1.37, on all "
                "else beyond the OpenAPI spec at 1.37.2: what changed later is not "
                "known",
            ],
        ),
        (
            "1.37.5",
            [
                "Facts of 1.37.5 on lifecycles of kinds are those of 1.37, on all else "
                "beyond the OpenAPI spec of 1.37.2: what the patch changed is not "
                "known",
                "Facts on metrics end at 1.36: what changed later is not known",
            ],
        ),
    ],
)
def test_sentences_say_where_facts_begin_and_end(
    releases: str, sentences: list[str]
) -> None:
    found = Coverage(
        tuple(releases.split()), frozenset({"metrics", "flags", "lifecycle"})
    )
    assert sorted(found.sentences) == sorted(sentences)


def test_components_whose_flags_are_not_known_are_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Those of another release stand for them, and none of them is reported."""
    last, newest = RELEASES[-2:]
    without = {newest: ("kube-apiserver", "kube-proxy")}
    for module in (coverage, component_changes):
        monkeypatch.setattr(
            module, "components_without_flags", lambda release: without.get(release, ())
        )
    comparison = compare(embedded(last), embedded(newest))
    assert comparison.coverage.sentences == (
        f"Facts on flags of kube-apiserver and kube-proxy end at {last}: what changed "
        "later is not known",
    )
    assert comparison.coverage.to_dict() == {"flags": last}
    components = {flag.component for flag in comparison.flags}
    assert components and components.isdisjoint(without[newest])


def test_all_tables_of_aspects_have_a_coverage() -> None:
    for aspect in coverage._ASPECTS.values():
        assert all(map(looked_at, aspect.tables)), aspect


def test_nothing_is_said_of_a_release_that_all_tables_reach() -> None:
    """Every table is made for each release but the newest, whose metrics may be missing."""
    assert compare(*map(embedded, RELEASES[-3:-1])).coverage.sentences == ()


def test_no_difference_is_made_up_for_a_release_without_facts() -> None:
    last_known = replace(embedded(NEWEST), name=[*snapshots()][-1])
    comparison = compare(last_known, preview())
    assert (*comparison.changes, *comparison.notices) == ()
    assert (*comparison.gates, *comparison.flags, *comparison.metrics) == ()
    assert comparison.going_soon == ()  # all plans are older, and the kinds are there
    of_json = comparison.to_dict()["coverage"]
    assert of_json["gates"] == looked_at("feature-gates")[-1]
    assert of_json["rules"] == looked_at("combinations")[-1]


def _with_required(name: str, *required: str) -> Release:
    fields = {"controller": {"type": "string"}, "parameters": {"type": "string"}}
    schema = {"type": "object", "properties": fields, "required": list(required)}
    document: dict[str, Any] = {
        "swagger": "2.0",
        "info": {"title": "Kubernetes", "version": "unversioned"},
        "paths": {},
        "definitions": {SPEC: schema},
    }
    return parse(Source(name, f"{name}.json", json.dumps(document).encode()))


def test_a_field_breaks_only_where_older_servers_did_not_require_it() -> None:
    """The document lists what the server required before, and what nobody knows of."""
    assert server_facts(NEWEST).of(SPEC, "controller").required
    assert server_facts(NEWEST).of(SPEC, "parameters").required is None
    changes = compare(
        _with_required(NEWEST), _with_required(PREVIEW, "controller", "parameters")
    ).changes

    def judged(change: Change) -> tuple[str | None, str, str]:
        return change.field, change.rule.name, change.audience.apply.severity

    assert set(map(judged, changes)) == {
        ("controller", "document-catches-up", "safe"),
        ("parameters", "required-unknown", "warning"),
    }


def test_histories_checks_and_pages_say_it(tmp_path: Path) -> None:
    manifest = tmp_path / "a.yaml"
    manifest.write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
    releases = [embedded(NEWEST), preview()]
    (of_kind,) = history(releases, "ConfigMap")
    answers = (
        of_kind.coverage,
        timeline(releases).coverage,
        check([str(manifest)], preview()).coverage,
    )
    for found in answers:
        first, second = found.sentences
        assert first == f"{PREVIEW} is a preview of 1.99, and can differ from it"
        assert f"at {looked_at('lifecycle')[-1]}" in second
    assert check([str(manifest)], embedded(NEWEST)).coverage.sentences == ()


def test_a_preview_is_never_the_newest() -> None:
    assert newest_of(["1.36", "1.37", "1.38.0-beta.0"]) == "1.37"
    assert newest_of(["1.38.0-beta.0"]) == "1.38.0-beta.0"
    assert [shown_name("1.38.0-rc.1"), shown_name("1.38")] == [
        "1.38.0-rc.1 (preview)",
        "1.38",
    ]


def test_the_summary_counts_every_entry_once() -> None:
    """Gates and flags that break components count as changes do."""
    report = compare(*map(embedded, RELEASES[-2:])).to_dict()
    lists = ("changes", "notices", "gates", "flags", "metrics")
    moved = (item["changes"] for item in report["graduations"])
    entries = chain(*(report[name] for name in lists), *moved)
    counts = Counter(entry["severity"] for entry in entries)
    assert counts == {name: count for name, count in report["summary"].items() if count}


def test_patches_with_the_document_of_their_minor_version_say_so() -> None:
    patch = f"{NEWEST}.9"
    comparison = compare(embedded(NEWEST), replace(embedded(NEWEST), name=patch))
    assert comparison.coverage.to_dict()["documents"] == NEWEST
    assert comparison.coverage.sentences[0].startswith(f"Facts of {patch} ")
    known = next(name for name in snapshots() if minor_of_patch(name) != name)
    of_known = compare(load(minor_of_patch(known)), replace(preview(), name=known))
    assert (
        f"Facts of {known} but for feature gates are" in of_known.coverage.sentences[0]
    )


def test_the_table_of_coverage_names_tables() -> None:
    for line in (ROOT / "specs/coverage.tsv").read_text("utf-8").splitlines():
        table, until, _ = line.split("\t") if line[0] != "#" else ("formats", "1", "")
        assert (ROOT / f"specs/{table}.tsv").exists() is (until != "-"), table
