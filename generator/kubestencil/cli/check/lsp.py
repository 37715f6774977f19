"""kubestencil lsp: a language server, for editors."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from kubestencil.checking.release import prepare
from kubestencil.checking.upgrade import Upgrade
from kubestencil.cli.options import (
    complete_release,
    crds_option,
    specs_option,
    text,
    unserved_option,
)
from kubestencil.cli.settings import settings_option
from kubestencil.errors import UsageError
from kubestencil.schema.lazy import load_lazily
from kubestencil.source.find import DocumentOptions, find_document
from kubestencil.source.releases import newest_release


@click.command()
@settings_option("check")
@text(
    "--to after",
    "RELEASE",
    "Release to check against; by default the newest one.",
    shell_complete=complete_release,
)
@specs_option
@crds_option
@unserved_option
def lsp(
    after: str | None, specs: Path | None, crds: tuple[str, ...], unserved: bool
) -> int:
    """Serve findings, hover and completion to an editor.

    It speaks the Language Server Protocol on standard input and output. In the folder of
    a project, it uses the settings of check in kubestencil.toml.
    """
    try:
        from kubestencil.lsp.server import make_server
    except ImportError as error:
        raise UsageError(
            "pygls is not installed",
            where="kubestencil lsp",
            hint="pip install pygls",
        ) from error
    options = DocumentOptions(specs, crds, unserved)
    newest = (after or newest_release()).split(",")[-1]
    (source,) = options.complete([find_document(newest, options, None)])
    server = make_server(Upgrade(None, prepare(load_lazily(source))))
    return server.serve(sys.stdin.buffer, sys.stdout.buffer)
