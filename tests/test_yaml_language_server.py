"""yaml-language-server (npm) with the generated JSON Schemas."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Timer
from typing import IO, Any

import pytest

from kubestencil import render
from tests.test_kubeconform import CRDS

pytestmark = pytest.mark.peer("yaml-language-server")

DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template: {spec: {containers: [{name: web}]}}
"""
DEPLOYMENT_WITH_IMAGE = DEPLOYMENT.replace(
    "{spec: {containers: [{name: web}]}}",
    "{metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: a}]}}",
)
COMPLETED = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  strategy:
    type: VALUE
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: web
          image: nginx
          imagePullPolicy: VALUE
          terminationMessagePolicy: VALUE
"""
GADGET = """\
apiVersion: tool-box.example.com/v1
kind: Gadget
metadata: {name: web}
spec: {issuerRef: {name: a}, mode: "on"}
"""


class Client:
    """Speaks the language server protocol with a server process."""

    def __init__(
        self, stdin: IO[bytes], stdout: IO[bytes], settings: dict[str, Any]
    ) -> None:
        self._stdin = stdin
        self._stdout = stdout
        self._settings = settings

    def send(self, method: str, params: Any, **more: Any) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": params, **more}
        self._write(message)

    def _write(self, message: Any) -> None:
        data = json.dumps(message).encode()
        self._stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
        self._stdin.flush()

    def _read(self) -> Any:
        length = 0
        while line := self._stdout.readline().strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        return json.loads(self._stdout.read(length))

    def messages(self) -> Iterator[Any]:
        """What the server sends; its requests for settings are answered."""
        while True:
            message = self._read()
            if "method" in message and "id" in message:
                items = message["params"].get("items", [])
                settings = [self._settings.get(item["section"]) for item in items]
                self._write({"jsonrpc": "2.0", "id": message["id"], "result": settings})
            yield message

    def diagnostics(self, path: Path, text: str) -> list[str]:
        """The messages about a document that is opened."""
        uri = path.as_uri()
        item = {"uri": uri, "languageId": "yaml", "version": 1, "text": text}
        self.send("textDocument/didOpen", {"textDocument": item})
        for message in self.messages():
            if message.get("method") == "textDocument/publishDiagnostics":
                params = message["params"]
                if params["uri"] == uri:
                    return [item["message"] for item in params["diagnostics"]]
        raise AssertionError("the server sends no diagnostics")

    def completions(self, path: Path, text: str, line: int, column: int) -> set[str]:
        """What is proposed at a place of a document that is opened."""
        self.diagnostics(path, text)
        place = {"line": line, "character": column}
        document = {"uri": path.as_uri()}
        params = {"textDocument": document, "position": place}
        self.send("textDocument/completion", params, id=2)
        for message in self.messages():
            if message.get("id") == 2 and "result" in message:
                return {item["label"] for item in message["result"]["items"]}
        raise AssertionError("the server proposes nothing")


@contextmanager
def language_server(folder: Path, schemas: dict[str, str]) -> Iterator[Client]:
    """A server that is killed after a minute. ``schemas`` is the setting yaml.schemas."""
    with subprocess.Popen(
        ["yaml-language-server", "--stdio"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=folder,
    ) as process:
        timer = Timer(60, process.kill)
        timer.start()
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            store = {"enable": False}
            settings = {"validate": True, "schemaStore": store, "schemas": schemas}
            client = Client(process.stdin, process.stdout, {"yaml": settings})
            capabilities = {"workspace": {"configuration": True}}
            params = {
                "processId": None,
                "rootUri": folder.as_uri(),
                "capabilities": capabilities,
            }
            client.send("initialize", params, id=1)
            next(message for message in client.messages() if message.get("id") == 1)
            client.send("initialized", {})
            yield client
        finally:
            timer.cancel()
            process.kill()


@pytest.mark.parametrize(
    ("schema", "text", "wrong", "message"),
    [
        (
            "v1.35.0-standalone-strict/deployment-apps-v1.json",
            DEPLOYMENT,
            DEPLOYMENT.replace("replicas: 2", 'replicas: "two"'),
            "Expected one of integer, null",
        ),
        (
            "v1.35.0-standalone-strict/deployment-apps-v1.json",
            DEPLOYMENT,
            DEPLOYMENT.replace("replicas:", "replica:"),
            "Property replica is not allowed",
        ),
        (
            "tool-box.example.com/gadget_v1.json",
            GADGET,
            GADGET.replace('"on"', "auto"),
            "Value is not accepted",
        ),
    ],
)
def test_the_first_line_of_a_file_names_its_schema(
    tmp_path: Path, schema: str, text: str, wrong: str, message: str
) -> None:
    folder = render_schemas(tmp_path)
    line = f"# yaml-language-server: $schema={schema}\n"
    with language_server(folder, {}) as client:
        assert client.diagnostics(folder / "right.yaml", line + text) == []
        messages = client.diagnostics(folder / "wrong.yaml", line + wrong)
        assert any(message in item for item in messages), messages


def test_values_that_the_server_accepts_are_completed(tmp_path: Path) -> None:
    folder = render_schemas(tmp_path, flavours="editor")
    schema = "v1.35.0-editor/deployment-apps-v1.json"
    text = f"# yaml-language-server: $schema={schema}\n" + COMPLETED.replace(
        "VALUE", ""
    )
    lines = text.splitlines()
    with language_server(folder, {}) as client:
        for name, values in (
            ("imagePullPolicy", {"Always", "IfNotPresent", "Never"}),
            ("type", {"Recreate", "RollingUpdate"}),
            ("terminationMessagePolicy", {"File", "FallbackToLogsOnError"}),
        ):
            (line,) = (i for i, row in enumerate(lines) if f" {name}: " in row)
            path = folder / f"{name}.yaml"
            proposed = client.completions(path, text, line, len(lines[line]))
            assert values <= proposed
        wrong = text.replace("imagePullPolicy: ", "imagePullPolicy: Alway")
        messages = client.diagnostics(folder / "wrong.yaml", wrong)
        assert any('"IfNotPresent"' in message for message in messages), messages


@pytest.mark.nightly
def test_each_object_of_a_file_is_of_its_own_kind(tmp_path: Path) -> None:
    folder = render_schemas(tmp_path, flavours="editor", kinds=())
    pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n"
    pod += "  containers: [{name: web, image: nginx}]\n"
    other = "apiVersion: example.org/v1\nkind: Other\nanything: 1\n"
    text = "---\n".join((DEPLOYMENT_WITH_IMAGE, pod, GADGET, other))
    readme = (folder / "README.md").read_text()
    settings = json.loads(readme.partition("```json\n")[2].partition("```")[0])
    schemas = {
        path.replace("path/to/this/folder", str(folder)): pattern
        for path, pattern in settings["yaml.schemas"].items()
    }
    (folder / "manifests").mkdir()
    path = folder / "manifests" / "all.yaml"
    with language_server(folder, schemas) as client:
        assert client.diagnostics(path, text) == []
    for right, wrong, message in (
        ("replicas: 2", "replicas: two", "Expected one of integer, null"),
        ("containers: [", "contaners: [", "Property contaners is not allowed"),
        ("kind: Pod", "kind: Pood", "Value is not accepted"),
        ('mode: "on"', "mode: auto", "Value is not accepted"),
    ):
        with language_server(folder, schemas) as client:
            messages = client.diagnostics(path, text.replace(right, wrong, 1))
        assert any(message in item for item in messages), (wrong, messages)
    with language_server(folder, schemas) as client:
        lines = f"{pod}  restartPolicy: ".splitlines()
        line = len(lines) - 1
        proposed = client.completions(path, "\n".join(lines), line, len(lines[line]))
        assert {"Always", "Never", "OnFailure"} <= proposed


def render_schemas(
    out: Path,
    flavours: str = "standalone-strict",
    kinds: Sequence[str] = ("Deployment", "Gadget"),
) -> Path:
    options = {"jsonschema.flavours": flavours}
    render(
        ["1.35"],
        targets=["jsonschema"],
        out=out,
        crds=[CRDS],
        kinds=kinds,
        options=options,
    )
    return out / "1.35" / "jsonschema"


def test_the_settings_in_the_readme_work(tmp_path: Path) -> None:
    folder = render_schemas(tmp_path)
    readme = (folder / "README.md").read_text()
    settings = json.loads(readme.partition("```json\n")[2].partition("```")[0])
    schemas = {
        path.replace("path/to/this/folder", str(folder)): pattern
        for path, pattern in settings["yaml.schemas"].items()
    }
    with language_server(folder, schemas) as client:
        wrong = DEPLOYMENT.replace("replicas:", "replica:")
        assert client.diagnostics(folder / "my-deployment.yaml", DEPLOYMENT) == []
        messages = client.diagnostics(folder / "other-deployment.yaml", wrong)
        assert messages == ["Property replica is not allowed."]
