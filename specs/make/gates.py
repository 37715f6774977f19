"""The table ``feature-gates.tsv``: the stages of the feature gates of each release."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from kubestencil.errors import SourceError
from kubestencil.schema.facts.feature_gates import gate_rows
from kubestencil.source.releases import release_order
from specs.make.checkouts import Checkout
from specs.make.ranges import Ranges

HEADER = """
The feature gates of the API server by release, tab-separated:

  releases  FIRST..LAST, or FIRST.. until the newest release of the table
  gate
  stage     alpha, beta, ga or deprecated
  default   on or off
  locked    locked where the default cannot be changed

Made by `python -m specs.make feature-gates` (specs/README.md) from pkg/features of
k8s.io/kubernetes, k8s.io/apiserver and k8s.io/apiextensions-apiserver.
"""

_FOLDER = "pkg/features"
_MODULES = ("apiserver", "apiextensions-apiserver", "kubernetes")
_COMMENT = re.compile(r"//.*")
_CONSTANT = re.compile(
    r'^\t(\w+)(?:\s+(?:\w+\.)?Feature)?\s*=\s*(?:\w+\.Feature\()?"(\w+)"', re.M
)
_ENTRY = re.compile(r"^\t(?:\w+\.)?(\w+):\s*\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}", re.M)
_SPEC = re.compile(r"(?=[^{}]*\bPreRelease:)[^{}]+")
_SINCE = re.compile(r'\bVersion:\s*version\.MustParse\("([\d.]+)"\)')
_DEFAULT = re.compile(r"\bDefault:\s*(true|false)\b")
_STAGE = re.compile(r"\bPreRelease:\s*(?:\w+\.)?(Alpha|Beta|GA|Deprecated)\b")
_LOCKED = re.compile(r"\bLockToDefault:\s*true\b")


class GateStage(NamedTuple):
    """A feature gate in one release: ``stage`` is alpha, beta, ga or deprecated;
    ``locked`` says that the default cannot be changed."""

    stage: str
    default: bool
    locked: bool


def make_rows(checkouts: Sequence[Checkout], *, append: bool) -> list[tuple[str, ...]]:
    """The rows of the table for these releases, oldest first.

    With ``append`` they continue the table that there is.
    """
    ranges: Ranges[str, GateStage] = Ranges()
    if append:
        for releases, gate, level, default, locked in gate_rows():
            ranges.add(releases, gate, GateStage(level, default == "on", locked))
    for checkout in checkouts:
        names = gate_names(checkout)
        # The constants of gates of other modules are called after them.
        stages = {
            names.get(constant, constant): stage
            for constant, stage in gate_stages(checkout).items()
        }
        ranges.advance(checkout.release, stages)
    return [
        (
            str(releases),
            gate,
            stage.stage,
            "on" if stage.default else "off",
            "locked" if stage.locked else "",
        )
        for gate, releases, stage in ranges.rows(str.casefold)
    ]


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
        for constant, entry in _ENTRY.findall(source):
            if stage := _stage_in(checkout.release, entry):
                stages[constant] = stage
    return stages


def _sources(checkout: Checkout) -> Iterator[str]:
    for module in _MODULES:
        for path in sorted((_module(checkout, module) / _FOLDER).glob("*features.go")):
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
            raise SourceError(f"has a gate in an unknown form: {spec}", where=_FOLDER)
        if since is None or release_order(since[1]) <= release_order(release):
            current = GateStage(
                stage=stage[1].lower(),
                default=default is not None and default[1] == "true",
                locked=_LOCKED.search(spec) is not None,
            )
    return current
