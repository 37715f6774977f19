"""The generated client on TLS connections: certificates of the server and of the client,
from kubeconfig and from programs, and proxies."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import pty
import signal
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.tls_server import (
    SERVER_NAME,
    Authority,
    KeyPair,
    TlsServer,
    http_proxy,
    socks_proxy,
    tls_server,
)

pytest.importorskip("httpcore2", reason="httpcore2 is not installed")


@pytest.fixture(scope="module")
def modules(client_modules: tuple[Any, Any]) -> tuple[Any, Any]:
    return client_modules


@pytest.fixture(scope="module")
def package(modules: Any) -> Any:
    return modules[0]


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority.create(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def pair(authority: Authority) -> KeyPair:
    return authority.issue("me")


@pytest.fixture
def server(authority: Authority) -> Iterator[TlsServer]:
    with tls_server(authority, requires_certificate=True) as server:
        yield server


class Kubeconfig:
    """Makes configurations of a client: of the file of a user of a server."""

    def __init__(self, package: Any, folder: Path, cluster: dict[str, Any]) -> None:
        self.package, self.path = package, folder / "config"
        self.cluster = cluster

    def __call__(self, user: KeyPair | dict[str, Any], **cluster: Any) -> Any:
        """The configuration of a user; ``cluster`` replaces fields of the cluster."""
        if isinstance(user, KeyPair):
            certificate, key = map(str, user)
            user = {"client-certificate": certificate, "client-key": key}
        fields = {name.replace("_", "-"): value for name, value in cluster.items()}
        context = {"cluster": "here", "user": "me"}
        config = {
            "current-context": "main",
            "contexts": [{"name": "main", "context": context}],
            "clusters": [{"name": "here", "cluster": {**self.cluster, **fields}}],
            "users": [{"name": "me", "user": user}],
        }
        self.path.write_text(json.dumps(config))
        return self.package.load_kubeconfig(self.path)


@pytest.fixture
def kubeconfig(
    package: Any, tmp_path: Path, server: TlsServer, authority: Authority
) -> Kubeconfig:
    cluster = {
        "server": server.url,
        "certificate-authority": str(authority.certificate),
        "tls-server-name": SERVER_NAME,
    }
    return Kubeconfig(package, tmp_path, cluster)


@pytest.fixture
def unreachable(package: Any, tmp_path: Path) -> Kubeconfig:
    """Configurations without a server, for programs that fail before it is asked."""
    return Kubeconfig(package, tmp_path, {"server": "http://127.0.0.1:9"})


def list_namespaces(package: Any, config: Any) -> None:
    with package.Client(config, retry=package.NO_RETRY) as client:
        assert package.CoreV1Api(client).list_namespace().items == []


def encoded(path: Path) -> str:
    return base64.b64encode(path.read_bytes()).decode()


def test_a_client_certificate_is_read_from_files_and_data(
    modules: Any, server: TlsServer, kubeconfig: Kubeconfig, pair: KeyPair
) -> None:
    package, aio = modules
    data = {
        "client-certificate-data": encoded(pair.certificate),
        "client-key-data": encoded(pair.key),
    }
    for user in (pair, data):
        list_namespaces(package, kubeconfig(user))

    async def main() -> None:
        async with package.AsyncClient(kubeconfig(pair)) as client:
            await aio.CoreV1Api(client).list_namespace()

    asyncio.run(main())
    assert server.clients == ["me", "me", "me"]


def test_connections_that_cannot_be_trusted_fail(
    package: Any,
    server: TlsServer,
    kubeconfig: Kubeconfig,
    pair: KeyPair,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """A server whose certificate has another name or authority, and a user without a
    certificate."""
    other = Authority.create(tmp_path_factory.mktemp("other"))
    for user, cluster in (
        (pair, {"tls_server_name": "h"}),
        (pair, {"certificate_authority": str(other.certificate)}),
        ({}, {}),
    ):
        with pytest.raises(package.ConnectionFailed):
            list_namespaces(package, kubeconfig(user, **cluster))
    assert server.clients == []


def test_a_server_need_not_be_trusted_where_the_file_says_so(
    package: Any, tmp_path: Path, server: TlsServer, pair: KeyPair
) -> None:
    cluster = {"server": server.url, "insecure-skip-tls-verify": True}
    list_namespaces(package, Kubeconfig(package, tmp_path, cluster)(pair))
    assert server.clients == ["me"]


def test_a_key_that_does_not_belong_to_the_certificate_is_named(
    package: Any, kubeconfig: Kubeconfig, authority: Authority, pair: KeyPair
) -> None:
    config = kubeconfig(KeyPair(pair.certificate, authority.issue("other").key))
    with pytest.raises(package.ConfigError, match="client certificate cannot be used"):
        list_namespaces(package, config)


def test_a_key_with_a_password_is_named(
    package: Any, tmp_path: Path, kubeconfig: Kubeconfig, pair: KeyPair
) -> None:
    """OpenSSL would wait for the password at the terminal, which the process gets here."""
    key = tmp_path / "encrypted.key"
    command = ["openssl", "ec", "-aes256", "-passout", "pass:secret"]
    subprocess.run(
        [*command, "-in", pair.key, "-out", key], check=True, capture_output=True
    )
    config = kubeconfig(KeyPair(pair.certificate, key))
    pid, terminal = pty.fork()
    if pid == 0:
        try:
            list_namespaces(package, config)
        except package.ConfigError:
            os._exit(7)
        finally:
            os._exit(1)
    end = time.monotonic() + 30
    while (ended := os.waitpid(pid, os.WNOHANG)) == (0, 0) and time.monotonic() < end:
        time.sleep(0.05)
    if ended == (0, 0):
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    os.close(terminal)
    assert ended[0] and os.waitstatus_to_exitcode(ended[1]) == 7


def credential(version: str, pair: KeyPair, expires: float) -> str:
    timestamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(expires))
    return json.dumps(
        {
            "apiVersion": f"client.authentication.k8s.io/{version}",
            "kind": "ExecCredential",
            "status": {
                "clientCertificateData": pair.certificate.read_text(),
                "clientKeyData": pair.key.read_text(),
                "expirationTimestamp": timestamp,
            },
        }
    )


def test_close_ends_what_another_thread_waits_for(
    package: Any, server: TlsServer, kubeconfig: Kubeconfig, pair: KeyPair
) -> None:
    client = package.Client(kubeconfig(pair), timeout=None)
    namespaces = package.CoreV1Api(client).list_namespace
    with ThreadPoolExecutor() as pool:
        watch = pool.submit(list, namespaces.watch(resource_version="1"))
        assert server.is_watched.wait(30)
        client.close()
        with pytest.raises(package.ClientClosed):
            watch.result(30)


@pytest.mark.parametrize("version", ["v1", "v1beta1"])
def test_a_program_gives_a_certificate_until_it_expires(
    package: Any,
    tmp_path: Path,
    server: TlsServer,
    authority: Authority,
    kubeconfig: Kubeconfig,
    pair: KeyPair,
    version: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Then the program is run again, and new connections have its new certificate."""
    now = time.time()
    output, program = tmp_path / "credential", tmp_path / "login"
    program.write_text(f"#!/bin/sh\necho run >> '{tmp_path}/log'\ncat '{output}'\n")
    program.chmod(0o755)
    output.write_text(credential(version, pair, now + 3600))
    plugin = {
        "apiVersion": f"client.authentication.k8s.io/{version}",
        "command": "./login",
        "interactiveMode": "IfAvailable",
    }
    runs = tmp_path / "log"
    with package.Client(kubeconfig({"exec": plugin})) as client:
        core = package.CoreV1Api(client)
        core.list_namespace()
        core.list_namespace()
        assert runs.read_text().count("run") == 1
        output.write_text(credential(version, authority.issue("new"), now + 7200))
        monkeypatch.setattr(time, "time", lambda: now + 3600)
        core.list_namespace()
        assert runs.read_text().count("run") == 2
    assert server.clients == ["me", "me", "new"]


@pytest.mark.parametrize("is_async", [False, True], ids=["blocking", "asyncio"])
def test_a_refused_certificate_is_replaced(
    modules: Any,
    tmp_path: Path,
    server: TlsServer,
    authority: Authority,
    kubeconfig: Kubeconfig,
    pair: KeyPair,
    is_async: bool,
) -> None:
    """On a connection of its own: one that is open keeps the certificate that it has."""
    package, aio = modules
    later = time.time() + 3600
    for name, keys in (("1", pair), ("2", authority.issue("new"))):
        (tmp_path / name).write_text(credential("v1", keys, later))
    program = tmp_path / "login"
    program.write_text(f"#!/bin/sh\ncd '{tmp_path}'\ncat 1\n[ ! -e 2 ] || mv 2 1\n")
    program.chmod(0o755)
    plugin = {
        "apiVersion": "client.authentication.k8s.io/v1",
        "command": "./login",
        "interactiveMode": "Never",
    }
    config = kubeconfig({"exec": plugin})
    if not is_async:
        with package.Client(config) as client:
            package.CoreV1Api(client).list_namespace()
            server.expired = {"me"}
            package.CoreV1Api(client).list_namespace()
    else:

        async def main() -> None:
            async with package.AsyncClient(config) as client:
                await aio.CoreV1Api(client).list_namespace()
                server.expired = {"me"}
                await aio.CoreV1Api(client).list_namespace()

        asyncio.run(main())
    assert server.clients == ["me", "me", "new"]


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("", "no ExecCredential"),
        ("{}", "apiVersion"),
        ('{"apiVersion": "client.authentication.k8s.io/v1beta1"}', "v1beta1"),
        ('{"apiVersion": "client.authentication.k8s.io/v1"}', "status"),
        (
            '{"apiVersion": "client.authentication.k8s.io/v1", "status": {}}',
            "neither a token nor a certificate",
        ),
        (
            '{"apiVersion": "client.authentication.k8s.io/v1", '
            '"status": {"clientKeyData": "k"}}',
            "without the other",
        ),
        (
            '{"apiVersion": "client.authentication.k8s.io/v1", '
            '"status": {"token": "t", "expirationTimestamp": "soon"}}',
            "expirationTimestamp is no time",
        ),
    ],
)
def test_what_a_program_prints_is_checked(
    package: Any, tmp_path: Path, unreachable: Kubeconfig, output: str, message: str
) -> None:
    (tmp_path / "output").write_text(output)
    plugin = {
        "apiVersion": "client.authentication.k8s.io/v1",
        "command": "cat",
        "args": [str(tmp_path / "output")],
    }
    with pytest.raises(package.ConfigError, match=message):
        list_namespaces(package, unreachable({"exec": plugin}))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"apiVersion": "client.authentication.k8s.io/v1alpha1"}, "is not supported"),
        ({"interactiveMode": "Always"}, "no terminal"),
        ({"args": "a b"}, "args must be a list"),
        ({"env": [{"name": "A"}]}, "env must be a list"),
        ({"command": ""}, "command is missing"),
        ({"command": "no-such-program", "installHint": "get it"}, "get it"),
    ],
)
def test_a_program_that_cannot_be_run_is_named(
    package: Any, unreachable: Kubeconfig, fields: dict[str, Any], message: str
) -> None:
    plugin = {
        "apiVersion": "client.authentication.k8s.io/v1",
        "command": "true",
        **fields,
    }
    with pytest.raises(package.ConfigError, match=message):
        list_namespaces(package, unreachable({"exec": plugin}))


def test_the_token_of_a_pod_is_read_again(
    package: Any,
    tmp_path: Path,
    authority: Authority,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The kubelet replaces the file; a new token is used after a minute, or where the
    old one is refused."""
    (tmp_path / "token").write_text("old\n")
    (tmp_path / "ca.crt").write_bytes(authority.certificate.read_bytes())
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "127.0.0.1")
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", "443")
    config = package.load_in_cluster_config(tmp_path)
    credentials = package.Client(config)._credentials
    now = time.time()
    assert credentials.get().token == "old"
    (tmp_path / "token").write_text("new\n")
    assert credentials.get().token == "old"
    old = credentials.get()
    assert credentials.get(refused=old).token == "new"
    (tmp_path / "token").write_text("newer\n")
    assert credentials.get(refused=old).token == "new"  # as of another thread
    (tmp_path / "token").write_text("newest\n")
    monkeypatch.setattr(time, "time", lambda: now + 120)
    assert credentials.get().token == "newest"


@pytest.mark.parametrize(
    ("host", "target"),
    [
        (SERVER_NAME, f"{SERVER_NAME}:443"),
        ("[fd00::1]", "[fd00::1]:443"),
        ("[fe80::1%25eth0]", "[fe80::1]:443"),
    ],
)
def test_an_http_proxy_leads_to_the_server(
    package: Any,
    server: TlsServer,
    kubeconfig: Kubeconfig,
    pair: KeyPair,
    host: str,
    target: str,
) -> None:
    """With the credentials in its URL. The proxy resolves the server's name."""
    with http_proxy(server.port) as proxy:
        config = kubeconfig(pair, server=f"https://{host}", proxy_url=proxy.url)
        list_namespaces(package, config)
    assert proxy.targets == [target]
    assert proxy.credentials == [f"Basic {base64.b64encode(b'user:p@ss').decode()}"]
    assert server.clients == ["me"]


@pytest.mark.parametrize("scheme", ["socks5", "socks5h"])
def test_a_socks_proxy_leads_to_the_server(
    modules: Any, server: TlsServer, kubeconfig: Kubeconfig, pair: KeyPair, scheme: str
) -> None:
    """Blocking, and with asyncio."""
    pytest.importorskip("socksio", reason="httpcore2[socks] is not installed")
    package, aio = modules
    with socks_proxy(server.port) as proxy:
        url = proxy.url.replace("socks5", scheme)
        config = kubeconfig(pair, server=f"https://{SERVER_NAME}", proxy_url=url)
        list_namespaces(package, config)

        async def main() -> None:
            async with package.AsyncClient(config) as client:
                await aio.CoreV1Api(client).list_namespace()

        asyncio.run(main())
    assert proxy.targets == [f"{SERVER_NAME}:443"] * 2
    assert server.clients == ["me", "me"]


def test_a_proxy_that_is_not_there_is_an_error(
    package: Any, server: TlsServer, kubeconfig: Kubeconfig, pair: KeyPair
) -> None:
    for url, error in (
        ("http://127.0.0.1:9", package.ConnectionFailed),
        ("nonsense", package.ConfigError),
    ):
        with pytest.raises(error):
            list_namespaces(package, kubeconfig(pair, proxy_url=url))
    assert server.clients == []
