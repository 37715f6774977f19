"""The verbs of the generated client for objects of any kind, waiting, and informers, at
a real API server."""

from __future__ import annotations

import asyncio
import gc
import json
import re
import threading
import tracemalloc
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.api_server import Client
from tests.conftest import load
from tests.crd_schemas import definition, version
from tests.examples import examples
from tests.kind_examples import KIND_EXAMPLES
from tests.manifests import manifests
from tests.packages import CLIENT, import_package

pytest.importorskip("httpcore2", reason="httpcore2 is not installed")
pytest.importorskip("wsproto", reason="wsproto is not installed")

# A warning cannot be sent from a worker of pytest-xdist: its class is generated.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

NAMESPACE = "objects"
GROUP = "objects.example.com"
#: A kind that only the server knows.
CRD = definition(
    "Widget",
    version(
        "v1",
        {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        storage=True,
        subresources={"status": {}},
    ),
    # Other tests have Widgets with other schemas on the server.
    group=GROUP,
)
CHANGES = 3000
MANIFEST = """\
apiVersion: v1
kind: ServiceAccount
metadata: {name: from-manifest}
---
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: from-manifest}
  data: {a: b}
"""


@pytest.fixture(scope="module")
def package(client_modules: tuple[Any, Any]) -> Any:
    return client_modules[0]


@pytest.fixture(scope="module")
def models(client_folder: Path) -> Any:
    return import_package(client_folder, f"{CLIENT}_models")


@pytest.fixture(scope="module")
def config(api_server: Client, package: Any) -> Any:
    return package.Config(
        server=f"https://127.0.0.1:{api_server.port}",
        certificate_authority=api_server.authority.read_bytes(),
        token=api_server.token,
        namespace=NAMESPACE,
    )


@pytest.fixture(scope="module")
def client(config: Any, package: Any, models: Any) -> Iterator[Any]:
    with package.Client(config, timeout=60) as client:
        named = models.V1ObjectMeta(name=NAMESPACE)
        client.create(models.V1Namespace(metadata=named))
        yield client


def config_map(models: Any, name: str, **data: str) -> Any:
    return models.V1ConfigMap(metadata=models.V1ObjectMeta(name=name), data=data)


def test_verbs_take_models(package: Any, client: Any, models: Any) -> None:
    made = client.create(config_map(models, "verbs", a="1"))
    assert (type(made), made.metadata.namespace) == (models.V1ConfigMap, NAMESPACE)
    with pytest.raises(package.Conflict):
        client.create(config_map(models, "verbs"))
    made.data["a"] = "2"
    replaced = client.replace(made)
    with pytest.raises(package.Conflict):  # somebody has changed it since
        client.replace(made)
    patched = client.patch(models.V1ConfigMap, "verbs", {"data": {"b": "3"}})
    assert patched.data == {"a": "2", "b": "3"}
    applied = client.apply(config_map(models, "verbs", c="4"), field_manager="me")
    assert applied.data == {"a": "2", "b": "3", "c": "4"}
    with pytest.raises(package.Conflict, match="conflict"):
        client.apply(config_map(models, "verbs", c="5"), field_manager="other")
    forced = client.apply(
        config_map(models, "verbs", c="5"), field_manager="other", force=True
    )
    assert client.get(models.V1ConfigMap, "verbs") == forced
    client.apply(config_map(models, "never"), field_manager="me", dry_run=True)
    names = [item.metadata.name for item in client.list(models.V1ConfigMap, limit=1)]
    assert "verbs" in names
    assert "never" not in names
    everywhere = client.list(models.V1ConfigMap, package.ALL_NAMESPACES)
    assert {item.metadata.namespace for item in everywhere} > {NAMESPACE}
    events = client.watch(models.V1ConfigMap, field_selector="metadata.name=verbs")
    assert [item.metadata.name for item in next(events).items] == ["verbs"]
    client.delete(replaced)
    deleted = next(event for event in events if isinstance(event, package.Deleted))
    assert deleted.object.data == {"a": "2", "b": "3", "c": "5"}
    events.close()
    with pytest.raises(package.NotFound):
        client.delete(models.V1ConfigMap, "verbs")
    node = models.V1Node(metadata=models.V1ObjectMeta(name="objects"))
    client.create(node)
    ready = models.V1NodeCondition(type="Ready", status="True")
    client.patch(
        models.V1Node,
        "objects",
        {"status": {"conditions": [ready]}},
        subresource="status",
    )
    assert client.wait(node, "Ready").status.conditions[0].type == "Ready"
    client.delete(node)


def test_verbs_take_dicts_and_kinds_that_only_the_server_knows(
    package: Any, client: Any, models: Any, api_server: Client
) -> None:
    api_server.install([CRD])
    raw = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "raw"}}
    assert client.create(raw)["type"] == "Opaque"
    unknown = {**raw, "metadata": {"name": "unknown"}, "stringdata": {}}
    with pytest.raises(package.BadRequest, match="unknown field") as refused:
        client.create(unknown, field_validation="Strict")
    assert json.loads(refused.value.body)["reason"] == "BadRequest"
    widget = package.dynamic_kind(f"{GROUP}/v1", "Widget")
    body = {"apiVersion": f"{GROUP}/v1", "kind": "Widget", "metadata": {"name": "a"}}
    client.create({**body, "spec": {"size": 1}})
    assert client.patch(widget, "a", {"spec": {"size": 2}})["spec"] == {"size": 2}
    [item] = client.list(widget)
    item["status"] = {"conditions": [{"type": "Ready", "status": "True"}]}
    client.replace(item, subresource="status")
    assert client.wait(body, "Ready")["spec"] == {"size": 2}
    applied = client.apply(body, field_manager="me")
    assert applied["kind"] == "Widget"
    secrets = list(client.list(package.dynamic_kind("v1", "Secret")))
    assert [(item["kind"], item["metadata"]["name"]) for item in secrets] == [
        ("Secret", "raw")
    ]
    client.delete(widget, "a")
    for wrong in (f"{GROUP}/v1", "nothing.example.com/v1", "v1"):
        with pytest.raises(package.ClientError, match="no kind 'Gadget'"):
            client.get(package.dynamic_kind(wrong, "Gadget"), "a")


def test_what_types_call_present_is_sent(
    package: Any, client: Any, models: Any
) -> None:
    """Of each kind, also where a program left out the spec."""
    whole = {
        (item["apiVersion"], item["kind"]): item
        for item in [
            *examples(load("1.35"), "required").values(),
            *manifests(),
            *KIND_EXAMPLES.values(),
        ]
    }
    sent = 0
    for (api_version, kind), item in whole.items():
        model = models.model_for(api_version, kind)
        if model is None or "metadata" not in model.attribute_map:
            continue
        present = {"metadata", "spec"} & model.attribute_map.keys()
        for left_out in ((), ("spec",)):
            body = {name: part for name, part in item.items() if name not in left_out}
            body["metadata"] = {"name": "present", **(item.get("metadata") or {})}
            body["metadata"].pop("namespace", None)
            with suppress(package.ClientError, ValueError):
                made = client.create(model.from_dict(body), dry_run=True)
                sent += 1
                for name in present:
                    assert getattr(made, name) is not None, (kind, name)
    assert sent >= 60


def test_a_request_never_is_about_something_else(
    package: Any, client: Any, models: Any
) -> None:
    """An empty name would delete all objects, or change another one."""
    unnamed = models.V1ConfigMap()
    for name in ("", ".", "..", "a/b"):
        with pytest.raises(ValueError, match="name"):
            client.delete(models.V1ConfigMap, name)
        with pytest.raises(ValueError, match="namespace"):
            client.get(models.V1ConfigMap, "a", name or "/")
    for call in (client.replace, client.delete):
        with pytest.raises(ValueError, match="name"):
            call(unnamed)
    with pytest.raises(ValueError, match="no apiVersion"):
        client.create({"kind": "Secret"})
    with pytest.raises(ValueError, match="no apiVersion"):
        client.create(models.V1ObjectMeta(name="a"))
    with pytest.raises(ValueError, match="not in a namespace"):
        client.get(models.V1Node, "a", "default")
    with pytest.raises(ValueError, match="one object"):
        client.get(models.V1ConfigMap, "a", package.ALL_NAMESPACES)


def test_a_manifest_is_applied(client: Any, models: Any) -> None:
    applied = client.apply_manifest(MANIFEST, field_manager="me")
    assert [type(item) for item in applied] == [
        models.V1ServiceAccount,
        models.V1ConfigMap,
    ]
    assert client.get(models.V1ConfigMap, "from-manifest").data == {"a": "b"}


def test_waiting_ends(package: Any, client: Any, models: Any) -> None:
    made = client.create(config_map(models, "waited", a="1"))
    with ThreadPoolExecutor() as threads:
        waiting = threads.submit(client.wait, made, lambda item: item.data["a"] == "2")
        client.patch(models.V1ConfigMap, "waited", {"data": {"a": "2"}})
        assert waiting.result(60).data == {"a": "2"}
        gone = threads.submit(client.wait, made, "delete")
        never = threads.submit(client.wait, made, "Ready")
        # Both watch before it is deleted.
        with pytest.raises(package.WaitTimedOut):
            client.wait(made, "Ready", timeout=1)
        client.delete(made)
        assert gone.result(60).metadata.name == "waited"
        with pytest.raises(package.ClientError, match="was deleted"):
            never.result(60)
    # Another object of the same name.
    client.create(config_map(models, "waited"))
    assert client.wait(made, "delete") == made


def test_another_thread_ends_a_watch(package: Any, client: Any, models: Any) -> None:
    """Only this one: the client goes on, and so do its other watches."""
    other = client.watch(models.V1ConfigMap)
    next(other)
    watch = client.watch(models.V1Secret, package.ALL_NAMESPACES)
    listed = threading.Event()
    seen: list[Any] = []

    def read() -> None:
        for event in watch:
            seen.append(event)
            listed.set()

    thread = threading.Thread(target=read)
    thread.start()
    assert listed.wait(60)
    watch.close()
    thread.join(60)
    assert not thread.is_alive()
    assert next(watch, None) is None
    client.apply(config_map(models, "other", a="1"), field_manager="me")
    event = next(item for item in other if isinstance(item, package.Added))
    assert event.object.metadata.name == "other"
    other.close()


class Cutting:
    """A transport that breaks the connection of each watch after some pieces, and asks
    once for changes that the API server has forgotten."""

    def __init__(self, package: Any, inner: Any) -> None:
        self.package, self.inner = package, inner
        self.watches = 0

    def send(self, request: Any) -> Any:
        if "watch=true" not in request.target:
            return self.inner.send(request)
        self.watches += 1
        if self.watches == 20:
            target = re.sub(
                "resourceVersion=[0-9]+", "resourceVersion=1", request.target
            )
            request = request._replace(target=target)
        if self.watches % 7 == 0:
            raise self.package.ConnectionFailed("refused", sent=True)
        return self.cut(self.inner.send(request))

    def cut(self, response: Any) -> Any:
        return CutResponse(self.package, response)

    def close(self) -> Any:
        return self.inner.close()


class CutResponse:
    def __init__(self, package: Any, response: Any) -> None:
        self.package, self.response, self.left = package, response, 5
        self.status, self.headers = response.status, response.headers

    def read(self) -> Any:
        if not self.left:
            raise self.package.ConnectionFailed("it broke", sent=True)
        self.left -= 1
        return self.response.read()

    def close(self) -> Any:
        return self.response.close()

    def abort(self) -> None:
        self.response.abort()


def change_objects(client: Any, models: Any, changes: int = CHANGES) -> None:
    """Many changes, after which the objects are 20 to 29."""
    for number in range(changes):
        name = f"informed-{number % 30}"
        if number % 30 < 20 and number >= changes - 30:
            with suppress(Exception):
                client.delete(models.V1ConfigMap, name)
        else:
            made = config_map(models, name, number=str(number), group=str(number % 3))
            client.apply(made, field_manager="tests")


@pytest.mark.nightly
def test_an_informer_has_what_the_server_has(
    package: Any, client: Any, config: Any, models: Any
) -> None:
    """Through thousands of changes, broken connections, and versions that the API server
    has forgotten."""
    transport = Cutting(package, client.transport)
    retry = package.Retry(attempts=1, delay=0.01, longest=0.05)
    cut = package.Client(config, transport=transport, retry=retry)
    known: dict[str, Any] = {}
    broken: list[Any] = []
    done = threading.Event()

    def follow(change: Any) -> None:
        """Each change begins with the object of the one before; the last state of a
        deleted one has a version of its own."""
        name = change.object.metadata.name
        before = known.get(name)
        if before != change.old and (before is None or change.new is not None):
            broken.append(change)
        known[name] = change.new
        if name == "last":
            done.set()

    with package.Informer(
        cut,
        models.V1ConfigMap,
        on_change=follow,
        indexes={"group": lambda item: [(item.data or {}).get("group")]},
    ) as informer:
        change_objects(client, models)
        client.create(config_map(models, "last"))
        assert done.wait(60)
        informer.check()
        served = {item.metadata.name: item for item in client.list(models.V1ConfigMap)}
        assert {item.metadata.name: item for item in informer.store} == served
        assert {name: item for name, item in known.items() if item} == served
        groups = [informer.store.by_index("group", group) for group in "012"]
        assert sum(map(len, groups)) == 10
        assert informer.store.get("informed-25", NAMESPACE).data["group"] == "1"
        assert informer.store.get("informed-5", NAMESPACE) is None
    assert broken == []
    assert transport.watches > 20
    before = len(informer.store)
    client.delete(models.V1ConfigMap, "last")
    assert len(informer.store) == before  # it is closed


class AsyncCutting(Cutting):
    """``Cutting`` for asyncio: those who read and close await it."""

    async def send(self, request: Any) -> Any:
        return await super().send(request)

    async def cut(self, response: Any) -> Any:
        return CutResponse(self.package, await response)


def test_an_informer_of_asyncio_has_what_the_server_has(
    package: Any, client: Any, config: Any, models: Any
) -> None:
    """Each change is awaited before the next one."""

    async def use() -> None:
        known: dict[str, Any] = {}
        last = asyncio.Event()
        active = 0

        async def follow(change: Any) -> None:
            nonlocal active
            active += 1
            await asyncio.sleep(0)
            assert active == 1
            known[change.object.metadata.name] = change.new
            if change.object.metadata.name == "last-of-asyncio":
                last.set()
            active -= 1

        retry = package.Retry(attempts=1, delay=0.01, longest=0.05)
        async with package.AsyncClient(config, timeout=60, retry=retry) as direct:
            transport = AsyncCutting(package, direct.transport)
            cut = package.AsyncClient(config, transport=transport, retry=retry)
            informer = package.AsyncInformer(cut, models.V1ConfigMap, on_change=follow)
            async with informer:
                await asyncio.to_thread(change_objects, client, models, 600)
                await direct.create(config_map(models, "last-of-asyncio"))
                await asyncio.wait_for(last.wait(), 60)
                informer.check()
            served = {
                item.metadata.name: item
                async for item in direct.list(models.V1ConfigMap)
            }
        assert {item.metadata.name: item for item in informer.store} == served
        assert {name: item for name, item in known.items() if item} == served
        assert transport.watches > 20

    asyncio.run(use())


def test_a_loop_over_changes_with_asyncio_ends(
    package: Any, config: Any, models: Any
) -> None:
    """When another task, or ``on_change`` itself, closes the informer."""

    async def use() -> None:
        async with package.AsyncClient(config, timeout=60) as client:
            informer = package.AsyncInformer(client, models.V1Namespace)

            async def read() -> list[Any]:
                return [change async for change in informer]

            reading = asyncio.create_task(read())
            while not len(informer.store):
                await asyncio.sleep(0.01)
            await informer.close()
            assert await asyncio.wait_for(reading, 60)

            async def close(change: Any) -> None:
                await closing.close()

            closing = package.AsyncInformer(client, models.V1Namespace, on_change=close)
            async with closing:
                closing.check()

    asyncio.run(use())


class Simulation:
    """A transport of an API server with 1000 objects, of which one changes each second of
    a clock that only it moves. Connections end after five minutes, some versions are
    forgotten, and the time of day jumps by a day, back and forth."""

    def __init__(self) -> None:
        self.seconds = 0
        self.connections = 0
        self.objects = {f"a-{number}": self.changed(number) for number in range(1000)}

    def changed(self, number: int) -> dict[str, Any]:
        metadata = {"name": f"a-{number}", "namespace": NAMESPACE, "uid": f"{number}"}
        metadata["resourceVersion"] = f"{self.seconds + 1}"
        return {"metadata": metadata, "data": {"text": f"{self.seconds:0200}"}}

    def monotonic(self) -> float:
        return float(self.seconds)

    def time(self) -> float:
        return 1e9 + self.seconds + 86_400 * (self.seconds // 1000 % 2)

    def send(self, request: Any) -> SimulatedResponse:
        if "watch=true" not in request.target:
            metadata = {"resourceVersion": f"{self.seconds + 1}"}
            listed = {"metadata": metadata, "items": [*self.objects.values()]}
            return SimulatedResponse(200, iter([json.dumps(listed).encode()]))
        self.connections += 1
        if self.connections % 20 == 0:
            self.change()
            return SimulatedResponse(410, iter([b'{"code": 410}']))
        return SimulatedResponse(200, self.lines())

    def lines(self) -> Iterator[bytes]:
        for _ in range(300):
            event = {"type": "MODIFIED", "object": self.change()}
            yield json.dumps(event).encode() + b"\n"

    def change(self) -> dict[str, Any]:
        self.seconds += 1
        item = self.changed(self.seconds % 1000)
        self.objects[item["metadata"]["name"]] = item
        return item

    def close(self) -> None:
        pass


class SimulatedResponse:
    headers: Mapping[str, str] = {}

    def __init__(self, status: int, pieces: Iterator[bytes]) -> None:
        self.status, self.pieces = status, pieces

    def read(self) -> bytes:
        return next(self.pieces, b"")

    def close(self) -> None:
        self.pieces = iter(())

    abort = close


@pytest.mark.nightly
@pytest.mark.growth
def test_an_informer_runs_for_hours(
    package: Any, models: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In as much memory as after the first one, whatever the clocks do, with a token
    that is read from its file every minute. The hours are those of a simulation."""
    hours = (3600, 6 * 3600)
    server = Simulation()
    for module in ("_watches", "_credentials"):
        monkeypatch.setattr(f"{package.__name__}.{module}.time", server)
    token = tmp_path / "token"
    token.write_text("secret")
    config = package.Config(
        server="http://localhost", token_file=token, namespace=NAMESPACE
    )
    client = package.Client(config, transport=server)
    informer = package.Informer(client, models.V1ConfigMap, resync=600)
    again = 0
    memory: list[int] = []
    tracemalloc.start()
    try:
        for change in informer:
            again += change.old is change.new
            if server.seconds >= hours[len(memory)]:
                gc.collect()
                memory.append(tracemalloc.get_traced_memory()[0])
                if len(memory) == 2:
                    informer.close()
                    break
    finally:
        tracemalloc.stop()
    assert {item.metadata.name: item.data for item in informer.store} == {
        name: item["data"] for name, item in server.objects.items()
    }
    assert again >= 1000 * hours[1] / 1200
    assert memory[1] < memory[0] * 1.1


def test_an_informer_hands_over_all_objects_again(
    package: Any, client: Any, models: Any
) -> None:
    client.apply(config_map(models, "again"), field_manager="me")
    informer = package.Informer(client, models.V1ConfigMap, resync=1)
    again = []
    for change in informer:
        if change.old is change.new:
            again.append(change.object.metadata.name)
            if again.count("again") == 2:
                informer.close()
    assert sorted(again) == sorted(
        2 * [item.metadata.name for item in client.list(models.V1ConfigMap)]
    )


def test_an_informer_that_is_refused_says_so(package: Any, client: Any) -> None:
    unknown = package.dynamic_kind("example.com/v1", "Nothing")
    with (
        pytest.raises(package.ClientError, match="no kind 'Nothing'"),
        package.Informer(client, unknown),
    ):
        pass


def test_the_same_with_asyncio(package: Any, config: Any, models: Any) -> None:
    async def use() -> list[str]:
        kinds = []
        async with package.AsyncClient(config, timeout=60) as client:
            made = await client.create(config_map(models, "async", a="1"))
            await client.apply_manifest(MANIFEST, field_manager="me")
            await client.patch(models.V1ConfigMap, "async", {"data": {"a": "2"}})
            assert (await client.get(models.V1ConfigMap, "async")).data == {"a": "2"}
            assert (await client.wait(made, lambda item: item.data)).data == {"a": "2"}
            with pytest.raises(package.WaitTimedOut):
                await client.wait(made, "Ready", timeout=1)
            gone = asyncio.Event()

            async def follow(change: Any) -> None:
                if change.object.metadata.name == "async":
                    kinds.append("deleted" if change.new is None else "there")
                    if change.new is None:
                        gone.set()

            async with package.AsyncInformer(
                client, models.V1ConfigMap, on_change=follow
            ) as informer:
                names = [
                    item.metadata.name async for item in client.list(models.V1ConfigMap)
                ]
                assert sorted(item.metadata.name for item in informer.store) == names
                await client.delete(made)
                await client.wait(made, "delete")
                await asyncio.wait_for(gone.wait(), 60)
                informer.check()
            async with package.AsyncInformer(client, models.V1Node) as nodes:
                assert list(nodes.store) == []
        return kinds

    assert asyncio.run(use()) == ["there", "deleted"]
