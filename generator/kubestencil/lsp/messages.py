"""The messages of an editor, which pygls reads, and how those out of turn are refused."""

from __future__ import annotations

import contextlib
import logging
import os
from typing import Any, BinaryIO

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol

from kubestencil.text.controls import one_line

_MAX_LOGGED = 1_000


class _Protocol(LanguageServerProtocol):
    """Answers what is out of turn with an error, as the protocol asks for (LSP 3.17,
    Server lifecycle), and so what pygls cannot make a message of."""

    def handle_message(self, message: Any) -> None:
        error = self._error_of(getattr(message, "method", None))
        if error is None:
            super().handle_message(message)
        elif hasattr(message, "id"):
            self._send_response(message.id, error=error)

    def structure_message(self, data: dict[str, Any]) -> Any:
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            if isinstance(data.get("id"), int | str) and "method" in data:
                self._send_response(data["id"], error=error.to_response_error())
            raise

    def _error_of(self, method: object) -> types.ResponseError | None:
        """Why a message with a method is refused; None where it is not."""
        if method in (None, types.EXIT):
            return None
        invalid = types.ErrorCodes.InvalidRequest
        if self.is_shut_down:
            return types.ResponseError(invalid, "the server was shut down")
        if self._workspace is None and method != types.INITIALIZE:
            code = types.ErrorCodes.ServerNotInitialized
            return types.ResponseError(code, "the server was not initialized")
        if self._workspace is not None and method == types.INITIALIZE:
            return types.ResponseError(invalid, "the server was initialized before")
        return None

    @property
    def is_shut_down(self) -> bool:
        """Whether the editor asked for the end."""
        return self._shutdown


class EditorServer(LanguageServer):
    """A language server on standard input and output."""

    protocol: _Protocol

    def __init__(self, name: str, version: str) -> None:
        # With each change comes the whole text: pygls applies parts of one by lines that
        # end where those of editors do not (U+2028).
        super().__init__(
            name,
            version,
            text_document_sync_kind=types.TextDocumentSyncKind.Full,
            protocol_cls=_Protocol,
        )

    def serve(self, stdin: BinaryIO, stdout: BinaryIO) -> int:
        """Answer until the editor ends the session; 0 where it did so in order, with the
        request ``shutdown``, and 1 otherwise."""
        # Errors go to the editor; pygls would write tracebacks to standard error.
        logging.disable(logging.CRITICAL)
        # pygls closes its output at the end, which standard output outlives.
        with os.fdopen(os.dup(stdout.fileno()), "wb") as output:
            self.start_io(stdin, _Output(output))  # type: ignore[arg-type]
        return 0 if self.protocol.is_shut_down else 1

    def shutdown(self) -> None:
        """End, without waiting for the thread that reads: its editor may be gone."""
        if self._stop_event is not None:
            self._stop_event.set()
        self.thread_pool.shutdown(wait=False)

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Write an error into the log of the editor."""
        del source
        text = one_line(str(error))[:_MAX_LOGGED]
        self.window_log_message(types.LogMessageParams(types.MessageType.Error, text))


class _Output:
    """The stream to an editor. Where that is gone, the session is over."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def write(self, data: bytes) -> None:
        try:
            self._stream.write(data)
            self._stream.flush()
        except OSError as error:
            raise SystemExit from error

    def flush(self) -> None:
        """Nothing: ``write`` does so."""

    def close(self) -> None:
        """Close the stream, also one that cannot be written any more."""
        with contextlib.suppress(OSError):
            self._stream.close()
