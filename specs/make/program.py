"""Runs the Go programs in ``programs/``, one for what needs the same packages: what
Kubernetes' own code says of a release.

Go keeps what it compiled, so that a program of a release is slow once: from a minute (the
gates) to a quarter of an hour (the flags) on two idle cores.

Of a pre-release some modules may not be published. Those of Kubernetes itself are empty
here, and of others the newest version that is published stands for the one that is not, so
that programs which need none of them can be built.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from kubestencil.data_files import data_file
from kubestencil.engine.environment import Environment
from kubestencil.errors import KubestencilError, SourceError
from kubestencil.source.releases import has_reached
from kubestencil.validator.binaries import go_build, this_platform
from specs.make import go_modules
from specs.make.checkouts import Checkout, unpublished_modules
from specs.make.release.modules import versions

# Sources of the programs, beside the module that validators have.
_SOURCES = "specs/make/programs"
# What older releases have otherwise is in no program.
_FIRST = "1.34"


def program_rows(checkout: Checkout, program: str, table: str) -> Iterator[list[str]]:
    """The rows of a table that a program prints, cells.

    Raises SourceError for a module of the release that is not published, and for a release
    before 1.34; KubestencilError where Go cannot build or run the program.
    """
    for line in _output(checkout, program).splitlines():
        name, *cells = line.split("\t")
        if name == table:
            yield cells


@cache
def _output(checkout: Checkout, program: str) -> str:
    if not has_reached(checkout.release, _FIRST):
        raise SourceError(
            f"is for {_FIRST} and later", where=f"{program} of {checkout.release}"
        )
    with tempfile.TemporaryDirectory(prefix="kubestencil-program-") as folder:
        module = Path(folder) / "module"
        shutil.copytree(data_file(_SOURCES), module)
        binary = Path(folder) / program
        _build(binary, module, checkout, f"./{program}")
        run = subprocess.run([binary], capture_output=True, text=True)
    if run.returncode:
        raise KubestencilError(
            "\n  ".join(["ends with an error:", *run.stderr.splitlines()[-10:]]),
            where=f"{program} of {checkout.release}",
        )
    return run.stdout


def _build(binary: Path, module: Path, checkout: Checkout, package: str) -> None:
    """Let Go build a program, with other modules instead of those that are not published.

    Raises SourceError where it needs one of these.
    """
    replaced: dict[str, str] = {}
    while True:
        go_mod = "\n".join([_go_mod(checkout), *replaced.values(), ""])
        (module / "go.mod").write_text(go_mod, "utf-8")
        try:
            return go_build(binary, module, this_platform(), [package])
        except KubestencilError as error:
            missing = unpublished_modules(error.what)
            if found := [name for name in missing if name not in replaced]:
                replaced |= {name: _replacement(name, module) for name in found}
                continue
            for name in replaced:
                if name.partition("@")[0] in error.what:
                    raise SourceError(
                        f"needs {name.replace('@', ' ')}, which is not published",
                        where=f"{package[2:]} of {checkout.release}",
                    ) from error
            raise


def _replacement(name: str, module: Path) -> str:
    """The line of a go.mod that replaces a module which is not published (see above)."""
    path, _, version = name.partition("@")
    published = [] if path.startswith("k8s.io/") else versions(path)
    if published:
        return f"replace {path} {version} => {path} {published[-1]}"
    folder = module / "unpublished" / path
    folder.mkdir(parents=True)
    (folder / "go.mod").write_text(f"module {path}\n", "utf-8")
    return f"replace {name.replace('@', ' ')} => ./{folder.relative_to(module)}"


def _go_mod(checkout: Checkout) -> str:
    """The go.mod of the module: that of the validator of the release."""
    rows = list(go_modules.make_rows(checkout))
    # The version of the checkout: of a minor version, that of the first patch there is.
    version = checkout.module("kubernetes").name.partition("@v")[2]
    template = Environment([str(data_file("templates/validator"))]).find("go.mod.j2")
    return template.render(
        go=next(version for _, version in rows if version),
        version=version,
        module_version=version.replace("1.", "0.", 1),
        modules=[name for name, version in rows if not version],
    )
