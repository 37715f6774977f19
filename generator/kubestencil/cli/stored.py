"""kubestencil default and convert: objects as a server would store or return them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import click

from kubestencil.checking.stored import results
from kubestencil.cli import console
from kubestencil.cli.options import complete_release, file_option
from kubestencil.errors import SourceError, UsageError
from kubestencil.schema.custom_resources.definitions import crd_values
from kubestencil.source.find import DocumentOptions
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


_crds = click.option(
    "--crds",
    multiple=True,
    metavar="FILE|DIR|URL",
    help="CustomResourceDefinitions of the objects; may be repeated.",
)


@click.command()
@_paths
@_release
@_crds
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
        _print(paths, results(paths, "default", validator), file)


@click.command()
@_paths
@click.option(
    "--to",
    required=True,
    metavar="VERSION",
    help="Version to convert to, such as apps/v1.",
)
@_release
@_crds
@file_option
def convert(
    paths: tuple[str, ...],
    to: str,
    release: str | None,
    crds: tuple[str, ...],
    file: Path | None,
) -> None:
    """Print objects in another version of their kinds.

    PATH is a file, a folder or - for standard input. The code of the API server decides
    (kubestencil validator); RELEASE is one that has both versions.
    """
    with _validator(release, crds) as validator:
        _print(paths, results(paths, "convert", validator, to=to), file)


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
        text = dump_all(list(values))
    except RecursionError as error:
        raise SourceError("an object has too many levels", where=where) from error
    if not text:
        raise UsageError("there is no object in it", where=where)
    console.write_result(text, file)
