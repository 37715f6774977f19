"""Evaluates Jsonnet, in a process with limited time and memory.

jrsonnet (the package ``rjsonnet``) evaluates: it is several times as fast as
go-jsonnet and a fifth of its size. Its errors lack the line of some mistakes, so
go-jsonnet (``gojsonnet``) describes errors where it is installed.
"""

from __future__ import annotations

import faulthandler
import json
import multiprocessing
import posixpath
import re
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from kubestencil.processes import without_current_folder

Result = TypeVar("Result")

#: Returns the text of a file by its path, None where there is no such file.
ReadFile = Callable[[str], str | None]

_MAIN = "main"
_MEMORY_LIMIT = 4 << 30

# The location of a stack frame: file.libsonnet:3:12, file.libsonnet:(3:7)-(4:6).
_LOCATION = re.compile(r"(?<![^\s:])([^\s:]+\.libsonnet):\(?(\d+)")
# go-jsonnet puts the location of a syntax error before the message.
_LEADING_LOCATION = re.compile(r"\A[^\s:]+:[-:,()\d]+\s+")
_MISSING_IMPORT = re.compile(r"can't resolve (?P<import>.+) from (?P<file>\S+)")
# The fields that jrsonnet was about to output, innermost first.
_OUTPUT_FIELD = re.compile(r"^ +field <(.+)> manifestification$", re.MULTILINE)


class Location(NamedTuple):
    """A line of a file; the first is 1."""

    path: str
    line: int


class JsonnetError(Exception):
    """A mistake in a Jsonnet program.

    ``locations`` are those of its stack, innermost first. ``field`` is the path of the
    field whose value has the mistake, where go-jsonnet is not installed and jrsonnet
    may have left out the innermost location; else it is empty.
    """

    def __init__(
        self, message: str, locations: tuple[Location, ...] = (), field: str = ""
    ) -> None:
        super().__init__(message, locations, field)
        self.message = message
        self.locations = locations
        self.field = field


def evaluate(code: str, read_file: ReadFile) -> Any:
    """The JSON value of ``code``. Imports are relative to the importing file, then to
    the root of the paths that ``read_file`` is called with.

    Raises JsonnetError.
    """
    try:
        # It has no wheels for free-threaded Python, where nothing else needs it.
        import rjsonnet
    except ImportError as error:
        raise JsonnetError(
            "needs the package rjsonnet: pip install rjsonnet"
        ) from error

    def load(folder: str, path: str) -> tuple[str, str | None]:
        return _resolve_import(read_file, folder, path)

    try:
        text = rjsonnet.evaluate_snippet(_MAIN, code, import_callback=load)
    except RuntimeError as error:
        raise _describe_error(code, read_file, str(error)) from None
    return json.loads(text)


def run_sandboxed(function: Callable[[], Result], seconds: float) -> Result:
    """The result of ``function``, called in another process, where it can neither
    crash this one nor use up the memory of the machine.

    ``function`` must be picklable. Raises the JsonnetError that it
    raises, and a JsonnetError where it takes more than ``seconds``, or 4 GB in addition
    to what this process has.
    """
    receiver, sender = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.Process(
        target=_send_result, args=(sender, function), daemon=True
    )
    with without_current_folder():
        process.start()
    sender.close()
    try:
        if not receiver.poll(seconds):
            raise JsonnetError(f"takes longer than {seconds:g} seconds to evaluate")
        result: Result
        error: JsonnetError | None
        result, error = receiver.recv()
    except EOFError:
        raise JsonnetError(
            "cannot be evaluated: infinite recursion, or too much memory"
        ) from None
    finally:
        process.kill()
        process.join()
        receiver.close()
    if error is not None:
        raise error
    return result


def _send_result(sender: Connection, function: Callable[[], Any]) -> None:
    # A crash of the engine is reported as a JsonnetError, without a Python stack.
    faulthandler.disable()
    _limit_memory()
    try:
        sender.send((function(), None))
    except JsonnetError as error:
        sender.send((None, error))


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:  # Windows does not have it.
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = _address_space() + _MEMORY_LIMIT
    if hard != resource.RLIM_INFINITY:
        limit = min(limit, hard)
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))


def _address_space() -> int:
    """The bytes of address space that this process has, those of the process that it
    is a copy of among them; 0 where the system does not say.

    https://man7.org/linux/man-pages/man5/proc_pid_statm.5.html
    """
    import resource

    try:
        pages = Path("/proc/self/statm").read_text("ascii").split()[0]
    except OSError:
        return 0
    return int(pages) * resource.getpagesize()


def _describe_error(code: str, read_file: ReadFile, message: str) -> JsonnetError:
    """The error of ``code`` for which jrsonnet gave ``message``."""
    missing = _MISSING_IMPORT.match(message)
    if missing:
        return _missing_import(read_file, missing["file"], missing["import"])
    try:
        import _gojsonnet
    except ImportError:
        return _describe_jrsonnet_error(message)

    def load(folder: str, path: str) -> tuple[str, bytes]:
        resolved, text = _resolve_import(read_file, folder, path)
        if text is None:
            raise RuntimeError
        return resolved, text.encode()

    try:
        _gojsonnet.evaluate_snippet(_MAIN, code, import_callback=load)
    except RuntimeError as error:
        message = str(error).removeprefix("RUNTIME ERROR: ")
        first_line = message.partition("\n")[0]
        return JsonnetError(
            _LEADING_LOCATION.sub("", first_line).strip(), _locations(message)
        )
    return _describe_jrsonnet_error(message)


def _missing_import(read_file: ReadFile, file: str, path: str) -> JsonnetError:
    lines = (read_file(file) or "").splitlines()
    locations = tuple(
        Location(file, number)
        for number, line in enumerate(lines, start=1)
        if f"'{path}'" in line or f'"{path}"' in line
    )
    return JsonnetError(f"imports {path!r}, which does not exist", locations)


def _describe_jrsonnet_error(message: str) -> JsonnetError:
    fields = reversed(_OUTPUT_FIELD.findall(message))
    return JsonnetError(
        message.partition("\n")[0], _locations(message), ".".join(fields)
    )


def _locations(message: str) -> tuple[Location, ...]:
    return tuple(
        Location(match[1], int(match[2])) for match in _LOCATION.finditer(message)
    )


def _resolve_import(
    read_file: ReadFile, folder: str, path: str
) -> tuple[str, str | None]:
    """The path and the text of an imported file; the text is None if it is missing."""
    for resolved in (posixpath.normpath(posixpath.join(folder, path)), path):
        text = read_file(resolved)
        if text is not None:
            return resolved, text
    return path, None
