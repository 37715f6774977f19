"""The tables ``feature-gates``, the stages of the feature gates of each release, and
``gate-dependencies``, which gates need others.

A program registers the gates of a final minor version as its components do. Patches and
pre-releases have what upstream's own list (test/compatibility_lifecycle of
k8s.io/kubernetes) says of them, which needs no program. Of the gates that are not in it,
those of client-go are read from its source, and those of kubeadm are as in the release
before.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from kubestencil.schema.knowledge.gates import gate_rows
from kubestencil.schema.knowledge.snapshots import base_of, snapshots
from kubestencil.source.releases import (
    has_reached,
    minor_version_in,
    next_minor_version,
)
from kubestencil.source.yaml import documents
from specs.make.checkouts import Checkout, go_sources
from specs.make.go_types import string_constants
from specs.make.program import program_rows
from specs.make.progress import report

# Files that define gates, by module, whose constants are called after them.
_FILES = (
    ("client-go", "features/known_features.go"),
    ("component-base", "*/features/kube_features.go"),
    ("component-base", "logs/api/v1/kube_features.go"),
    ("controller-manager", "pkg/features/*features.go"),
    ("apiserver", "pkg/features/*features.go"),
    ("apiextensions-apiserver", "pkg/features/*features.go"),
    ("kubernetes", "cmd/kubeadm/app/features/features.go"),
    ("kubernetes", "pkg/features/*features.go"),
)
# The folders with the code of each component; what several share counts for none, unless a
# component adds the gates of it to its own.
_APISERVER = ("apis", "api", "registry", "controlplane", "kubeapiserver", "auth")
_CODE: Mapping[str, Sequence[tuple[str, str]]] = {
    "kube-apiserver": (
        *(("kubernetes", f"pkg/{folder}") for folder in _APISERVER),
        ("kubernetes", "cmd/kube-apiserver"),
        ("kubernetes", "pkg/serviceaccount"),
        ("kubernetes", "plugin"),
        ("apiserver", "pkg"),
        ("apiserver", "plugin"),
        ("apiextensions-apiserver", "pkg"),
        ("kube-aggregator", "pkg"),
    ),
    "kube-controller-manager": (
        ("kubernetes", "pkg/controller"),
        ("kubernetes", "cmd/kube-controller-manager"),
    ),
    "cloud-controller-manager": (("cloud-provider", "."),),
    "kube-scheduler": (
        ("kubernetes", "pkg/scheduler"),
        ("kubernetes", "cmd/kube-scheduler"),
    ),
    "kubelet": (
        ("kubernetes", "pkg/kubelet"),
        ("kubernetes", "pkg/apis/core/v1/helper/qos"),
        ("kubernetes", "cmd/kubelet"),
        ("kubernetes", "pkg/volume"),
        ("kubernetes", "pkg/probe"),
    ),
    "kube-proxy": (("kubernetes", "pkg/proxy"), ("kubernetes", "cmd/kube-proxy")),
    "kubeadm": (("kubernetes", "cmd/kubeadm"),),
    "client-go": (("client-go", "."),),
}
_USE = re.compile(r"\b\w*[fF]eature(?:s|gates?)\.(\w+)\b")
# A package of component-base, which has gates of its own that components add to theirs.
_SHARED = "component-base"
_IMPORT = re.compile(rf'^\s*(?:(\w+) )?"k8s\.io/{_SHARED}/([\w/]+)"$', re.M)
# What gates depend on: the map of their constants, and an entry of it.
_DEPENDENCIES = re.compile(
    r"map\[featuregate\.Feature\]\[\]featuregate\.Feature\{(.*?)^\}", re.M | re.S
)
_DEPENDENCY = re.compile(r"([\w.()]+):\s*\{([^{}]+)\}")
_WORD = re.compile(r"\w+")
_COMMENT = re.compile(r"//.*")
# The gates of client-go, each with what it is from a release on.
_KNOWN = re.compile(r"^\t(\w+): \{\n((?:\t\t\{Version.*\n)+)\t\}", re.M)
_SPEC = re.compile(
    r'MustParse\("([\d.]+)"\), Default: (true|false), PreRelease: (\w+)'
    r"(, LockToDefault: true)?"
)
# Of 1.32, and since 1.33: of gates whose stages have releases, and of others.
_LISTS = (
    "test/featuregates_linter/test_data/*versioned_feature_list.yaml",
    "test/compatibility_lifecycle/reference/*versioned_feature_list.yaml",
)


class GateStage(NamedTuple):
    """A feature gate in one release, as the table has it: ``stage`` is alpha, beta, ga or
    deprecated, ``default`` on or off, ``locked`` empty where it can be changed."""

    stage: str
    default: str
    locked: str


def make_rows(checkout: Checkout) -> Iterator[tuple[str, ...]]:
    """The rows of the table for a release.

    Raises SourceError where the program needs a module that is not published.
    """
    names = gate_names(checkout)
    components: dict[str, set[str]] = defaultdict(set)
    # What no longer asks for a gate that cannot be changed is still what it is about.
    for row in gate_rows():
        components[row.gate].update(row.components)
    for component, constant in gate_uses(checkout):
        components[names.get(constant, constant)].add(component)
    for gate, stage in sorted(gate_stages(checkout).items()):
        yield gate, *stage, " ".join(sorted(components[gate]))


def dependency_rows(checkout: Checkout) -> Iterator[tuple[str, str]]:
    """The gates of a release with those that each of them depends on: where one of these is
    off, components refuse to start."""
    names = gate_names(checkout)
    for module, files in _FILES:
        for path in sorted(checkout.module(module).glob(files)):
            for entries in _DEPENDENCIES.findall(path.read_text("utf-8")):
                for parts in _DEPENDENCY.findall(_COMMENT.sub("", entries)):
                    (gate,), needed = (
                        [names[word] for word in _WORD.findall(part) if word in names]
                        for part in parts
                    )
                    yield gate, " ".join(needed)


def gate_stages(checkout: Checkout) -> dict[str, GateStage]:
    """The gates of a release by name."""
    listed = _listed(checkout)
    if listed and minor_version_in(checkout.release) != checkout.release:
        return {**_unlisted(checkout), **_of_client(checkout), **listed}
    registered = {
        gate: GateStage(*cells)
        for gate, *cells in program_rows(checkout, "gates", "feature-gates")
    }
    for gate, stage in listed.items():
        if stage != (found := registered.get(gate)):
            report(f"{gate} is {found}, and upstream lists it as {stage}")
    return registered


def _listed(checkout: Checkout) -> dict[str, GateStage]:
    """The gates in the list that a test of Kubernetes compares with its code; none of a
    release without a list."""
    names = gate_names(checkout)
    stages = {}
    for pattern in _LISTS:
        for path in checkout.module("kubernetes").glob(pattern):
            for document in documents(path.read_text("utf-8"), path.name):
                for gate in document.value:
                    for spec in gate["versionedSpecs"]:
                        if _holds(spec, checkout.release):
                            # Until 1.36, two are called as their constants are.
                            name = names.get(gate["name"], gate["name"])
                            stages[name] = _stage(spec)
    return stages


def _holds(spec: Mapping[str, str], release: str) -> bool:
    """Whether a gate has come to a stage in a release: as a component is without
    --min-compatibility-version, which is that of the minor version before it."""
    since, needed = spec["version"], spec.get("minCompatibilityVersion")
    return (not since or has_reached(release, since)) and (
        not needed or has_reached(release, next_minor_version(needed))
    )


def _stage(spec: Mapping[str, Any]) -> GateStage:
    return GateStage(
        (spec["preRelease"] or "GA").lower(),
        "on" if spec["default"] else "off",
        "locked" if spec["lockToDefault"] else "",
    )


def _unlisted(checkout: Checkout) -> dict[str, GateStage]:
    """The gates of the release that a patch or a pre-release is based on which are in no
    list: those of client-go and kubeadm."""
    base = base_of(checkout.release, snapshots())
    if base is None:
        return {}
    listed = _listed(Checkout(checkout.folder, base))
    return {
        row.gate: GateStage(row.level, row.default, "locked" if row.locked else "")
        for row in gate_rows()
        if row.releases.includes(base) and row.gate not in listed
    }


def _of_client(checkout: Checkout) -> dict[str, GateStage]:
    """The gates of client-go, as its source has them."""
    names = gate_names(checkout)
    stages = {}
    for path in checkout.module("client-go").glob("features/known_features.go"):
        for constant, specs in _KNOWN.findall(path.read_text("utf-8")):
            for version, default, stage, lock in _SPEC.findall(specs):
                if has_reached(checkout.release, version):
                    on = "on" if default == "true" else "off"
                    locked = "locked" if lock else ""
                    stages[names[constant]] = GateStage(stage.lower(), on, locked)
    return stages


def gate_names(checkout: Checkout) -> dict[str, str]:
    """The names of the gates by those of their constants, which mostly are the same."""
    return {
        constant: name
        for module, files in _FILES
        for path in sorted(checkout.module(module).glob(files))
        for constant, type_name, name in string_constants(path.read_text("utf-8"))
        if type_name in ("", "Feature")
    }


def gate_uses(checkout: Checkout) -> Iterator[tuple[str, str]]:
    """The components, each with the constants of gates that its code asks for."""
    shared = {
        str(path.parent.relative_to(checkout.module(_SHARED))): [*_gates_in(path)]
        for module, files in _FILES
        for path in checkout.module(module).glob(files)
        if module == _SHARED
    }
    for component, folders in _CODE.items():
        constants = {
            constant
            for module, folder in folders
            for source in go_sources(checkout.module(module) / folder)
            for constant in (*_USE.findall(source), *_added(source, shared))
        }
        yield from ((component, constant) for constant in sorted(constants))


def _added(source: str, shared: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """The constants of the shared gates that a source adds to those of its component."""
    for alias, package in _IMPORT.findall(source):
        name = alias or package.rpartition("/")[2]
        if f"{name}.AddFeatureGates(" in source:
            yield from shared.get(package, ())


def _gates_in(path: Path) -> Iterator[str]:
    """The constants of the gates that a file defines."""
    for constant, type_name, _ in string_constants(path.read_text("utf-8")):
        if type_name in ("", "Feature"):
            yield constant
