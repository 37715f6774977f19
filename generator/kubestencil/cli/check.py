"""kubestencil check: what breaks in manifests when Kubernetes is upgraded."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from kubestencil.cli import console
from kubestencil.cli.options import (
    complete_release,
    file_option,
    quiet_option,
    specs_option,
    templates_option,
    unserved_option,
)
from kubestencil.cli.reports import format_option, paint
from kubestencil.errors import UsageError

if TYPE_CHECKING:
    from kubestencil.checking import Report, Severity
    from kubestencil.checking.files.previous import PreviousObjects
    from kubestencil.engine.reports import ReportFormat
    from kubestencil.source import Source
    from kubestencil.source.find import DocumentOptions
    from kubestencil.validator.process import Validator
    from kubestencil.validator.protocol import PodSecurity

Exact = Literal["auto", "require", "off"]

_POD_SECURITY = re.compile(
    r"(privileged|baseline|restricted)(?::(latest|v1\.\d{1,3}))?\Z"
)


def _read_pod_security(
    _context: click.Context, _option: click.Parameter, text: str | None
) -> PodSecurity | None:
    from kubestencil.validator.protocol import PodSecurity

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


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "--to",
    "after",
    metavar="RELEASE",
    shell_complete=complete_release,
    help="Release to check against.",
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
@click.option(
    "--crds",
    multiple=True,
    metavar="FILE|DIR|URL",
    help="CustomResourceDefinitions to check custom resources against; may be "
    "repeated.",
)
@unserved_option
@templates_option
@format_option("check", ("check", "check-json", "check-sarif"))
@file_option
@click.option(
    "--fail-on",
    type=click.Choice(["error", "warning", "note"]),
    default="error",
    show_default=True,
    help="Exit 1 if there is a finding of this severity or a more severe one.",
)
@click.option(
    "--config",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="TOML file with entries [[ignore]]: findings to leave out.",
)
@click.option(
    "--baseline",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Earlier report in JSON, whose findings are left out.",
)
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
@click.option(
    "--policies",
    multiple=True,
    metavar="FILE|DIR",
    help="Admission policies that decide about the other objects, with their bindings, "
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
def check(
    context: click.Context,
    paths: tuple[str, ...],
    after: str | None,
    before: str | None,
    specs: Path | None,
    spec: str | None,
    crds: tuple[str, ...],
    unserved: bool,
    templates: Path | None,
    report_format: ReportFormat,
    file: Path | None,
    fail_on: Severity,
    config: Path | None,
    baseline: Path | None,
    exact: Exact,
    pod_security: PodSecurity | None,
    policies: tuple[str, ...],
    old: str | None,
    since: str | None,
    quiet: bool,
) -> None:
    """Show what is wrong with manifests in a release.

    With --from, findings say what an upgrade from that release breaks and fixes; with
    --old and --since, also what cannot be changed.

    PATH is a file, a folder or - for standard input. Exits with 1 if there are
    findings of the severity of --fail-on, and with 2 if nothing could be checked.
    """
    from kubestencil.checking.rules import at_least
    from kubestencil.checking.run import check as check_paths
    from kubestencil.schema.lazy import load_lazily
    from kubestencil.source.find import DocumentOptions
    from kubestencil.targets.check.view import check_contexts

    del templates  # Its formats are values of --format.
    options = DocumentOptions(specs, crds, unserved)
    sources = _sources(after, before, spec, options)
    console.announce_sources(sources, quiet)
    if before and after and _is_older(after, before):
        console.warn(
            f"--from {before} is newer than --to {after}: findings are about a downgrade"
        )
    *earlier, latest = [load_lazily(source) for source in sources]
    console.show_notes(latest.notes, quiet)
    needed_by = {
        "--pod-security": pod_security,
        "--policies": policies or None,
        "--old": old,
        "--since": since,
    }
    prepared = _policy_objects(policies, sources)
    with ExitStack() as stack:
        validators = {
            name: stack.enter_context(validator) if validator else None
            for name, validator in _validators(
                sources, exact, pod_security, prepared, needed_by
            )
        }
        report = check_paths(
            (*paths, *policies),
            latest,
            earlier[0] if earlier else None,
            validators,
            _previous(paths, old, since),
        )
    report = _without_suppressed(report, config, baseline)
    contexts = check_contexts(
        report, fail_on, lambda name: Path(name).read_bytes(), paint(file)
    )
    console.write_result(report_format.render(contexts), file)
    if not report.checked and not report.findings:
        raise UsageError(
            "nothing was checked",
            where=", ".join(dict.fromkeys(paths)),
            hint=(
                "the report says what was left out, and why"
                if report.skipped
                else "there is no object in it"
            ),
        )
    if any(report.count(severity) for severity in at_least(fail_on)):
        context.exit(1)


def _validators(
    sources: Sequence[Source],
    exact: Exact,
    pod_security: PodSecurity | None,
    prepared: Sequence[Mapping[str, Any]],
    needed_by: Mapping[str, object],
) -> Iterator[tuple[str, Validator | None]]:
    """The programs that run the API server's own code, by release; None where that can
    be built and is not.

    ``prepared`` are objects that a cluster has. ``needed_by`` has the options that need
    the programs, and their values.
    Raises UsageError where one is needed that is not built, or must not be used.
    """
    from kubestencil.schema.custom_resources.definitions import crd_values
    from kubestencil.source.releases import minor_version_in
    from kubestencil.validator.binaries import find_binary, require_binary
    from kubestencil.validator.process import Validator

    needing = [name for name, value in needed_by.items() if value is not None]
    if exact == "off":
        for name in needing:
            raise UsageError(
                "needs the API server's own code",
                where=name,
                hint="leave out --exact off",
            )
        return
    for source in sources:
        is_required = exact == "require" or bool(needing)
        find = require_binary if is_required else find_binary
        program = find(source.release)
        if program is not None:
            definitions = crd_values(source.crds) if source.crds else ()
            validator = Validator(
                program,
                pod_security=pod_security,
                definitions=(*definitions, *prepared),
            )
            yield source.release, validator
        elif minor_version_in(source.release):
            yield source.release, None


def _policy_objects(
    paths: Sequence[str], sources: Sequence[Source]
) -> Sequence[Mapping[str, Any]]:
    """Admission policies, and what they need."""
    from kubestencil.checking.files.policies import policy_objects

    if not paths:
        return ()
    for source in sources:
        if _is_older(source.release, "1.30"):
            raise UsageError(
                f"the code of {source.release} is not asked about policies",
                where="--policies",
                hint="name 1.30 or a newer release",
            )
    return policy_objects(paths)


def _previous(
    paths: Sequence[str], old: str | None, since: str | None
) -> PreviousObjects | None:
    """The objects as they were before; None where no option names any."""
    from kubestencil.checking.files.previous import committed_objects, objects_in

    if old is not None and since is not None:
        raise UsageError("cannot be combined", where="--old and --since")
    if old is not None:
        return objects_in(old)
    return None if since is None else committed_objects(since, paths)


def _is_older(release: str, other: str) -> bool:
    """Whether a release is older than another; not of names that are no versions."""
    from kubestencil.source.releases import minor_version_in, release_order

    minor, other_minor = minor_version_in(release), minor_version_in(other)
    return bool(
        minor and other_minor and release_order(minor) < release_order(other_minor)
    )


def _sources(
    after: str | None,
    before: str | None,
    spec: str | None,
    options: DocumentOptions,
) -> list[Source]:
    """The sources of the releases, the one to check against last."""
    from kubestencil.source import locate, releases
    from kubestencil.source.inputs import read_location

    if after is None and spec is None:
        raise UsageError("missing", where="--to", hint="name a release: --to 1.35")
    names = [] if before is None else [before]
    names += [after] if after is not None and spec is None else []
    sources = [locate(name.removeprefix("v"), options.specs) for name in names]
    if spec is not None:
        label = releases.release_name(after) if after else None
        sources.append(read_location(spec, label, unserved=options.unserved))
    return options.complete(sources)


def _without_suppressed(
    report: Report, config: Path | None, baseline: Path | None
) -> Report:
    """The report without the findings that a configuration or a baseline names."""
    from kubestencil.checking import suppressions as files

    if config is not None:
        report = files.apply_config(report, files.load_config(config), config)
    if baseline is not None:
        report = files.apply_baseline(report, files.load_baseline(baseline))
    return report
