"""Which proxy leads to an API server: that of the configuration, or of the environment.

The rules are those of kubectl (Go's golang.org/x/net/http/httpproxy).
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from ._config import Config, split_server
from ._errors import ConfigError

# As of Go's net.SplitHostPort and net.ParseCIDR.
_HOST_AND_PORT = re.compile(r"(?:\[([^][]*)\]|([^][:]*)):([^][:]*)")
_NETWORK = re.compile(r"[^%/]*/[0-9]+")


def proxy_of(config: Config) -> str:
    """The URL of the proxy of a configuration; empty where there is none.

    Raises ConfigError where the environment can be that of a stranger.
    """
    if config.proxy is not None:
        return config.proxy
    parts = split_server(config.server)
    url = _variable(f"{parts.scheme}_proxy")
    if url and parts.scheme == "http" and os.environ.get("REQUEST_METHOD"):
        # https://go.dev/s/cgihttpproxy
        raise ConfigError(
            "HTTP_PROXY is not used in CGI, where a request can set it: name the proxy "
            "in the Config"
        )
    port = parts.port or (443 if parts.scheme == "https" else 80)
    if is_direct(parts.hostname or "", port, _variable("no_proxy")):
        return ""
    return url if "://" in url or not url else f"http://{url}"


def _variable(name: str) -> str:
    return os.environ.get(name) or os.environ.get(name.upper()) or ""


def is_direct(host: str, port: int, no_proxy: str) -> bool:
    """Whether a host, in lower case, is reached without the proxy of the environment.

    ``no_proxy`` has names, addresses and networks, separated by commas: ``a.b`` is
    itself and all names below it, ``.a.b`` those below it, ``*`` all. Names and
    addresses may have a port.
    """
    host = ascii_name(host)
    address = _address(host.partition("%")[0])
    if host == "localhost" or (address and address.is_loopback):
        return True
    entries = [entry.strip().lower() for entry in no_proxy.split(",")]
    return "*" in entries or any(
        _covers(entry, host, address, str(port)) for entry in entries
    )


def ascii_name(name: str) -> str:
    """A name as DNS has it."""
    with suppress(UnicodeError):
        if not name.isascii():
            return ".".join(label.encode("idna").decode() for label in name.split("."))
    return name


def _address(text: str) -> IPv4Address | IPv6Address | None:
    """An address; that of IPv4 where it is one of IPv6 for it."""
    with suppress(ValueError):
        address = ip_address(text)
        return getattr(address, "ipv4_mapped", None) or address
    return None


def _covers(
    entry: str, host: str, address: IPv4Address | IPv6Address | None, port: str
) -> bool:
    """Whether an entry of NO_PROXY stands for a host and port."""
    if _NETWORK.fullmatch(entry):
        with suppress(ValueError):
            network = ip_network(entry, strict=False)
            if mapped := getattr(network.network_address, "ipv4_mapped", None):
                network = ip_network((mapped, network.prefixlen - 96))
            return address is not None and address in network
    if match := _HOST_AND_PORT.fullmatch(entry):
        entry = match[1] or match[2] or ""
        if match[3] not in ("", port):
            return False
    if address or _address(entry):
        return address == _address(entry)
    if not entry:
        return False
    name = ascii_name(entry.removeprefix("*") if entry.startswith("*.") else entry)
    below = name if name.startswith(".") else f".{name}"
    return host == name or host.endswith(below)
