"""Runs commands of kubestencil in this process, and watches what they do."""

from __future__ import annotations

import contextlib
import io
import os
import resource
import sys
import time
import traceback
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from kubestencil.build import record
from kubestencil.cli import cli, console
from kubestencil.engine import manifest, run_cache

MAX_SECONDS = 10.0
MAX_BYTES = 1024**3
# Events of Python's audit hooks that change files, and the positions of the paths in them.
_CHANGES = {
    "os.mkdir": (0,), "os.rename": (0, 1), "os.remove": (0,), "os.rmdir": (0,),
    "os.link": (0, 1), "os.symlink": (1,), "os.truncate": (0,), "os.chmod": (0,),
    "os.utime": (0,), "shutil.rmtree": (0,),
}  # fmt: skip
# What no command may do because of a document. A fork alone runs no program: overlays of
# the Jsonnet library are evaluated in a process of their own.
_FORBIDDEN = (
    "os.system", "os.exec", "os.posix_spawn", "subprocess.Popen", "socket.connect",
    "socket.getaddrinfo", "pty.spawn", "webbrowser.open",
)  # fmt: skip


class Result(NamedTuple):
    """What a command did: its exit code, messages, and what must not have been."""

    arguments: tuple[str, ...]
    code: int
    output: str
    errors: str
    seconds: float
    findings: list[str]


class Runner:
    """Runs commands in the folder ``folder``, in which they may change ``out``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._changed: list[str] = []
        self._is_watching = False
        # Hooks cannot be removed: a process has one runner.
        sys.addaudithook(self._audit)

    def __call__(self, *arguments: str) -> Result:
        """Run a command; ``findings`` of the result says what was wrong."""
        before = snapshot(self.folder)
        self._changed.clear()
        start = time.process_time()
        with _captured() as (output, errors):
            self._is_watching = True
            code = _exit_code(arguments)
            self._is_watching = False
        seconds = time.process_time() - start
        findings = [*self._changed]
        if "Traceback" in errors.getvalue() or code not in (0, 1, 2):
            findings.append(f"exit code {code}: {errors.getvalue()[-3000:]}")
        if seconds > MAX_SECONDS:
            findings.append(f"took {seconds:.1f} s of processor time")
        is_refusal = code == 2 or "error: " in errors.getvalue()
        # The report of a check of which nothing came says why: it is written.
        may_change = ": nothing was checked" in errors.getvalue()
        changed = differences(before, snapshot(self.folder)) if is_refusal else []
        if changed and not may_change:
            findings.append(f"was refused, and changed {changed[:5]}")
        if code == 0 and "error: " in errors.getvalue():
            findings.append("exits with 0 after an error")
        if is_refusal and not errors.getvalue().strip():
            findings.append("is refused without a message")
        return Result(
            arguments, code, output.getvalue(), errors.getvalue(), seconds, findings
        )

    def _audit(self, event: str, values: tuple[Any, ...]) -> None:
        if not self._is_watching:
            return
        if event in _FORBIDDEN:
            self._changed.append(f"{event}{values!r:.300}")
        elif event == "open" and _opens_for_writing(values):
            self._check(event, values[0])
        elif event in _CHANGES and not _is_below_a_removed_folder(event, values):
            for index in _CHANGES[event]:
                self._check(event, values[index])

    def _check(self, event: str, path: Any) -> None:
        if isinstance(path, int) or path is None:
            return
        resolved = os.path.realpath(os.fsdecode(path))
        allowed = (f"{self.folder}/out", f"{self.folder.parent}/cache", "/dev/null")
        if not resolved.startswith(allowed):
            self._changed.append(f"{event} of {resolved}")


def _opens_for_writing(values: tuple[Any, ...]) -> bool:
    flags = values[2]
    return isinstance(flags, int) and bool(
        flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
    )


def _is_below_a_removed_folder(event: str, values: tuple[Any, ...]) -> bool:
    """Whether a file is removed with its folder, for which there is an event, too."""
    return event in ("os.remove", "os.rmdir") and values[1] != -1


def _exit_code(arguments: tuple[str, ...]) -> int:
    def run() -> int:
        code = cli.main([*arguments], prog_name="kubestencil", standalone_mode=False)
        return code if isinstance(code, int) else 0

    try:
        return console.exit_code(run)
    except BaseException:
        sys.stderr.write(traceback.format_exc())
        return -1


def captured_exit_code(arguments: tuple[str, ...]) -> int:
    """Run a command without showing what it prints."""
    with _captured():
        return _exit_code(arguments)


@contextlib.contextmanager
def _captured() -> Iterator[tuple[io.StringIO, io.StringIO]]:
    output, errors = _Stream(), _Stream()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
        yield output, errors


class _Stream(io.StringIO):
    """Takes text and bytes, as standard output does; text must be valid UTF-8."""

    encoding = "utf-8"

    @property
    def buffer(self) -> Any:
        stream = self

        class Buffer(io.BytesIO):
            def write(self, data: Any) -> int:
                return stream.write(bytes(data).decode())

        return Buffer()

    def write(self, text: str) -> int:
        text.encode(errors="strict" if self is sys.stdout else "backslashreplace")
        return super().write(text)


def snapshot(folder: Path) -> dict[str, tuple[int, int, int]]:
    """What identifies the content of all files in ``folder``, without locks and caches."""
    found = {}
    for parent, folders, names in os.walk(folder):
        if parent == str(folder) and "cache" in folders:
            folders.remove("cache")
        for name in (*names, *folders):
            path = f"{parent}/{name}"
            status = os.lstat(path)
            is_folder = name in folders
            if ".cache" not in path and name != ".kubestencil":
                found[path.removeprefix(f"{folder}/")] = (
                    (0, 0, 0)
                    if is_folder
                    else (status.st_ino, status.st_size, status.st_mtime_ns)
                )
    return found


def differences(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    return sorted(
        path for path in {*before, *after} if before.get(path) != after.get(path)
    )


def remember_what_no_document_changes() -> None:
    """Read targets, templates and code once for all commands of this process."""
    read = cache(manifest.read_target)
    manifest.read_target = lambda name, roots: read(name, tuple(roots))
    # Templates and files of targets would be read again by each command; what stands in a
    # folder of output is another one each time.
    run_cache._of_builds.clear()
    clear_found = record._found_in_records.cache_clear  # type: ignore[attr-defined]
    run_cache._of_runs[:] = [clear_found]


def limit_memory() -> None:
    """Let this process take no more than MAX_BYTES besides what it has."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + MAX_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
