"""A local web server that rebuilds the docs site when its templates change.

It is a preview for people who write templates: it listens on the loopback interface
only, lists no folders, and serves no file outside of its folder:
``SimpleHTTPRequestHandler`` lists folders and follows links.
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

from watchfiles import Change, DefaultFilter, watch

from kubestencil.errors import ServeError
from kubestencil.processes import without_current_folder
from kubestencil.processes.interrupts import interrupts_delayed

LOOPBACK = "127.0.0.1"

# The host names that requests may have. A page of another origin whose DNS name was
# pointed to this machine (DNS rebinding) sends its own name and is refused.
_LOCAL_HOSTS = ("localhost", LOOPBACK, "[::1]")

# Not from mimetypes: it reads the system's configuration, and on some systems that
# calls JavaScript plain text.
_CONTENT_TYPES = {
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
_DEFAULT_CONTENT_TYPE = "application/octet-stream"

# How often the watcher returns without a change, in milliseconds. The start of the
# server waits for the first time.
_WATCH_INTERVAL = 100

# How often the server checks whether it should stop, in seconds.
_POLL_INTERVAL = 0.1


@dataclass(frozen=True, slots=True)
class WatchedPaths:
    """The files and folders whose changes rebuild the site.

    Changes in the folder ``output`` are ignored, since a build causes them.
    """

    paths: tuple[Path, ...]
    output: Path

    @property
    def folders(self) -> tuple[Path, ...]:
        """The folders to watch, resolved."""
        folders = filter(Path.is_dir, self.paths)
        return tuple(dict.fromkeys(folder.resolve() for folder in folders))

    @property
    def file_states(self) -> tuple[tuple[int, ...], ...]:
        """What differs after a change of the files.

        Editors save a file by replacing it: its folder would have to be watched, and may
        be as large as a project.
        """
        return tuple(_state(path) for path in self.paths if not path.is_dir())

    def includes(self, path: Path) -> bool:
        """Whether a change of ``path``, which is resolved, rebuilds the site."""
        return not path.is_relative_to(self.output.resolve()) and any(
            path.is_relative_to(watched.resolve()) for watched in self.paths
        )


def _state(file: Path) -> tuple[int, ...]:
    try:
        status = file.stat()
    except OSError:
        return ()
    return status.st_mtime_ns, status.st_size, status.st_ino


def serve(
    folder: Path,
    port: int,
    watched: WatchedPaths,
    *,
    build: Callable[[], None],
    rebuild: Callable[[], None],
    on_listening: Callable[[str], None],
) -> None:
    """Call ``build``, serve ``folder``, and call ``rebuild`` after each change of the
    watched paths, until a KeyboardInterrupt, which is raised.

    The port 0 stands for any free one. ``on_listening`` is called with the URL once the
    server answers. Raises ServeError where the port is taken or the folders cannot be
    watched.
    """
    with (
        _bind(folder, port) as server,
        contextlib.closing(_watch(watched)) as changes,
    ):
        # Starts the watcher, so that no change during ``build`` is missed.
        next(changes)
        build()
        with _serving(server) as url:
            on_listening(url)
            for has_changed in changes:
                if has_changed:
                    rebuild()


def run_in_subprocess(work: Callable[[], object]) -> None:
    """Call ``work``, which has to be picklable, in a new process, and wait for it.

    The memory of a build, with its caches, is freed when its process ends. An
    exception, such as a KeyboardInterrupt, kills the process and all processes that it
    started.
    """
    process = get_context("spawn").Process(target=_run_in_process_group, args=(work,))
    with _interrupts_blocked(), without_current_folder():
        process.start()
    try:
        process.join()
    except BaseException:
        _kill_process_group(process)
        raise


def _run_in_process_group(work: Callable[[], object]) -> None:
    """Call ``work`` in a new process group.

    Ctrl-C in a terminal interrupts all processes of the terminal's group. In a group of
    their own, this process and its workers end only when ``run_in_subprocess`` kills
    them, without a traceback from each.
    """
    if sys.platform != "win32":
        os.setpgid(0, 0)
    work()


def _kill_process_group(process: SpawnProcess) -> None:
    if sys.platform == "win32" or process.pid is None:
        process.kill()
        return
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:  # It has ended, or has no group of its own yet.
        process.kill()


@contextlib.contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Delay SIGINT until the end. A process that is started meanwhile inherits the
    blocked signal, and never gets one."""
    if sys.platform == "win32":
        yield
        return
    previous = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, previous)


def _watch(watched: WatchedPaths) -> Generator[bool, None, None]:
    """Yield whether a watched path has changed: soon after each change, and at least
    once in each ``_WATCH_INTERVAL``.

    Raises ServeError where the folders cannot be watched.
    """
    # Ignores the temporary files of editors.
    is_relevant = DefaultFilter(ignore_dirs=())

    def watch_filter(change: Change, path: str) -> bool:
        return is_relevant(change, path) and watched.includes(Path(path))

    before, is_pending = watched.file_states, False
    try:
        for changes in watch(
            *watched.folders,
            watch_filter=watch_filter,
            rust_timeout=_WATCH_INTERVAL,
            yield_on_timeout=True,
        ):
            states = watched.file_states
            # A file is written step by step.
            yield bool(changes) or (is_pending and states == before)
            is_pending, before = states != before, states
    except OSError as error:
        raise ServeError(
            f"cannot be watched: {error}",
            where=", ".join(map(str, watched.folders)),
            hint="if the system's limit of watches is reached, set "
            "WATCHFILES_FORCE_POLLING=1",
        ) from error


class _Server(ThreadingHTTPServer):
    # Browsers open many connections at once, and others wait meanwhile.
    request_queue_size = 128

    def server_bind(self) -> None:
        # HTTPServer.server_bind looks up the host name, which can take seconds.
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = LOOPBACK, self.server_address[1]

    def handle_error(self, request: Any, client_address: Any) -> None:
        # A browser that closes its connection early is no error.
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


def _bind(folder: Path, port: int) -> _Server:
    """A server that has its port and does not answer yet."""
    try:
        return _Server((LOOPBACK, port), partial(_Handler, folder))
    except OSError as error:
        raise ServeError(
            f"cannot be opened: {error.strerror}",
            where=f"port {port}",
            hint="choose another port with --port, or any free one with --port 0",
        ) from error


@contextlib.contextmanager
def _serving(server: _Server) -> Iterator[str]:
    """Answer requests in a thread; yields the server's URL."""
    thread = threading.Thread(
        target=server.serve_forever, args=(_POLL_INTERVAL,), daemon=True
    )
    try:
        # Python prints a traceback for a thread that has not begun at the program's end.
        with interrupts_delayed():
            thread.start()
        yield f"http://{LOOPBACK}:{server.server_port}/"
    finally:
        server.shutdown()


class _Handler(BaseHTTPRequestHandler):
    """Answers GET and HEAD requests with the files of one folder."""

    server: _Server
    # In seconds. Connections that send nothing end then, with their threads.
    timeout = 30

    def __init__(self, folder: Path, *arguments: Any) -> None:
        self.folder = folder
        super().__init__(*arguments)

    def log_message(self, *_: Any) -> None:
        """Log no requests: standard error is for errors in templates."""

    def do_GET(self) -> None:
        if not self._has_local_host():
            self._send(HTTPStatus.MISDIRECTED_REQUEST, ".txt", b"unknown host\n")
            return
        path = unquote(self.path.partition("?")[0])
        file = f"{path}index.html" if path.endswith("/") else path
        data = _read(self.folder, file)
        if data is not None:
            self._send(HTTPStatus.OK, Path(file).suffix, data)
        elif _read(self.folder, f"{path}/index.html") is not None:
            # The links of an index page are relative to its folder.
            location = quote(f"/{path.strip('/')}/")
            self._send(HTTPStatus.MOVED_PERMANENTLY, ".txt", b"", Location=location)
        elif (page := _read(self.folder, "404.html")) is not None:
            self._send(HTTPStatus.NOT_FOUND, ".html", page)
        else:
            self._send(HTTPStatus.NOT_FOUND, ".txt", b"page not found\n")

    do_HEAD = do_GET  # noqa: N815 - the name that the base class calls

    def _has_local_host(self) -> bool:
        """Whether the request has exactly one Host header, and that names this
        server."""
        port = self.server.server_port
        local_hosts = {f"{name}:{port}" for name in _LOCAL_HOSTS}
        if port == HTTP_PORT:  # Browsers leave out the default port.
            local_hosts.update(_LOCAL_HOSTS)
        hosts = self.headers.get_all("Host", [])
        return len(hosts) == 1 and hosts[0].lower() in local_hosts

    def _send(
        self, status: HTTPStatus, suffix: str, data: bytes, **headers: str
    ) -> None:
        self.send_response(status)
        self.send_header(
            "Content-Type", _CONTENT_TYPES.get(suffix, _DEFAULT_CONTENT_TYPE)
        )
        self.send_header("Content-Length", str(len(data)))
        # A rebuilt page must be reloaded. Last-Modified has seconds only, which is too
        # coarse to detect that.
        self.send_header("Cache-Control", "no-cache")
        self.send_header("X-Content-Type-Options", "nosniff")
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)


def _read(folder: Path, path: str) -> bytes | None:
    """The bytes of a file in ``folder``; None where there is none, or a symbolic link
    leads out of the folder."""
    root = folder.resolve()
    try:
        file = (root / path.lstrip("/")).resolve(strict=True)
        return file.read_bytes() if file.is_relative_to(root) else None
    except (OSError, ValueError, RuntimeError):
        # A missing file, a folder, a name with a zero byte, a cycle of symbolic links.
        return None
