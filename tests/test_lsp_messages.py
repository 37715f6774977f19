"""What ``kubestencil lsp`` makes of messages that are late, broken, huge or hostile: an
answer or an error for each, no traceback, and an exit code of its own."""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest

pytestmark = pytest.mark.nightly

TIMEOUT = 120
POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  contaners: []\n"
URI = "file:///work/pod.yaml"


def framed(body: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def message(method: str, params: Any = None, number: Any = None) -> bytes:
    content = {"jsonrpc": "2.0", "method": method, "params": params}
    content |= {} if number is None else {"id": number}
    return framed(json.dumps(content).encode())


def opening(text: str, uri: str = URI) -> bytes:
    document = {"uri": uri, "languageId": "yaml", "version": 1, "text": text}
    return message("textDocument/didOpen", {"textDocument": document})


INITIALIZE = message("initialize", {"capabilities": {}}, 1)
SHUTDOWN = message("shutdown", None, "last")
EXIT = message("exit")


class Session:
    """A language server that gets bytes."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "kubestencil", "lsp", "--to", "1.35"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **environment},
            # A job in the background of a shell ignores it.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        self._timer = threading.Timer(TIMEOUT, self.process.kill)
        self._timer.start()

    def send(self, *data: bytes) -> None:
        assert self.process.stdin
        for part in data:
            self.process.stdin.write(part)
        self.process.stdin.flush()

    def receive(self) -> Mapping[str, Any] | None:
        """The next message; None at the end."""
        assert self.process.stdout
        length = 0
        while (line := self.process.stdout.readline()).strip():
            name, _, value = line.partition(b":")
            length = int(value) if name == b"Content-Length" else length
        answer: Mapping[str, Any] = json.loads(self.process.stdout.read(length) or "{}")
        return answer or None

    def answer_to(self, number: Any) -> Mapping[str, Any]:
        while answer := self.receive():
            if answer.get("id") == number and "method" not in answer:
                return answer
        raise AssertionError(f"no answer to {number}")

    def diagnostics(self) -> list[Mapping[str, Any]]:
        """Those that are published next."""
        while answer := self.receive():
            if answer.get("method") == "textDocument/publishDiagnostics":
                return list(answer["params"]["diagnostics"])
        raise AssertionError("no diagnostics")

    def end(self) -> tuple[int, str]:
        """The exit code, and what is on standard error, once all is read."""
        assert self.process.stdin and self.process.stderr
        self.process.stdin.close()
        while self.receive():
            pass
        errors = self.process.stderr.read().decode()
        code = self.process.wait(TIMEOUT)
        self._timer.cancel()
        for stream in (self.process.stdout, self.process.stderr):
            assert stream
            stream.close()
        return code, errors


@contextmanager
def session(**environment: str) -> Iterator[Session]:
    opened = Session(environment)
    try:
        yield opened
    finally:
        opened.process.kill()


def outcome(*data: bytes, **environment: str) -> tuple[int, str]:
    """The exit code and the errors of a session that gets bytes and ends."""
    with session(**environment) as editor:
        editor.send(*data)
        return editor.end()


# --- the end of a session


@pytest.mark.parametrize(
    ("data", "code"),
    [
        ([INITIALIZE, opening(POD), SHUTDOWN, EXIT], 0),
        ([INITIALIZE, SHUTDOWN], 0),
        ([INITIALIZE, EXIT], 1),
        ([INITIALIZE, opening(POD)[:-9]], 1),
    ],
    ids=["shutdown", "closed", "exit", "truncated"],
)
def test_a_session_ends_with_a_code_and_without_a_traceback(
    data: list[bytes], code: int
) -> None:
    """Language Server Protocol, exit: 0 after a shutdown, 1 otherwise."""
    assert outcome(*data) == (code, "")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_a_session_whose_input_is_open(number: signal.Signals) -> None:
    with session() as editor:
        editor.send(INITIALIZE)
        editor.answer_to(1)
        editor.process.send_signal(number)
        code = editor.process.wait(TIMEOUT)
        assert code in (1, 130, 143)
        assert "Traceback" not in editor.end()[1]


def test_an_editor_that_is_gone_ends_a_session() -> None:
    with session() as editor:
        editor.send(INITIALIZE)
        editor.answer_to(1)
        assert editor.process.stdout and editor.process.stderr
        editor.process.stdout.close()
        editor.send(opening(POD))
        assert editor.process.wait(TIMEOUT) == 1
        assert editor.process.stderr.read() == b""


# --- messages out of turn


def test_requests_out_of_turn_are_errors() -> None:
    hover = {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 0}}
    with session() as editor:
        editor.send(opening(POD), message("textDocument/hover", hover, 7))
        assert editor.answer_to(7)["error"]["code"] == -32002
        editor.send(INITIALIZE)
        assert "result" in editor.answer_to(1)
        editor.send(message("initialize", {"capabilities": {}}, 2))
        assert editor.answer_to(2)["error"]["code"] == -32600
        editor.send(message("textDocument/hover", {"position": "x"}, 3))
        assert editor.answer_to(3)["error"]["code"] == -32602
        editor.send(message("textDocument/hover", hover, 4))
        assert editor.answer_to(4)["result"] is None
        editor.send(SHUTDOWN, message("textDocument/hover", hover, 5))
        assert editor.answer_to(5)["error"]["code"] == -32600
        editor.send(EXIT)
        assert editor.end() == (0, "")


def test_a_text_that_is_not_open_is_not_read_from_the_disk(tmp_path: Any) -> None:
    """It may be a pipe that nobody writes into, or any file of the account."""
    os.mkfifo(tmp_path / "a.yaml")
    uri = (tmp_path / "a.yaml").as_uri()
    at = {"textDocument": {"uri": uri}, "position": {"line": 3, "character": 1}}
    whole = {"start": at["position"], "end": at["position"]}
    actions = {**at, "range": whole, "context": {"diagnostics": []}}
    change = {
        "textDocument": {"uri": uri, "version": 2},
        "contentChanges": [{"text": POD}],
    }
    with session() as editor:
        editor.send(
            INITIALIZE,
            message("textDocument/didChange", change),
            message("textDocument/hover", at, 2),
            message("textDocument/completion", at, 3),
            message("textDocument/codeAction", actions, 4),
            SHUTDOWN,
            EXIT,
        )
        assert editor.answer_to(2)["result"] is None
        assert editor.answer_to(3)["result"]["items"] == []
        assert not editor.answer_to(4)["result"]
        assert editor.end() == (0, "")


# --- many findings


def config_map(entries: int) -> str:
    """A ConfigMap whose values all have the wrong type."""
    head = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n"
    return head + "".join(f"  key{index}: {index}\n" for index in range(entries))


def test_the_most_severe_findings_are_shown_and_the_others_counted() -> None:
    with session() as editor:
        editor.send(INITIALIZE, opening(config_map(1_200)))
        diagnostics = editor.diagnostics()
        assert len(diagnostics) == 1_001
        assert diagnostics[-1]["message"].startswith("200 findings are not shown")
        editor.send(SHUTDOWN, EXIT)
        assert editor.end() == (0, "")


@pytest.mark.growth
def test_the_time_of_a_check_grows_with_the_findings() -> None:
    def seconds(entries: int) -> float:
        start = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        assert outcome(INITIALIZE, opening(config_map(entries)), SHUTDOWN, EXIT)[0] == 0
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - start

    nothing, small, large = (seconds(entries) for entries in (1, 2_000, 8_000))
    # Four times the findings: 34 seconds where each splits the text again.
    assert large - nothing < 6 * (small - nothing) + 0.5, (nothing, small, large)


def test_columns_are_counted_in_units_of_utf_16() -> None:
    """Lines end where those of editors do, and nowhere else."""
    text = f'{POD}  "😀": 1 # \u2028\n  "😀a": 1\n'
    with session() as editor:
        editor.send(INITIALIZE, opening(text))
        ranges = [found["range"] for found in editor.diagnostics()]
        for line, units in (5, 4), (6, 5):
            start, end = ({"line": line, "character": at} for at in (2, 2 + units))
            assert {"start": start, "end": end} in ranges
        editor.send(SHUTDOWN, EXIT)
        assert editor.end() == (0, "")


# --- random messages

METHODS = [
    "initialize", "initialized", "shutdown", "textDocument/didOpen", "textDocument/didChange",
    "textDocument/didClose", "textDocument/didSave", "textDocument/hover",
    "textDocument/completion", "textDocument/codeAction", "textDocument/rename",
    "workspace/executeCommand", "workspace/didChangeWorkspaceFolders",
    "workspace/didChangeConfiguration", "notebookDocument/didOpen", "$/cancelRequest",
    "$/setTrace", "window/workDoneProgress/cancel", "", "exit/", "completionItem/resolve",
]  # fmt: skip
URIS = [
    URI, "file:///a%00b.yaml", "untitled:Untitled-1", "git:/etc/passwd", "", "file://[",
    "file://host/share/a.yaml", "https://example.com/a.yaml", "file:///etc/shadow",
    "file:///dev/zero", "/etc/passwd", "%", "file:///" + "a/" * 3000 + "b.yaml", "file:",
    "file:///work/🙂.yaml", "file:///work/kustomization.yaml",
]  # fmt: skip
TEXTS = [
    POD, "", "\n", "\ud800", "\x00", "a: 😀\n" * 40, POD.replace("\n", "\r\n"), "{" * 5000,
    POD.replace("\n", "\u2028"), "a: &a [*a]", "- " * 2000, config_map(30), "\t", "%",
    POD + "  contaners:\n", "kind: Pod\n", '{"apiVersion": "v1", "kind": "Pod", "x": 1}',
]  # fmt: skip
NUMBERS = [0, 1, 4, 5, 99, -1, 2**31, 2**63, 10**30, 1.5, None, "1", True]


def random_value(chance: random.Random, depth: int = 0) -> Any:
    kind = chance.randrange(7 if depth < 3 else 4)
    if kind < 2:
        return chance.choice(NUMBERS)
    if kind < 4:
        return chance.choice([*URIS, *TEXTS])
    values = [random_value(chance, depth + 1) for _ in range(chance.randrange(4))]
    keys = ["jsonrpc", "id", "method", "uri", "text", "position", "range"]
    return values if kind < 5 else {chance.choice(keys): value for value in values}


def random_params(chance: random.Random) -> Any:
    uri, text = chance.choice(URIS), chance.choice(TEXTS)

    def at() -> Any:
        return {"line": chance.choice(NUMBERS), "character": chance.choice(NUMBERS)}

    spot = {"start": at(), "end": at()}
    changes: list[Any] = [{"text": text}, {"text": text, "range": spot}]
    params: dict[str, Any] = {
        "textDocument": {"uri": uri, "languageId": "yaml", "version": 1, "text": text},
        "position": at(),
        "range": spot,
        "context": {"diagnostics": []},
        "contentChanges": chance.sample(changes, chance.randrange(3)),
        "capabilities": {},
    }
    for _ in range(chance.choice([0, 0, 1, 2])):
        params[chance.choice(list(params))] = random_value(chance)
    return random_value(chance) if chance.random() < 0.1 else params


def random_message(chance: random.Random, number: int) -> bytes:
    kind = chance.random()
    if kind < 0.04:
        return framed(b"[" * 100_000)
    if kind < 0.08:
        return framed(chance.randbytes(chance.randrange(1, 40)))
    if kind < 0.12:
        return framed(json.dumps(random_value(chance)).encode())
    numbered = chance.choice([None, number, str(number)])
    data = message(chance.choice(METHODS[3:]), random_params(chance), numbered)
    if kind < 0.16:
        body = bytearray(data.partition(b"\r\n\r\n")[2])
        body[chance.randrange(len(body))] = chance.randrange(256)
        return framed(bytes(body))
    return data


@pytest.mark.parametrize(
    "seed", range(int(os.environ.get("KUBESTENCIL_SESSIONS", "1")))
)
def test_random_messages_end_no_session(seed: int) -> None:
    """After each of them, a text is checked as ever."""
    chance = random.Random(seed)
    with session() as editor:
        editor.send(INITIALIZE)
        editor.answer_to(1)
        for number in range(10, 14):
            batch = [random_message(chance, number * 100 + at) for at in range(50)]
            hover = message("textDocument/hover", hover_at(4, 4), number)
            # Neither waits for the other.
            sender = threading.Thread(
                target=editor.send, args=(*batch, opening(POD), hover)
            )
            sender.start()
            assert editor.answer_to(number)["result"] is None, batch
            sender.join()
        editor.send(SHUTDOWN, EXIT)
        assert editor.end() == (0, "")


def hover_at(line: int, character: int) -> Mapping[str, Any]:
    return {
        "textDocument": {"uri": URI},
        "position": {"line": line, "character": character},
    }
