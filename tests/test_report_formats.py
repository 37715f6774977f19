"""Formats of reports: the table that all commands read, and formats of users."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from tests.conftest import Command, rest_nightly
from tests.diff_specs import pod
from tests.diff_specs import text as swagger

HOSTILE = '=cmd|"/c calc"!A1,<b>\r\n::error::x\x1b[31m\u202e'
MANIFEST = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: []}\n"
ASCIIDOC = """\
about = "Reports in AsciiDoc"
view = "reports"
scope = "releases"
min_releases = 2

[[files]]
each = "comparison"
path = "{before}-to-{after}.adoc"
report = "asciidoc"
suffixes = [".adoc"]
template = "report.adoc.j2"
"""
COMMANDS = [
    "check a.yaml --to 1.35",
    "diff 1.34 1.35",
    "history Pod --releases 1.35",
]


@pytest.mark.parametrize("command", rest_nightly(COMMANDS))
def test_the_suffix_of_a_file_chooses_the_format_or_is_refused(
    run: Command, tmp_path: Path, command: str
) -> None:
    """One table for all commands: none writes text into a file called otherwise."""
    (tmp_path / "a.yaml").write_text(MANIFEST)
    arguments = (*command.split(), "-q")
    refused = run(*arguments, "-o", "report.pdf")
    assert refused.returncode == 2
    assert "no format has the suffix .pdf" in refused.stderr
    assert "available: .csv, .html, .json, .log, .md" in refused.stderr
    assert not (tmp_path / "report.pdf").exists()
    for name, start in {
        "report": None,
        "report.log": None,
        "report.txt": None,
        "report.md": "# ",
        "report.html": "<!doctype html>",
        "report.json": ("{", "["),
        "report.csv": ("severity,", "type,"),
        **({"a.sarif": "{", "a.xml": "<?xml"} if command.startswith("check") else {}),
    }.items():
        result = run(*arguments, "-o", name)
        assert result.returncode in (0, 1), result.stderr
        text = (tmp_path / name).read_text("utf-8")
        assert start is None or text.startswith(start)
    assert (tmp_path / "report").read_text() == (tmp_path / "report.log").read_text()
    run(*arguments, "-f", "text", "-o", "report.pdf")
    assert (tmp_path / "report").read_text() == (tmp_path / "report.pdf").read_text()
    unknown = run(*arguments, "-f", "pdf")
    assert unknown.returncode == 2
    assert "text, markdown, html, json, csv" in unknown.stderr


@pytest.mark.nightly
def test_csv_has_a_row_for_each_change_and_no_formulas(
    run: Command, tmp_path: Path
) -> None:
    before = pod(a={"type": "string", "description": "An a."})
    after = pod(
        a={"type": "string", "description": HOSTILE}, **{HOSTILE: {"type": "string"}}
    )
    (tmp_path / "before.json").write_text(swagger(before))
    (tmp_path / "after.json").write_text(swagger(after))
    arguments = ("diff", "before.json", "after.json", "-q", "-f")
    rows = list(csv.DictReader(io.StringIO(run(*arguments, "csv").stdout)))
    changes = json.loads(run(*arguments, "json").stdout)["changes"]
    assert len(rows) == len(changes)
    assert {row["severity"] for row in rows} == {row["severity"] for row in changes}
    cells = [cell for row in rows for cell in row.values()]
    assert "'=cmd|" in " ".join(cells)
    for cell in cells:
        assert not cell.startswith(("=", "+", "-", "@"))
        assert cell.isprintable()


def test_csv_of_a_check_and_of_a_history(run: Command, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(MANIFEST.replace("[]", "[{name: '=1', imag: a}]"))
    checked = run("check", "a.yaml", "--to", "1.35", "-q", "-f", "csv")
    finding, *_ = csv.DictReader(io.StringIO(checked.stdout))
    assert finding["rule"] == "unknown-field"
    assert finding["file"] == "a.yaml"
    assert (finding["line"], finding["kind"], finding["name"]) == ("4", "Pod", "a")
    evolved = run("history", "Pod", "--releases", "1.34..1.35", "-q", "-f", "csv")
    rows = list(csv.DictReader(io.StringIO(evolved.stdout)))
    assert {row["type"] for row in rows} == {"core Pod"}
    assert {"unchanged"} <= {row["mark"] for row in rows}


@pytest.mark.nightly
def test_a_target_of_the_users_is_a_format_of_a_command(
    run: Command, tmp_path: Path
) -> None:
    folder = tmp_path / "mine" / "asciidoc"
    folder.mkdir(parents=True)
    (folder / "target.toml").write_text(ASCIIDOC)
    (folder / "report.adoc.j2").write_text(
        "= {{ title }}\n\n{{ headline }}, {{ target }}, {{ options | length }}\n"
    )
    templates = ("--templates", "mine")
    printed = run("diff", "1.34", "1.35", "-q", "-f", "asciidoc", *templates)
    assert printed.returncode == 0, printed.stderr
    assert printed.stdout.startswith("= 1.34 → 1.35\n\n2 API versions removed")
    # The option may come first, and the suffix is enough.
    run(*("diff", "-o", "a.adoc", "1.34", "1.35", "-q", *templates))
    assert (tmp_path / "a.adoc").read_text("utf-8") == printed.stdout
    help_text = run("diff", *templates, "--help").stdout
    assert "[asciidoc|text|markdown|" in "".join(help_text.split())
    # It is a format of the command that it has a rule for, and of no other.
    assert run("history", "-f", "asciidoc", *templates).returncode == 2
    assert run("diff", "1.34", "1.35", "-f", "asciidoc").returncode == 2
    # A format of the user's takes the place of a built-in one.
    manifest = ASCIIDOC.replace('"asciidoc"', '"csv"').replace('.adoc"]', '.csv"]')
    (folder / "target.toml").write_text(manifest)
    named = run("diff", "1.34", "1.35", "-q", "-f", "csv", *templates)
    run("diff", "1.34", "1.35", "-q", "-o", "a.csv", *templates)
    assert named.stdout == printed.stdout == (tmp_path / "a.csv").read_text("utf-8")
    rendered = run("render", "1.34..1.35", "-t", "asciidoc", *templates, "-o", "out")
    assert rendered.returncode == 0, rendered.stderr
    path = tmp_path / "out/asciidoc/1.34-to-1.35.adoc"
    assert path.read_text("utf-8") == printed.stdout


def test_a_user_has_own_formats_of_checks(run: Command, tmp_path: Path) -> None:
    folder = tmp_path / "mine" / "checkstyle"
    folder.mkdir(parents=True)
    (folder / "target.toml").write_text(
        'about = "Checkstyle"\nview = "check"\nscope = "manifests"\n\n[[files]]\n'
        'each = "check"\nreport = "checkstyle"\ntemplate = "checkstyle.xml.j2"\n'
    )
    (folder / "checkstyle.xml.j2").write_text(
        '{% for file in files %}<file name="{{ file.file }}">'
        '{% for finding in file.findings %}<error message="{{ finding.message }}" />'
        "{% endfor %}</file>{% endfor %}\n"
    )
    (tmp_path / "a.yaml").write_text(MANIFEST.replace("spec:", "spek:"))
    arguments = ("check", "a.yaml", "--to", "1.35", "-q", "-f", "checkstyle")
    printed = run(*arguments, "--templates", "mine")
    assert printed.returncode == 1
    assert printed.stdout.startswith('<file name="a.yaml"><error message="')
    assert "unknown field &#34;spek" in printed.stdout
    refused = run("render", "1.35", "-t", "checkstyle", "--templates", "mine")
    assert refused.returncode == 2
    assert "is printed by kubestencil check" in refused.stderr


@pytest.mark.parametrize(
    ("manifest", "key"),
    [
        (ASCIIDOC.replace('path = "{before}-to-{after}.adoc"\n', ""), ""),
        (
            ASCIIDOC.replace('path = "{before}-to-{after}.adoc"\n', "").replace(
                'report = "asciidoc"\n', ""
            ),
            "files.path",
        ),
        (
            ASCIIDOC.replace('"releases"', '"manifests"').replace(
                'report = "asciidoc"\n', ""
            ),
            "files.report",
        ),
    ],
)
def test_a_rule_has_a_path_or_is_a_report(
    run: Command, tmp_path: Path, manifest: str, key: str
) -> None:
    folder = tmp_path / "mine" / "asciidoc"
    folder.mkdir(parents=True)
    (folder / "target.toml").write_text(manifest)
    (folder / "report.adoc.j2").write_text("{{ title }}\n")
    result = run("targets", "--templates", "mine")
    assert result.returncode == (1 if key else 0)
    assert (f"{key}: is missing" in result.stderr) is bool(key)
