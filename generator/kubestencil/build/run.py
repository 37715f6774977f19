"""Runs a build: renders or checks targets of releases in an output folder.

Everything is rendered and staged before the first file moves into place, so that a
failure anywhere leaves the output folder unchanged. Jobs run in several processes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

from kubestencil.build import record, tree
from kubestencil.build.interrupts import interrupts_delayed
from kubestencil.build.parallel import parallel_map
from kubestencil.build.parsed import parse_shared, parsed_release
from kubestencil.build.plan import (
    Job,
    PartJob,
    RemoveJob,
    TreeResult,
    limit_processes,
    make_plan,
    tree_name,
)
from kubestencil.build.record import Fingerprints
from kubestencil.build.tree import TreeChange
from kubestencil.engine import File, Target
from kubestencil.engine.run_cache import clear_run_caches
from kubestencil.schema import Release, UnknownKeyword
from kubestencil.source import Source
from kubestencil.targets import generate_files, generate_part

#: Called as jobs finish: how many are done, of how many, and the label of the last.
Progress = Callable[[int, int, str], None]


def ignore_progress(done: int, total: int, label: str) -> None:
    """Show no progress."""


@dataclass(frozen=True, slots=True)
class Summary:
    """The outcome of a run.

    ``unknown_keywords`` has the schema keywords that kubestencil does not support, each
    with the release that uses it, ``notes`` are lines about how the documents were
    read. Both are of the documents that had to be read.
    """

    trees: tuple[TreeResult, ...]
    unknown_keywords: tuple[tuple[str, UnknownKeyword], ...]
    notes: tuple[str, ...] = ()


def render(
    sources: Sequence[Source],
    targets: Sequence[Target],
    out: Path,
    *,
    jobs: int,
    overwrite: bool = False,
    progress: Progress = ignore_progress,
) -> Summary:
    """Generate targets of scope ``release`` into ``<out>/<release>/<target>/``, and those
    of scope ``releases`` into ``<out>/<target>/``.

    Raises SpecError, TargetError or OutputError, in which case the output folder is
    unchanged.
    """
    clear_run_caches()
    jobs = limit_processes(sources, jobs)
    plan_now = partial(
        make_plan, sources, targets, out, read_bytes=False, processes=jobs
    )
    records_at_planning = record.modification_times(out)
    plan = plan_now()
    if not plan.jobs and not plan.rerecorded:
        return Summary(plan.current, ())
    with tree.staging_folder(out) as staging:
        # Another run may have finished while this one waited for the lock.
        if record.modification_times(out) != records_at_planning:
            plan = plan_now()
        work = partial(_stage_job, out=out, staging=staging, overwrite=overwrite)
        with _results(work, plan.jobs, jobs) as generated:
            results = _collect(generated, plan.jobs, progress)
            changes = [change for result in results for change in result.changes]
        with interrupts_delayed():
            for change in (*plan.rerecorded, *changes):
                tree.commit(out, change)
    return _summary(plan.current, results)


def check(
    sources: Sequence[Source],
    targets: Sequence[Target],
    out: Path,
    *,
    jobs: int,
    progress: Progress = ignore_progress,
) -> Summary:
    """Compare what would be generated with the output folder; write nothing.

    Raises as ``render`` does.
    """
    clear_run_caches()
    jobs = limit_processes(sources, jobs)
    plan = make_plan(sources, targets, out, read_bytes=True, processes=jobs)
    with _results(partial(_check_job, out=out), plan.jobs, jobs) as compared:
        results = _collect(compared, plan.jobs, progress)
    return _summary(plan.current, results)


class _JobResult(NamedTuple):
    """The trees that a job generated, how they change, and, of its releases, the
    unknown keywords and the notes."""

    trees: tuple[TreeResult, ...]
    changes: tuple[TreeChange, ...]
    unknown_keywords: tuple[tuple[str, UnknownKeyword], ...]
    notes: tuple[str, ...]


class _TreeOutput(NamedTuple):
    """A tree that a job generates: its name, its fingerprints, and its files."""

    tree: str
    target: str
    fingerprints: Fingerprints
    files: Iterable[File]


def _results(
    work: Callable[[Job], _JobResult], jobs: Sequence[Job], count: int
) -> AbstractContextManager[Iterator[_JobResult]]:
    """The results of ``jobs``, from up to ``count`` processes, which have read what the
    jobs share."""
    count = min(count, len(jobs))
    if count > 1:
        parse_shared(_sources(job) for job in jobs)
    return parallel_map(work, jobs, count)


def _sources(job: Job) -> Sequence[Source]:
    if isinstance(job, RemoveJob):
        return ()
    return job.sources if isinstance(job, PartJob) else (job.source,)


def _collect(
    results: Iterable[_JobResult], jobs: Sequence[Job], progress: Progress
) -> list[_JobResult]:
    collected: list[_JobResult] = []
    progress(0, len(jobs), "")
    for job, result in zip(jobs, results, strict=True):
        collected.append(result)
        progress(len(collected), len(jobs), job.label)
    return collected


def _stage_job(job: Job, *, out: Path, staging: Path, overwrite: bool) -> _JobResult:
    results: list[TreeResult] = []
    changes: list[TreeChange] = []
    outputs, releases = _outputs(job)
    for output in outputs:
        start = time.perf_counter()
        change = tree.stage(
            out,
            output.tree,
            output.fingerprints,
            ((file.path, file.data) for file in output.files),
            staging,
            overwrite=overwrite,
        )
        changes.append(change)
        results.append(
            TreeResult(
                tree=output.tree,
                target=output.target,
                files=len(change.files),
                size=change.size,
                written=len(change.staged),
                removed=len(change.removed),
                kept=change.kept,
                seconds=time.perf_counter() - start,
            )
        )
    return _result(results, changes, releases)


def _check_job(job: Job, *, out: Path) -> _JobResult:
    results: list[TreeResult] = []
    outputs, releases = _outputs(job)
    for output in outputs:
        start = time.perf_counter()
        files = [(file.path, file.data) for file in output.files]
        drift = tree.compare(out, output.tree, files)
        results.append(
            TreeResult(
                tree=output.tree,
                target=output.target,
                files=len(files),
                size=sum(len(data) for _, data in files),
                seconds=time.perf_counter() - start,
                drift=drift if drift else None,
            )
        )
    return _result(results, (), releases)


def _result(
    trees: Iterable[TreeResult],
    changes: Iterable[TreeChange],
    releases: Iterable[Release],
) -> _JobResult:
    releases = list(releases)
    return _JobResult(
        tuple(trees),
        tuple(changes),
        tuple(
            (release.name, keyword)
            for release in releases
            for keyword in release.unknown_keywords
        ),
        tuple(note for release in releases for note in release.notes),
    )


def _outputs(job: Job) -> tuple[list[_TreeOutput], Sequence[Release]]:
    """The trees of a job, whose files are generated as they are read, and its
    releases."""
    if isinstance(job, RemoveJob):
        return [_TreeOutput(job.tree, job.target.name, Fingerprints(), ())], ()
    if isinstance(job, PartJob):
        name = job.target.name
        releases = [parsed_release(source) for source in job.sources]
        files = generate_part(job.part, releases, job.context, job.target)
        output = _TreeOutput(tree_name(name, job.part), name, job.fingerprints, files)
        return [output], releases
    release = parsed_release(job.source)
    outputs = [
        _TreeOutput(
            tree_name(release.name, fingerprinted.target.name),
            fingerprinted.target.name,
            Fingerprints(fingerprinted.fingerprint),
            generate_files(release, fingerprinted.target),
        )
        for fingerprinted in job.targets
    ]
    return outputs, [release]


def _summary(current: tuple[TreeResult, ...], results: Sequence[_JobResult]) -> Summary:
    keywords = (item for result in results for item in result.unknown_keywords)
    return Summary(
        trees=current + tuple(tree for result in results for tree in result.trees),
        unknown_keywords=tuple(dict.fromkeys(keywords)),
        notes=tuple(
            dict.fromkeys(note for result in results for note in result.notes)
        ),
    )
