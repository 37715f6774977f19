"""The generated client and an HTTP server that behaves badly, or has a kubelet: retries,
timeouts, watches, logs, commands in containers, proxies, kubeconfig."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import pickle
import signal
import socket
import threading
import time
import traceback
import warnings
from collections.abc import AsyncGenerator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest

from tests.answering_server import (
    POD,
    PODS,
    Answer,
    Server,
    answer,
    ended,
    event,
    hang_up,
    kubelet,
    make_client,
    make_core,
    pod_list,
    send,
    serve,
    status,
    stream,
)

pytest.importorskip("httpcore2", reason="httpcore2 is not installed")
wsproto = pytest.importorskip("wsproto", reason="wsproto is not installed")


@pytest.fixture(scope="module")
def package(client_modules: tuple[Any, Any]) -> Any:
    return client_modules[0]


@pytest.fixture(scope="module")
def aio(client_modules: tuple[Any, Any]) -> Any:
    return client_modules[1]


@pytest.fixture
def server() -> Iterator[Server]:
    with serve() as server:
        yield server


PASSING = [
    ("429", [status(429, "later")], True),
    ("429 with Retry-After", [status(429, "later", Retry_After="1")], True),
    ("503 with Retry-After", [status(503, "later", Retry_After="1")], True),
    ("503", [status(503, "later")], False),
    ("502", [answer(b"<html>", 502)], False),
    ("a closed connection", [hang_up], False),
]


@pytest.mark.parametrize(("answers", "also_created"), [row[1:] for row in PASSING])
def test_only_what_has_no_effect_is_sent_again(
    package: Any, server: Server, answers: list[Answer], also_created: bool
) -> None:
    retries: list[Any] = []
    core = make_core(package, server.url, on_retry=retries.append)
    server.answers = [*answers, answer(POD)]
    assert core.read_namespaced_pod("a", "default").metadata.name == "a"
    assert [retry.attempt for retry in retries] == [1]
    assert retries[0].path == f"{PODS}/a"
    server.answers = [*answers, answer(POD, 201)]
    server.requests.clear()
    if also_created:
        core.create_namespaced_pod("default", POD)
        assert len(server.requests) == 2
    else:
        with pytest.raises((package.StatusError, package.ConnectionFailed)):
            core.create_namespaced_pod("default", POD)
        assert len(server.requests) == 1


def test_server_side_apply_is_sent_again(package: Any, server: Server) -> None:
    core = make_core(package, server.url)
    server.answers = [hang_up, answer(POD)]
    core.apply_namespaced_pod("a", "default", POD, field_manager="me")
    assert server.paths()[1] == f"{PODS}/a?fieldManager=me"
    assert server.requests[1].headers["Content-Type"] == "application/apply-patch+yaml"
    sent = json.loads(server.requests[1].body)
    assert (sent["apiVersion"], sent["kind"]) == ("v1", "Pod")


def test_a_refused_connection_is_tried_again_until_it_fails(package: Any) -> None:
    with closing(socket.socket()) as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"
    retries: list[Any] = []
    retry = package.Retry(attempts=3, delay=0.001)
    core = make_core(package, url, retry=retry, on_retry=retries.append)
    with pytest.raises(package.ConnectionFailed) as error:
        core.create_namespaced_pod("default", POD)
    assert not error.value.sent
    assert len(retries) == 2


def test_what_the_server_warns_of_reaches_the_program(
    package: Any, server: Server
) -> None:
    texts = ['v1 "Endpoints" is deprecated', "b, 299 - c"]
    header = r'299 - "v1 \"Endpoints\" is deprecated", 299 - "b, 299 - c"'
    server.answers = [answer(POD, Warning=header)]
    with pytest.warns(package.ServerWarning) as caught:
        make_core(package, server.url).read_namespaced_pod("a", "default")
    # Garbage of other tests may warn of its sockets at any moment.
    messages = [
        str(warning.message)
        for warning in caught
        if warning.category is package.ServerWarning
    ]
    assert messages == texts
    found: list[str] = []
    core = make_core(package, server.url, on_warning=found.append)
    server.answers = [answer(POD, Warning=header), status(404, "no", Warning=header)]
    core.read_namespaced_pod("a", "default")
    with pytest.raises(package.ApiException) as error:
        core.read_namespaced_pod("a", "default")
    assert error.value.status == 404
    assert found == texts * 2
    copied = pickle.loads(pickle.dumps(error.value))
    assert (copied.status, copied.headers) == (404, error.value.headers)
    assert copied.headers["warning"] == header


def test_a_failure_is_a_typed_status(package: Any, server: Server) -> None:
    core = make_core(package, server.url)
    details = {
        "name": "a",
        "kind": "pods",
        "causes": [{"field": "spec", "message": "no"}],
    }
    body = {"status": "Failure", "code": 422, "reason": "Invalid", "details": details}
    server.answers = [answer(body, 422)]
    with pytest.raises(package.Invalid) as error:
        core.replace_namespaced_pod("a", "default", POD)
    assert error.value.details.causes[0].field == "spec"
    assert len(server.requests) == 1
    for code in (400, 403, 404, 405, 409, 410, 415, 418, 500):
        server.answers = [answer(b"not JSON", code)]
        with pytest.raises(package.StatusError, match="not JSON") as other:
            core.delete_namespaced_pod("a", "default")
        assert other.value.status == code


def test_nothing_waits_longer_than_its_timeout(package: Any, server: Server) -> None:
    server.answers = [lambda _: time.sleep(0.5)] * 2
    core = make_core(package, server.url, timeout=0.05, retry=package.NO_RETRY)
    with pytest.raises(package.TimedOut) as error:
        core.read_namespaced_pod("a", "default")
    assert error.value.sent
    core = make_core(package, server.url, retry=package.NO_RETRY)
    with pytest.raises(package.TimedOut):
        core.read_namespaced_pod("a", "default", timeout=0.05)


def test_watches_and_followed_logs_may_be_silent(package: Any, server: Server) -> None:
    """For longer than an answer may take: nothing happens there."""
    added, line = event("ADDED", "6"), b"one\n"
    server.answers = [stream(added, pause=1), *[stream(line, pause=1)] * 2]
    core = make_core(package, server.url, timeout=0.5, retry=package.NO_RETRY)
    with core.list_namespaced_pod.watch("default", resource_version="1") as events:
        assert isinstance(next(events), package.Added)
    log = core.read_namespaced_pod_log
    assert list(log.lines("a", "default", follow=True)) == ["one"]
    with pytest.raises(package.TimedOut):
        list(log.lines("a", "default", follow=True, timeout=0.5))
    assert len(server.paths()) == 3


def test_connections_are_probed(
    package: Any, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By TCP, so that a server that has vanished without a word is found."""
    probed = []
    set_option = socket.socket.setsockopt

    class Socket(socket.socket):
        def setsockopt(self, *option: Any) -> None:
            set_option(self, *option)
            probed.append(option)

    monkeypatch.setattr(socket, "socket", Socket)
    server.answers.append(answer(pod_list("1")))
    make_core(package, server.url).list_namespaced_pod("default")
    assert (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1) in probed


@pytest.mark.parametrize("name", ["", ".", "..", "a/b"])
def test_a_name_cannot_lead_to_another_path(
    package: Any, server: Server, name: str
) -> None:
    """An empty name would delete all objects."""
    core = make_core(package, server.url)
    with pytest.raises(ValueError, match="name"):
        core.delete_namespaced_pod(name, "default")
    with pytest.raises(ValueError, match="namespace"):
        core.delete_collection_namespaced_pod(name)
    assert server.requests == []


def test_arguments_are_checked(package: Any, server: Server) -> None:
    core = make_core(package, server.url)
    for arguments, named, message in (
        (("a", "b", "c"), {}, "takes 2 positional"),
        (("a",), {}, "needs the argument 'namespace'"),
        (("a", "b"), {"name": "c"}, "two values for 'name'"),
        (("a", "b"), {"prety": "c"}, "did you mean 'pretty'"),
    ):
        with pytest.raises(TypeError, match=message):
            core.read_namespaced_pod(*arguments, **named)
    assert server.requests == []


def test_bodies_are_decompressed(package: Any, server: Server) -> None:
    core = make_core(package, server.url, retry=package.NO_RETRY)
    data = gzip.compress(json.dumps(POD).encode())
    server.answers = [answer(data, Content_Encoding="gzip")]
    assert core.read_namespaced_pod("a", "default").metadata.name == "a"
    server.answers = [answer(data[:-9], Content_Encoding="gzip")]
    with pytest.raises(package.ClientError, match="cut off"):
        core.read_namespaced_pod("a", "default")


def test_a_list_that_expires_goes_on(package: Any, server: Server) -> None:
    expired = {"code": 410, "reason": "Expired", "metadata": {"continue": "newer"}}
    server.answers = [
        answer(pod_list("5", "a", "b", token="older")),
        answer(expired, 410),
        answer(pod_list("9", "c")),
    ]
    core = make_core(package, server.url)
    items = core.list_namespaced_pod.items("default", resource_version="5")
    assert [item.metadata.name for item in items] == ["a", "b", "c"]
    assert server.paths()[1:] == [
        f"{PODS}?limit=500&continue={token}" for token in ("older", "newer")
    ]


def test_listed_objects_say_what_they_are(package: Any, server: Server) -> None:
    """API servers leave out both in lists."""
    item = {"metadata": {"name": "a"}, "spec": {"containers": []}}
    server.answers = [answer({"kind": "PodList", "items": [item, item]})] * 4
    pods = make_core(package, server.url).list_namespaced_pod
    lists = [pods("default").items, next(pods.pages("default")).items]
    lists += [list(pods.items("default")), next(pods.watch("default")).items]
    for pod in (pod for listed in lists for pod in listed):
        assert (pod.api_version, pod.kind) == ("v1", "Pod")


def test_a_list_that_goes_on_where_it_was_ends(package: Any, server: Server) -> None:
    """Otherwise it would be read for ever."""
    expired = {"code": 410, "reason": "Expired", "metadata": {"continue": "x"}}
    core = make_core(package, server.url)
    for again in (answer(pod_list("5", "b", token="x")), answer(expired, 410)):
        server.answers = [answer(pod_list("5", "a", token="x")), again]
        items = core.list_namespaced_pod.items("default")
        with pytest.raises(package.ClientError, match=r"where it was|410"):
            list(items)
        assert not server.answers


def test_a_watch_goes_on_where_it_was(package: Any, server: Server) -> None:
    """After a closed connection, a broken one and a bookmark; only 410 begins anew."""
    gone = json.dumps({"type": "ERROR", "object": {"code": 410}}).encode() + b"\n"
    busy = json.dumps({"type": "ERROR", "object": {"code": 500}}).encode() + b"\n"
    added = event("ADDED", "6", "ü")
    server.answers = [
        answer(pod_list("5", "a")),
        stream(added[:20], added[20:90], added[90:]),
        stream(event("MODIFIED", "7") + event("BOOKMARK", "8"), b'{"type', is_cut=True),
        hang_up,
        stream(busy),
        stream(event("DELETED", "9"), gone),
        answer(pod_list("20", "b")),
        status(410, "gone"),
        answer(pod_list("30", "c")),
        stream(event("ADDED", "31")),
    ]
    core = make_core(package, server.url)
    events = list(islice(core.list_namespaced_pod.watch("default"), 8))
    kinds = [type(item).__name__ for item in events]
    assert kinds == [
        *("Listed", "Added", "Modified", "Bookmark", "Deleted", "Listed", "Listed"),
        "Added",
    ]
    assert [item.reason for item in events if isinstance(item, package.Listed)] == [
        *("start", "gone", "gone"),
    ]
    assert events[1].object.metadata.name == "ü"
    assert events[3] == package.Bookmark("8")
    versions = [
        path.partition("resourceVersion=")[2]
        for path in server.paths()
        if "watch" in path
    ]
    assert versions == ["5", "6", "8", "8", "8", "20", "30"]


def test_a_watch_that_may_not_be_fails(package: Any, server: Server) -> None:
    server.answers = [answer(pod_list("5")), status(403, "no")]
    core = make_core(package, server.url)
    with pytest.raises(package.Forbidden):
        list(core.list_namespaced_pod.watch("default"))
    server.answers = [stream(b"not JSON\n")]
    with pytest.raises(package.ClientError, match="not valid"):
        list(core.list_namespaced_pod.watch("default", resource_version="1"))


def test_a_watch_ends_after_its_time(package: Any, server: Server) -> None:
    server.answers = [stream(event("ADDED", "6"))] * 100
    retry = package.Retry(delay=0.2)
    core = make_core(package, server.url, retry=retry)
    watch = core.list_namespaced_pod.watch(
        "default", resource_version="1", timeout_seconds=1
    )
    assert 1 < len(list(watch)) < 20
    assert "timeoutSeconds=1" in server.paths()[0]


def test_logs_are_read_as_they_come(package: Any, aio: Any, server: Server) -> None:
    path = f"{PODS}/a/log"
    core = make_core(package, server.url)
    server.answers = [answer(b"one\ntwo\n")]
    assert core.read_namespaced_pod_log("a", "default") == "one\ntwo\n"
    pieces = [b"one\nt", b"wo\n\n", "ü".encode()[:1], "ü".encode()[1:]]
    server.answers = [stream(*pieces)] * 2
    lines = core.read_namespaced_pod_log.lines("a", "default", follow=True)
    assert list(lines) == ["one", "two", "", "ü"]
    assert server.paths()[1] == f"{path}?follow=true"

    async def read() -> list[str]:
        config = package.Config(server=server.url)
        async with package.AsyncClient(config) as client:
            log = aio.CoreV1Api(client).read_namespaced_pod_log
            return [line async for line in log.lines("a", "default", follow=True)]

    assert asyncio.run(read()) == ["one", "two", "", "ü"]


def run_upper(receive: Any, write: Any) -> None:
    """A command that writes its input in upper case, until its input ends."""
    write(1, b"")
    while (message := receive()) != b"\xff\x00":
        channel = 2 if message[0] == 4 else 1
        write(channel, message[1:].upper())
    write(3, ended(3))


def log_server(handler: BaseHTTPRequestHandler) -> None:
    """Two Pods, of which one has a container that has not run; logs say whose they are."""
    path, _, query = handler.path.partition("?")
    if path == PODS:
        containers = [{"name": name} for name in ("one", "two", "waits")]
        statuses = [{"name": name, "containerID": "c"} for name in ("one", "two")]
        pods = [
            {
                "metadata": {"name": name},
                "spec": {
                    "initContainers": [{"name": "init"}],
                    "containers": containers,
                },
                "status": {
                    "initContainerStatuses": [{"name": "init", "containerID": "c"}],
                    "containerStatuses": statuses,
                },
            }
            for name in ("a", "b")
        ]
        return answer({"metadata": {}, "items": pods})(handler)
    container = parse_qs(query)["container"][0]
    pod = path.split("/")[-2]
    return stream(f"{pod} {container} 1\n".encode(), b"2\n")(handler)


@pytest.mark.parametrize("follow", [False, True])
def test_logs_of_all_containers_of_a_selector(
    package: Any, server: Server, follow: bool
) -> None:
    server.answers = [log_server] * 14
    expected = [
        (pod, container, text)
        for pod in ("a", "b")
        for container in ("init", "one", "two")
        for text in (f"{pod} {container} 1", "2")
    ]
    arguments = {"follow": follow, "tail_lines": 5}
    with make_client(package, server.url) as client:
        lines = list(client.logs("app=web", **arguments))
    assert lines == expected if not follow else sorted(lines) == sorted(expected)
    assert server.paths()[0].startswith(f"{PODS}?labelSelector=app%3Dweb")
    assert all("tailLines=5" in path for path in server.paths()[1:])

    async def read() -> list[Any]:
        config = package.Config(server=server.url)
        async with package.AsyncClient(config) as client:
            return [line async for line in client.logs("app=web", **arguments)]

    lines = asyncio.run(read())
    assert lines == expected if not follow else sorted(lines) == sorted(expected)


def test_a_program_leaves_the_logs_that_it_follows(
    package: Any, server: Server
) -> None:
    """No thread goes on reading, and a log that fails is an error."""
    ends = threading.Event()

    def endless(handler: BaseHTTPRequestHandler) -> None:
        if handler.path.partition("?")[0] == PODS:
            log_server(handler)
            return
        handler.send_response(200)
        handler.end_headers()
        handler.close_connection = True
        with suppress(OSError):
            while True:
                handler.wfile.write(b"line\n" * 1000)
        ends.set()

    server.answers = [endless] * 7
    with make_client(package, server.url) as client:
        lines = client.logs("app=web", follow=True)
        assert next(lines).text == "line"
        lines.close()
        assert ends.wait(60)
        reading = [
            thread for thread in threading.enumerate() if "(read)" in thread.name
        ]
        for thread in reading:
            thread.join(60)
        assert not any(thread.is_alive() for thread in reading)
    server.answers = [log_server, *[status(403, "not yours")] * 6]
    with (
        make_client(package, server.url) as client,
        pytest.raises(package.Forbidden, match="not yours"),
    ):
        list(client.logs("app=web", follow=True))


def test_commands_run_in_containers(package: Any, aio: Any, server: Server) -> None:
    def run_ls(_: Any, write: Any) -> None:
        write(1, b"a\n" * 50_000)
        write(2, b"oops")
        write(3, ended(0))

    exec_ = make_core(package, server.url).connect_get_namespaced_pod_exec
    server.answers = [kubelet(run_ls)]
    result = exec_("a", "default", command=["ls", "-l a"], stdout=True, stderr=True)
    assert (result.stdout, result.stderr) == (b"a\n" * 50_000, b"oops")
    assert result.exit_code == 0
    query = "command=ls&command=-l+a&stderr=true&stdout=true"
    assert server.paths() == [f"{PODS}/a/exec?{query}"]
    server.answers = [kubelet(run_upper)] * 2
    with exec_.open("a", "default", command=["sh"], stdin=True, stdout=True) as session:
        outputs = iter(session)
        session.write("abc")
        assert next(outputs) == ("stdout", b"ABC")
        session.resize(80, 25)
        assert json.loads(next(outputs).data.lower()) == {"width": 80, "height": 25}
        session.close_stdin()
        assert list(outputs) == []
        assert session.exit_code == 3

    async def use() -> Any:
        config = package.Config(server=server.url)
        async with package.AsyncClient(config) as client:
            exec_ = aio.CoreV1Api(client).connect_get_namespaced_pod_exec
            async with await exec_.open("a", "default", command=["sh"]) as session:
                await session.write(b"abc")
                await session.close_stdin()
                return await session.result()

    result = asyncio.run(use())
    assert (result.stdout, result.exit_code) == (b"ABC", 3)


def test_older_kubelets_cannot_close_the_input(package: Any, server: Server) -> None:
    exec_ = make_core(package, server.url).connect_get_namespaced_pod_exec
    server.answers = [kubelet(lambda *_: None, "v4.channel.k8s.io")]
    with (
        exec_.open("a", "default", command=["sh"], stdin=True) as session,
        pytest.raises(package.ClientError, match="v5"),
    ):
        session.close_stdin()


def test_a_command_that_is_refused_or_cut_off_fails(
    package: Any, server: Server
) -> None:
    exec_ = make_core(package, server.url).connect_get_namespaced_pod_exec
    server.answers = [status(403, "no"), hang_up]
    with pytest.raises(package.Forbidden):
        exec_("a", "default", command=["sh"])
    with pytest.raises(package.ConnectionFailed):
        exec_("a", "default", command=["sh"])
    assert len(server.requests) == 2  # A command does not run twice.


def forwarded(package: Any) -> list[str]:
    return [name for name in dir(package.CoreV1Api) if name.startswith("connect_")]


def test_every_forwarded_operation_is_answered(package: Any, server: Server) -> None:
    """Those that the API server of the other tests refuses, since it has no kubelet."""
    core = make_core(package, server.url)
    called = 0
    for name in forwarded(package):
        method = getattr(core, name)
        operation = vars(type(core).__mro__[1])[name]
        is_session = type(operation).__name__ == "ExecOperation"
        server.answers = [
            (
                kubelet(lambda _, write: write(3, ended(0)))
                if is_session
                else answer(b"text")
            )
        ]
        arguments = [
            value
            for argument, value in (("name", "a"), ("namespace", "b"), ("path", "c/d"))
            if f"{{{argument}}}" in operation.path
        ]
        result = method(*arguments)
        if is_session:
            assert result.exit_code == 0
        else:
            assert result == ("" if operation.method == "HEAD" else "text")
        assert server.requests[-1].command == operation.method
        called += 1
    assert called == 48


def silence(seen: threading.Event, first: bytes = b"") -> Answer:
    """Nothing after ``first``, until the other side ends the connection."""

    def wait(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(first)
        seen.set()
        handler.close_connection = True
        with suppress(OSError):
            handler.connection.recv(1)

    return wait


CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
#: What a client can wait for: how it is called, and what the server sends of an answer.
WAITS: dict[str, tuple[Callable[[Any], Any], bytes | None]] = {
    "headers": (lambda core: core.read_namespaced_pod("a", "b"), b""),
    "a body": (lambda core: core.read_namespaced_pod("a", "b"), CHUNKED + b"1\r\n{"),
    "events": (
        lambda core: core.list_namespaced_pod.watch("b", resource_version="1"),
        CHUNKED,
    ),
    "lines": (lambda core: core.read_namespaced_pod_log.lines("a", "b"), CHUNKED),
    "a retry": (lambda core: core.read_namespaced_pod("a", "b"), None),
}


@pytest.mark.parametrize("wait", WAITS)
def test_close_ends_what_another_thread_waits_for(
    package: Any, server: Server, wait: str
) -> None:
    call, first = WAITS[wait]
    seen = threading.Event()
    server.answers = [hang_up if first is None else silence(seen, first)]
    # Nothing but close() ends these waits.
    client = make_client(
        package,
        server.url,
        timeout=None,
        retry=package.Retry(delay=1e6, longest=1e6),
        on_retry=lambda _: seen.set(),
    )
    errors: list[BaseException] = []

    def work() -> None:
        try:
            list(call(package.CoreV1Api(client)))
        except package.ClientError as error:
            errors.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    assert seen.wait(30)
    client.close()
    thread.join(30)
    assert [type(error) for error in errors] == [package.ClientClosed]
    with pytest.raises(package.ClientClosed, match="make another one"):
        list(call(package.CoreV1Api(client)))
    assert len(server.requests) == 1


@pytest.mark.parametrize("wait", WAITS)
def test_close_ends_what_another_task_waits_for(
    package: Any, aio: Any, server: Server, wait: str
) -> None:
    call, first = WAITS[wait]

    async def work(client: Any) -> None:
        result = call(aio.CoreV1Api(client))
        if isinstance(result, AsyncGenerator):
            await anext(result)
        else:
            await result

    async def main() -> None:
        seen = threading.Event()
        server.answers = [hang_up if first is None else silence(seen, first)]
        client = package.AsyncClient(
            package.Config(server=server.url),
            timeout=None,
            retry=package.Retry(delay=1e6, longest=1e6),
            on_retry=lambda _: seen.set(),
        )
        task = asyncio.create_task(work(client))
        assert await asyncio.to_thread(seen.wait, 30)
        await client.close()
        for waiting in (task, work(client)):
            with pytest.raises(package.ClientClosed):
                await asyncio.wait_for(waiting, 30)
        assert len(server.requests) == 1

    asyncio.run(main())


def test_close_ends_sessions(package: Any, aio: Any, server: Server) -> None:
    def talk(receive: Callable[[], bytes], _: Any) -> None:
        receive()

    def run_until_closed(handler: BaseHTTPRequestHandler) -> None:
        with suppress(OSError, wsproto.utilities.RemoteProtocolError):
            kubelet(talk)(handler)

    async def main() -> None:
        server.answers = [run_until_closed] * 2
        config = package.Config(server=server.url)
        client = package.Client(config)
        session = package.CoreV1Api(client).connect_get_namespaced_pod_exec.open(
            "a", "b", command=["sh"]
        )
        result = asyncio.create_task(asyncio.to_thread(session.result))
        async_client = package.AsyncClient(config)
        run = aio.CoreV1Api(async_client).connect_get_namespaced_pod_exec.open
        async_session = await run("a", "b", command=["sh"])
        async_result = asyncio.create_task(async_session.result())
        await asyncio.sleep(0)
        client.close()
        await async_client.close()
        for waiting in (result, async_result):
            with pytest.raises(package.ClientClosed, match="client is closed"):
                await asyncio.wait_for(waiting, 30)

    asyncio.run(main())


KUBECONFIG = """
current-context: main
contexts: [{{name: main, context: {{cluster: here, user: me, namespace: mine}}}}]
clusters: [{{name: here, cluster: {{server: "{url}"}}}}]
users: [{{name: me, user: {user}}}]
"""


@pytest.fixture
def kubeconfig(tmp_path: Path, server: Server) -> Callable[[Any], Path]:
    def write(user: Any) -> Path:
        path = tmp_path / "config"
        path.write_text(KUBECONFIG.format(url=server.url, user=json.dumps(user)))
        return path

    return write


def authorization(
    package: Any, server: Server, config: Any, count: int = 1
) -> list[str]:
    """The Authorization headers of requests."""
    core = package.CoreV1Api(package.Client(config))
    for _ in range(count):
        core.list_namespace()
    return [request.headers["Authorization"] for request in server.requests]


def test_users_of_a_kubeconfig(
    package: Any, server: Server, kubeconfig: Any, tmp_path: Path
) -> None:
    (tmp_path / "token").write_text("from-file\n")
    for user, header in (
        ({"token": "a"}, "Bearer a"),
        ({"tokenFile": "token", "token": "b"}, "Bearer from-file"),
        ({"username": "u", "password": "p"}, "Basic dTpw"),
        ({}, None),
    ):
        server.requests.clear()
        server.answers = [answer({"items": []})]
        config = package.load_kubeconfig(kubeconfig(user))
        assert config.namespace == "mine"
        assert authorization(package, server, config) == [header]


def test_a_program_gives_credentials_and_new_ones(
    package: Any, server: Server, kubeconfig: Any, tmp_path: Path
) -> None:
    """It is run once, again where its token expires, and where it is refused."""
    program = tmp_path / "login"
    program.write_text(
        "#!/bin/sh\n"
        'echo run >> "$LOG"\n'
        'echo "$KUBERNETES_EXEC_INFO" | grep -q client.authentication.k8s.io/v1 || exit 1\n'
        'count=$(wc -l < "$LOG")\n'
        """printf '{"apiVersion": "client.authentication.k8s.io/v1", """
        """"status": {"token": "t%s"}}' $count\n"""
    )
    program.chmod(0o755)
    plugin = {
        "apiVersion": "client.authentication.k8s.io/v1",
        "command": "./login",
        "env": [{"name": "LOG", "value": str(tmp_path / "log")}],
        "provideClusterInfo": True,
    }
    config = package.load_kubeconfig(kubeconfig({"exec": plugin}))
    lists = [answer({"items": []})] * 2
    server.answers = [*lists, status(401, "expired"), *lists]
    headers = authorization(package, server, config, 4)
    assert headers == [f"Bearer t{number}" for number in (1, 1, 1, 2, 2)]
    for mistake, message in (
        ({"command": "./none"}, "none failed"),
        ({"args": ["\0"]}, "login failed: embedded null byte"),
        ({"env": [{"name": "A=", "value": "b"}]}, "login failed: illegal environment"),
    ):
        config = package.load_kubeconfig(kubeconfig({"exec": {**plugin, **mistake}}))
        with pytest.raises(package.ConfigError, match=message):
            authorization(package, server, config)


def test_threads_whose_token_is_refused_get_one_new_one(
    package: Any, server: Server, tmp_path: Path
) -> None:
    """Also where other failures follow. The program that prints it can take seconds."""
    program = tmp_path / "login"
    program.write_text(
        f"#!/bin/sh\necho >> '{tmp_path}/log'\n"
        """printf '{"apiVersion": "client.authentication.k8s.io/v1", """
        f""""status": {{"token": "t%s"}}}}' $(wc -l < '{tmp_path}/log')\n"""
    )
    program.chmod(0o755)
    plugin = package.ExecPlugin("client.authentication.k8s.io/v1", str(program))
    barrier = threading.Barrier(8)

    def refuse(handler: Any) -> None:
        barrier.wait(30)
        status(401, "expired")(handler)

    server.answers = [refuse] * 8 + [status(503, "later")] * 8 + [answer(POD)] * 8
    config = package.Config(server=server.url, plugin=plugin)
    client = package.Client(config, retry=package.Retry(delay=0.001))
    core = package.CoreV1Api(client)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(core.read_namespaced_pod, ["a"] * 8, ["b"] * 8))
    assert {request.headers["Authorization"] for request in server.requests[8:]} == {
        "Bearer t2"
    }


def test_a_forked_process_has_connections_of_its_own(
    package: Any, server: Server
) -> None:
    """Where two processes read from one, each gets answers for the other. Credentials
    may be locked when it begins."""
    core = make_core(package, server.url)
    server.answers = [answer(POD)] * 9
    core.read_namespaced_pod("a", "b")
    with core.client._credentials._lock, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of Python: threads are not copied
        child = os.fork()
    if child == 0:
        try:
            signal.alarm(30)
            core.read_namespaced_pod("a", "b")
            os._exit(7)
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    core.read_namespaced_pod("a", "b")
    assert len(set(server.peers)) == 2


@pytest.mark.parametrize("seconds", [-5, 10**30, 10**400], ids=["-5", "30", "400"])
def test_an_impossible_time_to_wait_is_bounded(
    package: Any, server: Server, seconds: int
) -> None:
    retries: list[Any] = []
    core = make_core(package, server.url, on_retry=retries.append)
    details = {"retryAfterSeconds": seconds}
    server.answers = [answer({"details": details}, 429), answer(POD)]
    core.read_namespaced_pod("a", "b")
    assert 0 <= retries[0].wait <= core.client.settings.retry.longest


def test_a_user_can_act_as_another(
    package: Any, server: Server, kubeconfig: Any
) -> None:
    """Each group is a header of its own, as API servers expect."""
    user = {
        "token": "t",
        "as": "jane",
        "as-uid": "7",
        "as-groups": ["dev", "ops, all"],
        "as-user-extra": {"Example.com/Scope": ["a", "b"]},
    }
    server.answers = [answer({"items": []})]
    authorization(package, server, package.load_kubeconfig(kubeconfig(user)))
    headers = server.requests[0].headers
    assert headers.get_all("Impersonate-User") == ["jane"]
    assert headers.get_all("Impersonate-Uid") == ["7"]
    assert headers.get_all("Impersonate-Group") == ["dev", "ops, all"]
    assert headers.get_all("Impersonate-Extra-example.com%2Fscope") == ["a", "b"]
    assert headers.get_all("Authorization") == ["Bearer t"]


def test_several_kubeconfig_files_are_one(
    package: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.write_text(
        "current-context: main\nusers: [{name: me, user: {token: first}}]\n"
    )
    second.write_text(
        KUBECONFIG.format(url="https://h:1/a", user='{"token": "second"}')
    )
    monkeypatch.setenv("KUBECONFIG", f"{first}:{tmp_path / 'none'}:{second}")
    config = package.load_config()
    assert (config.server, config.token) == ("https://h:1/a", "first")
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "none"))
    with pytest.raises(package.ConfigError, match="no kubeconfig"):
        package.load_config()


def test_a_pod_has_its_service_account(
    package: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "token").write_text("t")
    (tmp_path / "ca.crt").write_text("c")
    (tmp_path / "namespace").write_text("n")
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "fd00::1")
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", "443")
    config = package.load_in_cluster_config(tmp_path)
    assert (config.server, config.namespace) == ("https://[fd00::1]:443", "n")
    assert config.token_file == tmp_path / "token"


def test_secrets_are_in_no_message(
    package: Any, server: Server, kubeconfig: Any, tmp_path: Path
) -> None:
    """A marker is in every credential that is wrong; it must be nowhere else."""
    failing = {"apiVersion": "client.authentication.k8s.io/v1", "command": "false"}
    shown: list[str] = []

    def attempt(load: Callable[[], Any]) -> None:
        with pytest.raises(package.ClientError) as caught:
            config = load()
            shown.append(repr(config) + repr(config.plugin))
            authorization(package, server, config)
        shown.append("".join(traceback.format_exception(caught.value)))

    for user in (
        {"token": "SECRET\nSECRET"},
        {"token": "SECRET\x00"},
        {"tokenFile": "token"},
        {"as": "SECRET\r\nx: y", "token": "SECRET"},
        {"client-key-data": "*SECRET", "client-certificate-data": "SECRET"},
        {"client-key-data": "U0VDUkVU", "client-certificate-data": "U0VDUkVU"},
        {"exec": {**failing, "args": ["SECRET"]}},
        {"exec": {**failing, "env": [{"name": "A", "value": "SECRET"}]}},
        {"exec": {**failing, "command": "echo", "args": ["SECRET"]}},
        {"auth-provider": {"config": {"id-token": "SECRET"}}},
    ):
        (tmp_path / "token").write_text("a\nSECRET")
        attempt(partial(package.load_kubeconfig, kubeconfig(user)))
    path = tmp_path / "config"
    for url in (
        *("ftp://u:SECRET@x", "http://u:SECRET@x:y", "http://u:SECRET/x@y"),
        *("ftp://u:SECRET://a@x", "u:SECRET@x", "http://u:SECRET@SECRET\n@x:y"),
    ):
        path.write_text(KUBECONFIG.format(url=url, user="{}"))
        attempt(lambda: package.load_kubeconfig(path))
        shown.append(repr(package.Config(server=url)))
    for text in ("token: SECRET\n  a: b: SECRET", "token: SECRET\n\t- SECRET"):
        path.write_text(text)
        attempt(lambda: package.load_kubeconfig(path))
    assert not [text for text in shown if "SECRET" in text]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[", "not valid YAML"),
        ("[]", "must be an object"),
        ("{}", "no current-context"),
        ("current-context: a", "there is no context 'a'"),
        (KUBECONFIG.format(url="x", user="{}"), "server 'x' is no http or https URL"),
        (KUBECONFIG.format(url="http://x:y", user="{}"), "is no http or https URL: the port is no number"),
        (
            KUBECONFIG.format(url='http://x", proxy-url: "ftp://x', user="{}"),
            "proxy-url 'ftp://x' is no URL of a proxy",
        ),
        (KUBECONFIG.format(url="http://x", user='{"tokenFile": "\\0"}'), "tokenFile must not have a null character"),
        (KUBECONFIG.format(url="http://x", user='{"client-key-data": "é"}'), "client-key-data is not base64"),
        ("current-context: 2021-99-99", "not valid YAML"),
        (KUBECONFIG.format(url="http://x", user="[]"), "must be an object"),
        (
            KUBECONFIG.format(url="http://x", user='{"auth-provider": {"name": "x"}}'),
            "auth-provider x is not supported: name a program .* under exec$",
        ),
        (
            KUBECONFIG.format(url="http://x", user='{"auth-provider": [1]}'),
            "auth-provider is not supported: name a program .* under exec$",
        ),
        (
            KUBECONFIG.format(url="x", user='{"auth-provider": {"name": "oidc"}}'),
            "auth-provider oidc .* under exec, such as kubectl oidc-login$",
        ),
        (
            KUBECONFIG.format(url="x", user='{"auth-provider": {"name": "gcp"}}'),
            "auth-provider gcp .* under exec, such as gke-gcloud-auth-plugin$",
        ),
        (KUBECONFIG.format(url="http://x", user='{"client-key-data": "*"}'), "client-key-data is not base64"),
        (KUBECONFIG.format(url="http://x", user='{"client-key": "none"}'), "none: No such"),
    ],
)  # fmt: skip
def test_mistakes_in_a_kubeconfig_are_named(
    package: Any, tmp_path: Path, text: str, message: str
) -> None:
    path = tmp_path / "config"
    path.write_text(text)
    with pytest.raises(package.ConfigError, match=message):
        package.load_kubeconfig(path)


def test_a_kubeconfig_can_be_a_dict_and_its_contexts_are_listed(
    package: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = {
        "clusters": [{"name": "a", "cluster": {"server": "http://h"}}],
        "contexts": [
            {"name": name, "context": {"cluster": "a", "namespace": name}}
            for name in ("one", "two")
        ],
        "current-context": "one",
    }
    load_dict = package.load_kubeconfig_from_dict
    assert load_dict(content).namespace == "one"
    assert load_dict(content, context="two").namespace == "two"
    with pytest.raises(package.ConfigError, match="kubeconfig: there is no context"):
        load_dict(content, context="three")
    with pytest.raises(package.ConfigError, match="must be an object"):
        load_dict([])
    first, second = tmp_path / "first", tmp_path / "second"
    first.write_text(json.dumps(content))
    second.write_text('{"contexts": [{"name": "two"}, {"name": 3}, {"name": "four"}]}')
    assert package.list_contexts(first) == ["one", "two"]
    monkeypatch.setenv("KUBECONFIG", f"{first}{os.pathsep}{second}")
    assert package.list_contexts() == ["one", "two", "four"]


@contextmanager
def connect_proxy(host: str = "127.0.0.1") -> Iterator[tuple[str, list[str]]]:
    """A proxy, and the first lines of the requests to it."""
    lines: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            lines.append(self.requestline)
            send(self, 200, b'{"items": []}')

        def log_message(self, *_: Any) -> None:
            pass

    class Listener(ThreadingHTTPServer):
        address_family = socket.AF_INET6 if ":" in host else socket.AF_INET

    with Listener((host, 0), Handler) as listener:
        thread = threading.Thread(target=listener.serve_forever)
        thread.start()
        name = f"[{host}]" if ":" in host else host
        yield f"http://{name}:{listener.server_port}", lines
        listener.shutdown()
        thread.join()


def test_proxies_are_those_of_the_configuration_or_the_environment(
    package: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = "GET http://example.com:80/api/v1/namespaces HTTP/1.1"
    with connect_proxy() as (proxy, lines):
        config = package.Config(server="http://example.com", proxy=proxy)
        package.CoreV1Api(package.Client(config)).list_namespace()
        monkeypatch.setenv("http_proxy", proxy)
        config = package.Config(server="http://example.com")
        package.CoreV1Api(package.Client(config)).list_namespace()
    assert lines == [line, line]


def test_addresses_of_ipv6_lead_through_proxies_and_to_them(package: Any) -> None:
    """A proxy does not get a zone, which is one of this machine."""
    try:
        with connect_proxy("::1") as (proxy, lines):
            config = package.Config(server="http://[fe80::1%25lo]", proxy=proxy)
            package.CoreV1Api(package.Client(config)).list_namespace()
    except OSError:
        pytest.skip("this machine has no IPv6")
    assert lines == ["GET http://[fe80::1]:80/api/v1/namespaces HTTP/1.1"]
