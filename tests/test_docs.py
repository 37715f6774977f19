"""The documentation: its links, commands, examples, and reference tables."""

from __future__ import annotations

import ast
import contextlib
import json
import os
import re
import shlex
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import fields
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

import click
import pytest

from kubestencil import Change, Comparison, History, Release, Summary, compare, render
from kubestencil.build import TreeResult
from kubestencil.cli import cli
from kubestencil.cli.help import RENAMED
from kubestencil.diff import Graduation
from kubestencil.engine import Target, load_targets
from tests import docs_reference
from tests.cluster import load_crds
from tests.conftest import ROOT, Command, all_commands, load
from tests.packages import generate_package
from tests.python_crds import CERTIFICATE
from tests.test_writing_a_target import write_files

PAGES = [
    ROOT / "README.md",
    ROOT / "ARCHITECTURE.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    ROOT / "SECURITY.md",
    ROOT / "specs/README.md",
    ROOT / "generated/README.md",
    *sorted((ROOT / "tests").rglob("README.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
DOCS = [page for page in PAGES if page.parent == ROOT / "docs"]

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)
_CODE = re.compile(r"`([^`\n]+)`")
_OPTION_ROW = re.compile(r"^\| `([\w-]+\.\w+)` \| (.+?) \| (.+) \|$", re.MULTILINE)


def page_id(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path, language: str) -> list[str]:
    """The fenced code blocks of a page in one language."""
    return [
        match[2]
        for match in _FENCE.finditer(page.read_text("utf-8"))
        if match[1] == language
    ]


def prose(page: Path) -> str:
    """A page without its fenced code blocks."""
    return _FENCE.sub("", page.read_text("utf-8"))


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub gives to the headings of a page."""
    names: list[str] = []
    for heading in _HEADING.findall(prose(page)):
        text = re.sub(r"[^\w\- ]", "", heading.strip().lower())
        name = text.replace(" ", "-")
        names.append(f"{name}-{names.count(name)}" if name in names else name)
    return set(names)


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_links_lead_to_files_and_headings(page: Path) -> None:
    for link in _LINK.findall(prose(page)):
        # Links of pages of a site name types: k8s:Pod.
        if "://" in link or link.startswith("k8s:"):
            continue
        path, _, anchor = link.partition("#")
        linked = (page.parent / path).resolve() if path else page
        assert linked.exists(), link
        assert linked.is_relative_to(ROOT), link
        if anchor:
            assert anchor in anchors(linked), link


def test_the_index_lists_every_page() -> None:
    links = set(_LINK.findall((ROOT / "docs/README.md").read_text("utf-8")))
    assert {page.name for page in DOCS} - {"README.md"} <= links


@pytest.mark.parametrize("page", docs_reference.PAGES, ids=page_id)
def test_reference_parts_are_current(page: Path) -> None:
    text = page.read_text("utf-8")
    assert (
        docs_reference.with_generated_parts(text) == text
    ), "run python -m tests.docs_reference"


@pytest.mark.parametrize(
    "name",
    [
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "docs/adding-a-release.md",
        "specs/README.md",
    ],
)
def test_source_files_that_are_named_exist(name: str) -> None:
    folders = (ROOT, ROOT / "generator/kubestencil", ROOT / "templates/site/assets")
    for code in _CODE.findall(prose(ROOT / name)):
        if re.fullmatch(r"[\w./-]+\.(py|js)|[\w./-]+/[\w-]+\.toml", code):
            assert any((folder / code).exists() for folder in folders), code


def test_the_architecture_page_is_short_and_names_a_file_for_each_task() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    assert len(text.split()) <= 1_500
    table = text.partition("| to add | edit |")[2].partition("\n\n")[0]
    files = re.findall(r"^\| (?:a|an) [^|]+ \| `([^`|]+)` \|", table, re.MULTILINE)
    assert len(files) == len(table.splitlines()) - 2
    for file in files:
        assert "<" in file or (ROOT / file).is_file(), file


def test_the_readme_is_short_and_its_pictures_small() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    assert len(text.split()) <= 700
    assert len(re.findall(r"!\[.+\]\((.+)\)", text)) == 1
    pictures = (ROOT / "docs/images").iterdir()
    assert all(path.stat().st_size < 150_000 for path in pictures)


def test_the_readme_shows_what_commands_print(run: Command, tmp_path: Path) -> None:
    """Lines may be left out."""
    (manifest,) = blocks(ROOT / "README.md", "yaml")
    (tmp_path / "web.yaml").write_text(manifest)
    shown = [text for text in blocks(ROOT / "README.md", "") if text.startswith("$ ")]
    for text in shown[:2]:
        command, *lines = text.splitlines()
        printed = iter(run(*shlex.split(command)[2:]).stdout.splitlines())
        assert len(lines) > 1
        assert all(line in printed for line in lines), text


def test_each_class_has_a_name_of_its_own() -> None:
    names = Counter(
        name
        for path in (ROOT / "generator").rglob("*.py")
        for name in re.findall(r"^class (\w+)", path.read_text("utf-8"), re.MULTILINE)
    )
    assert [name for name, count in names.items() if count > 1] == []


def test_the_docstring_of_each_package_names_its_modules() -> None:
    root = ROOT / "generator/kubestencil"
    for package in root.rglob("__init__.py"):
        modules = {path.stem for path in package.parent.glob("*.py")} - {"__init__"}
        assert len(modules) <= 15, package.parent
        if package.parent in (root, root / "targets"):
            continue  # The public API, and a folder for each target.
        packages = {path.parent.name for path in package.parent.glob("*/__init__.py")}
        text = ast.get_docstring(ast.parse(package.read_text("utf-8"))) or ""
        named = set(re.findall(r"``(\w+)``", text))
        assert modules | packages <= named, package.parent


def command_lines(page: Path) -> Iterator[list[str]]:
    """The arguments of every kubestencil command in the shell blocks of a page."""
    for block in blocks(page, "sh"):
        for line in block.replace("\\\n", " ").splitlines():
            lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;<>()")
            lexer.whitespace_split = True
            arguments: list[str] | None = None
            for word in lexer:
                if set(word) <= set("|&;<>()"):
                    if arguments is not None:
                        yield arguments
                    arguments = None
                elif arguments is not None:
                    arguments.append(word)
                elif word == "kubestencil" or word.endswith("/kubestencil"):
                    arguments = []
            if arguments is not None:
                yield arguments


def parse(arguments: list[str]) -> None:
    """Parse a command line without running it; raises ClickException for an error."""
    with (
        contextlib.suppress(click.exceptions.Exit),
        cli.make_context("kubestencil", list(arguments)) as context,
    ):
        name, command, rest = cli.resolve_command(context, list(arguments))
        assert command is not None
        command.make_context(name, rest, parent=context)


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_commands_that_are_shown_can_be_parsed(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(page.read_text("utf-8"), tmp_path)
    monkeypatch.chdir(tmp_path)
    for arguments in command_lines(page):
        parse(arguments)


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_commands_and_options_in_prose_exist(page: Path) -> None:
    for code in _CODE.findall(prose(page)):
        words = code.split()
        if words[0] != "kubestencil" or len(words) == 1:
            continue
        assert words[1] in {*all_commands(), "COMMAND"} or words[1].startswith(
            "-"
        ), code
        command = all_commands().get(words[1], cli)
        options = {
            option
            for parameter in command.get_params(click.Context(command))
            for option in parameter.opts
        }
        used = {word.partition("=")[0] for word in words[2:] if word.startswith("--")}
        earlier = RENAMED if page.name == "CHANGELOG.md" else ()
        assert used <= {*options, *earlier, "--help"}, code


@pytest.mark.parametrize("target", load_targets(None).values(), ids=lambda t: t.name)
def test_targets_page_documents_every_option(target: Target) -> None:
    page = ROOT / f"docs/targets/{target.name}.md"
    documented = {
        name: "" if default == "empty" else default.strip("`").replace("\\|", "|")
        for name, default, _ in _OPTION_ROW.findall(page.read_text("utf-8"))
    }
    assert documented == {
        f"{target.name}.{name}": value if isinstance(value, str) else json.dumps(value)
        for name, value in target.options.items()
    }


def test_each_target_has_a_page_and_a_row_in_the_readme() -> None:
    targets = load_targets(None)
    pages = {page.stem: page for page in (ROOT / "docs/targets").glob("*.md")}
    assert pages.keys() == targets.keys()
    for name, page in pages.items():
        has_quirks = f"<!-- generated: reproduced {name} -->" in page.read_text("utf-8")
        assert has_quirks == (targets[name].scope == "release")
    rows = re.findall(r"^- (`.*?`): ", (ROOT / "README.md").read_text(), re.M)
    named = {name for row in rows for name in re.findall(r"`([\w-]+)`", row)}
    assert named == targets.keys()


def environment() -> dict[str, str]:
    """The environment of a program that imports kubestencil, with embedded documents."""
    variables = {k: v for k, v in os.environ.items() if k != "KUBESTENCIL_SPECS"}
    return {**variables, "PYTHONPATH": str(ROOT / "generator")}


def test_examples_of_the_python_api_run(tmp_path: Path) -> None:
    (tmp_path / "manifests").mkdir()
    (tmp_path / "manifests/namespace.yaml").write_text(
        "apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n"
    )
    program = tmp_path / "program.py"
    examples = blocks(ROOT / "docs/python-api.md", "python")
    # That of validators has a test in test_validator.py.
    program.write_text(
        "\n".join(text for text in examples if "ReleaseValidator" not in text)
    )
    result = subprocess.run(
        [sys.executable, str(program)],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    assert "unknown release '1.99'" in result.stdout
    assert (tmp_path / "generated/1.35/markdown-v5/docs/V1Pod.md").is_file()


@pytest.mark.parametrize(
    ("page", "output"),
    [
        ("targets/python", "spec.containers: required, but missing"),
        ("custom-resources", '"issuerRef":{"name":"ca"}'),
    ],
)
def test_examples_of_the_python_target_run(
    tmp_path: Path, page: str, output: str
) -> None:
    pytest.importorskip("msgspec")
    release = load_crds(CERTIFICATE) if page == "custom-resources" else load("1.35")
    generate_package(release, tmp_path, "kubernetes_models")
    (program,) = blocks(ROOT / f"docs/{page}.md", "python")
    result = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={**environment(), "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    assert output in result.stdout


def test_example_of_the_jsonnet_target_runs(tmp_path: Path) -> None:
    rjsonnet = pytest.importorskip("rjsonnet")
    render(["1.35"], targets=["jsonnet"], out=tmp_path / "generated")
    (program,) = blocks(ROOT / "docs/targets/jsonnet.md", "jsonnet")
    (tmp_path / "example.jsonnet").write_text(program)
    assert '"nginx:1.29"' in rjsonnet.evaluate_file(str(tmp_path / "example.jsonnet"))


@pytest.mark.parametrize(
    "public", [Release, Comparison, Change, Graduation, History, Summary, TreeResult]
)
def test_python_api_page_names_every_attribute(public: Any) -> None:
    documented = set(_CODE.findall(prose(ROOT / "docs/python-api.md")))
    assert {field.name for field in fields(public)} - {"drift"} <= documented


def test_keys_of_json_reports_are_documented() -> None:
    schema = json.loads((ROOT / "docs/diff-report.schema.json").read_text("utf-8"))
    report = compare(load("1.34"), load("1.35")).to_dict()
    change = schema["$defs"]["change"]["properties"]
    assert report.keys() <= schema["properties"].keys()
    assert report["changes"][0].keys() <= change.keys()
    for key, value in {**schema["properties"], **change}.items():
        assert "description" in value, key


TYPED_PROGRAM = """\
from collections.abc import Sequence

from kubestencil import Change, Comparison, History, Release, Summary
from kubestencil import compare, history, load, render
from kubestencil.errors import KubestencilError


def breaking(before: Release, after: Release) -> Sequence[Change]:
    comparison: Comparison = compare(before, after)
    return [change for change in comparison.changes if change.severity == "breaking"]


def histories(releases: Sequence[Release], kind: str) -> tuple[History, ...]:
    return history(releases, kind)


try:
    old, new = load("1.34"), load("1.35")
    names: list[str] = [change.definition for change in breaking(old, new)]
    summary: Summary = render(["1.35"], targets=["python"], options={"python.package": "p"})
except KubestencilError as error:
    print(error.what, error.hint)
"""

#: Mistakes in a program, each with what mypy reports.
TYPE_ERRORS = {
    "compare(old, new).chnges": '"Comparison" has no attribute "chnges"',
    "load(1.35)": 'Argument 1 to "load" has incompatible type "float"',
    "compare(old, 1.35)": 'Argument 2 to "compare" has incompatible type "float"',
    "from kubestencil import lod": 'has no attribute "lod"',
    "render(['1.35'], target='python')": 'Unexpected keyword argument "target"',
}


@pytest.mark.compiler
def test_the_public_api_passes_strict_type_checks(tmp_path: Path) -> None:
    pytest.importorskip("mypy", reason="mypy is not installed (the extra dev)")
    correct, wrong = tmp_path / "correct.py", tmp_path / "wrong.py"
    correct.write_text(TYPED_PROGRAM)
    wrong.write_text("".join(f"{line}\n" for line in (TYPED_PROGRAM, *TYPE_ERRORS)))
    variables = environment()
    try:
        distribution("kubestencil")
    except PackageNotFoundError:
        variables["MYPYPATH"] = str(ROOT / "generator")

    def check(program: Path) -> str:
        arguments = [
            "--strict",
            "--follow-imports=silent",
            "--cache-dir",
            str(tmp_path),
        ]
        result = subprocess.run(
            [sys.executable, "-m", "mypy", *arguments, str(program)],
            cwd=tmp_path,
            env=variables,
            capture_output=True,
            text=True,
        )
        return result.stdout + result.stderr

    assert check(correct) == "Success: no issues found in 1 source file\n"
    report = check(wrong)
    for message in TYPE_ERRORS.values():
        assert message in report
    assert f"Found {len(TYPE_ERRORS)} errors" in report
    assert (ROOT / "generator/kubestencil/py.typed").is_file()
