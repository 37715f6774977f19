"""The commands of the documentation, run in the order of its pages in one folder.

A comment before a block says what is different about it: ``not run: REASON``,
``nightly: REASON`` for what is slow or needs a program, and ``exits 1`` where a command
finds something, also at the end of a reason. A block of text that follows shows lines of the output; numbers in it
are about right. What a reader brings is in ``FILES``.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.conftest import ROOT, Command
from tests.test_docs import _LINK, page_id
from tests.test_writing_a_target import FILE, write_file

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec: {containers: [{name: web, image: "nginx:1.29"}]}
"""


def widgets(*fields: str, versions: tuple[str, ...] = ("v1",)) -> str:
    """A CustomResourceDefinition with text fields in its spec."""
    properties = ", ".join(f"{field}: {{type: string}}" for field in fields)
    served = "".join(
        f"    - name: {version}\n      served: true\n      storage: {storage}\n"
        "      schema: {openAPIV3Schema: {type: object, properties: "
        f"{{spec: {{type: object, properties: {{{properties}}}}}}}}}}}\n"
        for version, storage in zip(versions, ("true", "false", "false"), strict=False)
    )
    return (
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
        "metadata: {name: widgets.example.com}\nspec:\n  group: example.com\n"
        "  names: {kind: Widget, plural: widgets}\n  scope: Namespaced\n"
        f"  versions:\n{served}"
    )


FILES = {
    "manifests/pod.yaml": POD,
    "crds/widgets.yaml": widgets("size"),
    "crds.yaml": widgets("size", versions=("v1", "v1beta1")),
    **dict.fromkeys(
        (
            "operator-1.yaml",
            "crds-old/widgets.yaml",
            "old.yaml",
            "versions/v1.0.0.yaml",
        ),
        widgets("size"),
    ),
    **dict.fromkeys(
        (
            "operator-2.yaml",
            "crds-new/widgets.yaml",
            "new.yaml",
            "versions/v1.1.0.yaml",
        ),
        widgets("size", "color"),
    ),
}

_BLOCK = re.compile(
    r"^(?:<!-- (?P<note>not run: [^\n]+|nightly: [^\n]+|exits 1) -->\n)?"
    r"```sh\n(?P<commands>.*?)^```$(?:\n\n```text\n(?P<output>.*?)^```$)?",
    re.DOTALL | re.MULTILINE,
)
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_SHELL = re.compile(r"[|<>&$;]")


class Block(NamedTuple):
    """Commands of a page, what is said of them, and lines that the last one prints."""

    note: str
    commands: list[str]
    output: list[str]


def pages() -> Iterator[Path]:
    """The README and the pages for users, in the order of the index, each target's after
    the page on targets."""
    index = ROOT / "docs/README.md"
    users = index.read_text("utf-8").partition("For maintainers:")[0]
    yield ROOT / "README.md"
    for link in _LINK.findall(users):
        if link.endswith(".md"):
            yield index.parent / link
        if link == "targets.md":
            yield from sorted((index.parent / "targets").glob("*.md"))


def steps(page: Path) -> Iterator[re.Match[str] | Block]:
    """The files that a page shows and its blocks of commands, in their order."""
    text = page.read_text("utf-8")
    found: dict[int, re.Match[str] | Block] = {
        **{match.start(): match for match in FILE.finditer(text)},
        **{match.start(): _block(match) for match in _BLOCK.finditer(text)},
    }
    for position in sorted(found):
        yield found[position]


def _block(match: re.Match[str]) -> Block:
    lines = match["commands"].replace("\\\n", " ").splitlines()
    return Block(match["note"] or "", lines, (match["output"] or "").splitlines())


@pytest.mark.parametrize("page", list(pages()), ids=page_id)
def test_a_block_that_is_not_run_says_why(page: Path) -> None:
    """A misspelt note would be none."""
    text = page.read_text("utf-8")
    comments = re.findall(
        r"^<!-- ((?:not|nightly|exits).*) -->\n```sh$", text, re.MULTILINE
    )
    notes = [step.note for step in steps(page) if isinstance(step, Block) and step.note]
    assert comments == notes


@pytest.mark.nightly
def test_commands_of_all_pages_work_one_after_the_other(run: Command) -> None:
    """Those that need a program are run where it is there."""
    for path, text in FILES.items():
        (run.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (run.folder / path).write_text(text)
    folder = run.folder / ".venv/bin"
    folder.mkdir(parents=True)
    program = folder / "kubestencil"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m kubestencil "$@"\n')
    program.chmod(0o755)
    run.environment["PATH"] = f"{folder}:{run.environment['PATH']}"
    # Those that are built already need no second build.
    built = os.environ.get("KUBESTENCIL_BUILT_VALIDATORS")
    run.environment["KUBESTENCIL_VALIDATORS"] = built or str(run.folder / "validators")
    for page in pages():
        for step in steps(page):
            if not isinstance(step, Block):
                write_file(step, run.folder)
            elif is_run(step):
                run_block(run, page_id(page), step)


def is_run(block: Block) -> bool:
    """Whether the commands of a block are run, and the program is there that it needs."""
    kind, _, reason = block.note.partition(": ")
    if kind == "nightly":
        needed = re.match(r"needs (\w+)", reason)
        return not needed or bool(shutil.which(needed[1].lower()))
    return kind != "not run"


def run_block(run: Command, page: str, block: Block) -> None:
    """Run the commands of a block, and compare what the last one prints."""
    codes = set()
    printed = ""
    for command in block.commands:
        words = shlex.split(command, comments=True)
        if not words:
            continue
        # Those that may take minutes, such as a build, have no limit of time.
        is_quick = not block.note.startswith("nightly")
        is_ours = words[0].endswith("kubestencil")
        if is_ours and is_quick and not _SHELL.search(" ".join(words)):
            done = run(*words[1:])
        else:
            done = subprocess.run(
                ["bash", "-c", command],
                cwd=run.folder,
                env=run.environment,
                capture_output=True,
                text=True,
            )
        codes.add(done.returncode)
        printed = done.stdout
        expected = {0, 1} if block.note.endswith("exits 1") else {0}
        assert done.returncode in expected, f"{page}: {command}\n{done.stderr}"
    assert not block.note.endswith("exits 1") or 1 in codes, f"{page}: {block.commands}"
    lines = printed.splitlines()
    for line in block.output:
        assert any(
            is_about(line, other) for other in lines
        ), f"{page}: {line}\n{printed}"


def is_about(line: str, other: str) -> bool:
    """Whether two lines are equal but for numbers that differ by less than a tenth."""
    if _NUMBER.sub("#", line) != _NUMBER.sub("#", other):
        return False
    pairs = zip(_numbers(line), _numbers(other), strict=True)
    return all(abs(one - two) <= max(one, two) / 10 for one, two in pairs)


def _numbers(line: str) -> list[float]:
    return [float(text) for text in re.findall(r"\d+(?:\.\d+)?", line.replace(",", ""))]


def test_numbers_of_shown_output_may_differ_a_little() -> None:
    assert is_about("python: 733 files, 1.6 MB", "python: 760 files, 1.7 MB")
    assert not is_about("python: 733 files", "python: 933 files")
    assert not is_about("python: 733 files", "python: 733 pages")
