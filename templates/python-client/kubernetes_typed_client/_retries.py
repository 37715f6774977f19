"""When a request is sent again, and when its failure is final."""

from __future__ import annotations

from dataclasses import dataclass

from ._errors import StatusError, TransportError

_OVERLOADED = frozenset([429, 503])
# A gateway before the API server, which may have handled the request.
_GATEWAY = frozenset([502, 504])


@dataclass(frozen=True, slots=True)
class Retry:
    """How often requests are sent, and how long to wait in between.

    A request is sent at most ``attempts`` times. The wait is ``delay`` seconds and
    doubles up to ``longest``; a Retry-After of the API server counts instead, up to
    ``longest`` as well.

    Any request is sent again where it cannot have had an effect: the connection was
    not made, or the API server refused it for now (429, and 503 with Retry-After).
    Where it may have had one (a connection that broke, a timeout, 502, 503, 504), only
    calls that change nothing, or the same thing twice, are sent again: those with GET,
    and server-side apply.
    """

    attempts: int = 5
    delay: float = 0.2
    longest: float = 10.0

    def wait(
        self, error: StatusError | TransportError, attempt: int, *, idempotent: bool
    ) -> float | None:
        """Seconds until the next attempt after number ``attempt`` failed; None where
        the error is final."""
        if attempt >= self.attempts:
            return None
        delay = min(self.delay * 2.0 ** (attempt - 1), self.longest)
        if isinstance(error, TransportError):
            return None if error.sent and not idempotent else delay
        retry_after = _retry_after(error)
        if error.status in _OVERLOADED and retry_after is not None:
            return min(max(retry_after, 0), self.longest)
        if error.status == 429:
            return delay
        is_passing = error.status in _GATEWAY or error.status in _OVERLOADED
        return delay if idempotent and is_passing else None


#: A retry policy that sends nothing twice.
NO_RETRY = Retry(attempts=1)


@dataclass(frozen=True, slots=True)
class Retrying:
    """A request that failed and is sent again after ``wait`` seconds."""

    method: str
    path: str
    attempt: int
    wait: float
    error: StatusError | TransportError


def _retry_after(error: StatusError) -> float | None:
    """What the API server says of when to try again, in seconds."""
    if error.details.retry_after_seconds:
        return error.details.retry_after_seconds
    header = error.headers.get("retry-after", "")
    return float(header) if header.isdecimal() else None
