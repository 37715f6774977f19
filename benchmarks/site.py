"""The docs site: how fast it is printed, beside cp -r and MkDocs, and what a page costs.

    python benchmarks/site.py [--specs DIR] [--only PART]... [--mkdocs PROGRAM]

The parts, each of which can be run alone:

print   the site of all seven releases, cold, and again with nothing changed, as ratios
        to ``cp -r`` of the result on the same disk
change  one description of 1.33 is another: how long the next run takes, and which
        releases' files it wrote
mkdocs  MkDocs with Material for MkDocs on the pages that ``-t markdown`` prints of 1.35,
        beside the site of 1.35; it is installed into a folder of its own, unless
        ``--mkdocs`` (or MKDOCS) names the program
page    in a headless Chromium, from a server on the loopback: the bytes that the page
        of a Pod loads and those of the search, the time until it can be used, until
        everything is unfolded, and from a typed letter to the answers

Times are the best of several runs, taken in turn; those in the browser are medians.
``--target`` measures another target's printing. Without ``--specs`` the embedded specs
are read.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import venv
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

ROOT = Path(__file__).parent.parent
RELEASES = [f"1.{minor}" for minor in range(29, 36)]
ONE, CHANGED = "1.35", "1.33"
POD = f"{ONE}/core/v1/Pod/"
QUERIES = (
    "p",
    "pod",
    "podspec",
    "containerPort",
    "replicas",
    "grace period",
    "containrPort",
)
WHERE_CHROMIUM_IS = ("chromium", "chromium-browser", "google-chrome")


def main() -> None:
    options = parser().parse_args()
    scratch = Path(tempfile.mkdtemp(prefix="kubestencil-", dir=options.scratch))
    try:
        for part in options.only or PARTS:
            for line in PARTS[part](Tool(options, scratch / part), options):
                print(f"{part:7} {line}", flush=True)
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
    """kubestencil, printing into a folder of its own."""

    def __init__(self, options: argparse.Namespace, folder: Path) -> None:
        self.folder = folder
        self.out = folder / "out"
        self.target = options.target
        self.specs: Path | None = Path(options.specs) if options.specs else None
        self.limit = options.limit
        folder.mkdir()

    def render(self, *releases: str, target: str = "") -> str:
        """What it says on standard output."""
        command = [sys.executable, "-m", "kubestencil", "render", *releases]
        command += ["-t", target or self.target, "-o", str(self.out)]
        command += ["--specs", str(self.specs.resolve())] if self.specs else []
        return run(command, self.limit)

    def clean(self) -> None:
        shutil.rmtree(self.out, ignore_errors=True)


def printing(tool: Tool, options: argparse.Namespace) -> Iterator[str]:
    kept, copy = tool.folder / "kept", tool.folder / "copy"
    yield tool.render(*RELEASES).strip()  # validates the documents, warms the disk
    tool.out.rename(kept)
    copied, cold = together(
        options.runs,
        (lambda: run(["cp", "-r", kept, copy]), lambda: shutil.rmtree(copy)),
        (lambda: tool.render(*RELEASES), tool.clean),
    )
    yield row("cp -r of seven releases", copied, copied)
    yield row("seven releases, cold", cold, copied)
    tool.render(*RELEASES)
    (again,) = together(options.runs, (lambda: tool.render(*RELEASES),))
    yield row("the same again, nothing changed", again, cold)


def changing(tool: Tool, options: argparse.Namespace) -> Iterator[str]:
    tool.specs = documents(tool.specs, tool.folder / "specs")
    tool.render(*RELEASES)
    # Each document is validated once, whatever is printed from it: not in the time.
    elsewhere = Tool(options, tool.folder / "elsewhere")
    elsewhere.specs = tool.specs
    path = tool.specs / f"{CHANGED}.json"
    for _ in range(min(options.runs, 3)):
        document = json.loads(path.read_bytes())
        changed = document["definitions"]["io.k8s.api.core.v1.Pod"]
        changed["description"] = f"A pod, as of {time.time_ns()}."
        path.write_text(json.dumps(document))
        start = time.perf_counter()
        elsewhere.render(CHANGED, target="markdown-v5")
        validated = time.perf_counter() - start
        before = times_of(tool.out)
        start = time.perf_counter()
        said = tool.render(*RELEASES).strip()
        took = time.perf_counter() - start
        after = times_of(tool.out)
        written = Counter(
            top(file) for file, seen in after.items() if before.get(file) != seen
        )
        listed = ", ".join(f"{count} in {name}" for name, count in written.items())
        yield f"{took:.3f} s, after {validated:.1f} s to validate the document; {said}"
        yield f"  files of which the time is another: {listed or 'none'}"


def mkdocs(tool: Tool, options: argparse.Namespace) -> Iterator[str]:
    program = options.mkdocs or installed(tool.folder / "venv", options.limit)
    tool.render(ONE, target="markdown")
    pages = tool.out / ONE / "markdown" / "docs"
    config = tool.folder / "mkdocs.yml"
    built = tool.folder / "built"
    config.write_text(
        f"site_name: models of {ONE}\ndocs_dir: {pages}\nsite_dir: {built}\n"
        "theme:\n  name: material\n  font: false\nplugins:\n  - search\n"
    )
    # Its index page is what MkDocs wants of a site.
    (pages / "index.md").write_text("# Models\n")
    build = [program, "build", "--quiet", "--config-file", str(config)]
    ours = Tool(options, tool.folder / "ours")
    ours.render(ONE)
    ours.clean()
    start = time.perf_counter()
    try:
        run(build, options.limit)
    except subprocess.TimeoutExpired:
        yield f"MkDocs was stopped after {options.limit} s"
        theirs = float(options.limit)
    else:
        theirs = time.perf_counter() - start
    (mine,) = together(options.runs, (lambda: ours.render(ONE), ours.clean))
    ours.render(ONE)
    count = sum(1 for _ in pages.glob("*.md"))
    yield row(f"kubestencil, {tool.target} of {ONE}", mine, theirs)
    yield row(f"MkDocs with Material, {count} pages", theirs, mine)
    yield f"kubestencil {weight(ours.out)}; MkDocs {weight(built)}"


def page(tool: Tool, options: argparse.Namespace) -> Iterator[str]:
    tool.render(*RELEASES)
    root = tool.out / tool.target
    html = (root / POD / "index.html").read_bytes()
    loaded = Loaded(html.decode())
    sizes = [("HTML", len(html))]
    for url in loaded.files:
        sizes.append((url.rpartition("/")[2], (root / POD / url).stat().st_size))
    yield f"a Pod's page: {sum(size for _, size in sizes) / 1e3:.0f} kB: " + ", ".join(
        f"{name} {size / 1e3:.1f}" for name, size in sizes
    )
    with served(root) as address, browser(tool.folder) as driver:
        yield from usable(driver, address + POD, options.runs)
        yield from unfolded(driver, address + POD, options.runs)
        yield from searched(driver, address + POD, root, options.runs)


def usable(driver: Any, url: str, runs: int) -> Iterator[str]:
    """From the start of the navigation to a page that answers, and to a whole one."""
    found: list[tuple[float, float]] = []
    for _ in range(runs + 1):
        driver.get("about:blank")
        driver.get(url)
        found.append(
            driver.execute_async_script(
                "const done = arguments[0];"
                "const told = () => {"
                " const t = performance.getEntriesByType('navigation')[0];"
                " if (t.loadEventEnd) done([t.domContentLoadedEventEnd, t.loadEventEnd]);"
                " else setTimeout(told, 10); }; told();"
            )
        )
    ready, whole = (statistics.median(each) for each in zip(*found[1:], strict=True))
    yield f"{ready:.0f} ms to the end of DOMContentLoaded, {whole:.0f} ms to load's"


def unfolded(driver: Any, url: str, runs: int) -> Iterator[str]:
    """A click on Unfold all, until the browser has drawn twice."""
    took: list[float] = []
    fields = 0
    for _ in range(runs):
        driver.get("about:blank")
        driver.get(url)
        milliseconds, fields = driver.execute_async_script(
            "const done = arguments[0], start = performance.now();"
            "document.getElementById('unfold-all').click();"
            "requestAnimationFrame(() => requestAnimationFrame(() =>"
            " done([performance.now() - start,"
            "  document.querySelectorAll('ul.tree li').length])));"
        )
        took.append(milliseconds)
    yield f"{statistics.median(took):.0f} ms to unfold all, to {fields} fields"


def searched(driver: Any, url: str, root: Path, runs: int) -> Iterator[str]:
    """The search: what it loads, until it has read that, and from a letter to answers.

    It is ready when the list of what was found is busy no more (aria-busy), and
    nothing more is loaded.
    """
    ready: list[float] = []
    names: list[str] = []
    for _ in range(runs):
        driver.get("about:blank")
        driver.get(url)
        milliseconds, names = driver.execute_async_script(READ)
        ready.append(milliseconds)
    sizes = {
        name: (root / urlsplit(name).path.lstrip("/")).stat().st_size for name in names
    }
    yield f"the search loads {sum(sizes.values()) / 1e3:.0f} kB: " + ", ".join(
        f"{urlsplit(name).path.lstrip('/')} {size / 1e3:.0f}"
        for name, size in sizes.items()
    )
    yield f"{statistics.median(ready):.0f} ms until it has read all of that"
    for query in QUERIES:
        answers = [driver.execute_async_script(ANSWERED, query) for _ in range(runs)]
        found = answers[-1][1]
        took = statistics.median(answer[0] for answer in answers)
        yield f"{took:6.1f} ms to {found} answers for {query!r}"


# A click on Search, until what that loads is there and read: the last change of either.
READ = """
const done = arguments[0], start = performance.now();
const loaded = () => performance.getEntriesByType("resource").map((each) => each.name);
const isBusy = () => Boolean(document.querySelector("#search [aria-busy=true]"));
const before = new Set(loaded());
const isNew = (name) => !before.has(name);
let last = start, state = "";
document.getElementById("find").click();
const look = () => {
  const files = loaded().filter(isNew), now = performance.now();
  const seen = `${isBusy()} ${files.length}`;
  if (seen !== state) [state, last] = [seen, now];
  if (files.length && !isBusy() && now - last > 500) done([last - start, files]);
  else setTimeout(look, 5);
};
look();
"""

# The event of typing, until the list has changed for the last time; a search that
# puts its answers off is seen too, as long as it begins within a quarter of a second.
ANSWERED = """
const [query, done] = arguments;
const box = document.querySelector("#search"), input = box.querySelector("input");
const type = (text) => {
  input.value = text;
  input.dispatchEvent(new InputEvent("input", { bubbles: true }));
};
const settle = (then) => {
  let last = performance.now();
  const watch = new MutationObserver(() => (last = performance.now()));
  watch.observe(box, { childList: true, subtree: true, characterData: true });
  const wait = () => {
    if (performance.now() - last < 250) return setTimeout(wait, 10);
    watch.disconnect();
    then(last);
  };
  wait();
};
type("");
settle(() => {
  const start = performance.now();
  settle((last) => done([last - start, box.querySelectorAll("a[href]").length]));
  type(query);
});
"""


class Loaded(HTMLParser):
    """What a page loads before anybody has done anything: scripts and style sheets."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.files: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, pairs: list[tuple[str, str | None]]) -> None:
        attributes = dict(pairs)
        if tag == "script" and attributes.get("src"):
            self.files.append(str(attributes["src"]))
        if tag == "link" and attributes.get("rel") == "stylesheet":
            self.files.append(str(attributes["href"]))


class served:  # noqa: N801 - it is used as a function
    """The address of a folder that is served on the loopback."""

    def __init__(self, folder: Path) -> None:
        handler = partial(Silent, directory=str(folder))
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), handler)

    def __enter__(self) -> str:
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return urljoin(f"http://127.0.0.1:{self.server.server_port}", "/")

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()


class Silent(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


def browser(folder: Path) -> Any:
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    found = filter(None, map(shutil.which, WHERE_CHROMIUM_IS))
    options.binary_location = next(found, "")
    for flag in (
        *("headless", "no-sandbox", "disable-gpu", "disable-quic", "no-first-run"),
        *("disable-background-networking", "disable-component-update", "disable-sync"),
        f"user-data-dir={folder / 'browser'}",
    ):
        options.add_argument(f"--{flag}")
    driver = webdriver.Chrome(
        options, webdriver.ChromeService(shutil.which("chromedriver"))
    )
    driver.set_script_timeout(60)
    return driver


def documents(specs: Path | None, folder: Path) -> Path:
    """A folder with the documents of all releases, to be changed."""
    sys.path.insert(0, str(ROOT / "generator"))
    from kubestencil.source import locate

    folder.mkdir()
    for name in RELEASES:
        text = json.dumps(locate(name, specs).document())
        (folder / f"{name}.json").write_text(text)
    return folder


def installed(folder: Path, limit: int) -> str:
    """The program of MkDocs, installed into a new environment."""
    venv.create(folder, with_pip=True)
    program = folder / ("Scripts" if os.name == "nt" else "bin")
    packages = ["mkdocs", "mkdocs-material"]
    run([program / "python", "-m", "pip", "install", "--quiet", *packages], limit)
    return str(program / "mkdocs")


def times_of(folder: Path) -> dict[Path, int]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder): path.stat().st_mtime_ns for path in files}


def top(file: Path) -> str:
    """The release, or the folder or file, of the site that a file belongs to."""
    if file.parts[0].startswith("."):
        return "the record"
    return "/".join(file.parts[:2])


def weight(folder: Path) -> str:
    sizes = [path.stat().st_size for path in folder.rglob("*") if path.is_file()]
    return f"{len(sizes)} files, {sum(sizes) / 1e6:.1f} MB"


def together(runs: int, *work: tuple[Callable[[], object], ...]) -> tuple[float, ...]:
    """The best time of each piece of work; a second function tidies up, untimed."""
    best = [float("inf")] * len(work)
    for _ in range(runs):
        for index, (function, *after) in enumerate(work):
            start = time.perf_counter()
            function()
            best[index] = min(best[index], time.perf_counter() - start)
            for tidy in after:
                tidy()
    return tuple(best)


def row(what: str, seconds: float, of: float) -> str:
    ratio = f"x {seconds / of:8.3f}" if seconds != of else ""
    return f"{what:40} {seconds:8.3f} s  {ratio}".rstrip()


def run(command: list[Any], limit: int = 900) -> str:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "generator")}
    environment.pop("KUBESTENCIL_SPECS", None)
    # An installed package is compiled once; measure that, not the compiler.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run(
        [str(each) for each in command],
        env=environment,
        text=True,
        capture_output=True,
        timeout=limit,
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stderr[-3000:]}")
    return done.stdout


PARTS: dict[str, Callable[[Tool, argparse.Namespace], Iterator[str]]] = {
    "print": printing,
    "change": changing,
    "mkdocs": mkdocs,
    "page": page,
}


if __name__ == "__main__":
    main()
