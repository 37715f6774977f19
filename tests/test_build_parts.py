"""The plan of targets of scope ``releases``: which parts are current, which are stale
and why, and when a part's context is computed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kubestencil import build
from kubestencil.build import tree
from kubestencil.build.plan import Job, TreeResult, plan_part
from kubestencil.build.record import Fingerprints
from kubestencil.build.tree import TreeChange
from kubestencil.engine import Part, Target, load_targets
from kubestencil.engine.run_cache import clear_run_caches
from kubestencil.errors import TargetError
from kubestencil.shards import Shard
from tests.build_project import SOURCES, Project, changed, source, stale_trees
from tests.conftest import POD, SMALL


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def site_and_reports() -> list[Target]:
    targets = load_targets(None)
    return [targets["diff"], targets["site"]]


def test_progress_counts_the_parts_of_a_site(project: Project) -> None:
    """Each part is a job: the bar of a site moves before its end."""
    steps: list[tuple[int, int, str]] = []
    build.render(
        [build.BuildRequest(SOURCES, site_and_reports()[1:])],
        project.out,
        jobs=1,
        progress=lambda done, total, label: steps.append((done, total, label)),
    )
    assert [(done, total) for done, total, _ in steps] == [(n, 4) for n in range(5)]
    labels = {label for _, _, label in steps[1:]}
    assert labels == {"site", "site/1.34", "site/1.35", "site/diff"}


def test_the_parts_of_one_release_come_first(project: Project) -> None:
    """They take the most time; a process that is done early takes the others."""
    plan = project.plan(SOURCES, site_and_reports())
    sizes = [len(job.sources) for job in plan.jobs]
    assert sizes == sorted(sizes)
    assert stale_trees(plan) == {
        "diff",
        "site",
        "site/1.34",
        "site/1.35",
        "site/diff",
    }


def test_a_part_of_a_release_that_left_the_run_is_removed(project: Project) -> None:
    targets = site_and_reports()
    project.render([*SOURCES, changed("1.36")], targets)
    plan = project.plan(SOURCES, targets)
    removed = [job.label for job in plan.jobs if not job.sources]
    assert removed == ["site/1.36"]


def test_a_run_that_had_to_wait_plans_again(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another run removes a part after this one has planned to keep it."""
    targets = site_and_reports()
    project.render(SOURCES, targets)
    # A reworded description concerns no other release.
    reworded = {POD: {**SMALL[POD], "description": "Reworded."}}
    changed_sources = [source("1.34", reworded), SOURCES[1]]
    staging_folder = tree.staging_folder

    @contextmanager
    def staging_after_another_run(out: Path, shard: Shard) -> Iterator[Path]:
        monkeypatch.setattr(tree, "staging_folder", staging_folder)
        build.render(
            [build.BuildRequest(SOURCES[:1], targets[1:])],
            project.out,
            jobs=1,
            prune=True,
        )
        assert not (out / "site" / "1.35" / "index.html").exists()
        with staging_folder(out, shard) as staging:
            yield staging

    monkeypatch.setattr(tree, "staging_folder", staging_after_another_run)
    project.render(changed_sources, targets)
    summary = build.check(
        [build.BuildRequest(changed_sources, targets)], project.out, jobs=1
    )
    assert not any(result.drift for result in summary.trees)
    assert (project.out / "site" / "1.35" / "index.html").exists()


def test_the_builds_of_a_run_look_through_its_records_once(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A project has thousands of records, and a build for each of its tables, which took
    the longer the more there were."""
    project.render(SOURCES)
    looked_at: list[Path] = []
    scandir = os.scandir

    def counted(path: Any) -> Any:
        looked_at.append(Path(str(path)))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", counted)
    clear_run_caches()
    for release in ("1.30", "1.31", "1.32"):
        requests = [build.BuildRequest([changed(release)], project.targets("one"))]
        build.render(requests, project.out, jobs=1)
    records = project.out / ".kubestencil" / "1.34"
    assert looked_at.count(records) == 1


class Context:
    """A part's context, which counts how often it is computed."""

    def __init__(self, value: object = "context") -> None:
        self.value = value
        self.calls = 0

    def __call__(self) -> object:
        self.calls += 1
        return self.value


def plan_one(
    project: Project, context: Context, digest: str = "t1", run: str = "r1"
) -> TreeResult | TreeChange | Job:
    return plan_part(
        "one/1.35",
        Part("1.35", ("1.35",), context),
        (SOURCES[1],),
        project.targets("one")[0],
        Fingerprints(digest, run),
        project.out,
        read_bytes=False,
    )


def write_part(project: Project, context: Context) -> None:
    """Write a tree as a run that generated the part would have left it."""
    job = plan_one(project, context)
    assert isinstance(job, Job)
    with tree.staging_folder(project.out) as staging:
        change = tree.stage(
            project.out,
            job.label,
            job.trees[0].fingerprints,
            [("a", b"1")],
            staging,
            overwrite=False,
        )
        tree.commit(project.out, change)
    context.calls = 0


def test_an_unchanged_run_computes_no_context(project: Project) -> None:
    context = Context()
    write_part(project, context)
    assert isinstance(plan_one(project, context), TreeResult)
    assert context.calls == 0


def test_another_release_that_changed_nothing_here_is_recorded(
    project: Project,
) -> None:
    """The documents of the run changed, and nothing that this part depends on: its
    files stay, and the next run need not compute the context again."""
    context = Context()
    write_part(project, context)
    outcome = plan_one(project, context, run="r2")
    assert isinstance(outcome, TreeChange)
    assert (outcome.staged, outcome.removed) == ({}, ())
    assert outcome.fingerprints.run == "r2"
    tree.commit(project.out, outcome)
    context.calls = 0
    assert isinstance(plan_one(project, context, run="r2"), TreeResult)
    assert context.calls == 0


@pytest.mark.parametrize(
    ("context", "digest"), [(Context("other"), "t1"), (Context(), "t2")]
)
def test_a_part_is_stale_when_its_context_or_its_releases_change(
    project: Project, context: Context, digest: str
) -> None:
    write_part(project, Context())
    job = plan_one(project, context, digest, run="r2")
    assert isinstance(job, Job)
    assert (job.label, job.sources) == ("one/1.35", (SOURCES[1],))


def test_a_touched_part_is_stale_in_an_unchanged_run(project: Project) -> None:
    context = Context()
    write_part(project, context)
    (project.out / "one" / "1.35" / "a").write_text("2")
    assert isinstance(plan_one(project, context), Job)
    assert context.calls == 1


def test_an_option_of_a_dependency_makes_a_target_stale(project: Project) -> None:
    """The site writes Python examples as the target ``python`` is set to."""
    site = load_targets(None)["site"]
    renamed = replace(site, dependency_options={"python": {"package": "ours"}})
    project.render(SOURCES[:1], [site])
    assert project.plan(SOURCES[:1], [site]).jobs == ()
    assert stale_trees(project.plan(SOURCES[:1], [renamed])) == {"site", "site/1.34"}


def test_a_dependency_has_to_be_declared(project: Project) -> None:
    (target,) = project.targets("one")
    with pytest.raises(TargetError, match=r"does not name 'two'"):
        target.dependency("two")


def test_jobs_have_labels_for_the_progress_bar(project: Project) -> None:
    targets = [*project.targets("one"), load_targets(None)["site"]]
    labels = {job.label for job in project.plan(SOURCES[:1], targets).jobs}
    assert labels == {"1.34", "site", "site/1.34"}
