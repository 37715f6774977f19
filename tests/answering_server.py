"""A server that answers as a test says, badly or as a kubelet, for generated clients."""

from __future__ import annotations

import base64
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import Message
from hashlib import sha1
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

POD = {"metadata": {"name": "a", "resourceVersion": "7"}, "spec": {"containers": []}}
PODS = "/api/v1/namespaces/default/pods"

Answer = Callable[[BaseHTTPRequestHandler], None]


class Seen(NamedTuple):
    """A request."""

    command: str
    path: str
    headers: Message
    body: bytes


@dataclass
class Server:
    """Gives one answer after the other, and keeps the requests, and whence they came."""

    answers: list[Answer] = field(default_factory=list)
    requests: list[Seen] = field(default_factory=list)
    peers: list[Any] = field(default_factory=list)
    url: str = ""

    def paths(self) -> list[str]:
        return [request.path for request in self.requests]


@contextmanager
def serve() -> Iterator[Server]:
    """A server on this machine."""
    state = Server()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_any(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            body = self.rfile.read(length)
            state.peers.append(self.client_address)
            state.requests.append(Seen(self.command, self.path, self.headers, body))
            if state.answers:
                state.answers.pop(0)(self)
            else:
                status(500, "no answer is left")(self)

        def __getattr__(self, name: str) -> Any:
            if name.startswith("do_"):
                return self.handle_any
            raise AttributeError(name)

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listener:
        state.url = f"http://127.0.0.1:{listener.server_port}"
        thread = threading.Thread(target=listener.serve_forever)
        thread.start()
        try:
            yield state
        finally:
            # A test that failed would not end.
            listener.shutdown()
            thread.join()


def send(
    handler: BaseHTTPRequestHandler, code: int, data: bytes, **headers: str
) -> None:
    handler.send_response(code)
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.send_header("Content-Length", str(len(data)))
    handler.end_headers()
    if handler.command != "HEAD":
        handler.wfile.write(data)


def answer(value: Any, code: int = 200, **headers: str) -> Answer:
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return lambda handler: send(handler, code, data, **headers)


def status(code: int, message: str, **headers: str) -> Answer:
    value = {"kind": "Status", "code": code, "message": message, "reason": "Because"}
    return answer(value, code, **headers)


def hang_up(handler: BaseHTTPRequestHandler) -> None:
    """Close the connection without an answer."""
    handler.close_connection = True
    handler.connection.shutdown(socket.SHUT_RDWR)


def stream(*pieces: bytes, is_cut: bool = False, pause: float = 0) -> Answer:
    """Chunks, after ``pause`` seconds, and the end of the body, or of the connection."""

    def write(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        time.sleep(pause)
        for piece in pieces:
            handler.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        if is_cut:
            hang_up(handler)
        else:
            handler.wfile.write(b"0\r\n\r\n")

    return write


def event(kind: str, version: str, name: str = "a") -> bytes:
    metadata = {"name": name, "resourceVersion": version}
    value = {"type": kind, "object": {**POD, "metadata": metadata}}
    return json.dumps(value).encode() + b"\n"


def pod_list(version: str, *names: str, token: str = "") -> Any:
    items = [{**POD, "metadata": {"name": name}} for name in names]
    metadata = {"resourceVersion": version, "continue": token}
    return {"kind": "PodList", "metadata": metadata, "items": items}


def make_client(package: Any, url: str, **options: Any) -> Any:
    options.setdefault("retry", package.Retry(delay=0.001, longest=0.01))
    return package.Client(package.Config(server=url), **options)


def make_core(package: Any, url: str, **options: Any) -> Any:
    return package.CoreV1Api(make_client(package, url, **options))


def kubelet(
    talk: Callable[[Callable[[], bytes], Callable[[int, bytes], None]], None],
    protocol: str = "v5.channel.k8s.io",
) -> Answer:
    """Opens a WebSocket as a kubelet does; ``talk`` gets a function that reads a message
    and one that sends data on a channel."""
    from wsproto.connection import Connection, ConnectionType
    from wsproto.events import BytesMessage, CloseConnection, Ping

    def run(handler: BaseHTTPRequestHandler) -> None:
        key = handler.headers["Sec-WebSocket-Key"].encode()
        magic = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        accept = base64.b64encode(sha1(key + magic).digest()).decode()
        assert protocol in handler.headers["Sec-WebSocket-Protocol"]
        handler.send_response(101)
        handler.send_header("Upgrade", "websocket")
        handler.send_header("Connection", "Upgrade")
        handler.send_header("Sec-WebSocket-Accept", accept)
        handler.send_header("Sec-WebSocket-Protocol", protocol)
        handler.end_headers()
        connection = Connection(ConnectionType.SERVER)
        messages: list[bytes] = []

        def receive() -> bytes:
            while not messages:
                connection.receive_data(handler.connection.recv(65536) or None)
                for item in connection.events():
                    if isinstance(item, BytesMessage):
                        messages.append(bytes(item.data))
                    if isinstance(item, CloseConnection):
                        messages.append(b"")
            return messages.pop(0)

        def write(channel: int, data: bytes) -> None:
            message = BytesMessage(data=bytes([channel]) + data)
            handler.wfile.write(connection.send(message))

        handler.wfile.write(connection.send(Ping()))
        talk(receive, write)
        handler.wfile.write(connection.send(CloseConnection(code=1000)))
        handler.close_connection = True
        # What is left unread when a connection closes breaks it.
        handler.connection.settimeout(10)
        while handler.connection.recv(65536):
            pass

    return run


def ended(code: int) -> bytes:
    if not code:
        return b'{"status":"Success"}'
    cause = {"reason": "ExitCode", "message": str(code)}
    return json.dumps({"status": "Failure", "details": {"causes": [cause]}}).encode()
