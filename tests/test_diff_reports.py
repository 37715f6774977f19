"""Reports: their content, the escaping of text from documents, and the commands."""

from __future__ import annotations

import html.parser
import json
import re
from pathlib import Path
from typing import Any

import click
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from kubestencil.cli.diff import diff as diff_command
from kubestencil.diff import Comparison, compare, history, timeline
from kubestencil.diff.rules import SEVERITIES, SEVERITY_MEANINGS
from kubestencil.targets.diff import report, view
from kubestencil.targets.diff.changes import comparison_variables
from kubestencil.targets.diff.word_diff import diff_words, shorten
from kubestencil.text import markdown, terminal
from tests.conftest import Command
from tests.diff_specs import PAIRS, document, embedded, pod, release
from tests.diff_specs import text as swagger

HOSTILE = (
    "<script>alert(1)</script>",
    "![x](http://127.0.0.1/x.png)",
    "[x](javascript:alert(1))",
    "a | b",
    "`code` ``` ~~~ **bold** _it_ $x$",
    "</del></ins></span><img src=x onerror=alert(1)>",
    "\x1b[31mred\x1b[0m \x1b]0;title\x07",
    "first\n\n# heading\n- item\n1. item\n> quote\n<!-- c",
    "{{ 7 * 7 }} {% raw %}",
    "\u202eright to left",
    "&lt;b&gt; &amp;",
    "' onmouseover='x' \" x",
)


def compare_texts(before: str, after: str) -> Comparison:
    """A comparison of documents with these texts wherever a document has text."""

    def side(text: str) -> Any:
        field = {"description": text, "default": text, "enum": [text], "title": text}
        fields = {
            "same": field,
            f"name {text}": {"type": "string", "description": text},
        }
        definitions = pod(**fields)
        definitions["io.k8s.api.core.v1.Pod"]["required"] = [f"name {text}"]
        definitions["io.k8s.api.core.v1.Pod"][f"x-{text}"] = text
        definitions["io.k8s.api.core.v1.Pod"]["description"] = text
        gvk = definitions["io.k8s.api.core.v1.Pod"]["x-kubernetes-group-version-kind"]
        gvk[0]["kind"] = text
        return document(definitions)

    return compare(side(before), side(after))


class Page(html.parser.HTMLParser):
    """The tags, attributes and text of a page."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes.extend(attrs)

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def check_page(text: str) -> Page:
    page = Page(text)
    assert page.tags.count("script") == page.tags.count("style") == 1
    assert not {"img", "iframe", "object", "base", "svg"} & set(page.tags)
    names = {name for name, _ in page.attributes}
    assert not {name for name in names if name.startswith("on")}
    assert not {"src", "srcset", "style"} & names
    return page


@pytest.mark.parametrize("text", HOSTILE)
def test_text_of_a_document_is_escaped_in_html(text: str) -> None:
    page = check_page(report.comparison_report(compare_texts("plain", text), "html"))
    for address in (value for name, value in page.attributes if name == "href"):
        assert address is not None
        assert address.startswith(("#", "https://"))
    shown = "".join(page.text)
    assert text.split("\n")[0][:20] in shown


@pytest.mark.parametrize("text", HOSTILE)
def test_text_of_a_document_is_escaped_in_markdown(text: str) -> None:
    generated = report.comparison_report(compare_texts("plain", text), "markdown")
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(generated)
    inline = [child for token in tokens for child in token.children or ()]
    assert not {"html_block", "fence"} & {token.type for token in tokens}
    assert {token.type for token in inline} <= {
        *("text", "softbreak", "strong_open", "strong_close", "html_inline"),
        *("link_open", "link_close"),
    }
    tags = {token.content for token in inline if token.type == "html_inline"}
    assert tags <= {"<del>", "</del>", "<ins>", "</ins>"}
    hrefs = {token.attrs["href"] for token in inline if token.type == "link_open"}
    assert all(str(href).startswith("https://") for href in hrefs)


@settings(max_examples=300, deadline=None)
@given(st.text(st.characters(codec="utf-8"), max_size=12))
@example("   ")
def test_literal_markdown_is_displayed_unchanged(text: str) -> None:
    """In a paragraph, a list item, a table, and next to other markup."""
    expected = " ".join(markdown.line(text).split())
    for template in (
        "{}",
        "- {}",
        "x | y\n--- | ---\n{} | z",
        "a **{}** <ins>{}</ins>",
    ):
        page = MarkdownIt("commonmark").enable("table")
        rendered = page.render(template.format(*[markdown.literal(text)] * 2))
        parsed = Page(rendered)
        assert set(parsed.tags) <= {
            *("p", "ul", "li", "strong", "ins"),
            *("table", "thead", "tbody", "tr", "th", "td"),
        }
        assert expected in " ".join("".join(parsed.text).split())


@pytest.mark.parametrize("text", HOSTILE)
def test_text_of_a_document_has_no_control_sequences(text: str) -> None:
    generated = report.comparison_report(
        compare_texts("plain", text), "text", colour=True
    )
    uncoloured = re.sub(r"\x1b\[[0-9;]+m", "", generated)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", uncoloured)
    # All remaining sequences are colours.
    assert "\x1b]" not in generated
    assert generated.count("\x1b") == len(re.findall(r"\x1b\[[0-9;]+m", generated))


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


def test_command_accepts_all_severities() -> None:
    """The command names them itself, to answer --help without importing them."""
    options = {option.name: option.type for option in diff_command.params}
    severities, fail_on = options["severities"], options["fail_on"]
    assert isinstance(severities, click.Choice)
    assert isinstance(fail_on, click.Choice)
    assert tuple(severities.choices) == SEVERITIES
    assert tuple(fail_on.choices) == SEVERITIES[:2]


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


def test_plain_text_has_no_controls() -> None:
    assert terminal.one_line("a\tb\r\nc\x1b[2Jd\u202e") == "a b c\ufffd[2Jd\ufffd"


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


def test_text_of_a_document_is_escaped_in_histories() -> None:
    for text in HOSTILE:
        releases = [
            document(pod(**{f"x{value}": {"description": value, "default": value}}))
            for value in ("plain", text)
        ]
        histories = history(releases, "Pod")
        check_page(report.history_report(histories, "html"))
        assert "<script" not in report.history_report(histories, "markdown")


# --- the commands


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("diff", "1.34", "9.9"), 2, "'9.9' is neither a release nor an existing file"),
        (("diff", "1.34", "1.35", "--kind", "Podd"), 2, "did you mean Pod"),
        (("diff", "1.34", "1.35", "--kind", "pod"), 2, "did you mean Pod?"),
        (("diff", "1.34", "1.35", "--group", "app"), 2, "did you mean apps?"),
        (("diff", "1.34", "1.35/apps/v1"), 2, "an API version on both sides"),
        (("diff", "1.34/apps/v2", "1.35/apps/v1"), 2, "no API version 'apps/v2'"),
        (("history", "PodSpek", "--releases", "1.35"), 2, "did you mean PodSpec"),
        (("history", "PodSpek", "--releases", "1.35"), 2, "no type called 'PodSpek'"),
        (("history", "PodSpec", "hostUser", "--releases", "1.35"), 2, "hostUsers"),
        (("render", "1.35", "-t", "diff"), 2, "needs 2 or more releases"),
    ],
)
def test_usage_errors(
    run: Command, arguments: tuple[str, ...], code: int, message: str
) -> None:
    result = run(*arguments)
    assert result.returncode == code
    assert message in result.stderr
    assert result.stdout == ""


def test_options_of_the_diff_command(run: Command, tmp_path: Path) -> None:
    same = run("diff", "1.35", "1.35")
    assert (same.returncode, same.stdout) == (0, "1.35 → 1.35: no changes\n")

    reverse = run("diff", "1.35", "1.34", "-q", "--no-docs")
    assert "field removed" in reverse.stdout
    assert "docs" not in re.sub("0 docs", "", reverse.stdout)
    assert "additions are shown as removals" in run("diff", "1.35", "1.34").stderr

    failed = run("diff", "1.31", "1.32", "--fail-on", "breaking")
    assert failed.returncode == 1
    passed = run(
        *("diff", "1.31", "1.32", "--fail-on", "breaking", "--kind", "ConfigMap"),
    )
    assert passed.returncode == 0

    to_file = run("diff", "1.34", "1.35", "-o", "a.json", "--kind", "Pod")
    assert (to_file.returncode, to_file.stdout) == (0, "")
    written = json.loads((tmp_path / "a.json").read_text())
    assert {"userAnnotations", "workloadRef"} <= {
        c["field"] for c in written["changes"]
    }
    assert all("v1/Pod" in c["kinds"] for c in written["changes"])

    severe = run("diff", "1.31", "1.32", "--severity", "breaking", "-f", "json")
    assert {c["severity"] for c in json.loads(severe.stdout)["changes"]} == {"breaking"}

    unwritable = run("diff", "1.35", "1.35", "-o", "no/such/folder.md")
    assert unwritable.returncode == 1
    assert "cannot be written" in unwritable.stderr

    (tmp_path / "mine.json").write_text(swagger(pod(a={"type": "string"})))
    changed = swagger(pod(a={"type": "integer"}))
    piped = run("diff", "mine.json", "-", stdin=changed)
    assert "breaking  a: type changed  [-string-] → {+integer+}" in piped.stdout
    (tmp_path / "other.json").write_text('{"kind": "Pod"}')
    other = run("diff", "mine.json", "other.json")
    assert other.returncode == 1
    assert "is not an OpenAPI 2.0 document" in other.stderr


def test_render_writes_all_reports(run: Command, tmp_path: Path) -> None:
    """Each release with the next, the first with the last, and the timeline."""
    first = run("render", "1.33..1.35", "-t", "diff", "-o", "out")
    assert first.returncode == 0, first.stderr
    names = {path.name for path in (tmp_path / "out/diff").iterdir()}
    pairs = ("1.33-1.34", "1.34-1.35", "1.33-1.35", "history")
    reports = {f"{pair}.{end}" for pair in pairs for end in ("md", "html", "json")}
    assert names == {*reports, "README.md", "index.html"}
    for path in (tmp_path / "out/diff").glob("*.html"):
        check_page(path.read_text())

    again = run("render", "1.33..1.35", "-t", "diff", "-o", "out")
    assert "unchanged" in again.stdout
    page = tmp_path / "out/diff/history.md"
    text = page.read_text()
    page.write_text("changed by hand")
    check = run("render", "1.33..1.35", "-t", "diff", "-o", "out", "--check")
    assert check.returncode == 1
    assert "history.md" in check.stdout
    page.write_text(text)
    check = run("render", "1.33..1.35", "-t", "diff", "-o", "out", "--check")
    assert check.returncode == 0


def test_a_user_template_shadows_the_built_in_one(run: Command, tmp_path: Path) -> None:
    folder = tmp_path / "mine" / "diff"
    folder.mkdir(parents=True)
    (folder / "report.md.j2").write_text("{{ before }} and {{ after }}, {{ total }}\n")
    arguments = ("diff", "1.34", "1.35", "-q", "-f", "markdown", "--templates", "mine")
    assert re.fullmatch(r"1\.34 and 1\.35, \d+\n", run(*arguments).stdout)
    (folder / "report.md.j2").write_text("a\n{{ absent.name }}\n")
    failed = run(*arguments)
    assert failed.returncode == 1
    assert "diff/report.md.j2:2: 'absent' is undefined" in failed.stderr
