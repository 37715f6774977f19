"""The work of kubestencil check: its documents, validators, manifests and report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, Literal

from kubestencil.checking import Report, suppressions
from kubestencil.checking.clusters.cluster import ClusterReader
from kubestencil.checking.files.catalogues import definitions_of, is_catalogue
from kubestencil.checking.files.definitions import definitions_in
from kubestencil.checking.files.find import ManifestFile, find_files, is_read_once
from kubestencil.checking.files.manifests import ParsedManifests
from kubestencil.checking.files.policies import policy_objects, unmatched_policies
from kubestencil.checking.files.previous import (
    PreviousObjects,
    committed_objects,
    objects_in,
)
from kubestencil.checking.files.rendered import rendered_files
from kubestencil.checking.findings import FailOn, with_severities
from kubestencil.checking.release import prepare
from kubestencil.checking.run import check as check_paths
from kubestencil.checking.upgrade import Upgrade
from kubestencil.cli import console
from kubestencil.cli.check.fix import fix_files
from kubestencil.cli.check.outcome import exit_code, require_checked
from kubestencil.cli.options import cluster_reader
from kubestencil.cli.reports import paint
from kubestencil.engine.rendering import ReportFormat
from kubestencil.errors import UsageError
from kubestencil.schema import Release
from kubestencil.schema.custom_resources.definitions import crd_values
from kubestencil.schema.lazy import load_lazily, load_with_found
from kubestencil.shards import WHOLE, Shard
from kubestencil.source import Source, available, locate
from kubestencil.source.crds import SUFFIXES
from kubestencil.source.find import DocumentOptions
from kubestencil.source.inputs import add_crds, read_location
from kubestencil.source.releases import (
    available_release,
    minor_of_patch,
    minor_version_in,
    newest_release,
    release_name,
    release_order,
)
from kubestencil.targets.check.view import check_contexts
from kubestencil.validator.binaries import find_binary, require_binary
from kubestencil.validator.process import Validator
from kubestencil.validator.protocol import PodSecurity

Exact = Literal["auto", "require", "off"]


@dataclass(frozen=True)
class CheckOptions:
    """The arguments and options of the command; ``after`` and ``before`` are those of
    --to and --from, ``file`` is that of --output."""

    paths: tuple[str, ...]
    after: str | None
    before: str | None
    specs: Path | None
    spec: str | None
    crds: tuple[str, ...]
    unserved: bool
    no_tree_crds: bool
    charts: tuple[str, ...]
    kustomizations: tuple[str, ...]
    cluster: bool
    kube_context: str | None
    namespaces: tuple[str, ...]
    resources: tuple[str, ...]
    report_format: ReportFormat
    file: Path | None
    fail_on: FailOn
    show_skipped: bool
    fail_on_skipped: bool
    fix: bool
    dry_run: bool
    allow_empty: bool
    config: Path | None
    baseline: Path | None
    exact: Exact
    pod_security: PodSecurity | None
    policies: tuple[str, ...]
    old: str | None
    since: str | None
    shard: Shard | None
    quiet: bool

    @cached_property
    def catalogues(self) -> tuple[str, ...]:
        """Those of ``crds`` that are catalogues of JSON Schemas."""
        return tuple(filter(is_catalogue, self.crds))

    @property
    def other_inputs(self) -> tuple[str, ...]:
        """What is checked besides files."""
        cluster = ("--cluster",) if self.cluster else ()
        return (*self.charts, *self.kustomizations, *cluster)


def run(options: CheckOptions) -> int:
    """Check, print the report, and return the exit code. Raises UsageError where
    nothing could be checked."""
    paths, quiet = options.paths, options.quiet
    console.require_folder_of(options.file)
    cluster = cluster_reader(
        options.cluster, options.kube_context, options.namespaces, options.resources
    )
    if not paths and not options.other_inputs:
        raise UsageError(
            "nothing to check",
            where="PATH",
            hint="name a file, a folder, or - for standard input; or use --cluster",
        )
    may_be_empty = options.allow_empty and not options.other_inputs
    if may_be_empty and next(find_files(paths), None) is None:
        return 0
    if paths[1:] or options.other_inputs:
        for path in paths:
            if next(find_files([path]), None) is None:
                console.warn(f"{path}: no {', '.join(SUFFIXES)} file")
    named = _all_sources(options, cluster)
    texts = list(_texts(options, minor_version_in(named[-1].release)))
    parsed = ParsedManifests(options.shard or WHOLE)
    sources, releases = _with_definitions(options, named, texts, parsed)
    before = releases.pop(0) if options.before else None
    console.show_notes(releases[0].notes, quiet)
    if options.fix and options.shard:
        raise UsageError("cannot be combined", where="--fix and --shard")
    if options.fix:
        _fix(options, releases[-1])
        if options.dry_run:
            return 0
    report = _report(options, cluster, texts, sources, before, releases, parsed)
    report = report.limited()
    contexts = check_contexts(
        report,
        options.fail_on,
        lambda name: Path(name).read_bytes(),
        paint(options.file),
        report.skips if options.show_skipped else (),
    )
    console.write_result(options.report_format.render(contexts), options.file)
    # A shard may be empty.
    if not options.allow_empty and options.shard is None:
        require_checked(report, (*paths, *options.other_inputs))
    return exit_code([report], options.fail_on, options.fail_on_skipped)


def report_on(options: CheckOptions, before: Source, after: Source) -> Report | None:
    """The report on the files of the options in the document ``after``, to which one
    upgrades from ``before``; None where there are none."""
    if next(find_files(options.paths), None) is None:
        return None
    parsed = ParsedManifests()
    sources, releases = _with_definitions(options, [before, after], (), parsed)
    old, *others = releases
    return _report(options, None, (), sources, old, others, parsed).limited()


def _texts(options: CheckOptions, minor: str | None) -> Iterator[ManifestFile]:
    """What can be read only once: standard input, other files that are open already, and
    what helm and kustomize render."""
    for path in dict.fromkeys(filter(is_read_once, options.paths)):
        for file in find_files([path]):
            is_read = not file.reason_to_skip
            yield replace(file, content=file.read()) if is_read else file
    yield from rendered_files(options.charts, options.kustomizations, minor)


def _with_definitions(
    options: CheckOptions,
    sources: Sequence[Source],
    texts: Sequence[ManifestFile],
    parsed: ParsedManifests,
) -> tuple[list[Source], list[Release]]:
    """The sources with the CustomResourceDefinitions among the manifests, and their
    releases. ``parsed`` gets the files that were parsed for that."""
    paths, unserved = [*_files(options), *options.policies], options.unserved
    is_asked = bool(options.catalogues) or not options.no_tree_crds
    files = [*find_files(paths), *texts] if is_asked else []
    found = None
    if not options.no_tree_crds:
        found = definitions_in(files, parsed, unserved=unserved)
    listed = definitions_of(options.catalogues, files, parsed, unserved=unserved)
    if found is not None and listed is not None:
        locations = (*found.locations, *listed.locations)
        found = replace(found, locations=locations, files=(*found.files, *listed.files))
    found = found or listed
    if found is None:
        return [*sources], [load_lazily(source) for source in sources]
    pairs = [load_with_found(source, found) for source in sources]
    return [source for source, _ in pairs], [release for _, release in pairs]


def _files(options: CheckOptions) -> tuple[str, ...]:
    """The paths of the options that can be read again."""
    return tuple(path for path in options.paths if not is_read_once(path))


def _all_sources(options: CheckOptions, cluster: ClusterReader | None) -> list[Source]:
    """The sources of the releases, with the CustomResourceDefinitions of the options
    and of the cluster."""
    crds = tuple(name for name in options.crds if name not in options.catalogues)
    documents = DocumentOptions(options.specs, crds, options.unserved)
    names = options.after.split(",") if options.after else []
    if not names and options.spec is None:
        names = [newest_release()]
        console.show_notes(
            [f"checked against {names[0]}, the newest release"], options.quiet
        )
    known = available(options.specs)
    names = [] if options.spec else names
    sources = [
        locate(available_release(name, known) or name, options.specs)
        for name in (*((options.before,) if options.before else ()), *names)
    ]
    if options.spec is not None:
        label = release_name(options.after) if options.after else None
        sources.append(read_location(options.spec, label, unserved=options.unserved))
    sources = documents.complete(sources)
    definitions = cluster.definitions() if cluster else None
    if definitions is not None:
        sources = [add_crds(source, definitions) for source in sources]
    console.announce_sources(sources, options.quiet)
    if options.fail_on == "new" and options.before is None:
        raise UsageError("needs --from", where="--fail-on new")
    if options.before and _is_older(sources[-1].release, sources[0].release):
        console.warn(
            f"--from {options.before} is newer than --to {options.after}: findings are "
            "about a downgrade"
        )
    return sources


def _report(
    options: CheckOptions,
    cluster: ClusterReader | None,
    texts: Sequence[ManifestFile],
    sources: Sequence[Source],
    before: Release | None,
    releases: Sequence[Release],
    parsed: ParsedManifests,
) -> Report:
    others: list[Iterable[ManifestFile]] = [texts] if texts else []
    if cluster is not None:
        others.append(cluster.files())
    policies = _policy_objects(options.policies, sources)
    with ExitStack() as stack:
        validators = {
            name: stack.enter_context(validator) if validator else None
            for name, validator in _validators(options, sources, policies)
        }
        report = check_paths(
            (*_files(options), *options.policies),
            releases[0],
            before,
            validators,
            _previous(options),
            chain.from_iterable(others) if others else (),
            releases[1:],
            _configuration(options).severities,
            options.shard or WHOLE,
            parsed,
        )
    if options.shard is not None:
        # Most runs are not divided.
        from kubestencil.checking.merging.join import as_part

        # What there is nothing of may be in another shard.
        named = str(options.config or "")
        return as_part(_suppressed(report, options), options.shard, named)
    if report.updated == 0:
        console.warn(
            f"{'--applied' if options.since is None else '--applied-commit'}: no object was there "
            "before, so that no change was looked at"
        )
    is_update = bool(report.updated)
    for policy in unmatched_policies(policies, report.kinds, is_update=is_update):
        console.warn(f"{policy}: matches no object, so that it was not evaluated")
    return _suppressed(report, options)


def _fix(options: CheckOptions, release: Release) -> None:
    """Fix files before they are checked, but for the findings that a configuration or a
    baseline leaves out."""
    ignored: set[tuple[str, ...]] = set()
    leaves_out = options.config is not None or options.baseline is not None
    if options.paths and leaves_out:
        report = check_paths(options.paths, release)
        findings = _suppressed(report, options).findings
        severities = _configuration(options).severities
        kept = {finding.key for finding in with_severities(findings, severities)}
        ignored = {finding.key for finding in report.findings} - kept
    upgrade = Upgrade(None, prepare(release))
    fix_files(options.paths, upgrade, ignored, dry_run=options.dry_run)


def _suppressed(report: Report, options: CheckOptions) -> Report:
    """A report without the findings that a configuration or a baseline leaves out."""
    report = suppressions.apply_configuration(report, _configuration(options))
    if options.baseline is not None:
        report = suppressions.apply_baseline(report, options.baseline)
    return report


def _configuration(options: CheckOptions) -> suppressions.Configuration:
    if options.config is None:
        return suppressions.Configuration("")
    return suppressions.read_configuration(options.config)


def _validators(
    options: CheckOptions,
    sources: Sequence[Source],
    prepared: Sequence[Mapping[str, Any]],
) -> Iterator[tuple[str, Validator | None]]:
    """The programs that run the API server's own code, by release; None where that can
    be built and is not. ``prepared`` is what a cluster has. Raises UsageError where an
    option needs one that is not built, or must not be used."""
    needed_by = {
        "--pod-security": options.pod_security,
        "--policies": options.policies or None,
        "--applied": options.old,
        "--applied-commit": options.since,
    }
    needing = [name for name, value in needed_by.items() if value is not None]
    if options.exact == "off":
        for name in needing:
            raise UsageError(
                "needs the API server's own code",
                where=name,
                hint="leave out --exact off",
            )
        return
    is_required = options.exact == "require" or bool(needing)
    find = require_binary if is_required else find_binary
    for source in sources:
        # The code of another patch is nearer than tables, and reports name it.
        program = find_binary(source.release) or find(minor_of_patch(source.release))
        if program is not None:
            definitions = crd_values(source.crds) if source.crds else ()
            objects = (*definitions, *prepared)
            security = options.pod_security
            validator = Validator(program, pod_security=security, definitions=objects)
            yield source.release, validator
        elif minor_version_in(source.release):
            yield source.release, None


def _policy_objects(
    paths: Sequence[str], sources: Sequence[Source]
) -> Sequence[Mapping[str, Any]]:
    """Admission policies and what they need, CustomResourceDefinitions first."""
    if not paths:
        return ()
    for source in sources:
        if _is_older(source.release, "1.30"):
            raise UsageError(
                f"the code of {source.release} is not asked about policies",
                where="--policies",
                hint="name 1.30 or a newer release",
            )
    objects, unbound = policy_objects(paths)
    for policy in unbound:
        console.warn(f"{policy}: no binding, so that it is not evaluated")
    return objects


def _previous(options: CheckOptions) -> PreviousObjects | None:
    """The objects as they were before; None where no option names any."""
    if options.old is None:
        since, paths = options.since, options.paths
        return None if since is None else committed_objects(since, paths)
    if options.since is not None:
        raise UsageError("cannot be combined", where="--applied and --applied-commit")
    return objects_in(options.old)


def _is_older(release: str, other: str) -> bool:
    """Whether a release is older than another; not of names that are no versions."""
    minor, other_minor = minor_version_in(release), minor_version_in(other)
    return bool(
        minor and other_minor and release_order(minor) < release_order(other_minor)
    )
