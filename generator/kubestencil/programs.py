"""Runs the user's own programs: git, helm, kubectl, kustomize."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Timer

from kubestencil.errors import SourceError

_SECONDS = 300
# Bytes of what a program says of a failure.
_MAX_MESSAGE = 100_000


def output_of(
    command: Sequence[str],
    limit: int,
    *,
    where: str = "",
    text: bytes = b"",
    folder: str | Path | None = None,
    variables: Mapping[str, str] = {},
) -> bytes:
    """What a program prints that is given a text, in a folder, with variables besides
    those of the environment. It is ended after five minutes.

    Raises SourceError, about ``where`` or the program, where it cannot be run, fails, or
    prints more than ``limit`` bytes.
    """
    program = command[0]
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as errors:
        given.write(text)
        given.seek(0)
        try:
            process = subprocess.Popen(
                command,
                stdin=given,
                stdout=subprocess.PIPE,
                stderr=errors,
                cwd=folder,
                env={**os.environ, **variables},
            )
        except OSError as error:
            raise SourceError(
                f"{program} cannot be run", where=where, hint=f"install {program}"
            ) from error
        timer = Timer(_SECONDS, process.kill)
        timer.start()
        with process:
            assert process.stdout is not None
            data = process.stdout.read(limit + 1)
            if len(data) > limit:
                process.kill()
        timer.cancel()
        if len(data) > limit:
            raise SourceError(
                f"prints more than {limit:,} bytes", where=where or program
            )
        if process.returncode:
            errors.seek(0)
            message = errors.read(_MAX_MESSAGE).decode("utf-8", "replace")
            lines = message.strip().splitlines() or [f"{program} failed"]
            raise SourceError(lines[-1].removeprefix("fatal: "), where=where or program)
    return data
