"""kubestencil check: what breaks in manifests when Kubernetes is upgraded.

The options are here, so that --help imports no more than these; ``job`` does the work,
and ``fix`` that of --fix. ``lsp`` is the command of the language server, which has the
same settings, and ``merge`` that which joins reports; ``outcome`` is about exit codes.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click

from kubestencil.cli.help import DocumentedCommand
from kubestencil.cli.options import (
    cluster_options,
    complete_release,
    crds_option,
    fail_on_option,
    fail_on_skipped_option,
    file_option,
    file_path,
    flag,
    quiet_option,
    shard_option,
    show_skipped_option,
    specs_option,
    templates_option,
    text,
    texts,
    unserved_option,
)
from kubestencil.cli.reports import format_option
from kubestencil.cli.settings import settings_option
from kubestencil.errors import UsageError
from kubestencil.validator.protocol import PodSecurity

_POD_SECURITY = re.compile(
    r"(privileged|baseline|restricted)(?::(latest|v1\.\d{1,3}))?\Z"
)


def _read_pod_security(
    _context: click.Context, _option: click.Parameter, value: str | None
) -> PodSecurity | None:
    if value is None:
        return None
    match = _POD_SECURITY.match(value)
    if match is None:
        raise UsageError(
            f"{value!r} is no level",
            where="--pod-security",
            hint="restricted, or the level as it was in a release: restricted:v1.31",
        )
    return PodSecurity(match[1], match[2] or "latest")


@click.command(
    cls=DocumentedCommand,
    examples=(
        ("kubestencil check manifests/", "What the newest release refuses or ignores"),
        (
            "kubestencil check manifests/ --from 1.34 --to 1.35",
            "What an upgrade breaks and fixes",
        ),
        (
            "helm template chart/ | kubestencil check - --crds crds/",
            "A chart, with the custom resources that it uses",
        ),
        (
            "kubestencil check manifests/ --fix --dry-run",
            "What could be fixed, as a diff",
        ),
    ),
    groups={
        "Releases and specs": "to from spec spec-dir crds unserved",
        "What is checked besides PATH": "helm kustomize cluster context namespace "
        "resource",
        "What is reported": "format output templates baseline config show-skipped",
        "Exit code": "fail-on fail-on-skipped allow-empty",
        "Fixes": "fix dry-run",
        "The API server's own code": "exact pod-security policies applied "
        "applied-commit",
        "Many machines": "shard",
    },
)
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@settings_option("check")
@text(
    "--to after",
    "RELEASE",
    "Release to check against, or several: 1.35,1.36; by default the newest one.",
    shell_complete=complete_release,
)
@text(
    "--from before",
    "RELEASE",
    "Release that the upgrade starts from: findings say whether they are new.",
    shell_complete=complete_release,
)
@specs_option
@text(
    "--spec",
    "FILE|URL|-",
    "OpenAPI spec to check against, such as a cluster's; --to is its name.",
)
@crds_option
@unserved_option
@flag(
    "--no-tree-crds",
    "Ignore the CustomResourceDefinitions among the checked files.",
)
@texts("--helm charts", "CHART", "Also check what your helm renders of a chart")
@texts(
    "--kustomize kustomizations",
    "DIR",
    "Also check what your kustomize, or kubectl, builds of a folder",
)
@cluster_options("Check")
@templates_option
@format_option("check", ("check", "check-json", "check-sarif"))
@file_option
@fail_on_option
@show_skipped_option
@fail_on_skipped_option
@flag("--fix", "Fix files first where one thing can be meant; report the rest.")
@flag("--dry-run", "With --fix: print a diff, and change no file.")
@flag("--allow-empty", "Exit 0 if there is nothing to check.")
@file_path(
    "--config",
    "FILE",
    "TOML file with entries [[ignore]], findings to leave out, and [severity] of rules.",
)
@file_path("--baseline", "FILE", "Earlier report in JSON, whose findings are left out.")
@click.option(
    "--exact",
    type=click.Choice(["auto", "require", "off"]),
    default="auto",
    show_default=True,
    help="Whether the API server's own code decides (kubestencil validator): where it "
    "is built, always, or never.",
)
@text(
    "--pod-security",
    "LEVEL[:VERSION]",
    "Level of the Pod Security Standards that pods must keep: baseline, "
    "restricted:v1.31. Needs the API server's own code.",
    callback=_read_pod_security,
)
@texts(
    "--policies",
    "FILE|DIR",
    "Admission policies, with their bindings, parameters and namespaces, by which the API "
    "server's own code decides about the other objects",
)
@text(
    "--applied old",
    "DIR",
    "Folder with the manifests that were applied before: findings say what the API "
    "server refuses to change. Needs its own code.",
)
@text(
    "--applied-commit since",
    "REVISION",
    "The same with the manifests of a commit of Git, such as main.",
)
@shard_option(
    "Check one of N shards of the files, such as 3/16, for a report that kubestencil "
    "merge joins with the others."
)
@quiet_option
@click.pass_context
def check(context: click.Context, /, templates: Path | None, **options: Any) -> None:
    """Show what is wrong with manifests in a release.

    With --from, findings say what an upgrade from that release breaks and fixes; with
    --applied and --applied-commit, also what cannot be changed.

    PATH is a file, a folder or - for standard input. Exits with 1 if there are
    findings of the severity of --fail-on, and with 2 if nothing could be checked.
    """
    from kubestencil.cli.check.job import CheckOptions, run

    del templates  # Its formats are values of --format.
    context.exit(run(CheckOptions(**options)))
