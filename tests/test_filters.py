"""The filters of templates: names, comments and literals, whatever the text is."""

from __future__ import annotations

import ast
import json
import re
import shutil
import struct
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from kubestencil.engine import filters
from kubestencil.engine.templates import Templates
from kubestencil.errors import TargetError
from kubestencil.text import casing
from kubestencil.text.comments import STYLES
from kubestencil.text.languages import QUOTES, RESERVED

CASES = (casing.camel, casing.pascal, casing.snake, casing.kebab, casing.constant)
HOSTILE = st.one_of(
    st.text(),
    st.lists(
        st.sampled_from(
            [
                *("*/", "/*", '"""', '"', "\\", "\\u002a/", "-->", "--"),
                *("\n", "\r", "\t", "\x00", "\u2028", "\u202e"),
                *("a", " ", "\N{NO-BREAK SPACE}", "\N{SNOWMAN}"),
            ]
        ),
        max_size=12,
    ).map("".join),
)


@pytest.mark.parametrize(
    ("name", "camel", "pascal", "snake", "kebab", "constant"),
    [
        ("podIPs", "podIPs", "PodIPs", "pod_ips", "pod-ips", "POD_IPS"),
        ("podCIDRs", "podCIDRs", "PodCIDRs", "pod_cidrs", "pod-cidrs", "POD_CIDRS"),
        ("HTTPGetAction", "httpGetAction", "HTTPGetAction", "http_get_action", "http-get-action", "HTTP_GET_ACTION"),
        ("resource.k8s.io", "resourceK8sIo", "ResourceK8sIo", "resource_k8s_io", "resource-k8s-io", "RESOURCE_K8S_IO"),
        ("v1beta1", "v1beta1", "V1beta1", "v1beta1", "v1beta1", "V1BETA1"),
        ("sha256Sum", "sha256Sum", "Sha256Sum", "sha256_sum", "sha256-sum", "SHA256_SUM"),
        ("$ref", "ref", "Ref", "ref", "ref", "REF"),
        ("", "", "", "", "", ""),
    ],
)  # fmt: skip
def test_a_name_is_spelled_in_each_case(
    name: str, camel: str, pascal: str, snake: str, kebab: str, constant: str
) -> None:
    assert [case(name) for case in CASES] == [camel, pascal, snake, kebab, constant]


@pytest.mark.parametrize("case", CASES)
@given(st.from_regex(r"[A-Za-z][A-Za-z0-9_.é -]*", fullmatch=True))
def test_a_name_in_a_case_stays_as_it_is(case: Callable[[str], str], name: str) -> None:
    assert case(case(name)) == case(name)


@given(st.text(), st.sampled_from(["", *RESERVED]))
def test_an_identifier_is_one(name: str, language: str) -> None:
    spelled = filters.identifier(name, language)
    assert re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", spelled)
    assert spelled not in RESERVED.get(language, ())
    assert filters.identifier(spelled, language) == spelled


@given(
    HOSTILE,
    st.sampled_from(["//", "///", "//!", "#", "--", ";"]),
    st.none() | st.just(20),
)
def test_every_line_of_a_line_comment_is_a_comment(
    text: str, style: str, width: int | None
) -> None:
    generated = filters.comment(text, style, width)
    assert not generated or len(generated.splitlines()) == generated.count("\n") + 1
    for line in generated.splitlines():
        assert line == style or line.startswith(f"{style} ")
        assert not line.endswith("\\")
        assert "\\u" not in line


@given(HOSTILE, st.sampled_from(["/* */", "/** */"]), st.none() | st.just(20))
def test_a_block_comment_ends_at_its_end(
    text: str, style: str, width: int | None
) -> None:
    generated = filters.comment(text, style, width)
    if generated:
        assert generated.startswith(style.split()[0])
        assert generated.index("*/") == len(generated) - 2
        assert generated.count("/*") == 1
        assert "\\u" not in generated


@given(HOSTILE, st.none() | st.just(20))
def test_a_docstring_is_one_string(text: str, width: int | None) -> None:
    generated = filters.comment(text, '"""', width)
    if generated:
        (statement,) = ast.parse(f"{generated}\n").body
        assert isinstance(statement, ast.Expr)
        assert isinstance(statement.value, ast.Constant)
        assert statement.end_lineno == generated.count("\n") + 1


@given(HOSTILE, st.none() | st.just(20))
def test_an_xml_comment_is_one(text: str, width: int | None) -> None:
    generated = filters.comment(text, "<!-- -->", width)
    if generated:
        assert generated.startswith("<!--")
        assert generated.endswith("-->")
        assert "--" not in generated[4:-3]


@given(HOSTILE, st.sampled_from(list(STYLES)))
def test_a_comment_shows_every_word_and_hides_nothing(text: str, style: str) -> None:
    generated = filters.comment(f"first {text} last", style)
    assert "first" in generated
    assert "last" in generated
    assert all(line.isprintable() for line in generated.split("\n"))


def test_a_comment_is_broken_at_its_width() -> None:
    text = "one two three four five\n\n    indented code that is long"
    assert filters.comment(text, "/** */", 20) == (
        "/**\n * one two three\n * four five\n *\n *     indented code\n"
        " *     that is long\n */"
    )
    assert filters.comment(text, "#", 20).splitlines() == [
        "# one two three four",
        "# five",
        "#",
        "#     indented code",
        "#     that is long",
    ]
    assert filters.comment("A pod.", "/** */") == "/** A pod. */"
    assert filters.comment(" \n ", "//") == ""


@given(HOSTILE, st.integers(1, 30))
def test_wrapping_changes_nothing_but_spaces(text: str, width: int) -> None:
    wrapped = filters.wrap(text, width)
    assert wrapped.split() == text.split()
    for line in wrapped.split("\n"):
        # Spaces at the end of the text stay.
        assert len(line.rstrip(" ")) <= width or " " not in line.strip(" ")[:-1]


@given(HOSTILE)
def test_a_quoted_string_reads_back(text: str) -> None:
    assert json.loads(filters.quote(text)) == text
    assert ast.literal_eval(filters.quote(text, "python")) == text
    assert tomllib.loads(f"a = {filters.quote(text, 'toml')}") == {"a": text}
    assert yaml.safe_load(f"a: {filters.quote(text, 'yaml')}") == {"a": text}


@given(HOSTILE)
def test_an_attribute_of_xml_reads_back_as_far_as_xml_has_the_characters(
    text: str,
) -> None:
    element = ElementTree.fromstring(f"<a b={filters.quote(text, 'xml')}/>")
    for read, character in zip(element.attrib["b"], text, strict=True):
        assert read == character or (read == "\ufffd" and not character.isprintable())


@given(HOSTILE, st.sampled_from(list(QUOTES)))
def test_a_quoted_string_is_one_printable_line(text: str, language: str) -> None:
    generated = filters.quote(text, language)
    assert "\n" not in generated
    assert "\r" not in generated
    if language != "json":
        assert generated.isprintable()


def test_json_spells_values_and_refuses_others() -> None:
    assert filters.json({"a": [1, None, "é"]}) == '{"a": [1, null, "é"]}'
    with pytest.raises(TypeError, match="object is not a JSON value"):
        filters.json(object())


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("{{ 'x' | comment('%') }}", "unknown style '%', available: //, "),
        (
            "{{ 'x' | quote('cobol') }}",
            "unknown language 'cobol', available: c, cue, go, ",
        ),
        (
            "{{ 'x' | identifier('cobol') }}",
            "unknown language 'cobol', available: c, cue, go",
        ),
        ("{{ 1 | camel }}", "needs a string, not int"),
        ("{{ nothing | snake }}", "'nothing' is undefined"),
        ("{{ [range] | json }}", "type is not a JSON value"),
    ],
)
def test_an_error_in_a_filter_names_the_templates_line(
    tmp_path: Path, template: str, message: str
) -> None:
    path = tmp_path / "a.j2"
    path.write_text(f"first line\n{template}")
    with pytest.raises(TargetError) as caught:
        Templates([tmp_path], {}, "here").render("a.j2", "a pod", {})
    assert message in caught.value.what
    assert "(while rendering a pod)" in caught.value.what
    assert caught.value.where == f"{path}:2"


TEXTS = [
    "",
    "plain",
    "\"quotes\" 'and' `others`",
    "\\ \\n \\u0041 ${x} #{x} %d",
    "".join(map(chr, range(0x100))),
    "\u2028\u2029\u202e\ufeff\uffff\N{SNOWMAN}\N{GRINNING FACE}\U000e0001",
]


@pytest.mark.compiler
@pytest.mark.parametrize(
    ("language", "program", "file", "source"),
    [
        (
            "typescript",
            ["node", "main.mjs"],
            "main.mjs",
            'process.stdout.write(JSON.stringify([{}].map((text) => text)) + "\\n");',
        ),
        (
            "go",
            ["go", "run", "main.go"],
            "main.go",
            'package main\nimport ("encoding/json"; "os")\nfunc main() '
            "{{ json.NewEncoder(os.Stdout).Encode([]string{{{}}}) }}\n",
        ),
        (
            "java",
            ["java", "-Dfile.encoding=UTF-8", "Main.java"],
            "Main.java",
            "class Main {{ public static void main(String[] args) {{\n"
            'String separator = "[";\n'
            "for (String text : new String[] {{{}}}) {{\n"
            'System.out.print(separator + "\\"");\n'
            'text.chars().forEach(c -> System.out.printf("\\\\u%04x", c));\n'
            'System.out.print("\\"");\n'
            'separator = ",";\n}}\nSystem.out.println("]");\n}} }}\n',
        ),
    ],
)
def test_a_compiler_reads_a_quoted_string_back(
    tmp_path: Path, language: str, program: list[str], file: str, source: str
) -> None:
    if shutil.which(program[0]) is None:
        pytest.skip(f"needs {program[0]}")
    literals = ", ".join(filters.quote(text, language) for text in TEXTS)
    (tmp_path / file).write_text(source.format(literals), "utf-8")
    done = subprocess.run(
        program, cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == TEXTS


@pytest.mark.compiler("java")
def test_javac_reads_a_text_block_back(tmp_path: Path) -> None:
    texts = [*TEXTS, " a\n  b \n\n\tc", 'say """\n"', "\n", "\\u0022\\", "a\n"]
    blocks = (filters.text_block(text, "java") for text in texts)
    lines = ",\n".join(f"      {block}" for block in map(_indented, blocks))
    (tmp_path / "Main.java").write_text(
        "class Main { public static void main(String[] args) {\n"
        f"    for (String text : new String[] {{\n{lines}}}) {{\n"
        '      text.chars().forEach(c -> System.out.print(c + " "));\n'
        "      System.out.println();\n} } }\n"
    )
    done = subprocess.run(
        ["java", "Main.java"], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    read = [
        struct.pack(f"<{len(line.split())}H", *map(int, line.split()))
        for line in done.stdout.splitlines()
    ]
    assert [units.decode("utf-16-le") for units in read] == texts


def _indented(block: str) -> str:
    return block.replace("\n", "\n      ")


def test_a_text_block_of_kotlin_has_margins() -> None:
    text = ' a ${b}\n\n"""\t'
    assert filters.text_block(text, "kotlin") == (
        '"""\n| a ${\'$\'}{b}\n|\n|${"\\"\\"\\""}${"\\t"}\n""".trimMargin()'
    )


DOCUMENTATION = st.lists(
    st.sampled_from(
        [
            *("``", "''", "'", "- ", "* ", "1. ", "#", " ", "  ", "\n", "\n\n", "\t"),
            *(
                "Foo Bar",
                "[a]: http://x",
                "{",
                "}",
                "\\",
                "x",
                "+build linux",
                "*/",
                "/*",
            ),
            *(
                "go:build x",
                "\u2022",
                "\r",
                '"""',
                '"',
                "<b>",
                "@x",
                "\\u002a/",
                "\u2028",
            ),
        ]
    ),
    max_size=20,
).map("".join)


@given(st.lists(DOCUMENTATION, min_size=50, max_size=50))
@settings(max_examples=20, deadline=None)
def test_gofmt_leaves_comments_of_go_as_they_are(texts: list[str]) -> None:
    if shutil.which("gofmt") is None:
        pytest.skip("gofmt is not installed")
    comments = [
        text for text in (filters.comment(text, "go") for text in texts) if text
    ]
    source = "package x\n\n" + "\n\n".join(f"{text}\nvar v int" for text in comments)
    done = subprocess.run(
        ["gofmt"],
        input=source.rstrip() + "\n",
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.rstrip() == source.rstrip()


@given(DOCUMENTATION)
def test_no_text_ends_a_comment_of_a_language(text: str) -> None:
    description = filters.comment(text, "graphql")
    assert description.replace('\\"""', "").count('"""') in (0, 2)
    javadoc = filters.comment(text, "java")
    assert javadoc.count("*/") in (0, 1)
    assert not re.search(r"[<>@]|\\u", javadoc)
    assert all(
        line.startswith("//") for line in filters.comment(text, "go").splitlines()
    )
