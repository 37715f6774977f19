"""kubestencil targets: list targets, or document one."""

from __future__ import annotations

from pathlib import Path

import click

from kubestencil.cli.options import templates_option


@click.command()
@templates_option
def targets(templates: Path | None) -> None:
    """List the targets with their options."""
    from kubestencil.engine import load_targets

    for target in load_targets(templates).values():
        click.echo(f"{target.name:<14} {target.about}")
        for option, value in target.options.items():
            click.echo(f"{'':<14}   {target.name}.{option}={value}")
