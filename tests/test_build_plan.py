"""The build plan: which trees are current, which are stale and why, and which jobs
generate them. Planned directly, on small documents; no command is run."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kubestencil import build
from kubestencil.build import tree
from kubestencil.build.plan import (
    BuildPlan,
    FingerprintedTarget,
    PartJob,
    ReleaseJob,
    RemoveJob,
    TreeResult,
    make_plan,
    plan_part,
)
from kubestencil.build.record import Fingerprints
from kubestencil.build.tree import TreeChange
from kubestencil.engine import Part, Target, load_targets
from kubestencil.errors import TargetError
from kubestencil.source import Source
from tests.conftest import POD, SMALL, make_document

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
        known = load_targets(self.templates)
        return [known[name] for name in names or ("one", "two")]

    def plan(
        self,
        sources: Sequence[Source],
        targets: Sequence[Target] | None = None,
        *,
        read_bytes: bool = False,
        processes: int = 1,
    ) -> BuildPlan:
        return make_plan(
            sources,
            self.targets() if targets is None else targets,
            self.out,
            read_bytes=read_bytes,
            processes=processes,
        )

    def render(
        self, sources: Sequence[Source], targets: Sequence[Target] | None = None
    ) -> None:
        build.render(
            sources,
            self.targets() if targets is None else targets,
            self.out,
            jobs=1,
        )


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def source(release: str, definitions: Mapping[str, Any] = SMALL) -> Source:
    data = json.dumps(make_document(dict(definitions))).encode()
    return Source(release, f"{release}.json", data)


def changed(release: str) -> Source:
    return source(release, {**SMALL, "io.k8s.api.core.v1.New": {"properties": {}}})


def stale_trees(plan: BuildPlan) -> set[str]:
    """The trees that the jobs of a plan generate."""
    trees: set[str] = set()
    for job in plan.jobs:
        if isinstance(job, ReleaseJob):
            trees |= {
                f"{job.source.release}/{item.target.name}" for item in job.targets
            }
        elif isinstance(job, PartJob):
            trees.add(job.label)
    return trees


def current_trees(plan: BuildPlan) -> set[str]:
    return {result.tree for result in plan.current}


SOURCES = (source("1.34"), source("1.35"))
ALL = {"1.34/one", "1.34/two", "1.35/one", "1.35/two"}


def test_everything_is_stale_before_the_first_run(project: Project) -> None:
    plan = project.plan(SOURCES)
    assert stale_trees(plan) == ALL
    assert plan.current == plan.rerecorded == ()


def test_nothing_is_stale_after_a_run(project: Project) -> None:
    project.render(SOURCES)
    plan = project.plan(SOURCES)
    assert plan.jobs == plan.rerecorded == ()
    assert current_trees(plan) == ALL
    assert {result.files for result in plan.current} == {1}
    assert {result.size for result in plan.current} == {len("V1Pod")}


def test_a_changed_document_makes_its_release_stale(project: Project) -> None:
    project.render(SOURCES)
    plan = project.plan([SOURCES[0], changed("1.35")])
    assert stale_trees(plan) == {"1.35/one", "1.35/two"}
    assert current_trees(plan) == {"1.34/one", "1.34/two"}


def test_a_document_from_another_origin_is_stale(project: Project) -> None:
    """The output names the origin, so equal bytes are not enough."""
    project.render(SOURCES)
    moved = replace(SOURCES[1], origin="elsewhere.json")
    assert stale_trees(project.plan([SOURCES[0], moved])) == {"1.35/one", "1.35/two"}


def _set_option(project: Project) -> list[Target]:
    one, two = project.targets()
    return [one.with_options({"title": "Ours"}), two]


def _change_template(project: Project) -> list[Target]:
    (project.templates / "one" / "page.j2").write_text("changed")
    return project.targets()


def _add_template(project: Project) -> list[Target]:
    (project.templates / "one" / "included.j2").write_text("")
    return project.targets()


@pytest.mark.parametrize("change", [_set_option, _change_template, _add_template])
def test_a_changed_target_is_stale_in_all_releases(
    project: Project, change: Callable[[Project], list[Target]]
) -> None:
    project.render(SOURCES)
    plan = project.plan(SOURCES, change(project))
    assert stale_trees(plan) == {"1.34/one", "1.35/one"}
    assert current_trees(plan) == {"1.34/two", "1.35/two"}


def test_a_program_that_renders_again_sees_a_changed_template(
    project: Project,
) -> None:
    """Templates are compiled once in a process, but not longer than for a run."""
    project.render(SOURCES)
    _change_template(project)
    project.render(SOURCES)
    assert (project.out / "1.35" / "one" / "V1Pod.txt").read_text() == "changed"


def test_a_shared_template_makes_all_targets_stale(project: Project) -> None:
    shared = project.templates / "_shared"
    shared.mkdir()
    (shared / "header.j2").write_text("1")
    project.render(SOURCES)
    (shared / "header.j2").write_text("2")
    assert stale_trees(project.plan(SOURCES)) == ALL


def test_the_content_of_a_path_option_counts(project: Project, tmp_path: Path) -> None:
    header = tmp_path / "header.txt"
    header.write_text("1")
    one, two = project.targets()
    targets = [one.with_options({"header": str(header)}), two]
    project.render(SOURCES, targets)
    assert project.plan(SOURCES, targets).jobs == ()
    header.write_text("2")
    assert stale_trees(project.plan(SOURCES, targets)) == {"1.34/one", "1.35/one"}


@pytest.mark.parametrize("damage", [Path.unlink, lambda path: path.write_text("x")])
def test_a_touched_tree_is_stale(
    project: Project, damage: Callable[[Path], object]
) -> None:
    project.render(SOURCES)
    damage(project.out / "1.35" / "one" / "V1Pod.txt")
    assert stale_trees(project.plan(SOURCES)) == {"1.35/one"}


def test_a_file_rewritten_with_the_same_bytes_is_current(project: Project) -> None:
    project.render(SOURCES)
    path = project.out / "1.35" / "one" / "V1Pod.txt"
    path.write_bytes(path.read_bytes())
    os.utime(path, ns=(1, 1))
    assert project.plan(SOURCES).jobs == ()


def test_only_reading_bytes_finds_a_change_of_equal_size_and_time(
    project: Project,
) -> None:
    project.render(SOURCES)
    path = project.out / "1.35" / "one" / "V1Pod.txt"
    status = path.stat()
    path.write_text("V1Pox")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert project.plan(SOURCES).jobs == ()
    assert stale_trees(project.plan(SOURCES, read_bytes=True)) == {"1.35/one"}


def test_an_interrupted_tree_is_stale(project: Project) -> None:
    """Its record has files that were on their way."""
    project.render(SOURCES)
    path = project.out / ".kubestencil" / "1.35" / "one.json"
    record = json.loads(path.read_text())
    path.write_text(json.dumps({**record, "pending": {"V1Pod.txt": "0"}}))
    assert stale_trees(project.plan(SOURCES)) == {"1.35/one"}


def test_a_record_of_an_older_version_makes_its_tree_stale(project: Project) -> None:
    """But its files stay ours: they may be overwritten."""
    project.render(SOURCES)
    path = project.out / ".kubestencil" / "1.35" / "one.json"
    record = json.loads(path.read_text())
    del record["fingerprints"]
    path.write_text(json.dumps({**record, "inputs": "an older digest"}))
    assert stale_trees(project.plan(SOURCES)) == {"1.35/one"}
    project.render([SOURCES[0], changed("1.35")])


@pytest.mark.parametrize("processes", [1, 2, 3, 8])
@pytest.mark.parametrize("sources", [SOURCES[:1], SOURCES])
def test_each_target_is_in_one_job_however_many_processes_there_are(
    project: Project, processes: int, sources: Sequence[Source]
) -> None:
    plan = project.plan(sources, processes=processes)
    jobs = [job for job in plan.jobs if isinstance(job, ReleaseJob)]
    trees = [
        (job.source.release, item.target.name) for job in jobs for item in job.targets
    ]
    assert len(trees) == len(set(trees)) == 2 * len(sources)
    if len(sources) >= processes:
        # A document is parsed once.
        assert len(jobs) == len(sources)


# --- targets of scope "releases"


def site_and_reports() -> list[Target]:
    known = load_targets(None)
    return [known["diff"], known["site"]]


def test_progress_counts_the_parts_of_a_site(project: Project) -> None:
    """Each part is a job: the bar of a site moves before its end."""
    steps: list[tuple[int, int, str]] = []
    build.render(
        SOURCES,
        site_and_reports()[1:],
        project.out,
        jobs=1,
        progress=lambda done, total, label: steps.append((done, total, label)),
    )
    assert [(done, total) for done, total, _ in steps] == [(n, 4) for n in range(5)]
    labels = {label for _, _, label in steps[1:]}
    assert labels == {"site", "site/1.34", "site/1.35", "site/diff"}


def test_the_parts_that_need_most_releases_come_first(project: Project) -> None:
    plan = project.plan(SOURCES, site_and_reports())
    sizes = [len(job.sources) for job in plan.jobs if isinstance(job, PartJob)]
    assert sizes == sorted(sizes, reverse=True)
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
    removed = [job.tree for job in plan.jobs if isinstance(job, RemoveJob)]
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
    def staging_after_another_run(out: Path) -> Iterator[Path]:
        monkeypatch.setattr(tree, "staging_folder", staging_folder)
        project.render(SOURCES[:1], targets[1:])
        assert not (out / "site" / "1.35" / "index.html").exists()
        with staging_folder(out) as staging:
            yield staging

    monkeypatch.setattr(tree, "staging_folder", staging_after_another_run)
    project.render(changed_sources, targets)
    summary = build.check(changed_sources, targets, project.out, jobs=1)
    assert not any(result.drift for result in summary.trees)
    assert (project.out / "site" / "1.35" / "index.html").exists()


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
) -> TreeResult | TreeChange | PartJob:
    return plan_part(
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
    assert isinstance(job, PartJob)
    with tree.staging_folder(project.out) as staging:
        change = tree.stage(
            project.out,
            job.label,
            job.fingerprints,
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
    assert isinstance(job, PartJob)
    assert (job.context, job.part, job.sources) == (
        context.value,
        "1.35",
        (SOURCES[1],),
    )


def test_a_touched_part_is_stale_in_an_unchanged_run(project: Project) -> None:
    context = Context()
    write_part(project, context)
    (project.out / "one" / "1.35" / "a").write_text("2")
    assert isinstance(plan_one(project, context), PartJob)
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
    target = project.targets("one")[0]
    release_job = ReleaseJob(SOURCES[0], (FingerprintedTarget(target, ""),))
    part_job = PartJob(SOURCES, target, "1.35", None, Fingerprints())
    labels = [
        job.label for job in (release_job, part_job, RemoveJob(target, "one/1.3"))
    ]
    assert labels == ["1.34", "one/1.35", "one/1.3"]
