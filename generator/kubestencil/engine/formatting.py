"""Formats what users' templates generate, with black or a command."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

from kubestencil.engine.manifest import Command, FileRule, Target
from kubestencil.errors import TargetError
from kubestencil.text.controls import one_line

# Seconds in which a command formats a file.
_TIMEOUT = 60
# The length of the message of a command that fails, in an error.
_MESSAGE_LENGTH = 400


def make_formatter(rule: FileRule, target: Target) -> Callable[[str, str], str]:
    """The function that formats the files of a rule that has a format.

    It takes a text and its subject. It raises TargetError for a text that black cannot
    parse, and where a command does not exist, fails, takes more than a minute, or prints
    what is not UTF-8.
    """
    if isinstance(rule.format, tuple):
        return _command_formatter(rule.format, rule.template, target)
    return _black_formatter(rule.path.endswith(".pyi"), rule.template)


def _black_formatter(stub: bool, template: str) -> Callable[[str, str], str]:
    import black

    def formatted(text: str, subject: str) -> str:
        try:
            return black.format_str(text, mode=black.Mode(is_pyi=stub))
        except ValueError as error:
            raise TargetError(
                f"black cannot format the output for {subject}: {error}", where=template
            ) from error

    return formatted


def _command_formatter(
    command: Command, template: str, target: Target
) -> Callable[[str, str], str]:
    """A command runs in the folder of the manifest: a configuration file there is
    found."""
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
