"""The command line: output, exit codes, and the files that a run writes or keeps."""

from __future__ import annotations

import json
import re
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest
from hypothesis import HealthCheck, given, settings

from kubestencil.engine import load_targets
from kubestencil.errors import KubestencilError
from kubestencil.schema import parse
from kubestencil.source import Source
from tests.conftest import (
    POD,
    RELEASES,
    ROOT,
    SMALL,
    Command,
    all_commands,
    make_command,
    make_document,
    read_files,
    read_output,
)
from tests.strategies import documents, generate_all_files


def test_render_names_the_document_that_it_read(run: Command, tmp_path: Path) -> None:
    result = run("render", "1.35", "-t", "markdown-v5", "-v")
    assert result.returncode == 0
    assert result.stderr.startswith("1.35: kubernetes-validate, v1.35.0, sha256 ")
    assert result.stdout.startswith("markdown-v5: 786 files, ")
    readme = (tmp_path / "generated/1.35/markdown-v5/README.md").read_text()
    assert "kubernetes-validate, v1.35.0" in readme
    assert run("render", "1.35", "-t", "markdown-v5", "-q").stdout == ""


@pytest.fixture
def one_file(tmp_path: Path) -> tuple[str, ...]:
    """The options that generate one file of each release."""
    folder = tmp_path / "mine" / "names"
    folder.mkdir(parents=True)
    rule = '[[files]]\neach = "release"\npath = "names.txt"\ntemplate = "names.j2"\n'
    (folder / "target.toml").write_text(f'about = "Names"\nview = "model"\n{rule}')
    (folder / "names.j2").write_text("{{ model.name }}\n")
    return "-t", "names", "--templates", "mine"


def test_render_without_releases_generates_all_supported_ones(
    run: Command, tmp_path: Path, one_file: tuple[str, ...]
) -> None:
    assert run("render", *one_file).returncode == 0
    folders = {path.name for path in (tmp_path / "generated").iterdir()}
    assert folders - {".kubestencil"} == set(RELEASES)


def test_a_document_from_standard_input_needs_a_name(
    run: Command, tmp_path: Path
) -> None:
    text = json.dumps(make_document(SMALL))
    result = run("render", "my-cluster", "--spec", "-", stdin=text)
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "generated/my-cluster/markdown/docs/V1Pod.md").is_file()
    assert run("render", "--spec", "-", stdin=text).returncode == 2


def test_check_lists_files_that_are_out_of_date_and_writes_nothing(
    run: Command, small: Path
) -> None:
    arguments = ("render", "x", "--spec", str(small), "-t", "markdown", "-o", "out")
    missing = run(*arguments, "--check")
    assert missing.returncode == 1
    assert missing.stdout.startswith("missing: out/; ")
    assert not (small.parent / "out").exists()

    assert run(*arguments).returncode == 0
    assert run(*arguments, "--check").returncode == 0

    changed = dict(SMALL)
    changed["v1.New"] = {"type": "object", "properties": {}}
    small.write_text(json.dumps(make_document(changed)))
    before = read_files(small.parent / "out")
    stale = run(*arguments, "--check")
    assert stale.returncode == 1
    assert "out of date: out/x/markdown/README.md" in stale.stdout
    assert read_files(small.parent / "out") == before

    small.write_text(json.dumps(make_document({"v1.New": changed["v1.New"]})))
    assert (
        "left over: out/x/markdown/docs/V1Pod.md" in run(*arguments, "--check").stdout
    )


def test_check_compares_files_by_content(run: Command, small: Path) -> None:
    """An edit that keeps a file's size and modification time is reported."""
    import os

    arguments = ("render", "x", "--spec", str(small), "-t", "markdown", "-o", "out")
    run(*arguments)
    page = small.parent / "out/x/markdown/docs/V1Pod.md"
    status = page.stat()
    page.write_bytes(page.read_bytes().replace(b"A pod.", b"A dog."))
    os.utime(page, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert run(*arguments, "--check").returncode == 1


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_and_version_import_no_slow_modules(option: str) -> None:
    """Jinja2, YAML, the validator and tables of facts would make them slow."""
    code = (
        "import sys; from kubestencil import cli\n"
        f"try: cli.cli([{option!r}], standalone_mode=False)\n"
        "finally: print(sorted({'jinja2', 'yaml', 'openapi_spec_validator', 'black',"
        " 'urllib3', 'kubestencil.build.run', 'kubestencil.schema.knowledge.values'}"
        " & set(sys.modules)), file=sys.stderr)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True
    )
    assert result.stderr.strip() == "[]"


USAGE_ERRORS = [
    (("render", "1.99"), 2, "fetch 1.99 downloads its spec"),
    (("render", "newest"), 2, "unknown release 'newest'"),
    (("render", "1.35..1.29"), 2, "is empty"),
    (("render", "1.35", "-t", "markdwn"), 2, "did you mean markdown"),
    (("render", "1.35", "--nope"), 2, "no option is called --nope"),
    (("render", "1.35", "--set", "markdown.x=1"), 2, "no option 'x'"),
    (("render", "1.35", "--set", "x"), 2, "TARGET.OPTION=VALUE"),
    (
        ("render", "1.35", "-t", "rust", "-t", "cue", "--set", "go.module=x"),
        2,
        "--set go.module: the target go is not generated\n  generated are cue, rust",
    ),
    (("render", "--set", "go.module=x"), 2, "the target go is not generated"),
    (("serve", "1.35", "--set", "go.module=x"), 2, "the target go is not generated"),
    (("render", "1.35", "--set", "markdwn.title=x"), 2, "did you mean markdown"),
    (("render", "1.35", "--templates", "nowhere"), 2, "is not a folder"),
    (("render", "1.35", "--spec-dir", "nowhere"), 2, "is not a folder"),
    (("render", "x", "--spec", "nowhere.json"), 2, "no such file"),
    (("render", "../x", "--spec", "small.json"), 2, "cannot be the name of a release"),
    (("render", "a", "b", "--spec", "small.json"), 2, "takes one release name"),
    (("render", "x", "--spec", "small.json", "-o", "small.json"), 1, "small.json"),
    (("render", "x", "--spec", "small.json", "-o", "/proc/x"), 1, "/proc"),
    (("render", "1.35", "--all", "-t", "go"), 2, "--target alone generates"),
    (("check", "https://example.com/a.yaml"), 2, "curl -fsSL https://example.com/a.y"),
    (("history", "pod.spec.contaners"), 2, "did you mean spec.containers"),
    (("merge", "small.json"), 2, "is no report of kubestencil check"),
    (("diff", "1.34", "1.35", "-o", "a.pdf"), 2, "no format has the suffix .pdf"),
    (("fetch", "newest"), 2, "is not a release of Kubernetes"),
    (("check", ".", "--for", "1.35"), 2, "no option is called --for\n  did you mean"),
    (("update", "--check"), 2, "available: --dry-run"),
    (("update",), 2, "kubestencil init writes one"),
    (("check", ".", "-o", "small.json/x.json"), 2, "small.json is no folder"),
    (("diff", "1.34", "1.35", "-o", "no/x.html"), 2, "create it: mkdir -p no"),
    (
        ("render", "--check", "1.35", "-t", "go", "-o", "small.json/x"),
        1,
        "is no folder",
    ),
    (("render", "1.35", "-o", "https://example.com/x"), 2, "is an address"),
    (
        ("render", "1.35", "-t", "java", "--set", "java.folder=/x"),
        2,
        "java.folder: '/x'",
    ),
    (("history", "Pdo"), 2, "did you mean Pod or PodOS?"),
    (("render", "python"), 2, "-t python generates it"),
    (("validator", "build", "1.20"), 2, "available: 1.25"),
]


def test_folders_without_files_are_named_with_what_is_expected(run: Command) -> None:
    (run.folder / "empty").mkdir()
    done = run("render", "1.35", "-t", "python", "--crds", "empty")
    assert done.returncode == 1
    assert "empty: has no .yaml, .yml or .json file\n  name the file" in done.stderr
    done = run("check", "empty")
    assert done.returncode == 2
    assert "name what has the manifests" in done.stderr


@pytest.mark.parametrize(("arguments", "code", "message"), USAGE_ERRORS)
def test_a_failed_command_names_the_problem_and_writes_nothing(
    run: Command, small: Path, arguments: tuple[str, ...], code: int, message: str
) -> None:
    before = read_output(small.parent)
    result = run(*arguments)
    assert result.returncode == code, result.stderr
    assert message in result.stderr
    after = {
        path: data
        for path, data in read_output(small.parent).items()
        if "cache/" not in path
    }
    assert after == before


INVALID_DOCUMENTS: list[tuple[str, str]] = [
    ('{"swagger": "2.0", "definitions": {"a": {"ty', "the JSON is not complete"),
    ("<html></html>", "is text, not an OpenAPI spec"),
    ('{"openapi": "3.1.0"}', "is not OpenAPI 3.0"),
    ('{"name": "x"}', "is not an OpenAPI 2.0 spec"),
    (json.dumps(make_document({"a/../b": {}})), "/definitions/a~1..~1b"),
    (
        json.dumps(make_document({"v1.A": {"$ref": "#/definitions/v1.B"}})),
        "does not define",
    ),
    (
        json.dumps(make_document({"v1.A": {"items": {"$ref": "#/definitions/v1.A"}}})),
        "alias",
    ),
    (json.dumps(make_document({"v1.a-b": {"properties": {}}, "v1.a_b": {}})), "V1AB"),
    (json.dumps(make_document(SMALL, info={})), "is not valid OpenAPI"),
]


RENDER = ("render", "--spec", "x.json", "-o", "out", "-t", "markdown")


@pytest.fixture(scope="module")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> Command:
    """A command whose folder has the pages of a document, ``x.json``."""
    run = make_command(tmp_path_factory.mktemp("rendered"))
    (run.folder / "x.json").write_text(json.dumps(make_document(SMALL)))
    assert run(*RENDER).returncode == 0
    return run


@pytest.mark.parametrize(("text", "message"), INVALID_DOCUMENTS)
def test_an_invalid_document_is_located_and_the_output_stays_unchanged(
    rendered: Command, text: str, message: str
) -> None:
    before = read_files(rendered.folder / "out")
    (rendered.folder / "x.json").write_text(text)
    result = rendered(*RENDER)
    assert result.returncode == 1
    assert message in result.stderr
    assert "x.json" in result.stderr or "two definitions" in result.stderr
    assert read_files(rendered.folder / "out") == before


def test_a_template_error_is_located_and_the_output_stays_unchanged(
    run: Command, small: Path
) -> None:
    targets = ("-t", "markdown-v4", "-t", "markdown-v5")
    arguments = ("render", "x", "--spec", str(small), "-o", "out", *targets)
    assert run(*arguments).returncode == 0
    before = read_files(small.parent / "out")
    shadow = small.parent / "mine" / "markdown-v5"
    shadow.mkdir(parents=True)
    (shadow / "model.md.j2").write_text("changed\n{{ model.nope }}")
    result = run(*arguments, "--templates", "mine")
    assert result.returncode == 1
    assert "model.md.j2:2" in result.stderr
    assert POD in result.stderr
    assert read_files(small.parent / "out") == before


def test_the_output_stays_unchanged_when_the_disk_is_full(
    run: Command, small: Path
) -> None:
    targets = ("-t", "markdown", "-t", "python")
    arguments = ("render", "x", "--spec", str(small), "-o", "out", *targets)
    assert run(*arguments).returncode == 0
    before = read_files(small.parent / "out")
    definitions = {**SMALL, "v1.Long": {"description": "x" * 300_000, "properties": {}}}
    small.write_text(json.dumps(make_document(definitions)))

    def limit_file_size() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))

    result = run(*arguments, preexec_fn=limit_file_size)
    assert result.returncode == 1
    assert "cannot be written" in result.stderr
    assert read_files(small.parent / "out") == before


@pytest.mark.nightly
@settings(max_examples=75, deadline=None, suppress_health_check=list(HealthCheck))
@given(documents())
def test_any_document_is_generated_or_refused(spec: dict[str, Any]) -> None:
    """Errors are KubestencilErrors, and no path leaves the target's folder."""
    data = json.dumps(spec).encode()
    for target in load_targets(None).values():
        try:
            files = list(
                generate_all_files([parse(Source("x", "x.json", data))], target)
            )
        except KubestencilError as error:
            assert error.what
            continue
        for file in files:
            parts = file.path.split("/")
            assert all(re.fullmatch(r"[\w.-]+", part, re.ASCII) for part in parts)
            assert ".." not in parts


COMMANDS = [pytest.param(command, id=name) for name, command in all_commands().items()]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_has_a_help_text(command: click.Command) -> None:
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert re.fullmatch(r"[A-Z].*[.\]]", parameter.help or ""), parameter.name


@pytest.mark.parametrize("command", COMMANDS)
def test_help_explains_every_argument(command: click.Command) -> None:
    words = set(re.findall(r"\w+", command.help or ""))
    for parameter in command.params:
        if isinstance(parameter, click.Argument):
            names = re.findall(
                r"[A-Z]+", parameter.make_metavar(click.Context(command))
            )
            assert set(names) <= words, parameter.name


def test_the_list_of_commands_shows_complete_sentences(run: Command) -> None:
    lines = run("--help").stdout.partition("Commands:\n")[2].splitlines()
    assert len(lines) == len(COMMANDS)
    for line in lines:
        name, _, summary = line.strip().partition(" ")
        help_text = " ".join((all_commands()[name].help or "").split())
        assert help_text.startswith(summary.strip()), name
    assert all(line.endswith(".") and not line.endswith("...") for line in lines)


@pytest.mark.parametrize("encoding", ["latin-1", "cp437"])
def test_results_are_utf8_in_files_and_pipes(run: Command, encoding: str) -> None:
    """Whatever the system's encoding is, such as that of Windows."""
    command = [sys.executable, "-m", "kubestencil", "diff", "1.34", "1.35"]
    done = subprocess.run(
        [*command, "--kind", "Pod"],
        cwd=run.folder,
        env={**run.environment, "PYTHONIOENCODING": encoding},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "→" in done.stdout.decode("utf-8")


def test_a_misspelt_command_is_proposed(run: Command) -> None:
    done = run("rendr")
    assert done.returncode == 2
    assert "did you mean render?" in done.stderr


@pytest.mark.parametrize("command", [(), ("check",), ("diff",), ("render",)])
def test_help_begins_with_examples(run: Command, command: tuple[str, ...]) -> None:
    text = run(*command, "--help").stdout
    assert text.index("Examples:") < text.index("ptions:")
    for line in text.splitlines():
        assert len(line) <= 80


def test_options_have_their_earlier_names(run: Command) -> None:
    for name in ("--specs", "--spec-dir"):
        done = run("releases", name, "missing")
        assert done.returncode == 2
        assert "--spec-dir missing: is not a folder" in done.stderr
    (run.folder / "kubestencil.toml").write_text('[check]\nspecs = "missing"\n')
    assert "--spec-dir missing: is not a folder" in run("check", ".").stderr
