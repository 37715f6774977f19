"""kubestencil fetch: download the documents of releases."""

from __future__ import annotations

from pathlib import Path

import click

from kubestencil.cli import console
from kubestencil.cli.options import quiet_option
from kubestencil.schema.load import load_release
from kubestencil.source import remote
from kubestencil.source.releases import ListedRelease, listed_releases, minor_version


@click.command()
@click.argument("releases", nargs=-1, required=True, metavar="RELEASE...")
@click.option(
    "--specs",
    type=click.Path(path_type=Path),
    envvar="KUBESTENCIL_SPECS",
    show_envvar=True,
    default=Path("specs"),
    show_default=True,
    metavar="DIR",
    help="Folder to download to.",
)
@quiet_option
def fetch(releases: tuple[str, ...], specs: Path, quiet: bool) -> None:
    """Download the OpenAPI documents of releases.

    Each is saved as RELEASE.json once its sha256 matches the one on record and its
    content is valid OpenAPI. It is then used instead of the embedded document.
    """
    listed = listed_releases()
    for argument in releases:
        name = minor_version(argument)
        release = listed.get(name) or ListedRelease(
            name, remote.published_url(name), None
        )
        with console.ProgressBar(name, quiet) as bar:
            path = remote.fetch(release, specs, bar.bytes, load_release)
        if not quiet:
            note = "" if release.sha256 else " (not verified: no sha256 on record)"
            click.echo(f"{path}: {release.url}{note}")
