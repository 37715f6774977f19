"""A real browser for the tests: Chromium, headless, driven by Selenium."""

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


@contextmanager
def chromium(profile: Path) -> Iterator[Any]:
    """A driver with an empty profile that reports what pages log and ask for."""
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
    """What a test does with a page."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def forget(self) -> None:
        """What sites stored, logged and asked for."""
        self.driver.execute_cdp_cmd(
            "Storage.clearDataForOrigin", {"origin": "*", "storageTypes": "all"}
        )
        self.logged()
        self.requests()

    def screen(self, size: tuple[int, int] = DESK, scheme: str = "light") -> None:
        """What the next page is shown on, and which colours its system prefers."""
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
        """Open a page anew, even where only its fragment differs."""
        self.driver.get("about:blank")
        self.driver.get(url)
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
        """The value of an expression in the page, as soon as it is true there."""
        from selenium.webdriver.support.ui import WebDriverWait

        script = f"return {condition}"
        return WebDriverWait(self.driver, 30, poll_frequency=0.05).until(
            lambda _: self.driver.execute_script(script, *arguments), condition
        )

    def press(self, *keys: str) -> None:
        """Press keys one after the other, wherever the focus is."""
        from selenium.webdriver.common.action_chains import ActionChains

        ActionChains(self.driver).send_keys(*keys).perform()
        self.settle()

    def logged(self) -> list[dict[str, Any]]:
        """What pages logged since last asked: errors, and what a policy forbade."""
        return list(self.driver.get_log("browser"))

    def requests(self) -> set[str]:
        """The addresses that were asked for since last asked."""
        messages = [
            json.loads(entry["message"])["message"]
            for entry in self.driver.get_log("performance")
        ]
        return {
            each["params"]["request"]["url"]
            for each in messages
            if each["method"] == "Network.requestWillBeSent"
        }


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """A folder on a web server of this machine; yields its address."""
    handler = functools.partial(_Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()
        thread.join()
