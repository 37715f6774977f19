"""The preview server: what it serves, to whom, and when it rebuilds the site."""

from __future__ import annotations

import contextlib
import re
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kubestencil.errors import ServeError
from kubestencil.server import LOOPBACK, WatchedPaths, serve
from tests.http_client import TIMEOUT, Client

FILES = {
    "index.html": "<title>start</title>",
    "404.html": "<title>not found</title>",
    "1.35/apps/index.html": "<title>apps</title>",
    "assets/site.js": "'use strict'",
    "assets/site.css": "a {}",
    "assets/logo.svg": "<svg/>",
    "assets/logo.png": "png" * 1000,
    "1.35/search.js": "kubestencilIndex({})" * 1000,
    "sitemap.xml": "<urlset/>",
    "pod.json": "{}",
    "pod.yaml": "{}",
    "with space.html": "<title>space</title>",
}
CONTENT_TYPES = {
    "/": "text/html; charset=utf-8",
    "/assets/site.js": "text/javascript; charset=utf-8",
    "/assets/site.css": "text/css; charset=utf-8",
    "/assets/logo.svg": "image/svg+xml",
    "/assets/logo.png": "image/png",
    "/sitemap.xml": "application/xml",
    "/pod.json": "application/json",
    "/pod.yaml": "application/yaml",
    "/with%20space.html?query": "text/html; charset=utf-8",
}


def build_nothing() -> None:
    """A build that changes nothing."""


def interrupt() -> None:
    """Raise what Ctrl-C raises in a terminal."""
    raise KeyboardInterrupt


class ServerThread:
    """``serve`` in a thread, watching the folder ``templates``; it stops when
    ``rebuild`` raises KeyboardInterrupt."""

    def __init__(
        self, folder: Path, templates: Path, rebuild: Callable[[], None]
    ) -> None:
        self.ready = threading.Event()
        self.url = ""
        self.templates = templates

        def on_listening(url: str) -> None:
            self.url = url
            self.ready.set()

        def run() -> None:
            watched = WatchedPaths((templates,), folder)
            with pytest.raises(KeyboardInterrupt):
                serve(
                    folder,
                    0,
                    watched,
                    build=build_nothing,
                    rebuild=rebuild,
                    on_listening=on_listening,
                )

        self.thread = threading.Thread(target=run, daemon=True)
        self.thread.start()
        assert self.ready.wait(TIMEOUT)

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2].strip("/"))

    def stop(self) -> None:
        """Change a template, so that ``rebuild`` is called and raises."""
        (self.templates / "stop.j2").touch()
        self.thread.join(TIMEOUT)
        assert not self.thread.is_alive()


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    base = tmp_path_factory.mktemp("serve")
    folder, templates = base / "site", base / "templates"
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    templates.mkdir()
    (base / "secret.html").write_text("secret")
    (base / "site2").mkdir()
    (base / "site2/secret.html").write_text("secret")
    (folder / "leak.html").symlink_to(base / "secret.html")
    (folder / "leaks").symlink_to(base / "site2")
    (folder / "cycle.html").symlink_to("cycle.html")
    (folder / "linked.html").symlink_to("index.html")
    server = ServerThread(folder, templates, interrupt)
    yield Client(folder, server.port)
    server.stop()


@pytest.mark.parametrize("path", CONTENT_TYPES)
def test_a_file_has_its_content_type(client: Client, path: str) -> None:
    """It does not depend on the configuration of the system."""
    response = client.get(path)
    assert response.status == 200
    assert response.headers["Content-Type"] == CONTENT_TYPES[path]
    assert response.headers["Cache-Control"] == "no-cache"
    assert int(response.headers["Content-Length"]) == len(response.body)


def test_head_has_no_body(client: Client) -> None:
    response = client.get("/", "HEAD")
    assert (response.status, response.body) == (200, b"")
    assert int(response.headers["Content-Length"]) == len(FILES["index.html"])


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "TRACE"])
def test_other_methods_are_refused(client: Client, method: str) -> None:
    assert client.get("/", method).status == 501


def test_a_folder_without_a_slash_is_redirected(client: Client) -> None:
    """The links of its page are relative to the folder."""
    response = client.get("/1.35/apps")
    assert (response.status, response.headers["Location"]) == (301, "/1.35/apps/")
    assert client.get("/1.35/apps/").body == b"<title>apps</title>"


@pytest.mark.parametrize("path", ["//1.35/apps", "/.//1.35/apps", "/%2f1.35/apps"])
def test_redirects_stay_on_the_server(client: Client, path: str) -> None:
    location = client.get(path).headers.get("Location", "/")
    assert re.match(r"/(?!/)", location)


@pytest.mark.parametrize(
    "path",
    [
        *("/nowhere", "/nowhere/", "/1.35/nowhere.html", "/index.html/", "/%00"),
        *("/assets/", "/assets", "/1.35/", "/1.35"),  # folders are not listed
        *("/../secret.html", "/1.35/../../secret.html", "/..%2fsecret.html"),
        *("/%2e%2e/secret.html", "/%2e%2e%2fsecret.html", "/../site2/secret.html"),
        *("/..\\secret.html", "/%5c..%5csecret.html", "//etc/passwd", "/%2fetc/passwd"),
        *("/leak.html", "/leaks/secret.html", "/cycle.html", "/" + "a" * 5000),
    ],
)
def test_paths_outside_of_the_folder_get_the_404_page(
    client: Client, path: str
) -> None:
    response = client.get(path)
    assert response.status == 404
    assert response.body.decode() == FILES["404.html"]
    assert response.headers["Content-Type"] == "text/html; charset=utf-8"


def test_a_symbolic_link_inside_of_the_folder_is_followed(client: Client) -> None:
    assert client.get("/linked.html").status == 200


@pytest.mark.parametrize("name", ["localhost", "LOCALHOST", "127.0.0.1", "[::1]"])
def test_local_host_names_are_allowed(client: Client, name: str) -> None:
    assert client.get("/", Host=f"{name}:{client.port}").status == 200


@pytest.mark.parametrize(
    "host", ["evil.example:{}", "localhost.evil.example:{}", "localhost:1", "", "{}"]
)
def test_other_host_names_are_refused(client: Client, host: str) -> None:
    """DNS rebinding: a page whose name resolves to this machine cannot read the
    site."""
    response = client.get("/", Host=host.format(client.port))
    assert response.status == 421
    assert b"<title>" not in response.body


def test_two_host_headers_are_refused(client: Client) -> None:
    with socket.create_connection(("127.0.0.1", client.port), TIMEOUT) as connection:
        names = f"Host: localhost:{client.port}\r\nHost: evil.example\r\n"
        connection.sendall(f"GET / HTTP/1.1\r\n{names}\r\n".encode())
        assert connection.recv(100).startswith(b"HTTP/1.0 421")


def test_idle_connections_do_not_stop_the_server(client: Client) -> None:
    with contextlib.ExitStack() as idle:
        for _ in range(500):
            idle.enter_context(
                socket.create_connection((LOOPBACK, client.port), timeout=10)
            )
        assert client.get("/").status == 200


@pytest.mark.parametrize(
    ("request_text", "status"),
    [
        (b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\n\r\n", 414),
        (b"GET / HTTP/1.1\r\nA: " + b"a" * 70_000 + b"\r\n\r\n", 431),
        (b"GET / HTTP/1.1\r\n" + b"A: a\r\n" * 200 + b"\r\n", 431),
    ],
)
def test_long_requests_are_refused(
    client: Client, request_text: bytes, status: int
) -> None:
    with socket.create_connection((LOOPBACK, client.port), timeout=10) as connection:
        connection.sendall(request_text)
        assert connection.recv(100).split()[1] == str(status).encode()


def test_without_a_404_page_a_text_is_sent(tmp_path: Path) -> None:
    """Before the first build, and after the folder was removed."""
    templates = tmp_path / "templates"
    templates.mkdir()
    server = ServerThread(tmp_path / "none", templates, interrupt)
    response = Client(tmp_path, server.port).get("/")
    server.stop()
    assert (response.status, response.body) == (404, b"page not found\n")


def test_the_server_listens_on_loopback_only(client: Client) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(
                ("192.0.2.1", 9)
            )  # sends nothing, but selects a local address
        except OSError:
            pytest.skip("this machine has a loopback address only")
        address = probe.getsockname()[0]
    with pytest.raises(OSError):
        socket.create_connection((address, client.port), 5)


def test_a_taken_port_is_an_error_before_the_build(
    client: Client, tmp_path: Path
) -> None:
    message = rf"port {client.port}: cannot be opened[^$]*--port 0"
    with pytest.raises(ServeError, match=message) as caught:
        serve(
            tmp_path,
            client.port,
            WatchedPaths((tmp_path,), tmp_path / "out"),
            build=pytest.fail,
            rebuild=build_nothing,
            on_listening=pytest.fail,
        )
    assert caught.value.exit_code == 1


def test_a_change_rebuilds_the_site(tmp_path: Path) -> None:
    templates, out = tmp_path / "templates", tmp_path / "templates/out"
    (templates / "site").mkdir(parents=True)
    out.mkdir()
    rebuilt = threading.Semaphore(0)

    def rebuild() -> None:
        text = (templates / "site/page.j2").read_text()
        (out / "index.html").write_text(text)
        rebuilt.release()
        if text == "stop":
            raise KeyboardInterrupt

    server = ServerThread(out, templates, rebuild)
    for text in ("one", "two", "stop"):
        # Editors save a file by replacing it.
        (templates / "new~").write_text(text)
        (templates / "new~").replace(templates / "site/page.j2")
        assert rebuilt.acquire(timeout=TIMEOUT)
        if text != "stop":
            assert Client(out, server.port).get("/").body.decode() == text
    server.thread.join(TIMEOUT)
    # The output folder is in the folder of templates, and is ignored.
    assert not rebuilt.acquire(blocking=False)


def test_changes_of_the_output_folder_are_ignored(tmp_path: Path) -> None:
    """And those of other files in the folder of a watched file."""
    folder, file = tmp_path / "templates", tmp_path / "options/words.toml"
    for path in (folder, file.parent, folder / "out"):
        path.mkdir()
    file.touch()
    watched = WatchedPaths((folder, file), folder / "out")
    assert set(watched.folders) == {folder}
    assert watched.includes(folder / "site/new/page.j2")
    before = watched.file_states
    file.with_name("other.toml").touch()
    assert watched.file_states == before
    file.with_name("other.toml").replace(file)
    assert watched.file_states != before
    assert not watched.includes(folder / "out/site/index.html")
    assert watched.includes(folder / "outer.j2")


def test_a_change_during_the_first_build_is_not_missed(tmp_path: Path) -> None:
    template = tmp_path / "page.j2"
    rebuilt = threading.Event()

    def rebuild() -> None:
        rebuilt.set()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        serve(
            tmp_path / "out",
            0,
            WatchedPaths((tmp_path,), tmp_path / "out"),
            build=lambda: template.touch(),
            rebuild=rebuild,
            on_listening=lambda _: None,
        )
    assert rebuilt.is_set()
