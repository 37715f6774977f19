"""The command line: a module for each command, and what they share.

``options`` has options of several commands, ``documents`` finds the documents that a
command line names, ``reports`` prints a result in one of the formats of a command.
``console`` shows errors, progress and colours, ``signals`` ends a command. The
commands are ``check``, ``diff``, ``fetch``, ``history``, ``releases``, ``render``,
``serve`` and ``targets``.

``validator`` builds programs that run the API server's own code; ``stored`` has the
commands default and convert, which ask them.
"""

from __future__ import annotations

import gc
import os
import sys
from typing import NoReturn

import click

from kubestencil.cli import console
from kubestencil.cli.check import check
from kubestencil.cli.diff import diff
from kubestencil.cli.fetch import fetch
from kubestencil.cli.history import history
from kubestencil.cli.releases import releases
from kubestencil.cli.render import render
from kubestencil.cli.serve import serve
from kubestencil.cli.signals import handle_signals
from kubestencil.cli.stored import convert, default
from kubestencil.cli.targets import targets
from kubestencil.cli.validator import validator
from kubestencil.version import __version__


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", prog_name="kubestencil")
@click.pass_context
def cli(context: click.Context) -> None:
    """Generate client models, documentation and change reports from the Kubernetes
    OpenAPI document."""
    context.color = console.colour()


for command in (
    render,
    serve,
    diff,
    history,
    check,
    default,
    convert,
    fetch,
    releases,
    targets,
    validator,
):
    cli.add_command(command)


def main() -> NoReturn:
    """Run the command line; exit with 0, 1 for a failed job or 2 for wrong usage."""
    # A run is short and creates hardly any reference cycles: collecting them costs a
    # tenth of its time and frees nothing.
    gc.disable()
    console.open_closed_streams()
    handle_signals()
    try:
        code = console.exit_code(_run)
    except BrokenPipeError:
        # The program that reads the output (head, less) has ended: not an error.
        code = 0
    sys.stderr.flush()
    # Nothing is open any more, and freeing a run's values one by one would take
    # another tenth of its time.
    os._exit(code)


def _run() -> int:
    try:
        code = cli.main(prog_name="kubestencil", standalone_mode=False)
    finally:
        # What is in its buffer may not fit on a disk: an error like any other.
        sys.stdout.flush()
    return code if isinstance(code, int) else 0
