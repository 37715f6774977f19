"""The run: releases x targets, from sources to the output folder.

Everything is printed and staged before the first file moves into place, so that a
mistake anywhere leaves the output folder as it was. Releases are printed side by
side in processes of their own.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import generator
from generator import output
from generator.errors import KubestencilError
from generator.model import Release, UnknownKeyword, parse, validate
from generator.source import Source
from generator.target import Target, print_files

#: Targets, each with the digest of what decides how it is printed (``inputs``).
Decided = tuple[tuple[Target, str], ...]

#: A source, and the targets of it that have to be printed.
Stale = tuple[Source, Decided]


@dataclass(frozen=True, slots=True)
class Job:
    """One release to be printed as several targets into ``out``."""

    source: Source
    targets: Decided
    out: Path
    stage: Path
    overwrite: bool


@dataclass(frozen=True, slots=True)
class Reports:
    """What changed between several releases, to be printed into ``out``.

    ``templates`` are the folders with the templates.
    """

    sources: tuple[Source, ...]
    templates: tuple[Path, ...]
    out: Path
    stage: Path
    overwrite: bool


@dataclass(frozen=True, slots=True)
class Tree:
    """What became of one target of one release: counts, bytes, seconds.

    The reports are of no one release, and have an empty name for it.
    """

    release: str
    target: str
    files: int
    size: int
    written: int
    removed: int
    kept: tuple[str, ...]
    seconds: float
    drift: output.Drift | None = None


@dataclass(frozen=True, slots=True)
class Summary:
    """A finished run: its trees, and what the model did not know in a release."""

    trees: tuple[Tree, ...]
    unknown: tuple[tuple[str, UnknownKeyword], ...]


@dataclass(frozen=True, slots=True)
class _Result:
    trees: tuple[Tree, ...]
    plans: tuple[output.Plan, ...]
    unknown: tuple[tuple[str, UnknownKeyword], ...]


#: The folder of the reports, beside those of the releases.
REPORTS = "diff"

#: Called with each release that has been printed.
Progress = Callable[[str], None]

_Unknown = tuple[str, UnknownKeyword]

#: ``map``, in this process or over several.
Run = Callable[[Callable[[Any], Any], Iterable[Any]], Iterator[Any]]


def render(
    sources: Sequence[Source],
    targets: Sequence[Target],
    out: Path,
    *,
    jobs: int,
    overwrite: bool,
    progress: Progress,
    reports: tuple[Path, ...] = (),
) -> Summary:
    """Print every target of every source into ``<out>/<release>/<target>/``.

    With the folders of ``reports``, which hold their templates, what changed between
    the sources is printed into ``<out>/diff/``.
    Raises what stands in the way (SpecError, TargetError, OutputError), and then
    the output folder is as it was.
    """
    known = _known(sources, targets, reports, out, read_bytes=False)
    if not known.stale and not known.reports:
        return Summary(known.current, ())
    with output.workspace(out) as stage:
        work = _work(known, sources, out, stage, jobs=jobs, overwrite=overwrite)
        with _workers(min(jobs, len(work))) as run:
            results = _each(run, _print, work, progress)
            plans = [plan for result in results for plan in result.plans]
            for _ in run(partial(output.commit, out), plans):
                pass
    return _summary(known.current, results)


def check(
    sources: Sequence[Source],
    targets: Sequence[Target],
    out: Path,
    *,
    jobs: int,
    progress: Progress,
    reports: tuple[Path, ...] = (),
) -> Summary:
    """Compare what would be printed with what is there; write nothing."""
    known = _known(sources, targets, reports, out, read_bytes=True)
    work = _work(known, sources, out, out, jobs=jobs, overwrite=False)
    with _workers(min(jobs, len(work))) as run:
        results = _each(run, _compare, work, progress)
    return _summary(known.current, results)


def inputs(source: Source, target: Target) -> str:
    """The digest of everything that decides what a tree is printed like."""
    parts: list[str] = [
        generator.__version__,
        _digest_of(str(Path(generator.__file__).parent), "*.py"),
        *(_digest_of(str(folder), "*") for folder in target.folders),
        *(_digest_of(str(each), "*") for each in _shared(target.roots)),
        *(_digest_of(each, "*") for each in _read(target)),
        source.release,
        source.origin,
        source.sha256,
        repr(sorted(target.options.items())),
    ]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def report_inputs(sources: Sequence[Source], templates: Sequence[Path]) -> str:
    """The digest of everything that decides what the reports are printed like."""
    parts = [
        generator.__version__,
        _digest_of(str(Path(generator.__file__).parent), "*.py"),
        *(_digest_of(str(folder), "*") for folder in templates),
        *(part for each in sources for part in (each.release, each.sha256)),
    ]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def load(source: Source) -> Release:
    """The release in a source, parsed and known to be valid OpenAPI."""
    release = parse(source)
    validate(release)
    return release


@dataclass(frozen=True, slots=True)
class _Known:
    """What a run finds: the trees that are what they would become, the targets of
    each source that are not, and the templates of the reports if those are not."""

    current: tuple[Tree, ...]
    stale: tuple[Stale, ...]
    reports: tuple[Path, ...]


def _known(
    sources: Sequence[Source],
    targets: Sequence[Target],
    reports: tuple[Path, ...],
    out: Path,
    *,
    read_bytes: bool,
) -> _Known:
    current: list[Tree] = []
    stale: list[Stale] = []

    def is_current(release: str, target: str, decided_by: str) -> bool:
        start = time.perf_counter()
        tree = _tree(release, target)
        known = output.is_current(out, tree, decided_by, read_bytes=read_bytes)
        if known is not None:
            current.append(_current(release, target, known, start))
        return known is not None

    for source in sources:
        decided = [(target, inputs(source, target)) for target in targets]
        old = [
            (target, decided_by)
            for target, decided_by in decided
            if not is_current(source.release, target.name, decided_by)
        ]
        if old:
            stale.append((source, tuple(old)))
    if reports and is_current("", REPORTS, report_inputs(sources, reports)):
        reports = ()
    return _Known(tuple(current), tuple(stale), reports)


def _work(
    known: _Known,
    sources: Sequence[Source],
    out: Path,
    stage: Path,
    *,
    jobs: int,
    overwrite: bool,
) -> list[Job | Reports]:
    work: list[Job | Reports] = [
        Job(source, some, out, stage, overwrite)
        for source, some in _chunks(known.stale, jobs)
    ]
    if known.reports:
        # The longest piece of work comes first, so that none waits for it.
        told = Reports(tuple(sources), known.reports, out, stage, overwrite)
        work.insert(0, told)
    return work


def _current(release: str, target: str, known: output.Record, start: float) -> Tree:
    return Tree(
        release=release,
        target=target,
        files=len(known.files),
        size=sum(seen.size for seen in known.files.values()),
        written=0,
        removed=0,
        kept=(),
        seconds=time.perf_counter() - start,
    )


def _chunks(stale: Sequence[Stale], jobs: int) -> Iterator[Stale]:
    """The work in pieces: a release each, so that a spec is parsed once; targets
    apart only where there are fewer releases than processes."""
    if len(stale) >= jobs:
        yield from stale
        return
    for source, targets in stale:
        share = -(-len(targets) // jobs)
        for start in range(0, len(targets), share):
            yield source, targets[start : start + share]


def _each(
    run: Run,
    function: Callable[[Job | Reports], _Result],
    work: list[Job | Reports],
    progress: Progress,
) -> list[_Result]:
    results: list[_Result] = []
    for job, result in zip(work, run(function, work), strict=True):
        results.append(result)
        if isinstance(job, Job):
            progress(job.source.release)
    return results


@contextmanager
def _workers(count: int) -> Iterator[Run]:
    """A ``map`` over up to ``count`` processes, or over none of its own for one."""
    if count < 2:
        yield map
        return
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    with ProcessPoolExecutor(count) as pool:
        try:
            yield pool.map
        except BrokenProcessPool as error:
            raise KubestencilError(
                "a process of the run was killed",
                hint="the machine may be short of memory: try --jobs 1",
            ) from error
        finally:
            pool.shutdown(cancel_futures=True)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A tree to be printed: what decides it, and its files."""

    release: str
    target: str
    inputs: str
    files: Iterable[tuple[str, bytes]]


def _wanted(job: Job | Reports) -> tuple[list[_Wanted], tuple[_Unknown, ...]]:
    """The trees of a job, and what the model did not know in its release."""
    if isinstance(job, Reports):
        from generator.diff.report import report_files

        releases = [load(source) for source in job.sources]
        known = report_inputs(job.sources, job.templates)
        files = report_files(releases, job.templates)
        return [_Wanted("", REPORTS, known, files)], ()
    release = load(job.source)
    wanted = [
        _Wanted(
            release.name,
            target.name,
            decided_by,
            ((file.path, file.data) for file in print_files(release, target)),
        )
        for target, decided_by in job.targets
    ]
    return wanted, tuple((release.name, keyword) for keyword in release.unknown)


def _print(job: Job | Reports) -> _Result:
    trees: list[Tree] = []
    plans: list[output.Plan] = []
    found, unknown = _wanted(job)
    for wanted in found:
        start = time.perf_counter()
        plan = output.stage(
            job.out,
            _tree(wanted.release, wanted.target),
            wanted.inputs,
            wanted.files,
            job.stage,
            overwrite=job.overwrite,
        )
        plans.append(plan)
        trees.append(
            Tree(
                release=wanted.release,
                target=wanted.target,
                files=len(plan.files),
                size=plan.size,
                written=len(plan.staged),
                removed=len(plan.removed),
                kept=plan.kept,
                seconds=time.perf_counter() - start,
            )
        )
    return _Result(tuple(trees), tuple(plans), unknown)


def _compare(job: Job | Reports) -> _Result:
    trees: list[Tree] = []
    found, unknown = _wanted(job)
    for wanted in found:
        start = time.perf_counter()
        files = list(wanted.files)
        tree = _tree(wanted.release, wanted.target)
        drift = output.compare(job.out, tree, files)
        trees.append(
            Tree(
                release=wanted.release,
                target=wanted.target,
                files=len(files),
                size=sum(len(data) for _, data in files),
                written=0,
                removed=0,
                kept=(),
                seconds=time.perf_counter() - start,
                drift=drift if drift else None,
            )
        )
    return _Result(tuple(trees), (), unknown)


def _summary(current: tuple[Tree, ...], results: list[_Result]) -> Summary:
    return Summary(
        trees=current + tuple(tree for each in results for tree in each.trees),
        unknown=tuple(dict.fromkeys(item for each in results for item in each.unknown)),
    )


def _tree(release: str, target: str) -> str:
    return f"{release}/{target}" if release else target


@cache
def _shared(roots: tuple[Path, ...]) -> list[Path]:
    """The folders of templates that targets share: their names begin with "_"."""
    found = (path for root in roots for path in root.glob("_*"))
    return sorted(path for path in found if path.is_dir())


def _read(target: Target) -> list[str]:
    """The folders that options name, and whose files decide what is printed."""
    return [str(target.options[name]) for name in target.reads if target.options[name]]


@cache
def _digest_of(folder: str, pattern: str) -> str:
    digest: Any = hashlib.sha256()
    for path in sorted(Path(folder).rglob(pattern)):
        if path.is_file() and "__pycache__" not in path.parts:
            digest.update(str(path.relative_to(folder)).encode() + b"\0")
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return str(digest.hexdigest())
