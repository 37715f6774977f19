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
class Tree:
    """What became of one target of one release: counts, bytes, seconds."""

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


#: Called with each release that has been printed.
Progress = Callable[[str], None]

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
) -> Summary:
    """Print every target of every source into ``<out>/<release>/<target>/``.

    Raises what stands in the way (SpecError, TargetError, OutputError), and then
    the output folder is as it was.
    """
    current, stale = _split(sources, targets, out, read_bytes=False)
    if not stale:
        return Summary(tuple(current), ())
    with output.workspace(out) as stage:
        work = [
            Job(source, tuple(some), out, stage, overwrite)
            for source, some in _chunks(stale, jobs)
        ]
        with _workers(min(jobs, len(work))) as run:
            results = _each(run, _print, work, progress)
            plans = [plan for result in results for plan in result.plans]
            for _ in run(partial(output.commit, out), plans):
                pass
    return _summary(current, results)


def check(
    sources: Sequence[Source],
    targets: Sequence[Target],
    out: Path,
    *,
    jobs: int,
    progress: Progress,
) -> Summary:
    """Compare what would be printed with what is there; write nothing."""
    current, stale = _split(sources, targets, out, read_bytes=True)
    work = [
        Job(source, tuple(some), out, out, False)
        for source, some in _chunks(stale, jobs)
    ]
    with _workers(min(jobs, len(work))) as run:
        results = _each(run, _compare, work, progress)
    return _summary(current, results)


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
                _tree(source, target),
                inputs(source, target),
                read_bytes=read_bytes,
            )
            if known is None:
                old.append(target)
                continue
            current.append(
                Tree(
                    release=source.release,
                    target=target.name,
                    files=len(known.files),
                    size=sum(seen.size for seen in known.files.values()),
                    written=0,
                    removed=0,
                    kept=(),
                    seconds=time.perf_counter() - start,
                )
            )
        if old:
            stale.append((source, old))
    return current, stale


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
    run: Run, function: Callable[[Job], _Result], work: list[Job], progress: Progress
) -> list[_Result]:
    results: list[_Result] = []
    for job, result in zip(work, run(function, work), strict=True):
        results.append(result)
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


def _print(job: Job) -> _Result:
    release = load(job.source)
    trees: list[Tree] = []
    plans: list[output.Plan] = []
    for target in job.targets:
        start = time.perf_counter()
        plan = output.stage(
            job.out,
            _tree(job.source, target),
            inputs(job.source, target),
            ((file.path, file.data) for file in print_files(release, target)),
            job.stage,
            overwrite=job.overwrite,
        )
        plans.append(plan)
        trees.append(
            Tree(
                release=release.name,
                target=target.name,
                files=len(plan.files),
                size=plan.size,
                written=len(plan.staged),
                removed=len(plan.removed),
                kept=plan.kept,
                seconds=time.perf_counter() - start,
            )
        )
    return _Result(tuple(trees), tuple(plans), _unknown(release))


def _compare(job: Job) -> _Result:
    release = load(job.source)
    trees: list[Tree] = []
    for target in job.targets:
        start = time.perf_counter()
        files = [(file.path, file.data) for file in print_files(release, target)]
        drift = output.compare(job.out, _tree(job.source, target), files)
        trees.append(
            Tree(
                release=release.name,
                target=target.name,
                files=len(files),
                size=sum(len(data) for _, data in files),
                written=0,
                removed=0,
                kept=(),
                seconds=time.perf_counter() - start,
                drift=drift if drift else None,
            )
        )
    return _Result(tuple(trees), (), _unknown(release))


def _summary(current: list[Tree], results: list[_Result]) -> Summary:
    return Summary(
        trees=tuple(current) + tuple(tree for each in results for tree in each.trees),
        unknown=tuple(dict.fromkeys(item for each in results for item in each.unknown)),
    )


def _unknown(release: Release) -> tuple[tuple[str, UnknownKeyword], ...]:
    return tuple((release.name, keyword) for keyword in release.unknown)


def _tree(source: Source, target: Target) -> str:
    return f"{source.release}/{target.name}"


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
