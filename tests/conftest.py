"""Fixtures and helpers of all tests: releases, small documents, the command line.

What a test says of the newest release it says of ``NEWEST``, so that it holds when there
is a newer one. Tests of one release use 1.35, of which CI has the API server, the
validator and the full document, or the releases in which something changed: what is true
of these does not change.
"""

from __future__ import annotations

import atexit
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any

import click
import pytest
from hypothesis import HealthCheck, settings

from kubestencil.cli import cli
from kubestencil.schema import Release, parse
from kubestencil.schema.load import load_release
from kubestencil.schema.types import JsonObject
from kubestencil.source import Source, embedded, locate
from kubestencil.source.document import CrdSet, SourceFile
from kubestencil.source.inputs import add_crds
from kubestencil.source.releases import listed_releases
from tests import api_server as api
from tests.browser import SITE_OPTIONS, Browser, chromium, served
from tests.cargo import Cargo
from tests.cluster import installable_crds
from tests.packages import (
    CLIENT,
    PACKAGE,
    generate_client,
    generate_package,
    import_client,
    import_package,
)

# There is no time limit for an example, and CI tries the same examples in each run.
settings.register_profile(
    "kubestencil",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    derandomize="CI" in os.environ,
)
settings.load_profile("kubestencil")

# A validator that a developer has built would have its say in every check.
os.environ["KUBESTENCIL_VALIDATORS"] = os.devnull

ROOT = Path(__file__).parent.parent
#: The supported releases (specs/releases.toml), oldest first.
RELEASES = tuple(listed_releases())
OLDEST, NEWEST = RELEASES[0], RELEASES[-1]
#: The releases with an embedded document, oldest first, and neighbours among them.
EMBEDDED = tuple(embedded.releases())
EMBEDDED_PAIRS = tuple(pairwise(EMBEDDED))


def rest_nightly(cases: Iterable[Any], count: int = 1) -> list[Any]:
    """Parameters of a test: the first ones in each run, the others in ``.ci/nightly``."""
    return [
        case if i < count else pytest.param(*_values(case), marks=pytest.mark.nightly)
        for i, case in enumerate(cases)
    ]


def _values(case: Any) -> tuple[Any, ...]:
    return case if isinstance(case, tuple) else (case,)


#: For tests of one release: the newest in each run, the oldest and one between nightly.
SOME_RELEASES = rest_nightly((NEWEST, OLDEST, RELEASES[len(RELEASES) // 2]))
#: ``KUBESTENCIL_COMPILERS=all`` lets compilers read all that can be generated, else they
#: read what two cores compile in some minutes.
ALL_IS_COMPILED = os.environ.get("KUBESTENCIL_COMPILERS") == "all"
takes_minutes = pytest.mark.skipif(
    not ALL_IS_COMPILED, reason="the compiler takes minutes: KUBESTENCIL_COMPILERS=all"
)

#: The markers of tests by the fixtures that they use.
_MARKERS = {
    "api_server": pytest.mark.server,
    "cargo": pytest.mark.compiler("cargo"),
    "checker": pytest.mark.compiler,
    "driver": pytest.mark.browser,
}


def pytest_itemcollected(item: pytest.Item) -> None:
    if item.get_closest_marker("growth") or "old_api_server" in getattr(
        item, "fixturenames", ()
    ):
        item.add_marker(pytest.mark.nightly)
    for fixture in getattr(item, "fixturenames", ()):
        if marker := _MARKERS.get(fixture):
            item.add_marker(marker)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test where a program that its markers name is not installed."""
    for name in ("compiler", "peer"):
        for marker in item.iter_markers(name):
            for program in marker.args:
                if shutil.which(program) is None:
                    pytest.skip(f"{program} is not installed")


def full_specs() -> Path | None:
    """The folder with the full documents, if KUBESTENCIL_SPECS names one."""
    folder = os.environ.get("KUBESTENCIL_SPECS")
    return Path(folder) if folder else None


#: The supported releases that ``full_specs()`` has; without that folder, all of them.
FULL_RELEASES = tuple(
    name
    for name in RELEASES
    if not (specs := full_specs()) or (specs / f"{name}.json").is_file()
)
#: For tests of published bytes: the oldest and the newest with full documents in each
#: run, all others nightly.
EACH_RELEASE = rest_nightly(
    sorted(
        RELEASES, key=lambda name: name not in (FULL_RELEASES[0], FULL_RELEASES[-1])
    ),
    2,
)


@cache
def all_commands() -> dict[str, click.Command]:
    """The commands of the command line by name."""
    context = click.Context(cli)
    commands = {
        name: cli.get_command(context, name) for name in cli.list_commands(context)
    }
    return {name: command for name, command in commands.items() if command}


@cache
def load(release: str, specs: Path | None = None) -> Release:
    """A release of Kubernetes: the embedded one, or that in the folder ``specs``. A test
    that needs a document that the folder lacks is skipped."""
    if specs and not (specs / f"{release}.json").is_file():
        pytest.skip(f"{specs} has no document of {release}")
    return parse(locate(release, specs))


def load_with_crds(release: str, crds: Sequence[JsonObject]) -> Release:
    """An embedded release with CustomResourceDefinitions."""
    data = json.dumps({"kind": "List", "items": crds}).encode()
    files = (SourceFile("crds.json", data),)
    return load_release(add_crds(locate(release, None), CrdSet(("crds.json",), files)))


def make_document(definitions: dict[str, Any], **more: Any) -> dict[str, Any]:
    """An OpenAPI document with these definitions, and other keys at its top level."""
    return {
        "swagger": "2.0",
        "info": {"title": "test", "version": "1"},
        "paths": {},
        "definitions": definitions,
        **more,
    }


def make_source(definitions: dict[str, Any], **more: Any) -> Source:
    """The source of such a document."""
    data = json.dumps(make_document(definitions, **more)).encode()
    return Source("test", "test.json", data)


def make_release(definitions: dict[str, Any], **more: Any) -> Release:
    """The release in such a document."""
    return parse(make_source(definitions, **more))


class _CommandServer:
    """Runs commands in processes that have the package imported (tests.command_server)."""

    def __init__(self, folder: Path) -> None:
        self.environment = {
            **{k: v for k, v in os.environ.items() if k not in _LEFT_OUT},
            "PYTHONPATH": str(ROOT / "generator"),
        }
        self._lock = Lock()
        self._streams = folder
        self._process = subprocess.Popen(
            [sys.executable, str(ROOT / "tests/command_server.py")],
            cwd=folder,
            env=self.environment,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def end(self) -> None:
        self._process.communicate()

    def runs(self, environment: Mapping[str, str]) -> bool:
        """Whether a command can have this environment: what Python reads when it starts,
        and the language, are those of the server."""
        return _when_python_starts(environment) == _when_python_starts(self.environment)

    def run(
        self,
        folder: Path,
        environment: Mapping[str, str],
        arguments: Sequence[str],
        text: str,
    ) -> subprocess.CompletedProcess[str]:
        process = self._process
        assert process.stdin and process.stdout
        out, err = self._streams / "out", self._streams / "err"
        with self._lock:
            (self._streams / "in").write_text(text)
            out.write_bytes(b"")
            err.write_bytes(b"")
            request = {
                "folder": str(folder),
                "environment": dict(environment),
                "arguments": arguments,
                "streams": str(self._streams),
            }
            print(json.dumps(request), file=process.stdin, flush=True)
            code = int(process.stdout.readline())
            return subprocess.CompletedProcess(
                arguments, code, out.read_text(), err.read_text()
            )


def _when_python_starts(environment: Mapping[str, str]) -> dict[str, str]:
    return {
        name: value
        for name, value in environment.items()
        if name.startswith(("PYTHON", "LC_", "LANG"))
    }


@cache
def _command_server() -> _CommandServer:
    folder = TemporaryDirectory(prefix="kubestencil-commands-")
    server = _CommandServer(Path(folder.name))
    atexit.register(server.end)
    atexit.register(folder.cleanup)
    return server


class Command:
    """Runs ``kubestencil`` in a process of its own, in a folder."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self.folder = folder
        self.environment = environment

    def popen(self, *arguments: str, **options: Any) -> subprocess.Popen[str]:
        """Start the command in a new interpreter."""
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
        """Run the command to its end: in a new interpreter where the test gives options
        or an environment that need one, else in a process that is ready for it."""
        if not options and hasattr(os, "fork"):
            server = _command_server()
            if server.runs(self.environment):
                done = server.run(self.folder, self.environment, arguments, stdin)
                assert "Traceback" not in done.stderr, done.stderr
                return done
        process = self.popen(*arguments, **options)
        out, err = process.communicate(stdin, timeout=300)
        assert "Traceback" not in err, err
        return subprocess.CompletedProcess(arguments, process.returncode, out, err)


# With PYTHONUNBUFFERED, what is printed fails at other moments than for most people.
_LEFT_OUT = frozenset(["KUBESTENCIL_SPECS", "PYTHONUNBUFFERED"])


def make_command(folder: Path) -> Command:
    """The command in a folder, with the embedded documents and an empty cache."""
    environment = {
        **{k: v for k, v in os.environ.items() if k not in _LEFT_OUT},
        "PYTHONPATH": str(ROOT / "generator"),
        "XDG_CACHE_HOME": str(folder / "cache"),
        "NO_COLOR": "1",
    }
    return Command(folder, environment)


@pytest.fixture
def run(tmp_path: Path) -> Command:
    return make_command(tmp_path)


@pytest.fixture(scope="session")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Chromium, one for all tests, which are skipped where it is not installed."""
    with chromium(tmp_path_factory.mktemp("profile")) as driver:
        yield driver


@pytest.fixture
def browser(driver: Any) -> Iterator[Browser]:
    """A browser without stored data. The test fails if a page logs an error."""
    browser = Browser(driver)
    browser.forget()
    browser.screen()
    yield browser
    assert browser.logged() == []


# An extra page of the docs site.
GUIDE = """# A guide

A [link](https://example.com), `code`, and a table that is wider than a phone:

| one of the columns | another of the columns | a third of the columns |
| --- | ---: | --- |
| text | 1 | `a_long_word_that_has_no_place_at_which_it_could_be_broken` |

## Steps

1. First
2. Then

```yaml
kind: Pod
```
"""


@pytest.fixture(scope="session")
def site_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The docs site of two releases and an extra page, generated below the root of a
    server; or that in the folder KUBESTENCIL_SITE."""
    if "KUBESTENCIL_SITE" in os.environ:
        return Path(os.environ["KUBESTENCIL_SITE"]).resolve()
    folder = tmp_path_factory.mktemp("site")
    (folder / "docs").mkdir()
    (folder / "docs" / "guide.md").write_text(GUIDE)
    pages = "--set=site.pages=docs"
    done = make_command(folder)(
        "render", "1.34", "1.35", "-t", "site", *SITE_OPTIONS, pages
    )
    assert done.returncode == 0, done.stderr
    return folder / "printed" / "site"


@pytest.fixture(scope="session")
def base_url(site_folder: Path) -> Iterator[str]:
    """The URL of the site on a web server, with a base path."""
    with served(site_folder.parent) as address:
        yield f"{address}{site_folder.name}/"


@pytest.fixture(scope="session")
def package_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the generated Python package of 1.35."""
    return generate_package(load("1.35"), tmp_path_factory.mktemp("python"), PACKAGE)


@pytest.fixture(scope="session")
def package(package_folder: Path) -> Any:
    """The generated Python package of 1.35."""
    return import_package(package_folder, PACKAGE)


@pytest.fixture(scope="session")
def client_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the generated Python client of 1.35."""
    return generate_client(load("1.35"), tmp_path_factory.mktemp("client"), CLIENT)


@pytest.fixture(scope="session")
def client_modules(client_folder: Path) -> tuple[Any, Any]:
    """The package of the generated Python client of 1.35, and its module for asyncio."""
    return import_client(client_folder, CLIENT)


@pytest.fixture(scope="session")
def cargo(pytestconfig: pytest.Config) -> Cargo:
    folder = os.environ.get("CARGO_TARGET_DIR")
    return Cargo(Path(folder) if folder else pytestconfig.cache.mkdir("cargo"))


@pytest.fixture(scope="session")
def api_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[api.Client]:
    """A real kube-apiserver, one for all tests, which are skipped without binaries."""
    if reason := api.missing():
        pytest.skip(reason)
    with api.api_server(tmp_path_factory.mktemp("api-server")) as client:
        yield client


@pytest.fixture(scope="session")
def old_api_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[api.Client]:
    """The same of 1.29."""
    if reason := api.missing(api.OLD_SERVER):
        pytest.skip(reason)
    folder = tmp_path_factory.mktemp("old-api-server")
    with api.api_server(folder, server=api.OLD_SERVER) as client:
        yield client


@pytest.fixture(scope="session")
def cluster_crds() -> list[dict[str, Any]]:
    """The CustomResourceDefinitions of the archive KUBESTENCIL_CLUSTER."""
    return installable_crds()


@pytest.fixture(scope="session")
def custom_resources(
    api_server: api.Client, cluster_crds: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """The same, once the API server serves them."""
    api_server.install(cluster_crds)
    return cluster_crds


def read_files(folder: Path) -> dict[str, bytes]:
    """The files in a folder and those below it, by path, with their bytes."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def read_output(folder: Path) -> dict[str, bytes]:
    """The same without kubestencil's records of its runs."""
    return {
        path: data
        for path, data in read_files(folder).items()
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
    """The path of a small document."""
    path = tmp_path / "small.json"
    path.write_text(json.dumps(make_document(SMALL)))
    return path
