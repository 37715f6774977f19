"""Runs the user's own programs: git, helm, kubectl, kustomize."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Timer

from kubestencil.errors import ProgramError

_SECONDS = 300
# Bytes of what a program says of a failure; lines that are shown, and their characters.
_MAX_MESSAGE = 100_000
_MAX_LINES = 6
_MAX_WIDTH = 1_000
# The configuration of a repository, which can be a stranger's, names programs: those of a
# bare repository among files, and core.fsmonitor, which reading an index runs. Of missing
# objects Git would download some, by a command of the configuration. Nobody is asked for
# a password.
_GIT = (
    "git", "-c", "safe.bareRepository=explicit", "-c", "core.fsmonitor=false",
    "-c", "http.followRedirects=false", "-c", "credential.helper=",
)  # fmt: skip
_GIT_VARIABLES = {
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_ASKPASS": "",
    "GIT_TERMINAL_PROMPT": "0",
}


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

    Raises ProgramError, about ``where`` or the program, where it cannot be run, fails, or
    prints more than ``limit`` bytes. It has the first lines of what the program says, and
    the last one: some name the cause first, others last.
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
            raise ProgramError(
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
            raise ProgramError(
                f"prints more than {limit:,} bytes", where=where or program
            )
        if process.returncode:
            errors.seek(0)
            message = errors.read(_MAX_MESSAGE).decode("utf-8", "replace")
            lines = [line[:_MAX_WIDTH] for line in message.splitlines() if line.strip()]
            del lines[_MAX_LINES - 1 : -1]
            what = "\n  ".join(lines).strip() or f"{program} failed"
            raise ProgramError(what.removeprefix("fatal: "), where=where or program)
    return data


def git_output(folder: str, limit: int, *arguments: str, text: bytes = b"") -> bytes:
    """What Git prints of the repository that a folder is in, without a network; raises as
    ``output_of``."""
    command = (*_GIT, "-C", os.path.abspath(folder), *arguments)  # noqa: PTH100
    variables = {**_GIT_VARIABLES, "GIT_ALLOW_PROTOCOL": "none"}
    return output_of(command, limit, text=text, variables=variables)


def git_tags(repository: str, limit: int) -> str:
    """What Git prints of the tags of a repository at an address; raises as
    ``output_of``."""
    command = (*_GIT, "ls-remote", "--tags", "--refs", "--", repository)
    # In no repository: not in that of a project which has the temporary files, either.
    with tempfile.TemporaryDirectory() as folder:
        allowed = {"GIT_ALLOW_PROTOCOL": "http:https", "GIT_DIR": folder}
        variables = {**_GIT_VARIABLES, **allowed}
        output = output_of(
            command, limit, where=repository, folder=folder, variables=variables
        )
    return output.decode("utf-8", "replace")
