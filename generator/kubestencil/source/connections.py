"""Connections of downloads, which say to what address they lead before a request is sent.

The name of a server can have another address each time that it is asked for, so that only
the address of the connection itself says where a request goes.
"""

from __future__ import annotations

from collections.abc import Callable
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

import urllib3
from urllib3.connection import HTTPConnection, HTTPSConnection

# Addresses of IPv6 that are routed on the internet, and those in them that a gateway
# translates to IPv4 (RFC 6052, 2.1).
_ROUTED = ip_network("2000::/3")
_TRANSLATED = ip_network("64:ff9b::/96")

#: Called with the address of a connection; raises an error where it must not be used.
AddressCheck = Callable[[str], None]


def make_pool(
    check: AddressCheck, timeout: urllib3.Timeout, retries: urllib3.Retry
) -> urllib3.PoolManager:
    """A pool of connections, of which each is checked before a request is sent."""

    class Connection(HTTPConnection):
        def connect(self) -> None:
            super().connect()
            check(str(self.sock.getpeername()[0]))

    class SecureConnection(HTTPSConnection):
        def connect(self) -> None:
            super().connect()
            check(str(self.sock.getpeername()[0]))

    class Pool(urllib3.HTTPConnectionPool):
        ConnectionCls = Connection

    class SecurePool(urllib3.HTTPSConnectionPool):
        ConnectionCls = SecureConnection

    manager = urllib3.PoolManager(timeout=timeout, retries=retries)
    manager.pool_classes_by_scheme = {"http": Pool, "https": SecurePool}
    return manager


def is_internal(address: str) -> bool:
    """Whether an address is one of this machine or of its network: loopback,
    link-local, private, or one of IPv6 that stands for such an address of IPv4."""
    parsed = ip_address(address.partition("%")[0])
    if isinstance(parsed, IPv6Address):
        embedded = _embedded(parsed)
        if embedded is None:
            return parsed not in _ROUTED or not parsed.is_global
        parsed = embedded
    return not parsed.is_global


def _embedded(address: IPv6Address) -> IPv4Address | None:
    """The address of IPv4 that an address of IPv6 contains."""
    if address in _TRANSLATED:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    teredo = address.teredo
    return address.ipv4_mapped or address.sixtofour or (teredo[1] if teredo else None)
