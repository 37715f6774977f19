"""kubestencil targets: list targets, or document one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kubestencil.cli import console
from kubestencil.cli.options import complete_target, templates_option
from kubestencil.engine import find_target, load_targets
from kubestencil.engine.reference import reference
from kubestencil.targets import load_any_view

if TYPE_CHECKING:
    from kubestencil.engine import Target


@click.command()
@click.argument("name", required=False, shell_complete=complete_target)
@templates_option
def targets(name: str | None, templates: Path | None) -> None:
    """List the targets and their options, or document NAME.

    The documentation of a target has everything that its manifest and templates can
    use: values of "each", placeholders, variables with their types, filters, options.
    """
    available = load_targets(templates)
    if name is None:
        text = "\n".join(_lines(available.values()))
    else:
        target = find_target(name, available)
        text = reference(target, load_any_view(target))
    console.write_result(text, None)


def _lines(targets: Iterable[Target]) -> Iterator[str]:
    for target in targets:
        yield f"{target.name:<14} {target.about}"
        for option, value in target.options.items():
            text = str(value).lower() if isinstance(value, bool) else value
            yield f"{'':<14}   {target.name}.{option}={text}"
