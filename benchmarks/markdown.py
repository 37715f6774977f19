"""How fast the documented Markdown is printed, as ratios measured in one run.

    python benchmarks/markdown.py [--specs DIR] [--jar openapi-generator-cli.jar]

Without ``--specs`` the embedded specs are printed. With a jar and a JVM,
openapi-generator prints one release too, straight from the swagger.json. Every
number is the best of several runs, taken in turn, since machines are noisy.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parent.parent
RELEASES = [f"1.{minor}" for minor in range(29, 36)]
# Every dependency that pyproject.toml names, and those that this run needs.
ALL = "black, click, filelock, jinja2, kubernetes_validate, openapi_spec_validator"
NEEDED = "click, filelock, jinja2, hashlib, tomllib"


def main() -> None:
    options = parser().parse_args()
    scratch = Path(tempfile.mkdtemp(prefix="kubestencil-", dir=options.scratch))
    try:
        for line in measure(options, scratch):
            print(line, flush=True)
    finally:
        shutil.rmtree(scratch)


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--specs", type=Path, help="folder with the full specs")
    parser.add_argument("--jar", type=Path, help="openapi-generator-cli.jar")
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--scratch", type=Path, help="folder to print into")
    return parser


def measure(options: argparse.Namespace, scratch: Path):
    out = scratch / "out"
    specs = ["--specs", str(options.specs)] if options.specs else []
    spec = document(options.specs, scratch)

    def render(*arguments: str) -> None:
        command("-m", "kubestencil", "render", *arguments, *specs, "-q", "-o", str(out))

    def fresh(*arguments: str) -> Callable[[], None]:
        def run() -> None:
            render(*arguments)

        return run

    def clean() -> None:
        shutil.rmtree(out, ignore_errors=True)

    render("1.35", "-t", "markdown-v5")  # validates the document, and warms the disk
    clean()
    floor, strict, one = together(
        options.runs,
        (start(f"{ALL}, platformdirs, urllib3, yaml", spec),),
        (start(NEEDED, spec),),
        (fresh("1.35", "-t", "markdown-v5", "-j1"), clean),
    )
    yield row("Python, the dependencies, one spec parsed", floor, floor)
    yield row("the same with those that the run needs", strict, floor)
    yield row("one release, one format, one process", one, floor, "at most 1.5")
    yield row("  against those that the run needs", one, strict)

    formats = [f"-t{name}" for name in ("markdown", "markdown-v4", "markdown-v5")]
    copy = scratch / "copy"
    render(*RELEASES, *formats)
    kept = scratch / "kept"
    out.rename(kept)
    copied, all_of_it = together(
        options.runs,
        (
            lambda: subprocess.run(["cp", "-r", kept, copy], check=True),
            lambda: shutil.rmtree(copy),
        ),
        (fresh(*RELEASES, *formats), clean),
    )
    yield row("cp -r of seven releases, three formats", copied, copied)
    yield row("seven releases, three formats", all_of_it, copied, "under 4")
    render(*RELEASES, *formats)
    (again,) = together(options.runs, (fresh(*RELEASES, *formats),))
    yield row("the same again, nothing changed", again, all_of_it, "under 0.33")
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    yield f"{'largest process':44} {peak:8.0f} MiB"
    if options.jar and shutil.which("java"):
        (java,) = together(1, (lambda: openapi_generator(options.jar, spec, scratch),))
        yield row("openapi-generator, one release", java, one)
        yield row("  against one of all 21 trees", java, all_of_it / 21, "at least 50")


def together(runs: int, *work: tuple[Callable[[], object], ...]) -> tuple[float, ...]:
    """The best time of each piece of work; a second function tidies up, untimed."""
    best = [float("inf")] * len(work)
    for _ in range(runs):
        for index, (run, *after) in enumerate(work):
            start = time.perf_counter()
            run()
            best[index] = min(best[index], time.perf_counter() - start)
            for tidy in after:
                tidy()
    return tuple(best)


def row(what: str, seconds: float, of: float, goal: str = "") -> str:
    ratio = f"x {seconds / of:6.2f}" if seconds != of else " " * 8
    return f"{what:44} {seconds:8.3f} s  {ratio}  {goal}"


def start(imports: str, spec: Path) -> Callable[[], None]:
    code = f"import json, {imports}; json.loads(open({str(spec)!r}, 'rb').read())"
    return lambda: command("-c", code)


def command(*arguments: str) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "generator")}
    environment.pop("KUBESTENCIL_SPECS", None)
    # An installed package is compiled once; measure that, not the compiler.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    subprocess.run([sys.executable, *arguments], check=True, env=environment)


def document(specs: Path | None, scratch: Path) -> Path:
    """A file with the swagger.json of 1.35 as it is read in the measured runs."""
    if specs is not None:
        return specs / "1.35.json"
    sys.path.insert(0, str(ROOT / "generator"))
    from kubestencil.source import locate

    path = scratch / "1.35.json"
    path.write_text(json.dumps(locate("1.35", None).document()))
    return path


def openapi_generator(jar: Path, spec: Path, scratch: Path) -> None:
    subprocess.run(
        [
            *("java", "-jar", str(jar), "generate", "-g", "python", "-i", str(spec)),
            *("-o", str(scratch / "java"), "--skip-validate-spec"),
            *("--global-property", "models,modelDocs=true,modelTests=false"),
        ],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


if __name__ == "__main__":
    main()
