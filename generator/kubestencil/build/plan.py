"""The build plan: which trees are current, and which jobs bring the others up to date."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from kubestencil.build import record, tree
from kubestencil.build.fingerprints import fingerprint, inputs, with_context
from kubestencil.build.parsed import parse_all
from kubestencil.build.record import FileState, Fingerprints, Record
from kubestencil.build.share import ALL_TREES, Share, is_of_one, require_trees
from kubestencil.build.tree import Drift, TreeChange
from kubestencil.engine import File, MultiReleaseView, Part, Target
from kubestencil.engine.rendering import has_rule_for
from kubestencil.errors import KubestencilError
from kubestencil.output_paths import check_paths
from kubestencil.schema import Release
from kubestencil.source import Source
from kubestencil.source.releases import is_release_name, newest_of, release_order
from kubestencil.targets import (
    generate_files,
    generate_part,
    load_multi_release_view,
)

#: Bytes of a document, times the processes that have it. A process takes up to sixteen
#: times as much memory, so that all together stay below 2 GiB.
_MAX_BYTES_IN_PROCESSES = 128 * 2**20


@dataclass(frozen=True, slots=True)
class TreeResult:
    """The result for one folder of generated files, relative to the output folder.

    ``size`` is in bytes; ``kept`` has the paths that are no longer generated, but were
    changed by hand; ``damage`` says what of the record of the last run was not used;
    ``renamed`` has the written paths that not every platform could have as they were;
    ``drift`` is set by a check only.
    """

    tree: str
    target: str
    files: int
    size: int
    written: int = 0
    removed: int = 0
    kept: tuple[str, ...] = ()
    renamed: tuple[str, ...] = ()
    damage: str = ""
    drift: Drift | None = None


class StaleTree(NamedTuple):
    """A tree that a job brings up to date.

    ``fingerprints`` are those of what it will be generated from, and ``generate``
    returns its files, from the releases of the job. ``can_have`` is whether a rule of the
    target can give a path to a file.
    """

    tree: str
    target: str
    fingerprints: Fingerprints
    generate: Callable[[Sequence[Release]], Iterable[File]]
    can_have: Callable[[str], bool]


class Job(NamedTuple):
    """What one process does at a time: several trees of the same documents.

    ``label`` is what a progress bar shows.
    """

    label: str
    sources: tuple[Source, ...]
    trees: tuple[StaleTree, ...]


class BuildRequest(NamedTuple):
    """Targets to generate, of documents; those of scope ``releases`` also have the
    releases of ``covered``."""

    sources: Sequence[Source]
    targets: Sequence[Target]
    covered: Sequence[Source] = ()


class BuildPlan(NamedTuple):
    """What a run will do.

    ``current`` are the trees that need nothing, ``jobs`` generate or remove the others,
    and ``rerecorded`` are trees whose files stay while their fingerprints change.
    """

    current: tuple[TreeResult, ...]
    jobs: tuple[Job, ...]
    rerecorded: tuple[TreeChange, ...]


def limit_processes(requests: Iterable[BuildRequest], processes: int) -> int:
    """At most ``processes``; fewer where a document is large, as of a catalogue of
    CustomResourceDefinitions, since each process has all of it in memory."""
    sources = (source for request in requests for source in request.sources)
    largest = max((source.size for source in sources), default=0)
    return max(1, min(processes, _MAX_BYTES_IN_PROCESSES // max(1, largest)))


def make_plan(
    requests: Iterable[BuildRequest],
    out: Path,
    *,
    read_bytes: bool,
    processes: int,
    layout: str = "",
    share: Share = ALL_TREES,
) -> BuildPlan:
    """Plan a run that generates what is requested into ``out``, in that order: all trees,
    or a ``share`` of them.

    ``layout`` is the folder of a target, with ``{release}`` and ``{target}``, if not the
    usual one. ``read_bytes`` compares files by content instead of by size and time;
    ``processes`` is how many will share the jobs. Raises SpecError for a document
    that has to be parsed to find out what is current, and is not valid, OutputError
    where ``out`` or a folder of a target cannot be written, and where the last share needs
    trees that are not there.
    """
    record.check_output(out)
    plans = [
        _plan_request(request, out, read_bytes, processes, layout, share)
        for request in requests
    ]
    return BuildPlan(
        *(tuple(chain.from_iterable(items)) for items in zip(*plans, strict=True))
    )


def _plan_request(
    request: BuildRequest,
    out: Path,
    read_bytes: bool,
    processes: int,
    layout: str,
    share: Share,
) -> BuildPlan:
    sources, targets, covered = request
    current: list[TreeResult] = []
    release_jobs: list[Job] = []
    part_jobs: list[Job] = []
    removals: list[Job] = []
    rerecorded: list[TreeChange] = []
    missing: list[str] = []
    newest = newest_of([source.release for source in sources])
    for source in sources:
        stale: list[StaleTree] = []
        for target in targets:
            if target.scope == "release" and not (
                target.newest_only and source.release != newest
            ):
                name = _folder(layout, target, source.release)
                if share.skips(name):
                    continue
                fingerprints = Fingerprints(
                    fingerprint([source], target),
                    inputs=inputs([source], target),
                )
                tree_or_result = plan_tree(name, target, fingerprints, out, read_bytes)
                if isinstance(tree_or_result, TreeResult):
                    current.append(tree_or_result)
                elif share.is_last:
                    missing.append(name)
                else:
                    stale.append(tree_or_result)
        if stale:
            release_jobs.append(Job(source.release, (source,), tuple(stale)))
    if covered:
        sources = sorted(
            (*sources, *covered), key=lambda source: release_order(source.release)
        )
    for target in targets:
        if target.scope != "releases":
            continue
        run_fingerprint = fingerprint(sources, target)
        view = load_multi_release_view(target)
        names = [source.release for source in sources]
        parts = list(view.divide(names, partial(parse_all, sources), target))
        folder = _folder(layout, target)
        removed = _removals(parts, view, target, folder, out)
        for removal in removed if share.has_joint_trees else ():
            if isinstance(removal, Job):
                removals.append(removal)
            else:
                current.append(removal)
        for part in parts:
            name = tree_name(folder, part.name)
            if share.skips_part(name, part):
                continue
            documents = tuple(
                source for source in sources if source.release in part.releases
            )
            fingerprints = Fingerprints(
                fingerprint(documents, target),
                run_fingerprint,
                inputs(documents, target),
            )
            outcome = plan_part(
                name, part, documents, target, fingerprints, out, read_bytes
            )
            if isinstance(outcome, Job) and share.is_last and is_of_one(part):
                missing.append(name)
            elif isinstance(outcome, Job):
                part_jobs.append(outcome)
            elif isinstance(outcome, TreeChange):
                rerecorded.append(outcome)
                current.append(_unchanged(outcome.tree, target, outcome.files))
            else:
                current.append(outcome)
    require_trees(missing, str(out))
    # What covers several releases takes less time than the pages of one. At the end, it
    # goes to the process that would wait for the others.
    part_jobs.sort(key=lambda job: len(job.sources))
    jobs = (*part_jobs, *_divided(release_jobs, processes), *removals)
    return BuildPlan(tuple(current), jobs, tuple(rerecorded))


def _folder(layout: str, target: Target, release: str = "") -> str:
    """The folder of a target, or of a target of a release."""
    if layout:
        return layout.replace("{release}", release).replace("{target}", target.name)
    return f"{release}/{target.name}" if release else target.name


def plan_tree(
    name: str,
    target: Target,
    fingerprints: Fingerprints,
    out: Path,
    read_bytes: bool,
) -> TreeResult | StaleTree:
    """The result for a tree of one release that is current, else what generates it."""
    check_paths(out, [f"{name}/file"])
    recorded = record.read(out, name)
    if recorded.fingerprints.tree == fingerprints.tree and tree.is_untouched(
        out, name, recorded, read_bytes=read_bytes
    ):
        return _unchanged(name, target, recorded.files)
    generate = partial(_generate_release, target)
    return _stale(name, target, fingerprints, generate)


def plan_part(
    name: str,
    part: Part,
    sources: tuple[Source, ...],
    target: Target,
    fingerprints: Fingerprints,
    out: Path,
    read_bytes: bool,
) -> TreeResult | TreeChange | Job:
    """The result for a part that is current, a change where only its recorded
    fingerprints are out of date, else the job that generates it.

    ``sources`` are the documents of the part's releases, ``fingerprints`` those of
    the part without its context. The context is computed only where the documents of
    the run have changed.
    """
    check_paths(out, [f"{name}/file"])
    recorded = record.read(out, name)
    untouched = partial(tree.is_untouched, out, name, recorded, read_bytes=read_bytes)
    if recorded.fingerprints.run == fingerprints.run and untouched():
        return _unchanged(name, target, recorded.files)
    context = part.context()
    complete = fingerprints._replace(tree=with_context(fingerprints.tree, context))
    if recorded.fingerprints.tree == complete.tree and untouched():
        return TreeChange(name, complete, recorded.files, {}, (), ())
    generate = partial(generate_part, part.name, context=context, target=target)
    return Job(name, sources, (_stale(name, target, complete, generate),))


def _stale(
    name: str,
    target: Target,
    fingerprints: Fingerprints,
    generate: Callable[[Sequence[Release]], Iterable[File]],
) -> StaleTree:
    can_have = partial(has_rule_for, target)
    return StaleTree(name, target.name, fingerprints, generate, can_have)


def _generate_release(target: Target, releases: Sequence[Release]) -> Iterable[File]:
    [release] = releases
    return generate_files(release, target)


def _generate_nothing(_: Sequence[Release]) -> Iterable[File]:
    return ()


def tree_name(folder: str, name: str) -> str:
    """The path of a tree below the output folder."""
    return f"{folder}/{name}" if name else folder


def _removals(
    parts: Iterable[Part],
    view: MultiReleaseView,
    target: Target,
    folder: str,
    out: Path,
) -> Iterator[Job | TreeResult]:
    """Jobs that remove the files of parts that the target no longer has, and the results
    for records that are of no part."""
    part_trees = {tree_name(folder, part.name) for part in parts}
    for name in record.trees_inside(out, folder):
        recorded = record.read(out, name)
        if name in part_trees or not (recorded.files or recorded.damage):
            continue
        releases = [name for name in recorded.fingerprints.inputs if name]
        if not recorded.damage and name in _trees_of(releases, view, target, folder):
            gone = _stale(name, target, Fingerprints(), _generate_nothing)
            yield Job(name, (), (gone,))
        else:
            unknown = Record(damage="is of nothing that the target makes")
            damage = recorded.why_unused or unknown.why_unused
            yield TreeResult(name, target.name, 0, 0, damage=damage)


def _trees_of(
    releases: Sequence[str], view: MultiReleaseView, target: Target, folder: str
) -> Iterator[str]:
    """The trees of the parts that a target has of some releases, and of these alone."""
    if not all(map(is_release_name, releases)):
        return
    try:
        parts = list(view.divide(releases, tuple, target))
    except KubestencilError:
        return
    for part in parts:
        if {*part.releases} == {*releases}:
            yield tree_name(folder, part.name)


def _divided(jobs: Sequence[Job], processes: int) -> Iterator[Job]:
    """One job per release, so that each document is parsed once; the targets of a
    release are divided only where there are fewer releases than processes."""
    for job in jobs:
        count = len(job.trees)
        share = count if len(jobs) >= processes else -(-count // processes)
        for start in range(0, count, share):
            yield job._replace(trees=job.trees[start : start + share])


def _unchanged(name: str, target: Target, files: Mapping[str, FileState]) -> TreeResult:
    """The result for a tree whose files stay."""
    return TreeResult(
        tree=name,
        target=target.name,
        files=len(files),
        size=sum(state.size for state in files.values()),
    )
