"""What the tests share: specs, the command, and small documents made for a purpose."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from kubestencil.schema import Release, parse
from kubestencil.source import Source, locate
from tests.browser import Browser, chromium
from tests.cargo import Cargo

# A slow machine is no failure, and CI has to find the same as it did before.
settings.register_profile(
    "kubestencil",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    derandomize="CI" in os.environ,
)
settings.load_profile("kubestencil")

RELEASES = ("1.29", "1.30", "1.31", "1.32", "1.33", "1.34", "1.35")
ROOT = Path(__file__).parent.parent


def full_specs() -> Path | None:
    """The folder with the full specs, where one is given."""
    given = os.environ.get("KUBESTENCIL_SPECS")
    return Path(given) if given else None


@cache
def load(release: str, specs: Path | None = None) -> Release:
    return parse(locate(release, specs))


def document(definitions: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A small OpenAPI document."""
    return {
        "swagger": "2.0",
        "info": {"title": "test", "version": "1"},
        "paths": {},
        "definitions": definitions,
        **more,
    }


def source(definitions: dict[str, Any], **more: Any) -> Source:
    data = json.dumps(document(definitions, **more)).encode()
    return Source("test", "test.json", data)


def release(definitions: dict[str, Any], **more: Any) -> Release:
    return parse(source(definitions, **more))


class Command:
    """The command line, run as a user runs it: in a folder and process of its own."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self.folder = folder
        self.environment = environment

    def popen(self, *arguments: str, **options: Any) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "kubestencil", *arguments],
            cwd=self.folder,
            env=self.environment,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **options,
        )

    def __call__(self, *arguments: str, stdin: str = "", **options: Any) -> Any:
        process = self.popen(*arguments, **options)
        out, err = process.communicate(stdin, timeout=300)
        assert "Traceback" not in err, err
        return subprocess.CompletedProcess(arguments, process.returncode, out, err)


def command(folder: Path) -> Command:
    """The command in a folder, with nothing of this machine's: the embedded specs."""
    environment = {
        **{k: v for k, v in os.environ.items() if k != "KUBESTENCIL_SPECS"},
        "PYTHONPATH": str(ROOT / "generator"),
        "XDG_CACHE_HOME": str(folder / "cache"),
        "NO_COLOR": "1",
    }
    return Command(folder, environment)


@pytest.fixture
def run(tmp_path: Path) -> Command:
    return command(tmp_path)


@pytest.fixture(scope="session")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """One Chromium for all tests; skips them where there is none."""
    with chromium(tmp_path_factory.mktemp("profile")) as driver:
        yield driver


@pytest.fixture
def browser(driver: Any) -> Iterator[Browser]:
    """A browser that remembers nothing; no page may log an error."""
    browser = Browser(driver)
    browser.forget()
    browser.screen()
    yield browser
    assert browser.logged() == []


@pytest.fixture(scope="session")
def cargo(pytestconfig: pytest.Config) -> Cargo:
    if shutil.which("cargo") is None:
        pytest.skip("cargo is missing")
    given = os.environ.get("CARGO_TARGET_DIR")
    return Cargo(Path(given) if given else pytestconfig.cache.mkdir("cargo"))


def listing(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, hidden ones included, with its bytes."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def visible(folder: Path) -> dict[str, bytes]:
    """The same without kubestencil's own records."""
    return {
        path: data
        for path, data in listing(folder).items()
        if not path.startswith(".kubestencil")
    }


POD = "io.k8s.api.core.v1.Pod"
SMALL = {
    POD: {
        "description": "A pod.",
        "type": "object",
        "properties": {
            "name": {"type": "string", "description": "Its name."},
            "next": {"$ref": f"#/definitions/{POD}"},
        },
        "required": ["name"],
    }
}


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A file with a small spec, for tests that are not about Kubernetes' own."""
    path = tmp_path / "small.json"
    path.write_text(json.dumps(document(SMALL)))
    return path
