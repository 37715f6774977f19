"""The preview server: what it serves, to whom, and when it rebuilds the site."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from kubestencil.errors import ServeError
from kubestencil.server import WatchedPaths, serve
from tests.conftest import ROOT, SMALL, Command, make_document

TIMEOUT = 60  # seconds
FILES = {
    "index.html": "<title>start</title>",
    "404.html": "<title>not found</title>",
    "1.35/apps/index.html": "<title>apps</title>",
    "assets/site.js": "'use strict'",
    "assets/site.css": "a {}",
    "assets/logo.svg": "<svg/>",
    "assets/logo.png": "png",
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


@dataclass
class Response:
    status: int
    headers: dict[str, str]
    body: bytes


@dataclass
class Client:
    """Sends requests to a server on ``port``; ``folder`` is what it serves."""

    folder: Path
    port: int

    def get(self, path: str, method: str = "GET", **headers: str) -> Response:
        """The response to exactly this path, which is not normalized."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT)
        connection.putrequest(method, path, skip_host="Host" in headers)
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders()
        received = connection.getresponse()
        response = Response(received.status, dict(received.headers), received.read())
        connection.close()
        return response


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
    with pytest.raises(ServeError, match="--port 0") as caught:
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
    assert set(watched.folders) == {folder, file.parent}
    assert watched.includes(folder / "site/new/page.j2")
    assert watched.includes(file)
    assert not watched.includes(file.with_name("other.toml"))
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


# --- the command ------------------------------------------------------------------

TARGET = """
about = "The fields"
view = "markdown"
[[files]]
each = "definition"
path = "{name}.txt"
template = "fields.j2"
[types]
any = "any"
list = "{}[]"
map = "Map<{}>"
string = "string"
integer = "int"
boolean = "bool"
"""


class ServeProcess:
    """The command ``serve`` in a process, with access to the lines that it prints."""

    def __init__(self, run: Command, *arguments: str) -> None:
        # A process that a shell started in the background ignores SIGINT.
        self.process = run.popen(
            "serve",
            *arguments,
            "--port",
            "0",
            start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        self.watchdog = threading.Timer(TIMEOUT, self.process.kill)
        self.watchdog.start()

    def expect_output(self, pattern: str) -> re.Match[str]:
        """Read the next line of standard output, which has to match."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        match = re.match(pattern, line)
        if match is None:
            self.process.kill()
            raise AssertionError((line, self.process.communicate()))
        return match

    def expect_port(self) -> int:
        """Read the line that names the server's URL; returns the port."""
        match = self.expect_output(
            r"serving generated/site at http://127\.0\.0\.1:(\d+)/ "
        )
        return int(match[1])

    def expect_error(self, pattern: str) -> None:
        """Read lines of standard error up to one that matches."""
        assert self.process.stderr is not None
        lines = []
        for line in self.process.stderr:
            lines.append(line)
            if re.match(pattern, line):
                return
        raise AssertionError(lines)

    def interrupt(self) -> tuple[str, str]:
        """Press Ctrl-C, which interrupts all processes of the terminal's group; returns
        the rest of standard output and standard error."""
        os.killpg(self.process.pid, signal.SIGINT)
        out, err = self.process.communicate(timeout=TIMEOUT)
        self.watchdog.cancel()
        assert self.process.returncode == 0, err
        assert "Traceback" not in err
        return out, err


@pytest.fixture
def user_target(run: Command) -> Path:
    """A specs folder with a small document, and a user's target called site."""
    (run.folder / "specs").mkdir()
    (run.folder / "specs/1.35.json").write_text(json.dumps(make_document(SMALL)))
    folder = run.folder / "mine/site"
    folder.mkdir(parents=True)
    (folder / "target.toml").write_text(TARGET)
    (folder / "fields.j2").write_text("{{ model.name }}\n")
    return folder


@pytest.mark.skipif(sys.platform == "win32", reason="a Ctrl-C cannot be sent")
def test_an_error_in_a_template_is_shown_and_the_server_continues(
    run: Command, user_target: Path
) -> None:
    serve_process = ServeProcess(run, "1.35", "--templates", "mine")
    serve_process.expect_output(r"site: 1 files, .* 1 written, ")
    port = serve_process.expect_port()
    folder = run.folder / "generated/site"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "index.html").write_text("as before")

    (user_target / "fields.j2").write_text("{{ model.nam }}\n")
    serve_process.expect_error(r"error: .*mine/site/fields\.j2:1: ")
    assert Client(folder, port).get("/").body == b"as before"

    (user_target / "fields.j2").write_text("{{ model.name }}!\n")
    serve_process.expect_output(r"site: 1 files, .* 1 written, ")
    (user_target / "target.toml").write_text(TARGET.replace("txt", "md"))
    serve_process.expect_output(r"site: 1 files, .* 1 written, 1 removed, ")
    assert serve_process.interrupt()[0] == ""


def test_an_error_in_the_first_build_stops_the_command(
    run: Command, user_target: Path
) -> None:
    (user_target / "fields.j2").write_text("{{ model.nam }}\n")
    done = run("serve", "1.35", "--templates", "mine", "--port", "0")
    assert (done.returncode, done.stdout) == (1, "")
    assert "fields.j2:1: " in done.stderr


def test_the_command_reports_a_taken_port(run: Command, user_target: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = run("serve", "1.35", "--templates", "mine", "--port", port)
    assert done.returncode == 1
    assert f"error: port {port}: cannot be opened" in done.stderr
    assert "--port 0" in done.stderr
    assert not (run.folder / "generated").exists()


def test_the_built_in_site_is_served(run: Command, tmp_path: Path) -> None:
    serve_process = ServeProcess(run, "1.34", "1.35")
    serve_process.expect_output(r"site: \d+ files, ")
    client = Client(tmp_path, serve_process.expect_port())
    assert b'data-release="1.35"' in client.get("/1.35/apps/v1/Deployment/").body
    assert client.get("/1.35/apps/v1/Nothing/").status == 404
    serve_process.interrupt()


def build_forever() -> None:
    """A build that does not end, with a worker process."""
    worker = "import time; print('building', flush=True); time.sleep(1000)"
    subprocess.run([sys.executable, "-c", worker], check=True)


@pytest.mark.skipif(sys.platform == "win32", reason="a Ctrl-C cannot be sent")
def test_ctrl_c_during_a_rebuild_kills_all_processes() -> None:
    """Without a traceback from each."""
    code = (
        "from kubestencil.server import run_in_subprocess\n"
        "from tests.test_serve import build_forever\n"
        "try: run_in_subprocess(build_forever)\n"
        "except KeyboardInterrupt: print('stopped', flush=True)"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "building\n"
    os.killpg(process.pid, signal.SIGINT)
    # Waits until all processes that share standard output have ended.
    assert process.communicate(timeout=TIMEOUT) == ("stopped\n", "")
