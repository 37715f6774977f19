"""Files are moved into place all or not at all, whatever happens to the run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from kubestencil.build import commit, tree
from kubestencil.build.record import Fingerprints
from kubestencil.build.tree import TreeChange
from kubestencil.errors import KubestencilError, OutputError
from tests.conftest import ROOT, read_output

if not hasattr(os, "fork"):
    pytest.skip("needs os.fork", allow_module_level=True)

_PATHS = [f"{index}" for index in range(20)]
# Kills a run when it moves its first file.
_KILLED_RUN = """
import os, signal, sys
from pathlib import Path
from kubestencil.build import tree
from tests.test_commit import write

run, replace, moved = os.getpid(), os.replace, []

def kill_and_replace(source, target):
    if not moved:
        os.{kill}({process}, signal.SIGKILL)
    moved.append(target)
    replace(source, target)

tree.os.replace = kill_and_replace
write(Path(sys.argv[1]), b"new")
print("done")
"""


def changes(out: Path, staging: Path, data: bytes) -> list[TreeChange]:
    return [
        tree.stage(
            out,
            name,
            Fingerprints(data.decode()),
            ((path, data) for path in _PATHS),
            staging,
            overwrite=False,
        )
        for name in ("1.0/a", "1.1/a")
    ]


def write(out: Path, data: bytes) -> None:
    """Two trees with files that all have the same bytes."""
    with tree.staging_folder(out) as staging, commit.committing(out) as apply:
        apply(changes(out, staging, data))


def killed_run(out: Path, kill: str, process: str) -> subprocess.CompletedProcess[str]:
    code = _KILLED_RUN.format(kill=kill, process=process)
    return subprocess.run(
        [sys.executable, "-c", code, str(out)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        cwd=ROOT,
        # The end of the output is that of all processes.
        capture_output=True,
        text=True,
        timeout=60,
        start_new_session=True,
    )


@pytest.mark.parametrize("kill", ["kill", "killpg"])
def test_a_run_killed_between_two_renames_leaves_all_files_new(
    tmp_path: Path, kill: str
) -> None:
    write(tmp_path, b"old")
    done = killed_run(tmp_path, kill, "run")
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGKILL, "", "")
    assert set(read_output(tmp_path).values()) == {b"new"}
    with tree.staging_folder(tmp_path) as staging:
        assert not any(change.staged for change in changes(tmp_path, staging, b"new"))


def test_the_next_run_repairs_what_a_killed_process_left(tmp_path: Path) -> None:
    write(tmp_path, b"old")
    done = killed_run(tmp_path, "kill", "os.getpid()")
    assert done.returncode == 1
    assert "moves files into place was killed" in done.stderr
    assert set(read_output(tmp_path).values()) == {b"old"}
    write(tmp_path, b"new")
    assert set(read_output(tmp_path).values()) == {b"new"}


def test_a_run_that_fails_before_moves_nothing(tmp_path: Path) -> None:
    write(tmp_path, b"old")
    with (
        pytest.raises(ZeroDivisionError),
        tree.staging_folder(tmp_path) as staging,
        commit.committing(tmp_path),
    ):
        changes(tmp_path, staging, b"new")
        raise ZeroDivisionError
    assert set(read_output(tmp_path).values()) == {b"old"}


def test_errors_are_those_of_the_run(tmp_path: Path) -> None:
    with (
        tree.staging_folder(tmp_path) as staging,
        commit.committing(tmp_path) as apply,
    ):
        prepared = changes(tmp_path, staging, b"new")
        (tmp_path / "1.0").write_text("a file in the place of the folder")
        with pytest.raises(OutputError, match="cannot be written"):
            apply(prepared)


def test_without_fork_the_run_moves_the_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "fork")
    write(tmp_path, b"new")
    assert set(read_output(tmp_path).values()) == {b"new"}


def test_a_message_that_is_cut_is_an_error(tmp_path: Path) -> None:
    cut = tmp_path / "message"
    cut.write_bytes(b"\x80")
    with cut.open("rb") as reader:
        assert isinstance(commit._received(reader), KubestencilError)
