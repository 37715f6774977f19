"""The docs site: a change rebuilds only the pages that show it, and removed releases are
removed; each run gives the same."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from kubestencil.schema.load import load_release
from kubestencil.source import locate
from tests.conftest import Command, make_command, read_output
from tests.site_pages import Site


def specs_of(folder: Path, releases: tuple[str, ...]) -> dict[str, Any]:
    """Write the documents of releases to ``folder``, and return them by release."""
    folder.mkdir()
    documents = {}
    for name in releases:
        text = json.dumps(load_release(locate(name, None)).document)
        documents[name] = json.loads(text)
        (folder / f"{name}.json").write_text(text)
    return documents


def modification_times(folder: Path, release: str) -> dict[str, int]:
    files = (folder / release).rglob("*.html")
    return {path.as_posix(): path.stat().st_mtime_ns for path in files}


@pytest.mark.nightly
def test_a_change_rebuilds_the_pages_that_show_it(run: Command) -> None:
    """A changed description shows in one release, an added field in the others too."""
    documents = specs_of(run.folder / "specs", ("1.34", "1.35"))
    call = ("render", "1.34", "1.35", "-t", "site", "--spec-dir", "specs", "-o", "out")
    assert run(*call).returncode == 0
    site = run.folder / "out" / "site"
    times_before = modification_times(site, "1.34")
    times_before_in_other = modification_times(site, "1.35")

    path = run.folder / "specs" / "1.34.json"
    document = documents["1.34"]
    container = document["definitions"]["io.k8s.api.core.v1.Container"]
    container["properties"]["image"]["description"] = "Which image it is."
    path.write_text(json.dumps(document))
    assert run(*call).returncode == 0
    assert modification_times(site, "1.35") == times_before_in_other
    written = {
        path
        for path, time in modification_times(site, "1.34").items()
        if time != times_before[path]
    }
    assert f"{site.as_posix()}/1.34/core/v1/Container/index.html" in written
    assert f"{site.as_posix()}/1.34/apps/v1/index.html" not in written

    container["properties"]["mood"] = {"type": "string"}
    path.write_text(json.dumps(document))
    assert run(*call).returncode == 0
    page = Site(site).page("1.34/core/v1/Container/")
    assert "Removed in 1.35" in page.text
    assert "unchanged" in run(*call).stdout


PRINT_CONTEXTS = """
import hashlib
from kubestencil.schema.load import load_release
from kubestencil.source import locate
from kubestencil.engine import load_targets
from kubestencil.targets import load_multi_release_view
names = ("1.33", "1.34")
target = load_targets(None)["site"]
view = load_multi_release_view(target)
releases = [load_release(locate(name, None)) for name in names]
contexts = [part.context() for part in view.divide(names, lambda: releases, target)]
print(hashlib.sha256(repr(contexts).encode()).hexdigest())
"""


def test_contexts_are_the_same_in_every_process(tmp_path: Path) -> None:
    """Otherwise all parts would be generated again in each run."""
    digests = {
        subprocess.run(
            [sys.executable, "-c", PRINT_CONTEXTS],
            env={**make_command(tmp_path).environment, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(digests) == 1


@pytest.mark.nightly
def test_releases_that_are_no_longer_generated_are_removed(run: Command) -> None:
    call = ("render", "-t", "site", "-o", "out")
    assert run(*call, "1.34", "1.35").returncode == 0
    drifted = run(*call, "1.35", "--check", "--prune")
    assert drifted.returncode == 1
    assert "left over: out/site/1.34/" in drifted.stdout
    assert run(*call, "1.35", "--prune").returncode == 0
    site = run.folder / "out" / "site"
    assert not (site / "1.34").exists()
    assert not (site / "diff").exists()
    assert run(*call, "1.35", "--check").returncode == 0
    assert Site(site).broken_links(Site(site).page("")) == []


def test_output_is_the_same_in_every_process(tmp_path: Path) -> None:
    """Sets have another order in each process."""
    kinds = ("Pod", "SelfSubjectReview")
    limits = [argument for kind in kinds for argument in ("--kind", kind)]
    for seed in ("1", "2"):
        out = tmp_path / seed
        subprocess.run(
            [
                *(sys.executable, "-m", "kubestencil", "render", "1.35"),
                *("-t", "site", *limits, "-o", str(out)),
            ],
            env={**make_command(tmp_path).environment, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        )
    assert read_output(tmp_path / "1") == read_output(tmp_path / "2")


@pytest.mark.nightly
def test_output_does_not_depend_on_the_number_of_jobs(run: Command) -> None:
    for name in ("a", "b"):
        jobs = "1" if name == "a" else "2"
        done = run("render", "1.35", "-t", "site", "-o", name, "--jobs", jobs)
        assert done.returncode == 0
    assert read_output(run.folder / "a") == read_output(run.folder / "b")
    shutil.rmtree(run.folder / "a")


DEPLOYMENTS = ("render", "1.33..1.35", "--kind", "Deployment", "-t", "site", "-j", "1")


@pytest.mark.nightly
def test_fragments_of_users_may_use_the_release(run: Command) -> None:
    """Their text is not that of another release, also where they are included."""
    folder = run.folder / "templates" / "site"
    folder.mkdir(parents=True)
    (folder / "nested.html.j2").write_text("{% include 'mark.html.j2' %}")
    (folder / "mark.html.j2").write_text(
        "<p>Fields of {{ nested.rows[0].name }}, {{ release }}"
    )
    done = run(*DEPLOYMENTS, "-o", "out", "--templates", "templates")
    assert done.returncode == 0, done.stderr
    for release in ("1.33", "1.34", "1.35"):
        page = run.folder / "out" / "site" / release / "apps/v1/Deployment/index.html"
        marks = re.findall("<p>Fields of [^<]*, (.*?)<", page.read_text("utf-8"))
        assert len(marks) > 5
        assert set(marks) == {release}
