"""Bodies of responses as they come: decompressed, and no larger than a client reads."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from ._errors import ClientError, ConnectionFailed

_ENCODINGS = frozenset(["", "identity", "gzip", "x-gzip"])
# Bytes that are decompressed at once.
_PIECE = 1 << 20


class Decompressor:
    """Decompresses a body whose Content-Encoding is gzip; any other stays as it is.

    Raises ClientError for one that was not asked for.
    """

    def __init__(self, encoding: str) -> None:
        if encoding.lower() not in _ENCODINGS:
            raise ClientError(f"the response is encoded as {encoding!r}, not as gzip")
        self._is_gzip = encoding.lower().endswith("gzip")
        self._member: zlib._Decompress | None = None

    def pieces(self, data: bytes) -> Iterator[bytes]:
        """What ``data`` stands for. Raises ClientError where it is damaged."""
        if not self._is_gzip:
            yield data
            return
        piece = b""
        while data or len(piece) == _PIECE:
            if self._member is None or (self._member.eof and data):
                self._member = zlib.decompressobj(31)
            try:
                piece = self._member.decompress(data, _PIECE)
            except zlib.error as error:
                raise ClientError(
                    f"the response cannot be decompressed: {error}"
                ) from error
            data = self._member.unconsumed_tail or self._member.unused_data
            yield piece

    def end(self) -> None:
        """Raise ConnectionFailed where the body is cut off."""
        if self._member and not self._member.eof:
            raise ConnectionFailed("the response is cut off", sent=True)


class Buffer:
    """Bytes that are read until they are complete, ``limit`` at most."""

    def __init__(self, limit: int) -> None:
        self._data = bytearray()
        self._limit = limit

    def add(self, piece: bytes) -> None:
        """Append a piece. Raises ClientError for more than the limit."""
        if len(self._data) + len(piece) > self._limit:
            raise ClientError(
                f"the API server sends more than {self._limit} bytes at once: read "
                "lists in pages, or make the client with a larger max_bytes"
            )
        self._data += piece

    def take(self) -> bytes:
        """What was added since the last time."""
        data = bytes(self._data)
        self._data.clear()
        return data
