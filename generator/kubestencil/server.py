"""The printed site on this machine, printed again when what it is made of changes.

For whoever writes templates: nobody but this machine is served, nothing is listed,
and what does not lie in the folder is not there.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socketserver
import sys
import threading
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from http.client import HTTP_PORT
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing import get_context
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from kubestencil.errors import ServeError

LOOPBACK = "127.0.0.1"

# What a machine calls itself. A page of another origin whose name was made to lead
# to this machine (DNS rebinding) sends its own name, and gets nothing.
_NAMES = ("localhost", LOOPBACK, "[::1]")

# Not mimetypes: it asks the machine, and some say that JavaScript is plain text.
_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".gif": "image/gif",
    ".html": "text/html; charset=utf-8",
    ".jpeg": "image/jpeg",
    ".jpg": "image/jpeg",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".md": "text/markdown; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".webp": "image/webp",
    ".xml": "application/xml",
    ".yaml": "application/yaml",
}
_OTHER_TYPE = "application/octet-stream"

# Milliseconds until the watching first hands over, and so how long a start waits.
_TICK = 100

# Seconds that the end of the server may take.
_POLL = 0.1


@dataclass(frozen=True, slots=True)
class WatchedPaths:
    """What a site is printed from: ``paths`` are files and folders, and a change
    in one counts unless it is in the folder ``output``, which a print changes."""

    paths: tuple[Path, ...]
    output: Path

    @property
    def folders(self) -> tuple[Path, ...]:
        """The folders to watch. Of a file it is the one that it is in, since an
        editor replaces a file, and the new one is not the one that was watched."""
        found = (place if place.is_dir() else place.parent for place in self.paths)
        return tuple(dict.fromkeys(each.resolve() for each in found))

    def counts(self, path: Path) -> bool:
        """Whether a change at ``path``, as it is below ``folders``, counts."""
        return not path.is_relative_to(self.output.resolve()) and any(
            path.is_relative_to(place.resolve()) for place in self.paths
        )


def serve(
    folder: Path,
    port: int,
    watched: WatchedPaths,
    *,
    build: Callable[[], None],
    rebuild: Callable[[], None],
    listening: Callable[[str], None],
) -> None:
    """Call ``build``, serve ``folder``, and call ``rebuild`` after each change of what
    is watched, until the first KeyboardInterrupt, which is raised.

    ``listening`` is called with the address that answers from then on; the port 0
    stands for any free one. Raises ServeError where the port cannot be had or the
    folders cannot be watched.
    """
    with (
        _server(folder, port) as server,
        contextlib.closing(_changes(watched)) as changes,
    ):
        # It watches from here on, so that no change is lost during ``build``.
        next(changes)
        build()
        with _answering(server) as address:
            listening(address)
            for changed in changes:
                if changed:
                    rebuild()


def run_in_subprocess(work: Callable[[], object]) -> None:
    """Call ``work``, which has to be picklable, in a new process, and wait for it.

    A run remembers what it has read for as long as its process lives: templates,
    digests, the spelling of names. The next one needs to look again. An interrupt
    ends the process and those that it started.
    """
    process = get_context("spawn").Process(target=_lead, args=(work,))
    with _without_interrupts():
        process.start()
    try:
        process.join()
    except KeyboardInterrupt:
        _kill(process)
        raise


def _lead(work: Callable[[], object]) -> None:
    # Ctrl-C in a terminal reaches every process of its group. In a group of their
    # own this process and its workers end when, and only when, ``run_in_subprocess`` says so.
    if sys.platform != "win32":
        os.setpgid(0, 0)
    work()


def _kill(process: SpawnProcess) -> None:
    if sys.platform == "win32" or process.pid is None:
        process.kill()
        return
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:  # It has ended, or does not lead a group yet.
        process.kill()


@contextlib.contextmanager
def _without_interrupts() -> Iterator[None]:
    """Keep interrupts for later; a process started meanwhile never gets any."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _changes(watched: WatchedPaths) -> Generator[bool, None, None]:
    """Whether something changed, again and again: soon after a change, and at the
    latest after a moment."""
    from watchfiles import Change, DefaultFilter, watch

    # Which files an editor leaves for a moment is something that it knows.
    is_kept = DefaultFilter(ignore_dirs=())

    def counts(change: Change, path: str) -> bool:
        return is_kept(change, path) and watched.counts(Path(path))

    try:
        for changes in watch(
            *watched.folders,
            watch_filter=counts,
            rust_timeout=_TICK,
            yield_on_timeout=True,
        ):
            yield bool(changes)
    except OSError as error:
        raise ServeError(
            f"cannot be watched: {error}",
            where=", ".join(map(str, watched.folders)),
            hint="the system may allow too few watches; "
            "WATCHFILES_FORCE_POLLING=1 does without",
        ) from error


class _Server(ThreadingHTTPServer):
    def server_bind(self) -> None:
        # That of HTTPServer asks the network for a name, which may take its time.
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = LOOPBACK, self.server_address[1]

    def handle_error(self, request: Any, client_address: Any) -> None:
        # A browser that leaves in the middle of an answer is no error.
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


def _server(folder: Path, port: int) -> _Server:
    try:
        return _Server((LOOPBACK, port), partial(_Handler, folder))
    except OSError as error:
        raise ServeError(
            f"cannot be listened on: {error.strerror}",
            where=f"port {port}",
            hint="--port names another one, --port 0 takes any that is free",
        ) from error


@contextlib.contextmanager
def _answering(server: _Server) -> Iterator[str]:
    """The address of a server that answers in a thread of its own."""
    thread = threading.Thread(target=server.serve_forever, args=(_POLL,), daemon=True)
    thread.start()
    try:
        yield f"http://{LOOPBACK}:{server.server_port}/"
    finally:
        server.shutdown()


class _Handler(BaseHTTPRequestHandler):
    """Answers GET and HEAD with the files of one folder."""

    server: _Server

    def __init__(self, folder: Path, *arguments: Any) -> None:
        self.folder = folder
        super().__init__(*arguments)

    def do_GET(self) -> None:
        self._answer()

    def do_HEAD(self) -> None:
        self._answer()

    def log_message(self, *_: Any) -> None:
        """Say nothing: standard error is for what is wrong with the templates."""

    def _answer(self) -> None:
        if not self._is_for_us():
            self._send(HTTPStatus.MISDIRECTED_REQUEST, ".txt", b"not this machine\n")
            return
        path = unquote(self.path.partition("?")[0])
        file = f"{path}index.html" if path.endswith("/") else path
        data = _read(self.folder, file)
        if data is not None:
            self._send(HTTPStatus.OK, Path(file).suffix, data)
        elif _read(self.folder, f"{path}/index.html") is not None:
            # The links of a page are relative to the folder that it stands for.
            place = quote(f"/{path.strip('/')}/")
            self._send(HTTPStatus.MOVED_PERMANENTLY, ".txt", b"", Location=place)
        else:
            self._send_missing()

    def _send_missing(self) -> None:
        page = _read(self.folder, "404.html")
        if page is None:
            self._send(HTTPStatus.NOT_FOUND, ".txt", b"there is no such page\n")
        else:
            self._send(HTTPStatus.NOT_FOUND, ".html", page)

    def _is_for_us(self) -> bool:
        """Whether the request names this server, by one of the machine's own names."""
        port = self.server.server_port
        ours = {f"{name}:{port}" for name in _NAMES}
        if port == HTTP_PORT:  # No browser says it then.
            ours.update(_NAMES)
        hosts = self.headers.get_all("Host", [])
        return len(hosts) == 1 and hosts[0].lower() in ours

    def _send(
        self, status: HTTPStatus, suffix: str, data: bytes, **headers: str
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", _TYPES.get(suffix, _OTHER_TYPE))
        self.send_header("Content-Length", str(len(data)))
        # What is printed again has to be seen, and a time in seconds does not tell.
        self.send_header("Cache-Control", "no-cache")
        self.send_header("X-Content-Type-Options", "nosniff")
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)


def _read(folder: Path, path: str) -> bytes | None:
    """The bytes of a file that lies in ``folder``, wherever links lead; None where
    there is none."""
    root = folder.resolve()
    try:
        file = (root / path.lstrip("/")).resolve(strict=True)
        return file.read_bytes() if file.is_relative_to(root) else None
    except (OSError, ValueError, RuntimeError):
        # Not there, a folder, a name with a zero byte, links that lead to themselves.
        return None
