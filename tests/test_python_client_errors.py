"""What the generated client makes of hostile and broken answers: errors of its own, that
are bounded, say what is wrong, keep secrets, and survive pickling."""

from __future__ import annotations

import asyncio
import copy
import gzip
import json
import pickle
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import aclosing, closing
from pathlib import Path
from typing import Any

import pytest

from tests.answering_server import (
    POD,
    Answer,
    Server,
    answer,
    ended,
    event,
    kubelet,
    make_client,
    pod_list,
    serve,
    status,
    stream,
)
from tests.packages import CLIENT, import_package

pytest.importorskip("httpcore2", reason="httpcore2 is not installed")
pytest.importorskip("wsproto", reason="wsproto is not installed")

#: What moves a cursor, changes colours, and turns text around.
CONTROLS = "\x1b[31m\r\x00\x9b\u202e"
LIMIT = 1 << 20
POD_OBJECT = {"apiVersion": "v1", "kind": "Pod", **POD}
WIDGET = {"apiVersion": "e.com/v1", "kind": "Widget", "metadata": {"name": "a"}}


@pytest.fixture(scope="module")
def modules(client_modules: tuple[Any, Any]) -> tuple[Any, Any]:
    return client_modules


@pytest.fixture(scope="module")
def package(client_modules: tuple[Any, Any]) -> Any:
    return client_modules[0]


@pytest.fixture(scope="module")
def models(client_folder: Path) -> Any:
    return import_package(client_folder, f"{CLIENT}_models")


@pytest.fixture
def server() -> Iterator[Server]:
    with serve() as server:
        yield server


def first(values: Any) -> Any:
    with closing(values):
        return next(values)


async def first_of(values: Any) -> Any:
    async with aclosing(values):
        return await anext(values)


#: Calls by name: how they are made with a client and its CoreV1Api. Those of the second
#: table hand over values.
CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "read": lambda _, core: core.read_namespaced_pod("a", "b"),
    "list": lambda _, core: core.list_namespaced_pod("b"),
    "delete": lambda _, core: core.delete_namespaced_pod("a", "b"),
    "create": lambda client, _: client.create(POD_OBJECT, namespace="b"),
    "a kind to be found": lambda client, _: client.delete(WIDGET),
}
STREAMS: dict[str, Callable[[Any, Any], Any]] = {
    "pages": lambda _, core: core.list_namespaced_pod.pages("b"),
    "items": lambda _, core: core.list_namespaced_pod.items("b"),
    "watch": lambda _, core: core.list_namespaced_pod.watch("b", resource_version="1"),
    "lines": lambda _, core: core.read_namespaced_pod_log.lines("a", "b"),
}


def call(modules: Any, url: str, name: str, *, is_async: bool, **options: Any) -> Any:
    """The result, or the first value, of a call."""
    package, aio = modules
    options.setdefault("retry", package.Retry(delay=0.001, longest=0.01))
    config = package.Config(server=url, token="SECRET")
    if not is_async:
        with package.Client(config, **options) as client:
            core = package.CoreV1Api(client)
            if name in CALLS:
                return CALLS[name](client, core)
            return first(STREAMS[name](client, core))

    async def main() -> Any:
        async with package.AsyncClient(config, **options) as client:
            core = aio.CoreV1Api(client)
            if name in CALLS:
                return await CALLS[name](client, core)
            return await first_of(STREAMS[name](client, core))

    return asyncio.run(main())


both = pytest.mark.parametrize("is_async", [False, True], ids=["blocking", "asyncio"])
every_call = pytest.mark.parametrize("name", [*CALLS, *STREAMS])


def compressed(reply: Answer) -> Answer:
    """An answer as a proxy sends it that compresses all of them."""

    def send(handler: Any) -> None:
        class Compressing:
            def __getattr__(self, name: str) -> Any:
                return getattr(handler, name)

            def send_header(self, name: str, value: str) -> None:
                if name != "Content-Length":
                    handler.send_header(name, value)

            def end_headers(self) -> None:
                handler.send_header("Content-Encoding", "gzip")
                handler.send_header("Connection", "close")
                handler.end_headers()

            @property
            def wfile(self) -> Any:
                return self

            def write(self, data: bytes) -> None:
                handler.close_connection = True
                # Two members are one text.
                handler.wfile.write(gzip.compress(data[:5]) + gzip.compress(data[5:]))

        compressing: Any = Compressing()
        reply(compressing)

    return send


@both
@every_call
def test_a_compressed_error_is_an_error_like_a_plain_one(
    modules: Any, server: Server, name: str, is_async: bool
) -> None:
    package = modules[0]
    server.answers = [compressed(status(403, "not yours"))]
    with pytest.raises(package.Forbidden, match="not yours"):
        call(modules, server.url, name, is_async=is_async)
    later = [status(429, "later"), status(503, "later", Retry_After="1")]
    server.answers = [*map(compressed, later), compressed(status(403, "no"))]
    with pytest.raises(package.Forbidden):
        call(modules, server.url, name, is_async=is_async)
    assert server.answers == []


@both
def test_what_is_compressed_is_read_by_lists_watches_and_logs(
    modules: Any, server: Server, is_async: bool
) -> None:
    package = modules[0]
    for name, reply, expected in (
        ("read", answer(POD), "a"),
        ("items", answer(pod_list("1", "a")), "a"),
        ("watch", answer(event("ADDED", "2")), "a"),
        ("lines", answer(b"a\nb"), "a"),
    ):
        server.answers = [compressed(reply)]
        value = call(modules, server.url, name, is_async=is_async)
        pod = value.object if isinstance(value, package.Added) else value
        assert (pod if name == "lines" else pod.metadata.name) == expected


@pytest.mark.parametrize("encoding", ["br", "gzip, gzip", "gzip"])
def test_a_body_that_cannot_be_decompressed_leaves_the_error_what_it_is(
    package: Any, server: Server, encoding: str
) -> None:
    core = package.CoreV1Api(make_client(package, server.url))
    server.answers = [answer(b"xxxx", 404, Content_Encoding=encoding)]
    with pytest.raises(package.NotFound, match=r"decompressed|encoded"):
        core.read_namespaced_pod("a", "b")
    server.answers = [answer(b"xxxx", Content_Encoding=encoding)]
    with pytest.raises(package.ClientError, match=r"decompressed|encoded"):
        core.read_namespaced_pod("a", "b")
    server.answers = [answer(b"", Content_Encoding="gzip")]
    assert core.read_namespaced_pod_log("a", "b") == ""  # Nothing is no damage.


@both
@every_call
def test_what_an_answer_unpacks_to_is_bounded(
    modules: Any, server: Server, name: str, is_async: bool
) -> None:
    """64 KiB that unpack to 64 MiB, as an answer, as a line and as the text of an error."""
    package = modules[0]
    bomb = gzip.compress(b"a" * (LIMIT // 16)) * 1024
    options: dict[str, Any] = {"is_async": is_async, "max_bytes": LIMIT}
    server.answers = [
        answer(bomb, 200 + 300 * error, Content_Encoding="gzip") for error in (0, 1)
    ]
    tracemalloc.start()
    with pytest.raises(package.ClientError, match=f"more than {LIMIT} bytes"):
        call(modules, server.url, name, **options)
    with pytest.raises(package.ServerError, match=f"more than {LIMIT} bytes"):
        call(modules, server.url, name, **options)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 16 * LIMIT


def test_a_line_without_an_end_is_bounded(modules: Any, server: Server) -> None:
    for name in ("watch", "lines"):
        server.answers = [stream(*[b"a" * (LIMIT // 4)] * 5)]
        with pytest.raises(modules[0].ClientError, match="more than"):
            call(modules, server.url, name, is_async=False, max_bytes=LIMIT)
    assert modules[0].Client(modules[0].Config(server="http://a")).settings.max_bytes


DEEP = b'{"metadata":' * 100_000
MALFORMED = {
    "cut off": b'{"metadata":',
    "no object": b"[1]",
    "wrong types": b'{"metadata":[],"items":{},"resources":[1],"type":1}',
    "wrong metadata": b'{"metadata":{"name":[]},"items":[1],"resources":{},"type":"ADDED"}',
    "not a number": b'{"metadata":{"generation":NaN}}',
    "a huge number": b'{"metadata":{"generation":%s}}' % (b"9" * 5000),
    "deep": DEEP,
    "deep, in full": DEEP + b"1" + b"}" * 100_000,
    "not UTF-8": b'{"metadata":{"name":"\xff"}}',
    "half a surrogate pair": rb'{"metadata":{"name":"\ud800"}}',
    "an event of an unknown type": b'{"type":"\x1b","object":{"metadata":{}}}',
}


@both
@pytest.mark.parametrize("body", MALFORMED)
def test_a_malformed_body_is_an_error_of_the_client(
    modules: Any, server: Server, body: str, is_async: bool
) -> None:
    package = modules[0]
    for name in ("read", "list", "a kind to be found", "items", "watch"):
        server.answers = [answer(MALFORMED[body])]
        with pytest.raises(package.ClientError) as error:
            call(modules, server.url, name, is_async=is_async, retry=package.NO_RETRY)
        assert "\x1b" not in str(error.value)
    server.answers = [answer(MALFORMED[body], 418)]
    with pytest.raises(package.StatusError) as refused:
        call(modules, server.url, "read", is_async=is_async)
    assert refused.value.status == 418


def test_objects_of_unknown_kinds_are_checked_where_they_are_used(
    package: Any, server: Server
) -> None:
    """Conditions can have any form there, and a name leads to no other path."""
    resource = {"name": "../secrets?x=", "kind": "Widget", "namespaced": True}
    with make_client(package, server.url) as client:
        server.answers = [answer({"resources": [{**resource, "name": "../secrets"}]})]
        with pytest.raises(package.ClientError, match="no kind 'Widget'"):
            client.delete(WIDGET)
        resource["name"] = "..%2fsecrets?x="
        server.answers = [answer({"resources": [resource]}), answer({})]
        client.delete(WIDGET)
        assert server.paths()[-1].endswith("/..%252fsecrets%3Fx%3D/a")
        for conditions in (5, {"Ready": "True"}, [{"type": "Ready", "status": "True"}]):
            metadata = {"name": "a", "generation": "x", "resourceVersion": "1"}
            item = {"metadata": metadata, "status": {"conditions": conditions}}
            server.answers = [
                answer({"metadata": {"resourceVersion": "1"}, "items": [item]}),
                status(403, "no more"),
            ]
            with pytest.raises(package.ClientError):
                client.wait(WIDGET, "Ready=False", timeout=5)


def test_a_wait_that_is_too_long_says_for_what(package: Any, server: Server) -> None:
    def is_done(_: Any) -> bool:
        return False

    with make_client(package, server.url) as client:
        for condition, word in (
            ("Ready", "Ready"),
            ("delete", "delete"),
            (is_done, "is_done"),
        ):
            server.answers = [answer(pod_list("1", "a"))]
            with pytest.raises(package.WaitTimedOut) as error:
                client.wait(POD_OBJECT, condition, timeout=0)
            text = f"Pod a: condition {word} is not met after 0 seconds"
            assert str(error.value) == text
        server.answers = [answer(pod_list("1"))]
        pod = {**POD_OBJECT, "metadata": {"name": "a", "uid": "u"}}
        with pytest.raises(package.ClientError, match=r"^Pod a was deleted$"):
            client.wait(pod, "Ready", timeout=5)


def test_zero_is_sent(package: Any, server: Server) -> None:
    """Without the grace period, a deletion would be another one."""
    with make_client(package, server.url) as client:
        server.answers = [answer({})]
        client.delete(POD_OBJECT, grace_period_seconds=0)
    assert server.paths()[0].endswith("?gracePeriodSeconds=0")


@pytest.mark.parametrize(
    ("message", "exit_code"),
    [("3", 3), ("9" * 5000, None), ("\u00b2", None), ("-1", None), ("", None)],
)
def test_an_exit_code_is_a_number_or_unknown(
    package: Any, server: Server, message: str, exit_code: int | None
) -> None:
    cause = {"reason": "ExitCode", "message": message}
    failure = json.dumps({"status": "Failure", "details": {"causes": [cause]}}).encode()
    server.answers = [kubelet(lambda _, write: write(3, failure))]
    core = package.CoreV1Api(make_client(package, server.url))
    result = core.connect_get_namespaced_pod_exec("a", "b", command=["x"])
    assert result.exit_code == exit_code
    server.answers = [kubelet(lambda _, write: write(3, DEEP))]
    result = core.connect_get_namespaced_pod_exec("a", "b", command=["x"])
    assert result.status.message.startswith('{"metadata"')


def test_what_a_command_prints_is_bounded_where_it_is_collected(
    package: Any, server: Server
) -> None:
    def print_much(_: Any, write: Any) -> None:
        write(1, b"a" * LIMIT)
        write(1, b"a")
        write(3, ended(0))

    core = package.CoreV1Api(make_client(package, server.url, max_bytes=LIMIT))
    exec_ = core.connect_get_namespaced_pod_exec
    server.answers = [kubelet(print_much)] * 2
    with pytest.raises(package.ClientError, match="more than"):
        exec_("a", "b", command=["x"])
    with exec_.open("a", "b", command=["x"]) as session:
        assert sum(len(data) for _, data in session) == LIMIT + 1


def test_a_closed_session_says_so(modules: Any, server: Server) -> None:
    package, aio = modules

    def wait(receive: Any, _: Any) -> None:
        receive()

    config = package.Config(server=server.url)
    server.answers = [kubelet(wait)] * 2
    core = package.CoreV1Api(package.Client(config))
    session = core.connect_get_namespaced_pod_exec.open("a", "b", command=["x"])
    outputs = iter(session)
    session.close()
    session.close()
    for use in (
        lambda: session.write("a"),
        lambda: session.resize(1, 2),
        session.close_stdin,
        session.result,
        lambda: list(session),
        lambda: next(outputs),
    ):
        with pytest.raises(package.ClientClosed, match="the session is closed"):
            use()

    async def main() -> None:
        async with package.AsyncClient(config) as client:
            open_ = aio.CoreV1Api(client).connect_get_namespaced_pod_exec.open
            session = await open_("a", "b", command=["x"])
            result = asyncio.create_task(session.result())
            await asyncio.sleep(0)
            await session.close()
            for waiting in (
                result,
                session.write("a"),
                session.resize(1, 2),
                session.close_stdin(),
                session.result(),
                anext(aiter(session)),
            ):
                with pytest.raises(package.ClientClosed, match="the session is closed"):
                    await asyncio.wait_for(waiting, 30)

    asyncio.run(main())


def test_errors_and_warnings_have_no_control_characters(
    package: Any, server: Server
) -> None:
    warned: list[str] = []
    client = make_client(package, server.url, on_warning=warned.append)
    core = package.CoreV1Api(client)
    header = f'299 - "a{CONTROLS[:5]}{CONTROLS[-1]}b"'.encode().decode("latin-1")
    failure = answer(
        {"reason": f"R{CONTROLS}", "message": f"m{CONTROLS}\nn"}, 409, Warning=header
    )
    server.answers = [failure]
    with pytest.raises(package.Conflict) as error:
        core.read_namespaced_pod("a", "b")
    assert warned == ["a\ufffd[31m\ufffdb"]
    assert not set(CONTROLS[:1] + CONTROLS[5:]) & set(str(error.value))
    assert "\n" in str(error.value)  # Of a message with several lines.
    assert error.value.reason == f"R{CONTROLS}"


def test_no_secret_is_in_a_representation(package: Any, server: Server) -> None:
    shown: list[str] = []

    class Logging:
        def __init__(self, inner: Any) -> None:
            self.inner = inner

        def send(self, request: Any) -> Any:
            shown.append(f"{request!r} {request} {self.inner!r} {[request]}")
            return self.inner.send(request)

        def close(self) -> None:
            self.inner.close()

    config = package.Config(
        server=server.url, token="SECRET", password="SECRET", client_key=b"SECRET"
    )
    with package.Client(config) as inner:
        client = package.Client(config, transport=Logging(inner.transport))
        secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}}
        create = package.CoreV1Api(client).create_namespaced_secret
        body = {**secret, "stringData": {"a": "SECRET"}}
        server.answers = [answer(secret)]
        create("b", body)
        shown += [repr(client), repr(config), repr(create.call("b", body))]
        shown += [repr(vars(client)), repr(client.settings)]
    assert server.requests[0].headers["Authorization"] == "Bearer SECRET"
    assert shown[0].startswith("<Request POST /api/v1/namespaces/b/secrets>")
    assert "SECRET" not in "".join(shown)


def errors_of(package: Any, models: Any) -> Iterator[Exception]:
    """An error of each class that the packages export, and of all that these are based on."""
    answered = package.Status(code=404, message="m", reason="R")
    for module in (package, models):
        for name in module.__all__:
            value: Any = getattr(module, name)
            if not isinstance(value, type) or not issubclass(value, Exception):
                continue
            error: Any = value
            if issubclass(value, package.StatusError):
                yield value(answered, {"retry-after": "1"})
            elif issubclass(value, package.TransportError):
                yield error("broke", sent=True)
            elif issubclass(value, models.ModelError):
                yield value([("spec.a", "is wrong")])
            else:
                yield value("text")


def test_errors_survive_pickling_and_copying(package: Any, models: Any) -> None:
    errors: list[Any] = list(errors_of(package, models))
    assert len(errors) > 20
    for error in errors:
        error.add_note("a note")
        if isinstance(error, package.ClientError):
            error.__cause__ = package.TimedOut("slow", sent=False)
            error.__cause__.__cause__ = OSError(2, "no such file")
        for copied in (
            *(pickle.loads(pickle.dumps(error, protocol)) for protocol in range(6)),
            copy.copy(error),
            copy.deepcopy(error),
        ):
            assert type(copied) is type(error)
            assert (str(copied), copied.args) == (str(error), error.args)
            assert vars(copied) == vars(error)
            if isinstance(error, package.ClientError):
                assert copied.__cause__.sent is False
                assert copied.__cause__.__cause__.args == (2, "no such file")
    unpicklable = package.ConnectionFailed("broke", sent=True)
    unpicklable.__cause__ = OSError(open)
    unpicklable.__cause__.args = (lambda: 0,)
    assert pickle.loads(pickle.dumps(unpicklable)).sent
