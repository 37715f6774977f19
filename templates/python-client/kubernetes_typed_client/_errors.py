"""What can go wrong: the API server's Status, connections, timeouts, configuration."""

from __future__ import annotations

import pickle
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, ClassVar

import msgspec

# What moves a cursor, begins a control sequence, changes the direction of text, or is
# none. Tabs and line breaks are text.
_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
    "\ufeff\ufffe\uffff\ud800-\udfff]"
)


def printable(text: str) -> str:
    """A text with U+FFFD for each control character."""
    return _CONTROL.sub("\ufffd", text)


class StatusCause(msgspec.Struct, omit_defaults=True):
    """One reason of several: of an invalid object, the field and what is wrong."""

    reason: str | None = None
    message: str | None = None
    field: str | None = None


class StatusDetails(
    msgspec.Struct,
    omit_defaults=True,
    rename={"retry_after_seconds": "retryAfterSeconds"},
):
    """What a Status is about."""

    name: str | None = None
    group: str | None = None
    kind: str | None = None
    uid: str | None = None
    causes: list[StatusCause] | None = None
    retry_after_seconds: int | None = None


class StatusMeta(
    msgspec.Struct,
    omit_defaults=True,
    rename={"continue_": "continue", "resource_version": "resourceVersion"},
):
    """The metadata of a Status: where a list goes on that took too long."""

    continue_: str | None = None
    resource_version: str | None = None


class Status(msgspec.Struct, omit_defaults=True):
    """The API server's answer where it has no object to return (meta/v1, Status).

    ``status`` is "Success" or "Failure", ``reason`` a word such as "NotFound".
    """

    status: str | None = None
    message: str | None = None
    reason: str | None = None
    details: StatusDetails | None = None
    code: int | None = None
    metadata: StatusMeta | None = None


#: Reads a Status. Like all decoders here it is made with its module: msgspec makes the
#: types of a class when it first reads one, which threads must not do at once.
STATUS: msgspec.json.Decoder[Status] = msgspec.json.Decoder(Status)


class ClientError(Exception):
    """The base class of all errors of this package.

    Its text has no control characters. Pickled and copied, it has all that it had: its
    attributes, notes and cause.
    """

    def __str__(self) -> str:
        return printable(super().__str__())

    def __reduce__(self) -> tuple[Any, ...]:
        state = dict(vars(self))
        with suppress(Exception):
            if not isinstance(self.__cause__, ClientError):
                # Not each error of another library survives it.
                pickle.loads(pickle.dumps(self.__cause__))
            state["__cause__"] = self.__cause__
        return _without_init, (type(self), *self.args), state


def _without_init(cls: type[ClientError], *args: Any) -> ClientError:
    return cls.__new__(cls, *args)


class ClientClosed(ClientError):
    """The client, or a session with a container, was closed, before or meanwhile."""

    def __init__(self, subject: str = "client") -> None:
        super().__init__(f"the {subject} is closed: make another one")


class ConfigError(ClientError):
    """A kubeconfig, or what it refers to, cannot be used."""


class TransportError(ClientError):
    """No response, or not all of it.

    ``sent`` says whether the API server may have received the request.
    """

    def __init__(self, message: str, *, sent: bool) -> None:
        super().__init__(message)
        self.sent = sent


class ConnectionFailed(TransportError):
    """The connection was refused, or broke."""


class TimedOut(TransportError):
    """Nothing came within the timeout."""


class WaitTimedOut(ClientError, TimeoutError):
    """An object did not become what a program waited for."""


class StatusError(ClientError):
    """The API server refused a request; ``answer`` says why.

    ``status``, ``reason`` and ``headers`` are called as in the official client. Codes
    such as 404 and 409 have a class of their own: ``NotFound``, ``Conflict``.
    """

    #: The class for an HTTP status code.
    by_code: ClassVar[dict[int, type[StatusError]]] = {}

    def __init__(
        self, answer: Status, headers: Mapping[str, str] | None = None
    ) -> None:
        self.answer = answer
        self.headers: Mapping[str, str] = dict(headers or {})
        message = answer.message or answer.reason or "no message"
        super().__init__(f"{self.status} {answer.reason or ''}: {message}")

    @property
    def status(self) -> int:
        """The HTTP status code."""
        return self.answer.code or 0

    @property
    def reason(self) -> str:
        """The API server's word for the reason, such as ``AlreadyExists``."""
        return self.answer.reason or ""

    @property
    def body(self) -> str:
        """``answer`` as JSON, as in the official client."""
        return msgspec.json.encode(self.answer).decode()

    @property
    def details(self) -> StatusDetails:
        """What the request was about, with its causes; empty where nothing is said."""
        return self.answer.details or StatusDetails()


#: The name that programs for the official client catch.
ApiException = StatusError


class ServerWarning(UserWarning):
    """The API server did what it was asked for, and warns of it."""


class BadRequest(StatusError):
    """400: the request makes no sense."""


class Unauthorized(StatusError):
    """401: the credentials are not accepted."""


class Forbidden(StatusError):
    """403: the user may not do that."""


class NotFound(StatusError):
    """404: there is no such object or resource."""


class MethodNotAllowed(StatusError):
    """405: the resource does not have this operation."""


class Conflict(StatusError):
    """409: the object exists, has changed since, or others own its fields."""


class Gone(StatusError):
    """410: the resourceVersion or continue token is too old."""


class UnsupportedMediaType(StatusError):
    """415: this kind of patch does not work for the resource."""


class Invalid(StatusError):
    """422: the object is not valid; ``details.causes`` has the fields."""


class TooManyRequests(StatusError):
    """429: later, perhaps."""


class ServerError(StatusError):
    """500 to 599: the API server failed."""


StatusError.by_code.update(
    {
        400: BadRequest,
        401: Unauthorized,
        403: Forbidden,
        404: NotFound,
        405: MethodNotAllowed,
        409: Conflict,
        410: Gone,
        415: UnsupportedMediaType,
        422: Invalid,
        429: TooManyRequests,
    }
)


def read_status(body: bytes) -> Status:
    """The Status in a body; its message is the text of a body that has none."""
    try:
        return STATUS.decode(body)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return Status(message=body[:2000].decode(errors="replace").strip())


def status_error(
    code: int, body: bytes, headers: Mapping[str, str] | None = None
) -> StatusError:
    """The error for a response; with the code 0 for a Status in an event of a watch."""
    status = read_status(body)
    status.code = code = code or status.code or 500
    if not status.message and not status.reason:
        status.message = f"HTTP status {code}"
    error = ServerError if code >= 500 else StatusError.by_code.get(code, StatusError)
    return error(status, headers)
