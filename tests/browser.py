"""A real browser for the tests: Chromium, headless, driven by Selenium; and what tests
do on pages of the docs site."""

from __future__ import annotations

import functools
import http.server
import json
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
PHONE, DESK = (360, 780), (1280, 900)

# Pages of the docs site, the options that it is generated with, a field of the Pod, and the
# condition that the search has read its files.
POD = "1.35/core/v1/Pod/"
DEPLOYMENT = "1.35/apps/v1/Deployment/"
RECURSIVE = "1.35/apiextensions.k8s.io/v1/JSONSchemaProps/"
SITE_OPTIONS = ("-o", "printed", "--set", "site.url=http://localhost/site/")
NESTED_FIELD = "spec.containers.livenessProbe.httpGet.port"
# A page of each kind.
PAGES = (
    *("", "1.35/", "1.35/apps/", "1.35/apps/v1/", POD, f"{POD}all/", RECURSIVE),
    *(
        f"{DEPLOYMENT}operations/",
        "1.35/core/v1/PodList/",
        "1.35/meta/v1/LabelSelector/",
    ),
    *(
        "1.35/storage.k8s.io/v1alpha1/VolumeAttributesClass/",
        "1.34/apps/v1/Deployment/",
    ),
    *("diff/index.html", "diff/1.34-1.35.html", "diff/history.html"),
    *("404.html", "pages/guide/", "compare/"),
)
#: In each run a page of each layout; all nightly.
PAGES_OF_EACH_RUN = [
    (
        page
        if page in ("", POD, "diff/1.34-1.35.html", "compare/")
        else pytest.param(page, marks=pytest.mark.nightly)
    )
    for page in PAGES
]
INDEX_IS_LOADED = "document.querySelector('#found[aria-busy=false]')"


@contextmanager
def chromium(profile: Path) -> Iterator[Any]:
    """A driver with an empty profile that records logs and requests of pages."""
    if not (CHROMIUM and DRIVER):
        pytest.skip("chromium and chromedriver are not installed")
    webdriver = pytest.importorskip(
        "selenium.webdriver", reason="selenium is not installed"
    )
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for argument in (
        *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic"),
        *("--no-first-run", "--disable-background-networking", "--disable-sync"),
        "--disable-component-update",
        f"--user-data-dir={profile}",
    ):
        options.add_argument(argument)
    options.set_capability(
        "goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"}
    )
    service = webdriver.ChromeService(executable_path=DRIVER)
    driver = webdriver.Chrome(options=options, service=service)
    driver.set_page_load_timeout(60)
    driver.set_script_timeout(60)
    try:
        yield driver
    finally:
        driver.quit()


class Browser:
    """Opens pages, runs scripts in them, and records what they log and request."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def forget(self) -> None:
        """Clear storage, logs and recorded requests."""
        self.driver.execute_cdp_cmd(
            "Storage.clearDataForOrigin", {"origin": "*", "storageTypes": "all"}
        )
        self.logged()
        self.requests()

    def screen(self, size: tuple[int, int] = DESK, scheme: str = "light") -> None:
        """Set the size of the screen and the preferred colour scheme for the next page."""
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {
                "width": size[0],
                "height": size[1],
                "deviceScaleFactor": 1,
                "mobile": size == PHONE,
            },
        )
        self.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia",
            {"features": [{"name": "prefers-color-scheme", "value": scheme}]},
        )

    def open(self, url: str) -> None:
        """Load a page, even where only its fragment differs from the current one."""
        self.driver.get("about:blank")
        self.driver.get(url)
        # Tab may have led out of the page before: without the focus, a page has no
        # clipboard, and no events of it.
        self.driver.execute_cdp_cmd("Page.bringToFront", {})
        self.settle()

    def settle(self, pause: int = 0) -> None:
        """Wait for a pause of so many milliseconds, and for two frames."""
        self.driver.execute_async_script(
            "const [pause, done] = arguments; setTimeout(() => requestAnimationFrame("
            "() => requestAnimationFrame(() => done())), pause)",
            pause,
        )

    def run(self, script: str, *arguments: Any) -> Any:
        """The value that a function body returns in the page."""
        return self.driver.execute_script(script, *arguments)

    def wait(self, condition: str, *arguments: Any) -> Any:
        """Wait until an expression in the page is true; returns its value."""
        from selenium.webdriver.support.ui import WebDriverWait

        script = f"return {condition}"
        return WebDriverWait(self.driver, 30, poll_frequency=0.05).until(
            lambda _: self.driver.execute_script(script, *arguments), condition
        )

    def press(self, *keys: str) -> None:
        """Press keys one after the other on the focused element."""
        from selenium.webdriver.common.action_chains import ActionChains

        ActionChains(self.driver).send_keys(*keys).perform()
        self.settle()

    def logged(self) -> list[dict[str, Any]]:
        """What pages have logged since the last call: errors and policy violations."""
        return list(self.driver.get_log("browser"))

    def requests(self) -> set[str]:
        """The URLs that pages have requested since the last call."""
        messages = [
            json.loads(entry["message"])["message"]
            for entry in self.driver.get_log("performance")
        ]
        return {
            message["params"]["request"]["url"]
            for message in messages
            if message["method"] == "Network.requestWillBeSent"
        }


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder on this machine; yields the URL."""
    handler = functools.partial(_Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()
        thread.join()


def file_url(site: Path, page: str) -> str:
    """The URL of a page of the site in a folder, as a local file."""
    file = site / page
    return (file / "index.html" if file.is_dir() else file).as_uri()


def visible_fields(browser: Browser) -> list[str]:
    """The ids of the fields that are not in a collapsed list."""
    ids: list[str] = browser.run(
        "return [...document.querySelectorAll('main ul.tree > li')]"
        ".filter((item) => !item.closest('[hidden]')).map((item) => item.id)"
    )
    return ids


def click(browser: Browser, selector: str) -> None:
    """Click the first element that a CSS selector matches."""
    browser.run("document.querySelector(arguments[0]).click()", selector)
    browser.settle()


def find(browser: Browser, query: str) -> list[str]:
    """The URLs of the results for a query, after all indexes have been loaded."""
    browser.run(
        "document.getElementById('search-dialog')?.open || "
        "document.getElementById('find').click()"
    )
    browser.wait(INDEX_IS_LOADED)
    browser.run(
        "const input = document.querySelector('#search-dialog input');"
        "input.value = arguments[0]; input.dispatchEvent(new Event('input'))",
        query,
    )
    browser.settle()
    hrefs: list[str] = browser.run(
        "return [...document.querySelectorAll('#search-dialog [role=option]')]"
        ".map((option) => option.href)"
    )
    return hrefs
