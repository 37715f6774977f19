"""kubestencil default and convert: objects as a server would store or return them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import click

from kubestencil.checking.stored import results
from kubestencil.cli import console
from kubestencil.cli.options import complete_release, crds_option, file_option, text
from kubestencil.errors import SourceError, UsageError
from kubestencil.schema.custom_resources.definitions import crd_values
from kubestencil.source.find import DocumentOptions
from kubestencil.source.releases import newest_release
from kubestencil.text.yaml import dump_all
from kubestencil.validator.binaries import require_binary
from kubestencil.validator.process import Validator

_paths = click.argument("paths", nargs=-1, required=True, metavar="PATH...")
_release = text(
    "--release",
    "RELEASE",
    "Release of the API server.  [default: the newest supported one]",
    shell_complete=complete_release,
)


@click.command()
@_paths
@_release
@crds_option
@file_option
def default(
    paths: tuple[str, ...],
    release: str | None,
    crds: tuple[str, ...],
    file: Path | None,
) -> None:
    """Print objects as an API server would store them.

    They have all defaults, and are YAML in the order of the file.

    PATH is a file, a folder or - for standard input. The code of the API server decides
    (kubestencil validator).
    """
    with _validator(release, crds) as validator:
        _print(paths, results(paths, "default", validator, warn=console.warn), file)


@click.command()
@_paths
@text("--to", "VERSION", "Version to convert to, such as apps/v1.", required=True)
@_release
@crds_option
@file_option
def convert(
    paths: tuple[str, ...],
    to: str,
    release: str | None,
    crds: tuple[str, ...],
    file: Path | None,
) -> None:
    """Print objects in another version of their kinds.

    Objects of other kinds, which VERSION does not have, stay as they are.

    PATH is a file, a folder or - for standard input. The code of the API server decides
    (kubestencil validator); RELEASE is one that has both versions.
    """
    with _validator(release, crds) as validator:
        _print(
            paths, results(paths, "convert", validator, to=to, warn=console.warn), file
        )


def _validator(release: str | None, locations: tuple[str, ...]) -> Validator:
    """The program of a release, with the CustomResourceDefinitions at ``locations``."""
    program = require_binary(release or newest_release())
    crds = DocumentOptions(crds=locations).read_crds()
    return Validator(program, definitions=crd_values(crds) if crds else ())


def _print(
    paths: tuple[str, ...], values: Iterable[Mapping[str, Any]], file: Path | None
) -> None:
    where = ", ".join(paths)
    try:
        result = dump_all(list(values))
    except RecursionError as error:
        raise SourceError("an object has too many levels", where=where) from error
    if not result:
        raise UsageError("there is no object in it", where=where)
    console.write_result(result, file)
