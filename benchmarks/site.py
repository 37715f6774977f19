"""The times of the docs site: generating it, MkDocs, and pages in a browser.

    python -m benchmarks.site [--specs DIR] [--only PART]... [--mkdocs PROGRAM]

The parts, each of which can be run alone:

generate  the site of all releases, into an empty folder and with nothing changed,
          as ratios to ``cp -r`` of the result on the same disk
floor     what generating the site cannot go below: writing the same bytes from memory,
          with their digests, and parsing the documents; beside it generating it in
          one process, and in one per core, which each make what releases have in common.
          All in processor seconds, which other work on the machine disturbs less
change    after a change of one description in a release amid the others: the time of the
          next run, and the releases of the files that it wrote
mkdocs    MkDocs with Material for MkDocs on the pages that ``-t markdown`` generates for
          the newest release, and the site of that; MkDocs is installed into a new
          environment, unless ``--mkdocs`` (or MKDOCS) names the program
page      in a headless Chromium, from a server on the loopback interface: the bytes that
          the page of a Pod and its search load, and the times until the page is ready,
          until all fields are expanded, and until the search shows its results

Times are the shortest of several runs, which are made in turns; those in the browser
are medians. ``--target`` measures another target. Without ``--specs``, the embedded
documents are used.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.measuring import (
    RELEASES,
    ROOT,
    Task,
    best_times,
    child_times,
    environment,
    row,
)
from benchmarks.site_browser import (
    LoadedFiles,
    browser,
    measure_expanding,
    measure_loading,
    measure_search,
    serve,
)

LATEST, CHANGED = RELEASES[-1], RELEASES[len(RELEASES) // 2]
PARSE_ALL = f"""
import sys
from pathlib import Path
from kubestencil.schema.load import load_release
from kubestencil.source import locate
specs = Path(sys.argv[1]) if sys.argv[1:] else None
for name in {RELEASES}:
    load_release(locate(name, specs))
"""
POD = f"{LATEST}/core/v1/Pod/"


def main() -> None:
    options = parser().parse_args()
    scratch = Path(tempfile.mkdtemp(prefix="kubestencil-", dir=options.scratch))
    try:
        for part in options.only or PARTS:
            for line in PARTS[part](Tool(options, scratch / part), options):
                print(f"{part:8} {line}", flush=True)
    finally:
        shutil.rmtree(scratch)


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--specs", type=Path, default=os.environ.get("KUBESTENCIL_SPECS")
    )
    parser.add_argument("--only", action="append", choices=PARTS)
    parser.add_argument("--target", default="site")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--scratch", type=Path, help="folder to print into")
    parser.add_argument("--mkdocs", default=os.environ.get("MKDOCS"))
    parser.add_argument(
        "--limit", type=int, default=900, help="seconds until a program is stopped"
    )
    return parser


class Tool:
    """Runs kubestencil with an output folder of its own."""

    def __init__(self, options: argparse.Namespace, folder: Path) -> None:
        self.folder = folder
        self.out = folder / "out"
        self.target = options.target
        self.specs: Path | None = Path(options.specs) if options.specs else None
        self.limit = options.limit
        folder.mkdir()

    def render(self, *releases: str, target: str = "", jobs: int = 0) -> str:
        """Generate a target, in ``jobs`` processes or as many as by default, and return
        what the command prints."""
        command = [sys.executable, "-m", "kubestencil", "render", *releases]
        command += ["-t", target or self.target, "-o", str(self.out)]
        command += ["--spec-dir", str(self.specs.resolve())] if self.specs else []
        command += ["-j", str(jobs)] if jobs else []
        return run(command, self.limit)

    def remove_output(self) -> None:
        shutil.rmtree(self.out, ignore_errors=True)


def measure_generation(tool: Tool, options: argparse.Namespace) -> Iterator[str]:
    original, copy = tool.folder / "original", tool.folder / "copy"
    # The first run validates the documents and fills the disk cache.
    yield tool.render(*RELEASES).strip()
    tool.out.rename(original)
    copied, generated = best_times(
        options.runs,
        Task(lambda: run(["cp", "-r", original, copy]), lambda: shutil.rmtree(copy)),
        Task(lambda: tool.render(*RELEASES), tool.remove_output),
    )
    yield row("cp -r of seven releases", copied, copied)
    yield row("seven releases, empty folder", generated, copied)
    tool.render(*RELEASES)
    (unchanged,) = best_times(options.runs, Task(lambda: tool.render(*RELEASES)))
    yield row("the same again, nothing changed", unchanged, generated)


def measure_floor(tool: Tool, options: argparse.Namespace) -> Iterator[str]:
    tool.render(*RELEASES)
    top = tool.out / tool.target
    paths = [path for path in top.rglob("*") if path.is_file()]
    contents = {path.relative_to(top): path.read_bytes() for path in paths}
    copy = tool.folder / "copy"
    specs = [str(tool.specs.resolve())] if tool.specs else []
    parse = [sys.executable, "-c", PARSE_ALL, *specs]
    written, parsed = [], []
    for _ in range(options.runs):
        start = time.process_time()
        write_files(contents, copy)
        written.append(time.process_time() - start)
        shutil.rmtree(copy)
        parsed.append(child_times(lambda: run(parse)).processor)
    size = sum(map(len, contents.values()))
    yield f"{len(contents)} files, {size / 1e6:.1f} MB; processor seconds:"
    yield f"{'writing them, with their digests':40} {min(written):8.3f} s"
    yield f"{'starting Python, parsing the documents':40} {min(parsed):8.3f} s"
    for jobs in (1, os.cpu_count() or 1):
        seconds = []
        for _ in range(options.runs):
            tool.remove_output()
            times = child_times(partial(tool.render, *RELEASES, jobs=jobs))
            seconds.append(times.processor)
        yield f"{f'generating the site, {jobs} process(es)':40} {min(seconds):8.3f} s"


def write_files(contents: Mapping[Path, bytes], folder: Path) -> None:
    """Write files as a build does: each with its digest, into an empty folder."""
    for parent in {folder / path.parent for path in contents}:
        parent.mkdir(parents=True, exist_ok=True)
    for path, data in contents.items():
        hashlib.sha256(data).hexdigest()
        (folder / path).write_bytes(data)


def measure_change(tool: Tool, options: argparse.Namespace) -> Iterator[str]:
    tool.specs = write_documents(tool.specs, tool.folder / "specs")
    tool.render(*RELEASES)
    # Validates each changed document, which is not part of the measured time.
    validator = Tool(options, tool.folder / "validator")
    validator.specs = tool.specs
    path = tool.specs / f"{CHANGED}.json"
    for _ in range(min(options.runs, 3)):
        document = json.loads(path.read_bytes())
        definition = document["definitions"]["io.k8s.api.core.v1.Pod"]
        definition["description"] = f"A pod, as of {time.time_ns()}."
        path.write_text(json.dumps(document))
        start = time.perf_counter()
        validator.render(CHANGED, target="markdown-v5")
        validation = time.perf_counter() - start
        before = modification_times(tool.out)
        start = time.perf_counter()
        output = tool.render(*RELEASES).strip()
        seconds = time.perf_counter() - start
        written = Counter(
            top_folder(file)
            for file, modified in modification_times(tool.out).items()
            if before.get(file) != modified
        )
        counts = ", ".join(f"{count} in {name}" for name, count in written.items())
        yield f"{seconds:.3f} s, after {validation:.1f} s for validation; {output}"
        yield f"  written files: {counts or 'none'}"


def measure_mkdocs(tool: Tool, options: argparse.Namespace) -> Iterator[str]:
    program = options.mkdocs or install_mkdocs(tool.folder / "venv", options.limit)
    tool.render(LATEST, target="markdown")
    pages = tool.out / LATEST / "markdown" / "docs"
    config = tool.folder / "mkdocs.yml"
    built = tool.folder / "built"
    config.write_text(
        f"site_name: models of {LATEST}\ndocs_dir: {pages}\nsite_dir: {built}\n"
        "theme:\n  name: material\n  font: false\nplugins:\n  - search\n"
    )
    # MkDocs needs an index page.
    (pages / "index.md").write_text("# Models\n")
    build = [program, "build", "--quiet", "--config-file", str(config)]
    site = Tool(options, tool.folder / "site")
    site.render(LATEST)
    site.remove_output()
    start = time.perf_counter()
    try:
        run(build, options.limit)
    except subprocess.TimeoutExpired:
        yield f"MkDocs was stopped after {options.limit} s"
        mkdocs = float(options.limit)
    else:
        mkdocs = time.perf_counter() - start
    (kubestencil,) = best_times(
        options.runs, Task(lambda: site.render(LATEST), site.remove_output)
    )
    site.render(LATEST)
    count = sum(1 for _ in pages.glob("*.md"))
    yield row(f"kubestencil, {tool.target} of {LATEST}", kubestencil, mkdocs)
    yield row(f"MkDocs with Material, {count} pages", mkdocs, kubestencil)
    yield f"kubestencil {size_of(site.out)}; MkDocs {size_of(built)}"


def measure_page(tool: Tool, options: argparse.Namespace) -> Iterator[str]:
    tool.render(*RELEASES)
    root = tool.out / tool.target
    html = (root / POD / "index.html").read_bytes()
    sizes = [("HTML", len(html))]
    for url in LoadedFiles(html.decode()).urls:
        sizes.append((url.rpartition("/")[2], (root / POD / url).stat().st_size))
    yield f"a Pod's page: {sum(size for _, size in sizes) / 1e3:.0f} kB: " + ", ".join(
        f"{name} {size / 1e3:.1f}" for name, size in sizes
    )
    with serve(root) as base_url, browser(tool.folder) as driver:
        yield from measure_loading(driver, base_url + POD, options.runs)
        yield from measure_expanding(driver, base_url + POD, options.runs)
        yield from measure_search(driver, base_url + POD, root, options.runs)


def write_documents(specs: Path | None, folder: Path) -> Path:
    """Write the documents of all releases to a new folder, where they can be changed."""
    sys.path.insert(0, str(ROOT / "generator"))
    from kubestencil.source import locate

    folder.mkdir()
    for name in RELEASES:
        text = json.dumps(locate(name, specs).document())
        (folder / f"{name}.json").write_text(text)
    return folder


def install_mkdocs(folder: Path, limit: int) -> str:
    """Install MkDocs into a new environment and return the path of its program."""
    venv.create(folder, with_pip=True)
    programs = folder / ("Scripts" if os.name == "nt" else "bin")
    packages = ["mkdocs", "mkdocs-material"]
    run([programs / "python", "-m", "pip", "install", "--quiet", *packages], limit)
    return str(programs / "mkdocs")


def modification_times(folder: Path) -> dict[Path, int]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder): path.stat().st_mtime_ns for path in files}


def top_folder(file: Path) -> str:
    """The release of the site, or other folder or file at its top, with the file."""
    if file.parts[0].startswith("."):
        return "the run's records"
    return "/".join(file.parts[:2])


def size_of(folder: Path) -> str:
    sizes = [path.stat().st_size for path in folder.rglob("*") if path.is_file()]
    return f"{len(sizes)} files, {sum(sizes) / 1e6:.1f} MB"


def run(command: list[Any], limit: int = 900) -> str:
    process = subprocess.run(
        [str(argument) for argument in command],
        env=environment(),
        text=True,
        capture_output=True,
        timeout=limit,
    )
    if process.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}\n{process.stderr[-3000:]}")
    return process.stdout


PARTS: dict[str, Callable[[Tool, argparse.Namespace], Iterator[str]]] = {
    "generate": measure_generation,
    "floor": measure_floor,
    "change": measure_change,
    "mkdocs": measure_mkdocs,
    "page": measure_page,
}


if __name__ == "__main__":
    main()
