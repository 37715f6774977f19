"""The generated client as a package: types, imports, size, hostile documents."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kubestencil.engine import load_targets
from kubestencil.errors import SpecError, UsageError
from kubestencil.targets import generate_files
from tests.conftest import ROOT, load, load_with_crds, make_release, rest_nightly
from tests.packages import generate_client
from tests.python_crds import CERTIFICATE, GADGET
from tests.strategies import HOSTILE_TEXTS
from tests.test_formatting import is_formatted
from tests.test_python_package import CHECKERS, check_types

PROGRAM = """\
import asyncio
from typing import Any

from typed_client import (
    ALL_NAMESPACES, Added, AsyncClient, AsyncInformer, Bookmark, Call, Change, Client, Config, CoreV1Api, Deleted,
    ExampleComV1Api, Informer, JsonPatch, Listed, LogLine, MergePatch, Modified, NotFound, Request,
    Response, Retry, Status, StatusError, StrategicMergePatch, Transport, aio,
    dynamic_kind, load_kubeconfig,
)
from typed_models import V1Container, V1DeleteOptions, V1ObjectMeta, V1Pod, V1PodSpec
from typed_models.example_com import v1 as example


class Own:
    def __init__(self, inner: Transport) -> None:
        self.inner = inner

    def send(self, request: Request) -> Response:
        return self.inner.send(request)

    def close(self) -> None:
        self.inner.close()


client = Client(load_kubeconfig("config"), timeout=5, retry=Retry(attempts=2))
core = CoreV1Api(client)
pod = V1Pod(
    metadata=V1ObjectMeta(name="a"), spec=V1PodSpec(containers=[V1Container(name="a")])
)
made: V1Pod = core.create_namespaced_pod("default", pod, field_manager="me", timeout=3)
call: Call[V1Pod] = core.read_namespaced_pod.call("a", "default")
again: V1Pod = client.run(call)
core.patch_namespaced_pod("a", "default", {"metadata": {"labels": None}})
core.patch_namespaced_pod("a", "default", JsonPatch([{"op": "remove", "path": "/a"}]))
core.patch_namespaced_pod("a", "default", MergePatch({"a": None}), force=True)
core.patch_namespaced_pod("a", "default", StrategicMergePatch(pod))
applied: V1Pod = core.apply_namespaced_pod("a", "default", pod, field_manager="me")
items: list[V1Pod] = core.list_namespaced_pod("a", label_selector="a=b").items
pods: list[V1Pod] = list(core.list_pod_for_all_namespaces.items(limit=10))
for event in core.list_namespaced_pod.watch("default"):
    match event:
        case Added(object=changed) | Modified(object=changed):
            current: V1Pod = changed
        case Deleted(object=gone):
            print(gone.metadata)
        case Listed(items=listed):
            everything: tuple[V1Pod, ...] = listed
        case Bookmark(resource_version=version):
            print(version.upper())
for line in core.read_namespaced_pod_log.lines("a", "default", follow=True):
    print(line.upper())
result = core.connect_get_namespaced_pod_exec("a", "default", command=["ls"])
code: int | None = result.exit_code
deleted: V1Pod | Status = core.delete_namespaced_pod("a", "b", body=V1DeleteOptions())
try:
    gadgets = ExampleComV1Api(client)
    gadget: example.Gadget = gadgets.read_namespaced_gadget("a", "default")
    gadgets.patch_namespaced_gadget("a", "default", MergePatch({"spec": {"size": 1}}))
except NotFound as error:
    status: Status = error.answer
    code_of_error: int = error.status
except StatusError as error:
    print(error.details.causes)

verbs: V1Pod = client.create(pod)
verbs = client.apply(client.get(V1Pod, "a", "default"), field_manager="me", force=True)
plain: dict[str, Any] = client.get(dynamic_kind("example.com/v1", "Widget"), "a")
client.create({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}})["kind"]
client.patch(V1Pod, "a", {"metadata": {"labels": None}}, namespace="default")
listed_pods: list[V1Pod] = list(client.list(V1Pod, ALL_NAMESPACES, limit=5))
with client.watch(example.Gadget, timeout_seconds=5) as gadget_events:
    for gadget_event in gadget_events:
        if isinstance(gadget_event, Added):
            print(gadget_event.object.spec)
client.delete(client.wait(pod, "Ready", timeout=5), propagation_policy="Foreground")
client.delete(V1Pod, "a")
client.wait(pod, lambda item: item.status is not None)
client.apply_manifest("kind: A", field_manager="me")
log_lines: list[LogLine] = list(client.logs("app=web", follow=True))
with Informer(client, V1Pod, indexes={"name": lambda item: [item.kind]}) as informer:
    in_store: V1Pod | None = informer.store.get("a", "default")


def follow(change: Change[V1Pod]) -> None:
    print(change.object.spec, change.old and change.old.spec)


async def main() -> None:
    async with (
        AsyncClient() as other_client,
        AsyncInformer(other_client, V1Pod, on_change=follow) as async_informer,
    ):
        found: tuple[V1Pod, ...] = async_informer.store.by_index("name", "a")
        made = await other_client.create(found[0])
        async for item in other_client.list(V1Pod):
            made = item
        async for line_of_log in other_client.logs("a=b"):
            print(line_of_log.text)
    async with AsyncClient(Config(server="https://localhost")) as async_client:
        api = aio.CoreV1Api(async_client)
        print((await api.read_namespaced_pod("a", "default")).spec)
        async for event in api.list_namespaced_pod.watch("default"):
            if isinstance(event, Added):
                print(event.object.spec)
        async with await api.connect_get_namespaced_pod_exec.open("a", "b") as session:
            await session.write(b"x")


asyncio.run(main())
Client(transport=Own(client.transport))
"""

MISTAKES = {
    "an unknown method": "core.read_namespaced_pot('a', 'b')",
    "a missing argument": "core.read_namespaced_pod('a')",
    "an unknown argument": "core.read_namespaced_pod('a', 'b', prety='x')",
    "an argument of a wrong type": "core.list_namespaced_pod('a', limit='3')",
    "another object": "core.create_namespaced_service('default', pod)",
    "an apply without a field manager": "core.apply_namespaced_pod('a', 'b', pod)",
    "a wrong result": "number: int = core.read_namespaced_pod('a', 'b')",
    "an item of another type": "ports: list[int] = list(core.list_node.items())",
    "a patch of a wrong kind": "core.patch_namespaced_pod('a', 'b', 3)",
    "a strategic patch of a custom resource": "gadgets.patch_namespaced_gadget("
    "'a', 'b', StrategicMergePatch({}))",
    "a watch of what is no list": "core.read_namespaced_pod.watch('a', 'b')",
    "an object of a bookmark": "print(Bookmark('1').object)",
    "no await": "async def use(api: aio.CoreV1Api) -> None: "
    "print(api.read_namespaced_pod('a', 'b').spec)",
    "a transport without send": "Client(transport=pod)",
    "an async client where another is needed": "CoreV1Api(AsyncClient())",
    "an object of another kind": "number: int = client.get(V1Pod, 'a')",
    "an apply of a kind without a field manager": "client.apply(pod)",
    "what is no kind": "client.get('Pod', 'a')",
    "what is no object": "client.create(V1Pod)",
    "an index of a wrong attribute": "Informer(client, V1Pod, "
    "indexes={'a': lambda item: [item.nodeName]})",
    "an unknown API class": "from typed_client import CoreV2Api",
}


def _renamed(name: re.Match[str]) -> str:
    return f"typed_{name[1].removeprefix('typed_')}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package with a custom resource, a program, and one with mistakes."""
    folder = tmp_path_factory.mktemp("typed")
    generate_client(load_with_crds("1.35", [GADGET, CERTIFICATE]), folder, "typed")
    (folder / "good.py").write_text(PROGRAM)
    (folder / "README.md").rename(folder / "client.md")
    for name in ("python", "python-dicts", "pydantic"):
        for file in generate_files(load("1.35"), load_targets(None)[name]):
            if name != "python" or file.path == "README.md":
                path = folder / file.path
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(file.data)
        (folder / "README.md").rename(folder / f"{name}.md")
    pages = (ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *folder.rglob("*.md"))
    for number, page in enumerate(pages):
        examples = re.findall(r"^```python\n(.*?)^```", page.read_text(), re.M | re.S)
        if not examples:
            continue
        text = "\n".join(examples).replace("k8s_dicts", "kubernetes_dicts")
        text = re.sub(r"kubernetes_(typed_client|models)", _renamed, text)
        module = f"page_{number}_{page.stem.replace('-', '_')}.py"
        (folder / module).write_text(f"# pyright: strict\n{text}")
    (folder / "bad.py").write_text("\n".join([PROGRAM, *MISTAKES.values(), ""]))
    return folder


@pytest.mark.parametrize("checker", rest_nightly(CHECKERS))
def test_type_checkers_accept_the_package_and_report_mistakes(
    folder: Path, checker: str
) -> None:
    """All of the package, strictly, a user's program, and all examples in Python of the
    documentation and of the README files of packages; each mistake is refused."""
    pytest.importorskip(checker, reason=f"{checker} is not installed")
    pytest.importorskip("httpcore2", reason="httpcore2 is not installed")
    pages = [page.name for page in folder.glob("page_*.py")]
    assert len(pages) >= 12
    errors = check_types(folder, checker, "typed_client", "good.py", *pages, "bad.py")
    lines = {":".join(Path(error).name.split(":")[:2]) for error in errors}
    first = PROGRAM.count("\n") + 2
    expected = {f"bad.py:{first + number}" for number in range(len(MISTAKES))}
    assert lines == expected, errors


@pytest.mark.nightly
@pytest.mark.compiler("pyright")
@pytest.mark.parametrize("package", ["typed_client", "typed_models"])
def test_all_types_of_the_packages_are_declared(folder: Path, package: str) -> None:
    """A type that is inferred can differ between type checkers."""
    pytest.importorskip("pyright", reason="pyright is not installed")
    pytest.importorskip("httpcore2", reason="httpcore2 is not installed")
    options = ["--pythonpath", sys.executable, "--ignoreexternal"]
    process = subprocess.run(
        [sys.executable, "-m", "pyright", *options, "--verifytypes", package],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        timeout=400,
    )
    assert "Type completeness score: 100%" in process.stdout, process.stdout[-3000:]


@pytest.mark.nightly
def test_black_leaves_every_file_unchanged(folder: Path) -> None:
    paths = sorted((folder / "typed_client").rglob("*.py*"))
    assert len(paths) > 140
    for path in paths:
        # A few of each kind: black takes long.
        if path.parent.name != "apis" or path.stem in (
            "policy_v1_api",
            "example_com_v1_api",
        ):
            assert is_formatted(path.read_text(), path.suffix == ".pyi"), path


def test_nothing_is_imported_before_it_is_used(folder: Path) -> None:
    code = (
        "slow = {'asyncio', 'httpcore2', 'msgspec', 'ssl', 'wsproto', 'yaml'}\n"
        "import typed_client\n"
        "assert not slow & set(sys.modules)\n"
        "from typed_client import Config\n"
        "from typed_client.aio import CoreV1Api\n"
        "loaded = [m for m in sys.modules if m.startswith('typed_client.apis.')]\n"
        "assert loaded == ['typed_client.apis.core_v1_api'], loaded\n"
        "assert not any(m.startswith('typed_models') for m in sys.modules)\n"
        "assert slow & set(sys.modules) == {'msgspec'}, slow & set(sys.modules)\n"
        "assert 'CoreV1Api' in dir(typed_client) and 'CoreV1Api' in typed_client.__all__\n"
    )
    subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path += {sys.path!r}\n{code}"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        check=True,
        timeout=60,
    )


def test_help_says_what_arguments_mean(folder: Path) -> None:
    """Of a method, and of the operation in the class. The models describe the body."""
    code = """
from typed_client import Client, Config, CoreV1Api, ExampleComV1Api, aio
core = CoreV1Api(Client(Config(server='http://localhost')))
for operation in (core.list_namespaced_pod, CoreV1Api.list_namespaced_pod,
                  aio.CoreV1Api.list_namespaced_pod):
    lines = operation.__doc__.splitlines()
    assert lines[0].startswith('list_namespaced_pod(namespace, *, _continue=None')
    assert lines[1] == 'GET /api/v1/namespaces/{namespace}/pods'
    assert 'namespace: the namespace of the object, or of all objects (required)' in lines
    assert "label_selector: only objects with these labels: app=web,tier!=cache" in lines
assert type(core.list_namespaced_pod).__doc__.startswith('Lists objects')
names = {'body', 'timeout', 'name', 'namespace'}
undescribed = set()
for api in (CoreV1Api, ExampleComV1Api):
    for name in dir(api):
        operation = getattr(api, name)
        if not name.startswith('_') and hasattr(operation, 'arguments'):
            described = {line.partition(':')[0] for line in operation.__doc__.splitlines()}
            undescribed |= set(operation.arguments) - described
assert not undescribed, undescribed
"""
    subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(folder)},
        check=True,
        timeout=60,
    )


def test_stubs_declare_what_modules_have(folder: Path) -> None:
    """Methods, and their arguments in the same order."""
    for stub in sorted((folder / "typed_client" / "apis").glob("*.pyi")):
        declared = _declared(stub)
        assert _described(stub.with_suffix(".py")) == declared, stub
    assert sum(1 for _ in declared) > 0


def _declared(stub: Path) -> dict[str, tuple[tuple[str, ...], frozenset[str]]]:
    """The required and the other arguments of each method."""
    tree = ast.parse(stub.read_text())
    return {
        node.name: (
            tuple(argument.arg for argument in node.args.args[1:]),
            frozenset(argument.arg for argument in node.args.kwonlyargs) - {"timeout"},
        )
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
    }


def _described(module: Path) -> dict[str, tuple[tuple[str, ...], frozenset[str]]]:
    tree = ast.parse(module.read_text())
    queries: dict[str, frozenset[str]] = {}
    methods = {}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Assign) or not isinstance(
            node.targets[0], ast.Name
        ):
            continue
        name, value = node.targets[0].id, node.value
        if isinstance(value, ast.Dict):
            queries[name] = frozenset(ast.literal_eval(value))
        elif isinstance(value, ast.Call):
            required = ast.literal_eval(value.args[2])
            others = set(queries[value.args[3].id])  # type: ignore[attr-defined]
            if any(keyword.arg == "sends" for keyword in value.keywords):
                others.add("body")
            methods[name] = (required, frozenset(others - set(required)))
    return methods


def document(text: str) -> dict[str, Any]:
    """Paths with a text wherever a document has text."""
    parameters = [
        {"name": name, "in": "query", "type": "string", "description": text}
        for name in (text, "self", "timeout", "body", "class", "a-b", "a.b")
    ]
    body = {
        "name": "body",
        "in": "body",
        "required": True,
        "schema": {"type": "object"},
    }
    operation = {
        "description": text,
        "operationId": text,
        "tags": [text],
        "parameters": [*parameters, body],
        "responses": {"200": {"description": text, "schema": {"type": "object"}}},
    }
    path = text.replace("{", "").replace("}", "")
    return {f"/{path}": {"get": operation, "post": {**operation, "operationId": "str"}}}


@pytest.mark.nightly
@settings(max_examples=40)
@given(text=HOSTILE_TEXTS | st.text(max_size=30))
def test_texts_cannot_become_code(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    release = make_release({"A": {"type": "object"}}, paths=document(text))
    folder = tmp_path_factory.mktemp("hostile")
    try:
        generate_client(release, folder, "hostile")
    except SpecError:
        return  # A name that cannot be a file's.
    paths = (folder / "hostile_client" / "apis").glob("*.py*")
    modules = sorted(path for path in paths if path.stem != "__init__")
    assert len(modules) == 2
    for module in modules:
        tree = ast.parse(module.read_text())
        kinds = {type(node).__name__ for node in tree.body}
        assert kinds <= {"Expr", "ImportFrom", "Import", "Assign", "ClassDef"}
        assert len([node for node in tree.body if isinstance(node, ast.Expr)]) <= 1
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        assert "print" not in names and "exec" not in names
    described, declared = map(_described, modules[:1]), map(_declared, modules[1:])
    assert [*described] == [*declared]


def test_a_path_needs_its_parameters(tmp_path: Path) -> None:
    operation = {"operationId": "a", "responses": {}}
    release = make_release(
        {"A": {"type": "object"}}, paths={"/a/{b}": {"get": operation}}
    )
    with pytest.raises(SpecError, match="no parameter is called 'b'"):
        generate_client(release, tmp_path, "unused")


def test_two_packages_cannot_have_one_name() -> None:
    target = load_targets(None)["python-client"]
    for options in (
        {"package": "kubernetes_models"},
        {"package": "a-b"},
        {"package": "class"},
        {"project": "kubernetes-models"},
        {"project": 'a"'},
    ):
        with pytest.raises(UsageError):
            list(generate_files(load("1.35"), target.with_options(options)))


def test_a_selection_has_what_is_left(tmp_path: Path) -> None:
    """Without the kinds of bodies and results, these are any objects."""
    release = make_release(
        {"A": {"type": "object"}},
        paths={
            "/api/v1/namespaces/{namespace}/pods": {
                "parameters": [
                    {
                        "name": "namespace",
                        "in": "path",
                        "required": True,
                        "type": "string",
                    }
                ],
                "get": {
                    "operationId": "listCoreV1NamespacedPod",
                    "tags": ["core_v1"],
                    "x-kubernetes-action": "list",
                    "responses": {"200": {"schema": {"$ref": "#/definitions/PodList"}}},
                },
            }
        },
    )
    generate_client(release, tmp_path, "few")
    stub = (tmp_path / "few_client" / "apis" / "core_v1_api.pyi").read_text()
    assert re.search(r"ListOf\[\n\s+Any,\n\s+Any,\n", stub)
