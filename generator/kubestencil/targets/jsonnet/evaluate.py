"""Jsonnet, evaluated in a process that cannot take others along.

A program in Jsonnet can recurse without end or ask for all the memory there is,
so it gets a time, a memory and a process of its own. Of the engines on PyPI
jrsonnet (rjsonnet) is several times as fast as go-jsonnet (gojsonnet), whose
errors in turn always name a place.
"""

from __future__ import annotations

import faulthandler
import json
import multiprocessing
import posixpath
import re
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any, TypeVar

T = TypeVar("T")

#: The text of a file of the program, by its path; None where there is none.
Find = Callable[[str], str | None]

_MAIN = "main"
_PLACE = re.compile(r"([^\s:]+\.libsonnet):\(?(\d+)")
_LEADING_PLACE = re.compile(r"\A[^\s:]+:[-:,()\d]+\s+")
_MEMORY = 4 << 30


class JsonnetError(Exception):
    """What an engine says is wrong, and the places that led there, innermost
    first: file and line."""

    def __init__(self, what: str, places: tuple[tuple[str, int], ...] = ()) -> None:
        super().__init__(what, places)
        self.what = what
        self.places = places


def evaluate(code: str, find: Find) -> Any:
    """The JSON value of ``code``. Its imports are relative to the importing file,
    then to the root of what ``find`` knows.

    Raises JsonnetError.
    """
    import rjsonnet

    def load(folder: str, path: str) -> tuple[str, str | None]:
        return _resolved(find, folder, path)

    try:
        text = rjsonnet.evaluate_snippet(_MAIN, code, import_callback=load)
    except RuntimeError as error:
        raise _explained(code, find, str(error)) from None
    return json.loads(text)


def guarded(function: Callable[..., T], *arguments: Any, seconds: float) -> T:
    """The result of ``function``, run in a process of its own.

    Raises the JsonnetError that it raises, or one that says that it took more
    than ``seconds``, or than 4 GB.
    """
    receiver, sender = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.Process(
        target=_report, args=(sender, function, arguments), daemon=True
    )
    process.start()
    sender.close()
    try:
        if not receiver.poll(seconds):
            raise JsonnetError(f"is not evaluated after {seconds:g} seconds")
        result, error = receiver.recv()
    except EOFError:
        raise JsonnetError("recurses without end, or takes too much memory") from None
    finally:
        process.kill()
        process.join()
        receiver.close()
    if error is not None:
        raise error
    return result  # type: ignore[no-any-return]


def _report(
    sender: Connection, function: Callable[..., Any], arguments: tuple[Any, ...]
) -> None:
    # That the engine may crash here is why it has a process of its own, and told to
    # the user as an error: nobody wants the stack of our code with it.
    faulthandler.disable()
    _limit_memory()
    try:
        sender.send((function(*arguments), None))
    except JsonnetError as error:
        sender.send((None, error))


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:  # Windows has no such limit.
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = _MEMORY if hard == resource.RLIM_INFINITY else min(_MEMORY, hard)
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))


def _explained(code: str, find: Find, told: str) -> JsonnetError:
    """The error of a program as go-jsonnet sees it: what is wrong, then the
    places, innermost first."""
    try:
        import _gojsonnet
    except ImportError:  # It has no wheel for Windows: jrsonnet's words have to do.
        return JsonnetError(told.partition("\n")[0])

    missing: list[str] = []

    def load(folder: str, path: str) -> tuple[str, bytes]:
        place, text = _resolved(find, folder, path)
        if text is None:
            missing.append(path)
            raise RuntimeError
        return place, text.encode()

    try:
        _gojsonnet.evaluate_snippet(_MAIN, code, import_callback=load)
    except RuntimeError as error:
        told = str(error).removeprefix("RUNTIME ERROR: ")
    places = tuple((match[1], int(match[2])) for match in _PLACE.finditer(told))
    what = _LEADING_PLACE.sub("", told.partition("\n")[0])
    if missing:
        what = f"imports {missing[0]!r}, and there is no such file"
    return JsonnetError(what.strip(), places)


def _resolved(find: Find, folder: str, path: str) -> tuple[str, str | None]:
    for place in (posixpath.normpath(posixpath.join(folder, path)), path):
        text = find(place)
        if text is not None:
            return place, text
    return path, None
