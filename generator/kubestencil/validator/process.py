"""A running validator, and what it answers."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from kubestencil.errors import KubestencilError
from kubestencil.validator.protocol import (
    Answer,
    PodSecurity,
    Preparation,
    Request,
    read_answer,
)

T = TypeVar("T")

# A request takes microseconds. The limits hold for what an attacker writes.
_SECONDS = 10.0
# A hundred CustomResourceDefinitions take a second or two.
_PREPARE_SECONDS = 60.0
_MEMORY = 512 * 1024 * 1024
# Memory for each byte of a CustomResourceDefinition's text: its schemas and rules.
_MEMORY_PER_BYTE = 20
_LONGEST_ANSWER = 16 * 1024 * 1024
# Requests in a row without an answer: it is not these, but the program that fails.
_MAX_FAILURES = 20

# How many answers are read before they are asked for.
_READ_AHEAD = 16
#: How many requests are sent before the answer to the first one is read, so that the
#: program works on some while Python works on others.
REQUESTS_AHEAD = 16

_TOO_MUCH = "the API server's code took too much time or memory"

# Windows starts no program without it; no other variable is passed on.
_VARIABLES = ("SYSTEMROOT",)


class Validator:
    """A process that answers as the API server of one release would.

    A context manager: the process starts with the first request, and ends with the
    context. One that gives no answer for longer than ``seconds``, or takes too much
    memory, is ended; the request that it failed at is answered with the code 0, and
    another process goes on; after many in a row, KubestencilError is raised. ``program``
    is its file. Pods are compared with ``pod_security`` where a request names no level.
    Each process is given ``definitions``, CustomResourceDefinitions, and answers for the
    kinds of those that a server would accept. For one thread.
    """

    def __init__(
        self,
        program: Path,
        *,
        seconds: float = _SECONDS,
        pod_security: PodSecurity | None = None,
        definitions: Iterable[Mapping[str, Any]] = (),
    ) -> None:
        self.program = program
        self._preparation = Preparation.of(definitions)
        self._pod_security = pod_security
        self._seconds = seconds
        self._process: _Process | None = None
        # Requests without an answer in their order, of which the first were sent.
        self._waiting: deque[PendingAnswer] = deque()
        self._sent = 0
        # How many of them are sent only after the one before was answered.
        self._alone = 0
        self._failures = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exception: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the process. Requests without an answer are sent to another one."""
        process, self._process = self._process, None
        self._sent = 0
        if process is not None:
            process.close()

    def version(self) -> str:
        """The version of Kubernetes whose code the program has: 1.35.0.

        Raises KubestencilError where it cannot be run, or does not say it.
        """
        version = self.submit(Request("version")).result().release
        if not version:
            raise self._no_answer()
        return version

    def submit(self, request: Request) -> PendingAnswer:
        """Send a request, whose answer can be read later.

        The program works meanwhile. Raises KubestencilError where it cannot be run.
        """
        if request.pod_security is None:
            request = replace(request, pod_security=self._pod_security)
        prepared = self._preparation.digest if self._preparation else ""
        pending = PendingAnswer(self, _line(request, prepared))
        self._waiting.append(pending)
        if not self._alone:
            self._send()
        return pending

    def ask(self, requests: Iterable[Request]) -> Iterator[Answer]:
        """The answers to requests, in their order.

        Some requests are sent before the first answer is read. Raises KubestencilError
        where the program cannot be run.
        """
        for pending in look_ahead(map(self.submit, requests), REQUESTS_AHEAD):
            yield pending.result()

    def receive(self) -> None:
        """Give the first request without an answer its answer."""
        if not self._sent:
            self._send()
        assert self._process is not None
        answer = self._process.read(self._seconds)
        if answer is None:
            sent = self._sent
            self.close()
            # Answers that were not written yet are lost with a process: what it failed
            # at is known only where that was asked alone.
            if sent > 1:
                self._alone = sent
                return
            answer, self._alone = Answer(0, _TOO_MUCH), 0
            self._failures += 1
            if self._failures == _MAX_FAILURES:
                raise self._no_answer()
        else:
            self._failures = 0
            self._sent -= 1
            self._alone = max(0, self._alone - 1)
        self._waiting.popleft().answer = answer

    def _no_answer(self) -> KubestencilError:
        return KubestencilError(
            "does not answer",
            where=str(self.program),
            hint="kubestencil validator build makes it again",
        )

    def _send(self) -> None:
        """Send what may be sent now."""
        if self._process is None:
            self._process = _Process(self.program, self._preparation)
        count = 1 if self._alone else len(self._waiting)
        for index in range(self._sent, count):
            self._process.write(self._waiting[index].line)
        self._sent = max(self._sent, count)


@dataclass(slots=True, eq=False)
class PendingAnswer:
    """A request that was sent to a validator, and its answer once that was read."""

    validator: Validator
    line: bytes
    answer: Answer | None = None

    def result(self) -> Answer:
        """The answer, which is waited for. Raises KubestencilError where the program
        cannot be run."""
        while self.answer is None:
            self.validator.receive()
        return self.answer


class _Process:
    """A process whose input and output never wait for each other: one thread writes, and
    another one reads."""

    def __init__(self, program: Path, preparation: Preparation | None) -> None:
        self._program = program
        self._is_preparing = preparation is not None
        variables = {
            name: os.environ[name] for name in _VARIABLES if name in os.environ
        }
        size = len(preparation.line) if preparation is not None else 0
        try:
            self._process = subprocess.Popen(
                [program, f"-memory={_MEMORY + size * _MEMORY_PER_BYTE}"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=variables,
                start_new_session=True,
            )
        except OSError as error:
            raise KubestencilError(
                f"cannot be run: {error.strerror}",
                where=str(program),
                hint="kubestencil validator build makes it again",
            ) from error
        assert self._process.stdin is not None and self._process.stdout is not None
        self._requests: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._answers: queue.Queue[bytes] = queue.Queue(_READ_AHEAD)
        self._writer = threading.Thread(target=self._write, daemon=True)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._writer.start()
        self._reader.start()
        if preparation is not None:
            self.write(preparation.line)

    def write(self, line: bytes) -> None:
        """Send a request, without waiting until it is read."""
        self._requests.put(line)

    def read(self, seconds: float) -> Answer | None:
        """The next answer; None where none comes in time, or none that can be read.

        Raises KubestencilError where the CustomResourceDefinitions cannot be prepared.
        """
        if self._is_preparing:
            self._is_preparing = False
            if self.read(_PREPARE_SECONDS) is None:
                raise KubestencilError(
                    "took too much time or memory for the CustomResourceDefinitions",
                    where=str(self._program),
                    hint="name fewer of them",
                )
        try:
            return read_answer(self._answers.get(timeout=seconds))
        except (queue.Empty, ValueError, RecursionError):
            return None

    def close(self) -> None:
        """End the process and the threads."""
        self._kill()
        self._requests.put(None)
        while self._reader.is_alive():
            # It waits until somebody takes what it has read.
            with suppress(queue.Empty):
                self._answers.get(timeout=0.01)
        self._writer.join()
        with suppress(OSError):
            self._process.communicate()

    def _kill(self) -> None:
        """End the process, with those that it started: they can hold its pipes."""
        if sys.platform == "win32":
            self._process.kill()
        else:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)

    def _write(self) -> None:
        assert self._process.stdin is not None
        # Where the process has ended, whoever reads its answers says so.
        with suppress(OSError):
            for line in iter(self._requests.get, None):
                self._process.stdin.write(line)
                if self._requests.empty():
                    self._process.stdin.flush()

    def _read(self) -> None:
        """Read answers, and an empty one where the process ends."""
        assert self._process.stdout is not None
        line = b"\n"
        while line.endswith(b"\n"):
            line = self._process.stdout.readline(_LONGEST_ANSWER)
            self._answers.put(line)


def look_ahead(items: Iterable[T], count: int) -> Iterator[T]:
    """The items, each one only after ``count`` more of them were made."""
    ahead: deque[T] = deque()
    for item in items:
        ahead.append(item)
        if len(ahead) > count:
            yield ahead.popleft()
    yield from ahead


def _line(request: Request, prepared: str = "") -> bytes:
    """A request as a line; one that JSON cannot have, or too deep, is one that is
    refused."""
    try:
        return request.line(prepared)
    except (ValueError, RecursionError):
        return b'{"operation": "create", "object": null}\n'
