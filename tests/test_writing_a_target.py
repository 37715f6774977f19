"""The targets and the view that docs/writing-a-target.md and its reference teach work as
they say."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT, Command, make_command, read_output

PAGE = "".join(
    (ROOT / f"docs/{name}.md").read_text("utf-8")
    for name in ("writing-a-target", "target-reference")
)
#: A file that a page shows, below its path.
FILE = re.compile(
    r"^`([\w./-]+)`[^\n]*:\n\n```\w+\n(.*?)^```$", re.DOTALL | re.MULTILINE
)


def write_files(page: str, folder: Path) -> None:
    """Write the files that a page shows, as its reader would."""
    for match in FILE.finditer(page):
        write_file(match, folder)


def write_file(match: re.Match[str], folder: Path) -> None:
    path = folder / match[1]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(match[2])


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Command:
    """The command in a folder where a reader wrote all files of the page.

    The package with the view is installed as pip would do it.
    """
    folder = tmp_path_factory.mktemp("reader")
    write_files(PAGE, folder)
    metadata = folder / "acme" / "acme_kubestencil-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Name: acme-kubestencil\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(
        "[kubestencil.views]\nsorted = acme_kubestencil.sorted_view\n"
    )
    run = make_command(folder)
    run.environment["PYTHONPATH"] += f":{folder / 'acme'}"
    return run


def generated(reader: Command, target: str) -> dict[str, str]:
    done = reader("render", "1.35", "-t", target, "--templates", "mine", "--overwrite")
    assert done.returncode == 0, done.stderr
    return {
        path.removeprefix(f"1.35/{target}/"): data.decode()
        for path, data in read_output(reader.folder / "generated").items()
        # A test that imports what was generated leaves compiled modules beside it.
        if path.startswith(f"1.35/{target}/") and "__pycache__" not in path
    }


def shown(title: str) -> str:
    """The block of the page that follows a text."""
    match = re.search(rf"{re.escape(title)}.*?\n```\w+\n(.*?)^```$", PAGE, re.S | re.M)
    assert match is not None
    return match[1]


def test_the_first_target_generates_the_files_shown(reader: Command) -> None:
    files = generated(reader, "kinds")
    assert files["batch/v1.txt"] == shown("`generated/1.35/kinds/batch/v1.txt` is:")
    assert files["core/v1.txt"].startswith(
        "Binding: apiVersion, kind, metadata, target"
    )


def test_the_complete_target_can_be_imported(reader: Command) -> None:
    files = generated(reader, "typed-dicts")
    modules = sorted(path for path in files if path.endswith("v1.py"))
    assert "k8s_dicts/resource_k8s_io/v1.py" in modules
    names = [path.removesuffix(".py").replace("/", ".") for path in modules]
    program = "".join(f"import {name}\n" for name in names) + (
        "from typing import get_type_hints\n"
        "from example import deployment, Deployment\n"
        "import k8s_dicts.apps.v1 as apps, k8s_dicts.meta.v1 as meta\n"
        "assert get_type_hints(Deployment)['spec'] is apps.DeploymentSpec\n"
        "assert meta.Quantity == int | float | str\n"
    )
    folder = reader.folder / "generated/1.35/typed-dicts"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.compiler
def test_a_type_checker_accepts_the_example_and_refuses_a_mistake(
    reader: Command,
) -> None:
    api = pytest.importorskip("mypy.api")
    generated(reader, "typed-dicts")
    folder = reader.folder / "generated/1.35/typed-dicts"
    example = folder / "example.py"
    arguments = ["--strict", "--no-incremental", f"--cache-dir={folder / 'cache'}"]
    config = folder / "mypy.ini"
    config.write_text(f"[mypy]\nmypy_path = {folder}\nexplicit_package_bases = true\n")
    arguments += [f"--config-file={config}"]
    output, _, status = api.run([*arguments, str(example)])
    assert status == 0, output
    wrong = folder / "wrong.py"
    wrong.write_text(example.read_text().replace('"image"', '"imagee"'))
    output, _, status = api.run([*arguments, str(wrong)])
    assert status == 1
    assert 'Extra key "imagee" for TypedDict "Container"' in output


def test_a_target_that_extends_another_has_its_files(reader: Command) -> None:
    inherited = generated(reader, "typescript")
    files = generated(reader, "typescript-lists")
    assert files.keys() - inherited.keys() >= {"batch/v1.txt"}
    assert inherited.keys() - files.keys() == {"README.md"}
    assert files["batch/v1.txt"] == "CronJob\nCronJobList\nJob\nJobList\n"
    assert any("Record<string, unknown>" in text for text in files.values())


def test_a_mistake_is_answered_as_shown(reader: Command) -> None:
    template = reader.folder / "mine/typed-dicts/module.py.j2"
    text = template.read_text()
    template.write_text(text.replace("{{ field.description |", "{{ field.descripton |"))
    done = reader("render", "1.35", "-t", "typed-dicts", "--templates", "mine")
    template.write_text(text)
    assert done.returncode == 1
    assert shown("This is the answer to `field.descripton`:") in done.stderr


def test_a_package_provides_a_view(reader: Command) -> None:
    lines = generated(reader, "order")["order.txt"].splitlines()
    assert lines.index("PodSpec") < lines.index("PodTemplateSpec")
    assert any(
        "JSONSchemaProps" in line and line.endswith(" (recursive)") for line in lines
    )


def test_a_view_of_a_package_is_documented(reader: Command) -> None:
    done = reader("targets", "order", "--templates", "mine")
    assert done.returncode == 0, done.stderr
    assert "cycles: tuple[Cycle, ...]" in done.stdout
    assert "`is_recursive` says whether any of them" in done.stdout


def test_the_entry_point_of_the_page_is_the_one_that_is_read() -> None:
    from kubestencil.targets import ENTRY_POINTS

    assert f'[project.entry-points."{ENTRY_POINTS}"]' in PAGE


def test_the_table_of_each_has_all_values_and_placeholders() -> None:
    from kubestencil.targets.model.view import EACH

    rows = re.findall(r"^\| `([\w-]+)` \| [^|]+ \|([^|]*)\|([^|]*)\|$", PAGE, re.M)
    rows = [row for row in rows if row[0] != "each"]
    assert [row[0] for row in rows] == list(EACH)
    for name, variable, placeholders in rows:
        assert set(re.findall(r"`(\w+)`", variable)) == (
            set(EACH[name].variables) - {"model", "types", "package_version"}
        )
        listed = set(re.findall(r"\{(\w+)\}", placeholders))
        if "the same" in placeholders:
            listed |= set(EACH["definition"].placeholders)
        assert listed == set(EACH[name].placeholders)


def test_the_format_of_a_report_is_one_of_the_command(reader: Command) -> None:
    arguments = ("diff", "1.34", "1.35", "--templates", "mine")
    printed = reader(*arguments, "--format", "tsv", "-q")
    assert printed.returncode == 0, printed.stderr
    rows = [line.split("\t") for line in printed.stdout.splitlines()]
    assert {len(row) for row in rows} == {4}
    assert {"breaking", "warning", "safe"} & {row[0] for row in rows}
    assert reader(*arguments, "-o", "changes.tsv").returncode == 0
    assert (reader.folder / "changes.tsv").read_text("utf-8") == printed.stdout
    assert (
        "groups: tuple[ChangeSection, ...]"
        in reader(*("targets", "tsv", "--templates", "mine")).stdout
    )


def test_a_built_in_target_gets_a_format_by_extending_it(
    reader: Command, tmp_path: Path
) -> None:
    folder = tmp_path / "diff"
    folder.mkdir()
    (folder / "target.toml").write_text(
        'extends = "diff"\n\n[[files]]\neach = "comparison"\nreport = "brief"\n'
        'template = "brief.txt.j2"\n\n[[files]]\neach = "comparison"\n'
        'report = "csv"\ntemplate = "brief.txt.j2"\n'
    )
    (folder / "brief.txt.j2").write_text("{{ headline }}\n")
    arguments = ("diff", "1.34", "1.35", "-q", "--templates", str(tmp_path), "-f")
    brief = reader(*arguments, "brief").stdout
    assert brief.startswith("2 API versions removed")
    assert reader(*arguments, "csv").stdout == brief
    assert reader(*arguments, "text").stdout.startswith("1.34 → 1.35: ")
