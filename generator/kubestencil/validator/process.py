"""A running validator, and what it answers."""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import TracebackType

from kubestencil.errors import KubestencilError
from kubestencil.validator.protocol import Answer, Request, read_answer

# A request takes microseconds. The limits hold for what an attacker writes.
_SECONDS = 10.0
_MEMORY = 512 * 1024 * 1024
_LONGEST_ANSWER = 16 * 1024 * 1024

_TOO_MUCH = "the API server's code took too much time or memory"


class Validator:
    """A process that answers as the API server of one release would.

    A context manager: the process starts with the first request, and ends with the
    context. One that takes longer than ``seconds`` for a request, or too much memory, is
    ended; its request is answered with the code 0, and another process goes on.
    """

    def __init__(self, program: Path, *, seconds: float = _SECONDS) -> None:
        self._program = program
        self._seconds = seconds
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Validator:
        return self

    def __exit__(
        self,
        exception: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()

    def ask(self, requests: Iterable[Request]) -> Iterator[Answer]:
        """The answers to requests, in their order.

        Raises KubestencilError where the program cannot be run.
        """
        waiting = [_line(request) for request in requests]
        is_alone = False
        while waiting:
            asked = waiting[:1] if is_alone else waiting
            answers = list(self._answers(asked))
            failed = len(answers) < len(asked)
            if failed:
                self.close()
                if is_alone:
                    answers.append(Answer(0, _TOO_MUCH))
            yield from answers
            waiting = waiting[len(answers) :]
            # Answers that were not sent yet are lost with a process: what it failed at is
            # known only where that was asked alone.
            is_alone = failed and not is_alone

    def _answers(self, lines: Sequence[bytes]) -> Iterator[Answer]:
        """The answers to lines, up to the one at which the process ends."""
        process = self._start()
        assert process.stdin is not None and process.stdout is not None
        writer = threading.Thread(target=_write, args=(process, lines), daemon=True)
        writer.start()
        with _Watchdog(process, self._seconds) as watchdog:
            for _ in lines:
                line = process.stdout.readline(_LONGEST_ANSWER)
                if not line.endswith(b"\n"):
                    break
                watchdog.postpone()
                yield read_answer(line)
        writer.join()

    def _start(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self.close()
            try:
                self._process = subprocess.Popen(
                    [self._program, f"-memory={_MEMORY}"],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    env={},
                )
            except OSError as error:
                raise KubestencilError(
                    f"cannot be run: {error.strerror}",
                    where=str(self._program),
                    hint="kubestencil validator build makes it again",
                ) from error
        return self._process


def _line(request: Request) -> bytes:
    """A request as a line; one that JSON cannot have, or too deep, is one that is refused."""
    try:
        return request.line()
    except (ValueError, RecursionError):
        return b'{"operation": "create", "object": null}\n'


def _write(process: subprocess.Popen[bytes], lines: Iterable[bytes]) -> None:
    assert process.stdin is not None
    try:
        for line in lines:
            process.stdin.write(line)
        process.stdin.flush()
    except OSError:
        # The process ended; whoever reads its answers says so.
        pass


class _Watchdog:
    """Ends a process that gives no answer for so many seconds. A context manager."""

    def __init__(self, process: subprocess.Popen[bytes], seconds: float) -> None:
        self._process = process
        self._seconds = seconds
        self._deadline = time.monotonic() + seconds
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> _Watchdog:
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._done.set()
        self._thread.join()

    def postpone(self) -> None:
        """Wait for the next answer as long as for the one that came."""
        self._deadline = time.monotonic() + self._seconds

    def _watch(self) -> None:
        while (left := self._deadline - time.monotonic()) > 0:
            if self._done.wait(left):
                return
        self._process.kill()
