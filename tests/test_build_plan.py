"""The plan of targets of scope ``release``: which trees are current, which are stale and
why, and which jobs generate them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from kubestencil.build.plan import BuildRequest, limit_processes
from kubestencil.engine import Target
from kubestencil.source import Source
from kubestencil.source.document import CrdSet, SourceFile
from tests.build_project import (
    ALL,
    SOURCES,
    Project,
    changed,
    current_trees,
    stale_trees,
)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_everything_is_stale_before_the_first_run(project: Project) -> None:
    plan = project.plan(SOURCES)
    assert stale_trees(plan) == ALL
    assert (plan.current, plan.rerecorded) == ((), ())


def test_nothing_is_stale_after_a_run(project: Project) -> None:
    project.render(SOURCES)
    plan = project.plan(SOURCES)
    assert (plan.jobs, plan.rerecorded) == ((), ())
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


@pytest.mark.parametrize("option", ["header", "header/in/a.txt"])
def test_the_content_of_a_path_option_counts(
    project: Project, tmp_path: Path, option: str
) -> None:
    """It may be a folder."""
    header = tmp_path / option
    header.parent.mkdir(parents=True, exist_ok=True)
    header.write_text("1")
    one, two = project.targets()
    targets = [one.with_options({"header": str(tmp_path / "header")}), two]
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
    """Its record lists pending files."""
    project.render(SOURCES)
    path = project.out / ".kubestencil" / "1.35" / "one.json"
    record = json.loads(path.read_text())
    path.write_text(json.dumps({**record, "pending": {"V1Pod.txt": "0"}}))
    assert stale_trees(project.plan(SOURCES)) == {"1.35/one"}


def test_a_record_of_an_older_version_makes_its_tree_stale(project: Project) -> None:
    """Its files may still be overwritten."""
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
    trees = [stale.tree for job in plan.jobs for stale in job.trees]
    assert len(trees) == len(set(trees)) == 2 * len(sources)
    if len(sources) >= processes:
        # A document is parsed once.
        assert len(plan.jobs) == len(sources)


@pytest.mark.parametrize(
    ("megabytes", "processes"), [(0, 8), (5, 8), (40, 3), (63, 2), (65, 1), (400, 1)]
)
def test_large_documents_get_fewer_processes(megabytes: int, processes: int) -> None:
    """Each process has the whole document in memory: a catalogue of 2,000
    CustomResourceDefinitions took 3 GiB in two processes, and 1.8 GiB in one."""
    data = bytes(megabytes * 2**20)
    crds = CrdSet(("crds",), (SourceFile("crds.yaml", data),))
    small = Source("small", "small.json", b"{}")
    assert (
        limit_processes([BuildRequest([small, replace(small, crds=crds)], [])], 8)
        == processes
    )
    assert (
        limit_processes([BuildRequest([small, replace(small, data=data)], [])], 8)
        == processes
    )
    assert (
        limit_processes([BuildRequest([small, replace(small, crds=crds)], [])], 1) == 1
    )
