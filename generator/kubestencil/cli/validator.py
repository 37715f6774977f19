"""kubestencil validator: programs that run the API server's own code."""

from __future__ import annotations

import time
from dataclasses import replace

import click

from kubestencil.cli import console
from kubestencil.cli.options import complete_release, quiet_option, text
from kubestencil.engine import load_targets
from kubestencil.errors import UsageError
from kubestencil.schema.load import load_release
from kubestencil.source import available, locate
from kubestencil.source.releases import full_version, newest_release, version_name
from kubestencil.targets import generate_files
from kubestencil.text.controls import one_line
from kubestencil.validator.binaries import (
    PLATFORMS,
    binaries,
    binary_path,
    build_binary,
    require_binary,
    this_platform,
)


@click.group()
def validator() -> None:
    """Build programs that answer as an API server would.

    They run the server's own code: decoding, defaults and validation. check, default and
    convert use them where they are there.
    """


@validator.command()
@click.argument(
    "releases", nargs=-1, metavar="[RELEASE]...", shell_complete=complete_release
)
@text(
    "--platform platforms",
    "OS/ARCH",
    "Platform to build for, such as linux/arm64; may be repeated.  [default: this one]",
    multiple=True,
    type=click.Choice(PLATFORMS),
)
@quiet_option
def build(releases: tuple[str, ...], platforms: tuple[str, ...], quiet: bool) -> None:
    """Build the programs of releases, by default of the newest one.

    A RELEASE is 1.35, for the code of 1.35.0, a patch release (1.35.2), or a
    pre-release (1.38.0-beta.0). Go is needed, which downloads modules; each release
    takes some minutes.
    """
    for argument in releases or [newest_release()]:
        version = full_version(version_name(argument))
        for platform in platforms or [this_platform()]:
            path = binary_path(version, platform)
            if path.is_file():
                console.status(f"{version} for {platform} is up to date: {path}")
                continue
            if not quiet:
                console.status(f"Go builds {version} for {platform}")
            started = time.monotonic()
            build_binary(version, _files(version), platform)
            if not quiet:
                megabytes = path.stat().st_size / 1e6
                seconds = time.monotonic() - started
                console.status(f"{path}: {megabytes:.0f} MB, {seconds:.0f} s")


@validator.command("list")
def list_() -> None:
    """List the programs that were built."""
    for binary in binaries():
        note = "" if binary.is_current else "  (of another version of kubestencil)"
        click.echo(
            one_line(f"{binary.version}  {binary.platform}  {binary.path}{note}")
        )


@validator.command()
@click.argument("release", shell_complete=complete_release)
def path(release: str) -> None:
    """Print the path of the program of a release."""
    click.echo(require_binary(version_name(release)))


def _files(version: str) -> dict[str, bytes]:
    """The files of the Go module of a version, by name. They depend on no document, so
    that those of a pre-release can be made before there is one."""
    source = replace(locate(newest_release(), None), release=version)
    files = generate_files(load_release(source), load_targets(None)["validator"])
    contents = {file.path: file.data for file in files}
    if not contents:
        listed = ", ".join(available(None))
        raise UsageError(
            f"there is no validator of {version}", hint=f"available: {listed}, or newer"
        )
    return contents
