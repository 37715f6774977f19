"""Formats what users' templates generate, with black or a command.

What black formatted is cached: it takes milliseconds for a file, and most files are
the same as in the run before. The formatted text is kept in the user's cache folder,
under the digest of the text and of black's version.
"""

from __future__ import annotations

import contextlib
import hashlib
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path

from kubestencil import atomic
from kubestencil.engine.manifest import Command, Target
from kubestencil.errors import TargetError
from kubestencil.text.controls import one_line

# Seconds in which a command formats a file.
_TIMEOUT = 60
# The length of the message of a command that fails, in an error.
_MESSAGE_LENGTH = 400


def black_formatter(path: str, template: str) -> Callable[[str, str], str]:
    """The function that formats the files that ``template`` generates to ``path``.

    It takes a text and its subject, and raises TargetError for a text that cannot be
    parsed.
    """
    stub = path.endswith(".pyi")

    def formatted(text: str, subject: str) -> str:
        try:
            return _format_with_black(text, stub)
        except ValueError as error:
            raise TargetError(
                f"black cannot format the output for {subject}: {error}", where=template
            ) from error

    return formatted


def command_formatter(
    command: Command, template: str, target: Target
) -> Callable[[str, str], str]:
    """The function that formats what ``template`` generates with a command, which runs
    in the folder of the manifest: a configuration file there is found.

    It takes a text and its subject. It raises TargetError where the command does not
    exist, fails, takes more than a minute, or prints what is not UTF-8.
    """
    name = command[0]

    def formatted(text: str, subject: str) -> str:
        problem = f"{name} cannot format the output for {subject}"
        try:
            done = subprocess.run(
                command,
                input=text.encode(),
                capture_output=True,
                cwd=target.manifest.parent,
                timeout=_TIMEOUT,
                check=True,
            )
            return done.stdout.decode()
        except OSError as error:
            raise target.error(
                f"{name} cannot be run: {error.strerror}",
                "files.format",
                "install it, or leave out format",
            ) from error
        except subprocess.CalledProcessError as error:
            message = one_line(error.stderr.decode(errors="replace").strip())
            raise TargetError(
                f"{problem}: {message[:_MESSAGE_LENGTH] or f'status {error.returncode}'}",
                where=template,
            ) from error
        except (subprocess.TimeoutExpired, UnicodeDecodeError) as error:
            raise TargetError(f"{problem}: {error}", where=template) from error

    return formatted


def _format_with_black(text: str, stub: bool) -> str:
    """``text`` as black formats it. Raises ValueError where it is not Python."""
    cached = _cache_path(text, stub)
    with contextlib.suppress(OSError, UnicodeError):
        return cached.read_text("utf-8")
    import black

    formatted = black.format_str(text, mode=black.Mode(is_pyi=stub))
    # A cache folder that cannot be written costs time, not correctness.
    with contextlib.suppress(OSError):
        atomic.write(cached, formatted.encode())
    return formatted


def _cache_path(text: str, stub: bool) -> Path:
    """The file with the formatted ``text``; it exists if it was formatted before."""
    key = f"{_black_version()}\0{stub}\0{text}"
    digest = hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
    return _cache_folder() / digest[:2] / digest[2:]


@cache
def _black_version() -> str:
    from importlib.metadata import version

    return version("black")


@cache
def _cache_folder() -> Path:
    from platformdirs import user_cache_path

    return user_cache_path("kubestencil") / "black"
