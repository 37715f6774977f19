"""kubestencil diff: compare two releases, documents or API versions."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from click.core import ParameterSource

from kubestencil.cli import console
from kubestencil.cli.documents import ComparedDocument, find_compared
from kubestencil.cli.help import DocumentedCommand
from kubestencil.cli.options import (
    cluster_options,
    cluster_reader,
    complete_kind,
    complete_release,
    document_options,
    file_option,
    file_path,
    flag,
    quiet_option,
    templates_option,
    text,
    texts,
)
from kubestencil.cli.reports import format_option, paint
from kubestencil.cli.settings import settings_option
from kubestencil.diff import SEVERITIES, compare, compare_versions
from kubestencil.diff.documents import comparable
from kubestencil.diff.labels import document_label, kind_name
from kubestencil.diff.rules.table import RULES_BY_NAME
from kubestencil.diff.selection import (
    at_stages,
    for_audience,
    of_types,
    removed_before,
    touching,
    without,
)
from kubestencil.errors import UsageError, nearest
from kubestencil.schema.load import load_release
from kubestencil.schema.lookup import find_kinds
from kubestencil.source import available
from kubestencil.source.find import DocumentOptions
from kubestencil.source.folder import read_file
from kubestencil.source.releases import expand_ranges, is_version, release_order
from kubestencil.targets.reports.view import comparison_contexts

if TYPE_CHECKING:
    from kubestencil.checking.clusters.cluster import ClusterReader
    from kubestencil.diff import Change, Comparison, Severity
    from kubestencil.diff.labels import Place
    from kubestencil.diff.rules.audience import AudienceName
    from kubestencil.diff.selection import Uses
    from kubestencil.engine.rendering import ReportFormat
    from kubestencil.schema import GroupVersionKind, Release
    from kubestencil.schema.kinds import StageSpelling
    from kubestencil.schema.lookup import TypeMatch

_CLUSTER = "--cluster"
_MAX_PROBLEMS = 3


class DiffOptions(NamedTuple):
    """The arguments and options of the command; ``file`` is that of --output,
    ``manifests`` those of --used-by."""

    before: str
    after: str | None
    specs: Path | None
    crds: tuple[str, ...]
    unserved: bool
    report_format: ReportFormat
    file: Path | None
    kinds: tuple[str, ...]
    groups: tuple[str, ...]
    severities: tuple[Severity, ...]
    no_docs: bool
    audience: AudienceName | None
    stages: tuple[StageSpelling, ...]
    fail_on: tuple[str, ...]
    manifests: tuple[str, ...]
    cluster: bool
    kube_context: str | None
    namespaces: tuple[str, ...]
    resources: tuple[str, ...]
    baseline: Path | None
    quiet: bool


@click.command(
    cls=DocumentedCommand,
    examples=(
        ("kubestencil diff 1.34 1.35", "What changed from one release to the next"),
        (
            "kubestencil diff 1.34 1.36 --used-by manifests/",
            "Only what manifests use, with file and line",
        ),
        ("kubestencil diff 1.29..1.35 -o changes.html", "A range, as a page"),
        (
            "kubestencil diff old.json new.json --fail-on breaking",
            "Two specs, in CI",
        ),
    ),
    groups={
        "Specs": "spec-dir crds unserved",
        "Which changes": "kind group severity no-docs audience stage baseline",
        "What is used": "used-by cluster context namespace resource",
        "Report": "format output templates fail-on",
    },
)
@click.argument("before", metavar="FROM", shell_complete=complete_release)
@click.argument("after", metavar="TO", shell_complete=complete_release, required=False)
@settings_option("diff")
@document_options
@templates_option
@format_option("diff", ("comparison", "comparison-json"))
@file_option
@texts(
    "--kind kinds",
    "KIND",
    "Only changes of a kind or other type, such as Pod",
    shell_complete=complete_kind,
)
@texts("--group groups", "GROUP", "Only changes of an API group, such as apps or core")
@click.option(
    "--severity",
    "severities",
    multiple=True,
    type=click.Choice(["breaking", "warning", "safe", "docs"]),
    help="Only changes of this severity; may be repeated.",
)
@flag("--no-docs", "Hide description-only changes.")
@click.option(
    "--audience",
    type=click.Choice(["apply", "compile", "controller"]),
    help="Severities for those who apply manifests, who compile a client against the "
    "models, or who write a controller.  [default: the most severe of them]",
)
@click.option(
    "--stage",
    "stages",
    multiple=True,
    type=click.Choice(["alpha", "beta", "ga", "deprecated"]),
    help="Only changes of what is or was at this stage; may be repeated.",
)
@texts(
    "--fail-on",
    "SEVERITY|RULE",
    "Exit 1 if there is a change of this severity (breaking, warning, safe, docs) or a "
    "more severe one, or of this rule, such as deprecated",
)
@text(
    "--used-by manifests",
    "FILE|DIR|-",
    "Only what touches the kinds and fields that these manifests use, with file and line, "
    "and the severities of --audience apply; may be repeated.",
    multiple=True,
)
@cluster_options("Only what touches")
@file_path(
    "--baseline",
    "REPORT",
    "Leave out the changes of an earlier report in JSON (--format json).",
)
@quiet_option
@click.pass_context
def diff(context: click.Context, /, templates: Path | None, **values: Any) -> None:
    """Show what changed between two releases or specs.

    FROM and TO are each a release (1.35) or a spec (a file, an https address, or -
    for standard input). To compare two API versions, add one to each: 1.35/apps/v1,
    1.35/v1, cluster.json#apps/v1. FROM..TO (1.29..1.35) is two releases and those in
    between: the report says what happened in which.
    """
    del templates  # Its formats are values of --format.
    options = DiffOptions(**values)
    quiet, file = options.quiet, options.file
    console.require_folder_of(file)
    _check_fail_on(options.fail_on)
    # "--for --cluster" was how to write --cluster: an option takes the next word.
    paths = tuple(path for path in options.manifests if path != _CLUSTER)
    reader = cluster_reader(
        options.cluster or _CLUSTER in options.manifests,
        options.kube_context,
        options.namespaces,
        options.resources,
    )
    known = _baseline_ids(options.baseline) if options.baseline else frozenset()
    documents = _documents(
        options.before,
        options.after,
        DocumentOptions(options.specs, options.crds, options.unserved),
    )
    console.announce_sources((document.source for document in documents), quiet)
    releases = _load(documents)
    console.show_notes((note for release in releases for note in release.notes), quiet)
    if not quiet:
        _note_reversed_order(releases[0].name, releases[-1].name)
    types: Sequence[TypeMatch] = ()
    if options.kinds or options.groups:
        types = find_kinds(options.kinds, options.groups, comparable(releases))
    uses, gone = (
        _uses(paths, reader, releases, quiet) if paths or reader else (None, ())
    )
    if uses is not None:
        options = _for_manifests(options)

    def selected(comparison: Comparison, gone: Sequence[Change] = ()) -> Comparison:
        if uses is not None:
            comparison = touching(comparison, uses)
            comparison = replace(comparison, notices=(*gone, *comparison.notices))
        new = without(comparison, known) if known else comparison
        return _select(new, types, options)

    versions = documents[0].api_version, documents[-1].api_version
    comparison = selected(_compare(releases[0], releases[-1], versions), gone)
    steps = [
        selected(_compare(old, new, ("", "")))
        for old, new in pairwise(releases)
        if len(releases) > 2
    ]
    chosen = context.get_parameter_source("report_format")
    if not quiet or file is not None or chosen is ParameterSource.COMMANDLINE:
        contexts = comparison_contexts(comparison, steps, paint(file))
        console.write_result(options.report_format.render(contexts), file)
    if _fails(comparison, options.fail_on):
        context.exit(1)


def _for_manifests(options: DiffOptions) -> DiffOptions:
    """The options with what --used-by means by default: the severities for those who apply
    manifests, and no descriptions unless these are asked for."""
    return options._replace(
        audience=options.audience or "apply",
        no_docs=options.no_docs or "docs" not in options.severities,
    )


_WITH_IDS = (
    *("changes", "notices", "graduations"),
    *("gates", "metrics", "flags", "going_soon"),
)


def _baseline_ids(path: Path) -> frozenset[str]:
    """The ids of what a report in JSON has, and its API versions.

    Raises UsageError for anything else.
    """
    try:
        report = json.loads(read_file(str(path)).data)
        graduated = (item["changes"] for item in report["graduations"])
        items = chain(*(report[name] for name in _WITH_IDS), *graduated)
        names = chain(*report["versions"].values())
        return frozenset(chain((str(item["id"]) for item in items), map(str, names)))
    except (OSError, ValueError, LookupError, TypeError, RecursionError) as error:
        raise UsageError(
            "is no report of kubestencil diff in JSON",
            where=str(path),
            hint="make one with --format json",
        ) from error


def _uses(
    paths: Sequence[str],
    cluster: ClusterReader | None,
    releases: Sequence[Release],
    quiet: bool,
) -> tuple[Uses, tuple[Change, ...]]:
    """What manifests and a cluster use, with the removals of kinds that none of the
    releases has; shows a note of how much was read. Raises
    UsageError where that is nothing."""
    # A comparison alone needs nothing of what checks manifests.
    from kubestencil.checking.files.find import find_files
    from kubestencil.checking.files.uses import uses_of_manifests

    files = chain(find_files(paths), cluster.files() if cluster else ())
    found = uses_of_manifests(files, releases)
    gone = tuple(removed_before(found.unknown, releases[-1]))
    unread = [f"not read: {text}" for text in found.unread]
    problems = [*unread, *_unknown(found.unknown, {change.owner for change in gone})]
    if not found.objects and not gone:
        raise UsageError(
            "no object of a kind that is compared",
            where=", ".join(dict.fromkeys((*paths, *((_CLUSTER,) if cluster else ())))),
            hint="; ".join(problems[:_MAX_PROBLEMS])
            or "name files or folders of manifests, or --cluster",
        )
    plural = "" if found.objects == 1 else "s"
    note = f"--used-by: {found.objects} object{plural}, files: {found.files}"
    console.show_notes([note, *problems], quiet)
    return found.uses, gone


def _unknown(
    kinds: Mapping[GroupVersionKind, Sequence[Place]],
    reported: Collection[GroupVersionKind | None],
) -> Iterator[str]:
    """What is said of objects of kinds that none of the releases has, but for those whose
    removal is reported."""
    for kind, places in kinds.items():
        if kind in reported:
            continue
        where = ", ".join(map(str, places[:_MAX_PROBLEMS]))
        more = len(places) - _MAX_PROBLEMS
        yield (
            f"{kind_name(kind)} is in none of the releases: {where}"
            f"{f' and {more} more' if more > 0 else ''}"
        )


def _documents(
    before: str, after: str | None, options: DocumentOptions
) -> list[ComparedDocument]:
    """The documents to compare, oldest first: two, or all of a range of releases."""
    if after is not None:
        documents = find_compared((before, after), options)
        if bool(documents[0].api_version) is not bool(documents[1].api_version):
            raise UsageError(
                "one side is a whole release and the other an API version",
                where=f"diff {before} {after}",
                hint="name an API version on both sides: 1.29/v1 1.35/v1",
            )
        return documents
    if ".." not in before:
        raise UsageError(
            f"{before!r} is compared with nothing",
            hint="name two releases or specs, or a range: 1.29..1.35",
        )
    names = expand_ranges([before], available(options.specs))
    if len(names) < 2:
        raise UsageError(f"the range {before} has one release: {names[0]}")
    return find_compared(names, options)


def _load(documents: Sequence[ComparedDocument]) -> list[Release]:
    """The releases in documents, each parsed once; those that the user did not name
    are called as they call themselves."""
    releases: dict[tuple[str, str], Release] = {}
    for document in documents:
        source = document.source
        # A patch may have the document of its minor version.
        key = source.release, source.origin
        if key not in releases:
            release = load_release(source)
            if document.is_unnamed:
                release = replace(release, name=document_label(release))
            releases[key] = release
    return [
        releases[document.source.release, document.source.origin]
        for document in documents
    ]


def _note_reversed_order(before: str, after: str) -> None:
    if not (is_version(before) and is_version(after)):
        return
    if release_order(before) > release_order(after):
        console.status(
            f"{before} is newer than {after}: additions are shown as removals"
        )


def _select(
    comparison: Comparison, types: Sequence[TypeMatch], options: DiffOptions
) -> Comparison:
    """The part of a comparison that the options ask for."""
    if types:
        comparison = of_types(comparison, types)
    if options.audience is not None:
        comparison = for_audience(comparison, options.audience)
    if options.stages:
        comparison = at_stages(comparison, options.stages)
    severities = [
        severity
        for severity in options.severities or SEVERITIES
        if not (options.no_docs and severity == "docs")
    ]
    return comparison.filter(group=options.groups, severities=severities)


def _check_fail_on(names: Iterable[str]) -> None:
    """Raise UsageError for a name that is neither a severity nor a rule."""
    valid = (*SEVERITIES, *RULES_BY_NAME)
    for name in names:
        if name not in valid:
            raise UsageError(
                f"{name!r} is neither a severity nor a rule",
                where="--fail-on",
                hint=nearest(name, valid),
            )


def _fails(comparison: Comparison, names: Collection[str]) -> bool:
    """Whether there is a change of one of these rules, or a change, gate, metric or flag of
    one of these severities, or of a more severe one."""
    levels = [SEVERITIES.index(name) for name in SEVERITIES if name in names]
    severe = SEVERITIES[: max(levels, default=-1) + 1]
    return any(item.severity in severe for item in comparison.judged) or any(
        change.rule.name in names for change in comparison.all_changes
    )


def _compare(before: Release, after: Release, versions: tuple[str, str]) -> Comparison:
    """Compare two API versions, or whole releases where these are empty."""
    if versions[0]:
        return compare_versions(before, versions[0], after, versions[1])
    return compare(before, after)
