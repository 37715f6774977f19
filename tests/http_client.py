"""Sends requests to a server on this machine."""

from __future__ import annotations

import http.client
from dataclasses import dataclass
from pathlib import Path

TIMEOUT = 180  # seconds


@dataclass
class Response:
    status: int
    headers: dict[str, str]
    body: bytes


@dataclass
class Client:
    """Sends requests to a server on ``port``; ``folder`` is what it serves."""

    folder: Path
    port: int

    def get(self, path: str, method: str = "GET", **headers: str) -> Response:
        """The response to exactly this path, which is not normalized."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT)
        connection.putrequest(method, path, skip_host="Host" in headers)
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders()
        received = connection.getresponse()
        response = Response(received.status, dict(received.headers), received.read())
        connection.close()
        return response
