"""Runs the Go programs in ``programs/``, one for what needs the same packages: what
Kubernetes' own code says of a release.

Go keeps what it compiled, so that a program of a release is slow once: from a minute (the
gates) to a quarter of an hour (the flags) on two idle cores.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from kubestencil.data_files import data_file
from kubestencil.engine.environment import Environment
from kubestencil.errors import KubestencilError, SourceError
from kubestencil.source.releases import release_order
from kubestencil.validator.binaries import go_build, this_platform
from specs.make import go_modules
from specs.make.checkouts import Checkout, unpublished_modules

# Sources of the programs, beside the module that validators have.
_SOURCES = "specs/make/programs"
# The first release that a file of a program can be about, as `//go:build !kubernetes1.31`.
_FIRST_MINOR = 25


def program_rows(checkout: Checkout, program: str, table: str) -> Iterator[list[str]]:
    """The rows of a table that a program prints, cells.

    Raises SourceError for a module of the release that is not published, KubestencilError
    where Go cannot build or run the program.
    """
    for line in _output(checkout, program).splitlines():
        name, *cells = line.split("\t")
        if name == table:
            yield cells


@cache
def _output(checkout: Checkout, program: str) -> str:
    with tempfile.TemporaryDirectory(prefix="kubestencil-program-") as folder:
        module = Path(folder) / "module"
        shutil.copytree(data_file(_SOURCES), module)
        (module / "go.mod").write_text(_go_mod(checkout), "utf-8")
        binary = Path(folder) / program
        tags = f"-tags={','.join(_tags(checkout.release))}"
        try:
            go_build(binary, module, this_platform(), [tags, f"./{program}"])
        except KubestencilError as error:
            if missing := unpublished_modules(error.what):
                raise SourceError(
                    f"needs {missing[0].replace('@', ' ')}, which is not published",
                    where=f"{program} of {checkout.release}",
                ) from error
            raise
        run = subprocess.run([binary], capture_output=True, text=True)
    if run.returncode:
        raise KubestencilError(
            "\n  ".join(["ends with an error:", *run.stderr.splitlines()[-10:]]),
            where=f"{program} of {checkout.release}",
        )
    return run.stdout


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


def _tags(release: str) -> Sequence[str]:
    """A tag for each minor version until that of a release: Go has names of its own
    versions for the same."""
    minor = release_order(release)[1]
    return [f"kubernetes1.{each}" for each in range(_FIRST_MINOR, minor + 1)]
