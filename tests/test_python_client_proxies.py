"""Which servers the generated client reaches through the proxy of the environment: the
same as kubectl, whose rules are those of Go's net/http (golang.org/x/net/http/httpproxy).
"""

from __future__ import annotations

import importlib
import logging
import os
import socket
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("httpcore2", reason="httpcore2 is not installed")

PROXY = "http://proxy.example:3128"
VARIABLES = ("http_proxy", "https_proxy", "no_proxy", "all_proxy", "request_method")

#: NO_PROXY, servers that are reached without the proxy, and servers that are not.
NO_PROXY: list[tuple[str, str, str]] = [
    ("", "https://localhost https://127.0.0.1:6443 https://127.9.9.9", "https://a.b"),
    ("", "https://[::1]:6443 https://[::ffff:127.0.0.1]", "https://0.0.0.0"),
    ("x", "http://localhost http://127.0.0.1", "https://sub.localhost https://127.1"),
    ("*", "https://a.b http://10.0.0.1 https://[fd00::1]", ""),
    ("x, * ,y", "https://a.b", ""),
    ("*:443", "", "https://a.b"),
    ("a.b", "https://a.b https://x.a.b:6443 https://A.B http://a.b", "https://xa.b"),
    ("a.b,c.d", "https://c.d", "https://b https://a.b."),
    (".a.b", "https://x.a.b https://y.x.a.b", "https://a.b"),
    ("*.a.b", "https://x.a.b", "https://a.b"),
    ("*a.b", "", "https://xa.b https://a.b"),
    (" A.B ,\tc.d", "https://a.b https://c.d", ""),
    ("a.b c.d", "", "https://a.b https://c.d"),
    ("a.b:6443", "https://a.b:6443 https://x.a.b:6443", "https://a.b http://a.b"),
    ("a.b:443", "https://a.b https://a.b:443", "http://a.b https://a.b:6443"),
    ("a.b:80", "http://a.b", "https://a.b"),
    ("a.b:", "https://a.b https://a.b:6443", ""),
    ("a.b:https,a.b:0443,a.b:443:1", "", "https://a.b"),
    (":443,,:", "", "https://a.b"),
    ("10.0.0.0/8", "https://10.0.0.1 https://10.255.3.4:6443", "https://11.0.0.1"),
    ("10.0.0.9/8", "https://10.0.0.1", "https://a.b"),
    ("10.0.0.0/8", "https://[::ffff:10.0.0.1]", "https://[::10.0.0.1]"),
    ("0.0.0.0/0", "https://192.0.2.1", "https://[fd00::1] https://a.b"),
    ("::/0", "https://[fd00::1]", "https://192.0.2.1"),
    ("fd00::/8", "https://[fd00::1]:6443", "https://[fe80::1]"),
    ("::ffff:10.0.0.0/104", "https://10.0.0.1", "https://11.0.0.1"),
    ("10.0.0.0/33,10.0.0.0/255.0.0.0,10.0.0.0/,10/8", "", "https://10.0.0.1"),
    ("10.0.0.0/8:443", "", "https://10.0.0.1"),
    ("fe80::1%eth0/64,fe80::1%eth0", "", "https://[fe80::1]"),
    ("192.0.2.1", "https://192.0.2.1 https://192.0.2.1:6443", "https://192.0.2.2"),
    ("192.0.2.1:6443", "https://192.0.2.1:6443", "https://192.0.2.1"),
    ("[192.0.2.1]:443", "https://192.0.2.1", "https://192.0.2.1:6443"),
    ("192.0.2.01", "", "https://192.0.2.1"),
    ("0.2.1", "", "https://192.0.2.1"),
    ("fd00::1", "https://[fd00::1] https://[fd00:0:0::1]:6443", "https://[fd00::2]"),
    ("[fd00::1]", "", "https://[fd00::1]"),
    ("[fd00::1]:6443", "https://[fd00::1]:6443", "https://[fd00::1]"),
    ("::ffff:192.0.2.1", "https://192.0.2.1", "https://192.0.2.2"),
    ("bücher.example", "https://xn--bcher-kva.example", "https://example"),
    (".bücher.example", "https://x.xn--bcher-kva.example", "https://bcher.example"),
]
#: Variables of the environment, a server, and its proxy; None where it is an error.
ENVIRONMENTS: list[tuple[dict[str, str], str, str | None]] = [
    ({}, "https://a.b", ""),
    ({"HTTPS_PROXY": PROXY}, "https://a.b", PROXY),
    ({"https_proxy": PROXY, "HTTPS_PROXY": "http://c.d"}, "https://a.b", PROXY),
    ({"https_proxy": "", "HTTPS_PROXY": PROXY}, "https://a.b", PROXY),
    ({"HTTPS_PROXY": PROXY}, "http://a.b", ""),
    ({"HTTP_PROXY": PROXY}, "https://a.b", ""),
    ({"HTTP_PROXY": PROXY}, "http://a.b", PROXY),
    ({"ALL_PROXY": PROXY, "all_proxy": PROXY}, "https://a.b", ""),
    ({"HTTPS_PROXY": "proxy.example:3128"}, "https://a.b", PROXY),
    ({"HTTPS_PROXY": "proxy"}, "https://a.b", "http://proxy"),
    ({"HTTPS_PROXY": "socks5://u:p@c.d"}, "https://a.b", "socks5://u:p@c.d"),
    ({"HTTPS_PROXY": PROXY, "no_proxy": "x", "NO_PROXY": "*"}, "https://a.b", PROXY),
    ({"HTTPS_PROXY": PROXY, "no_proxy": "", "NO_PROXY": "*"}, "https://a.b", ""),
    ({"HTTPS_PROXY": PROXY, "REQUEST_METHOD": "GET"}, "https://a.b", PROXY),
    ({"HTTP_PROXY": PROXY, "REQUEST_METHOD": "GET"}, "http://a.b", None),
    ({"http_proxy": PROXY, "REQUEST_METHOD": "GET"}, "http://localhost", None),
    ({"REQUEST_METHOD": "GET"}, "http://a.b", ""),
]
#: All of that as variables, a server and its proxy.
CASES = ENVIRONMENTS + [
    ({"HTTP_PROXY": PROXY, "HTTPS_PROXY": PROXY, "NO_PROXY": no_proxy}, server, proxy)
    for no_proxy, direct, others in NO_PROXY
    for servers, proxy in ((direct, ""), (others, PROXY))
    for server in servers.split()
]
PROGRAM = """\
package main

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
)

func main() {
	server, _ := url.Parse(os.Args[1])
	proxy, err := http.ProxyFromEnvironment(&http.Request{URL: server})
	if err != nil {
		fmt.Print("error")
	} else if proxy != nil {
		fmt.Print(proxy)
	}
}
"""


@pytest.fixture(scope="module")
def package(client_modules: tuple[Any, Any]) -> Any:
    return client_modules[0]


@pytest.fixture(scope="module")
def proxies(package: Any) -> Any:
    return importlib.import_module(f"{package.__name__}._proxies")


def test_the_environment_means_what_it_means_to_kubectl(
    package: Any, proxies: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variables, server, expected in CASES:
        with monkeypatch.context() as patch:
            for name in VARIABLES:
                patch.delenv(name, raising=False)
                patch.delenv(name.upper(), raising=False)
            for name, value in variables.items():
                patch.setenv(name, value)
            try:
                proxy = proxies.proxy_of(package.Config(server=server))
            except package.ConfigError:
                proxy = None
            assert proxy == expected, (variables, server)
            # That of a kubeconfig counts in any case.
            config = package.Config(server=server, proxy="http://own")
            assert proxies.proxy_of(config) == "http://own"


@pytest.mark.peer("go")
def test_the_table_is_what_go_does(tmp_path: Path) -> None:
    (tmp_path / "main.go").write_text(PROGRAM)
    program = tmp_path / "proxy"
    subprocess.run(
        ["go", "build", "-o", str(program), "main.go"],
        cwd=tmp_path,
        env={**os.environ, "GO111MODULE": "off"},
        check=True,
    )
    for variables, server, expected in CASES:
        if len({name.lower() for name in variables}) < len(variables):
            continue  # Newer versions of x/net prefer lower case, older ones upper case.
        process = subprocess.run(
            [program, server], env=variables, capture_output=True, text=True, check=True
        )
        wanted = "error" if expected is None else expected
        assert process.stdout == wanted, (variables, server)


def test_a_proxy_that_is_none_is_named_without_its_password(
    package: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for url in ("ftp://u:SECRET@x", "u:SECRET@x:y", "http://u:SECRET@[x"):
        monkeypatch.setenv("https_proxy", url)
        with pytest.raises(package.ConfigError, match="no URL of a proxy") as error:
            package.Client(package.Config(server="https://a.b"))
        assert "SECRET" not in str(error.value)


@pytest.mark.parametrize("reply", [b"\x05", b"\x04\x00", b"\x05\x00", b"SSH-2.0-x\r\n"])
def test_a_proxy_that_does_not_speak_socks_is_an_error(
    package: Any, reply: bytes
) -> None:
    pytest.importorskip("socksio", reason="httpcore2[socks] is not installed")
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(100)
                connection.sendall(reply)
                connection.recv(100)
                connection.sendall(reply)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        proxy = f"socks5://127.0.0.1:{listener.getsockname()[1]}"
        config = package.Config(server="https://a.b", proxy=proxy)
        with (
            package.Client(config, retry=package.NO_RETRY, timeout=5) as client,
            pytest.raises(package.ConnectionFailed),
        ):
            package.VersionApi(client).get_code()
        thread.join(10)


def test_names_of_servers_are_those_of_dns_or_an_error(package: Any) -> None:
    for server, error in (
        ("https://b\u00fccher.invalid", package.ConnectionFailed),
        (f"https://{'a' * 300}.invalid", package.ConnectionFailed),
        ("https://a\ud800", package.ConfigError),
        ("https://a/\r\nb: c", package.ConfigError),
    ):
        config = package.Config(server=server, proxy="")
        with pytest.raises(error):
            package.VersionApi(
                package.Client(config, retry=package.NO_RETRY)
            ).get_code()


def test_the_password_of_a_proxy_is_not_logged(
    package: Any, caplog: pytest.LogCaptureFixture
) -> None:
    pytest.importorskip("socksio", reason="httpcore2[socks] is not installed")
    caplog.set_level(logging.DEBUG)
    for scheme in ("http", "socks5"):
        config = package.Config(
            server="https://a.b",
            proxy=f"{scheme}://u:SECRET@127.0.0.1:9",
            token="SECRET",
        )
        with (
            package.Client(config, retry=package.NO_RETRY) as client,
            pytest.raises(package.ConnectionFailed),
        ):
            package.VersionApi(client).get_code()
    assert "connect_tcp" in caplog.text
    assert "SECRET" not in caplog.text
