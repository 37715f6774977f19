"""Terminal output of the command line: errors, warnings, progress, colours, results."""

from __future__ import annotations

import io
import os
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from kubestencil import atomic
from kubestencil.cli.help import option_names
from kubestencil.errors import KubestencilError, UsageError, nearest
from kubestencil.output_paths import nearest_there, real_path
from kubestencil.text.controls import one_line, without_controls

if TYPE_CHECKING:
    from kubestencil.source import Source


_MAX_NOTES = 10
# Seconds between two lines about progress, where there is no terminal to show a bar.
_PAUSE = 10.0
#: The key in the context of a command for whether ``--verbose`` was given.
VERBOSE = "kubestencil.verbose"
#: The same for ``--trust``.
TRUST = "kubestencil.trust"


class Terminated(BaseException):
    """The signal SIGTERM, with which other programs stop this one."""


def handle_termination() -> None:
    """End the run at SIGTERM as at Ctrl-C, so that nothing half done is left."""

    def terminate(*_: object) -> NoReturn:
        raise Terminated

    signal.signal(signal.SIGTERM, terminate)


def exit_code(run: Callable[[], int]) -> int:
    """The exit code of ``run``; where it raises an error, the error is shown."""
    try:
        return run()
    except KubestencilError as error:
        show_error(str(error))
        return error.exit_code
    except click.NoSuchOption as error:
        show_error(str(_unknown_option(error)))
        return error.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        status("interrupted")
        return 130
    except Terminated:
        status("terminated")
        return 143
    except BrokenPipeError:
        raise
    except OSError as error:
        # Sources and output folders raise KubestencilError. What remains without a file
        # is a failure of standard output itself: a full disk, a closed terminal.
        where = error.filename or "standard output: cannot be written"
        show_error(f"{where}: {error.strerror or 'it is closed'}")
        return 1


def _unknown_option(error: click.NoSuchOption) -> UsageError:
    """The error with the command that was meant, and what its options are called."""
    names = option_names(error.ctx.command) if error.ctx else []
    return UsageError(
        f"no option is called {error.option_name}",
        where=error.ctx.command_path if error.ctx else "",
        hint=nearest(error.option_name, names),
    )


def open_closed_streams() -> None:
    """Open what was closed of standard input, output and error when Python started.

    Files would get their numbers otherwise, and messages be written into them. Input is
    empty then, messages are lost, and writing to standard output raises an OSError.
    """
    nothing = Path(os.devnull)
    sys.stdin = sys.stdin or nothing.open("r")
    sys.stdout = sys.stdout or nothing.open("r")
    sys.stderr = sys.stderr or nothing.open("w")


def write_utf8() -> None:
    """Let standard output write every character: UTF-8 into files and pipes, whatever the
    system's encoding is; to a terminal ? for what it cannot show."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        if sys.stdout.isatty():
            sys.stdout.reconfigure(errors="replace")
        else:
            sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")


def status(text: str) -> None:
    """Show a text on standard error, without the control characters that it quotes."""
    _show("", text)


def _show(label: str, text: str) -> None:
    click.echo(label + without_controls(text), err=True)


def show_error(text: str) -> None:
    """Show an error on standard error."""
    _show(click.style("error: ", fg="red", bold=True), text)


def warn(text: str) -> None:
    """Show a warning on standard error."""
    _show(click.style("warning: ", fg="yellow"), text)


def announce_sources(sources: Iterable[Source], quiet: bool) -> None:
    """Show which documents are read, with ``--verbose``: release, origin, digest."""
    if not quiet and click.get_current_context().meta.get(VERBOSE):
        for source in sources:
            origin = one_line(source.origin)
            status(f"{source.release}: {origin}, sha256 {source.sha256}")


def show_notes(notes: Iterable[str], quiet: bool) -> None:
    """Show how documents were read: what was ignored or is out of date."""
    lines = [] if quiet else list(dict.fromkeys(notes))
    for note in lines[:_MAX_NOTES]:
        status(f"note: {one_line(note)}")
    if len(lines) > _MAX_NOTES:
        status(f"note: and {len(lines) - _MAX_NOTES} more")


def colour() -> bool | None:
    """Whether to use colours; None where it depends on the terminal."""
    return False if "NO_COLOR" in os.environ else None


def is_coloured(file: Path | None) -> bool:
    """Whether a result that goes to ``file``, or to standard output, has colours."""
    return file is None and sys.stdout.isatty() and "NO_COLOR" not in os.environ


def write_result(text: str, file: Path | None) -> None:
    """Write a result to ``file``, or to standard output.

    Raises UsageError as ``require_folder_of``, and OutputError where ``real_path``
    does, or the file cannot be written for other reasons: what it had stays.
    """
    if file is None:
        _show_pages(text.rstrip("\n"))
        return
    require_folder_of(file)
    with atomic.writing(str(file)):
        path = real_path(file)
        if path.is_file() or not file.exists():
            atomic.write(path, text.encode())
        else:  # A device or a pipe.
            file.write_text(text, "utf-8")


def require_folder_of(file: Path | None) -> None:
    """Raise UsageError where the folder of a file is missing, or is a file itself."""
    if file is None:
        return
    folder = file.parent
    there = nearest_there(folder)
    if not there.is_dir():
        raise UsageError(
            f"cannot be written: {there} is no folder",
            where=str(file),
            hint="name a file in a folder",
        )
    if there != folder:
        raise UsageError(
            f"cannot be written: there is no folder {folder}",
            where=str(file),
            hint=f"create it: mkdir -p {folder}",
        )


def _show_pages(text: str) -> None:
    """Write a text to standard output, through the user's pager where that is a terminal
    and the text is longer than its window."""
    lines = shutil.get_terminal_size().lines
    if sys.stdout.isatty() and sys.stdin.isatty() and text.count("\n") >= lines:
        os.environ.setdefault("LESS", "-RFX")
        click.echo_via_pager(text + "\n", color=True)
    else:
        click.echo(text, color=True)


class ProgressBar:
    """A progress bar, where standard error is a terminal; elsewhere, a line now and then.

    Its length is known with the first step. Use it as a context manager.
    """

    def __init__(self, label: str, quiet: bool) -> None:
        self._label = label
        self._is_quiet = quiet
        self._last = time.monotonic()
        self._bar: Any = None
        self._position = 0

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(self, *exception: Any) -> None:
        if self._bar is not None:
            self._bar.__exit__(*exception)

    def jobs(self, done: int, total: int, label: str) -> None:
        """Show that ``done`` of ``total`` jobs are finished, the last named."""
        if total:
            self._show(done, total, label or self._label)

    def bytes(self, received: int, expected: int) -> None:
        """Show that so many bytes have arrived; ``expected`` is 0 if unknown."""
        self._show(received, expected or received, self._label)

    def _show(self, position: int, length: int, label: str) -> None:
        if self._is_quiet:
            return
        if not sys.stderr.isatty():
            if time.monotonic() - self._last >= _PAUSE:
                self._last = time.monotonic()
                status(f"{position:,} of {length:,}: {label}")
            return
        if self._bar is None:
            self._bar = click.progressbar(length=length, file=sys.stderr)
            self._bar.__enter__()
        self._bar.label = label
        self._bar.update(position - self._position)
        self._position = position
