"""The commands diff and history, and the reports that render writes."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import get_args

import click
import pytest
from click.testing import CliRunner

from kubestencil.cli import cli
from kubestencil.cli.diff import diff as diff_command
from kubestencil.diff.rules.audience import AUDIENCE_NAMES, SEVERITIES
from kubestencil.errors import UsageError
from kubestencil.schema.kinds import StageSpelling
from tests.conftest import Command
from tests.diff_specs import pod
from tests.diff_specs import text as swagger
from tests.report_pages import check_page


def test_command_accepts_all_names_of_the_report() -> None:
    """The command names them itself, to answer --help without importing them."""
    options = {option.name: option.type for option in diff_command.params}
    choices = {
        "severities": SEVERITIES,
        "audience": AUDIENCE_NAMES,
        "stages": get_args(StageSpelling),
    }
    for name, values in choices.items():
        option = options[name]
        assert isinstance(option, click.Choice)
        assert set(option.choices) == set(values)


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("diff", "1.34", "9.9"), 2, "unknown release '9.9'"),
        (("diff", "1.34", "1.35", "--kind", "podd"), 2, "did you mean Pod"),
        (("diff", "1.34", "no.json"), 2, "is neither a release nor an existing file"),
        (("diff", "1.34", "1.35", "--group", "app"), 2, "did you mean apps?"),
        (("diff", "1.34", "1.35/apps/v1"), 2, "an API version on both sides"),
        (("diff", "1.34/apps/v2", "1.35/apps/v1"), 2, "no API version 'apps/v2'"),
        (("diff", "1.34"), 2, "name two releases or specs, or a range"),
        (("diff", "1.34..1.34"), 2, "has one release"),
        (("diff", "1.35..1.34"), 2, "the older release comes first"),
        (("diff", "1.34", "1.35", "--fail-on", "braking"), 2, "did you mean breaking"),
        (("diff", "1.34", "1.35", "--fail-on", "field-gone"), 2, "field-"),
        (("history", "PodSpek", "--releases", "1.35"), 2, "did you mean PodSpec"),
        (
            ("history", "PodSpek", "--releases", "1.35"),
            2,
            "no kind or type called 'PodSpek'",
        ),
        (("history", "PodSpec", "hostUser", "--releases", "1.35"), 2, "hostUsers"),
        (
            ("history", "policy/v1beta1/PodDisruptionBudget", "--releases", "1.35"),
            2,
            "deprecated in 1.21, removed in 1.25",
        ),
        (
            ("history", "podsecuritypolicies"),
            2,
            "extensions/v1beta1/PodSecurityPolicy was",
        ),
        (("history", "psp"), 2, "deprecated in 1.21, removed in 1.25"),
        (("history", "cronjob/v1beta1"), 2, "deprecated in 1.21, removed in 1.25"),
        (("history", "pods/resize"), 2, "since 1.32 (get, patch, update)"),
        (("history", "autoscaling/v2beta2"), 2, "deprecated in 1.23, removed in 1.26"),
        (
            ("history", "sidecar"),
            2,
            "SidecarContainers: alpha (off) from 1.28, beta (on) from 1.29, GA from 1.33",
        ),
        (("history", "timeZone"), 2, "did you mean CronJobSpec.timeZone?"),
        (("history", "exactly.count"), 2, "mean DeviceRequest.exactly.count?"),
        (
            ("history", "count"),
            2,
            "DeviceSubRequest.count or Event.count or EventSeries",
        ),
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
    # What went away is said whatever the filters leave.
    for form in ("text", "markdown", "html", "release-note", "github"):
        filtered = run("diff", "1.34", "1.35", "--severity", "breaking", "-f", form)
        assert "2 API versions removed" in filtered.stdout
        assert "no changes" not in filtered.stdout.lower()

    reverse = run("diff", "1.35", "1.34", "-q", "-f", "text", "--no-docs")
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
    assert unwritable.returncode == 2
    assert "cannot be written" in unwritable.stderr

    (tmp_path / "mine.json").write_text(swagger(pod(a={"type": "string"})))
    changed = swagger(pod(a={"type": "integer"}))
    piped = run("diff", "mine.json", "-", stdin=changed)
    assert "breaking  Pod.a: type changed  [-string-] → {+integer+}" in piped.stdout
    (tmp_path / "other.json").write_text('{"kind": "Pod"}')
    other = run("diff", "mine.json", "other.json")
    assert other.returncode == 2
    assert "is not an OpenAPI 2.0 spec" in other.stderr


def test_diff_of_a_range_shows_the_steps(run: Command) -> None:
    result = run("diff", "1.33..1.35", "-q", "-f", "text", "--no-docs")
    assert result.returncode == 0
    assert result.stdout.startswith("1.33 → 1.35: ")
    assert re.findall(r"(?m)^  (1\.\d+ → 1\.\d+): ", result.stdout) == [
        "1.33 → 1.34",
        "1.34 → 1.35",
    ]


def test_fail_on_takes_severities_and_rules(run: Command) -> None:
    arguments = ("diff", "1.34", "1.35", "-q", "--fail-on")
    # Flags that components had are breaking for who starts them with these.
    assert run(*arguments, "breaking").returncode == 1
    assert run(*arguments, "warning").returncode == 1
    assert run(*arguments, "still-sent").returncode == 1
    assert run(*arguments, "enum-shrunk", "--fail-on", "cel-added").returncode == 0


def test_stage_and_audience_limit_the_changes(run: Command) -> None:
    arguments = ("diff", "1.34", "1.35", "-q", "-f", "json")
    everything = json.loads(run(*arguments).stdout)["changes"]
    alpha = json.loads(run(*arguments, "--stage", "alpha").stdout)["changes"]
    assert 0 < len(alpha) < len(everything)
    assert "v1/Node" in {kind for change in alpha for kind in change["kinds"]}
    for_compiler = json.loads(
        run(*arguments, "--audience", "compile", "--severity", "warning").stdout
    )
    assert {change["severity"] for change in for_compiler["changes"]} == {"warning"}


@pytest.mark.nightly
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


def test_a_baseline_leaves_out_the_changes_of_an_earlier_report(tmp_path: Path) -> None:
    runner, report = CliRunner(), tmp_path / "old.json"
    runner.invoke(cli, ["diff", "1.34", "1.35", "-o", str(report)])
    arguments = ["diff", "1.34", "1.35", "--baseline", str(report), "-f", "json", "-q"]
    left = json.loads(runner.invoke(cli, arguments).stdout)
    lists = ("changes", "notices", "graduations", "gates", "metrics", "flags")
    assert not any(left[name] for name in (*lists, "going_soon"))
    assert left["versions"] == {"added": [], "removed": []}
    document = json.loads(report.read_bytes())
    kept = document["changes"].pop()
    report.write_text(json.dumps(document))
    left = json.loads(runner.invoke(cli, arguments).stdout)
    assert [change["id"] for change in left["changes"]] == [kept["id"]]
    for text in ("[]", "{}", "no", '{"changes": 1}'):
        report.write_text(text)
        result = runner.invoke(cli, arguments)
        assert isinstance(result.exception, UsageError)
        assert result.exception.where == str(report)


def test_quiet_prints_a_report_only_where_one_is_asked_for(tmp_path: Path) -> None:
    runner = CliRunner()
    for options, is_printed in (((), False), (("-f", "text"), True)):
        result = runner.invoke(cli, ["diff", "1.34", "1.35", "-q", *options])
        assert (bool(result.stdout), result.stderr) == (is_printed, "")
    file = tmp_path / "a.txt"
    runner.invoke(cli, ["diff", "1.34", "1.35", "-q", "-o", str(file)])
    assert file.read_text("utf-8").startswith("1.34 → 1.35")


def test_changes_between_versions_of_a_kind_fail(tmp_path: Path) -> None:
    """In 1.29, v1 lost a field of v1beta2, and the kinds of v1beta2 were removed."""
    moved = ["diff", "1.28", "1.29", "-q", "--fail-on", "field-moved"]
    assert CliRunner().invoke(cli, moved).exit_code == 1


def test_the_history_of_a_field_says_what_the_server_accepts_and_fills_in(
    run: Command,
) -> None:
    """The facts of the newest release that has the field."""
    done = run("history", "pod.spec.containers.imagePullPolicy", "--releases", "1.35")
    assert "  Always, IfNotPresent or Never\n" in done.stdout
    assert "  Default IfNotPresent if image has another tag than latest" in done.stdout
    for format, line in (("markdown", "- Default 25%\n"), ("html", "<p class=")):
        field = "deployment.spec.strategy.rollingUpdate.maxSurge"
        done = run("history", field, "--releases", "1.34..1.35", "-f", format)
        assert line in done.stdout
        assert "Default 25%" in done.stdout
    # Of a whole type, the table says enough.
    assert "Default" not in run("history", "lease", "--releases", "1.35").stdout
