"""How commands show what they do: examples first, then options in groups."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import click

#: Options by the names that they had, which work until the next minor version, and those
#: that they have.
RENAMED: Mapping[str, str] = {
    "--for": "--used-by",
    "--old": "--applied",
    "--since": "--applied-commit",
    "--specs": "--spec-dir",
}
#: A command line, and what it does.
Example = tuple[str, str]

_OTHERS = "Other options"


class DocumentedCommand(click.Command):
    """A command with examples, and names of options by the title of their group."""

    def __init__(
        self,
        *arguments: Any,
        examples: Sequence[Example] = (),
        groups: Mapping[str, str] = {},
        **more: Any,
    ) -> None:
        super().__init__(*arguments, **more)
        self._examples = examples
        self._groups = groups

    def format_help_text(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """The examples, and the text on the command."""
        write_examples(formatter, self._examples)
        super().format_help_text(ctx, formatter)

    def format_options(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """The options by group, those without one at the end."""
        groups = {
            f"--{name}": title
            for title, names in self._groups.items()
            for name in names.split()
        }
        records: dict[str, list[tuple[str, str]]] = {
            title: [] for title in (*self._groups, _OTHERS)
        }
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and isinstance(parameter, click.Option):
                name = max(parameter.opts, key=len)
                records[groups.get(name, _OTHERS)].append(record)
        for title, rows in records.items():
            with formatter.section(title if self._groups else "Options"):
                formatter.write_dl(rows)


def write_examples(formatter: click.HelpFormatter, examples: Iterable[Example]) -> None:
    """A section with command lines, each below what it does."""
    with formatter.section("Examples"):
        for command, about in examples:
            formatter.write(f"  # {about}\n  {command}\n")


def option_names(command: click.Command | None) -> list[str]:
    """The long names of the options of a command."""
    parameters = command.params if command else []
    names = (name for parameter in parameters for name in parameter.opts)
    return [name for name in names if name.startswith("--")]


def current_names(arguments: Sequence[str], names: Collection[str]) -> list[str]:
    """The arguments of a command whose options have these names, with those names in
    place of earlier ones."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    renamed = {old: new for old, new in RENAMED.items() if new in names}
    current = []
    for argument in arguments[:end]:
        name, equals, value = argument.partition("=")
        current.append(f"{renamed.get(name, name)}{equals}{value}")
    return [*current, *arguments[end:]]
