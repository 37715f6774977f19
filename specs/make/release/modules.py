"""Downloads the Go modules of a release of Kubernetes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from kubestencil.errors import KubestencilError
from kubestencil.source.releases import (
    full_version,
    is_version,
    minor_of_patch,
    minor_version_in,
    release_order,
)

#: The modules k8s.io/… that tables are made from, beside k8s.io/kubernetes.
MODULES = (
    *("api", "apiextensions-apiserver", "apimachinery", "apiserver", "client-go"),
    *("cloud-provider", "component-base", "controller-manager", "endpointslice"),
    *("dynamic-resource-allocation", "kube-aggregator", "kube-proxy", "kube-scheduler"),
    *("kubelet", "pod-security-admission"),
)

_GO_LINE = re.compile(r"^go (\S+)$", re.M)
_NUMBER = re.compile(r"\d+")


class Downloads(NamedTuple):
    """The modules of a release in Go's module cache ``folder``; ``refused`` are those that
    could not be had, each with the reason."""

    folder: Path
    refused: Mapping[str, str]


def download(release: str, base: str) -> Downloads:
    """Download the modules of a release, and k8s.io/kubernetes of the one whose facts its
    own are compared with.

    The version of Go that the release asks for in its go.mod is used for it, and for all
    programs that this one starts (GOTOOLCHAIN), where Go is older. Raises
    KubestencilError where Go, or k8s.io/kubernetes of the release, is not to be had.
    """
    version = full_version(release)
    kubernetes = f"k8s.io/kubernetes@v{version}"
    _use_toolchain(_described(kubernetes))
    names = [
        kubernetes,
        f"k8s.io/kubernetes@v{full_version(base)}",
        *(f"k8s.io/{name}@v0{version[1:]}" for name in MODULES),
    ]
    answers = _answers(["mod", "download", "-json", *names])
    refused = {
        f"{answer['Path']}@{answer['Version']}": answer["Error"]
        .splitlines()[-1]
        .strip()
        for answer in answers
        if "Error" in answer
    }
    if kubernetes in refused:
        raise KubestencilError(refused[kubernetes], where=kubernetes)
    return Downloads(Path(_go(["env", "GOMODCACHE"]).stdout.strip()), refused)


def next_release(known: Collection[str]) -> str | None:
    """The newest release of the oldest minor version that upstream has tagged and that is
    not ``known``: final, or a pre-release after the alpha ones, which come with the first
    commit after a branch. None where all are known. Patches have no list of their own.
    """
    newest = max(map(release_order, known))
    later = [
        name
        for name in (version[1:] for version in versions("k8s.io/kubernetes"))
        if is_version(name)
        and release_order(name) > newest
        and full_version(minor := minor_of_patch(name)) == name
        and minor not in known
        and "-alpha." not in name
    ]
    later.sort(key=release_order)
    of_oldest = [
        name for name in later if minor_version_in(name) == minor_version_in(later[0])
    ]
    return of_oldest[-1] if of_oldest else None


def versions(module: str) -> list[str]:
    """The versions of a module that are published, oldest first; none where it is not."""
    return _go(["list", "-m", "-versions", module]).stdout.split()[1:]


def _described(module: str) -> str:
    """The go.mod of a module, which is there before the module."""
    (answer,) = _answers(["list", "-m", "-json", module])
    if "GoMod" not in answer:
        raise KubestencilError("is not to be had", where=module)
    return Path(answer["GoMod"]).read_text("utf-8")


def _use_toolchain(go_mod: str) -> None:
    needed = _GO_LINE.search(go_mod)
    if needed and _numbers(needed[1]) > _numbers(_go(["env", "GOVERSION"]).stdout):
        os.environ["GOTOOLCHAIN"] = f"go{needed[1]}"


def _numbers(version: str) -> list[int]:
    return [*map(int, _NUMBER.findall(version))]


def _answers(arguments: Sequence[str]) -> list[dict[str, Any]]:
    """What Go prints of modules, one JSON object after another."""
    run = _go(arguments)
    answers = list(_objects(run.stdout))
    if not answers:
        lines = run.stderr.strip().splitlines() or ["printed nothing"]
        raise KubestencilError(lines[-1], where=f"go {' '.join(arguments)}")
    return answers


def _objects(text: str) -> Iterator[dict[str, Any]]:
    decoder = json.JSONDecoder()
    while text := text.lstrip():
        answer, end = decoder.raw_decode(text)
        yield answer
        text = text[end:]


def _go(arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
    # Away from modules, whose go.mod would decide.
    with tempfile.TemporaryDirectory(prefix="specs-make-") as folder:
        try:
            return subprocess.run(
                ["go", *arguments], cwd=folder, capture_output=True, text=True
            )
        except OSError as error:
            hint = "install Go (go.dev/doc/install)"
            raise KubestencilError("cannot be run", where="go", hint=hint) from error
