"""The command serve: rebuilding after errors, messages, and Ctrl-C."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from kubestencil.source import embedded
from tests.conftest import ROOT, SMALL, Command, make_document
from tests.http_client import TIMEOUT, Client
from tests.test_docs_commands import widgets

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

    def expect_port(self, folder: str = "generated/site") -> int:
        """Read the line that names the server's URL; returns the port."""
        match = self.expect_output(rf"serving {folder} at http://127\.0\.0\.1:(\d+)/ ")
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
    serve_process.expect_output(r"site: 1 files, .* 1 written$")
    port = serve_process.expect_port()
    folder = run.folder / "generated/site"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "index.html").write_text("as before")

    (user_target / "fields.j2").write_text("{{ model.nam }}\n")
    serve_process.expect_error(r"error: .*mine/site/fields\.j2:1: ")
    assert Client(folder, port).get("/").body == b"as before"

    (user_target / "fields.j2").write_text("{{ model.name }}!\n")
    serve_process.expect_output(r"site: 1 files, .* 1 written$")
    (user_target / "target.toml").write_text(TARGET.replace("txt", "md"))
    serve_process.expect_output(r"site: 1 files, .* 1 written$")
    # What the last run wrote is no file that the manifest knows any more.
    serve_process.expect_error(r"warning: .*site\.json names 1 file.*; they stay$")
    assert serve_process.interrupt()[0] == ""


def test_an_error_in_the_first_build_stops_the_command(
    run: Command, user_target: Path
) -> None:
    (user_target / "fields.j2").write_text("{{ model.nam }}\n")
    done = run("serve", "1.35", "--templates", "mine", "--port", "0")
    assert (done.returncode, done.stdout) == (1, "")
    assert "fields.j2:1: " in done.stderr


def test_the_site_of_a_project_follows_its_pages_and_custom_resources(
    run: Command,
) -> None:
    files = {
        "specs/1.35.json": embedded.standard_types().decode(),
        "kubestencil.toml": '[[generate]]\ntarget = ["site"]\nreleases = ["1.35"]\n'
        'output = "docs"\ncrds = ["crds"]\nset = ["site.pages=pages"]\n',
        "pages/index.md": "Ours\n",
        "crds/widgets.yaml": widgets("size"),
        "crds/gadgets.yaml": widgets("size").replace("idget", "adget"),
    }
    for path, text in files.items():
        (run.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (run.folder / path).write_text(text)
    serve_process = ServeProcess(run, "--prune")
    serve_process.expect_output(r"site: \d+ files, ")
    client = Client(run.folder / "docs", serve_process.expect_port("docs"))
    assert b"Ours" in client.get("/").body
    assert client.get("/1.35/example.com/v1/Wadget/").status == 200

    (run.folder / "pages/index.md").write_text("Theirs\n")
    serve_process.expect_output(r"site: \d+ files, ")
    assert b"Theirs" in client.get("/").body
    (run.folder / "pages/notes/example.com").mkdir(parents=True)
    (run.folder / "pages/notes/example.com/Widget.md").write_text("Owner: us\n")
    serve_process.expect_output(r"site: \d+ files, ")
    assert b"Owner: us" in client.get("/1.35/example.com/v1/Widget/").body
    project = run.folder / "kubestencil.toml"
    before = project.read_text()
    project.write_text(before.replace("set = [", 'set = ["site.title=Our API", '))
    serve_process.expect_output(r"site: \d+ files, ")
    assert b"Our API" in client.get("/").body
    project.write_text("generate = 1")
    serve_process.expect_error(r"error: .*kubestencil\.toml")
    project.write_text(before.replace("docs", "elsewhere"))
    serve_process.expect_error(r"error: kubestencil\.toml: names other files")
    serve_process.expect_error(r"  start kubestencil serve again$")
    project.write_text(before)
    serve_process.expect_output(r"site: \d+ files, ")
    (run.folder / "crds/gadgets.yaml").unlink()
    serve_process.expect_output(r"site: \d+ files, ")
    assert client.get("/1.35/example.com/v1/Wadget/").status == 404
    serve_process.interrupt()


@pytest.mark.nightly
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
        "from tests.test_serve_command import build_forever\n"
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
