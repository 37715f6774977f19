"""The site on this machine: what is answered, to whom, and when it is printed again."""

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

from kubestencil.engine import load_targets
from kubestencil.errors import ServeError
from kubestencil.server import WatchedPaths, serve
from tests.conftest import ROOT, SMALL, Command, document

MOMENT = 60
SITE = {
    "index.html": "<title>start</title>",
    "404.html": "<title>nothing here</title>",
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
TYPES = {
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
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes


@dataclass
class Site:
    folder: Path
    port: int

    def get(self, path: str, method: str = "GET", **headers: str) -> Answer:
        """What is answered to exactly this path, which no client tidies up."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=MOMENT)
        connection.putrequest(method, path, skip_host="Host" in headers)
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders()
        response = connection.getresponse()
        answer = Answer(response.status, dict(response.headers), response.read())
        connection.close()
        return answer


def nothing() -> None:
    """A print that changes nothing."""


def ended() -> None:
    """What Ctrl-C does, where no terminal is."""
    raise KeyboardInterrupt


class Running:
    """``serve`` in a thread, watching one folder; it ends when ``again`` raises."""

    def __init__(
        self, folder: Path, templates: Path, again: Callable[[], None]
    ) -> None:
        self.ready = threading.Event()
        self.address = ""
        self.templates = templates

        def listening(address: str) -> None:
            self.address = address
            self.ready.set()

        def run() -> None:
            watched = WatchedPaths((templates,), folder)
            with pytest.raises(KeyboardInterrupt):
                serve(
                    folder,
                    0,
                    watched,
                    build=nothing,
                    rebuild=again,
                    listening=listening,
                )

        self.thread = threading.Thread(target=run, daemon=True)
        self.thread.start()
        assert self.ready.wait(MOMENT)

    @property
    def port(self) -> int:
        return int(self.address.rpartition(":")[2].strip("/"))

    def end(self) -> None:
        """Change a template; ``again`` has to be, or to do, what Ctrl-C does."""
        (self.templates / "end.j2").touch()
        self.thread.join(MOMENT)
        assert not self.thread.is_alive()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    base = tmp_path_factory.mktemp("serve")
    folder, templates = base / "site", base / "templates"
    for name, text in SITE.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    templates.mkdir()
    (base / "secret.html").write_text("secret")
    (base / "site2").mkdir()
    (base / "site2/secret.html").write_text("secret")
    (folder / "leak.html").symlink_to(base / "secret.html")
    (folder / "leaks").symlink_to(base / "site2")
    (folder / "circle.html").symlink_to("circle.html")
    (folder / "linked.html").symlink_to("index.html")
    running = Running(folder, templates, ended)
    yield Site(folder, running.port)
    running.end()


@pytest.mark.parametrize("path", TYPES)
def test_a_file_is_answered_with_its_type(site: Site, path: str) -> None:
    """What a machine's own table of types says does not matter."""
    answer = site.get(path)
    assert answer.status == 200
    assert answer.headers["Content-Type"] == TYPES[path]
    assert answer.headers["Cache-Control"] == "no-cache"
    assert int(answer.headers["Content-Length"]) == len(answer.body)


def test_head_has_no_body(site: Site) -> None:
    answer = site.get("/", "HEAD")
    assert (answer.status, answer.body) == (200, b"")
    assert int(answer.headers["Content-Length"]) == len(SITE["index.html"])


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "TRACE"])
def test_nothing_but_get_and_head(site: Site, method: str) -> None:
    assert site.get("/", method).status == 501


def test_a_folder_without_its_slash_is_sent_to_the_one_with(site: Site) -> None:
    """Its page has links that are relative to the folder."""
    answer = site.get("/1.35/apps")
    assert (answer.status, answer.headers["Location"]) == (301, "/1.35/apps/")
    assert site.get("/1.35/apps/").body == b"<title>apps</title>"


@pytest.mark.parametrize("path", ["//1.35/apps", "/.//1.35/apps", "/%2f1.35/apps"])
def test_it_sends_nobody_to_another_host(site: Site, path: str) -> None:
    location = site.get(path).headers.get("Location", "/")
    assert re.match(r"/(?!/)", location)


@pytest.mark.parametrize(
    "path",
    [
        *("/nowhere", "/nowhere/", "/1.35/nowhere.html", "/index.html/", "/%00"),
        *("/assets/", "/assets", "/1.35/", "/1.35"),  # folders are not listed
        *("/../secret.html", "/1.35/../../secret.html", "/..%2fsecret.html"),
        *("/%2e%2e/secret.html", "/%2e%2e%2fsecret.html", "/../site2/secret.html"),
        *("/..\\secret.html", "/%5c..%5csecret.html", "//etc/passwd", "/%2fetc/passwd"),
        *("/leak.html", "/leaks/secret.html", "/circle.html", "/" + "a" * 5000),
    ],
)
def test_what_is_not_in_the_folder_is_the_sites_own_404(site: Site, path: str) -> None:
    answer = site.get(path)
    assert answer.status == 404
    assert answer.body.decode() == SITE["404.html"]
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"


def test_a_link_inside_of_the_folder_is_followed(site: Site) -> None:
    assert site.get("/linked.html").status == 200


@pytest.mark.parametrize("name", ["localhost", "LOCALHOST", "127.0.0.1", "[::1]"])
def test_the_machines_own_names_are_answered(site: Site, name: str) -> None:
    assert site.get("/", Host=f"{name}:{site.port}").status == 200


@pytest.mark.parametrize(
    "host", ["evil.example:{}", "localhost.evil.example:{}", "localhost:1", "", "{}"]
)
def test_a_foreign_host_gets_nothing(site: Site, host: str) -> None:
    """A page whose name was made to lead to this machine cannot read the site."""
    answer = site.get("/", Host=host.format(site.port))
    assert answer.status == 421
    assert b"<title>" not in answer.body


def test_one_host_and_not_two(site: Site) -> None:
    with socket.create_connection(("127.0.0.1", site.port), MOMENT) as connection:
        names = f"Host: localhost:{site.port}\r\nHost: evil.example\r\n"
        connection.sendall(f"GET / HTTP/1.1\r\n{names}\r\n".encode())
        assert connection.recv(100).startswith(b"HTTP/1.0 421")


def test_without_a_404_page_a_line_of_text(tmp_path: Path) -> None:
    """Before the first print, and after somebody removed the folder."""
    templates = tmp_path / "templates"
    templates.mkdir()
    running = Running(tmp_path / "none", templates, ended)
    answer = Site(tmp_path, running.port).get("/")
    running.end()
    assert (answer.status, answer.body) == (404, b"there is no such page\n")


def test_only_the_loopback_listens(site: Site) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing; tells our own address
        except OSError:
            pytest.skip("this machine has no address but the loopback's")
        own = probe.getsockname()[0]
    with pytest.raises(OSError):
        socket.create_connection((own, site.port), 5)


def test_a_taken_port_is_said_before_anything_is_printed(
    site: Site, tmp_path: Path
) -> None:
    with pytest.raises(ServeError, match="--port 0") as caught:
        serve(
            tmp_path,
            site.port,
            WatchedPaths((tmp_path,), tmp_path / "out"),
            build=pytest.fail,
            rebuild=nothing,
            listening=pytest.fail,
        )
    assert caught.value.exit_code == 1


def test_a_change_prints_again_and_is_served(tmp_path: Path) -> None:
    templates, out = tmp_path / "templates", tmp_path / "templates/out"
    (templates / "site").mkdir(parents=True)
    out.mkdir()
    printed = threading.Semaphore(0)

    def again() -> None:
        text = (templates / "site/page.j2").read_text()
        (out / "index.html").write_text(text)
        printed.release()
        if text == "end":
            raise KeyboardInterrupt

    running = Running(out, templates, again)
    for text in ("one", "two", "end"):
        # As an editor does it: a new file in the place of the old one.
        (templates / "new~").write_text(text)
        (templates / "new~").replace(templates / "site/page.j2")
        assert printed.acquire(timeout=MOMENT)
        if text != "end":
            assert Site(out, running.port).get("/").body.decode() == text
    running.thread.join(MOMENT)
    # What is printed into a folder of templates is not taken for a template.
    assert not printed.acquire(blocking=False)


def test_what_counts_as_a_change(tmp_path: Path) -> None:
    folder, file = tmp_path / "templates", tmp_path / "options/words.toml"
    for each in (folder, file.parent, folder / "out"):
        each.mkdir()
    file.touch()
    watched = WatchedPaths((folder, file), folder / "out")
    assert set(watched.folders) == {folder, file.parent}
    assert watched.counts(folder / "site/new/page.j2")
    assert watched.counts(file)
    assert not watched.counts(file.with_name("other.toml"))
    assert not watched.counts(folder / "out/site/index.html")
    assert watched.counts(folder / "outer.j2")


def test_what_changes_during_the_first_print_is_not_lost(tmp_path: Path) -> None:
    template = tmp_path / "page.j2"
    printed = threading.Event()

    def again() -> None:
        printed.set()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        serve(
            tmp_path / "out",
            0,
            WatchedPaths((tmp_path,), tmp_path / "out"),
            build=lambda: template.touch(),
            rebuild=again,
            listening=lambda _: None,
        )
    assert printed.is_set()


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


class Served:
    """The command in a process: its lines, as they come."""

    def __init__(self, run: Command, *arguments: str) -> None:
        # A shell that runs the tests in the background has SIGINT ignored.
        self.process = run.popen(
            "serve",
            *arguments,
            "--port",
            "0",
            start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        self.watchdog = threading.Timer(MOMENT, self.process.kill)
        self.watchdog.start()

    def says(self, pattern: str) -> re.Match[str]:
        """The next line on standard output, which has to match."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        match = re.match(pattern, line)
        if match is None:
            self.process.kill()
            raise AssertionError((line, self.process.communicate()))
        return match

    def complains(self, pattern: str) -> None:
        """The lines on standard error, up to one that matches."""
        assert self.process.stderr is not None
        seen = []
        for line in self.process.stderr:
            seen.append(line)
            if re.match(pattern, line):
                return
        raise AssertionError(seen)

    def end(self) -> tuple[str, str]:
        """Press Ctrl-C, which every process of the terminal's group gets."""
        os.killpg(self.process.pid, signal.SIGINT)
        out, err = self.process.communicate(timeout=MOMENT)
        self.watchdog.cancel()
        assert self.process.returncode == 0, err
        assert "Traceback" not in err
        return out, err


@pytest.fixture
def mine(run: Command) -> Path:
    """A specs folder with a small document, and a target of the user's called site."""
    (run.folder / "specs").mkdir()
    (run.folder / "specs/1.35.json").write_text(json.dumps(document(SMALL)))
    folder = run.folder / "mine/site"
    folder.mkdir(parents=True)
    (folder / "target.toml").write_text(TARGET)
    (folder / "fields.j2").write_text("{{ model.name }}\n")
    return folder


@pytest.mark.skipif(sys.platform == "win32", reason="a Ctrl-C cannot be sent")
def test_a_broken_template_is_said_and_the_server_goes_on(
    run: Command, mine: Path
) -> None:
    served = Served(run, "1.35", "--templates", "mine")
    served.says(r"site: 1 files, .* 1 written, ")
    address = served.says(r"serving generated/site at (http://127\.0\.0\.1:\d+/), ")
    port = int(address[1].split(":")[2].strip("/"))
    folder = run.folder / "generated/site"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "index.html").write_text("as before")

    (mine / "fields.j2").write_text("{{ model.nam }}\n")
    served.complains(r"error: .*mine/site/fields\.j2:1: ")
    assert Site(folder, port).get("/").body == b"as before"

    (mine / "fields.j2").write_text("{{ model.name }}!\n")
    served.says(r"site: 1 files, .* 1 written, ")
    (mine / "target.toml").write_text(TARGET.replace("txt", "md"))
    served.says(r"site: 1 files, .* 1 written, 1 removed, ")
    assert served.end()[0] == ""


def test_a_mistake_at_the_start_ends_it(run: Command, mine: Path) -> None:
    (mine / "fields.j2").write_text("{{ model.nam }}\n")
    done = run("serve", "1.35", "--templates", "mine", "--port", "0")
    assert (done.returncode, done.stdout) == (1, "")
    assert "fields.j2:1: " in done.stderr


def test_the_command_says_that_a_port_is_taken(run: Command, mine: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = run("serve", "1.35", "--templates", "mine", "--port", port)
    assert done.returncode == 1
    assert f"error: port {port}: cannot be listened on" in done.stderr
    assert "--port 0" in done.stderr
    assert not (run.folder / "generated").exists()


@pytest.mark.skipif(
    "site" not in load_targets(None), reason="there is no target site yet"
)
def test_the_site_itself(run: Command, tmp_path: Path) -> None:
    """The built-in target, from two releases to a page in a client."""
    served = Served(run, "1.34", "1.35")
    served.says(r"site: \d+ files, ")
    address = served.says(r"serving generated/site at (http://127\.0\.0\.1:\d+/), ")
    site = Site(tmp_path, int(address[1].split(":")[2].strip("/")))
    assert b'data-release="1.35"' in site.get("/1.35/apps/v1/Deployment/").body
    assert site.get("/1.35/apps/v1/Nothing/").status == 404
    served.end()


def dawdle() -> None:
    """A print that takes longer than anybody waits, with a worker of its own."""
    worker = "import time; print('printing', flush=True); time.sleep(1000)"
    subprocess.run([sys.executable, "-c", worker], check=True)


@pytest.mark.skipif(sys.platform == "win32", reason="a Ctrl-C cannot be sent")
def test_ctrl_c_during_a_print_ends_all_of_its_processes() -> None:
    """And silently: each of them would have a traceback to show."""
    code = (
        "from kubestencil.server import run_in_subprocess\n"
        "from tests.test_serve import dawdle\n"
        "try: run_in_subprocess(dawdle)\n"
        "except KeyboardInterrupt: print('ended', flush=True)"
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
    assert process.stdout.readline() == "printing\n"
    os.killpg(process.pid, signal.SIGINT)
    # This waits until every process that could still write has ended.
    assert process.communicate(timeout=MOMENT) == ("ended\n", "")
