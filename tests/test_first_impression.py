"""What a first user meets: what a run without options writes and says, names of releases,
exit codes, the pager."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from kubestencil import load
from kubestencil.cli import console
from kubestencil.engine import load_targets
from kubestencil.errors import UsageError
from kubestencil.schema.lookup import find_types
from kubestencil.source.releases import available_release, expand_ranges, newest_release
from tests.conftest import RELEASES, SMALL, Command, make_document

MODELS = {"markdown-v5", "python"}
OTHERS = {name for name, target in load_targets(None).items() if target.newest_only}


@pytest.fixture
def small_releases(run: Command) -> None:
    (run.folder / "specs").mkdir()
    for release in ("1.34", "1.35"):
        document = json.dumps(make_document(SMALL))
        (run.folder / "specs" / f"{release}.json").write_text(document)


@pytest.mark.nightly
def test_older_releases_have_the_targets_that_people_compare(
    run: Command, small_releases: None
) -> None:
    done = run("render", "1.34", "1.35")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "open generated/site/index.html"
    out = run.folder / "generated"
    assert {path.name for path in (out / "1.34").iterdir()} == MODELS
    assert {path.name for path in (out / "1.35").iterdir()} == MODELS | OTHERS
    assert run("render", "1.34", "1.35", "--all").returncode == 0
    assert {path.name for path in (out / "1.34").iterdir()} == MODELS | OTHERS
    # What --all generated stays, and is no longer of concern.
    assert run("render", "1.34", "1.35", "--check").returncode == 0
    assert (out / "1.34" / "rust").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--to", "latest"),
        ("--to", f"v{newest_release()}.0"),
        ("--from", "latest-1"),
    ],
)
def test_manifests_are_checked_against_the_newest_release(
    run: Command, arguments: tuple[str, ...]
) -> None:
    (run.folder / "pod.yaml").write_text(
        "apiVersion: v1\nkind: Pod\nspec: {nodeNam: a}\n"
    )
    done = run("check", "pod.yaml", "--exact", "off", "-f", "json", *arguments)
    assert json.loads(done.stdout)["to"] == newest_release()
    assert ("checked against" in done.stderr) == ("--to" not in arguments)


def test_a_target_without_a_page_to_open_says_where_its_files_are(
    run: Command, small: Path
) -> None:
    folder = run.folder / "mine/names"
    folder.mkdir(parents=True)
    (folder / "target.toml").write_text(
        'about = "Names"\nview = "model"\n'
        '[[files]]\neach = "release"\npath = "a.txt"\ntemplate = "a.j2"\n'
    )
    (folder / "a.j2").write_text("{{ model.name }}\n")
    arguments = ("x", "--spec", str(small), "-t", "names", "--templates", "mine")
    done = run("render", *arguments)
    assert done.stdout.splitlines()[-1] == "open generated/x/names", done.stderr


@pytest.mark.nightly
def test_the_first_command_is_bounded_and_says_how_much_it_writes(run: Command) -> None:
    done = run("render")
    assert done.returncode == 0, done.stderr
    announced = re.search(r"generating about ([\d,]+) files, (\d+) MB", done.stderr)
    assert announced
    files = [path for path in (run.folder / "generated").rglob("*") if path.is_file()]
    megabytes = sum(path.stat().st_size for path in files) / 1e6
    assert len(files) <= 12_000
    assert megabytes <= 120
    assert int(announced[1].replace(",", "")) == pytest.approx(len(files), rel=0.2)
    assert int(announced[2]) == pytest.approx(megabytes, rel=0.2)
    assert "--all" in done.stdout.splitlines()[-1]
    assert (run.folder / done.stdout.splitlines()[-2].removeprefix("open ")).is_file()


@pytest.mark.parametrize("text", ["1.35", "v1.35", "1.35.0", "v1.35.0"])
def test_a_release_is_found_by_the_names_that_people_give_it(text: str) -> None:
    assert available_release(text, RELEASES) == "1.35"


def test_latest_counts_back_from_the_newest_supported_release() -> None:
    assert expand_ranges(["latest"], RELEASES) == [newest_release()]
    assert expand_ranges(["latest-2.."], RELEASES) == list(RELEASES[-3:])
    for text in ("latest-99", "latest-", "1.35.2.3", "1.99.1"):
        with pytest.raises(UsageError, match="unknown release"):
            expand_ranges([text], RELEASES)


def test_documents_are_named_with_verbose_only(
    run: Command, small_releases: None
) -> None:
    for command in (
        ("render", "1.35", "-t", "markdown"),
        ("diff", "1.34", "1.35"),
        ("history", "Pod", "--releases", "1.34..1.35"),
    ):
        plain, verbose = run(*command), run(*command, "-v")
        assert plain.returncode == verbose.returncode == 0, plain.stderr
        assert "sha256" not in plain.stderr
        assert re.search(
            r"1\.35: specs/1\.35\.json, sha256 [0-9a-f]{64}", verbose.stderr
        )


@pytest.mark.parametrize(
    "arguments",
    [
        ("render", "1.35", "--crds", "missing.yaml"),
        ("releases", "--spec-dir", "missing"),
        ("history", "Pod", "a=missing"),
        ("check", "missing", "--to", "1.35"),
        ("check", ".", "--to", "1.35", "--config", "missing"),
        ("check", ".", "--to", "1.35", "--crds", "missing"),
    ],
    ids=" ".join,
)
def test_a_wrong_path_is_wrong_usage(run: Command, arguments: tuple[str, ...]) -> None:
    (run.folder / "pod.yaml").write_text("apiVersion: v1\nkind: Pod\n")
    done = run(*arguments)
    assert done.returncode == 2
    assert "missing" in done.stderr


@pytest.mark.parametrize(
    ("words", "incomplete", "expected"),
    [
        ("render --kind", "deploy", "plain,Deployment"),
        ("render --set", "python.", "plain,python.package="),
        ("diff", "1.3", "plain,1.35"),
        ("history", "dep", "plain,Deployment"),
        ("diff 1.34 1.35 --kind", "dep", "plain,Deployment"),
    ],
)
def test_the_shell_completes_kinds_and_options(
    run: Command, words: str, incomplete: str, expected: str
) -> None:
    line = f"kubestencil {words} {incomplete}"
    run.environment |= {
        "_KUBESTENCIL_COMPLETE": "bash_complete",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(line.split()) - 1),
    }
    assert expected in run().stdout.splitlines()


def test_a_patch_says_which_document_stands_for_it(run: Command) -> None:
    done = run("history", "Binding", "--releases", "1.35.2")
    assert "the embedded spec is that of 1.35.0" in done.stderr
    assert "embedded" not in run("history", "Binding", "--releases", "1.35.0").stderr


def test_a_kind_that_an_option_leaves_out_is_said_to_be_so() -> None:
    release = load("1.35", kinds=["Binding"])
    with pytest.raises(UsageError, match="left out: --kind or --group"):
        find_types([release], "pod")
    with pytest.raises(UsageError, match="no kind or type called"):
        find_types([release], "pot")


def test_progress_is_said_now_and_then_outside_of_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(console, "_PAUSE", 0)
    for quiet in (False, True):
        with console.ProgressBar("reading", quiet) as bar:
            bar.jobs(1, 1200, "site/1.35")
    assert capsys.readouterr().err == "1 of 1,200: site/1.35\n"


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
@pytest.mark.parametrize("arguments", ["diff 1.34 1.35", "targets go"])
def test_a_long_text_goes_through_the_pager_of_a_terminal(
    run: Command, arguments: str
) -> None:
    controller, terminal = pty.openpty()
    environment = {**run.environment, "PAGER": "wc -l", "LINES": "24", "TERM": "xterm"}
    command = (sys.executable, "-m", "kubestencil", *arguments.split())
    process = subprocess.Popen(
        command,
        cwd=run.folder,
        env=environment,
        stdin=terminal,
        stdout=terminal,
        stderr=subprocess.DEVNULL,
    )
    os.close(terminal)
    shown = b""
    while chunk := _read(controller):
        shown += chunk
    assert process.wait(60) == 0
    os.close(controller)
    assert int(shown) > 100


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:  # The other end is closed.
        return b""
