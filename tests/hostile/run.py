"""Runs the commands for a case, each case in a process of its own."""

from __future__ import annotations

import faulthandler
import gc
import json
import os
import random
import resource
import shutil
import tempfile
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from kubestencil.engine import load_targets
from kubestencil.errors import KubestencilError
from kubestencil.schema.load import load_release
from kubestencil.source import locate
from kubestencil.source.inputs import read_location
from tests.hostile.cases import CRDS, WHOLE_RELEASE, Case, make_case
from tests.hostile.commands import (
    MAX_BYTES,
    Result,
    Runner,
    captured_exit_code,
    limit_memory,
    remember_what_no_document_changes,
)
from tests.hostile.documents import Document, part_of_release
from tests.hostile.handmade import ring
from tests.hostile.printed import element_problems, problems
from tests.hostile.texts import Texts

# Seconds after which a process is ended and shows where it was; of processor time where
# it computes.
_WATCHDOG = 300
_DIFF_FORMATS = ("text", "markdown", "html", "json", "release-note", "github")
_CHECK_FORMATS = ("text", "json", "sarif", "junit", "github", "markdown", "html")


class Outcome(NamedTuple):
    """What came of a case: the commands that ran, how many were refused, the longest
    one in seconds of processor time, the largest memory in bytes, and findings."""

    number: int
    family: str
    commands: int
    refused: int
    accepted: int
    seconds: float
    memory: int
    findings: Sequence[str]


def run_cases(
    base_seed: int, numbers: Sequence[int], jobs: int, keep: Path | None = None
) -> Iterator[Outcome]:
    """Run cases in up to ``jobs`` processes; with ``keep``, leave their files there."""
    remember_what_no_document_changes()
    _warm_up()
    root = Path(tempfile.mkdtemp(prefix="hostile-"))
    pending = list(reversed(numbers))
    running: dict[int, tuple[Case, Path]] = {}
    try:
        while pending or running:
            while pending and len(running) < jobs:
                case = make_case(base_seed, pending.pop())
                folder = (keep or root) / str(case.number)
                folder.mkdir(parents=True)
                running[_start(case, folder)] = case, folder
            pid, status, usage = os.wait4(-1, 0)
            if pid not in running:
                continue
            case, folder = running.pop(pid)
            yield _outcome(case, folder, status, usage.ru_maxrss * 1024)
            if keep is None:
                shutil.rmtree(folder)
    finally:
        shutil.rmtree(root)


def _warm_up() -> None:
    """Import what commands import when they run, compile most templates, and check what
    does not depend on a document.

    A process of a case then has them already, which saves a third of its time.
    """
    import openapi_spec_validator  # noqa: F401

    source = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        specs, out = Path(folder, "in"), Path(folder, "out")
        specs.mkdir()
        for name in ("1.0", "1.1"):
            document = _warm_up_document(source)
            (specs / f"{name}.json").write_text(json.dumps(document))
        old, new = f"{specs}/1.0.json", f"{specs}/1.1.json"
        output = ("-o", f"{out}", "-j", "1")
        for arguments in (
            ("render", "1.0", "1.1", "--spec-dir", f"{specs}", *output),
            ("render", "--crds", f"{CRDS}", *output),
            ("history", "A", old, new),
            *(("diff", old, new, "-f", format_) for format_ in _DIFF_FORMATS),
            *(("check", old, "--spec", old, "-f", name) for name in _CHECK_FORMATS),
        ):
            captured_exit_code(arguments)
        assert [*problems(out)] == []


def _warm_up_document(source: random.Random) -> Document:
    """A document with most forms of definitions, and with operations."""
    document = part_of_release(source, has_paths=True)
    document["definitions"] |= ring(source, Texts(source))
    return document


def _start(case: Case, folder: Path) -> int:
    """Run a case in a new process, and return its id."""
    gc.freeze()
    pid = os.fork()
    if pid:
        return pid
    log = (folder / "log").open("w")
    try:
        faulthandler.enable(log)
        faulthandler.dump_traceback_later(_WATCHDOG, exit=True, file=log)
        limit_memory()
        resource.setrlimit(resource.RLIMIT_CPU, (_WATCHDOG, _WATCHDOG))
        os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
        os.environ.pop("KUBESTENCIL_SPECS", None)
        work = folder / "work"
        work.mkdir()
        os.chdir(work)
        outcome = run_case(case, work)
        (folder / "outcome.json").write_text(json.dumps(outcome))
    except BaseException:
        traceback.print_exc(file=log)
        log.flush()
    os._exit(0)


def _outcome(case: Case, folder: Path, status: int, memory: int) -> Outcome:
    result = folder / "outcome.json"
    if result.exists():
        outcome = Outcome(*json.loads(result.read_text()))
        findings = [*outcome.findings]
        if memory > MAX_BYTES:
            findings.append(f"took {memory / 1024**2:.0f} MiB of memory")
        return outcome._replace(memory=memory, findings=findings)
    log = (folder / "log").read_text() if (folder / "log").exists() else ""
    command = (
        (folder / "work" / "command").read_text()
        if (folder / "work" / "command").exists()
        else ""
    )
    finding = f"ended with the status {status} in {command}: {log[-4000:]}"
    return Outcome(case.number, case.family, 0, 0, 0, 0.0, memory, [finding])


def run_case(case: Case, folder: Path) -> Outcome:
    """Run all commands for a case in a folder, and check what they printed."""
    source = random.Random(case.number)
    _write(case.documents, case, folder / "in")
    (folder / "in" / "manifests.yaml").write_bytes(case.manifests)
    run = Runner(folder)
    results = [*_run_all(run, case, source)]
    findings = [
        f"{' '.join(r.arguments)}: {finding}" for r in results for finding in r.findings
    ]
    findings += _output_problems(results)
    findings += problems(folder / "out")
    if case.plain is not None and not any(_is_refused(result) for result in results):
        findings += _compare_with_plain(run, case, folder)
    return Outcome(
        case.number,
        case.family,
        len(results),
        sum(map(_is_refused, results)),
        sum(not _is_refused(result) for result in results),
        max(result.seconds for result in results),
        0,
        findings,
    )


def _is_refused(result: Result) -> bool:
    return "error: " in result.errors or result.code == 2


def _write(documents: tuple[bytes, bytes], case: Case, folder: Path) -> None:
    folder.mkdir()
    for name, data in zip(("1.0", "1.1"), documents, strict=True):
        (folder / f"{name}.json").write_bytes(data)


def _render(
    case: Case, names: Sequence[str], out: str, *more: str
) -> list[tuple[str, ...]]:
    """The arguments of commands that print releases to a folder."""
    common = ("-o", out, "-j", "1", "-q", *more)
    if case.is_crds:
        return [("render", "--crds", f"in/{name}.json", *common) for name in names]
    return [("render", *names, "--spec-dir", "in", *common)]


def _run_all(run: Runner, case: Case, source: random.Random) -> Iterator[Result]:
    names = ("1.0", "1.1")
    if case.family == WHOLE_RELEASE:
        # All targets of two whole releases at once take more than ten seconds.
        yield from _run_each_target(run, case, names)
    else:
        both = [run(*arguments) for arguments in _render(case, names, "out/all")]
        yield from both
        if any(map(_is_refused, both)):
            for name in names:
                if _is_readable(case, name):
                    yield from _run_each_target(run, case, (name,))
    old, new = "in/1.0.json", "in/1.1.json"
    for format_ in {source.choice(_DIFF_FORMATS), "json"}:
        yield run("diff", old, new, "-f", format_, "-o", f"out/diff.{_suffix(format_)}")
    yield run("history", source.choice(("Pod", "A", "Gadget", "")), old, new)
    format_ = source.choice(_CHECK_FORMATS)
    spec = (
        ("--crds", new, "--to", "1.35")
        if case.is_crds and source.random() < 0.1
        else ("--spec", new)
    )
    yield run(
        "check", "in/manifests.yaml", *spec, "-f", format_, "-o", f"out/check.{_suffix(format_)}"
    )  # fmt: skip


def _run_each_target(run: Runner, case: Case, names: Sequence[str]) -> Iterator[Result]:
    """Print releases with each target, since one may refuse what others print."""
    for target in load_targets(None).values():
        if target.name == "diff":
            continue
        out = f"out/{'-'.join(names)}"
        for arguments in _render(case, names, out, "-t", target.name):
            yield run(*arguments)


def _is_readable(case: Case, name: str) -> bool:
    """Whether a document is not refused as a whole, whatever the target."""
    try:
        if case.is_crds:
            load_release(read_location(f"in/{name}.json", name))
        else:
            load_release(locate(name, Path("in")))
    except KubestencilError:
        return False
    return True


def _suffix(format_: str) -> str:
    return {"html": "html", "json": "json", "sarif": "json", "junit": "xml"}.get(
        format_, "txt"
    )


def _output_problems(results: Sequence[Result]) -> Iterator[str]:
    """What is wrong with messages: control characters of a terminal, or no reason."""
    for result in results:
        text = result.errors + (
            result.output if result.arguments[0] != "render" else ""
        )
        if "\x1b" in text or "\x07" in text:
            yield f"{' '.join(result.arguments)}: prints control characters"
        if (
            _is_refused(result)
            and "error: " not in result.errors
            and "Usage" not in result.errors
        ):
            yield f"{' '.join(result.arguments)}: is refused without a reason"


def _compare_with_plain(run: Runner, case: Case, folder: Path) -> list[str]:
    """Print HTML for the same documents with plain texts, and compare the elements."""
    assert case.plain is not None
    pages = folder / "out" / "pages"
    for name, documents in (("hostile", case.documents), ("plain", case.plain)):
        shutil.rmtree(folder / "in")
        _write(documents, case, folder / "in")
        for arguments in _render(
            case, ("1.0", "1.1"), f"out/pages/{name}", "-t", "site"
        ):
            if _is_refused(run(*arguments)):
                return []
        run("diff", "in/1.0.json", "in/1.1.json", "-o", f"out/pages/{name}/diff.html")
    return [
        *element_problems(pages / "hostile", pages / "plain", same=case.same_elements)
    ]
