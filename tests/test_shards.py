"""Runs that are divided among machines: their union is the run of one, byte for byte."""

from __future__ import annotations

import json
import os
import random
import shutil
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from kubestencil.build.record import check_output
from kubestencil.checking import Report, check_paths
from kubestencil.checking.merging.join import as_part, joined
from kubestencil.checking.merging.stored_reports import read_report
from kubestencil.checking.sarif import report_sarif
from kubestencil.checking.suppressions import apply_configuration, read_configuration
from kubestencil.cli import cli
from kubestencil.engine.run_cache import clear_run_caches
from kubestencil.errors import OutputError, UsageError
from kubestencil.schema import Release
from kubestencil.schema.lazy import load_lazily
from kubestencil.shards import WHOLE, Shard, read_shard
from kubestencil.source import locate
from tests.conftest import ROOT, Command, make_document, read_files, rest_nightly

_SHARDS = ("1.json", "2.json", "3.json")
_FORMATS = ("text", "markdown", "html", "json", "csv", "sarif", "junit", "github")
_CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gears.example.com}
spec:
  group: example.com
  names: {kind: Gear, plural: gears}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties: {spec: {type: object, properties: {teeth: {type: integer}}}}
"""
_OBJECTS = (
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {replicas: x}\n",
    "apiVersion: policy/v1beta1\nkind: PodSecurityPolicy\nmetadata: {name: old}\n",
    "apiVersion: example.com/v1\nkind: Gear\nmetadata: {name: g}\nspec: {teeth: many}\n",
    "apiVersion: example.com/v1\nkind: Unknown\nmetadata: {name: u}\n",
    "apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\n  # kubestencil: ignore unknown-field x\n  imag: a\n",
    "kind: [\n",
    "- 1\n",
    _CRD,
)
# Files of other shards say that "patch.yaml" is a patch, and what a Gear is.
_KUSTOMIZATION = "patches: [{path: patch.yaml}]\nresources: [crd.yaml]\n"
_CONFIGURATION = """\
[[ignore]]
rule = "removed-kind"
path = "%s"
reason = "it goes"
[[ignore]]
rule = "removed-kind"
path = "nothing.yaml"
reason = "it is unused"
[severity]
unknown-field = "warning"
"""


def _run(*arguments: str, code: Sequence[int] = (0, 1)) -> str:
    result = CliRunner().invoke(cli, [*arguments])
    assert result.exit_code in code, (result.output, result.exception)
    return result.stdout


def _check(*arguments: str) -> tuple[int, str]:
    base = ("check", "m", "-q", "--exact", "off", "--from", "1.34", "--to", "1.35")
    result = CliRunner().invoke(cli, [*base, "--config", "check.toml", *arguments])
    assert result.exit_code in (0, 1), (result.output, result.exception)
    return result.exit_code, result.stdout


def _write_manifests(folder: Path, seed: int) -> None:
    source = random.Random(seed)
    shutil.rmtree(folder / "m", ignore_errors=True)
    for number in range(source.choice((1, 4, 12))):
        path = folder / "m" / source.choice(("", "a", "a-b", "b/c")) / f"{number}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("---\n".join(source.choices(_OBJECTS, k=source.choice((1, 3)))))
    (folder / "m/kustomization.yaml").write_text(_KUSTOMIZATION)
    (folder / "m/patch.yaml").write_text(_OBJECTS[0])
    (folder / "m/crd.yaml").write_text(_CRD)
    (folder / "check.toml").write_text(_CONFIGURATION % f"{source.randrange(12)}.yaml")


@cache
def _release() -> Release:
    return load_lazily(locate("1.35", None))


def _report(shard: Shard | None = None) -> Report:
    """What the command has for the manifests, but for what it says of other files."""
    configuration = read_configuration(Path("check.toml"))
    whole = check_paths(["m"], _release(), shard=shard or WHOLE)
    report = apply_configuration(whole, configuration)
    return (as_part(report, shard, "check.toml") if shard else report).limited()


@given(st.integers(0, 10_000), st.sampled_from((1, 2, 3, 7, 16, 64)))
@settings(max_examples=12, deadline=None)
def test_reports_of_shards_are_joined_to_that_of_one_run(
    tmp_path_factory: pytest.TempPathFactory, seed: int, count: int
) -> None:
    folder = tmp_path_factory.mktemp("shards")
    with pytest.MonkeyPatch.context() as context:
        context.chdir(folder)
        _write_manifests(folder, seed)
        for number in range(1, count + 1):
            part = _report(Shard(number, count)).to_dict()
            Path(f"{number}.json").write_text(json.dumps(part))
        names = [f"{number}.json" for number in range(1, count + 1)]
        # In any order.
        random.Random(seed).shuffle(names)
        report, whole = joined([*map(read_report, names)]), _report()
        assert report.to_dict() == whole.to_dict()
        assert report_sarif(report) == report_sarif(whole)


def test_merge_prints_what_one_run_prints_in_all_formats(
    shards: list[str],
) -> None:
    schema = json.loads((ROOT / "docs/check-report.schema.json").read_text())
    Draft202012Validator(schema).validate(json.loads(Path(shards[0]).read_text()))
    for report_format in _FORMATS:
        code, whole = _check("-f", report_format)
        assert _run("merge", *shards[::-1], "-f", report_format, code=[code]) == whole


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with manifests and the reports of three shards of them."""
    folder = tmp_path_factory.mktemp("checked")
    with pytest.MonkeyPatch.context() as context:
        context.chdir(folder)
        _write_manifests(folder, 1)
        for name, number in zip(_SHARDS, (1, 2, 0), strict=True):
            _check("--shard", f"{number}/3", "-o", name)
    return folder


@pytest.fixture
def shards(checked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the reports, in a copy of the folder, which is the current one."""
    folder = shutil.copytree(checked, tmp_path / "copy")
    monkeypatch.chdir(folder)
    return [*_SHARDS]


def test_merge_says_which_shard_is_missing_or_of_another_run(
    shards: list[str],
) -> None:
    def refusal(*names: str) -> str:
        result = CliRunner().invoke(cli, ["merge", *names])
        assert result.exit_code == 1 and isinstance(result.exception, UsageError)
        return str(result.exception)

    assert "1 of 3 shards are missing: 2/3" in refusal("1.json", "3.json")
    shutil.copy("1.json", "again.json")
    assert "is shard 1/3, and so is 1.json" in refusal(*shards, "again.json")
    _check("-o", "whole.json")
    assert "is no report of a shard" in refusal(*shards, "whole.json")
    other: dict[str, Any] = json.loads(Path("3.json").read_text())
    Path("3.json").write_text(json.dumps({**other, "to": "1.34"}))
    assert "has another release: 1.34" in refusal(*shards)
    Path("3.json").write_text(json.dumps({**other, "tool": {"version": "0.1"}}))
    assert "has another version of kubestencil: 0.1" in refusal(*shards)


@pytest.mark.parametrize("report_format", ["sarif", "junit"])
def test_merge_joins_shards_in_the_formats_of_services(
    shards: list[str], report_format: str
) -> None:
    """Counts, skips and the exit code are those of one run."""
    for number, name in enumerate(shards, 1):
        Path(name).unlink()
        _check("--shard", f"{number}/3", "-f", report_format, "-o", name)
    for merged_format in ("json", report_format):
        code, whole = _check("-f", merged_format)
        assert _run("merge", *shards, "-f", merged_format, code=[code]) == whole


@pytest.mark.parametrize(
    "text",
    [
        '<?xml version="1.0"?><testsuites/>',
        '<?xml version="1.0"?><property name="report" value="{}" />',
        '{"runs": [{"properties": {}}]}',
        '{"runs": []}',
    ],
)
def test_merge_refuses_other_reports_of_services(shards: list[str], text: str) -> None:
    Path("1.json").write_text(text)
    result = CliRunner().invoke(cli, ["merge", *shards])
    assert "nor of a shard in SARIF or JUnit" in str(result.exception)


@pytest.mark.parametrize(
    "change",
    [
        {"schema": 2},
        {"findings": [{}]},
        {"checked": {}},
        {"to": "\ud800"},
        {"to": 1},
        {"shard": {"number": 4, "total": 3, "facts": {}, "unused": []}},
        {"coverage": []},
        {"notChecked": [{"file": "a", "line": -1, "reason": "", "detail": ""}]},
    ],
)
def test_merge_refuses_what_is_no_report(
    shards: list[str], change: dict[str, Any]
) -> None:
    report = json.loads(Path("1.json").read_text())
    Path("1.json").write_text(json.dumps({**report, **change}))
    result = CliRunner().invoke(cli, ["merge", *shards])
    assert "1.json: is no report of kubestencil check" in str(result.exception)


def test_lines_of_files_elsewhere_are_not_shown(shards: list[str]) -> None:
    """A report can name any file of the machine that joins it."""
    secret = Path("../secret.yaml")
    secret.write_text("password: 1\n")
    for name in shards:
        report = json.loads(Path(name).read_text())
        for finding in report["findings"]:
            finding.update(file=str(secret), line=1, column=1)
        Path(name).write_text(json.dumps(report))
    text = _run("merge", *shards)
    assert "../secret.yaml" in text
    assert "password" not in text


@pytest.mark.parametrize("text", ["4/3", "1/0", "a/b", "1", "-1/3", "1/3 ", "\u0661/3"])
def test_a_shard_is_named_by_its_number_of_a_count(text: str) -> None:
    with pytest.raises(UsageError, match="is no shard"):
        read_shard(text)


@given(st.text(), st.integers(1, 64))
def test_a_name_is_of_one_shard(name: str, count: int) -> None:
    shards = [Shard(number, count) for number in range(1, count + 1)]
    assert (
        sum(shard.has(name.encode(errors="replace").decode()) for shard in shards) == 1
    )
    assert read_shard(f"0/{count}") == Shard(count, count)


_RELEASES = ("1.0", "1.1", "1.2")
_RENDER = ("render", *_RELEASES, "--spec-dir", "specs", "-q")
_TARGETS = ("-t", "markdown", "-t", "typescript", "-t", "site", "-t", "diff")


def write_documents(folder: Path) -> None:
    (folder / "specs").mkdir()
    for index, release in enumerate(_RELEASES):
        definitions = {
            f"io.x.v1.Thing{number}": {
                "type": "object",
                "properties": {"a": {"type": "string"}},
            }
            for number in range(4 + index)
        }
        document = json.dumps(make_document(definitions))
        (folder / "specs" / f"{release}.json").write_text(document)


def output_of(folder: Path) -> dict[str, bytes]:
    """Files and records, without what is of one machine."""
    files = read_files(folder)
    return {path: data for path, data in files.items() if "/.cache/" not in path}


def test_folders_of_shards_are_those_of_one_run(run: Command, tmp_path: Path) -> None:
    """Shards at the same time in one folder; one is killed and run again alone."""
    write_documents(tmp_path)
    render = (*_RENDER, *_TARGETS)
    assert run(*render, "-o", "whole").returncode == 0
    shards = [
        (*render, "-o", "shared", "--shard", f"{number}/3") for number in range(3)
    ]
    killed = run.popen(*shards[0])
    others = [run.popen(*shard) for shard in shards[1:]]
    staging = tmp_path / "shared/.kubestencil/.cache"
    deadline = time.monotonic() + 60
    while killed.poll() is None and time.monotonic() < deadline:
        if any(staging.glob("staging.3-3.*")):
            break
        time.sleep(0.005)
    killed.kill()
    killed.communicate()
    for process in others:
        _, errors = process.communicate(timeout=180)
        assert process.returncode == 0, errors
    finish = (*render, "-o", "shared", "--finish")
    unfinished = run(*finish)
    assert unfinished.returncode == 1
    assert "trees of shards are missing or out of date" in unfinished.stderr
    assert not (tmp_path / "shared/diff").exists()
    assert run(*shards[0]).returncode == 0
    assert run(*finish).returncode == 0
    assert output_of(tmp_path / "shared") == output_of(tmp_path / "whole")
    assert run(*render, "-o", "shared", "--check").returncode == 0
    assert not [*staging.glob("staging*")]


@pytest.mark.parametrize("count", rest_nightly([5, 1, 64]))
def test_folders_of_shards_that_were_copied_together_are_those_of_one_run(
    run: Command, tmp_path: Path, count: int
) -> None:
    """As by a tool that copies what each machine made to a bucket."""
    write_documents(tmp_path)
    render = (*_RENDER, "-t", "markdown", "-t", "diff")
    assert run(*render, "-o", "whole").returncode == 0
    for number in range(1, count + 1):
        out = f"part{number}"
        assert run(*render, "-o", out, "--shard", f"{number}/{count}").returncode == 0
        if (tmp_path / out).exists():
            shutil.copytree(
                tmp_path / out,
                tmp_path / "bucket",
                ignore=shutil.ignore_patterns(".cache"),
                dirs_exist_ok=True,
            )
    assert run(*render, "-o", "bucket", "--finish").returncode == 0
    assert output_of(tmp_path / "bucket") == output_of(tmp_path / "whole")


def test_options_of_shards_that_contradict_each_other_are_refused(
    run: Command, tmp_path: Path
) -> None:
    write_documents(tmp_path)
    both = run(*_RENDER, "-t", "markdown", "--shard", "1/2", "--finish")
    assert both.returncode == 2 and "cannot be combined" in both.stderr
    (tmp_path / "a.yaml").write_text(_OBJECTS[0])
    fix = run("check", "a.yaml", "--fix", "--shard", "1/2")
    assert fix.returncode == 2 and "cannot be combined" in fix.stderr


def test_a_folder_of_records_is_looked_into_while_another_run_changes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A shard that had staged its files removed their folder while the next one began,
    which ended with an error about standard output."""
    staging = tmp_path / ".kubestencil/.cache/staging.1-2.abc"
    (staging / "inner").mkdir(parents=True)
    scandir = os.scandir

    def remove_and_scan(path: str | Path | int) -> Any:
        if not isinstance(path, int) and Path(path) == staging:
            shutil.rmtree(staging)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", remove_and_scan)
    check_output(tmp_path)
    assert not staging.exists()
    (tmp_path / ".kubestencil/link").symlink_to("/")
    clear_run_caches()
    with pytest.raises(OutputError, match="symbolic link"):
        check_output(tmp_path)
