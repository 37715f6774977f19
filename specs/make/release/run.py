"""Makes all that is known of a release of Kubernetes: ``python -m specs.make release``."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

from kubestencil import atomic
from kubestencil.errors import KubestencilError
from kubestencil.schema.knowledge.snapshots import snapshots
from kubestencil.source.releases import full_version, minor_of_patch, version_name
from specs.make.checkouts import Checkout
from specs.make.makers import ASKED, MAKERS, READ, Maker, make_tables
from specs.make.progress import report
from specs.make.release import validator
from specs.make.release.listing import list_release
from specs.make.release.modules import download
from specs.make.release.review import review_page, unread
from specs.make.release.sizes import update_sizes


class _Outcome(NamedTuple):
    """The tables that a release has by now, and why it lacks others."""

    made: frozenset[str]
    left_out: Mapping[str, str]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("release", metavar="RELEASE", help="v1.38.0-beta.0, 1.38")
    parser.add_argument(
        "--again",
        action="append",
        default=[],
        metavar="TABLE",
        choices=MAKERS,
        help="make a table that the release has; others are kept",
    )
    parser.add_argument(
        "--review",
        type=Path,
        metavar="FILE",
        help="write what differs from the release before, as a page in Markdown",
    )


def make_release(options: argparse.Namespace) -> int:
    """Make the tables that a release lacks, list it, and write the review page.

    A table that cannot be made is left out, and named with the reason. Returns 0 where the
    release has any table, and 1 where it has none.
    """
    release = _release_name(options.release)
    started = time.monotonic()
    wanted = Checkout(Path(), release)
    modules = download(release, wanted.base.release)
    _report_time("modules", started)
    checkout = Checkout(modules.folder, release)
    outcome = _make_tables(checkout, set(options.again))
    if list_release(checkout):
        report(f"{release} is listed in specs/releases.toml")
    left_out = dict(outcome.left_out)
    if release == checkout.minor_version:
        started = time.monotonic()
        if reason := _reason_of_failure(partial(update_sizes, release)):
            left_out["sizes"] = reason
        _report_time("sizes", started)
    for module, reason in modules.refused.items():
        report(f"not there: {module}: {reason}")
    for name, reason in left_out.items():
        report(f"left out: {name}: {reason}")
    if not outcome.made:
        return 1
    for table in unread(release):
        report(f"not reviewed: specs/{table.table}.tsv was read until {table.until}")
    if options.review:
        page = review_page(release, {**modules.refused, **left_out})
        atomic.write(options.review, page.encode())
    return 0


def _release_name(text: str) -> str:
    """The release that a text names; a minor version stands for its first patch."""
    name = version_name(text)
    minor = minor_of_patch(name)
    return minor if full_version(minor) == name else name


def _make_tables(checkout: Checkout, again: set[str]) -> _Outcome:
    left_out: dict[str, str] = {}

    def run(what: str, makers: Sequence[Maker], make: Callable[[], None]) -> None:
        tables = {table for maker in makers for table in maker.tables}
        if tables <= _sections(checkout.release) - again:
            return
        started = time.monotonic()
        if reason := _reason_of_failure(make):
            left_out[what] = reason
        _report_time(what, started)

    for makers in (READ, ASKED):
        if makers is ASKED:
            run("program to ask", ASKED, partial(validator.build, checkout.release))
        for maker in makers:
            make = partial(make_tables, maker, checkout)
            run(", ".join(maker.tables), [maker], make)
    return _Outcome(frozenset(_sections(checkout.release)), left_out)


def _sections(release: str) -> set[str]:
    """The tables that a release has, as its file has them now."""
    snapshots.cache_clear()
    known = snapshots().get(release)
    return set(known.sections) if known else set()


def _reason_of_failure(make: Callable[[], None]) -> str:
    """Run a maker in a process of its own, which knows the tables that were made before.
    Returns why it failed, or nothing."""
    with ProcessPoolExecutor(1, get_context("fork")) as process:
        try:
            return process.submit(_run, make).result()
        except BrokenProcessPool:
            return "its process ended"


def _run(make: Callable[[], None]) -> str:
    try:
        make()
    except KubestencilError as error:
        return " ".join(str(error).split())
    except FileNotFoundError as error:
        return f"sources have no {Path(error.filename or '').name}"
    except Exception as error:  # a source in another form than those before
        return f"sources cannot be read: {type(error).__name__}: {error}"
    return ""


def _report_time(what: str, started: float) -> None:
    report(f"{what}: {time.monotonic() - started:.1f} s")
