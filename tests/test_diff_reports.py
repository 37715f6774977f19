"""Reports: what they say, that text from a spec stays text, and the commands."""

from __future__ import annotations

import html.parser
import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from kubestencil.diff import compare, history, timeline
from kubestencil.targets.diff import report
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


def both(before: str, after: str) -> Any:
    """A comparison that has these texts in every place where a spec has text."""

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
def test_text_of_a_spec_is_never_html(text: str) -> None:
    page = check_page(report.comparison_report(both("plain", text), "html"))
    for address in (value for name, value in page.attributes if name == "href"):
        assert address is not None
        assert address.startswith(("#", "https://"))
    shown = "".join(page.text)
    assert text.split("\n")[0][:20] in shown


@pytest.mark.parametrize("text", HOSTILE)
def test_text_of_a_spec_is_never_markdown(text: str) -> None:
    printed = report.comparison_report(both("plain", text), "markdown")
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(printed)
    inline = [child for token in tokens for child in token.children or ()]
    assert not [each for each in tokens if each.type in ("html_block", "fence")]
    assert {each.type for each in inline} <= {
        *("text", "softbreak", "strong_open", "strong_close", "html_inline"),
        *("link_open", "link_close"),
    }
    tags = {each.content for each in inline if each.type == "html_inline"}
    assert tags <= {"<del>", "</del>", "<ins>", "</ins>"}
    hrefs = {each.attrs["href"] for each in inline if each.type == "link_open"}
    assert all(str(each).startswith("https://") for each in hrefs)


@settings(max_examples=300, deadline=None)
@given(st.text(st.characters(codec="utf-8"), max_size=12))
@example("   ")
def test_literal_markdown_shows_as_itself(text: str) -> None:
    """Whatever stands around it, as a paragraph, a list item or in a table."""
    wanted = " ".join(markdown.line(text).split())
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
        assert wanted in " ".join("".join(parsed.text).split())


@pytest.mark.parametrize("text", HOSTILE)
def test_text_of_a_spec_never_steers_a_terminal(text: str) -> None:
    printed = report.comparison_report(both("plain", text), "text", colour=True)
    ours = re.sub(r"\x1b\[[0-9;]+m", "", printed)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", ours)
    # Without the text of the spec there are as many sequences.
    assert "\x1b]" not in printed
    assert printed.count("\x1b") == len(re.findall(r"\x1b\[[0-9;]+m", printed))


def test_json_is_what_the_map_says() -> None:
    found = json.loads(
        report.comparison_report(compare(release("1.29"), release("1.35")), "json")
    )
    assert (found["from"], found["to"]) == ("1.29", "1.35")
    assert list(found["summary"]) == ["breaking", "warning", "safe", "docs"]
    assert sum(found["summary"].values()) == len(found["changes"])
    (added,) = (
        each
        for each in found["changes"]
        if each["definition"] == "io.k8s.api.core.v1.PodSpec"
        and each["field"] == "resources"
    )
    assert added["change"] == "field-added"
    assert added["severity"] == "safe"
    assert added["before"] is None
    reference = "#/definitions/io.k8s.api.core.v1.ResourceRequirements"
    assert added["after"]["$ref"] == reference
    assert {"v1/Pod", "apps/v1/Deployment"} <= set(added["kinds"])
    for each in found["changes"]:
        assert each["rule"] in found["rules"]


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_every_change_is_in_every_report(form: str) -> None:
    """As many entries as changes, graduations apart, for the largest pair."""
    found = compare(release("1.29"), release("1.35"))
    printed = report.comparison_report(found, form)
    inside = sum(len(each.changes) for each in found.graduations)
    entry = {
        "text": r"(?m)^ +(breaking|warning|safe|docs) {2,}",
        "markdown": r"(?m)^- (breaking|warning|safe|docs): ",
        "html": r"<li id=",
    }[form]
    assert len(re.findall(entry, printed)) == len(found.changes) + inside


def test_every_anchor_is_unique_and_every_link_leads_somewhere() -> None:
    page = check_page(
        report.comparison_report(compare(release("1.29"), release("1.35")), "html")
    )
    anchors = [value for name, value in page.attributes if name == "id"]
    assert len(anchors) == len(set(anchors))
    links = {value for name, value in page.attributes if name == "href"}
    assert {each[1:] for each in links if each and each.startswith("#")} <= set(anchors)


def test_an_anchor_stays_when_other_changes_come_and_go() -> None:
    text = {"type": "string"}
    few = compare(document(pod(a=text)), document(pod()))
    more = compare(document(pod(a=text, b=text)), document(pod(c=text)))
    anchor = 'id="io.k8s.api.core.v1.Pod:a:field-removed"'
    assert anchor in report.comparison_report(few, "html")
    assert anchor in report.comparison_report(more, "html")


@pytest.mark.parametrize(("before", "after"), PAIRS[:1] + PAIRS[5:6])
def test_the_page_stays_below_three_megabytes(before: str, after: str) -> None:
    page = report.comparison_report(compare(release(before), release(after)), "html")
    assert len(page.encode()) < 3_000_000


# --- words


def test_the_changed_number_is_seen_at_once() -> None:
    # Upstream put the change into a patch of 1.32, which the embedded spec is before.
    found = compare(embedded("1.32"), embedded("1.33"))
    assert "There can be at most [-32-]{+256+} such" in report.comparison_report(
        found, "text"
    )


@given(st.text("ab .\n<", max_size=30), st.text("ab .\n<", max_size=30))
def test_words_put_together_are_both_texts(before: str, after: str) -> None:
    found = diff_words(before, after)
    assert "".join(p.text for p in found if p.role != "ins") == before
    assert "".join(p.text for p in found if p.role != "del") == after
    marked = [p for p in found if p.role in ("del", "ins")]
    assert [p for p in shorten(found) if p.role in ("del", "ins")] == marked


def test_texts_beyond_all_measure_are_not_compared_word_by_word() -> None:
    """The comparison takes time with the square of the length."""
    before, after = (f"{word} " * 20_000 for word in ("a", "b"))
    assert [each.role for each in diff_words(before, after)][:2] == ["del", "ins"]


def test_plain_text_has_no_controls() -> None:
    assert terminal.plain("a\tb\r\nc\x1b[2Jd\u202e") == "a b c\ufffd[2Jd\ufffd"


# --- history


def test_history_tells_what_became_of_resource_claim_status() -> None:
    releases = [embedded(f"1.{minor}") for minor in range(29, 36)]
    (found,) = history(releases, "ResourceClaimStatus")
    versions = list(dict.fromkeys(each.version for each in found.columns))
    assert versions == ["v1alpha2", "v1alpha3", "v1beta1", "v1beta2", "v1"]
    rows = {
        row.field: tuple(
            (found.columns[n].release, found.columns[n].version)
            for n in (row.first, row.last)
        )
        for row in found.rows
    }
    assert rows["driverName"] == (("1.29", "v1alpha2"), ("1.30", "v1alpha2"))
    assert rows["deallocationRequested"][1] == ("1.31", "v1alpha3")
    assert rows["devices"] == (("1.32", "v1alpha3"), ("1.35", "v1"))
    marks = {
        (found.columns[n].release, found.columns[n].version): cell.mark
        for row in found.rows
        if row.field == "reservedFor"
        for n, cell in enumerate(row.cells)
        if cell and cell.mark
    }
    assert marks["1.33", "v1beta1"] == "docs"


def test_the_timeline_says_first_and_last() -> None:
    releases = [release(f"1.{minor}") for minor in range(29, 36)]
    spans = {
        (line.kind, span.version): (span.releases[0], span.releases[-1])
        for line in timeline(releases).kinds
        for span in line.versions
    }
    assert spans["FlowSchema", "v1beta3"] == ("1.29", "1.31")
    assert spans["FlowSchema", "v1"] == ("1.29", "1.35")
    assert spans["ResourceClaim", "v1"] == ("1.34", "1.35")
    assert ("PodList", "v1") not in spans


def test_hostile_history() -> None:
    for text in HOSTILE:
        sides = [
            document(pod(**{f"x{each}": {"description": each, "default": each}}))
            for each in ("plain", text)
        ]
        found = history(sides, "Pod")
        check_page(report.history_report(found, "html"))
        assert "<script" not in report.history_report(found, "markdown")


# --- the commands


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("diff", "1.34", "9.9"), 2, "'9.9' is neither a release nor a document"),
        (("diff", "1.34", "1.35", "--kind", "Podd"), 2, "did you mean Pod"),
        (("diff", "1.34", "1.35", "--kind", "pod"), 2, "did you mean Pod?"),
        (("diff", "1.34", "1.35", "--group", "app"), 2, "did you mean apps?"),
        (("diff", "1.34", "1.35/apps/v1"), 2, "an API version on both sides"),
        (("diff", "1.34/apps/v2", "1.35/apps/v1"), 2, "no API version 'apps/v2'"),
        (("history", "PodSpek", "--releases", "1.35"), 2, "did you mean PodSpec"),
        (("history", "PodSpec", "hostUser", "--releases", "1.35"), 2, "hostUsers"),
        (("render", "1.35", "-t", "diff"), 2, "needs 2 or more releases"),
    ],
)
def test_wrong_calls(
    run: Command, arguments: tuple[str, ...], code: int, said: str
) -> None:
    done = run(*arguments)
    assert done.returncode == code
    assert said in done.stderr
    assert done.stdout == ""


def test_commands(run: Command, tmp_path: Path) -> None:
    """One walk through the options, each seen to do what it says."""
    same = run("diff", "1.35", "1.35")
    assert (same.returncode, same.stdout) == (0, "1.35 → 1.35: no changes\n")

    older = run("diff", "1.35", "1.34", "-q", "--no-docs")
    assert "field removed" in older.stdout
    assert "docs" not in re.sub("0 docs", "", older.stdout)

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

    nowhere = run("diff", "1.35", "1.35", "-o", "no/such/folder.md")
    assert nowhere.returncode == 1
    assert "cannot be written" in nowhere.stderr

    (tmp_path / "mine.json").write_text(swagger(pod(a={"type": "string"})))
    theirs = swagger(pod(a={"type": "integer"}))
    piped = run("diff", "mine.json", "-", stdin=theirs)
    assert "breaking  a: type changed  [-string-] → {+integer+}" in piped.stdout
    (tmp_path / "other.json").write_text('{"kind": "Pod"}')
    other = run("diff", "mine.json", "other.json")
    assert other.returncode == 1
    assert "is not an OpenAPI 2.0 document" in other.stderr


def test_render_prints_the_reports(run: Command, tmp_path: Path) -> None:
    """Of each pair of neighbours, of first to last, and the history; once."""
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


def test_a_template_of_ones_own_shadows_the_built_in_one(
    run: Command, tmp_path: Path
) -> None:
    own = tmp_path / "mine" / "diff"
    own.mkdir(parents=True)
    (own / "report.md.j2").write_text("{{ before }} and {{ after }}, {{ total }}\n")
    arguments = ("diff", "1.34", "1.35", "-q", "-f", "markdown", "--templates", "mine")
    assert re.fullmatch(r"1\.34 and 1\.35, \d+\n", run(*arguments).stdout)
    (own / "report.md.j2").write_text("a\n{{ nothing.here }}\n")
    failed = run(*arguments)
    assert failed.returncode == 1
    assert "diff/report.md.j2:2: 'nothing' is undefined" in failed.stderr
