"""A real kube-apiserver on the loopback interface, and a client of it.

``KUBESTENCIL_APISERVER``, ``KUBESTENCIL_OLD_APISERVER`` (of 1.29) and
``KUBESTENCIL_ETCD`` name the binaries; ``.ci/api-server`` builds the first two, the last is
in Debian's package ``etcd-server``.
"""

from __future__ import annotations

import http.client
import json
import os
import secrets
import shutil
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from email.message import Message
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

#: The variables that name servers of 1.35 and of 1.29.
SERVER, OLD_SERVER = "KUBESTENCIL_APISERVER", "KUBESTENCIL_OLD_APISERVER"
#: Seconds until a server must answer, and until a change must be visible.
START_TIMEOUT = 120.0
CRD_TIMEOUT = 120.0
#: Connections of ``submit_all``: with more, two cores answer no faster.
CONNECTIONS = 4

_CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_DRY_RUN = "?dryRun=All&fieldValidation=Strict"


class Reply(NamedTuple):
    """A response: its status, the object in it, and the warnings in its headers."""

    status: int
    body: Any
    warnings: tuple[str, ...] = ()

    @property
    def accepted(self) -> bool:
        return self.status == 201

    @property
    def message(self) -> str:
        """Why the request was refused."""
        return str(self.body.get("message", "")) if isinstance(self.body, dict) else ""

    @property
    def causes(self) -> tuple[tuple[str, str, str], ...]:
        """Field, reason and message of what validation (status 422) refused."""
        details = self.body.get("details") or {}
        return tuple(
            (cause.get("field", ""), cause.get("reason", ""), cause.get("message", ""))
            for cause in details.get("causes") or ()
        )


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a kind is created: ``/apis/apps/v1`` and ``deployments``."""

    version_path: str
    resource: str
    namespaced: bool

    def path(self, namespace: str) -> str:
        if not self.namespaced:
            return f"{self.version_path}/{self.resource}"
        return (
            f"{self.version_path}/namespaces/{quote(namespace, safe='')}"
            f"/{self.resource}"
        )


class Client:
    """Sends requests, over one connection for each thread that does."""

    def __init__(self, port: int, token: str, authority: Path) -> None:
        self.port = port
        self.token = token
        self.authority = authority
        self._local = threading.local()
        self._endpoints: dict[str, dict[str, Endpoint]] = {}

    def kubeconfig(self) -> dict[str, Any]:
        """A configuration of kubectl and of other clients."""
        cluster = {
            "server": f"https://127.0.0.1:{self.port}",
            "certificate-authority": str(self.authority),
        }
        name = "test"
        return {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": name, "cluster": cluster}],
            "users": [{"name": name, "user": {"token": self.token}}],
            "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
            "current-context": name,
        }

    def request(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        content_type: str = "application/json",
    ) -> Reply:
        """The response to a request; a body that is no JSON object as text."""
        status, response_headers, data = self.send(method, path, body, content_type)
        warnings = tuple(
            # 299 - "text"
            json.loads(header.partition(" - ")[2])
            for header in response_headers.get_all("Warning") or ()
        )
        # The index of /openapi/v3 is JSON without a content type.
        if data.startswith(b"{"):
            return Reply(status, json.loads(data), warnings)
        return Reply(status, data.decode(errors="replace"), warnings)

    def send(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        content_type: str = "application/json",
        accept: str = "application/json",
    ) -> tuple[int, Message, bytes]:
        """The status, headers and content of a response."""
        headers = {"Authorization": f"Bearer {self.token}", "Accept": accept}
        if body is not None:
            headers["Content-Type"] = content_type
        connection = self._connection()
        try:
            try:
                connection.request(method, path, body, headers)
                response = connection.getresponse()
            except (http.client.RemoteDisconnected, ConnectionError, ssl.SSLError):
                # The server closes connections that were idle for some time.
                connection.close()
                connection.request(method, path, body, headers)
                response = connection.getresponse()
            data = response.read()
        except BaseException:
            # The next request would get the rest of this response.
            connection.close()
            raise
        return response.status, response.headers, data

    def get(self, path: str) -> Any:
        """The object at a path, which must be there."""
        reply = self.request("GET", path)
        assert reply.status == 200, (path, reply)
        return reply.body

    def submit(self, value: Mapping[str, Any]) -> Reply:
        """Create an object: dry run, with strict validation of its fields.

        The status is 0 where the server has no resource of the object's kind that can
        be created.
        """
        path = self.create_path(value)
        if path is None:
            return Reply(0, {"message": "the kind is not served"})
        return self.submit_text(path, json.dumps(value), "application/json")

    def create(self, value: Mapping[str, Any]) -> None:
        """Create an object that stays."""
        path = self.create_path(value)
        assert path is not None, value["kind"]
        reply = self.request("POST", path, json.dumps(value).encode())
        assert reply.status == 201, reply.message

    def delete(self, path: str) -> None:
        """Delete an object at once: nothing here ends what finalizers wait for, such as
        the use of a PersistentVolume."""
        self.request("DELETE", path)
        patch = b'{"metadata": {"finalizers": null}}'
        self.request("PATCH", path, patch, "application/merge-patch+json")

    def submit_text(self, path: str, text: str, content_type: str) -> Reply:
        """The same for the text of an object, at the path of its resource."""
        return self.request("POST", f"{path}{_DRY_RUN}", text.encode(), content_type)

    def submit_all(self, values: Iterable[Mapping[str, Any]]) -> list[Reply]:
        """The same for many objects, over several connections."""
        with ThreadPoolExecutor(CONNECTIONS) as threads:
            return list(threads.map(self.submit, values))

    def create_path(self, value: Mapping[str, Any]) -> str | None:
        """The path under which an object is created, in its own namespace or, where
        that is no segment of a path, in ``default``; None where there is no such
        resource."""
        api_version, kind = str(value.get("apiVersion")), str(value.get("kind"))
        endpoint = self.endpoints(api_version).get(kind)
        if endpoint is None:
            return None
        metadata = value.get("metadata")
        namespace = metadata.get("namespace") if isinstance(metadata, dict) else None
        if not isinstance(namespace, str) or not namespace or "/" in namespace:
            namespace = "default"
        return endpoint.path(namespace)

    def endpoints(self, api_version: str) -> Mapping[str, Endpoint]:
        """Where the kinds of an API version are created."""
        if api_version not in self._endpoints:
            self._endpoints[api_version] = self._discover(api_version)
        return self._endpoints[api_version]

    def _discover(self, api_version: str) -> dict[str, Endpoint]:
        prefix = "/apis" if "/" in api_version else "/api"
        path = f"{prefix}/{quote(api_version)}"
        reply = self.request("GET", path)
        if reply.status != 200:
            return {}
        return {
            resource["kind"]: Endpoint(path, resource["name"], resource["namespaced"])
            for resource in reply.body.get("resources", ())
            if "/" not in resource["name"] and "create" in resource["verbs"]
        }

    def install(self, crds: Sequence[Mapping[str, Any]]) -> None:
        """Create CustomResourceDefinitions, and wait until the server has resources
        and OpenAPI documents of them."""
        bodies = [json.dumps(crd).encode() for crd in crds]
        with ThreadPoolExecutor(CONNECTIONS) as threads:
            for reply in threads.map(
                lambda body: self.request("POST", _CRDS, body), bodies
            ):
                assert reply.status in (201, 409), reply.message
        kinds: dict[str, set[str]] = {}
        for crd in crds:
            for version in crd["spec"]["versions"]:
                if version["served"]:
                    api_version = f"{crd['spec']['group']}/{version['name']}"
                    kinds.setdefault(api_version, set()).add(
                        crd["spec"]["names"]["kind"]
                    )
        for api_version, names in kinds.items():
            is_served = partial(self._serves, api_version, names)
            _wait(f"{api_version} is served", CRD_TIMEOUT, is_served)
        self._endpoints.clear()

    def store_in(self, crd: Mapping[str, Any], version: str) -> None:
        """Change which version of a CustomResourceDefinition objects are stored in, and
        wait until the server does so."""
        spec = crd["spec"]
        path = f"/apis/{spec['group']}/{version}"
        names = spec["names"]
        before = self._storage_hash(path, names["plural"])
        versions = [
            {**item, "storage": item["name"] == version} for item in spec["versions"]
        ]
        patch = json.dumps({"spec": {"versions": versions}}).encode()
        reply = self.request(
            "PATCH",
            f"{_CRDS}/{names['plural']}.{spec['group']}",
            patch,
            "application/merge-patch+json",
        )
        assert reply.status == 200, reply.message
        _wait(
            f"{names['kind']} is stored in {version}",
            CRD_TIMEOUT,
            lambda: self._storage_hash(path, names["plural"]) != before,
        )

    def _storage_hash(self, path: str, plural: str) -> str:
        """The digest of the version that objects of a resource are stored in."""
        resources = self.get(path)["resources"]
        return next(
            str(resource["storageVersionHash"])
            for resource in resources
            if resource["name"] == plural
        )

    def _serves(self, api_version: str, kinds: set[str]) -> bool:
        """Whether discovery and OpenAPI 3.0 have all of these kinds."""
        return kinds <= self._discover(api_version).keys() and kinds <= self._published(
            api_version
        )

    def _published(self, api_version: str) -> set[str]:
        """The kinds in the OpenAPI 3.0 document of an API version."""
        reply = self.request("GET", f"/openapi/v3/apis/{api_version}")
        if reply.status != 200:
            return set()
        return {
            kind["kind"]
            for schema in reply.body["components"]["schemas"].values()
            for kind in schema.get("x-kubernetes-group-version-kind", ())
        }

    def _connection(self) -> http.client.HTTPSConnection:
        if not hasattr(self._local, "connection"):
            context = ssl.create_default_context(cafile=str(self.authority))
            self._local.connection = http.client.HTTPSConnection(
                "127.0.0.1", self.port, timeout=60, context=context
            )
        connection: http.client.HTTPSConnection = self._local.connection
        return connection


def missing(server: str = SERVER) -> str:
    """Why no server can be started on this machine; empty where one can."""
    for variable in (server, "KUBESTENCIL_ETCD"):
        binary = os.environ.get(variable)
        if not binary:
            return f"{variable} names no binary"
        if shutil.which(binary) is None:
            return f"{variable}: {binary} cannot be executed"
    return "" if shutil.which("openssl") else "openssl is missing"


@contextmanager
def api_server(
    folder: Path,
    feature_gates: str = "",
    server: str = SERVER,
    authorization: str = "AlwaysAllow",
) -> Iterator[Client]:
    """Runs a server with its data in ``folder``, and stops it at the end.

    All API versions are served, those that are off by default, too, unless a feature
    gate has to enable them: ``feature_gates`` (``AllAlpha=true,AllBeta=true``). Objects
    are accepted in any namespace.
    """
    etcd = f"http://127.0.0.1:{free_port()}"
    port, token = free_port(), secrets.token_hex()
    (folder / "tokens.csv").write_text(f"{token},test,test,system:masters\n")
    key = folder / "service-account.key"
    subprocess.run(
        ["openssl", "genrsa", "-out", str(key), "2048"], check=True, capture_output=True
    )
    with ExitStack() as stack:
        _start(
            stack,
            os.environ["KUBESTENCIL_ETCD"],
            {
                "data-dir": folder / "etcd",
                "listen-client-urls": etcd,
                "advertise-client-urls": etcd,
                "listen-peer-urls": f"http://127.0.0.1:{free_port()}",
                "unsafe-no-fsync": "true",
            },
            folder / "etcd.log",
        )
        process = _start(
            stack,
            os.environ[server],
            {
                "etcd-servers": etcd,
                "bind-address": "127.0.0.1",
                "secure-port": port,
                "cert-dir": folder / "certificates",
                "token-auth-file": folder / "tokens.csv",
                "service-account-key-file": key,
                "service-account-signing-key-file": key,
                "service-account-issuer": "https://127.0.0.1",
                "service-cluster-ip-range": "10.0.0.0/24",
                "endpoint-reconciler-type": "none",
                "disable-admission-plugins": "ServiceAccount,NamespaceLifecycle",
                "runtime-config": "api/all=true",
                "feature-gates": feature_gates,
                "authorization-mode": authorization,
                "allow-privileged": "true",
            },
            folder / "api-server.log",
        )
        client = Client(port, token, folder / "certificates" / "apiserver.crt")
        log = folder / "api-server.log"
        _wait(
            "the API server is ready",
            START_TIMEOUT,
            lambda: _is_ready(client, process, log),
        )
        yield client


@contextmanager
def proxy(client: Client) -> Iterator[str]:
    """The URL of the server without TLS and authentication, as of ``kubectl proxy``."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, headers, data = client.send("GET", self.path)
            self.send_response(status)
            for name in ("Content-Type", "Location"):
                if name in headers:
                    self.send_header(name, headers[name])
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def free_port() -> int:
    """A port of the loopback interface that nothing listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def _start(
    stack: ExitStack, binary: str, flags: Mapping[str, object], log: Path
) -> subprocess.Popen[bytes]:
    """Start a process, which is stopped when ``stack`` is closed."""
    output = stack.enter_context(log.open("wb"))
    process = subprocess.Popen(
        [binary, *(f"--{name}={value}" for name, value in flags.items())],
        env={**os.environ, "GOGC": "200"},  # Memory is cheaper than time.
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
    )
    stack.callback(_stop, process)
    return process


def _stop(process: subprocess.Popen[bytes]) -> None:
    # The API server would take its time to end, and nothing of it is needed any more.
    process.kill()
    process.wait()


def _is_ready(client: Client, process: subprocess.Popen[bytes], log: Path) -> bool:
    assert process.poll() is None, log.read_text()[-3000:]
    try:
        return client.request("GET", "/readyz").status == 200
    except OSError:  # It does not listen yet, or has not written its certificate.
        return False


def _wait(what: str, timeout: float, is_done: Callable[[], bool]) -> None:
    deadline = time.monotonic() + timeout
    while not is_done():
        assert time.monotonic() < deadline, f"after {timeout:.0f} s: not {what}"
        time.sleep(0.1)
