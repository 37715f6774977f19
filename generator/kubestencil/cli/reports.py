"""The formats in which commands print reports: rules of manifests."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from kubestencil.cli import console
from kubestencil.cli.options import Decorator
from kubestencil.data_files import data_file
from kubestencil.engine import load_targets
from kubestencil.engine.manifest import read_target
from kubestencil.engine.rendering import report_formats
from kubestencil.errors import UsageError
from kubestencil.text import terminal

if TYPE_CHECKING:
    from kubestencil.engine.rendering import ReportFormat
    from kubestencil.text.terminal import Paint


def format_option(target: str, each: Collection[str]) -> Decorator:
    """The option ``--format`` of a command, whose value is a ``ReportFormat``; see
    ``FormatType``."""
    formats = FormatType(target, each)

    def chosen(
        context: click.Context, _: click.Parameter, value: ReportFormat | None
    ) -> ReportFormat | None:
        if value is not None or context.resilient_parsing:
            return value
        return formats.of_file(context, _path(context, "file"))

    return click.option(
        "-f",
        "--format",
        "report_format",
        type=formats,
        callback=chosen,
        show_default="by the suffix of FILE, else text",
        help="Output format.",
    )


def paint(file: Path | None) -> Paint:
    """What colours a result that goes to ``file``, or to standard output."""
    return terminal.colored if console.is_coloured(file) else terminal.plain


class FormatType(click.ParamType):  # type: ignore[type-arg]  # generic since 8.4
    """The name of a format: of the target ``target``, or of another one with its view.

    ``each`` are the values of ``each`` whose rules are formats of the command.
    """

    name = "format"

    def __init__(self, target: str, each: Collection[str]) -> None:
        self.target = target
        self.each = each

    def formats(self, context: click.Context | None) -> Mapping[str, ReportFormat]:
        """All formats by name, those in the folder of ``--templates`` included."""
        templates = _path(context, "templates") if context else None
        return report_formats(load_targets(templates), self.target, self.each)

    def get_metavar(self, param: click.Parameter, ctx: Any = None) -> str:
        del param
        return f"[{'|'.join(self.formats(ctx))}]"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> ReportFormat:
        # Those of the target itself come first, unless a folder of the user is before it.
        templates = _path(ctx, "templates") if ctx else None
        own = None if templates else read_target(self.target, [data_file("templates")])
        formats: Mapping[str, ReportFormat] = {}
        if own is not None:
            formats = report_formats({self.target: own}, self.target, self.each)
        if value not in formats:
            formats = self.formats(ctx)
        if value not in formats:
            self.fail(f"{value!r} is not one of {', '.join(formats)}.", param, ctx)
        return formats[value]

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        del param
        return [
            CompletionItem(name)
            for name in self.formats(ctx)
            if name.startswith(incomplete)
        ]

    def of_file(self, context: click.Context, file: Path | None) -> ReportFormat:
        """The format that the suffix of a file implies: the first that has it. Raises
        UsageError where there is none."""
        suffix = file.suffix if file else ""
        formats: dict[str, ReportFormat] = {}
        for report_format in self.formats(context).values():
            for implied in report_format.rule.suffixes:
                formats.setdefault(implied, report_format)
        if suffix not in formats:
            available = ", ".join(sorted(filter(None, formats)))
            raise UsageError(
                f"no format has the suffix {suffix}",
                where=f"--output {file}",
                hint=f"available: {available}; or name the format: --format text",
            )
        return formats[suffix]


def _path(context: click.Context, name: str) -> Path | None:
    """The value of an option that is a path. While options are read, one that is not
    given has a placeholder of click's in the place of None."""
    value = context.params.get(name)
    return value if isinstance(value, Path) else None
