"""Text of manifests is text in the reports of ``kubestencil check``: with hostile texts
they have the elements that they have with harmless ones."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner
from markdown_it import MarkdownIt

from kubestencil.checking.files.placeholders import has_placeholder, is_template
from kubestencil.checking.findings import MAX_FINDINGS
from kubestencil.cli import cli
from tests.conftest import rest_nightly
from tests.hostile.printed import Elements
from tests.hostile.texts import Texts

#: Names of files: what may be in one, and leaves it in the folder.
_NOT_IN_NAMES = re.compile("[/\0]")


def objects(texts: list[str]) -> list[Any]:
    """Objects of which findings quote the texts: names, values and keys of fields, kinds
    without a schema, a value that is not in an enum."""
    first, second, third = texts
    return [
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": first, "namespace": second, "labels": {third: 1}},
            "spec": {
                "restartPolicy": second,
                "containers": [{"name": third, f"a{first}": 1, "image": [second]}],
                f"b{third}": {"a": first},
            },
        },
        {"apiVersion": "x.io/v1", "kind": f"K{second}", "metadata": {"name": third}},
        {"apiVersion": f"x{third}/v1", "kind": "Pod", "metadata": {"name": first}},
        {"apiVersion": "v1", "kind": "Pods", "metadata": {"name": second}},
    ]


def report(folder: Path, texts: list[str], format_name: str) -> str:
    """A report on objects with the texts, in a file with a text in its name."""
    folder.mkdir(exist_ok=True)
    source = " ".join(texts[0].splitlines())
    documents = [f"# Source: {source}\n{_line(item)}" for item in objects(texts)]
    name = _NOT_IN_NAMES.sub("-", f"f{texts[1]}"[:60])
    (folder / f"{name}.yaml").write_text("\n---\n".join(documents), "utf-8")
    with pytest.MonkeyPatch.context() as context:
        context.chdir(folder)
        result = CliRunner().invoke(
            cli,
            ["check", ".", "--from", "1.34", "--to", "1.35", "-q", "-f", format_name],
        )
    assert result.exit_code == 1, result.output
    return result.stdout


def _line(item: Any) -> str:
    """An object as JSON that YAML reads, whose keys cannot have line breaks."""
    text = json.dumps(item, ensure_ascii=False)
    return re.sub("[\x85\u2028\u2029]", lambda match: f"\\u{ord(match[0]):04x}", text)


def harmless(texts: list[str]) -> list[str]:
    """Other texts, that are equal where the texts are, empty where they are, no names
    either, and like a domain where they are, as groups of custom resources are."""
    return [
        text and f"Text {texts.index(text)}{'.' if '.' in text else ''}"
        for text in texts
    ]


# Values with placeholders are left out of a check, and controls are no YAML.
TEXTS = [
    text
    for text in Texts(random.Random(1)).pool
    if not has_placeholder(text)
    and not is_template(text)
    and not re.search("[\0-\x08\x0e-\x1f\ud800]", text)
]


def _triples(count: int) -> list[list[str]]:
    """Lists of three texts: all of TEXTS are in some, others are random."""
    source = random.Random(18)
    alphabet = "<>&'\"`|[]()*_!#~:\u2028\u202eax \n"
    triples = [
        ["".join(source.choices(alphabet, k=source.randrange(20))) for _ in range(3)]
        for _ in range(count)
    ]
    for index, text in enumerate(TEXTS):
        triples[index % count][index % 3] += text
    return triples


@pytest.mark.parametrize("texts", rest_nightly(_triples(8)), ids=repr)
def test_reports_have_the_elements_of_those_on_harmless_text(
    texts: list[str], tmp_path: Path
) -> None:
    folders = ((tmp_path / "hostile", texts), (tmp_path / "plain", harmless(texts)))
    for format_name, elements in (
        ("html", _elements),
        ("markdown", _blocks),
        ("junit", _tags),
    ):
        hostile, plain = (
            elements(report(folder, used, format_name)) for folder, used in folders
        )
        assert hostile == plain
        assert len(plain) > 12


def _elements(page: str) -> list[tuple[str, tuple[str, ...]]]:
    elements = Elements(page)
    assert elements.problems == []
    return elements.elements


def _blocks(text: str) -> list[tuple[str, ...]]:
    """The kinds of blocks of a Markdown text, and of what is in them but for text."""
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(text)
    return [
        (
            token.type,
            token.tag,
            *(
                child.type
                for child in token.children or ()
                if child.type not in ("text", "text_special", "softbreak")
            ),
        )
        for token in tokens
    ]


def _tags(text: str) -> list[tuple[str, ...]]:
    return [
        (element.tag, *sorted(element.attrib))
        for element in ElementTree.fromstring(text).iter()
    ]


_CONTROLS = re.compile(
    "[\0-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]"
)


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are bytes on Linux")
@pytest.mark.parametrize(
    "format_name", ["text", "json", "sarif", "junit", "github", "markdown", "html"]
)
def test_names_of_files_have_no_control_characters_in_reports(
    format_name: str, tmp_path: Path
) -> None:
    """Escape sequences, line breaks, other directions, and bytes that are no UTF-8."""
    names = [b"a\x1b]0;x\x07", b"b\n::error::x", b"c\xff", "d\u202e\u061c".encode()]
    for name in names:
        path = os.fsencode(tmp_path) + b"/" + name + b".yaml"
        Path(os.fsdecode(path)).write_text(_line(objects(["x", "y", "z"])[0]))
    arguments = ["check", str(tmp_path), "--to", "1.35", "-q", "-f", format_name]
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == 1, result.output
    assert not _CONTROLS.search(result.stdout)
    assert not re.search("^ *::error::", result.stdout, re.MULTILINE)
    assert re.search(r"c(\\|&#92;|%5C)+xff\.yaml", result.stdout)
    if format_name in ("json", "sarif"):
        assert len(json.dumps(json.loads(result.stdout))) > 1000


def test_a_deep_folder_is_checked(tmp_path: Path) -> None:
    """Deeper than calls of functions may be nested."""
    folder = os.open(tmp_path, os.O_RDONLY)
    for _ in range(1_200):
        os.mkdir("d", dir_fd=folder)
        inner = os.open("d", os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = inner
    file = os.open("a.yaml", os.O_CREAT | os.O_WRONLY, dir_fd=folder)
    os.write(file, _line(objects(["x", "y", "z"])[0]).encode())
    os.close(file)
    os.close(folder)
    result = CliRunner().invoke(cli, ["check", str(tmp_path), "--to", "1.35", "-q"])
    # shutil.rmtree, by which pytest removes it, nests calls.
    subprocess.run(["rm", "-r", tmp_path / "d"], check=True)
    assert result.exit_code == 1
    assert f"{'/d' * 1_200}/a.yaml" in result.stdout


def check_file(folder: Path, *arguments: str) -> Any:
    """The report in JSON on all files of a folder, and the exit code of the command."""
    result = CliRunner().invoke(
        cli, ["check", str(folder), "--to", "1.35", "-q", "-f", "json", *arguments]
    )
    return json.loads(result.stdout), result.exit_code


def test_findings_of_a_file_are_limited_and_the_most_severe_are_kept(
    tmp_path: Path,
) -> None:
    comments = "# kubestencil: ignore syntax because\n" * 3000
    manifest = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
    (tmp_path / "a.yaml").write_text(f"{manifest}{comments}wrong: 1\n")
    (tmp_path / "b.yaml").write_text(f"{manifest}wrong: 1\n")
    (tmp_path / "baseline.txt").write_text("")
    report, code = check_file(tmp_path)
    assert [item["rule"] for item in report["findings"]].count("unknown-field") == 2
    assert len(report["findings"]) == MAX_FINDINGS + 1
    assert list(report["ignored"].values()) == [2001]
    assert code == 1


@pytest.mark.parametrize("format_name", ["text", "json", "sarif", "markdown", "html"])
def test_lines_on_what_was_not_checked_are_limited(
    tmp_path: Path, format_name: str
) -> None:
    kinds = (f"apiVersion: x.io/v1\nkind: K{i}\n" for i in range(MAX_FINDINGS + 500))
    (tmp_path / "a.yaml").write_text("---\n".join(kinds))
    arguments = ["--to", "1.35", "-q", "--show-skipped", "--allow-empty"]
    result = CliRunner().invoke(
        cli, ["check", str(tmp_path), *arguments, "-f", format_name]
    )
    assert result.exit_code == 0
    assert "500" in result.stdout
    assert f"K{MAX_FINDINGS - 600}" in result.stdout
    assert result.stdout.count("x.io/v1") <= 2 * MAX_FINDINGS + 1
    if format_name == "json":
        report = json.loads(result.stdout)
        assert len(report["notChecked"]) == len(report["skipped"]) == MAX_FINDINGS + 1
        assert report["skipped"][-1]["count"] == 500


def test_what_a_baseline_has_does_not_count_for_the_limit(tmp_path: Path) -> None:
    fields = "".join(f"wrong{i}: 1\n" for i in range(MAX_FINDINGS))
    manifest = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
    (tmp_path / "a.yaml").write_text(f"{manifest}{fields}")
    report, _ = check_file(tmp_path)
    baseline = tmp_path / "baseline.txt"
    baseline.write_text(json.dumps(report))
    (tmp_path / "a.yaml").write_text(f"{manifest}{fields}new: 1\n")
    report, code = check_file(tmp_path, "--baseline", str(baseline))
    assert [item["path"] for item in report["findings"]] == ["new"]
    assert code == 1


@pytest.mark.parametrize("format_name", ["text", "json", "sarif", "html", "github"])
def test_long_texts_of_a_manifest_are_cut(tmp_path: Path, format_name: str) -> None:
    long = "x" * 200_000
    source = report(tmp_path / "a", [long, f"{long}y", f"{long}z"], format_name)
    assert "xxx" in source
    assert len(source) < 200_000
