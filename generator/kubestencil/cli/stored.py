"""kubestencil default and convert: objects as a server would store or return them."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import click

from kubestencil.checking.stored import results
from kubestencil.cli import console
from kubestencil.cli.options import complete_release, file_option
from kubestencil.errors import UsageError
from kubestencil.source.releases import newest_release
from kubestencil.text.yaml import dump_all
from kubestencil.validator.binaries import require_binary
from kubestencil.validator.process import Validator

_paths = click.argument("paths", nargs=-1, required=True, metavar="PATH...")
_release = click.option(
    "--release",
    metavar="RELEASE",
    shell_complete=complete_release,
    help="Release of the API server.  [default: the newest supported one]",
)


@click.command()
@_paths
@_release
@file_option
def default(paths: tuple[str, ...], release: str | None, file: Path | None) -> None:
    """Print objects as an API server would store them.

    They have all defaults, and are YAML in the order of the file.

    PATH is a file, a folder or - for standard input. The code of the API server decides
    (kubestencil validator).
    """
    _print("default", paths, release, file, "")


@click.command()
@_paths
@click.option(
    "--to",
    required=True,
    metavar="VERSION",
    help="Version to convert to, such as apps/v1.",
)
@_release
@file_option
def convert(
    paths: tuple[str, ...], to: str, release: str | None, file: Path | None
) -> None:
    """Print objects in another version of their kinds.

    PATH is a file, a folder or - for standard input. The code of the API server decides
    (kubestencil validator); RELEASE is one that has both versions.
    """
    _print("convert", paths, release, file, to)


def _print(
    operation: Literal["default", "convert"],
    paths: tuple[str, ...],
    release: str | None,
    file: Path | None,
    to: str,
) -> None:
    with Validator(require_binary(release or newest_release())) as validator:
        objects = list(results(paths, operation, validator, to=to))
    if not objects:
        raise UsageError("there is no object in it", where=", ".join(paths))
    console.write_result(dump_all(objects), file)
