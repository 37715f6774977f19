"""Asks an API server through one ``kubectl proxy``, which takes nothing but GET, at a socket
that only this user can open: starting kubectl for each path would take most of the time.
"""

from __future__ import annotations

import atexit
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable
from contextlib import closing, suppress
from functools import cache
from http.client import HTTPConnection, HTTPException
from pathlib import Path

from kubestencil.checking.paths import text_at
from kubestencil.errors import SourceError

# Seconds until a proxy has its socket, and for each answer.
_START, _TIMEOUT = 10, 60
# Bytes of what a server says of a failure.
_MAX_MESSAGE = 100_000


class Proxy:
    """A ``kubectl proxy`` that runs until this process ends."""

    def __init__(self, path: str) -> None:
        self._path = path

    def get(self, path: str, limit: int) -> bytes:
        """What the server answers. Raises SourceError where it refuses, in the words of
        ``kubectl get --raw``, or answers with more than ``limit`` bytes."""
        connection = _Connection(self._path)
        try:
            connection.request("GET", path, headers={"Accept": "application/json"})
            response = connection.getresponse()
            if response.status != 200:
                data = response.read(_MAX_MESSAGE)
                raise SourceError(_reason(response.status, data), where=path)
            data = response.read(limit + 1)
        except (OSError, HTTPException) as error:
            raise SourceError(f"does not answer: {error}", where=path) from error
        finally:
            connection.close()
        if len(data) > limit:
            raise SourceError(f"answers more than {limit:,} bytes", where=path)
        return data


class _Connection(HTTPConnection):
    def __init__(self, path: str) -> None:
        super().__init__("localhost", timeout=_TIMEOUT)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(_TIMEOUT)
        self.sock.connect(self._path)


def proxy_of(context: str | None) -> Proxy | None:
    """The proxy for a context of kubectl, which is started once; None where the system has
    no such sockets, and where it does not start."""
    return _start(context, os.environ.get("KUBECONFIG"))


@cache
def _start(context: str | None, _configuration: str | None) -> Proxy | None:
    if not hasattr(socket, "AF_UNIX"):
        return None
    folder = tempfile.mkdtemp(prefix="kubestencil-")
    path = Path(folder, "s")
    command = [
        "kubectl", "proxy", f"--unix-socket={path}", "--reject-methods=^[^G]",
        *([f"--context={context}"] if context is not None else []),
    ]  # fmt: skip
    quiet = subprocess.DEVNULL
    try:
        process = subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet)
    except OSError:
        shutil.rmtree(folder, ignore_errors=True)
        return None
    end = _ending(process, folder)
    atexit.register(end)
    limit = time.monotonic() + _START
    while process.poll() is None and time.monotonic() < limit:
        with suppress(OSError), closing(_Connection(str(path))) as connection:
            connection.connect()
            return Proxy(str(path))
        time.sleep(0.01)
    end()
    return None


def _ending(process: subprocess.Popen[bytes], folder: str) -> Callable[[], None]:
    def end() -> None:
        process.kill()
        process.wait()
        shutil.rmtree(folder, ignore_errors=True)

    return end


def _reason(status: int, data: bytes) -> str:
    try:
        answer = json.loads(data)
    except (ValueError, RecursionError):
        answer = None
    reason, message = (text_at(answer, name) for name in ("reason", "message"))
    text = message or data.decode("utf-8", "replace").strip()
    return f"Error from server ({reason or status}): {text[:1_000]}"
