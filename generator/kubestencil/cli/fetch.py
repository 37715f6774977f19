"""kubestencil fetch: download upstream's documents."""

from __future__ import annotations

from pathlib import Path

import click

from kubestencil.cli import console
from kubestencil.cli.options import quiet_option


@click.command()
@click.argument("releases", nargs=-1, required=True, metavar="RELEASE...")
@click.option(
    "--specs",
    type=click.Path(path_type=Path),
    envvar="KUBESTENCIL_SPECS",
    default=Path("specs"),
    show_default=True,
    metavar="DIR",
    help="The folder to download to.",
)
@quiet_option
def fetch(releases: tuple[str, ...], specs: Path, quiet: bool) -> None:
    """Download upstream's OpenAPI documents of releases."""
    from kubestencil.schema.load import load_release
    from kubestencil.source import remote
    from kubestencil.source.releases import ListedRelease, listed, minor

    known = listed()
    for argument in releases:
        name = minor(argument)
        release = known.get(name) or ListedRelease(name, remote.address(name), None)
        with console.ProgressBar(name, quiet) as bar:
            path = remote.fetch(release, specs, bar.bytes, load_release)
        if not quiet:
            note = "" if release.sha256 else " (no sha256 on record to compare with)"
            click.echo(f"{path}: {release.url}{note}")
