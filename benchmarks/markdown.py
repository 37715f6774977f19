"""The times of the Markdown of all models, as ratios measured in one run.

    python -m benchmarks.markdown [--specs DIR] [--jar openapi-generator-cli.jar]

Without ``--specs``, the embedded documents are used. With a jar and a JVM,
openapi-generator is measured on one release, too. Every time is the shortest of
several runs, which are made in turns, since other work disturbs single ones.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.measuring import RELEASES, ROOT, Task, best_times, environment, row

#: The dependencies in pyproject.toml, and those that this run imports.
ALL = "black, click, filelock, jinja2, openapi_spec_validator"
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
    parser.add_argument("--specs", type=Path, help="folder with the full documents")
    parser.add_argument("--jar", type=Path, help="openapi-generator-cli.jar")
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--scratch", type=Path, help="folder to print into")
    return parser


def models_of(target: str) -> list[str]:
    """The options for a target without the pages of API classes."""
    return ["-t", target, "--set", f"{target}.apis=false"]


def measure(options: argparse.Namespace, scratch: Path) -> Iterator[str]:
    out = scratch / "out"
    specs = ["--spec-dir", str(options.specs)] if options.specs else []
    spec = document_path(options.specs, scratch)

    def render(*arguments: str) -> None:
        command("-m", "kubestencil", "render", *arguments, *specs, "-q", "-o", str(out))

    def remove_output() -> None:
        shutil.rmtree(out, ignore_errors=True)

    one_format = models_of("markdown-v5")
    # The first run validates the document and fills the disk cache.
    render("1.35", *one_format)
    remove_output()
    import_all, import_needed, one_release = best_times(
        options.runs,
        Task(import_and_parse(f"{ALL}, platformdirs, urllib3, yaml", spec)),
        Task(import_and_parse(NEEDED, spec)),
        Task(lambda: render("1.35", *one_format, "-j1"), remove_output),
    )
    yield row("Python, all dependencies, one spec parsed", import_all, import_all)
    yield row("the same, only the needed dependencies", import_needed, import_all)
    yield row(
        "one release, one format, one process", one_release, import_all, "at most 1.5"
    )
    yield row("  against only the needed dependencies", one_release, import_needed)

    names = ("markdown", "markdown-v4", "markdown-v5")
    formats = [option for name in names for option in models_of(name)]
    copy = scratch / "copy"
    render(*RELEASES, *formats)
    original = scratch / "original"
    out.rename(original)
    copied, all_formats = best_times(
        options.runs,
        Task(
            lambda: subprocess.run(["cp", "-r", original, copy], check=True),
            lambda: shutil.rmtree(copy),
        ),
        Task(lambda: render(*RELEASES, *formats), remove_output),
    )
    yield row("cp -r of seven releases, three formats", copied, copied)
    yield row("seven releases, three formats", all_formats, copied, "under 4")
    render(*RELEASES, *formats)
    (unchanged,) = best_times(options.runs, Task(lambda: render(*RELEASES, *formats)))
    yield row("the same again, nothing changed", unchanged, all_formats, "under 0.33")
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    yield f"{'largest process':44} {peak:8.0f} MiB"
    if options.jar and shutil.which("java"):
        (java,) = best_times(
            1, Task(lambda: openapi_generator(options.jar, spec, scratch))
        )
        yield row("openapi-generator, one release", java, one_release)
        yield row(
            "  against one of all 21 trees", java, all_formats / 21, "at least 50"
        )


def import_and_parse(imports: str, spec: Path) -> Callable[[], None]:
    """A function that starts Python, imports modules and parses a JSON document."""
    code = f"import json, {imports}; json.loads(open({str(spec)!r}, 'rb').read())"
    return lambda: command("-c", code)


def command(*arguments: str) -> None:
    subprocess.run([sys.executable, *arguments], check=True, env=environment())


def document_path(specs: Path | None, scratch: Path) -> Path:
    """The path of the document of 1.35, as it is read in the measured runs."""
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
