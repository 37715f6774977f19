"""What tools obey in comments: no description reaches one as an order."""

from __future__ import annotations

import ast
import doctest
import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kubestencil.engine import filters
from kubestencil.text.comments.directives import DIRECTIVES, FAMILIES, Directive, disarm
from kubestencil.text.controls import one_line, without_controls
from kubestencil.text.languages import COMMENTS
from tests.conftest import Command
from tests.languages import generated
from tests.test_crd_examples import small_release, widget
from tests.test_typescript import Compiler, generate_package

PIECES = st.lists(
    st.sampled_from([*(row.example for row in DIRECTIVES), " ", "\n", "\\", "x", "*/"])
).map("".join)
#: All of what tools obey, in one description.
EVERYTHING = "\n".join(row.example for row in DIRECTIVES)


def rows(style: str) -> list[Directive]:
    families = {"*", *FAMILIES[style].split()}
    return [row for row in DIRECTIVES if row.family in families]


def obeyed(text: str, style: str) -> list[str]:
    """The tools that find their directive in a text."""
    return [
        row.tool
        for row in rows(style)
        if row.disarmed == "{}\\"  # Others depend on what is around it.
        and re.search(("" if row.anywhere else r"(?<!\S)") + row.pattern, text)
    ]


def test_every_family_is_of_a_style_and_every_style_is_one() -> None:
    families = {family for names in FAMILIES.values() for family in names.split()}
    assert families == {row.family for row in DIRECTIVES} - {"*"}
    assert FAMILIES.keys() == COMMENTS.keys()


@pytest.mark.parametrize("row", DIRECTIVES, ids=lambda row: row.example[:20])
@pytest.mark.parametrize("width", [None, 20])
def test_a_directive_is_broken_in_every_comment_of_its_language(
    row: Directive, width: int | None
) -> None:
    for style in COMMENTS:
        if row not in rows(style):
            continue
        comment = filters.comment(f"First. {row.example}\n{row.example}", style, width)
        assert row.tool not in obeyed(comment, style)
        # Nothing is hidden from the reader.
        words = [re.sub(r"\W", "", word) for word in row.example.split()]
        shown = re.sub(r"&#?\w+;|\W", "", comment)
        assert all(word in shown for word in words)


@given(PIECES, st.sampled_from(list(COMMENTS)))
def test_no_text_makes_a_directive(text: str, style: str) -> None:
    assert obeyed(disarm(text, style), style) == []


@pytest.mark.parametrize("row", DIRECTIVES, ids=lambda row: row.example[:20])
@settings(max_examples=20)
@given(st.data())
def test_no_spelling_of_a_directive_is_left_alone(
    row: Directive, data: st.DataObject
) -> None:
    without_lookbehind = row.pattern.removeprefix(r"(?<![^\s{(])")
    spelling = re.sub(r"\(\?(=|i:)", "(?:", without_lookbehind)
    text = data.draw(st.from_regex(re.compile(spelling, re.ASCII), fullmatch=True))
    for style in COMMENTS:
        if row in rows(style) and row.tool in obeyed(text, style):
            assert disarm(text, style) != text


@pytest.mark.parametrize("style", ["//", "#", "go", "java", "python", "typescript"])
@pytest.mark.parametrize(
    "text",
    [
        "The type: one of a, b. See https://example.com/#noun, mail a@b.example, 1 >> 2.",
        "An expression such as a + b, a CIDR 10.0.0.0/8, ex. -- a list:\n- *.example.com",
        "Examples (ex: 10%), vim and emacs, a node:port, `x-kubernetes-map-type`.",
    ],
)
def test_other_text_stays_as_it_is(text: str, style: str) -> None:
    assert disarm(text, style) == text


def test_markers_of_go_are_broken_however_a_line_is_wrapped() -> None:
    text = "Some text, +genclient and more.\n+kubebuilder:rbac:groups=*\n\n\t+build x"
    for width in (None, 12):
        comment = filters.comment(text, "go", width)
        assert not re.search(r"^//\s*\+", comment, re.MULTILINE)


def test_tags_of_a_template_are_tags() -> None:
    tags = {"default": '"@deprecated"', "since": None, "deprecated": ""}
    assert filters.comment("A @x.", "typescript", 80, tags) == (
        '/**\n * A \\@x.\n *\n * @default "@deprecated"\n *\n * @deprecated\n */'
    )
    assert filters.comment("", "typescript", 80, {"deprecated": None}) == ""


# --- what the tools themselves say


def described(text: str) -> dict[str, object]:
    """A CustomResourceDefinition that is described by a text everywhere."""
    field = {"type": "string", "description": text}
    crd = widget({"type": "object", "description": text, "properties": {"a": field}})
    root = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    root["description"] = text
    return crd


@pytest.mark.parametrize("target", ["python", "pydantic", "python-dicts"])
def test_doctest_and_mypy_find_nothing_in_generated_python(target: str) -> None:
    mypy = pytest.importorskip("mypy.util", reason="mypy is not installed")
    text = "# mypy: ignore-errors\n>>> open('x', 'w')\n>>> 1 +\n\n" + EVERYTHING
    checked = 0
    for path, source in generated(target, small_release(described(text))).items():
        if not path.endswith((".py", ".pyi")):
            continue
        assert mypy.get_mypy_comments(source) == []
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                value = node.value.value
                if isinstance(value, str):
                    checked += "ignore-errors" in value
                    assert doctest.DocTestParser().get_examples(value) == []
    assert checked


def test_kcl_finds_no_section_in_a_description() -> None:
    text = "Attributes\n----------\nevil : int\n\nExamples\n========\n"
    files = generated("kcl", small_release(described(text)))
    lines = [line.strip() for file in files.values() for line in file.split("\n")]
    assert "\\\\----------" in lines
    # Of headings there are those of schemas, which the template writes.
    schemas = sum(line.startswith("schema ") for line in lines)
    assert sum(set(line) == {"-"} for line in lines) == schemas
    assert "========" not in lines


@pytest.mark.compiler("tsc")
def test_tsc_obeys_no_description(tmp_path: Path) -> None:
    texts = [
        "@ts-expect-error", "@ts-ignore\n@ts-nocheck", '<reference path="no" />',
        "First.\n@ts-expect-error", "@type {no.such.Type}\n@jsx no", EVERYTHING,
    ]  # fmt: skip
    for number, text in enumerate(texts):
        package = generate_package(small_release(described(text)))
        folder = tmp_path / str(number)
        folder.mkdir()
        compiler = Compiler(folder, package)
        modules = [str(path) for path in compiler.package.rglob("*.d.ts")]
        assert compiler.run("--skipLibCheck", "false", *modules) == ""


@pytest.mark.compiler("rustdoc")
@pytest.mark.parametrize("style", ["rust", "///"])
def test_rustdoc_runs_no_description(tmp_path: Path, style: str) -> None:
    texts = [
        "```\npanic!()\n```", "~~~\npanic!()\n~~~", "Text.\n\n    panic!()",
        "- item\n\n\t\tpanic!()", ">```\n>panic!()", "1. ```\n   panic!()", EVERYTHING,
        "-     panic!()", ">     panic!()", "a\n>\t \tpanic!()",
    ]  # fmt: skip
    source = "".join(
        f"{filters.comment(text, style)}\npub struct S{number};\n"
        for number, text in enumerate(texts)
    )
    (tmp_path / "lib.rs").write_text(source)
    done = subprocess.run(
        ["rustdoc", "--test", "lib.rs"], cwd=tmp_path, capture_output=True, text=True
    )
    assert "running 0 tests" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("::error file=x::y", ":\\:error file=x::y"),
        (" ::set-output name=a::b", " :\\:set-output name=a::b"),
        ("x ##[add-mask]y ##vso[task.x]z", "x #\\#[add-mask]y #\\#vso[task.x]z"),
        (
            "::1 is not allowed, std::string, ::/0",
            "::1 is not allowed, std::string, ::/0",
        ),
        ("## Title [x]", "## Title [x]"),
    ],
)
def test_a_message_is_no_command_to_a_ci_system(text: str, expected: str) -> None:
    assert one_line(text) == expected
    assert without_controls(f"{text}\n{text}") == f"{expected}\n{expected}"


def test_the_name_of_a_checked_file_is_no_command(run: Command) -> None:
    (run.folder / "::error::x.yaml").write_text("apiVersion: v1\nkind: Pod\nspec: 1\n")
    done = run("check", "::error::x.yaml", "::error::y.yaml")
    assert "::error::" not in done.stdout + done.stderr
    done = run("check", "::error::x.yaml")
    assert ":\\:error::x.yaml" in done.stdout
    assert not re.search("^::", done.stdout + done.stderr, re.MULTILINE)
