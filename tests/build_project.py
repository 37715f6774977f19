"""A small project whose builds are planned directly, without the command."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kubestencil import build
from kubestencil.build.plan import BuildPlan, make_plan
from kubestencil.engine import Target, load_targets
from kubestencil.engine.run_cache import clear_run_caches
from kubestencil.source import Source
from tests.conftest import SMALL, make_document

MANIFEST = """
about = "A test"
view = "markdown"
path_options = ["header"]

[[files]]
each = "definition"
path = "{name}.txt"
template = "page.j2"

[options]
header = ""
title = "Models"

[types]
any = "any"
list = "{}[]"
map = "{}{}"
"""


class Project:
    """A folder with two targets of a user, ``one`` and ``two``, and an output."""

    def __init__(self, folder: Path) -> None:
        self.out = folder / "out"
        self.templates = folder / "templates"
        for name in ("one", "two"):
            target = self.templates / name
            target.mkdir(parents=True)
            (target / "target.toml").write_text(MANIFEST)
            (target / "page.j2").write_text("{{ model.name }}")

    def targets(self, *names: str) -> list[Target]:
        targets = load_targets(self.templates)
        return [targets[name] for name in names or ("one", "two")]

    def plan(
        self,
        sources: Sequence[Source],
        targets: Sequence[Target] | None = None,
        *,
        read_bytes: bool = False,
        processes: int = 1,
    ) -> BuildPlan:
        clear_run_caches()
        return make_plan(
            [build.BuildRequest(sources, targets or self.targets())],
            self.out,
            read_bytes=read_bytes,
            processes=processes,
        )

    def render(
        self, sources: Sequence[Source], targets: Sequence[Target] | None = None
    ) -> None:
        clear_run_caches()
        build.render(
            [build.BuildRequest(sources, targets or self.targets())],
            self.out,
            jobs=1,
        )


def source(release: str, definitions: Mapping[str, Any] = SMALL) -> Source:
    data = json.dumps(make_document(dict(definitions))).encode()
    return Source(release, f"{release}.json", data)


def changed(release: str) -> Source:
    return source(release, {**SMALL, "io.k8s.api.core.v1.New": {"properties": {}}})


def stale_trees(plan: BuildPlan) -> set[str]:
    """The trees that the jobs of a plan generate."""
    return {stale.tree for job in plan.jobs for stale in job.trees if job.sources}


def current_trees(plan: BuildPlan) -> set[str]:
    return {result.tree for result in plan.current}


SOURCES = (source("1.34"), source("1.35"))
ALL = {"1.34/one", "1.34/two", "1.35/one", "1.35/two"}
