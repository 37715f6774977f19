"""The times of a page of the docs site in a headless Chromium."""

from __future__ import annotations

import shutil
import statistics
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

QUERIES = (
    "p",
    "pod",
    "podspec",
    "containerPort",
    "replicas",
    "grace period",
    "containrPort",
)
CHROMIUM_PROGRAMS = ("chromium", "chromium-browser", "google-chrome")


def measure_loading(driver: Any, url: str, runs: int) -> Iterator[str]:
    """From the start of the navigation to the events DOMContentLoaded and load."""
    timings: list[tuple[float, float]] = []
    for _ in range(runs + 1):
        driver.get("about:blank")
        driver.get(url)
        timings.append(
            driver.execute_async_script(
                "const done = arguments[0];"
                "const check = () => {"
                " const t = performance.getEntriesByType('navigation')[0];"
                " if (t.loadEventEnd) done([t.domContentLoadedEventEnd, t.loadEventEnd]);"
                " else setTimeout(check, 10); }; check();"
            )
        )
    # The first run is not counted, since it fills the browser's cache.
    columns = zip(*timings[1:], strict=True)
    ready, complete = (statistics.median(column) for column in columns)
    yield f"{ready:.0f} ms until DOMContentLoaded, {complete:.0f} ms until load"


def measure_expanding(driver: Any, url: str, runs: int) -> Iterator[str]:
    """From a click that expands all fields until the browser has drawn twice."""
    times: list[float] = []
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
        times.append(milliseconds)
    yield f"{statistics.median(times):.0f} ms to expand all {fields} fields"


def measure_search(driver: Any, url: str, root: Path, runs: int) -> Iterator[str]:
    """The bytes that the search loads, and the times until it is ready and until it
    shows its results.

    It is ready when its list of results is not busy (aria-busy) and no file is loading.
    """
    ready: list[float] = []
    names: list[str] = []
    for _ in range(runs):
        driver.get("about:blank")
        driver.get(url)
        milliseconds, names = driver.execute_async_script(OPEN_SEARCH)
        ready.append(milliseconds)
    sizes = {
        name: (root / urlsplit(name).path.lstrip("/")).stat().st_size for name in names
    }
    yield f"the search loads {sum(sizes.values()) / 1e3:.0f} kB: " + ", ".join(
        f"{urlsplit(name).path.lstrip('/')} {size / 1e3:.0f}"
        for name, size in sizes.items()
    )
    yield f"{statistics.median(ready):.0f} ms until it has read these files"
    for query in QUERIES:
        measured = [driver.execute_async_script(RUN_QUERY, query) for _ in range(runs)]
        milliseconds = statistics.median(time for time, _ in measured)
        yield f"{milliseconds:6.1f} ms until {measured[-1][1]} results for {query!r}"


# From a click on Search to the last change of its list of results, or of the loaded
# files.
OPEN_SEARCH = """
const done = arguments[0], start = performance.now();
const loaded = () => performance.getEntriesByType("resource").map((entry) => entry.name);
const isBusy = () => Boolean(document.querySelector("#search-dialog [aria-busy=true]"));
const before = new Set(loaded());
const isNew = (name) => !before.has(name);
let last = start, state = "";
document.getElementById("find").click();
const check = () => {
  const files = loaded().filter(isNew), now = performance.now();
  const newState = `${isBusy()} ${files.length}`;
  if (newState !== state) [state, last] = [newState, now];
  if (files.length && !isBusy() && now - last > 500) done([last - start, files]);
  else setTimeout(check, 5);
};
check();
"""

# From the input event to the last change of the list of results. A search that waits
# for more input is measured, too, if it begins within a quarter of a second.
RUN_QUERY = """
const [query, done] = arguments;
const box = document.querySelector("#search-dialog"), input = box.querySelector("input");
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


class LoadedFiles(HTMLParser):
    """The URLs of the scripts and style sheets that a page loads."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.urls: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, pairs: list[tuple[str, str | None]]) -> None:
        attributes = dict(pairs)
        if tag == "script" and attributes.get("src"):
            self.urls.append(str(attributes["src"]))
        if tag == "link" and attributes.get("rel") == "stylesheet":
            self.urls.append(str(attributes["href"]))


@contextmanager
def serve(folder: Path) -> Iterator[str]:
    """Serve a folder on the loopback interface; gives the URL of its root."""
    handler = partial(QuietHandler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield urljoin(f"http://127.0.0.1:{server.server_port}", "/")
        finally:
            server.shutdown()


class QuietHandler(SimpleHTTPRequestHandler):
    """Serves files and logs nothing."""

    def log_message(self, *_: object) -> None:
        pass


def browser(folder: Path) -> Any:
    """A driver of Chromium, whose profile is in ``folder``."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    programs = filter(None, map(shutil.which, CHROMIUM_PROGRAMS))
    options.binary_location = next(programs, "")
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
