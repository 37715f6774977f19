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


@dataclass(frozen=True, slots=True)
class Job:
    """One release to be printed as several targets into ``out``."""

    source: Source
    targets: tuple[Target, ...]
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
    current, stale = _split(sources, targets, out, read_bytes=False)
    told = _told(sources, reports, out, read_bytes=False) if reports else None
    if not stale and (told or not reports):
        return Summary((*current, *filter(None, [told])), ())
    with output.workspace(out) as stage:
        work: list[Job | Reports] = [
            Job(source, tuple(some), out, stage, overwrite)
            for source, some in _chunks(stale, jobs)
        ]
        if reports and told is None:
            # The longest piece of work comes first, so that none waits for it.
            work.insert(0, Reports(tuple(sources), reports, out, stage, overwrite))
        with _workers(min(jobs, len(work))) as run:
            results = _each(run, _print, work, progress)
            plans = [plan for result in results for plan in result.plans]
            for _ in run(partial(output.commit, out), plans):
                pass
    return _summary([*current, *filter(None, [told])], results)


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
    current, stale = _split(sources, targets, out, read_bytes=True)
    told = _told(sources, reports, out, read_bytes=True) if reports else None
    work: list[Job | Reports] = [
        Job(source, tuple(some), out, out, False)
        for source, some in _chunks(stale, jobs)
    ]
    if reports and told is None:
        work.insert(0, Reports(tuple(sources), reports, out, out, False))
    with _workers(min(jobs, len(work))) as run:
        results = _each(run, _compare, work, progress)
    return _summary([*current, *filter(None, [told])], results)


def inputs(source: Source, target: Target) -> str:
    """The digest of everything that decides what a tree is printed like."""
    parts: list[str] = [
        generator.__version__,
        _digest_of(str(Path(generator.__file__).parent), "*.py"),
        *(_digest_of(str(folder), "*") for folder in target.folders),
        *(_digest_of(str(each), "*") for each in _shared(target)),
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


def _split(
    sources: Iterable[Source], targets: Iterable[Target], out: Path, *, read_bytes: bool
) -> tuple[list[Tree], list[tuple[Source, list[Target]]]]:
    """The trees that are what they would become, and what has to be printed."""
    current: list[Tree] = []
    stale: list[tuple[Source, list[Target]]] = []
    targets = list(targets)
    for source in sources:
        old: list[Target] = []
        for target in targets:
            start = time.perf_counter()
            known = output.is_current(
                out,
                _tree(source.release, target.name),
                inputs(source, target),
                read_bytes=read_bytes,
            )
            if known is None:
                old.append(target)
                continue
            current.append(_current(source.release, target.name, known, start))
        if old:
            stale.append((source, old))
    return current, stale


def _told(
    sources: Sequence[Source],
    templates: Sequence[Path],
    out: Path,
    *,
    read_bytes: bool,
) -> Tree | None:
    """The tree of the reports, if it is what it would become."""
    start = time.perf_counter()
    known = output.is_current(
        out, REPORTS, report_inputs(sources, templates), read_bytes=read_bytes
    )
    return _current("", REPORTS, known, start) if known else None


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


def _chunks(
    stale: Sequence[tuple[Source, list[Target]]], jobs: int
) -> Iterator[tuple[Source, list[Target]]]:
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
            inputs(job.source, target),
            ((file.path, file.data) for file in print_files(release, target)),
        )
        for target in job.targets
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


def _summary(current: list[Tree], results: list[_Result]) -> Summary:
    return Summary(
        trees=tuple(current) + tuple(tree for each in results for tree in each.trees),
        unknown=tuple(dict.fromkeys(item for each in results for item in each.unknown)),
    )


def _tree(release: str, target: str) -> str:
    return f"{release}/{target}" if release else target


def _shared(target: Target) -> list[Path]:
    """The folders of templates that targets share: their names begin with "_"."""
    found = (path for root in target.roots for path in root.glob("_*"))
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
