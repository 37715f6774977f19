"""The table ``feature-gates``: the stages of the feature gates of each release."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from kubestencil.errors import SourceError
from kubestencil.source.releases import has_reached
from specs.make.checkouts import Checkout

# Files that define gates, by module. Later ones define some of the earlier ones anew.
_FILES = (
    ("client-go", "features/known_features.go"),
    ("component-base", "logs/api/v1/kube_features.go"),
    ("component-base", "metrics/features/kube_features.go"),
    ("component-base", "zpages/features/kube_features.go"),
    ("controller-manager", "pkg/features/*features.go"),
    ("apiserver", "pkg/features/*features.go"),
    ("apiextensions-apiserver", "pkg/features/*features.go"),
    ("kubernetes", "cmd/kubeadm/app/features/features.go"),
    ("kubernetes", "pkg/features/*features.go"),
)
# The folders with the code of each component; what several share counts for none.
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
        ("kubernetes", "cmd/kubelet"),
        ("kubernetes", "pkg/volume"),
        ("kubernetes", "pkg/probe"),
    ),
    "kube-proxy": (("kubernetes", "pkg/proxy"), ("kubernetes", "cmd/kube-proxy")),
    "kubeadm": (("kubernetes", "cmd/kubeadm"),),
    "client-go": (("client-go", "."),),
}
_USE = re.compile(r"\b\w*[fF]eature(?:s|gates?)\.(\w+)\b")
_COMMENT = re.compile(r"//.*")
_CONSTANT = re.compile(
    r'^\t(\w+)(?:\s+(?:\w+\.)?Feature)?\s*=\s*(?:\w+\.Feature\()?"(\w+)"', re.M
)
_ENTRY = re.compile(r"^\t+(?:\w+\.)?(\w+):\s*\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}", re.M)
_SPEC = re.compile(r"(?=[^{}]*\bPreRelease:)[^{}]+")
_SINCE = re.compile(r'\bVersion:\s*version\.MustParse\("([\d.]+)"\)')
_DEFAULT = re.compile(r"\bDefault:\s*(true|false)\b")
_STAGE = re.compile(r"\bPreRelease:\s*(?:\w+\.)?(Alpha|Beta|GA|Deprecated)\b")
_VALUE = re.compile(r"^\t(\w+)\s+=\s+(true|false)$", re.M)
_LOCKED = re.compile(r"\bLockToDefault:\s*true\b")


class GateStage(NamedTuple):
    """A feature gate in one release: ``stage`` is alpha, beta, ga or deprecated;
    ``locked`` says that the default cannot be changed."""

    stage: str
    default: bool
    locked: bool


_OFF = {stage: GateStage(stage, False, False) for stage in ("alpha", "beta")}
#: The gates that a patch release turned off or to another stage, by the minor version:
#: pkg/features/kube_features.go of k8s.io/kubernetes 1.25.16, 1.27.16, 1.28.15, 1.29.6,
#: 1.30.14, 1.31.14, 1.32.13 and 1.34.4, and of k8s.io/apiserver 0.30.14.
PATCHED = {
    ("1.25", "LocalStorageCapacityIsolationFSQuotaMonitoring"): _OFF["alpha"],
    ("1.27", "EventedPLEG"): _OFF["alpha"],
    ("1.27", "NewVolumeManagerReconstruction"): _OFF["beta"],
    ("1.27", "SELinuxMountReadWriteOncePod"): _OFF["beta"],
    ("1.28", "EventedPLEG"): _OFF["alpha"],
    ("1.28", "SchedulerQueueingHints"): _OFF["beta"],
    ("1.29", "EventedPLEG"): _OFF["alpha"],
    ("1.30", "APIServingWithRoutine"): _OFF["alpha"],
    ("1.31", "DisableNodeKubeProxyVersion"): GateStage("deprecated", False, False),
    ("1.32", "ServiceAccountNodeAudienceRestriction"): _OFF["beta"],
    ("1.34", "SchedulerAsyncAPICalls"): _OFF["beta"],
}


def make_rows(checkout: Checkout) -> Iterator[tuple[str, ...]]:
    """The rows of the table for a release."""
    names = gate_names(checkout)
    components: dict[str, set[str]] = defaultdict(set)
    for component, constant in gate_uses(checkout):
        components[names.get(constant, constant)].add(component)
    for constant, stated in gate_stages(checkout).items():
        # The constants of gates of other modules are called after them.
        gate = names.get(constant, constant)
        stage, default, locked = PATCHED.get((checkout.release, gate), stated)
        yield (
            gate,
            stage,
            "on" if default else "off",
            "locked" if locked else "",
            " ".join(sorted(components[gate])),
        )


def gate_names(checkout: Checkout) -> dict[str, str]:
    """The names of the gates by those of their constants, which mostly are the same."""
    return {
        constant: name
        for source in _sources(checkout)
        for constant, name in _CONSTANT.findall(source)
    }


def gate_stages(checkout: Checkout) -> dict[str, GateStage]:
    """The gates of the release by the names of their constants."""
    stages = {}
    for source in _sources(checkout):
        for name, value in _VALUE.findall(source):
            source = source.replace(f"Default: {name}", f"Default: {value}")
        for constant, entry in _ENTRY.findall(source):
            if stage := _stage_in(checkout.release, entry):
                stages[constant] = stage
    return stages


def gate_uses(checkout: Checkout) -> Iterator[tuple[str, str]]:
    """The components, each with the constants of gates that its code asks for."""
    for component, folders in _CODE.items():
        constants: set[str] = set()
        for module, folder in folders:
            for path in (_module(checkout, module) / folder).rglob("*.go"):
                if not path.name.endswith("_test.go"):
                    constants.update(_USE.findall(path.read_text("utf-8")))
        for constant in sorted(constants):
            yield component, constant


def _sources(checkout: Checkout) -> Iterator[str]:
    for module, files in _FILES:
        for path in sorted(_module(checkout, module).glob(files)):
            yield _COMMENT.sub("", path.read_text("utf-8"))


def _module(checkout: Checkout, name: str) -> Path:
    """The folder of a module; until 1.14 those of k8s.io/kubernetes are inside it."""
    staging = checkout.module("kubernetes") / "staging/src/k8s.io" / name
    return staging if staging.exists() else checkout.module(name)


def _stage_in(release: str, entry: str) -> GateStage | None:
    """The stage at ``release``; None where the gate comes with a later one, and where
    ``entry`` is something else than a gate.

    Raises SourceError where the entry is in no form that this can read.
    """
    current = None
    for spec in _SPEC.findall(entry):
        since, default, stage = (
            pattern.search(spec) for pattern in (_SINCE, _DEFAULT, _STAGE)
        )
        if stage is None or (default is None and "Default:" in spec):
            raise SourceError(
                f"has a gate in an unknown form: {spec}", where="features"
            )
        if since is None or has_reached(release, since[1]):
            current = GateStage(
                stage=stage[1].lower(),
                default=default is not None and default[1] == "true",
                locked=_LOCKED.search(spec) is not None,
            )
    return current
