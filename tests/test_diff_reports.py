"""Reports: their content, the marks in changed text, and histories."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubestencil.diff import compare, history, timeline
from kubestencil.diff.audience import SEVERITY_MEANINGS
from kubestencil.targets.diff import report, view
from kubestencil.targets.diff.changes import comparison_variables
from kubestencil.targets.diff.word_diff import diff_words, shorten
from tests.diff_specs import PAIRS, document, embedded, pod, release
from tests.report_pages import check_page


def test_json_report_has_the_documented_keys() -> None:
    comparison = json.loads(
        report.comparison_report(compare(release("1.29"), release("1.35")), "json")
    )
    assert (comparison["from"], comparison["to"]) == ("1.29", "1.35")
    assert list(comparison["summary"]) == ["breaking", "warning", "safe", "docs"]
    assert sum(comparison["summary"].values()) == len(comparison["changes"])
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
    graduation_keys = {"group", "from", "to", "left", "kinds", "changes"}
    assert comparison["graduations"][0].keys() == graduation_keys


@pytest.mark.parametrize("format_name", ["text", "markdown", "html"])
def test_every_change_is_in_every_report(format_name: Any) -> None:
    """As many entries as changes, those of graduations included."""
    comparison = compare(release("1.29"), release("1.35"))
    generated = report.comparison_report(comparison, format_name)
    in_graduations = sum(
        len(graduation.changes) for graduation in comparison.graduations
    )
    entry = {
        "text": r"(?m)^ +(breaking|warning|safe|docs) {2,}",
        "markdown": r"(?m)^- (breaking|warning|safe|docs): ",
        "html": r"<li id=",
    }[format_name]
    assert len(re.findall(entry, generated)) == len(comparison.changes) + in_graduations


def test_report_explains_severities() -> None:
    comparison = compare(document(pod()), document(pod(a={"type": "string"})))
    for format_name in ("markdown", "html"):
        generated = report.comparison_report(comparison, format_name)
        assert "How severities are assigned" in generated
        assert "Backward compatible" in generated
        assert SEVERITY_MEANINGS["warning"] in generated


def test_template_variables_are_documented() -> None:
    """Those of a whole report, by the value of ``each`` that its template belongs to."""
    comparison = compare(document(pod()), document(pod(a={"type": "string"})))
    common = {"title", "page", "paint"}
    documented = {name: set(each.variables) for name, each in view.EACH.items()}
    assert documented["comparison"] == common | set(
        comparison_variables(comparison, str)
    )
    assert documented["timeline"] == common | {"matrices"}
    assert documented["index"] == common | {"comparisons", "formats"}


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
    generated = report.comparison_report(both, "text")
    assert "[-apps/v1beta1/Options-] {+apps/v2/Options+}" in generated
    added = compare(served("v1"), served("v1", "v2"))
    generated = report.comparison_report(added, "text")
    assert "served kinds changed  {+apps/v2/Options+}" in generated


def test_words_beside_a_change_keep_their_spaces_in_markdown() -> None:
    sides = [
        document(pod(a={"type": "string", "description": f"at most {limit} items"}))
        for limit in (32, 256)
    ]
    generated = report.comparison_report(compare(*sides), "markdown")
    assert "at most <del>32</del><ins>256</ins> items" in generated


def test_anchors_are_unique_and_links_to_them_resolve() -> None:
    page = check_page(
        report.comparison_report(compare(release("1.29"), release("1.35")), "html")
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
    assert anchor in report.comparison_report(few, "html")
    assert anchor in report.comparison_report(more, "html")


@pytest.mark.parametrize(("before", "after"), PAIRS[:1] + PAIRS[5:6])
def test_page_size_is_below_three_megabytes(before: str, after: str) -> None:
    page = report.comparison_report(compare(release(before), release(after)), "html")
    assert len(page.encode()) < 3_000_000


# --- word by word


def test_a_changed_number_in_a_description_is_marked() -> None:
    # Upstream changed it in a patch release of 1.32; the embedded document is older.
    comparison = compare(embedded("1.32"), embedded("1.33"))
    generated = report.comparison_report(comparison, "text")
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
    releases = [embedded(f"1.{minor}") for minor in range(29, 36)]
    (status,) = history(releases, "ResourceClaimStatus")
    columns = [(column.release, column.version) for column in status.columns]
    versions = list(dict.fromkeys(version for _, version in columns))
    assert versions == ["v1alpha2", "v1alpha3", "v1beta1", "v1beta2", "v1"]
    periods = {
        row.field: (columns[row.first], columns[row.last]) for row in status.rows
    }
    assert periods["driverName"] == (("1.29", "v1alpha2"), ("1.30", "v1alpha2"))
    assert periods["deallocationRequested"][1] == ("1.31", "v1alpha3")
    assert periods["devices"] == (("1.32", "v1alpha3"), ("1.35", "v1"))
    (reserved_for,) = (row for row in status.rows if row.field == "reservedFor")
    marks = {
        column: cell.mark
        for column, cell in zip(columns, reserved_for.cells, strict=True)
        if cell and cell.mark
    }
    assert marks["1.33", "v1beta1"] == "docs"


def test_timeline_has_the_releases_that_serve_each_version() -> None:
    releases = [release(f"1.{minor}") for minor in range(29, 36)]
    periods = {
        (kind.kind, version.version): (version.releases[0], version.releases[-1])
        for kind in timeline(releases).kinds
        for version in kind.versions
    }
    assert periods["FlowSchema", "v1beta3"] == ("1.29", "1.31")
    assert periods["FlowSchema", "v1"] == ("1.29", "1.35")
    assert periods["ResourceClaim", "v1"] == ("1.34", "1.35")
    assert ("PodList", "v1") not in periods
