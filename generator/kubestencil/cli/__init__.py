"""The command line: a module for each command, and what they share.

``options`` has options of several commands, ``documents`` finds the documents that a
command line names, ``reports`` prints a result in one of the formats of a command.
``console`` shows errors, progress and colours. ``settings`` are those of a project file.
The commands are ``check``, ``diff``, ``example``, ``history``, ``releases`` with fetch, ``render``,
``serve``, ``targets``, and those of ``project``: init and update. ``rendering`` is
what those that generate files share, ``help`` how commands show what they do.

``validator`` builds programs that run the API server's own code, which default and convert
ask (``objects``, with example). ``check.lsp`` is the language server, and ``check.merge``
joins reports.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Mapping
from importlib import import_module
from typing import Any, NoReturn

import click

from kubestencil.cli import console
from kubestencil.cli.help import current_names, option_names, write_examples
from kubestencil.errors import KubestencilError, UsageError, nearest
from kubestencil.version import __version__

#: The commands: the module of each in this package, and the first sentence of its help.
_COMMANDS: Mapping[str, tuple[str, str]] = {
    "check": ("check", "Show what is wrong with manifests in a release."),
    "convert": ("objects.stored", "Print objects in another version of their kinds."),
    "default": ("objects.stored", "Print objects as an API server would store them."),
    "diff": ("diff", "Show what changed between two releases or specs."),
    "example": (
        "objects.example",
        "Print an object that the API server accepts, with a field in it.",
    ),
    "fetch": ("releases", "Download the OpenAPI specs of releases."),
    "history": (
        "history",
        "Show how a type evolved through releases and API versions.",
    ),
    "init": ("project", "Write a kubestencil.toml to begin with."),
    "lsp": ("check.lsp", "Serve findings, hover and completion to an editor."),
    "merge": (
        "check.merge",
        "Join reports of kubestencil check.",
    ),
    "releases": ("releases", "List the available releases and the source of each."),
    "render": ("render", "Generate files from the OpenAPI specs of releases."),
    "serve": (
        "serve",
        "Serve the docs site on this machine, and rebuild it on changes.",
    ),
    "targets": ("targets", "List the targets and their options, or document NAME."),
    "update": ("project", "Generate a project from the newest specs."),
    "validator": (
        "validator",
        "Build programs that answer as an API server would.",
    ),
}
_EXAMPLES = (
    (
        "kubestencil check manifests/ --from 1.34 --to 1.35",
        "What breaks in your manifests",
    ),
    (
        "kubestencil history pod.spec.containers.livenessProbe",
        "How a field came to be what it is",
    ),
    ("kubestencil diff 1.34 1.35", "What changed"),
    ("kubestencil render 1.35 -t python", "Models for Python"),
)
# Their exit code 1 is an answer: findings, changes. Whatever keeps them from one is 2.
_ANSWERING = ("check", "diff", "merge")


class _Commands(click.Group):
    """Imports the module of a command when it is used: --help needs none of them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(_COMMANDS)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in _COMMANDS and not args[0].startswith("-"):
            raise UsageError(
                f"no command is called {args[0]!r}", hint=nearest(args[0], _COMMANDS)
            )
        name, command, arguments = super().resolve_command(ctx, args)
        return name, command, current_names(arguments, option_names(command))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        if cmd_name not in _COMMANDS:
            return None
        module = import_module(f"{__name__}.{_COMMANDS[cmd_name][0]}")
        command: click.Command = getattr(module, cmd_name)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except KubestencilError as error:
            if ctx.invoked_subcommand in _ANSWERING:
                error.exit_code = 2
            raise

    def format_help_text(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """Examples, and the text on kubestencil."""
        write_examples(formatter, _EXAMPLES)
        super().format_help_text(ctx, formatter)

    def format_commands(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in _COMMANDS.items()])


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", prog_name="kubestencil")
@click.option("--trust", is_flag=True, hidden=True)  # also an option of commands
@click.pass_context
def cli(context: click.Context, trust: bool) -> None:
    """Generate client models, documentation and change reports from the OpenAPI
    specs of Kubernetes."""
    context.color = console.colour()
    context.meta[console.TRUST] = trust


def main() -> NoReturn:
    """Run the command line; exits with the codes that docs/cli.md lists."""
    # A run is short and creates hardly any reference cycles: collecting them costs a
    # tenth of its time and frees nothing.
    gc.disable()
    console.open_closed_streams()
    console.write_utf8()
    console.handle_termination()
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
