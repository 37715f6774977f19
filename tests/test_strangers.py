"""A repository of a stranger: whatever links, names, records and project files are in it,
commands that write change nothing but their output, least of all what Git runs."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from kubestencil.cli import cli, console
from kubestencil.output_paths import is_path
from tests.conftest import SMALL, Command, make_document

DOCUMENT = json.dumps(make_document(SMALL))
#: What a clone has before anybody has run anything, so that its digest is known.
KNOWN = {
    ".git/HEAD": "ref: refs/heads/main\n",
    ".git/hooks/post-checkout": "#!/bin/sh\n",
    "src/main.py": "print()\n",
    "gen/mine.txt": "print()\n",
    "gen/docs/HEAD": "ref: refs/heads/main\n",
    "generated/1.35/mine.txt": "print()\n",
    "bare/HEAD": "ref: refs/heads/main\n",
    "bare/config": "[core]\n",
    "bare/objects/x": "",
    "bare/refs/x": "",
    ".github/workflows/ci.yml": "on: push\n",
}
#: Beside the repository.
OUTSIDE = {"outside/secret.txt": "print()\n", "outside/HEAD": KNOWN[".git/HEAD"]}
OUTPUTS = (
    "gen", "gen/{release}", "a/gen", "bare/gen", ".git/hooks", "a/.GIT", "git~1",
    ".github/workflows", ".vscode", "g\u200cen", ".g\u200cit", ".husky", "src", ".",
    "../outside", "link", ".kubestencil", ".hg", "specs/gen", ".git./x",
)  # fmt: skip
LINKED = (
    "gen", "gen/docs", "gen/1.35", "gen/README.md", "a", "a/gen", "generated",
    "generated/1.35", "generated/1.35/markdown", "generated/1.35/markdown/docs", "link",
    ".kubestencil", ".kubestencil/gen.json", "kubestencil.lock", "report.md", "out",
    "out/1.35",
)  # fmt: skip
LINKS = (
    ".git", "../.git", "../../.git", "../../../.git", ".git/hooks", "../.git/hooks", "..",
    "../outside", "../../outside", "../../../outside", "src", "../src", ".", "bare",
    "../bare", ".git/HEAD", "../outside/secret.txt", "src/main.py", "itself",
)  # fmt: skip
RECORDS = (
    "gen", "gen/..", "gen/../..", "gen/.", "gen/x", "gen/1.35", "gen/diff", "1.35/markdown",
    "diff", "diff/..", "diff/x", "site", "generated/..", "gen/../.git", "gen/...", "a/gen",
)  # fmt: skip
CLAIMED = (
    ".git/HEAD", "HEAD", "../outside/secret.txt", "mine.txt", "docs/HEAD", "../.git/HEAD",
    "hooks/post-checkout", "src/main.py", "main.py", "secret.txt", "x/HEAD", "config",
    "GIT~1/HEAD", ".github/workflows/ci.yml", "workflows/ci.yml", "../src/main.py",
)  # fmt: skip
TARGETS = ("markdown", "diff")
COMMANDS: tuple[tuple[str, ...], ...] = (
    ("render",),
    ("render", "--prune", "--overwrite"),
    ("render", "--check"),
    ("--trust", "render", "--prune"),
    ("update", "--offline"),
    ("update", "--offline", "--summary", "report.md"),
    ("diff", "1.34", "1.35", "-o", "report.md"),
    ("render", "1.35", "-t", "markdown"),
    ("render", "1.34..1.35", "-t", "diff", "--overwrite", "--prune", "-o", "out"),
    ("render", "1.35", "-t", "markdown", "-o", "link/x"),
    ("render", "1.35", "-t", "markdown", "-o", ".git/hooks"),
)


@st.composite
def strangers(draw: st.DrawFn) -> dict[str, Any]:
    """What is in a repository besides ``KNOWN``."""
    claims = st.dictionaries(
        st.sampled_from(CLAIMED), st.sampled_from([*KNOWN.values(), ""]), max_size=4
    )
    some = st.sampled_from
    return {
        "output": draw(st.none() | some(OUTPUTS)),
        "target": draw(some(TARGETS)),
        "links": draw(st.dictionaries(some(LINKED), some(LINKS), max_size=3)),
        "records": draw(st.dictionaries(some(RECORDS), claims, max_size=3)),
        "inputs": draw(
            some([{}, {"1.35": ""}, {"..": "", "x": ""}, {"1.34": "0" * 64}])
        ),
        "is_bare": draw(st.booleans()),
        "git": draw(some(["folder", "file", "none"])),
        "commands": draw(st.lists(some(COMMANDS), min_size=1, max_size=3)),
    }


def write_files(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def make_repository(top: Path, stranger: Mapping[str, Any]) -> Path:
    folder = top / "clone"
    write_files(top, OUTSIDE)
    write_files(folder, KNOWN)
    for release in ("1.34", "1.35"):
        write_files(folder, {f"specs/{release}.json": DOCUMENT})
    (folder / ".git/objects").mkdir()
    (folder / ".git/refs").mkdir()
    if stranger["git"] == "file":
        (folder / ".git").rename(folder / "store")
        (folder / ".git").write_text("gitdir: store\n")
    elif stranger["git"] == "none":
        (folder / ".git").rename(folder / "store")
    if stranger["is_bare"]:
        write_files(folder, {"HEAD": KNOWN[".git/HEAD"], "objects/x": "", "refs/x": ""})
    if stranger["output"] is not None:
        write_files(
            folder,
            {
                "kubestencil.toml": f'[[generate]]\ntarget = ["{stranger["target"]}"]\n'
                'releases = ["1.34..1.35"]\nspecs = "specs"\n'
                f'output = "{stranger["output"]}"\n'
            },
        )
    for out in (".", "generated", "out"):
        for name, claims in stranger["records"].items():
            files = {
                path: [hashlib.sha256(text.encode()).hexdigest(), 0, 0]
                for path, text in claims.items()
            }
            raw = {
                "format": 1,
                "fingerprints": ["", "", stranger["inputs"]],
                "files": files,
                "pending": {path: state[0] for path, state in files.items()},
            }
            # As a file system has it that keeps the dots: ".." + ".json".
            parent, _, last = name.rpartition("/")
            path = folder / out / ".kubestencil" / parent / f"{last}.json"
            with contextlib.suppress(OSError):
                write_files(path.parent, {path.name: json.dumps(raw)})
    for name, target in stranger["links"].items():
        path = folder / name
        with contextlib.suppress(OSError):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            path.unlink(missing_ok=True)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.symlink_to(path.name if target == "itself" else target)
    return folder


def snapshot(top: Path) -> dict[str, bytes | str]:
    """The bytes of each file below a folder, and where each link leads."""
    found: dict[str, bytes | str] = {}
    for parent, folders, files in os.walk(top):
        for path in (Path(parent, name) for name in folders + files):
            name = path.relative_to(top).as_posix()
            if path.is_symlink():
                found[name] = str(path.readlink())
            elif path.is_file():
                found[name] = path.read_bytes()
    return found


def run_in(folder: Path, cache: Path, *arguments: str) -> str:
    """Run a command in this process; its messages."""
    messages = io.StringIO()
    with (
        pytest.MonkeyPatch.context() as patch,
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(messages),
    ):
        patch.chdir(folder)
        patch.setenv("XDG_CACHE_HOME", str(cache))
        patch.delenv("KUBESTENCIL_SPECS", raising=False)

        def call() -> int:
            more = () if arguments[0] == "diff" else ("-j", "1")
            cli.main([*arguments, *more], "kubestencil", standalone_mode=False)
            return 0

        console.exit_code(call)
    return messages.getvalue()


def may_change(
    path: str, stranger: Mapping[str, Any], arguments: tuple[str, ...]
) -> bool:
    """Whether a file of the repository is what a command is asked to write."""
    if path == "report.md":
        return "report.md" in arguments
    if "-o" in arguments or "1.35" in arguments:
        out = arguments[arguments.index("-o") + 1] if "-o" in arguments else "generated"
        return path.startswith(
            (f"{out}/1.35/markdown/", f"{out}/diff/", f"{out}/.kube")
        )
    output = stranger["output"]
    folders = (f"{output}/", ".kubestencil/", "kubestencil.lock")
    return output is not None and path.startswith(
        tuple(
            folder.replace("{release}", release)
            for folder in folders
            for release in ("1.34", "1.35")
        )
    )


LINKED_OUT = {
    "output": "gen", "target": "markdown", "links": {"gen": ".git"}, "inputs": {},
    "records": {"gen": {"HEAD": KNOWN[".git/HEAD"]}}, "is_bare": False, "git": "folder",
    "commands": [("render",)],
}  # fmt: skip
DOTS = {
    "output": "gen", "target": "diff", "links": {}, "inputs": {}, "is_bare": False,
    "records": {"gen/..": {".git/HEAD": KNOWN[".git/HEAD"], "src/main.py": "print()\n"}},
    "git": "folder", "commands": [("render",)],
}  # fmt: skip


@pytest.mark.nightly
@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@example(LINKED_OUT)
@example({**LINKED_OUT, "links": {}, "is_bare": True})
@example({**LINKED_OUT, "links": {"generated": ".git"}, "commands": [COMMANDS[7]]})
@example({**LINKED_OUT, "links": {"out/1.35": "../../.git"}, "commands": [COMMANDS[8]]})
@example(DOTS)
@example({**DOTS, "inputs": {"..": ""}})
@example({**DOTS, "git": "none", "records": {"gen": {"../src/main.py": "print()\n"}}})
@given(strangers())
def test_a_strangers_repository_changes_nothing_but_the_output(
    tmp_path_factory: pytest.TempPathFactory, stranger: Mapping[str, Any]
) -> None:
    top = tmp_path_factory.mktemp("top")
    folder = make_repository(top, stranger)
    for arguments in stranger["commands"]:
        if stranger["output"] is None and not {"1.35", "1.34..1.35"} & {*arguments}:
            continue  # It would generate all targets.
        before = snapshot(top)
        messages = run_in(folder, top.parent / "cache", *arguments)
        assert "Traceback" not in messages, messages
        after = snapshot(top)
        for path in before.keys() | after.keys():
            if before.get(path) == after.get(path):
                continue
            inside = path.removeprefix("clone/")
            assert path != inside, (path, arguments, messages)
            assert may_change(inside, stranger, arguments), (path, arguments, messages)
            assert "--check" not in arguments, (path, arguments, messages)
            # Not even there: of others, of Git, and what tools run.
            assert inside not in KNOWN, (path, arguments, messages)
            own = inside.replace(".kubestencil/", "")
            assert is_path(own) and not own.startswith((".git", ".husky", ".vscode"))
    shutil.rmtree(top)


_MODULES = ("multiprocessing", "pickle", "selectors", "tomllib", "click", "evil")
_START = """
from functools import partial
from kubestencil.server import run_in_subprocess
if __name__ == "__main__":
    run_in_subprocess(partial(print, "done", flush=True))
"""


@pytest.fixture
def hostile(run: Command) -> Command:
    """The command in a folder with modules in the place of those of Python, and with a
    package that registers a target and a view."""
    folder = run.folder / "clone"
    code = f"open({str(run.folder / 'owned')!r}, 'w'); raise SystemExit"
    write_files(folder, {f"{name}.py": code for name in _MODULES})
    write_files(
        folder,
        {
            "evil-1.0.dist-info/METADATA": "Name: evil\nVersion: 1.0\n",
            "evil-1.0.dist-info/entry_points.txt": "[kubestencil.targets]\nevil = evils\n"
            "[kubestencil.views]\nevil = evil\n",
            "evils/__init__.py": code,
            "evils/filters.py": code,
            "templates/filters.py": code,
            "specs/1.35.json": DOCUMENT,
        },
    )
    return Command(folder, run.environment)


def test_a_strangers_folder_brings_no_modules_and_no_targets(hostile: Command) -> None:
    done = hostile("targets")
    assert done.returncode == 0, done.stderr
    assert "evil" not in done.stdout
    for view in ("evil", "model"):
        text = f'about = "a"\nview = "{view}"\n[[files]]\neach = "kind"\npath = "a"\n'
        write_files(hostile.folder, {"templates/evil/target.toml": text})
        text = '[[generate]]\ntarget = ["evil"]\noutput = "a"\nreleases = ["1.35"]\n{}'
        for more in ("", 'templates = "templates"\n'):
            write_files(hostile.folder, {"kubestencil.toml": text.format(more)})
            assert hostile("render").returncode == 2
    assert not (hostile.folder.parent / "owned").exists()


def test_processes_import_nothing_from_a_strangers_folder(hostile: Command) -> None:
    script = hostile.folder.parent / "program" / "start.py"
    write_files(script.parent, {script.name: _START})
    done = subprocess.run(
        [sys.executable, script],
        cwd=hostile.folder,
        env=hostile.environment,
        capture_output=True,
        text=True,
    )
    assert not (hostile.folder.parent / "owned").exists(), done.stderr
    assert done.stdout == "done\n"
