"""The build plan: which trees are current, and which jobs bring the others up to date."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

from kubestencil.build import record, tree
from kubestencil.build.fingerprints import Fingerprinter, with_context
from kubestencil.build.parsed import parse_all
from kubestencil.build.record import Fingerprints, Record
from kubestencil.build.tree import Drift, TreeChange
from kubestencil.engine import Part, Target
from kubestencil.source import Source
from kubestencil.targets import load_multi_release_view

#: Bytes of a document, times the processes that have it. A process takes up to sixteen
#: times as much memory, so that all together stay below 2 GiB.
_MAX_BYTES_IN_PROCESSES = 128 * 2**20


@dataclass(frozen=True, slots=True)
class TreeResult:
    """The result for one folder of generated files, relative to the output folder.

    ``size`` is in bytes; ``kept`` has the paths that are no longer generated, but were
    changed by hand; ``drift`` is set by a check only.
    """

    tree: str
    target: str
    files: int
    size: int
    written: int = 0
    removed: int = 0
    kept: tuple[str, ...] = ()
    seconds: float = 0.0
    drift: Drift | None = None


class FingerprintedTarget(NamedTuple):
    """A target with the fingerprint of what it will be generated from."""

    target: Target
    fingerprint: str


class ReleaseJob(NamedTuple):
    """Generate one release for several targets."""

    source: Source
    targets: tuple[FingerprintedTarget, ...]

    @property
    def label(self) -> str:
        """What a progress bar shows."""
        return self.source.release


class PartJob(NamedTuple):
    """Generate one part of a target of scope ``releases``.

    ``sources`` are the documents of the part's releases, ``context`` is what
    ``Part.context`` returned.
    """

    sources: tuple[Source, ...]
    target: Target
    part: str
    context: object
    fingerprints: Fingerprints

    @property
    def label(self) -> str:
        """What a progress bar shows."""
        return tree_name(self.target.name, self.part)


class RemoveJob(NamedTuple):
    """Remove the files of a part that the target no longer has."""

    target: Target
    tree: str

    @property
    def label(self) -> str:
        """What a progress bar shows."""
        return self.tree


Job = ReleaseJob | PartJob | RemoveJob


class BuildPlan(NamedTuple):
    """What a run will do.

    ``current`` are the trees that need nothing, ``jobs`` generate or remove the others,
    and ``rerecorded`` are trees whose files stay while their fingerprints change.
    """

    current: tuple[TreeResult, ...]
    jobs: tuple[Job, ...]
    rerecorded: tuple[TreeChange, ...]


def limit_processes(sources: Sequence[Source], processes: int) -> int:
    """At most ``processes``; fewer where a document is large, as of a catalogue of
    CustomResourceDefinitions, since each process has all of it in memory."""
    largest = max((source.size for source in sources), default=0)
    return max(1, min(processes, _MAX_BYTES_IN_PROCESSES // max(1, largest)))


def make_plan(
    sources: Sequence[Source],
    targets: Sequence[Target],
    out: Path,
    *,
    read_bytes: bool,
    processes: int,
) -> BuildPlan:
    """Plan a run that generates ``targets`` of ``sources`` into ``out``.

    ``read_bytes`` compares files by content instead of by size and time;
    ``processes`` is how many will share the jobs. Raises SpecError for a document
    that has to be parsed to find out what is current, and is not valid.
    """
    single = [target for target in targets if target.scope == "release"]
    multi = [target for target in targets if target.scope == "releases"]
    fingerprinter = Fingerprinter()
    outcomes: list[_Outcome] = [
        *_plan_releases(sources, single, out, fingerprinter, read_bytes),
        *_plan_parts(sources, multi, out, fingerprinter, read_bytes),
    ]
    release_jobs = [outcome for outcome in outcomes if isinstance(outcome, ReleaseJob)]
    part_jobs = [outcome for outcome in outcomes if isinstance(outcome, PartJob)]
    # What covers several releases takes less time than the pages of one. At the end, it
    # goes to the process that would wait for the others.
    part_jobs.sort(key=lambda job: len(job.sources))
    return BuildPlan(
        current=tuple(outcome for outcome in outcomes if isinstance(outcome, TreeResult)),
        jobs=(
            *part_jobs,
            *_divided(release_jobs, processes),
            *(outcome for outcome in outcomes if isinstance(outcome, RemoveJob)),
        ),
        rerecorded=tuple(outcome for outcome in outcomes if isinstance(outcome, TreeChange)),
    )


_Outcome = TreeResult | TreeChange | ReleaseJob | PartJob | RemoveJob


def _plan_releases(
    sources: Sequence[Source],
    targets: Sequence[Target],
    out: Path,
    fingerprinter: Fingerprinter,
    read_bytes: bool,
) -> Iterator[TreeResult | ReleaseJob]:
    """The outcome for every target of scope ``release``: a job per release with
    something to generate."""
    for source in sources:
        stale: list[FingerprintedTarget] = []
        for target in targets:
            fingerprinted = FingerprintedTarget(
                target, fingerprinter.fingerprint([source], target)
            )
            outcome = plan_tree(source, fingerprinted, out, read_bytes=read_bytes)
            if isinstance(outcome, TreeResult):
                yield outcome
            else:
                stale.append(outcome)
        if stale:
            yield ReleaseJob(source, tuple(stale))


def _plan_parts(
    sources: Sequence[Source],
    targets: Sequence[Target],
    out: Path,
    fingerprinter: Fingerprinter,
    read_bytes: bool,
) -> Iterator[TreeResult | TreeChange | PartJob | RemoveJob]:
    """The outcome for every part of every target of scope ``releases``."""
    for target in targets:
        run_fingerprint = fingerprinter.fingerprint(sources, target)
        parts = list(_parts(sources, target))
        yield from _remove_jobs(parts, target, out)
        for part in parts:
            part_sources = tuple(
                source for source in sources if source.release in part.releases
            )
            fingerprints = Fingerprints(
                fingerprinter.fingerprint(part_sources, target), run_fingerprint
            )
            outcome = plan_part(
                part, part_sources, target, fingerprints, out, read_bytes=read_bytes
            )
            yield outcome
            if isinstance(outcome, TreeChange):
                yield _unchanged(outcome, target)


def plan_tree(
    source: Source, fingerprinted: FingerprintedTarget, out: Path, *, read_bytes: bool
) -> TreeResult | FingerprintedTarget:
    """The result for a tree that is current, else ``fingerprinted``, which is stale."""
    start = time.perf_counter()
    name = tree_name(source.release, fingerprinted.target.name)
    recorded = record.read(out, name)
    if recorded.fingerprints.tree == fingerprinted.fingerprint and tree.is_untouched(
        out, name, recorded, read_bytes=read_bytes
    ):
        return _current(name, fingerprinted.target, recorded, start)
    return fingerprinted


def plan_part(
    part: Part,
    sources: tuple[Source, ...],
    target: Target,
    fingerprints: Fingerprints,
    out: Path,
    *,
    read_bytes: bool,
) -> TreeResult | TreeChange | PartJob:
    """The result for a part that is current, a change where only its recorded
    fingerprints are out of date, else the job that generates it.

    ``sources`` are the documents of the part's releases, ``fingerprints`` those of
    the part without its context. The context is computed only where the documents of
    the run have changed.
    """
    start = time.perf_counter()
    name = tree_name(target.name, part.name)
    recorded = record.read(out, name)
    untouched = partial(tree.is_untouched, out, name, recorded, read_bytes=read_bytes)
    if recorded.fingerprints.run == fingerprints.run and untouched():
        return _current(name, target, recorded, start)
    context = part.context()
    complete = fingerprints._replace(tree=with_context(fingerprints.tree, context))
    if recorded.fingerprints.tree == complete.tree and untouched():
        return tree.rerecord(name, complete, recorded)
    return PartJob(sources, target, part.name, context, complete)


def tree_name(folder: str, name: str) -> str:
    """The path of a tree below the output folder."""
    return f"{folder}/{name}" if name else folder


def _parts(sources: Sequence[Source], target: Target) -> Iterable[Part]:
    names = [source.release for source in sources]
    view = load_multi_release_view(target)
    return view.divide(names, partial(parse_all, sources), target)


def _remove_jobs(
    parts: Iterable[Part], target: Target, out: Path
) -> Iterator[RemoveJob]:
    part_trees = {tree_name(target.name, part.name) for part in parts}
    for name in record.trees_with_files(out, target.name):
        if name not in part_trees:
            yield RemoveJob(target, name)


def _divided(jobs: Sequence[ReleaseJob], processes: int) -> Iterator[ReleaseJob]:
    """One job per release, so that each document is parsed once; the targets of a
    release are divided only where there are fewer releases than processes."""
    if len(jobs) >= processes:
        yield from jobs
        return
    for job in jobs:
        share = -(-len(job.targets) // processes)
        for start in range(0, len(job.targets), share):
            yield ReleaseJob(job.source, job.targets[start : start + share])


def _current(name: str, target: Target, recorded: Record, start: float) -> TreeResult:
    return TreeResult(
        tree=name,
        target=target.name,
        files=len(recorded.files),
        size=sum(state.size for state in recorded.files.values()),
        seconds=time.perf_counter() - start,
    )


def _unchanged(change: TreeChange, target: Target) -> TreeResult:
    """The result for a tree of which only the record changes."""
    return TreeResult(
        tree=change.tree,
        target=target.name,
        files=len(change.files),
        size=change.size,
    )
