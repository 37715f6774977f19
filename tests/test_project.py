"""kubestencil.toml: what it generates, its lock, its update, and what a stranger's file
must not do."""

from __future__ import annotations

import contextlib
import json
import os
import random
import re
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from kubestencil import load, render
from kubestencil.cli import cli
from kubestencil.cli.settings import settings
from kubestencil.engine import choose_targets, load_targets
from kubestencil.engine.view import PublicName
from kubestencil.project import changelog
from kubestencil.project.lock import Lock, LockedDocument, read_lock, write_lock
from kubestencil.project.summary import NameChanges, compare_names, summary
from kubestencil.source import embedded
from kubestencil.source.releases import next_minor_version
from kubestencil.targets import generate_files, public_names
from kubestencil.version import __version__
from tests import docs_reference
from tests.cargo import Cargo
from tests.conftest import (
    EMBEDDED_PAIRS,
    NEWEST,
    RELEASES,
    ROOT,
    SMALL,
    Command,
    make_document,
    make_release,
    read_files,
)
from tests.crd_schemas import definition, version

POD = "io.k8s.api.core.v1.Pod"
PROJECT = """
[[generate]]
target = ["markdown"]
releases = ["1.34.."]
output = "docs/{release}"
spec-dir = "specs"

[[generate]]
target = ["site"]
releases = ["1.34.."]
output = "public"
spec-dir = "specs"
kind = ["pod"]

[check]
to = "1.35"
fail-on = "error"
"""


def write_release(folder: Path, release: str, *fields: str) -> None:
    other = {name: {"type": "string"} for name in ("name", *fields)}
    definitions = {
        **SMALL,
        "io.k8s.api.core.v1.Other": {"type": "object", "properties": other},
    }
    folder.mkdir(exist_ok=True)
    (folder / f"{release}.json").write_text(json.dumps(make_document(definitions)))


@pytest.fixture
def project(run: Command) -> Path:
    """A project with two releases, of which newer ones are out of range."""
    text = PROJECT.replace("1.34..", "1.34..1.35")
    (run.folder / "kubestencil.toml").write_text(text)
    for release in ("1.34", "1.35"):
        write_release(run.folder / "specs", release)
    return run.folder


def test_a_run_does_what_the_file_says_from_any_folder(
    run: Command, project: Path
) -> None:
    (project / "src" / "deep").mkdir(parents=True)
    inside = Command(project / "src" / "deep", run.environment)
    done = inside("render")
    assert done.returncode == 0, done.stderr
    files = set(read_files(project))
    assert {"docs/1.34/docs/V1Pod.md", "docs/1.35/docs/V1Other.md"} <= files
    assert {"public/index.html", "public/1.35/core/v1/Pod/index.html"} <= files
    assert not any(path.startswith(("generated/", "src/")) for path in files)
    assert run("render", "--check", "--locked").returncode == 0
    (project / "docs/1.35/docs/V1Pod.md").write_text("edited")
    drifted = run("render", "--check")
    assert drifted.returncode == 1
    assert "out of date: docs/1.35/docs/V1Pod.md" in drifted.stdout


def test_a_flag_wins_over_the_file(run: Command, project: Path) -> None:
    assert run("render", "--kind", "Other").returncode == 0
    assert not (project / "docs/1.35/docs/V1Pod.md").exists()
    assert (project / "docs/1.35/docs/V1Other.md").exists()
    # A run that names releases, targets or a folder is none of the project.
    assert run("render", "1.35", "-t", "markdown").returncode == 0
    assert (project / "generated/1.35/markdown/docs/V1Pod.md").exists()


def test_check_takes_its_defaults_from_the_file(run: Command, project: Path) -> None:
    manifest = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containrs: []}\n"
    (project / "pod.yaml").write_text(manifest)
    done = run("check", "pod.yaml")
    assert done.returncode == 1, done.stderr
    assert "in 1.35" in done.stdout
    other = run("check", "pod.yaml", "--to", "1.30")
    assert "in 1.30" in other.stdout
    text = PROJECT.replace("[check]", '[check]\npaths = ["pod.yaml"]')
    (project / "kubestencil.toml").write_text(text)
    (project / "src").mkdir()
    for folder, path in ((project, "pod.yaml"), (project / "src", "../pod.yaml")):
        done = Command(folder, run.environment)("check", "-f", "github")
        assert done.returncode == 1, done.stderr
        assert f"file={path}," in done.stdout


def test_the_same_lock_gives_the_same_bytes_on_another_machine(
    run: Command, project: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert run("render").returncode == 0
    other = tmp_path_factory.mktemp("other") / "checkout"
    committed = read_files(project)
    for path, data in committed.items():
        if not path.startswith("cache/"):
            (other / path).parent.mkdir(parents=True, exist_ok=True)
            (other / path).write_bytes(data)
    elsewhere = Command(other, run.environment)
    assert elsewhere("render", "--locked").returncode == 0
    again = read_files(other)
    assert {path: again[path] for path in committed if path in again} == {
        path: data for path, data in committed.items() if path in again
    }


def test_a_locked_run_refuses_other_documents(run: Command, project: Path) -> None:
    missing = run("render", "--locked")
    assert missing.returncode == 1
    assert "kubestencil.lock: is not there" in missing.stderr
    assert run("render").returncode == 0
    before = read_files(project)
    write_release(project / "specs", "1.35", "more")
    for arguments in (("render",), ("render", "--locked"), ("render", "--check")):
        done = run(*arguments)
        assert done.returncode == 1
        assert "1.35: specs/1.35.json, sha256 " in done.stderr
        assert "kubestencil update" in done.stderr
    after = read_files(project)
    changed = {path for path in after if after[path] != before.get(path)}
    assert {path for path in changed if not path.startswith("cache/")} == {
        "specs/1.35.json"
    }
    (project / "kubestencil.toml").write_text(PROJECT.replace("1.34..", "1.34"))
    stale = run("render", "--check", "--locked")
    assert stale.returncode == 1
    assert "kubestencil.lock: is stale" in stale.stderr


def test_a_lock_pins_ranges_until_an_update(run: Command, project: Path) -> None:
    (project / "kubestencil.toml").write_text(PROJECT.replace("1.34..", "1.34.."))
    environment = {**run.environment}
    newer = RELEASES[RELEASES.index("1.36") :]
    for release in newer:
        write_release(project / "specs", release)
    assert run("render").returncode == 0
    lock = tomllib.loads((project / "kubestencil.lock").read_text())
    assert lock["releases"]['["1.34.."]'] == ["1.34", "1.35", *newer]
    following = next_minor_version(NEWEST)
    write_release(project / "specs", following, "more")
    assert Command(project, environment)("render", "--locked").returncode == 0
    assert not (project / "docs" / following).exists()
    before = read_files(project)
    plan = run("update", "--dry-run", "--offline")
    assert plan.returncode == 0, plan.stderr
    assert f"- `{following}`: none → `specs/{following}.json`" in plan.stdout
    after = read_files(project)
    changed = [path for path in after if after[path] != before.get(path)]
    assert all(path.startswith("cache/") for path in changed)
    done = run("update", "--summary", "summary.md", "-q", "--offline")
    assert done.returncode == 0, done.stderr
    text = (project / "summary.md").read_text()
    assert f"## API changes: {NEWEST} → {following}" in text
    assert "- **Other.more**: string" in text
    assert f"## API changes: {newer[0]} → " not in text
    assert (project / "docs" / following / "docs/V1Other.md").exists()
    assert run("render", "--check", "--locked").returncode == 0
    assert "Nothing changed" in run("update", "--offline").stdout


@pytest.mark.nightly
def test_a_newer_version_says_what_it_generates_differently(
    run: Command, project: Path
) -> None:
    """Of the targets of the project; nothing where the version is the same."""
    assert "changed by kubestencil" not in run("render").stdout
    assert "changed by kubestencil" not in run("render").stdout
    lock = project / "kubestencil.lock"
    earlier = lock.read_text().replace(f'"{__version__}"', '"0.0.9"')
    lock.write_text(earlier)
    shown = run("render").stdout
    assert f"changed by kubestencil {__version__}: `site`: " in shown
    lock.write_text(earlier)
    text = run("update", "--offline").stdout
    assert f"## Generated code: kubestencil {__version__}" in text
    assert "\n- `site`: " in text and "\n- `rust`: " not in text


def test_entries_of_the_changelog_are_those_between_two_versions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = "- `rust` and `python`: {} differs.\n"
    versions = ("0.10.0 (unreleased)", "0.9.1", "0.9.0")
    (tmp_path / "CHANGELOG.md").write_text(
        "- `python` has a command.\n"
        + "".join(f"## {text}\n{entry.format(text[:4])}" for text in versions)
    )
    monkeypatch.setattr(changelog, "data_file", tmp_path.joinpath)
    target = load_targets(None)["python"]

    def numbers(before: str, after: str) -> list[str]:
        entries = changelog.output_changes(before, after, [target])
        return [entry.partition(": ")[2][:4] for entry in entries]

    assert numbers("0.9.0", "0.10.0") == ["0.10", "0.9."]
    assert numbers("0.9.1", "0.9.1") == numbers("0.10.0", "0.9.0") == []
    assert numbers("\x1b[2J", "0.10.0") == []


def test_a_killed_update_is_finished_by_the_next(run: Command, project: Path) -> None:
    """At any moment, each file is old or new, and nothing else is there."""
    assert run("render").returncode == 0
    chance = random.Random(46)

    def output() -> dict[str, bytes]:
        files = read_files(project)
        return {path: files[path] for path in files if not path.startswith("cache/")}

    def visible(files: dict[str, bytes]) -> dict[str, bytes]:
        return {path: files[path] for path in files if ".kubestencil" not in path}

    for number in range(3):
        before = output()
        write_release(project / "specs", "1.35", f"more{number}")
        process = run.popen("update", "--offline", "-q", "-j", "1")
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(chance.uniform(0.2, 3))
        process.kill()
        process.communicate()
        killed = visible(output())
        assert run("update", "--offline", "-q").returncode == 0
        after = output()
        for path, data in killed.items():
            if not path.endswith(".part"):
                assert data in (before.get(path), after.get(path)), path
        assert run("render", "--check", "--locked").returncode == 0
        assert not [path for path in after if "staging" in path]


MALICIOUS = {
    "templates": 'templates = "mine"',
    "option": 'set = ["jsonnet.overlay=mine"]',
    "absolute": 'crds = ["/etc/passwd"]',
    "above": 'crds = ["../secret.yaml"]',
    "link": 'crds = ["link/secret.yaml"]',
    "address": 'spec = "http://169.254.169.254/latest"',
    "file": 'spec = "file:///etc/passwd"',
    "link to itself": 'crds = ["itself"]',
    "name that is too long": f'crds = ["{"n" * 300}"]',
    "pages elsewhere": 'set = ["site.pages=../pages"]',
    "pages through a link": 'set = ["site.pages=pages"]',
    "folder of a language": 'set = ["java.folder=/abs"]\ntarget = ["java"]',
}


@pytest.mark.parametrize("setting", MALICIOUS.values(), ids=MALICIOUS)
def test_a_strangers_file_names_no_code_and_nothing_outside(
    run: Command, setting: str
) -> None:
    folder = run.folder / "cloned"
    (folder / "mine").mkdir(parents=True)
    (folder / "mine" / "filters.py").write_text("open('/tmp/owned', 'w')\n")
    (run.folder / "secret.yaml").write_text("password: s3cret\n")
    (folder / "link").symlink_to(run.folder)
    (folder / "itself").symlink_to("itself")
    (folder / "pages").mkdir()
    (folder / "pages" / "secret.md").symlink_to("../../secret.yaml")
    target = "" if "target =" in setting else 'target = ["jsonnet"]\n'
    text = f'[[generate]]\n{target}output = "out"\n{setting}\n'
    (folder / "kubestencil.toml").write_text(text)
    done = Command(folder, run.environment)("render")
    assert done.returncode == 2
    assert ("--trust" in done.stderr) == ("java" not in setting)
    assert "s3cret" not in done.stderr
    assert not (folder / "out").exists()


def test_what_is_no_code_needs_no_trust(run: Command) -> None:
    """Addresses that are written into the output, and pages of the project's own site; and
    commands that generate nothing do not look at what is generated."""
    (run.folder / "mine").mkdir()
    (run.folder / "mine" / "a.md").write_text("# a\n")
    (run.folder / "specs").mkdir()
    (run.folder / "specs/1.35.json").write_bytes(embedded.standard_types())
    manifest = (
        '[[generate]]\ntarget = ["python", "jsonschema", "site"]\n'
        'releases = ["1.35"]\noutput = "out/{target}"\n'
    )
    settings = (
        "python.url=https://example.com/a",
        "jsonschema.prefix=https://example.com/b",
        "site.pages=mine",
    )
    (run.folder / "kubestencil.toml").write_text(f"{manifest}set = {[*settings]}\n")
    done = run("render")
    assert done.returncode == 0, done.stderr
    code = f'{manifest}templates = "mine"\n'
    (run.folder / "kubestencil.toml").write_text(code)
    (run.folder / "map.yaml").write_text("apiVersion: v1\nkind: ConfigMap\n")
    for command in (("check", "map.yaml"), ("diff", "1.34", "1.35", "--kind", "Pod")):
        assert "--trust" not in run(*command).stderr
    assert "--trust" in run("render").stderr
    assert run("render", "--trust", "--prune").returncode == 0


@pytest.mark.parametrize("setting", ["crds = ['a']", "spec = 'a/x'", "specs = 'a'"])
def test_a_strangers_folder_is_not_read_through_links_and_pipes(
    run: Command, setting: str
) -> None:
    (run.folder / "cloned/a").mkdir(parents=True)
    (run.folder / "secret.yaml").write_text("password: s3cret\n")
    (run.folder / "cloned/a/1.35.yaml").symlink_to(run.folder / "secret.yaml")
    os.mkfifo(run.folder / "cloned/a/x")
    text = f'[[generate]]\ntarget = ["jsonnet"]\noutput = "out"\n{setting}\n'
    (run.folder / "cloned/kubestencil.toml").write_text(text)
    done = Command(run.folder / "cloned", run.environment)("render")
    assert done.returncode == 2
    assert "leads out of the folder of the project" in done.stderr


@pytest.mark.parametrize("link", ["specs", "specs/1.35.json"])
@pytest.mark.parametrize("is_project", [False, True])
def test_documents_that_nobody_named_are_not_read_through_links_out(
    run: Command, link: str, is_project: bool
) -> None:
    """The folder specs/ of a stranger, which every command looks into."""
    write_release(run.folder / "secret", "1.35", "s3cret")
    clone = Command(run.folder / "clone", run.environment)
    (clone.folder / link).parent.mkdir(parents=True)
    target = "../secret" if link == "specs" else "../../secret/1.35.json"
    (clone.folder / link).symlink_to(target)
    if is_project:
        text = (
            '[[generate]]\ntarget = ["markdown"]\nreleases = ["1.35"]\noutput = "a"\n'
        )
        (clone.folder / "kubestencil.toml").write_text(text)
    call = () if is_project else ("1.35", "-t", "markdown")
    done = clone("render", *call)
    assert done.returncode == 2
    assert "specs/1.35.json: is elsewhere" in done.stderr
    named = ("--spec-dir", "specs") if not is_project else ()
    trust = ("--trust",) if is_project else ()
    assert clone(*trust, "render", *call, *named).returncode == 0


def test_hidden_folders_need_trust_and_git_none(run: Command) -> None:
    write_release(run.folder / "specs", "1.35")
    for output, codes in {".github/workflows": (2, 0), "a/.git": (2, 2)}.items():
        text = f'[[generate]]\ntarget = ["markdown"]\nreleases = ["1.35"]\noutput = "{output}"\n'
        (run.folder / "kubestencil.toml").write_text(text)
        assert run("render").returncode == codes[0]
        assert not (run.folder / output).exists()
        assert run("--trust", "render").returncode == codes[1]


@pytest.mark.parametrize("text", ["a = " + "[" * 5_000, "\xff", "releases = 1", ""])
def test_a_damaged_lock_is_an_error(run: Command, project: Path, text: str) -> None:
    (project / "kubestencil.lock").write_text(text, "latin-1")
    for arguments in (
        ("render",),
        ("render", "--locked"),
        ("update", "--dry-run", "--offline"),
    ):
        done = run(*arguments)
        assert done.returncode == 2
        assert "kubestencil.lock: is damaged" in done.stderr


def test_a_lock_has_any_path_and_shows_no_control_characters(tmp_path: Path) -> None:
    origin = 'crds/\U0001f600 é\x7f\x1b[31m"\\ \n.yaml'
    lock = Lock("0", {}, {origin: LockedDocument(origin, "0" * 64)})
    write_lock(tmp_path, lock)
    assert read_lock(tmp_path) == lock
    assert not {"\x1b", "\x7f"} & {*summary(lock, Lock("1"), {}, [], [], None)}
    document = LockedDocument("a\udc80", "0" * 64)
    write_lock(tmp_path, Lock("0", {}, {"a\udc80": document}))
    assert read_lock(tmp_path) == Lock("0", {}, {"a?": document._replace(origin="a?")})


OUTPUTS = [
    "../out", "/tmp/out", ".", "a/../../b", "link/out", ".git/hooks", "a/.GIT", "GIT~1/a",
    ".git./a", ".git /a", ".g\u200cit/a",
]  # fmt: skip


@pytest.mark.parametrize("output", OUTPUTS)
def test_a_project_writes_inside_its_folder(run: Command, output: str) -> None:
    folder = run.folder / "cloned"
    folder.mkdir()
    (folder / "link").symlink_to(run.folder / "elsewhere")
    (run.folder / "elsewhere").mkdir()
    text = (
        f'[[generate]]\ntarget = ["markdown"]\nreleases = ["1.35"]\noutput = "{output}"'
    )
    (folder / "kubestencil.toml").write_text(text)
    assert Command(folder, run.environment)("render").returncode == 2
    assert not any((run.folder / "elsewhere").iterdir())
    # Trust is for reading and running, and writes nowhere else.
    trusted = Command(folder, run.environment)("--trust", "render")
    assert trusted.returncode in (1, 2)
    assert not any((run.folder / "elsewhere").iterdir())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[generate]]\ntargt = []\noutput = 'a'", "generate 1.targt: unknown setting"),
        ("[[generate]]\ntarget = 'python'\noutput = 'a'", "write ['python']"),
        ("[[generate]]\ntarget = [1]\noutput = 'a'", "must be a list of strings"),
        ("[generate]\ntarget = ['python']", "must be a table"),
        ("[chek]\n", "did you mean check"),
        (
            "[[generate]]\noutput = 'a'\n[[generate]]\noutput = 'a/b'",
            "inside of another",
        ),
        ("[[generate]]\ntarget = ['site', 'rust']\noutput = 'a'", "needs {target}"),
        ("[[generate]]\ntarget = ['rust']\noutput = 'a'", "needs {release}"),
        ("[[generate]]\ntarget = ['site']\noutput = '{release}'", "has no meaning"),
        (
            "[[generate]]\ntarget = ['go']\nreleases = ['1.99']\noutput = 'a'",
            "kubestencil.toml: generate 1: unknown release '1.99'",
        ),
        ("[", "cannot be read"),
    ],
)
def test_a_mistake_in_the_file_is_named(run: Command, text: str, message: str) -> None:
    (run.folder / "kubestencil.toml").write_text(text)
    done = run("render")
    assert done.returncode == 2
    assert message in done.stderr


def test_a_table_that_no_command_has_is_refused_by_all(run: Command) -> None:
    """A misspelt one would change nothing, without a word."""
    (run.folder / "kubestencil.toml").write_text("[chek]\nfail-on = 'new'\n")
    for arguments in (("check", "."), ("diff", "1.34", "1.35")):
        done = run(*arguments)
        assert done.returncode == 2
        assert "did you mean check" in done.stderr


def test_init_writes_a_file_that_works_and_never_over_another(run: Command) -> None:
    done = run("init", "-t", "markdown-v5", "--release", "1.35")
    assert done.returncode == 0, done.stderr
    text = (run.folder / "kubestencil.toml").read_text()
    Draft202012Validator(docs_reference.json_schema(settings(cli))).validate(
        tomllib.loads(text)
    )
    assert run("render").returncode == 0
    assert (run.folder / "generated/markdown-v5/docs/V1Pod.md").exists()
    assert run("init").returncode == 2
    assert (run.folder / "kubestencil.toml").read_text() == text


SHAPES = re.findall(
    r"^```toml\n(.*?)^```$",
    (ROOT / "docs/project-file.md").read_text("utf-8").partition("## Three shapes")[2],
    re.DOTALL | re.MULTILINE,
)


@pytest.mark.parametrize(
    ("text", "file"),
    list(
        zip(
            SHAPES,
            (
                "src/acme/k8s/acme_k8s/example_com/v1/__init__.py",
                "clients/rust/Cargo.toml",
                f"public/{NEWEST}/example.com/v1/Widget/index.html",
            ),
            strict=True,
        )
    ),
    ids=["team", "client", "site"],
)
@pytest.mark.nightly
def test_the_documented_shapes_are_generated(
    run: Command, text: str, file: str
) -> None:
    (run.folder / "kubestencil.toml").write_text(text)
    (run.folder / "crds").mkdir()
    schema = {"type": "object", "properties": {"spec": {"type": "object"}}}
    crd = definition("Widget", version("v1", schema, storage=True))
    (run.folder / "crds/widgets.json").write_text(json.dumps(crd))
    done = run("render")
    assert done.returncode == 0, done.stderr
    files = {path for path in read_files(run.folder) if not path.startswith(".")}
    assert file in files, sorted(files)[:50]
    assert run("render", "--check", "--locked").returncode == 0


def test_tables_have_custom_resources_alone_and_specs_of_their_own(
    run: Command,
) -> None:
    """What one of them reads is not taken for what another one asks for."""
    text = ""
    for kind in ("Widget", "Gadget"):
        crd = definition(kind, version("v1", {"type": "object"}, storage=True))
        (run.folder / kind).mkdir()
        (run.folder / kind / "crd.json").write_text(json.dumps(crd))
        text += _TABLE.format(what=f'crds = ["{kind}"]', target="markdown", out=kind)
    for name in ("one", "two"):
        write_release(run.folder / "documents", name, f"field{name}")
        what = f'spec = "documents/{name}.json"'
        text += _TABLE.format(what=what, target="markdown", out=name)
    write_release(run.folder / "specs", "1.35")
    text += _TABLE.format(what='releases = ["1.35"]', target="markdown", out="rest")
    (run.folder / "kubestencil.toml").write_text(text)
    assert run("render").returncode == 0
    before = read_files(run.folder)
    again = run("render")
    assert again.returncode == 0, again.stderr
    assert read_files(run.folder) == before
    assert {
        path.partition("/")[0] for path in before if path.endswith("README.md")
    } == {*("Widget", "Gadget", "one", "two", "rest")}
    checked = run("render", "--check", "--locked")
    assert checked.returncode == 0, checked.stderr
    (run.folder / "Widget/crd.json").write_text(json.dumps(crd))
    changed = run("render", "--locked")
    assert changed.returncode == 1
    assert "is not the spec of kubestencil.lock" in changed.stderr


_TABLE = """
[[generate]]
{what}
target = ["{target}"]
output = "{out}"
"""


@pytest.mark.nightly
def test_the_documented_branch_of_a_new_release_is_made(run: Command) -> None:
    section = (
        (ROOT / "docs/project-file.md").read_text("utf-8").partition("## Three")[2]
    )
    [commands] = re.findall(r"^```sh\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)
    program = run.folder / "bin" / "kubestencil"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m kubestencil "$@"\n')
    program.chmod(0o755)
    run.environment |= {
        "PATH": f"{program.parent}:{run.environment['PATH']}",
        "GIT_CONFIG_COUNT": "2",
        "GIT_CONFIG_KEY_0": "user.name",
        "GIT_CONFIG_VALUE_0": "a",
        "GIT_CONFIG_KEY_1": "user.email",
        "GIT_CONFIG_VALUE_1": "a@example.com",
    }
    old, new = sorted(set(re.findall(r"release-(1\.\d+)", commands)))
    script = f"""
        git init --quiet --initial-branch release-{old}
        kubestencil render --quiet && git add kubestencil.* .kubestencil clients
        git commit --quiet --message a
        {commands}
        git show --format=%B --no-patch
        git status --short --untracked-files=no
    """
    [client] = [text for text in SHAPES if f'"{old}"' in text]
    limited = f'{client}kind = ["Pod", "Deployment"]\n'
    (run.folder / "kubestencil.toml").write_text(limited)
    done = subprocess.run(
        ["sh", "-e", "-c", script],
        cwd=run.folder,
        env=run.environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert f"## API changes: {old} → {new}" in done.stdout
    assert f"## Generated code: rust, from {old} to {new}" in done.stdout
    assert not done.stdout.splitlines()[-1].startswith(" M")


def test_the_json_schema_for_editors_is_current() -> None:
    assert docs_reference.PROJECT_SCHEMA.read_text() == docs_reference.project_schema()
    Draft202012Validator(docs_reference.json_schema(settings(cli))).validate(
        tomllib.loads(PROJECT)
    )


def name_changes(target: str, old: str, new: str, *kinds: str) -> NameChanges:
    [chosen] = choose_targets(load_targets(None), [target], {}, 1)
    before, after = (
        public_names(load(name, kinds=kinds), chosen) for name in (old, new)
    )
    assert before is not None and after is not None
    return compare_names(before, after)


@pytest.mark.nightly
@pytest.mark.parametrize(("old", "new"), [("1.31", "1.32"), EMBEDDED_PAIRS[-1]])
def test_breaking_changes_of_models_are_those_that_griffe_finds(
    tmp_path: Path, old: str, new: str
) -> None:
    griffe = pytest.importorskip("griffe")
    render([old, new], targets=["python"], out=tmp_path)
    packages = [
        griffe.load("kubernetes_models", search_paths=[str(tmp_path / name / "python")])
        for name in (old, new)
    ]
    for package in packages:
        for module in package["models"].modules.values():
            for model in module.classes.values():
                # As griffe does for dataclasses.
                parameters = [
                    griffe.Parameter(
                        name,
                        annotation=field.annotation,
                        kind=griffe.ParameterKind.keyword_only,
                        default=field.value,
                    )
                    for name, field in model.attributes.items()
                    if field.annotation is not None
                ]
                model["__init__"] = griffe.Function(
                    "__init__", parameters=griffe.Parameters(*parameters)
                )
    found: dict[str, set[str]] = {}
    for breakage in griffe.find_breaking_changes(*packages):
        names = breakage.obj.path.removeprefix("kubernetes_models.models.").split(".")
        # v1_pod_spec.V1PodSpec.workload_ref is a field, V1Workload a class that all import.
        path = ".".join(names if names[0][:1].isupper() else names[1:])
        if path.endswith(".__init__"):
            parameter = breakage.new_value or breakage.old_value
            path = path.replace("__init__", parameter.name)
        found.setdefault(breakage.kind.name, set()).add(path)
    found["OBJECT_REMOVED"].discard("")  # Modules.
    changes = name_changes("python", old, new)
    assert found["OBJECT_REMOVED"] == {*changes.removed}
    assert found["PARAMETER_REMOVED"] <= {*changes.removed}
    assert set().union(
        found.get("PARAMETER_ADDED_REQUIRED", ()),
        found.get("PARAMETER_CHANGED_REQUIRED", ()),
    ) == {*changes.required}
    assert len(found) <= 4


def client_names(
    folder: Path, query: dict[str, bool], *verbs: str
) -> Mapping[str, PublicName]:
    """Write the stubs of a client with operations that have query parameters, which are
    required or not; its names."""
    operation: dict[str, Any] = {
        "x-kubernetes-group-version-kind": {
            "group": "",
            "version": "v1",
            "kind": "Pod",
        },
        "parameters": [
            {"name": name, "in": "query", "type": "string", "required": required}
            for name, required in query.items()
        ],
        "responses": {
            "200": {"description": "OK", "schema": {"$ref": f"#/definitions/{POD}"}}
        },
    }
    path: dict[str, Any] = {
        "parameters": [
            {"name": name, "in": "path", "type": "string", "required": True}
            for name in ("name", "namespace")
        ],
        **{verb: {**operation, "x-kubernetes-action": verb} for verb in verbs},
    }
    paths = {"/api/v1/namespaces/{namespace}/pods/{name}": path}
    release = make_release(SMALL, paths=paths)
    [target] = choose_targets(load_targets(None), ["python-client"], {}, 1)
    for file in generate_files(release, target):
        if file.path.startswith("kubernetes_typed_client/apis/") and file.path.endswith(
            ".pyi"
        ):
            (folder / file.path).parent.mkdir(parents=True, exist_ok=True)
            (folder / file.path).with_suffix(".py").write_bytes(file.data)
    names = public_names(release, target)
    assert names is not None
    return names


def test_breaking_changes_of_clients_are_those_that_griffe_finds(
    tmp_path: Path,
) -> None:
    griffe = pytest.importorskip("griffe")
    changes = compare_names(
        client_names(
            tmp_path / "old", {"pretty": False, "limit": False}, "get", "delete"
        ),
        client_names(tmp_path / "new", {"limit": True, "field": True}, "get"),
    )
    packages = [
        griffe.load(
            "apis", search_paths=[str(tmp_path / name / "kubernetes_typed_client")]
        )
        for name in ("old", "new")
    ]
    found = {
        (breakage.kind.name, _name(breakage))
        for breakage in griffe.find_breaking_changes(*packages)
        if "Async" not in breakage.obj.path
    }
    kinds = {kind for kind, _ in found}
    assert kinds == {
        "OBJECT_REMOVED",
        "PARAMETER_ADDED_REQUIRED",
        "PARAMETER_CHANGED_REQUIRED",
        "PARAMETER_REMOVED",
    }
    assert {*changes.removed} == {name for kind, name in found if "REMOVED" in kind}
    assert {*changes.required} == {name for kind, name in found if "REQUIRED" in kind}


def _name(breakage: Any) -> str:
    """The name that a breakage of griffe is about: DefaultApi.read.limit."""
    path = breakage.obj.path.partition("default_api.")[2].replace("Operations", "")
    value = breakage.new_value or breakage.old_value
    is_parameter = breakage.kind.name.startswith("PARAMETER")
    return f"{path}.{value.name}" if is_parameter else path


# "field PodSpec.a in …" is new, "field a of struct PodSpec, previously …" removed.
_FIELDS = re.compile(
    r"^  field (?:(\w+)\.(\w+) in|(\w+) of struct (\w+),)", re.MULTILINE
)
_STRUCTS = re.compile(r"^  struct \w+::([\w:]+), previously", re.MULTILINE)


@pytest.mark.peer("cargo-semver-checks")
@pytest.mark.parametrize(("old", "new"), [("1.35", "1.36"), EMBEDDED_PAIRS[-1]])
def test_breaking_changes_of_crates_are_those_that_semver_checks_finds(
    tmp_path: Path, cargo: Cargo, old: str, new: str
) -> None:
    render([old, new], targets=["rust"], kinds=["Pod"], out=tmp_path)
    command = "cargo semver-checks --color=never --release-type=patch --baseline-root"
    done = subprocess.run(
        [*command.split(), str(tmp_path / old / "rust")],
        cwd=tmp_path / new / "rust",
        env={**os.environ, "CARGO_TARGET_DIR": str(cargo.build)},
        capture_output=True,
        text=True,
    )
    changes = name_changes("rust", old, new, "Pod")
    fields = _FIELDS.findall(done.stdout)
    added = {f"{struct}.{field}" for struct, field, *_ in fields if struct}
    assert added, done.stderr
    # It names structs of fields without their module.
    assert added == {name.rpartition("::")[2] for name in changes.required}
    assert {
        *_STRUCTS.findall(done.stdout),
        *(f"{struct}.{field}" for *_, field, struct in fields if struct),
    } == {name.rpartition("::")[2] if "." in name else name for name in changes.removed}


def test_what_was_never_generated_is_missing_in_one_line(run: Command) -> None:
    done = run("render", "--check")
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "missing: generated/; kubestencil render, without --check, writes it"
    ]
    done = run("render", "--check", "--locked")
    assert done.returncode == 2
    assert "there is no kubestencil.toml" in done.stderr
