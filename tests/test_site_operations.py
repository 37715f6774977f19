"""What the pages of kinds say about operations: the paths are those of the API, and the
calls work with kubectl and on a real API server (tests/api_server.py), in Python with
the generated client, and in Rust with kube."""

from __future__ import annotations

import ast
import json
import os
import re
import socket
import subprocess
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from kubestencil.engine import load_targets
from kubestencil.engine.templates import Templates
from kubestencil.schema import Release
from kubestencil.schema.kinds import kind_definitions
from kubestencil.schema.resources.operation import operations
from kubestencil.source import embedded
from kubestencil.targets.site.addresses import page_addresses
from kubestencil.targets.site.examples.operations import Operations, ReleaseOperations
from tests.api_server import Client
from tests.cargo import Cargo, write_crate
from tests.conftest import full_specs, load, make_release, takes_minutes
from tests.test_rust_drop_in import write_program

# Commands that wait, or need a kubelet or a controller.
NOT_ALONE = re.compile(
    r"--watch|kubectl (?:attach|certificate|debug|exec|logs|port-forward|rollout)"
)


@cache
def site_operations(release: str) -> Mapping[str, Operations]:
    return operations_of(load(release))


def operations_of(release: Release) -> Mapping[str, Operations]:
    """The operations of each kind, by apiVersion and kind."""
    made = ReleaseOperations(
        release, page_addresses(release), load_targets(None)["site"]
    )
    return {
        f"{kind.api_version} {kind.kind}": made.of(release.definitions[name])
        for name, kind in kind_definitions(release).items()
    }


def code(page: Operations, language: str) -> str:
    if language not in {call.language for call in page.calls}:
        return ""
    template = f"calls/{language}.j2"
    return call_templates().render(template, "", {"program": page.program})


@cache
def call_templates() -> Templates:
    return Templates(load_targets(None)["site"].folders, {}, "")


def test_a_kind_has_its_paths_with_methods_and_verbs() -> None:
    page = site_operations("1.35")["apps/v1 Deployment"]
    rows = {row.path: row for row in page.paths}
    assert list(rows) == sorted(rows)
    objects = rows["/apis/apps/v1/namespaces/{namespace}/deployments"]
    assert [(label.method, label.verbs) for label in objects.methods] == [
        ("GET", "list, watch"),
        ("POST", "create"),
        ("DELETE", "deletecollection"),
    ]
    scale = rows["/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale"]
    assert (scale.type, scale.href) == ("Scale", "../../../autoscaling/v1/Scale/")


def test_a_kind_of_subresources_has_their_paths() -> None:
    page = site_operations("1.35")["policy/v1 Eviction"]
    (row,) = page.paths
    assert row.path == "/api/v1/namespaces/{namespace}/pods/{name}/eviction"
    assert not row.type and not page.calls


@pytest.mark.parametrize("release", embedded.releases())
def test_each_query_parameter_has_a_description(release: str) -> None:
    for page in site_operations(release).values():
        for row in page.parameters:
            assert row.description and row.operations, row


@pytest.mark.skipif(full_specs() is None, reason="KUBESTENCIL_SPECS is not set")
@pytest.mark.parametrize("release", ["1.29", "1.35"])
def test_pages_have_all_paths_and_methods_of_the_document(release: str) -> None:
    document = load(release, full_specs())
    expected = {
        (operation.path, operation.method.upper())
        for operation in operations(document)
        if operation.kind
        and not operation.action.startswith("watch")
        and not operation.path.endswith("{path}")
    }
    pages = site_operations(release)
    shown = {
        (row.path, label.method)
        for page in pages.values()
        for row in page.paths
        for label in row.methods
    }
    assert shown == expected


def test_calls_of_hostile_names_stay_in_their_strings() -> None:
    name = "$(touch x)'\"; rm -rf"
    kind = {"group": "a.example", "version": "v1", "kind": "Thing"}
    release = make_release(
        {
            "example.a.v1.Thing": {
                "type": "object",
                "properties": {"metadata": {"type": "object"}},
                "x-kubernetes-group-version-kind": [kind],
            }
        },
        paths={
            f"/apis/a.example/v1/{name}": {
                "get": {
                    "operationId": "listThing",
                    "x-kubernetes-action": "list",
                    "x-kubernetes-group-version-kind": kind,
                }
            }
        },
    )
    (page,) = operations_of(release).values()
    for language in ("kubectl", "curl"):
        script = code(page, language).replace("kubectl proxy &\n", "")
        done = subprocess.run(
            ["sh", "-c", f"kubectl() {{ :; }}\ncurl() {{ :; }}\n{script}"],
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, ""), script
    assert not Path("x").exists()


# --------------------------------------------------------------------------- Python


def test_python_calls_fit_the_signatures_of_the_generated_client(
    client_modules: tuple[Any, Any],
) -> None:
    pytest.importorskip("httpcore2")
    pytest.importorskip("httpcore2")
    package, _ = client_modules
    count = 0
    for kind, page in site_operations("1.35").items():
        text = code(page, "python")
        if not text:
            continue
        tree = ast.parse(text)
        names = [alias.name for node in tree.body[:1] for alias in node.names]  # type: ignore[attr-defined]
        api = getattr(package, names[0])
        for node in ast.walk(tree):
            if not (
                isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
            ):
                continue
            method = node.func
            while isinstance(method.value, ast.Attribute):
                method = method.value
            assert hasattr(api, method.attr), (kind, method.attr)
            count += 1
    assert count > 800


# -------------------------------------------------------------------- a real server


@pytest.fixture(scope="module")
def shell(
    api_server: Client, tmp_path_factory: pytest.TempPathFactory
) -> Mapping[str, str]:
    config = tmp_path_factory.mktemp("kubectl") / "config"
    config.write_text(json.dumps(api_server.kubeconfig()))
    return {**os.environ, "KUBECONFIG": str(config), "EDITOR": "true"}


def run(script: str, environment: Mapping[str, str], folder: Path) -> str:
    done = subprocess.run(
        ["bash", "-ec", script],
        env=environment,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, f"{script}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def starter(kind: str) -> str:
    from tests.test_starters import values

    return json.dumps(values(load("1.35"))[kind])


@pytest.mark.peer("kubectl")
def test_kubectl_finds_each_kind_by_the_name_in_its_commands(
    api_server: Client, shell: Mapping[str, str], tmp_path: Path
) -> None:
    names = []
    for kind, page in site_operations("1.35").items():
        match = re.match(r"kubectl get (\S+)", code(page, "kubectl"))
        version, _, name = kind.partition(" ")
        path = f"/apis/{version}" if "/" in version else f"/api/{version}"
        try:
            served = {item["kind"] for item in api_server.get(path)["resources"]}
        except AssertionError:
            continue
        if match and name in served:
            names.append(match[1])
    assert len(names) > 60
    run(f"kubectl get {','.join(names)} --ignore-not-found", shell, tmp_path)


@pytest.mark.nightly
@pytest.mark.peer("kubectl")
@pytest.mark.parametrize("kind", ["v1 ConfigMap", "apps/v1 Deployment", "v1 Node"])
def test_kubectl_commands_work_on_a_real_server(
    kind: str, shell: Mapping[str, str], tmp_path: Path
) -> None:
    page = site_operations("1.35")[kind]
    lines = [
        line
        for line in code(page, "kubectl").splitlines()
        if not NOT_ALONE.search(line)
    ]
    apply = next(line for line in lines if " apply " in line)
    (tmp_path / apply.rpartition(" ")[2]).write_text(starter(kind))
    # Objects are created first, and deleted last.
    lines.sort(key=lambda line: (line != apply, " delete " in line))
    assert len(lines) > 10
    run("\n".join(lines), shell, tmp_path)


@pytest.mark.peer("kubectl", "curl")
def test_curl_commands_work_on_a_real_server(
    shell: Mapping[str, str], tmp_path: Path
) -> None:
    (tmp_path / "deployment.yaml").write_text(starter("apps/v1 Deployment"))
    page = site_operations("1.35")["apps/v1 Deployment"]
    script = code(page, "curl").replace("timeoutSeconds=60", "timeoutSeconds=1")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    script = script.replace("8001", port)
    script = script.replace("kubectl proxy &", f"kubectl proxy --port={port} &")
    lines = [line.replace("curl ", "curl -sf ", 1) for line in script.splitlines()]
    creation = next(line for line in lines if line.rpartition(" ")[2] == "$url")
    lines.remove(creation)
    wait = f"for i in $(seq 100); do curl -sf http://127.0.0.1:{port}/api && break; sleep 0.1; done"
    deletions = [line for line in lines if "DELETE" in line]
    calls = [line for line in lines[2:] if line not in deletions]
    run(
        "\n".join(
            ["trap 'kill %1' EXIT", *lines[:2], wait, creation, *calls, *deletions]
        ),
        shell,
        tmp_path,
    )


# ----------------------------------------------------------------------------- Rust


@takes_minutes
def test_rust_calls_of_all_kinds_compile_with_kube(
    cargo: Cargo, tmp_path: Path
) -> None:
    """``KUBESTENCIL_COMPILERS=all pytest tests/test_site_operations.py -k rust``"""
    crate = write_crate(load("1.35"), tmp_path / "crate", drop_in="0.29.0")
    modules = [
        f"pub mod kind_{number} {{\n{text}}}\n"
        for number, page in enumerate(site_operations("1.35").values())
        if (text := code(page, "rust"))
    ]
    assert len(modules) > 70
    program = write_program(
        tmp_path / "program",
        crate,
        'k8s-openapi = { version = "0.29", features = ["latest"] }\n'
        'kube = { version = "5", default-features = false, features = ["client"] }\n'
        'serde_json = "1"\n',
        "fn main() {}\n",
    )
    (program / "src" / "main.rs").unlink()
    (program / "src" / "lib.rs").write_text("".join(modules))
    assert "warning" not in cargo(program, "check", timeout=1800)
