"""The programs on this machine: where they are, and how Go builds them."""

from __future__ import annotations

import hashlib
import importlib.util
import lzma
import os
import platform
import re
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from platformdirs import user_cache_path

from kubestencil import atomic
from kubestencil.data_files import data_file
from kubestencil.errors import KubestencilError, UsageError
from kubestencil.output_paths import save
from kubestencil.schema.knowledge.components import facts_of_program
from kubestencil.source.releases import (
    full_version,
    is_version,
    minor_of_patch,
    release_order,
)
from kubestencil.version import __version__

#: The platforms that programs are built for, as Go calls them.
PLATFORMS = (
    "linux/amd64",
    "linux/arm64",
    "darwin/amd64",
    "darwin/arm64",
    "windows/amd64",
    "windows/arm64",
)

_SYSTEMS = {"Linux": "linux", "Darwin": "darwin", "Windows": "windows"}
_MACHINES = {"x86_64": "amd64", "AMD64": "amd64", "aarch64": "arm64", "arm64": "arm64"}
_GO_LINE = re.compile(r"^go (\d+)\.(\d+)", re.M)
_GO_VERSION = re.compile(r"\bgo(\d+)\.(\d+)")
# Bytes of a program; those that are built have 83 MB.
_MAX_PROGRAM = 512 * 1024 * 1024
_OTHER_FOLDER = "KUBESTENCIL_VALIDATORS names another folder"


class Binary(NamedTuple):
    """A program that was built: of the version 1.35.0 of Kubernetes, for a platform.

    ``is_current`` says whether it was built from what this version of kubestencil has.
    """

    version: str
    platform: str
    path: Path
    is_current: bool


def this_platform() -> str:
    """The platform of this machine, as Go calls it."""
    system, machine = platform.system(), platform.machine()
    return f"{_SYSTEMS.get(system, system.lower())}/{_MACHINES.get(machine, machine)}"


def find_binary(release: str) -> Path | None:
    """The program of a release for this machine, that of its newest patch; None where
    there is none.

    One that was installed as a package is unpacked the first time.
    """
    candidates = [
        (release_order(binary.version), binary.path)
        for binary in (*_packaged(), *binaries())
        if binary.is_current
        and binary.platform == this_platform()
        and release in (binary.version, minor_of_patch(binary.version))
    ]
    if not candidates:
        return None
    path = max(
        candidates, key=lambda candidate: (candidate[0], not _is_packed(candidate[1]))
    )[1]
    return _unpack(path) if _is_packed(path) else path


def require_binary(release: str) -> Path:
    """The program of a release. Raises UsageError where there is none."""
    path = find_binary(release.removeprefix("v"))
    if path is None:
        raise UsageError(
            "is not built",
            where=f"the validator of {release}",
            hint=f"kubestencil validator build {release}",
        )
    return path


def binaries() -> Iterator[Binary]:
    """All programs that were built."""
    paths = sorted(_folder().glob("*/*/*/validator*"))
    for path in paths:
        version, system, built_from, _ = path.relative_to(_folder()).parts
        if _is_full(version) and path.suffix != atomic.PARTIAL_SUFFIX:
            yield Binary(
                version, system.replace("-", "/"), path, built_from == _digest(version)
            )


def _packaged() -> Iterator[Binary]:
    """The programs in installed packages (.ci/validator-packages), compressed."""
    spec = importlib.util.find_spec("kubestencil_validators")
    for folder in spec.submodule_search_locations or () if spec else ():
        for path in sorted(Path(folder).glob("*/*/validator*.xz")):
            version, built_from, _ = path.relative_to(folder).parts
            if _is_full(version):
                yield Binary(
                    version, this_platform(), path, built_from == _digest(version)
                )


def _is_full(version: str) -> bool:
    return is_version(version) and full_version(version) == version


def _is_packed(path: Path) -> bool:
    return path.suffix == ".xz"


def _unpack(packed: Path) -> Path:
    """The program of a package in the cache, which is named after its digest."""
    path = binary_path(packed.parts[-3], this_platform())
    if not path.is_file():
        decompressor = lzma.LZMADecompressor()
        try:
            program = decompressor.decompress(packed.read_bytes(), _MAX_PROGRAM)
        except (OSError, lzma.LZMAError):
            program = b""
        if not program or not decompressor.eof:
            raise KubestencilError(
                "is no program that is compressed",
                where=str(packed),
                hint="install the package again",
            )
        save(path, program, mode=0o755, hint=_OTHER_FOLDER)
    return path


def binary_path(version: str, system: str) -> Path:
    """Where the program of a version (1.35.0) is, or would be."""
    suffix = ".exe" if system.startswith("windows/") else ""
    folder = _folder() / version / system.replace("/", "-") / _digest(version)
    return folder / f"validator{suffix}"


def build_binary(version: str, files: Mapping[str, bytes], system: str) -> Path:
    """Build the program of a version from the files of its Go module.

    Raises KubestencilError as ``go_build`` does.
    """
    path = binary_path(version, system)
    with tempfile.TemporaryDirectory(prefix="kubestencil-validator-") as folder:
        module = Path(folder)
        for name, data in files.items():
            (module / name).write_bytes(data)
        program = module / path.name
        go_build(program, module, system)
        data = program.read_bytes()
        save(path, data, mode=0o755, hint=_OTHER_FOLDER)
    return path


def _check_go(manifest: str) -> None:
    """Raise KubestencilError where Go is missing, or older than a go.mod asks for and
    than 1.21, which fetches the version that it needs."""
    try:
        run = subprocess.run(
            ["go", "version"], check=True, capture_output=True, text=True
        )
    except (OSError, subprocess.CalledProcessError) as error:
        hint = "install Go (go.dev/doc/install)"
        raise KubestencilError("cannot be run", where="go", hint=hint) from error
    needed, found = _GO_LINE.search(manifest), _GO_VERSION.search(run.stdout)
    assert needed is not None
    wanted = int(needed[1]), int(needed[2])
    version = (int(found[1]), int(found[2])) if found else (0, 0)
    if version < min(wanted, (1, 21)):
        raise KubestencilError(
            f"is {version[0]}.{version[1]}, and the release needs {needed[1]}.{needed[2]}",
            where="go",
        )


def _folder() -> Path:
    """``KUBESTENCIL_VALIDATORS``, such as a folder of a container, or the user's cache."""
    named = os.environ.get("KUBESTENCIL_VALIDATORS")
    return Path(named) if named else user_cache_path("kubestencil") / "validators"


@cache
def _digest(version: str) -> str:
    """What the program of a version is built from: the version of kubestencil, the files
    of the target but for its tests, and the facts of the release."""
    digest = hashlib.sha256(__version__.encode())
    files = filter(Path.is_file, (data_file("templates") / "validator").iterdir())
    for path in sorted(files):
        if not path.name.endswith("_test.go"):
            digest.update(path.name.encode() + b"\0" + path.read_bytes())
    for facts in facts_of_program(version):
        digest.update(facts.encode())
    return digest.hexdigest()[:16]


def go_build(
    program: Path, module: Path, system: str, arguments: Sequence[str] = (".",)
) -> None:
    """Let Go build a program of a module: ``arguments`` name its package, after options.

    Go downloads modules. Raises KubestencilError without Go, where Go is too old, and with
    what Go says where it fails.
    """
    _check_go((module / "go.mod").read_text("utf-8"))
    operating_system, _, architecture = system.partition("/")
    environment = {
        **os.environ,
        "GOOS": operating_system,
        "GOARCH": architecture,
        "CGO_ENABLED": "0",
        "GOWORK": "off",
        "GOFLAGS": "",
    }
    command = ["go", "build", "-mod=mod", "-trimpath", "-ldflags=-s -w"]
    run = subprocess.run(
        [*command, f"-o={program}", *arguments],
        cwd=module,
        env=environment,
        capture_output=True,
        text=True,
    )
    if run.returncode:
        lines = run.stderr.strip().splitlines()
        raise KubestencilError(
            "\n  ".join(["Go could not build it:", *lines[-10:]]), where="go build"
        )
