"""kubestencil check: what breaks in manifests when Kubernetes is upgraded.

The options are here, so that --help imports no more than these; ``job`` does the work.
``lsp`` is the command of the language server, which has the same settings.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click

from kubestencil.cli.options import (
    Decorator,
    cluster_options,
    complete_release,
    file_option,
    quiet_option,
    specs_option,
    templates_option,
    unserved_option,
)
from kubestencil.cli.reports import format_option
from kubestencil.errors import UsageError
from kubestencil.validator.protocol import PodSecurity

_POD_SECURITY = re.compile(
    r"(privileged|baseline|restricted)(?::(latest|v1\.\d{1,3}))?\Z"
)


def _read_pod_security(
    _context: click.Context, _option: click.Parameter, text: str | None
) -> PodSecurity | None:
    if text is None:
        return None
    match = _POD_SECURITY.match(text)
    if match is None:
        raise UsageError(
            f"{text!r} is no level",
            where="--pod-security",
            hint="restricted, or the level as it was in a release: restricted:v1.31",
        )
    return PodSecurity(match[1], match[2] or "latest")


def _file(name: str, text: str) -> Decorator:
    """An option that is a file to read."""
    return click.option(
        name,
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE",
        help=text,
    )


def _flag(name: str, text: str) -> Decorator:
    return click.option(name, is_flag=True, help=text)


def _several(name: str, variable: str, metavar: str, text: str) -> Decorator:
    """An option that may be repeated."""
    return click.option(name, variable, multiple=True, metavar=metavar, help=text)


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option(
    "--to",
    "after",
    metavar="RELEASE",
    shell_complete=complete_release,
    help="Release to check against, or several: 1.35,1.36; by default the newest one.",
)
@click.option(
    "--from",
    "before",
    metavar="RELEASE",
    shell_complete=complete_release,
    help="Release that the upgrade starts from: findings say whether they are new.",
)
@specs_option
@click.option(
    "--spec",
    metavar="FILE|URL|-",
    help="OpenAPI document to check against, such as a cluster's; --to is its name.",
)
@_several(
    "--crds",
    "crds",
    "FILE|DIR|URL",
    "CustomResourceDefinitions to check custom resources against; may be repeated.",
)
@unserved_option
@_several(
    "--helm",
    "charts",
    "CHART",
    "Check what your helm renders of a chart, too; may be repeated.",
)
@_several(
    "--kustomize",
    "kustomizations",
    "DIR",
    "Check what your kustomize, or kubectl, builds of a folder, too; may be repeated.",
)
@cluster_options("Check")
@templates_option
@format_option("check", ("check", "check-json", "check-sarif"))
@file_option
@click.option(
    "--fail-on",
    type=click.Choice(["error", "warning", "note", "new"]),
    default="error",
    show_default=True,
    help="Exit 1 if there is a finding of this severity or a more severe one; new: an "
    "error that the upgrade of --from brings.",
)
@_flag("--show-skipped", "List what was not checked, with file and line.")
@_flag("--fail-on-skipped", "Exit 1 if anything was not checked.")
@_flag(
    "--fix",
    "Mend what is sure in the files first; the report is about what is left.",
)
@_flag("--dry-run", "With --fix: print a diff, and change no file.")
@_flag("--allow-empty", "Exit 0 if there is nothing to check.")
@_file(
    "--config",
    "TOML file with entries [[ignore]], findings to leave out, and [severity] of rules.",
)
@_file("--baseline", "Earlier report in JSON, whose findings are left out.")
@click.option(
    "--exact",
    type=click.Choice(["auto", "require", "off"]),
    default="auto",
    show_default=True,
    help="Whether the API server's own code decides (kubestencil validator): where it "
    "is built, always, or never.",
)
@click.option(
    "--pod-security",
    metavar="LEVEL[:VERSION]",
    callback=_read_pod_security,
    help="Level of the Pod Security Standards that pods must keep: baseline, "
    "restricted:v1.31. Needs the API server's own code.",
)
@_several(
    "--policies",
    "policies",
    "FILE|DIR",
    "Admission policies that decide about the other objects, with their bindings, "
    "parameters and namespaces; may be repeated. Needs the API server's own code.",
)
@click.option(
    "--old",
    metavar="DIR",
    help="Folder with the manifests that were applied before: findings say what the API "
    "server refuses to change. Needs its own code.",
)
@click.option(
    "--since",
    metavar="REV",
    help="The same with the manifests of a commit of Git, such as main.",
)
@quiet_option
@click.pass_context
def check(context: click.Context, /, templates: Path | None, **options: Any) -> None:
    """Show what is wrong with manifests in a release.

    With --from, findings say what an upgrade from that release breaks and fixes; with
    --old and --since, also what cannot be changed.

    PATH is a file, a folder or - for standard input. Exits with 1 if there are
    findings of the severity of --fail-on, and with 2 if nothing could be checked.
    """
    from kubestencil.cli.check.job import CheckOptions, run

    del templates  # Its formats are values of --format.
    context.exit(run(CheckOptions(**options)))
