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
from generator.target import File, Target, print_files, print_part
from generator.target.view import Part, load_joint

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
class StalePart:
    """One part of a target over releases that has to be printed.

    ``sources`` are those of the part's releases, ``facts`` what it is told of the
    others, and ``inputs`` is what decides how it is printed.
    """

    sources: tuple[Source, ...]
    target: Target
    part: str
    facts: Any
    inputs: str


@dataclass(frozen=True, slots=True)
class PartJob:
    """A part to be printed into ``out``."""

    stale: StalePart
    out: Path
    stage: Path
    overwrite: bool


@dataclass(frozen=True, slots=True)
class LeftJob:
    """A part that an earlier run printed, of a release that this one has not: its
    files go."""

    target: Target
    place: str
    out: Path
    stage: Path
    overwrite: bool


_AnyJob = Job | PartJob | LeftJob


@dataclass(frozen=True, slots=True)
class Tree:
    """What became of one folder of printed files: counts, bytes, seconds.

    ``place`` is the folder, below the output folder.
    """

    place: str
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
) -> Summary:
    """Print every target of every source into ``<out>/<release>/<target>/``, and
    those over releases into ``<out>/<target>/``.

    Raises what stands in the way (SpecError, TargetError, OutputError), and then
    the output folder is as it was.
    """
    known = _known(sources, targets, out, read_bytes=False)
    if not (known.stale or known.parts or known.left or known.plans):
        return Summary(known.current, ())
    with output.workspace(out) as stage:
        work = _work(known, out, stage, jobs=jobs, overwrite=overwrite)
        with _workers(min(jobs, len(work))) as run:
            results = _each(run, _print, work, progress)
            plans = [plan for result in results for plan in result.plans]
            for _ in run(partial(output.commit, out), [*known.plans, *plans]):
                pass
    return _summary(known.current, results)


def check(
    sources: Sequence[Source],
    targets: Sequence[Target],
    out: Path,
    *,
    jobs: int,
    progress: Progress,
) -> Summary:
    """Compare what would be printed with what is there; write nothing."""
    known = _known(sources, targets, out, read_bytes=True)
    work = _work(known, out, out, jobs=jobs, overwrite=False)
    with _workers(min(jobs, len(work))) as run:
        results = _each(run, _compare, work, progress)
    return _summary(known.current, results)


def inputs(sources: Iterable[Source], target: Target) -> str:
    """The digest of everything that decides what a tree is printed like."""
    parts: list[str] = [
        generator.__version__,
        _digest_of(str(Path(generator.__file__).parent), "*.py"),
        *(_digest_of(str(folder), "*") for folder in target.folders),
        *(part for name in target.borrows for part in _borrowed(target, name)),
        *(_digest_of(str(each), "*") for each in _shared(target.roots)),
        *(_digest_of(each, "*") for each in _read(target)),
        *(
            fact
            for source in sources
            for fact in (source.release, source.origin, source.sha256)
        ),
        repr(sorted(target.options.items())),
    ]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _borrowed(target: Target, name: str) -> Iterator[str]:
    """What decides what a target has from another."""
    found = target.borrowed(name)
    if found is not None:
        yield from (_digest_of(str(folder), "*") for folder in found.folders)
        yield repr(sorted(found.options.items()))


def load(source: Source) -> Release:
    """The release in a source, parsed and known to be valid OpenAPI."""
    release = parse(source)
    validate(release)
    return release


@dataclass(frozen=True, slots=True)
class _Known:
    """What a run finds: the trees that are what they would become, the targets of
    each source that are not, the parts of targets over releases that are not, those
    that are left of other releases, and the plans of those that are what they would
    become, but were printed from something else."""

    current: tuple[Tree, ...]
    stale: tuple[Stale, ...]
    parts: tuple[StalePart, ...]
    left: tuple[tuple[Target, str], ...]
    plans: tuple[output.Plan, ...]


#: The record of a place, where its inputs are taken and nobody touched it.
_Find = Callable[[str, Target, Callable[[str], bool]], output.Record | None]


def _known(
    sources: Sequence[Source],
    targets: Sequence[Target],
    out: Path,
    *,
    read_bytes: bool,
) -> _Known:
    current: list[Tree] = []
    stale: list[Stale] = []
    parts: list[StalePart] = []
    left: list[tuple[Target, str]] = []
    plans: list[output.Plan] = []

    def found(
        place: str, target: Target, decides: Callable[[str], bool]
    ) -> output.Record | None:
        start = time.perf_counter()
        known = output.current(out, place, decides, read_bytes=read_bytes)
        if known is not None:
            current.append(_current(place, target, known, start))
        return known

    single = [target for target in targets if target.over == "release"]
    for source in sources:
        decided = [(target, inputs([source], target)) for target in single]
        old = [
            (target, decided_by)
            for target, decided_by in decided
            if not found(_place(source, target), target, decided_by.__eq__)
        ]
        if old:
            stale.append((source, tuple(old)))
    for target in (target for target in targets if target.over == "releases"):
        everything = inputs(sources, target)
        divided = list(_parts(sources, target))
        places = {_joined(target.name, part.name) for part in divided}
        left += (
            (target, place)
            for place in output.places(out, target.name)
            if place not in places
        )
        for part in divided:
            state = _state(part, sources, target, everything, found)
            if isinstance(state, StalePart):
                parts.append(state)
            elif state is not None:
                plans.append(state)
    return _Known(tuple(current), tuple(stale), tuple(parts), tuple(left), tuple(plans))


def _state(
    part: Part,
    sources: Sequence[Source],
    target: Target,
    everything: str,
    found: _Find,
) -> StalePart | output.Plan | None:
    """What is to be done with a part: print it, record what it is now printed from, or
    nothing.

    Its record begins with the digest of all that the run was given (``everything``):
    where that is the same, nobody needs to know which facts follow from it.
    """
    own = tuple(each for each in sources if each.release in part.releases)
    facts = cache(part.facts)

    @cache
    def decided_by() -> str:
        told = hashlib.sha256(repr(facts()).encode()).hexdigest()
        return f"{inputs(own, target)} {told}"

    def decides(known: str) -> bool:
        return known.startswith(everything) or known.endswith(decided_by())

    place = _joined(target.name, part.name)
    known = found(place, target, decides)
    if known is not None and known.inputs.startswith(everything):
        return None
    now = f"{everything} {decided_by()}"
    if known is not None:
        return output.unchanged(place, now, known)
    return StalePart(own, target, part.name, facts(), now)


def _parts(sources: Sequence[Source], target: Target) -> Iterable[Part]:
    divide, _ = load_joint(target)
    names = [source.release for source in sources]
    return divide(names, lambda: list(map(_remembered, sources)), target)


# The models that this process has parsed because a target over releases asked for
# facts. A process forked from it, which prints a part, has them for nothing.
_models: dict[tuple[str, str], Release] = {}


def _model(source: Source) -> Release:
    return _models.get((source.release, source.sha256)) or load(source)


def _remembered(source: Source) -> Release:
    release = _models[source.release, source.sha256] = _model(source)
    return release


def _work(
    known: _Known, out: Path, stage: Path, *, jobs: int, overwrite: bool
) -> list[_AnyJob]:
    parts = [
        PartJob(each, out, stage, overwrite)
        # The longest pieces of work come first, so that none waits for them.
        for each in sorted(known.parts, key=lambda each: -len(each.sources))
    ]
    whole = [
        Job(source, some, out, stage, overwrite)
        for source, some in _chunks(known.stale, jobs)
    ]
    left = [
        LeftJob(target, place, out, stage, overwrite) for target, place in known.left
    ]
    return [*parts, *whole, *left]


def _current(place: str, target: Target, known: output.Record, start: float) -> Tree:
    return Tree(
        place=place,
        target=target.name,
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
    function: Callable[[_AnyJob], _Result],
    work: list[_AnyJob],
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
    """A tree to be printed: where, what decides it, and its files."""

    place: str
    target: str
    inputs: str
    files: Iterable[File]


def _wanted(job: _AnyJob) -> tuple[list[_Wanted], tuple[_Unknown, ...]]:
    """The trees of a job, and what the model did not know in its releases."""
    if isinstance(job, LeftJob):
        return [_Wanted(job.place, job.target.name, "", ())], ()
    if isinstance(job, PartJob):
        stale, name = job.stale, job.stale.target.name
        releases = [_model(source) for source in stale.sources]
        files = print_part(stale.part, releases, stale.facts, stale.target)
        return [_Wanted(_joined(name, stale.part), name, stale.inputs, files)], ()
    release = _model(job.source)
    wanted = [
        _Wanted(
            _place(job.source, target),
            target.name,
            decided_by,
            print_files(release, target),
        )
        for target, decided_by in job.targets
    ]
    return wanted, tuple((release.name, keyword) for keyword in release.unknown)


def _print(job: _AnyJob) -> _Result:
    trees: list[Tree] = []
    plans: list[output.Plan] = []
    found, unknown = _wanted(job)
    for wanted in found:
        start = time.perf_counter()
        plan = output.stage(
            job.out,
            wanted.place,
            wanted.inputs,
            ((file.path, file.data) for file in wanted.files),
            job.stage,
            overwrite=job.overwrite,
        )
        plans.append(plan)
        trees.append(
            Tree(
                place=wanted.place,
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


def _compare(job: _AnyJob) -> _Result:
    trees: list[Tree] = []
    found, unknown = _wanted(job)
    for wanted in found:
        start = time.perf_counter()
        files = [(file.path, file.data) for file in wanted.files]
        drift = output.compare(job.out, wanted.place, files)
        trees.append(
            Tree(
                place=wanted.place,
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


def _place(source: Source, target: Target) -> str:
    return _joined(source.release, target.name)


def _joined(folder: str, name: str) -> str:
    return f"{folder}/{name}" if name else folder


@cache
def _shared(roots: tuple[Path, ...]) -> list[Path]:
    """The folders of templates that targets share: their names begin with "_"."""
    found = (path for root in roots for path in root.glob("_*"))
    return sorted(path for path in found if path.is_dir())


def _read(target: Target) -> list[str]:
    """The files and folders that options name, and that decide what is printed."""
    return [str(target.options[name]) for name in target.reads if target.options[name]]


@cache
def _digest_of(folder: str, pattern: str) -> str:
    digest: Any = hashlib.sha256()
    found = Path(folder)
    for path in sorted(found.rglob(pattern)) if found.is_dir() else [found]:
        if path.is_file() and "__pycache__" not in path.parts:
            digest.update(str(path.relative_to(folder)).encode() + b"\0")
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return str(digest.hexdigest())
