"""Runs a build: renders or checks targets of releases in an output folder.

Everything is rendered and staged before the first file moves into place, so that a
failure anywhere leaves the output folder unchanged. Jobs run in several processes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TypeVar

from kubestencil.build import record, tree
from kubestencil.build.fingerprints import input_text
from kubestencil.build.parsed import parse_shared, parsed_release
from kubestencil.build.plan import (
    BuildRequest,
    Job,
    StaleTree,
    TreeResult,
    limit_processes,
    make_plan,
)
from kubestencil.build.share import ALL_TREES, Share
from kubestencil.build.tree import TreeChange
from kubestencil.engine import File, Target
from kubestencil.engine.run_cache import clear_build_caches
from kubestencil.errors import OutputError
from kubestencil.file_names import is_renamed
from kubestencil.processes.interrupts import interrupts_delayed
from kubestencil.processes.parallel import parallel_map
from kubestencil.schema import UnknownKeyword
from kubestencil.source import Source, available, locate
from kubestencil.source.find import DocumentOptions

#: Called as jobs finish: how many are done, of how many, and the label of the last.
Progress = Callable[[int, int, str], None]
Item = TypeVar("Item")


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
    requests: Sequence[BuildRequest],
    out: Path,
    *,
    jobs: int,
    overwrite: bool = False,
    prune: bool = False,
    layout: str = "",
    share: Share = ALL_TREES,
    progress: Progress = ignore_progress,
) -> Summary:
    """Generate targets of scope ``release`` into ``<out>/<release>/<target>/``, and those
    of scope ``releases`` into ``<out>/<target>/``, or all where ``layout`` says.

    Requests share the processes: what takes longest comes first. Files of a tree that had
    other releases, limits or options are removed only with ``prune``. Where machines
    ``share`` an output folder, each makes its trees, at the same time. Raises SpecError,
    TargetError or OutputError, in which case the output folder is unchanged.
    """
    clear_build_caches()
    jobs = limit_processes(requests, jobs)
    plan_now = partial(
        make_plan,
        requests,
        out,
        read_bytes=False,
        processes=jobs,
        layout=layout,
        share=share,
    )
    last_change = record.last_change(out)
    plan = plan_now()
    if not plan.jobs and not plan.rerecorded:
        if share.has_joint_trees:
            tree.remove_left_behind(out)
        return Summary(plan.current, ())
    with tree.staging_folder(out, share.shard) as staging:
        # Another run may have finished while this one waited for the lock.
        if record.last_change(out) != last_change:
            plan = plan_now()
        stage = partial(_stage, out=out, staging=staging, overwrite=overwrite)
        results = _run_jobs(stage, plan.jobs, jobs, progress)
        changes = [change for _, changes in results for change in changes]
        if not prune:
            _refuse_losses(out, changes, is_project=bool(layout))
        with interrupts_delayed():
            for change in (*plan.rerecorded, *changes):
                tree.commit(out, change)
    return _total(plan.current, results)


def find_covered(
    sources: Iterable[Source],
    targets: Iterable[Target],
    out: Path,
    options: DocumentOptions,
) -> list[Source]:
    """The releases that earlier runs of ``targets`` covered, besides ``sources``, so that
    the site and the reports keep them: those whose document is found again, unchanged.
    """
    names = {source.release for source in sources}
    recorded = {
        name: text
        for target in targets
        if target.scope == "releases"
        for name, text in record.inputs(out, target.name).items()
        if name and name not in names
    }
    known = recorded.keys() & available(options.specs).keys()
    plain = [locate(name, options.specs) for name in sorted(known)]
    return [
        source
        for source in dict.fromkeys((*plain, *options.complete(plain)))
        if input_text(source) == recorded[source.release]
    ]


def _refuse_losses(
    out: Path, changes: Iterable[TreeChange], *, is_project: bool
) -> None:
    """Raise OutputError where files would be removed that this run makes no more."""
    losses = [
        f"\n  {out / change.tree}: {len(change.removed)} files, such as {change.removed[0]}"
        for change in changes
        if change.loses_files
    ]
    if losses:
        raise OutputError(
            "files of an earlier run would be removed, which had other releases, limits "
            f"or options:{''.join(losses)}",
            where=str(out),
            hint=(
                "kubestencil update replaces them, and says what changed; --prune "
                "only removes them"
                if is_project
                else "repeat what that run had, choose another folder with -o, or pass "
                "--prune to remove them"
            ),
        )


def check(
    requests: Sequence[BuildRequest],
    out: Path,
    *,
    jobs: int,
    layout: str = "",
    share: Share = ALL_TREES,
    progress: Progress = ignore_progress,
) -> Summary:
    """Compare what would be generated with the output folder; write nothing.

    Raises as ``render`` does.
    """
    clear_build_caches()
    jobs = limit_processes(requests, jobs)
    plan = make_plan(
        requests, out, read_bytes=True, processes=jobs, layout=layout, share=share
    )
    results = _run_jobs(partial(_compare, out=out), plan.jobs, jobs, progress)
    return _total(plan.current, results)


#: What is done with the files of a tree: the result, and the change to commit, if any.
_Output = Callable[[StaleTree, Iterable[File]], tuple[TreeResult, TreeChange | None]]
#: What a job did, and the changes to commit.
_JobResult = tuple[Summary, list[TreeChange]]


def _run_jobs(
    output: _Output, jobs: Sequence[Job], count: int, progress: Progress
) -> list[_JobResult]:
    """The results of ``jobs``, from up to ``count`` processes, which have read what the
    jobs share."""
    count = min(count, len(jobs))
    if count > 1:
        parse_shared(job.sources for job in jobs)
    results: list[_JobResult] = []
    progress(0, len(jobs), "")
    with parallel_map(partial(_run_job, output), jobs, count) as finished:
        for job, result in zip(jobs, finished, strict=True):
            results.append(result)
            progress(len(results), len(jobs), job.label)
    return results


def _run_job(output: _Output, job: Job) -> _JobResult:
    releases = [parsed_release(source) for source in job.sources]
    results: list[TreeResult] = []
    changes: list[TreeChange] = []
    for stale in job.trees:
        # Files are generated as they are read.
        result, change = output(stale, stale.generate(releases))
        results.append(result)
        changes += [change] if change else []
    keywords = (
        (release.name, keyword)
        for release in releases
        for keyword in release.unknown_keywords
    )
    notes = (note for release in releases for note in release.notes)
    return Summary(tuple(results), tuple(keywords), tuple(notes)), changes


def _stage(
    stale: StaleTree,
    files: Iterable[File],
    *,
    out: Path,
    staging: Path,
    overwrite: bool,
) -> tuple[TreeResult, TreeChange]:
    change = tree.stage(
        out,
        stale.tree,
        stale.fingerprints,
        files,
        staging,
        overwrite=overwrite,
        can_have=stale.can_have,
    )
    result = TreeResult(
        tree=stale.tree,
        target=stale.target,
        files=len(change.files),
        size=sum(state.size for state in change.files.values()),
        written=len(change.staged),
        removed=len(change.removed),
        kept=change.kept,
        renamed=tuple(filter(is_renamed, change.staged)),
        damage=change.damage,
    )
    return result, change


def _compare(
    stale: StaleTree, files: Iterable[File], *, out: Path
) -> tuple[TreeResult, None]:
    files = list(files)
    drift = tree.compare(out, stale.tree, files, stale.can_have)
    size = sum(len(file.data) for file in files)
    result = TreeResult(stale.tree, stale.target, len(files), size, drift=drift or None)
    return result, None


def _total(current: tuple[TreeResult, ...], results: Iterable[_JobResult]) -> Summary:
    summaries = [Summary(current, ()), *(summary for summary, _ in results)]
    return Summary(
        tuple(result for summary in summaries for result in summary.trees),
        _each_once(summary.unknown_keywords for summary in summaries),
        _each_once(summary.notes for summary in summaries),
    )


def _each_once(groups: Iterable[tuple[Item, ...]]) -> tuple[Item, ...]:
    return tuple(dict.fromkeys(chain.from_iterable(groups)))
